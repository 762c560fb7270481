//! Tools for the team's rules, agents, skills and checklists.

mod analyze_task;
pub(crate) mod generate_checklist;
mod get_agent_details;
pub(crate) mod get_agent_system_prompt;
mod get_project_config;
mod get_skill;
mod list_skills;
pub(crate) mod parse_mode;
mod prepare_parallel_agents;
mod recommend_skills;
mod rules_for_files;
mod search_rules;
mod suggest_config_updates;

use crate::tool::Tool;

/// In the order in which they are listed.
pub(crate) static TOOLS: &[&Tool] = &[
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
