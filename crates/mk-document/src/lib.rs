//! Files that people write, as trees in which every value knows its place, and what is wrong with them.
//!
//! YAML, JSON with comments, literals of JavaScript, and the heads of Markdown files. Only the syntax: what the keys
//! mean, and which files there are, is for others to know.

mod diagnostic;
mod front_matter;
mod literal;
mod node;
mod report;

pub use diagnostic::{Diagnostic, DiagnosticSubject, DocumentPosition, Severity};
pub use front_matter::{MarkdownDocument, read_document};
pub use literal::{LiteralFault, dangerous_key, read_json, read_script, to_json};
pub use node::{DocumentNode, Located, YamlError};
pub use report::DocumentReport;
