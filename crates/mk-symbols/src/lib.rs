//! A project's symbols: an index of all files at once, and language servers where exactness matters.

mod definition;
mod edit;
mod embedded;
mod error;
mod extract;
mod find;
mod identifier;
mod index;
mod kind;
mod language;
mod located;
mod map;
mod mask;
mod outline;
mod parallel;
mod parse;
mod reference;
mod structure;
mod symbol;

pub use definition::{DefinitionTarget, SymbolDefinition, SymbolMember};
pub use edit::{
    EditedText, SymbolEdit, SyntaxFault, SyntaxProblems, plan_edit, syntax_errors, syntax_problems,
};
pub use error::Error;
pub use find::{AnswerSource, Closeness, IndexAnswer, IndexQuery, Matching, SymbolHit, is_test};
pub use identifier::{check_name, check_renamable, last_name};
pub use index::{IndexState, IndexingProgress, SkippedFile, SweptFiles, SymbolIndex};
pub use kind::SymbolKind;
pub use language::Language;
pub use located::{ReportedSymbol, hits_beside, name_position, references_at};
pub use map::RepositoryMap;
pub use outline::Outline;
pub use parse::SkipReason;
pub use reference::{FileRename, NamePlace, NameRenamePlan, Reference};
pub use structure::{StructureEdit, StructurePlan, StructureQuery, replace_structure};
pub use symbol::{LineSpan, Symbol};

#[cfg(test)]
mod tests;
