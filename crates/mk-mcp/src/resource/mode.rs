//! `mode://` resources: every mode in full, as configured, and as a system prompt.

use mk_engine::Error;
use mk_policy::Mode;
use mk_tools::{ModeConfig, ModeInfo};
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceTemplate};

use crate::connection::Connection;
use crate::era::Era;
use crate::error;
use crate::resource::text_of;

pub(super) const SCHEME: &str = "mode://";
const JSON: &str = "application/json";
const TEXT: &str = "text/plain";

pub(super) fn list(connection: &Connection, era: Era) -> Vec<Resource> {
    let catalogue = connection
        .engine()
        .modes()
        .catalogue(&connection.caller(era));
    catalogue.visible().flat_map(|mode| of_mode(mode)).collect()
}

fn of_mode(mode: &Mode) -> [Resource; 3] {
    let Mode { slug, name, .. } = mode;
    let resource = |path: &str, name: String, mime: &str, what: &str| {
        let uri = format!("{SCHEME}{slug}{path}");
        Resource::new(uri, name)
            .with_mime_type(mime)
            .with_description(format!("{what} for {slug} mode"))
    };
    [
        resource("", name.clone(), JSON, "Full configuration"),
        resource(
            "/config",
            format!("{name} - Configuration"),
            JSON,
            "Structured configuration",
        ),
        resource(
            "/system_prompt",
            format!("{name} - System Prompt"),
            TEXT,
            "System prompt",
        ),
    ]
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |path: &str, name: &str, mime: &str, what: &str| {
        ResourceTemplate::new(format!("{SCHEME}{{slug}}{path}"), name)
            .with_mime_type(mime)
            .with_description(what)
    };
    vec![
        template("", "mode", JSON, "Full configuration of a mode"),
        template(
            "/config",
            "mode-config",
            JSON,
            "Structured configuration of a mode",
        ),
        template(
            "/system_prompt",
            "mode-system-prompt",
            TEXT,
            "System prompt of a mode",
        ),
    ]
}

pub(super) fn read(
    connection: &Connection,
    uri: &str,
    era: Era,
) -> Result<ReadResourceResult, ErrorData> {
    let refused = |refusal: &Error| error::refused_resource(refusal, era);
    let path = uri.strip_prefix(SCHEME).unwrap_or_default();
    let (slug, part) = match path.split_once('/') {
        Some((slug, part)) => (slug, Some(part)),
        None => (path, None),
    };
    let caller = connection.caller(era);
    let mode = connection
        .engine()
        .modes()
        .get(&caller, "uri", slug)
        .map_err(|refusal| refused(&refusal))?;
    let (text, mime) = match part {
        None | Some("") => (to_json(&ModeInfo::from(&*mode)), JSON),
        Some("config") => (to_json(&ModeConfig::from(&*mode)), JSON),
        Some("system_prompt") => {
            let prompt = connection
                .engine()
                .modes()
                .system_prompt(&caller, &mode.slug);
            (prompt.map_err(|refusal| refused(&refusal))?, TEXT)
        }
        Some(part) => {
            let message = format!("Unknown subresource: {part}. Known: config, system_prompt");
            return Err(refused(&Error::invalid("uri", message)));
        }
    };
    Ok(text_of(uri, mime, text))
}

/// Every slug there is, for the `{slug}` of the templates.
pub(super) fn slugs(connection: &Connection, era: Era) -> Vec<String> {
    let catalogue = connection
        .engine()
        .modes()
        .catalogue(&connection.caller(era));
    catalogue
        .visible()
        .map(|mode| mode.slug.as_str().to_owned())
        .collect()
}

fn to_json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
