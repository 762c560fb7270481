//! Every tool of ours, defined once: name, arguments, output, group, what it does. Faces list and run them.
//!
//! One file a tool, named like the tool, in the directory of its toolset. Knows no JSON-RPC and no transport.

mod files;
mod limit;
mod memory;
mod modes;
mod project;
mod rules;
mod schema;
mod symbols;
mod tool;

#[cfg(test)]
mod tests;

pub use limit::{Allowance, Limiter};
use mk_policy::Group;
pub use modes::mode_info::{ModeConfig, ModeInfo};
pub use tool::{Answer, Context, Effect, ParsedCall, Reply, Tool, Toolset};

/// All tools, in the order in which they are listed.
pub fn all() -> impl Iterator<Item = &'static Tool> {
    let toolsets = [
        modes::TOOLS,
        files::TOOLS,
        symbols::TOOLS,
        memory::TOOLS,
        project::TOOLS,
        rules::TOOLS,
    ];
    toolsets.into_iter().flatten().copied()
}

/// The tool of that name.
pub fn find(name: &str) -> Option<&'static Tool> {
    all().find(|tool| tool.name == name)
}

/// What the policy has to know: it denies what it does not.
pub fn own_tools() -> mk_engine::OwnTools {
    let own = |tool: &Tool| mk_engine::OwnTool {
        name: tool.name,
        group: tool.group,
        paths: tool.paths,
        patches: &[],
        commands: &[],
        reach: match (tool.toolset, tool.group) {
            (Toolset::Files, _) | (Toolset::Symbols, Some(Group::Edit)) => mk_policy::Reach::Files,
            // What is asked of all files at once leaves out those that the mode hides.
            _ => mk_policy::Reach::NoFiles,
        },
    };
    all().map(own).collect()
}
