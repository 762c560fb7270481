//! The questions: what each sends, and what comes back in our words.

use std::collections::BTreeMap;
use std::sync::Arc;

use mk_project::read_text;
use mk_types::{AbsPath, Position, ProjectPath, Range};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::Servers;
use crate::ask::{AnswerReadiness, ServerQuestion, ServerReply};
use crate::edit::{ServerRenamePlan, WorkspaceEdit};
use crate::error::ServerError;
use crate::position::{Encoding, LineStarts, WireRange};
use crate::process::thread;
use crate::symbol::{self, FoundSymbol, OutlineSymbol};
use crate::uri::FileRef;

/// A larger file is not read for the sake of a column.
const LARGEST_FILE: u64 = 8 * 1024 * 1024;
/// The columns of places in more files than this are taken as they come.
const MOST_FILES: usize = 2_000;

/// A file of the project and its text as the caller read it.
#[derive(Debug, Clone)]
pub struct SourceDocument {
    pub path: ProjectPath,
    pub text: Arc<str>,
}

/// An answer, and which server gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributedAnswer<T> {
    pub server: String,
    pub value: T,
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileLocation {
    pub file: FileRef,
    pub range: Range,
}

/// What a server finds wrong in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerDiagnostic {
    pub range: Range,
    pub severity: ServerSeverity,
    pub message: String,
    /// The rule, as the server names it.
    pub code: Option<String>,
    /// The tool that found it.
    pub source: Option<String>,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ServerSeverity {
    Error,
    Warning,
    Information,
    Hint,
}

impl Servers {
    /// Where the thing at a place is defined; asked at a definition, some servers give the declaration.
    pub async fn definition(
        &self,
        document: &SourceDocument,
        position: Position,
    ) -> Result<AttributedAnswer<Vec<FileLocation>>, ServerError> {
        let method = "textDocument/definition";
        self.locations(method, document, position, json!({})).await
    }

    /// Every place that names the thing at a place, its declarations and its definition among them.
    ///
    /// Without them most servers would leave out imports too, which declare a name in their own file.
    pub async fn references(
        &self,
        document: &SourceDocument,
        position: Position,
    ) -> Result<AttributedAnswer<Vec<FileLocation>>, ServerError> {
        let method = "textDocument/references";
        let context = json!({"context": {"includeDeclaration": true}});
        self.locations(method, document, position, context).await
    }

    /// What implements the thing at a place.
    pub async fn implementations(
        &self,
        document: &SourceDocument,
        position: Position,
    ) -> Result<AttributedAnswer<Vec<FileLocation>>, ServerError> {
        let method = "textDocument/implementation";
        self.locations(method, document, position, json!({})).await
    }

    async fn locations(
        &self,
        method: &'static str,
        document: &SourceDocument,
        position: Position,
        more: Value,
    ) -> Result<AttributedAnswer<Vec<FileLocation>>, ServerError> {
        let question = at(method, document, position, more);
        let reply = self
            .ask_about(document, question, AnswerReadiness::Warm)
            .await?;
        let places: Option<OneOrMany<LocationOrLink>> = parse(&reply, method)?;
        let places = places.map(OneOrMany::into_vec).unwrap_or_default();
        let places = places.into_iter().map(LocationOrLink::target).collect();
        let value = self.resolve(Some(document), reply.encoding, places).await;
        Ok(AttributedAnswer {
            server: reply.server,
            value,
        })
    }

    /// What would have to change for another name; nothing is changed.
    pub async fn rename(
        &self,
        document: &SourceDocument,
        position: Position,
        new_name: &str,
    ) -> Result<AttributedAnswer<ServerRenamePlan>, ServerError> {
        let method = "textDocument/rename";
        let question = at(method, document, position, json!({"newName": new_name}));
        let reply = self
            .ask_about(document, question, AnswerReadiness::Warm)
            .await?;
        let edit: Option<WorkspaceEdit> = parse(&reply, method)?;
        let (root, known) = (self.root.clone(), document.clone());
        let encoding = reply.encoding;
        let plan = move || {
            let text = |file: &FileRef| text_of(file, &root, Some(&known));
            edit.unwrap_or_default().plan(&root, encoding, &text)
        };
        let plan = beside(plan).await.unwrap_or(Err("it was given up".into()));
        let server = reply.server;
        match plan {
            Ok(value) => Ok(AttributedAnswer { server, value }),
            Err(reason) => Err(ServerError::Unusable {
                server,
                method,
                reason,
            }),
        }
    }

    /// What is known about the thing at a place, as Markdown.
    pub async fn hover(
        &self,
        document: &SourceDocument,
        position: Position,
    ) -> Result<AttributedAnswer<Option<String>>, ServerError> {
        let method = "textDocument/hover";
        let question = at(method, document, position, json!({}));
        let reply = self
            .ask_about(document, question, AnswerReadiness::Warm)
            .await?;
        let hover: Option<WireHover> = parse(&reply, method)?;
        let parts = hover.map(|hover| hover.contents.into_vec());
        let parts = parts.into_iter().flatten().map(MarkedText::into_text);
        let text = parts.collect::<Vec<String>>().join("\n\n");
        Ok(AttributedAnswer {
            server: reply.server,
            value: Some(text).filter(|text| !text.trim().is_empty()),
        })
    }

    /// The symbols of a file, as they lie inside each other.
    pub async fn outline(
        &self,
        document: &SourceDocument,
    ) -> Result<AttributedAnswer<Vec<OutlineSymbol>>, ServerError> {
        let method = "textDocument/documentSymbol";
        let question = about(method);
        let reply = self
            .ask_about(document, question, AnswerReadiness::Initialized)
            .await?;
        let symbols: Option<Vec<symbol::WireSymbol>> = parse(&reply, method)?;
        let lines = LineStarts::new(&document.text);
        let symbols = symbols.unwrap_or_default().into_iter();
        let value = symbols.filter_map(|symbol| symbol.outline(&lines, reply.encoding));
        Ok(AttributedAnswer {
            server: reply.server,
            value: value.collect(),
        })
    }

    /// The symbols of a whole project whose name matches, as its language's server sees it.
    pub async fn symbols(
        &self,
        language: &str,
        query: &str,
    ) -> Result<AttributedAnswer<Vec<FoundSymbol>>, ServerError> {
        let method = "workspace/symbol";
        let params = json!({"query": query});
        let question = ServerQuestion::Request(method, Box::new(move |_| params.clone()));
        let language = self.language(language)?;
        let reply = self
            .ask(language, question, None, AnswerReadiness::Warm)
            .await?;
        let symbols: Option<Vec<symbol::WireSymbol>> = parse(&reply, method)?;
        let symbols = symbols.unwrap_or_default();
        let places = symbols.iter().map(symbol::WireSymbol::place).collect();
        let places = self.resolve(None, reply.encoding, places).await;
        let found = symbols.into_iter().zip(places);
        Ok(AttributedAnswer {
            server: reply.server,
            value: found.map(|(symbol, place)| symbol.found(place)).collect(),
        })
    }

    /// What the server finds wrong in a file, in the order of the text.
    pub async fn diagnostics(
        &self,
        document: &SourceDocument,
    ) -> Result<AttributedAnswer<Vec<ServerDiagnostic>>, ServerError> {
        let question = ServerQuestion::Diagnostics;
        let reply = self
            .ask_about(document, question, AnswerReadiness::Warm)
            .await?;
        let items: Option<DiagnosticReport> = parse(&reply, "textDocument/diagnostic")?;
        let lines = LineStarts::new(&document.text);
        let items = items
            .map(DiagnosticReport::items)
            .unwrap_or_default()
            .into_iter();
        let mut value: Vec<ServerDiagnostic> = items
            .map(|item| item.diagnostic(&lines, reply.encoding))
            .collect();
        value.sort_by_key(|diagnostic| (diagnostic.range, diagnostic.severity));
        Ok(AttributedAnswer {
            server: reply.server,
            value,
        })
    }

    /// Turns a server's places into ours; files are read for it, away from the caller's thread.
    async fn resolve(
        &self,
        known: Option<&SourceDocument>,
        encoding: Encoding,
        places: Vec<(String, WireRange)>,
    ) -> Vec<FileLocation> {
        let (root, known) = (self.root.clone(), known.cloned());
        let resolved = beside(move || {
            let mut by_file: BTreeMap<FileRef, Vec<usize>> = BTreeMap::new();
            let mut locations = Vec::with_capacity(places.len());
            for (index, (uri, range)) in places.iter().enumerate() {
                let file = FileRef::parse(uri, &root);
                by_file.entry(file.clone()).or_default().push(index);
                let range = range.unread();
                locations.push(FileLocation { file, range });
            }
            for (file, indices) in by_file.iter().take(MOST_FILES) {
                let Some(text) = text_of(file, &root, known.as_ref()) else {
                    continue;
                };
                let lines = LineStarts::new(&text);
                for index in indices {
                    if let (Some(location), Some((_, range))) =
                        (locations.get_mut(*index), places.get(*index))
                    {
                        location.range = lines.range(*range, encoding);
                    }
                }
            }
            locations
        });
        resolved.await.unwrap_or_default()
    }
}

/// Runs work that reads files on a thread of its own: it may take a while, and no runtime should wait.
async fn beside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, result) = oneshot::channel();
    thread("places")
        .spawn(move || drop(sender.send(work())))
        .ok()?;
    result.await.ok()
}

/// The text of a file that a server speaks of; `known` is not read again.
fn text_of(file: &FileRef, root: &AbsPath, known: Option<&SourceDocument>) -> Option<Arc<str>> {
    let known = known.filter(|known| *file == FileRef::Inside(known.path.clone()));
    if let Some(known) = known {
        return Some(Arc::clone(&known.text));
    }
    let text = read_text(&file.on_disk(root)?, LARGEST_FILE)
        .ok()
        .flatten()?;
    Some(text.into())
}

/// A question about a document.
fn about(method: &'static str) -> ServerQuestion {
    ServerQuestion::Request(method, Box::new(|_| json!({})))
}

/// A question about a place in a document.
fn at(
    method: &'static str,
    document: &SourceDocument,
    position: Position,
    more: Value,
) -> ServerQuestion {
    let text = Arc::clone(&document.text);
    let params = move |encoding| {
        let position = LineStarts::new(&text).to_wire(position, encoding);
        let mut params = more.clone();
        if let Value::Object(params) = &mut params {
            params.insert("position".to_owned(), json!(position));
        }
        params
    };
    ServerQuestion::Request(method, Box::new(params))
}

fn parse<T: DeserializeOwned>(
    reply: &ServerReply,
    method: &'static str,
) -> Result<Option<T>, ServerError> {
    serde_json::from_str(reply.result.get()).map_err(|error| ServerError::Unusable {
        server: reply.server.clone(),
        method,
        reason: error.to_string(),
    })
}

/// Servers answer with one thing where they have only one.
#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany<T> {
    Many(Vec<T>),
    One(T),
}

impl<T> OneOrMany<T> {
    fn into_vec(self) -> Vec<T> {
        match self {
            Self::Many(many) => many,
            Self::One(one) => vec![one],
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum LocationOrLink {
    #[serde(rename_all = "camelCase")]
    Link {
        target_uri: String,
        target_selection_range: WireRange,
    },
    Place {
        uri: String,
        range: WireRange,
    },
}

impl LocationOrLink {
    fn target(self) -> (String, WireRange) {
        match self {
            Self::Link {
                target_uri,
                target_selection_range,
            } => (target_uri, target_selection_range),
            Self::Place { uri, range } => (uri, range),
        }
    }
}

#[derive(Deserialize)]
struct WireHover {
    contents: OneOrMany<MarkedText>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum MarkedText {
    Text(String),
    Code { language: String, value: String },
    Markup { value: String },
}

impl MarkedText {
    fn into_text(self) -> String {
        match self {
            Self::Text(text) | Self::Markup { value: text } => text,
            Self::Code { language, value } => format!("```{language}\n{value}\n```"),
        }
    }
}

/// What was asked for has its items inside a report; what was published is the items.
#[derive(Deserialize)]
#[serde(untagged)]
enum DiagnosticReport {
    Published(Vec<WireDiagnostic>),
    Pulled {
        #[serde(default)]
        items: Vec<WireDiagnostic>,
    },
}

impl DiagnosticReport {
    fn items(self) -> Vec<WireDiagnostic> {
        match self {
            Self::Published(items) | Self::Pulled { items } => items,
        }
    }
}

#[derive(Deserialize)]
struct WireDiagnostic {
    range: WireRange,
    severity: Option<u8>,
    #[serde(default)]
    message: Value,
    code: Option<Value>,
    source: Option<String>,
}

impl WireDiagnostic {
    fn diagnostic(self, lines: &LineStarts<'_>, encoding: Encoding) -> ServerDiagnostic {
        let plain = |value: Value| match value {
            Value::String(text) => text,
            // Newer servers may send Markdown here.
            Value::Object(mut markup) => match markup.remove("value") {
                Some(Value::String(text)) => text,
                _ => String::new(),
            },
            other => other.to_string(),
        };
        ServerDiagnostic {
            range: lines.range(self.range, encoding),
            severity: match self.severity {
                None | Some(1) => ServerSeverity::Error,
                Some(2) => ServerSeverity::Warning,
                Some(3) => ServerSeverity::Information,
                Some(_) => ServerSeverity::Hint,
            },
            message: plain(self.message),
            code: self.code.map(plain),
            source: self.source,
        }
    }
}
