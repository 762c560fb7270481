//! What a prompt asks for: its words in any script, the keyword that opens it, what the task risks, which skills fit.
//!
//! Pure: it takes texts and answers with values. It reads no file and does not know where agents and skills come from;
//! its own tables are content that is embedded at build time.

mod analyze_task;
mod parse_mode;
mod reading;
mod recommend_skills;
mod segment;
mod text;

pub use analyze_task::{
    Advice, Complexity, Intent, Phase, Risk, RiskLevel, TaskAnalysis, TaskCategory,
    analyze_reading, analyze_task,
};
pub use parse_mode::{
    AgentCard, AgentChoice, AgentKind, AgentSource, KeywordMode, ModeRequest, ModelSource,
    ModelWishes, ParsedMode, PromptConfig, ResolvedModel, Roster, language_instruction,
    mode_section, parse_mode, resolve_model,
};
pub use reading::PromptReading;
pub use recommend_skills::{
    ClassEvidence, Confidence, EVIDENCE, FeatureRow, Features, Mass, Model, ModelParts, NONE,
    Recommendation, Recommender, SkillCandidate, fused, softmax,
};
pub use text::{ConceptKind, ConceptName, PhraseLanguage, PhraseRow, Vocabulary};

#[cfg(test)]
mod tests;
