//! A line that calls a tool, read straight into its type.
//!
//! rmcp reads a line into a tree, tries each kind of message on it, and for a request each method in turn; for a call that
//! costs more than answering it. What is not exactly a call of the common form is left to rmcp, refusals included.

use std::fmt;
use std::marker::PhantomData;

use rmcp::model::{
    CallToolRequest, CallToolRequestMethod, CallToolRequestParams, ClientJsonRpcMessage,
    ClientRequest, JsonObject, JsonRpcVersion2_0, RequestId, RequestMetaObject,
};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// The whole line. A stray `result` or `error` makes it no request, so nothing else is allowed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallLine {
    #[serde(rename = "jsonrpc")]
    _version: JsonRpcVersion2_0,
    id: RequestId,
    #[serde(rename = "method")]
    _method: CallToolRequestMethod,
    params: Object<CallParams>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallParams {
    name: String,
    arguments: Option<JsonObject>,
    #[serde(rename = "_meta")]
    meta: Option<RequestMetaObject>,
}

/// What is written as an object: serde would also read its fields from an array.
struct Object<T>(T);

/// The call of a line; `None` if it is none, or another reader has to look at it.
pub(crate) fn read_call(line: &[u8]) -> Option<ClientJsonRpcMessage> {
    let Object(call): Object<CallLine> = serde_json::from_slice(line).ok()?;
    let Object(given) = call.params;
    let mut params = CallToolRequestParams::new(given.name);
    params.arguments = given.arguments;
    let mut request = CallToolRequest::new(params);
    if let Some(meta) = given.meta {
        request.extensions.insert(meta);
    }
    let request = ClientRequest::CallToolRequest(request);
    Some(ClientJsonRpcMessage::request(request, call.id))
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_map(ObjectVisitor(PhantomData))
            .map(Self)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}
