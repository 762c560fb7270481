//! Every tool of ours, defined once: name, arguments, output, group, what it does. Faces list and run them.
//!
//! One file a tool, named like the tool, in the directory of its toolset. Knows no JSON-RPC and no transport.

mod commands;
mod files;
mod limit;
mod memory;
mod modes;
mod project;
mod refusal;
mod rules;
mod schema;
mod serena;
mod symbols;
mod tool;

#[cfg(test)]
mod tests;

pub use limit::{CallAllowance, Limiter};
use mk_policy::Group;
pub use modes::mode_info::{ModeConfig, ModeInfo};
pub use refusal::{RefusalCode, refusal_details, refusal_hint};
pub use tool::{Context, ParsedCall, Tool, ToolAnswer, ToolEffect, ToolReply, Toolset};

/// All tools, in the order in which they are listed.
pub fn all() -> impl Iterator<Item = &'static Tool> {
    let toolsets = [
        modes::TOOLS,
        files::TOOLS,
        symbols::TOOLS,
        memory::TOOLS,
        project::TOOLS,
        rules::TOOLS,
        commands::TOOLS,
    ];
    toolsets.into_iter().flatten().copied()
}

/// The tool of that name, Serena's names included.
pub fn find(name: &str) -> Option<&'static Tool> {
    let own = all().find(|tool| tool.name == name);
    own.or_else(|| serena::tools().iter().find(|tool| tool.name == name))
}

/// The tools that are listed where only some toolsets are offered.
pub fn listed(offers: impl Fn(Toolset) -> bool) -> Vec<&'static Tool> {
    let mut listed: Vec<&Tool> = all().filter(|tool| offers(tool.toolset)).collect();
    if offers(Toolset::Serena) {
        let own: Vec<&str> = listed.iter().map(|tool| tool.name).collect();
        let is_more = |tool: &&Tool| !own.contains(&tool.name);
        listed.extend(serena::tools().iter().filter(is_more));
    }
    listed
}

/// The tool of that name, if it is offered. Serena's names work wherever what they lead to does.
pub fn offered(name: &str, offers: impl Fn(Toolset) -> bool) -> Option<&'static Tool> {
    let is_own = |tool: &&Tool| tool.name == name && offers(tool.toolset);
    let is_foreign = |tool: &&'static Tool| {
        tool.name == name && (offers(Toolset::Serena) || offers(tool.target().toolset))
    };
    let own = all().find(is_own);
    own.or_else(|| serena::tools().iter().find(is_foreign))
}

/// What the policy has to know: it denies what it does not.
pub fn own_tools() -> mk_engine::OwnTools {
    let foreign = serena::names().map(|(name, target)| mk_engine::OwnTool {
        name,
        paths: &[serena::PATH],
        ..own(target)
    });
    all().map(own).chain(foreign).collect()
}

fn own(tool: &Tool) -> mk_engine::OwnTool {
    mk_engine::OwnTool {
        name: tool.name,
        group: tool.group,
        paths: tool.paths,
        patches: &[],
        commands: match tool.group {
            Some(Group::Command) => &["command"],
            _ => &[],
        },
        directories: match tool.group {
            Some(Group::Command) => &["directory"],
            _ => &[],
        },
        reach: match (tool.toolset, tool.group) {
            (Toolset::Files, _) | (Toolset::Symbols, Some(Group::Edit)) => {
                mk_policy::ToolReach::Files
            }
            // What is asked of all files at once leaves out those that the mode hides.
            _ => mk_policy::ToolReach::NoFiles,
        },
    }
}
