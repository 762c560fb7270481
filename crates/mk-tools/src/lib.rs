//! Every tool of ours, defined once: name, arguments, output, group, what it does. Faces list and run them.
//!
//! One module a tool, named like the tool. Knows no JSON-RPC and no transport.

mod activate_project;
mod analyze_task;
mod complete_task;
mod create_task;
mod delete_file;
mod delete_memory;
mod edit_memory;
mod edit_symbol;
mod find_files;
mod find_implementations;
mod find_references;
mod find_symbols;
mod generate_checklist;
mod get_agent_details;
mod get_agent_system_prompt;
mod get_diagnostics;
mod get_mode_info;
mod get_onboarding;
mod get_project_config;
mod get_project_info;
mod get_repository_map;
mod get_skill;
mod get_symbol_definition;
mod get_symbols_overview;
mod get_task_info;
mod indexed;
mod limit;
mod list_dir;
mod list_memories;
mod list_modes;
mod list_skills;
mod mode_info;
mod move_file;
mod parse_mode;
mod places;
mod prepare_parallel_agents;
mod read_file;
mod read_memory;
mod recommend_skills;
mod rename_memory;
mod replace_content;
mod replace_in_files;
mod rules_for_files;
mod schema;
mod search_for_pattern;
mod search_rules;
mod suggest_config_updates;
mod switch_mode;
mod tool;
mod validate_tool_use;
mod write_file;
mod write_memory;
mod written;

#[cfg(test)]
mod tests;

pub use limit::{Allowance, Limiter};
use mk_policy::Group;
pub use mode_info::{ModeConfig, ModeInfo};
pub use tool::{Answer, Context, Family, Hints, Reply, Tool};

/// All tools, in the order in which they are listed.
pub static TOOLS: [&Tool; 46] = [
    &list_modes::TOOL,
    &get_mode_info::TOOL,
    &create_task::TOOL,
    &switch_mode::TOOL,
    &get_task_info::TOOL,
    &validate_tool_use::TOOL,
    &complete_task::TOOL,
    &read_file::TOOL,
    &write_file::TOOL,
    &find_files::TOOL,
    &list_dir::TOOL,
    &search_for_pattern::TOOL,
    &replace_content::TOOL,
    &replace_in_files::TOOL,
    &delete_file::TOOL,
    &move_file::TOOL,
    &find_symbols::TOOL,
    &get_symbol_definition::TOOL,
    &get_symbols_overview::TOOL,
    &find_references::TOOL,
    &find_implementations::TOOL,
    &get_diagnostics::TOOL,
    &edit_symbol::TOOL,
    &get_repository_map::TOOL,
    &read_memory::TOOL,
    &write_memory::TOOL,
    &list_memories::TOOL,
    &edit_memory::TOOL,
    &rename_memory::TOOL,
    &delete_memory::TOOL,
    &activate_project::TOOL,
    &get_project_info::TOOL,
    &get_onboarding::TOOL,
    &parse_mode::TOOL,
    &analyze_task::TOOL,
    &search_rules::TOOL,
    &get_agent_details::TOOL,
    &get_project_config::TOOL,
    &suggest_config_updates::TOOL,
    &recommend_skills::TOOL,
    &list_skills::TOOL,
    &get_skill::TOOL,
    &get_agent_system_prompt::TOOL,
    &prepare_parallel_agents::TOOL,
    &generate_checklist::TOOL,
    &rules_for_files::TOOL,
];

/// The tool of that name.
pub fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.into_iter().find(|tool| tool.name == name)
}

/// What the policy has to know: it denies what it does not.
pub fn own_tools() -> mk_engine::OwnTools {
    let own = |tool: &Tool| mk_engine::OwnTool {
        name: tool.name,
        group: tool.group,
        paths: tool.paths,
        patches: &[],
        commands: &[],
        reach: match (tool.family, tool.group) {
            (Family::Files, _) | (Family::Symbols, Some(Group::Edit)) => mk_policy::Reach::Files,
            // What is asked of all files at once leaves out those that the mode hides.
            _ => mk_policy::Reach::NoFiles,
        },
    };
    TOOLS.into_iter().map(own).collect()
}
