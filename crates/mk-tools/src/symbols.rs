//! Tools that know what the code defines and where it is used.

mod edit_symbol;
mod find_implementations;
mod find_references;
mod find_symbols;
pub(crate) mod get_diagnostics;
mod get_repository_map;
mod get_symbol_definition;
mod get_symbols_overview;
pub(crate) mod indexed;
mod outline;
mod places;
mod replace_structure;

use crate::tool::Tool;

/// In the order in which they are listed.
pub(crate) static TOOLS: &[&Tool] = &[
    &find_symbols::TOOL,
    &get_symbol_definition::TOOL,
    &get_symbols_overview::TOOL,
    &find_references::TOOL,
    &find_implementations::TOOL,
    &get_diagnostics::TOOL,
    &edit_symbol::TOOL,
    &replace_structure::TOOL,
    &get_repository_map::TOOL,
];
