//! Resources by their schemes: `mode://`, `rules://` with `config://`, and `ui://` for clients that show views.

mod app;
mod base64;
mod mode;
mod rules;

use mk_engine::Error;
use mk_tools::Toolset;
use rmcp::ErrorData;
use rmcp::model::{
    ArgumentInfo, CompletionInfo, ReadResourceResult, Reference, Resource, ResourceContents,
    ResourceTemplate,
};

use crate::connection::Connection;
use crate::era::Era;
use crate::error;

pub(crate) use app::VIEW;

pub(crate) async fn list(connection: &Connection, era: Era) -> Vec<Resource> {
    let mut resources = mode::list(connection, era);
    if offers_rules(connection) {
        resources.extend(rules::list(connection, era).await);
    }
    resources.push(app::list());
    resources
}

pub(crate) fn templates(connection: &Connection) -> Vec<ResourceTemplate> {
    let mut templates = mode::templates();
    if offers_rules(connection) {
        templates.extend(rules::templates());
    }
    templates
}

pub(crate) async fn read(
    connection: &Connection,
    uri: &str,
    era: Era,
) -> Result<ReadResourceResult, ErrorData> {
    if uri.starts_with(mode::SCHEME) {
        mode::read(connection, uri, era)
    } else if offers_rules(connection)
        && rules::SCHEMES.iter().any(|scheme| uri.starts_with(scheme))
    {
        rules::read(connection, uri, era).await
    } else if uri.starts_with(app::SCHEME) {
        app::read(connection, uri, era)
    } else if has_scheme(uri) {
        Err(error::unknown_scheme(uri, era))
    } else {
        let invalid = Error::invalid("uri", format!("Invalid mode URI: {uri}"));
        Err(error::refused_resource(&invalid, era))
    }
}

/// What begins like what was typed, for the variables of the templates.
pub(crate) async fn complete(
    connection: &Connection,
    reference: &Reference,
    argument: &ArgumentInfo,
    era: Era,
) -> CompletionInfo {
    let known = match (reference, argument.name.as_str()) {
        (Reference::Resource(template), "slug") if template.uri.starts_with(mode::SCHEME) => {
            mode::slugs(connection, era)
        }
        (Reference::Resource(template), "name") if offers_rules(connection) => {
            rules::names(connection, &template.uri, era).await
        }
        (Reference::Prompt(prompt), "role")
            if prompt.name == "activate_agent" && offers_rules(connection) =>
        {
            rules::names(connection, rules::AGENT, era).await
        }
        _ => return CompletionInfo::default(),
    };
    let mut fitting: Vec<String> = known
        .into_iter()
        .filter(|name| name.starts_with(argument.value.as_str()))
        .collect();
    let total = u32::try_from(fitting.len()).unwrap_or(u32::MAX);
    fitting.truncate(CompletionInfo::MAX_VALUES);
    let mut info = CompletionInfo::default();
    info.has_more = Some(fitting.len() < total as usize);
    info.total = Some(total);
    info.values = fitting;
    info
}

fn offers_rules(connection: &Connection) -> bool {
    connection.server().offers(Toolset::Rules)
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

/// A resource that is no text.
fn bytes_of(uri: &str, mime: &str, bytes: &[u8]) -> ReadResourceResult {
    let contents = ResourceContents::BlobResourceContents {
        uri: uri.to_owned(),
        mime_type: Some(mime.to_owned()),
        blob: base64::encode(bytes),
        meta: None,
    };
    ReadResourceResult::new(vec![contents])
}

/// A resource that is one text.
fn text_of(uri: &str, mime: &str, text: String) -> ReadResourceResult {
    let contents = ResourceContents::TextResourceContents {
        uri: uri.to_owned(),
        mime_type: Some(mime.to_owned()),
        text,
        meta: None,
    };
    ReadResourceResult::new(vec![contents])
}
