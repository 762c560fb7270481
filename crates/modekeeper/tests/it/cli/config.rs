//! `modekeeper config`, and how a configuration is put together.

use serde_json::Value;

use crate::support::sandbox::{Sandbox, run};

/// Contract 2's file, as it is.
const CONTRACT: &str = r#"{
  "server": { "name": "roo-modes-server", "version": "1.0.0" },
  "paths": { "project_root": null, "global_config_dir": "~/.roo-code" },
  "sessions": {
    "timeout": 3600,
    "cleanup_interval": 300,
    "persistence": { "enabled": false, "storage_path": "~/.roo-code/mcp_sessions" }
  },
  "logging": {
    "level": "INFO",
    "file": "~/.roo-code/mcp_modes_server.log",
    "format": "%(asctime)s - %(name)s - %(levelname)s - %(message)s"
  }
}"#;

#[test]
fn defaults_say_that_they_are() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!("config_show", sandbox.show(&["config", "show"]));
    insta::assert_snapshot!(
        "config_show_json",
        sandbox.show(&["config", "show", "--json"])
    );
}

#[test]
fn the_contracts_file_works_as_it_is() {
    let sandbox = Sandbox::new();
    sandbox.write(sandbox.config_file(), CONTRACT);
    let mut command = sandbox.command(&["config", "show"]);
    let ran = run(command.env_remove("MODEKEEPER_STATE_DIR"));
    // The log has the time, the warning is shown on stdout too.
    assert!(ran.stderr.contains("logging.format"), "{ran:#?}");
    insta::assert_snapshot!("config_contract", sandbox.rename().text(&ran.stdout));
    assert!(
        sandbox
            .home()
            .join(".roo-code/mcp_modes_server.log")
            .exists()
    );
    // `--config` takes it from anywhere.
    sandbox.write("other.json", CONTRACT);
    let shown = sandbox.json(&["config", "show", "--json", "--config", "other.json"]);
    let origin = sandbox.project().join("other.json").display().to_string();
    assert_eq!(shown["sessions.timeout"]["origin"], origin.as_str());
}

#[test]
fn flags_beat_environment_beats_file_beats_defaults() {
    let sandbox = Sandbox::new();
    let file = sandbox.config_file().display().to_string();
    let shown = |flags: &[&str], environment: &[(&str, &str)]| -> Value {
        let mut command = sandbox.command(&[&["config", "show", "--json"], flags].concat());
        let ran = run(command.envs(environment.iter().copied()));
        assert!(ran.status.success(), "{ran:#?}");
        serde_json::from_str(&ran.stdout).unwrap()
    };
    let value = |shown: &Value, key: &str| {
        let text = |name: &str| shown[key][name].as_str().unwrap().to_owned();
        (text("value"), text("origin"))
    };
    let expect = |shown: &Value, key: &str, expected: (&str, &str)| {
        let (found, origin) = value(shown, key);
        assert_eq!((found.as_str(), origin.as_str()), expected, "{key}");
    };

    sandbox.write(
        sandbox.config_file(),
        r#"{ "switching": "locked", "default_mode": "ask", "logging": { "level": "ERROR" } }"#,
    );
    let layers = shown(&[], &[]);
    expect(&layers, "switching", ("locked", &file));
    expect(&layers, "default_mode", ("ask", &file));
    expect(&layers, "http.listen", ("127.0.0.1:7337", "default"));

    let environment = [
        ("MODEKEEPER_SWITCHING", "ask_to_widen"),
        ("MODEKEEPER_LOG_LEVEL", "WARNING"),
    ];
    let layers = shown(&[], &environment);
    expect(
        &layers,
        "switching",
        ("ask_to_widen", "MODEKEEPER_SWITCHING"),
    );
    expect(
        &layers,
        "logging.level",
        ("WARNING", "MODEKEEPER_LOG_LEVEL"),
    );
    expect(&layers, "default_mode", ("ask", &file));

    let flags = ["--switching", "free", "--default-mode", "debug"];
    let layers = shown(&flags, &environment);
    expect(&layers, "switching", ("free", "--switching"));
    expect(&layers, "default_mode", ("debug", "--default-mode"));
    expect(
        &layers,
        "logging.level",
        ("WARNING", "MODEKEEPER_LOG_LEVEL"),
    );

    // An empty variable sets nothing.
    let layers = shown(&[], &[("MODEKEEPER_SWITCHING", "")]);
    expect(&layers, "switching", ("locked", &file));
}

#[test]
fn a_deeper_key_overrides_only_itself() {
    let sandbox = Sandbox::new();
    sandbox.write(sandbox.config_file(), r#"{ "sessions": { "timeout": 7 } }"#);
    let shown = sandbox.json(&["config", "show", "--json"]);
    assert_eq!(shown["sessions.timeout"]["value"], 7);
    assert_eq!(shown["sessions.cleanup_interval"]["value"], 300);
    assert_eq!(shown["sessions.cleanup_interval"]["origin"], "default");
    assert_eq!(shown["sessions.persistence.enabled"]["value"], true);
}

#[test]
fn a_project_root_may_be_named() {
    let sandbox = Sandbox::new();
    sandbox.write("deep/er/file", "");
    let root = |command: &mut std::process::Command| -> Value {
        let ran = run(command);
        assert!(ran.status.success(), "{ran:#?}");
        serde_json::from_str::<Value>(&ran.stdout).unwrap()["paths.project_root"].clone()
    };
    let command = || sandbox.command(&["config", "show", "--json"]);
    let deep = sandbox.project().join("deep");
    let found = root(command().env("ROO_PROJECT_ROOT", &deep));
    assert_eq!(found["value"], deep.display().to_string().as_str());
    assert_eq!(found["origin"], "ROO_PROJECT_ROOT");
    let mut flag = sandbox.command(&["config", "show", "--json", "--project-root", "deep/er"]);
    let found = root(flag.env("ROO_PROJECT_ROOT", &deep));
    assert_eq!(found["origin"], "--project-root");
    insta::assert_snapshot!(
        "config_no_project",
        sandbox.show(&["config", "show", "--project-root", "nowhere"])
    );
}

#[test]
fn a_wrong_file_is_explained() {
    let sandbox = Sandbox::new();
    let show = |text: &str| {
        sandbox.write(sandbox.config_file(), text);
        sandbox.show(&["config", "show"])
    };
    insta::assert_snapshot!("config_not_json", show("{ \"switching\": \"free\", }"));
    insta::assert_snapshot!(
        "config_wrong_type",
        show(r#"{ "sessions": { "timeout": "1h" } }"#)
    );
    insta::assert_snapshot!("config_not_an_object", show("[]"));
    insta::assert_snapshot!("config_no_servers", show(r#"{ "language_servers": "ty" }"#));
    let servers = [
        r#"{ "language": "zig", "command": "zls" }"#,
        r#"{ "language": "zig", "comand": ["zls"] }"#,
        r#"{ "language": "zig", "command": [] }"#,
        r#"{ "language": "", "command": ["zls"] }"#,
        r#"{ "language": "zig", "command": ["zls"], "extensions": ["tar.gz"] }"#,
    ];
    let servers = servers.map(|server| show(&format!(r#"{{ "language_servers": [{server}] }}"#)));
    insta::assert_snapshot!("config_bad_servers", servers.join("\n"));
    insta::assert_snapshot!(
        "config_wrong_flag",
        show(r#"{ "run_project_code": "yes" }"#)
    );
    insta::assert_snapshot!("config_bad_value", show(r#"{ "switching": "sometimes" }"#));
    insta::assert_snapshot!(
        "config_bad_level",
        show(r#"{ "logging": { "level": "LOUD" } }"#)
    );
    insta::assert_snapshot!(
        "config_missing",
        sandbox.show(&["config", "show", "--config", "nowhere.json"])
    );
}

#[test]
fn a_log_file_that_cannot_be_written_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write(sandbox.config_file(), r#"{ "logging": { "file": "." } }"#);
    insta::assert_snapshot!("config_bad_log_file", sandbox.show(&["modes", "list"]));
}

#[test]
fn an_unknown_key_is_warned_of() {
    let sandbox = Sandbox::new();
    sandbox.write(
        sandbox.config_file(),
        r#"{ "swiching": "free", "http": { "lisen": "x" } }"#,
    );
    let ran = sandbox.run(&["config", "show"]);
    assert!(ran.status.success());
    for key in ["`swiching`", "`http.lisen`"] {
        assert!(
            ran.stdout.contains(&format!("{key} is not a known key")),
            "{}",
            ran.stdout
        );
    }
}

#[test]
fn init_writes_once() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!("config_init", sandbox.show(&["config", "init"]));
    let written = std::fs::read_to_string(sandbox.config_file()).unwrap();
    insta::assert_snapshot!("config_init_file", written);
    // What it wrote is what holds anyway.
    let shown = sandbox.run(&["config", "show"]);
    assert!(!shown.stdout.contains("warning"), "{shown:#?}");
    assert!(shown.stderr.is_empty(), "{shown:#?}");
    sandbox.write(sandbox.config_file(), "{}");
    insta::assert_snapshot!("config_init_twice", sandbox.show(&["config", "init"]));
    assert_eq!(
        std::fs::read_to_string(sandbox.config_file()).unwrap(),
        "{}"
    );
}
