//! `rules://` resources: every rule, agent, skill and checklist; and `config://project`.

use mk_engine::{PlaybookResourceBody, PlaybookResourceInfo};
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceTemplate};
use serde_json::Value;

use crate::connection::Connection;
use crate::era::Era;
use crate::error;
use crate::resource::{bytes_of, text_of};

const SCHEME: &str = "rules://";
const CONFIG: &str = "config://project";
pub(super) const SCHEMES: [&str; 2] = [SCHEME, "config://"];
const JSON: &str = "application/json";
const MARKDOWN: &str = "text/markdown";

pub(super) const AGENT: &str = "rules://agents/{name}.json";
/// The address of each kind, its name, its type, what it is.
const TEMPLATES: [(&str, &str, &str, &str); 4] = [
    ("rules://rules/{name}.md", "rule", MARKDOWN, "A rule"),
    (AGENT, "agent", JSON, "An agent's definition"),
    (
        "rules://skills/{name}/SKILL.md",
        "skill",
        MARKDOWN,
        "A skill",
    ),
    (
        "rules://checklists/{name}.json",
        "checklist",
        JSON,
        "A checklist",
    ),
];

pub(super) async fn list(connection: &Connection, era: Era) -> Vec<Resource> {
    let config = Resource::new(CONFIG, "Project Configuration")
        .with_mime_type(JSON)
        .with_description("Tech stack, architecture, conventions and language of the project");
    let of_rules = |info: PlaybookResourceInfo| {
        let resource = Resource::new(format!("{SCHEME}{}", info.path), info.name)
            .with_mime_type(info.mime_type);
        match info.description {
            Some(description) => resource.with_description(description),
            None => resource,
        }
    };
    let known = resources(connection, era).await;
    std::iter::once(config)
        .chain(known.into_iter().map(of_rules))
        .collect()
}

async fn resources(connection: &Connection, era: Era) -> Vec<PlaybookResourceInfo> {
    let caller = connection.caller(era);
    let playbook = connection.engine().project(&caller).playbook();
    playbook.resources().await.unwrap_or_default()
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |(address, name, mime, what): (&str, &str, &str, &str)| {
        ResourceTemplate::new(address, name)
            .with_mime_type(mime)
            .with_description(what)
    };
    TEMPLATES.into_iter().map(template).collect()
}

pub(super) async fn read(
    connection: &Connection,
    uri: &str,
    era: Era,
) -> Result<ReadResourceResult, ErrorData> {
    let caller = connection.caller(era);
    let playbook = connection.engine().project(&caller).playbook();
    let not_found = || error::unknown_resource(uri, era);
    if uri == CONFIG {
        let config = playbook.config().await;
        let config = config.map_err(|refusal| error::invalid_config(&refusal))?;
        let settings = Value::Object(config.settings.clone());
        return Ok(text_of(uri, JSON, format!("{settings:#}")));
    }
    let path = uri.strip_prefix(SCHEME).ok_or_else(not_found)?.to_owned();
    let found = playbook.resource(path).await;
    let found = found.map_err(|refusal| error::refused_resource(&refusal, era))?;
    let found = found.ok_or_else(not_found)?;
    Ok(match found.body {
        PlaybookResourceBody::Text(text) => text_of(uri, found.mime_type, text),
        PlaybookResourceBody::Bytes(bytes) => bytes_of(uri, found.mime_type, &bytes),
    })
}

/// What can stand for `{name}` in one of the templates.
pub(super) async fn names(connection: &Connection, template: &str, era: Era) -> Vec<String> {
    let Some((before, after)) = template
        .strip_prefix(SCHEME)
        .and_then(|path| path.split_once("{name}"))
    else {
        return Vec::new();
    };
    let known = resources(connection, era).await;
    let name = |info: &PlaybookResourceInfo| {
        let name = info.path.strip_prefix(before)?.strip_suffix(after)?;
        Some(name.to_owned())
    };
    known.iter().filter_map(name).collect()
}
