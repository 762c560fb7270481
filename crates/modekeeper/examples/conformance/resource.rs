//! Resources and the one resource template. Subscriptions are accepted; nothing here changes.

use rmcp::{
    ErrorData,
    model::{ReadResourceResponse, ReadResourceResult},
};
use serde_json::{Value, json};

use crate::{fixture::decode, tool::PNG};

/// A resource as `resources/list` shows it, and the content that `resources/read` adds.
struct Resource {
    uri: &'static str,
    mime_type: &'static str,
    /// The key of the content, `text` or `blob`, and its value.
    content: (&'static str, &'static str),
}

const RESOURCES: [Resource; 3] = [
    Resource {
        uri: "test://static-text",
        mime_type: "text/plain",
        content: ("text", "This is the content of the static text resource."),
    },
    Resource {
        uri: "test://static-binary",
        mime_type: "image/png",
        content: ("blob", PNG),
    },
    Resource {
        uri: "test://watched-resource",
        mime_type: "text/plain",
        content: ("text", "Watched resource content."),
    },
];

pub(crate) fn list() -> Value {
    let show = |it: &Resource| {
        let name = it.uri.trim_start_matches("test://");
        json!({ "uri": it.uri, "name": name, "description": format!("Fixture `{name}`"), "mimeType": it.mime_type })
    };
    RESOURCES.iter().map(show).collect()
}

pub(crate) fn templates() -> Value {
    json!([{
        "uriTemplate": "test://template/{id}/data",
        "name": "template",
        "description": "Repeats the id of its URI",
        "mimeType": "application/json",
    }])
}

pub(crate) fn read(uri: &str) -> Result<ReadResourceResponse, ErrorData> {
    let (mime_type, (key, value)) = if let Some(it) = RESOURCES.iter().find(|it| it.uri == uri) {
        (it.mime_type, (it.content.0, it.content.1.to_owned()))
    } else if let Some(id) = template_id(uri) {
        let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
        ("application/json", ("text", data.to_string()))
    } else {
        let data = json!({ "uri": uri });
        return Err(ErrorData::resource_not_found(
            "resource not found",
            Some(data),
        ));
    };
    let contents = json!([{ "uri": uri, "mimeType": mime_type, key: value }]);
    Ok(ReadResourceResult::new(decode(contents)?).into())
}

fn template_id(uri: &str) -> Option<&str> {
    let id = uri
        .strip_prefix("test://template/")?
        .strip_suffix("/data")?;
    (!id.is_empty() && !id.contains('/')).then_some(id)
}
