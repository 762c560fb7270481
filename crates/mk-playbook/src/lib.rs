//! Rules, agents, skills and checklists in layers (embedded, the user's, the project's): reading, searching, choosing.
//!
//! Files that people write never fail as a whole: what is valid counts, what is not is a diagnostic. Knows no protocol
//! and no sessions, reads no environment, writes nothing.

mod agent;
mod briefing;
mod bundle;
mod checklist;
mod config;
mod detect;
mod discover;
mod embedded;
mod entry;
mod error;
mod eval;
mod glob;
mod import;
mod library;
mod lint;
mod markdown;
mod place;
mod playbook;
mod prompt;
mod resource;
mod review;
mod rule;
mod rules_for_files;
mod search;
mod skill;
mod suggest;
mod team;

pub use agent::{Agent, PreferredModel};
pub use briefing::Briefing;
pub use bundle::BundledFile;
pub use checklist::{
    Checklist, ChecklistCategory, ChecklistItem, ChecklistQuery, DomainChecklist,
    GeneratedChecklists, MatchedTrigger, Priority, Summary, TriggerReason,
};
pub use config::PlaybookConfig;
pub use detect::{Stack, detect};
pub use discover::{Sources, UserFolders};
pub use embedded::shipped_skills;
pub use error::Error;
pub use eval::{EvalScores, Score, Share, evaluate};
pub use glob::PathGlob;
pub use lint::lint;
pub use markdown::Section;
pub use mk_prompt::{
    Advice, AgentChoice, Confidence, KeywordMode, ModeRequest, ModelWishes, ParsedMode, Phase,
    Recommendation, ResolvedModel, TaskAnalysis, analyze_reading, analyze_task, parse_mode,
    resolve_model,
};
pub use place::ContentLayer;
pub use playbook::{Playbook, QuestionNeeds, ResourceInfo, SkillFiles};
pub use prompt::{AgentTask, PreparedAgent, PreparedAgents, WorkMode};
pub use resource::{Resource, ResourceBody};
pub use review::ContextShare;
pub use rule::{Activation, RulesFile};
pub use rules_for_files::{AppliedRule, Reason};
pub use search::{FileMatch, LineMatch, RuleSearchResult, SearchLimits};
pub use skill::Skill;
pub use suggest::{Importance, Suggestion, first_config};

#[cfg(test)]
mod tests;
