//! `mode://` resources: every mode in full, as configured, and as a system prompt.

use mk_engine::Error;
use mk_policy::Mode;
use mk_tools::{ModeConfig, ModeInfo};
use rmcp::ErrorData;
use rmcp::model::{
    ArgumentInfo, CompletionInfo, ReadResourceResult, Reference, Resource, ResourceContents,
    ResourceTemplate,
};

use crate::connection::Connection;
use crate::era::Era;
use crate::error;

const SCHEME: &str = "mode://";
const JSON: &str = "application/json";
const TEXT: &str = "text/plain";

pub(crate) fn list(connection: &Connection, era: Era) -> Vec<Resource> {
    let catalogue = connection.engine().catalogue(&connection.caller(era));
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

pub(crate) fn templates() -> Vec<ResourceTemplate> {
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

pub(crate) fn read(
    connection: &Connection,
    uri: &str,
    era: Era,
) -> Result<ReadResourceResult, ErrorData> {
    let refused = |refusal: &Error| error::refused_resource(refusal, era);
    let Some(path) = uri.strip_prefix(SCHEME) else {
        return Err(if has_scheme(uri) {
            error::unknown_scheme(uri, era)
        } else {
            refused(&Error::invalid("uri", format!("Invalid mode URI: {uri}")))
        });
    };
    let (slug, part) = match path.split_once('/') {
        Some((slug, part)) => (slug, Some(part)),
        None => (path, None),
    };
    let caller = connection.caller(era);
    let mode = connection
        .engine()
        .mode(&caller, "uri", slug)
        .map_err(|refusal| refused(&refusal))?;
    let (text, mime) = match part {
        None | Some("") => (to_json(&ModeInfo::from(&*mode)), JSON),
        Some("config") => (to_json(&ModeConfig::from(&*mode)), JSON),
        Some("system_prompt") => {
            let prompt = connection
                .engine()
                .system_prompt(&caller.project, &mode.slug);
            (prompt.map_err(|refusal| refused(&refusal))?, TEXT)
        }
        Some(part) => {
            let message = format!("Unknown subresource: {part}. Known: config, system_prompt");
            return Err(refused(&Error::invalid("uri", message)));
        }
    };
    let contents = ResourceContents::TextResourceContents {
        uri: uri.to_owned(),
        mime_type: Some(mime.to_owned()),
        text,
        meta: None,
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

/// Slugs that begin like what was typed, for the `{slug}` of the templates.
pub(crate) fn complete(
    connection: &Connection,
    reference: &Reference,
    argument: &ArgumentInfo,
    era: Era,
) -> CompletionInfo {
    let ours =
        matches!(reference, Reference::Resource(template) if template.uri.starts_with(SCHEME));
    if !ours || argument.name != "slug" {
        return CompletionInfo::default();
    }
    let catalogue = connection.engine().catalogue(&connection.caller(era));
    let slugs = catalogue.visible().map(|mode| mode.slug.as_str());
    let mut fitting: Vec<String> = slugs
        .filter(|slug| slug.starts_with(argument.value.as_str()))
        .map(str::to_owned)
        .collect();
    let total = u32::try_from(fitting.len()).unwrap_or(u32::MAX);
    fitting.truncate(CompletionInfo::MAX_VALUES);
    let mut info = CompletionInfo::default();
    info.has_more = Some(fitting.len() < total as usize);
    info.total = Some(total);
    info.values = fitting;
    info
}

/// RFC 3986: a letter, then letters, digits, `+`, `-`, `.`, up to the colon.
fn has_scheme(uri: &str) -> bool {
    uri.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter))
    })
}

fn to_json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
