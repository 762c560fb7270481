//! Rules, agents, skills and checklists in layers (embedded, the user's, the project's): reading, searching, choosing.
//!
//! Files that people write never fail as a whole: what is valid counts, what is not is a diagnostic. Knows no protocol
//! and no sessions, reads no environment, writes nothing.

mod agent;
mod analyze;
mod applies;
mod checklist;
mod config;
mod detect;
mod discover;
mod embedded;
mod entry;
mod error;
mod eval;
mod glob;
mod keyword;
mod library;
mod lint;
mod markdown;
mod place;
mod playbook;
mod prompt;
mod recommend;
mod rule;
mod search;
mod skill;
mod suggest;
mod text;

pub use agent::{Agent, AgentKind, PreferredModel};
pub use analyze::{
    Advice, Analysis, Complexity, Intent, Phase, Risk, RiskLevel, TaskCategory, analyze_task,
};
pub use applies::{AppliedRule, Reason};
pub use checklist::{
    Category, Checklist, ChecklistItem, ChecklistQuery, DomainChecklist, GeneratedChecklists,
    MatchedTrigger, Priority, Summary, TriggerReason,
};
pub use config::Config;
pub use detect::{Stack, detect};
pub use discover::{Sources, UserFolders};
pub use error::Error;
pub use eval::{Score, Scores, Share, evaluate};
pub use glob::Glob;
pub use keyword::{
    AgentCard, AgentChoice, AgentSource, KeywordMode, ModeConfig, ModeRequest, ModelSource,
    ModelWishes, ParsedMode, ResolvedModel, Roster, language_instruction, mode_section, parse_mode,
    resolve_model,
};
pub use lint::lint;
pub use markdown::Section;
pub use place::Layer;
pub use playbook::{Briefing, Needs, Playbook, Resource, ResourceInfo};
pub use prompt::{AgentTask, PreparedAgent, PreparedAgents, WorkMode};
pub use recommend::{
    Candidate, Confidence, EVIDENCE, Evidence, FeatureRow, Features, Mass, Model, ModelParts, NONE,
    Recommendation, Recommender, fused, softmax,
};
pub use rule::{Activation, Rule};
pub use search::{FileMatch, LineMatch, SearchLimits, SearchResult};
pub use skill::Skill;
pub use suggest::{Importance, Suggestion, first_config};
pub use text::{ConceptKind, ConceptName, Language, PhraseRow, Vocabulary};

#[cfg(test)]
mod tests;
