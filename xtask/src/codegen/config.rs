//! The settings: what each is by default, and which file key, variable and flag set it. The binary's own table says so.

use std::fmt::Write as _;

use anyhow::Result;
use serde_json::{Map, Value};

use super::{Asked, cell, header};

pub(super) fn document(asked: &Asked<'_>) -> Result<String> {
    let settings = asked.says(&["config", "show", "--json"])?;
    let settings: Map<String, Value> = serde_json::from_str(&settings)?;
    let mut text = header("Configuration", "`modekeeper config show --json`");
    text.push_str(
        "A flag beats an environment variable, a variable beats the file, and the file beats the default.\n\
         `modekeeper config show` prints every setting, its value and where the value comes from.\n\
         In `config.json`, `a.b` is the key `b` of the object `a`.\n\
         `modekeeper schema config` prints a JSON Schema of the file; save it next to the file and name it there \
         (`\"$schema\": \"./config.schema.json\"`), and your editor completes and checks settings.\n\n\
         | setting | default | in the file | variable | flag | about |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    let code = |value: &Value| match value.as_str() {
        Some(name) => format!("`{name}`"),
        None => String::new(),
    };
    for (key, setting) in &settings {
        let default = match (&setting["value"], setting["origin"].as_str()) {
            (_, Some(origin)) if origin != "default" => origin.to_owned(),
            (Value::Null, _) => "none".to_owned(),
            (Value::String(text), _) => format!("`{}`", asked.anonymous(text)),
            (value, _) => format!("`{value}`"),
        };
        writeln!(
            text,
            "| `{key}` | {} | {} | {} | {} | {} |",
            cell(&default),
            if setting["in_file"] == true {
                "yes"
            } else {
                ""
            },
            code(&setting["variable"]),
            code(&setting["flag"]),
            cell(setting["about"].as_str().unwrap_or_default())
        )?;
    }
    text.push_str(
        "\nThe defaults of `paths.config_dir` and `sessions.persistence.storage_path` follow `XDG_CONFIG_HOME` and \
         `XDG_STATE_HOME`.\n\n\
         ## Language servers (`language_servers`)\n\n\
         An entry names a `language` and the `command` that starts its server.\n\
         `extensions` is needed for a language that Modekeeper does not know.\n\
         `options` is sent as `initializationOptions`, and `settings` answers the server's own questions, by section.\n\
         `warm` says what shows that the server has read the project: `progress`, `status`, `nothing`, or \
         `{\"log\": \"text\"}` for a line of its log.\n",
    );
    Ok(text)
}
