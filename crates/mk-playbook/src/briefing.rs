//! What choosing a mode of work, and who does it, looks at: made once from the files, and asked with every prompt.
//!
//! It reads nothing itself, and is made again when a file has changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use mk_prompt::{KeywordMode, Roster, mode_section};

use crate::agent::Agent;
use crate::checklist::{Checklist, ChecklistQuery, first_points};
use crate::rule::RulesFile;
use crate::rules_for_files::AppliedRule;
use crate::skill::Skill;
use crate::team::TeamRules;

/// What any of the modes of work has for rules; the first has a section for each.
pub(crate) const MODE_RULES: [&str; 3] = ["core.md", "project.md", "augmented-coding.md"];

/// The rules that belong to a mode of work, in the order to read them.
fn rules_of(mode: KeywordMode) -> &'static [&'static str] {
    match mode {
        KeywordMode::Plan | KeywordMode::Eval => &["core.md", "augmented-coding.md"],
        KeywordMode::Act | KeywordMode::Auto => &MODE_RULES,
    }
}

/// What a briefing is made from.
pub(crate) struct BriefingParts {
    pub(crate) agents: Vec<Arc<Agent>>,
    pub(crate) skills: Vec<Arc<Skill>>,
    pub(crate) checklists: Vec<Arc<Checklist>>,
    /// By the names of [`MODE_RULES`].
    pub(crate) mode_rules: [Option<Arc<RulesFile>>; MODE_RULES.len()],
    pub(crate) team: TeamRules,
}

/// What choosing a mode of work, and who does it, looks at.
#[derive(Debug)]
pub struct Briefing {
    pub roster: Roster,
    /// By id.
    pub agents: BTreeMap<String, Arc<Agent>>,
    /// By name; only those that a model may choose.
    skills: BTreeMap<String, Arc<Skill>>,
    rules: Vec<(&'static str, Arc<RulesFile>)>,
    /// What each mode needs of the core rules.
    sections: Vec<(KeywordMode, String)>,
    checklists: Vec<Arc<Checklist>>,
    team: TeamRules,
}

impl Briefing {
    pub(crate) fn new(parts: BriefingParts) -> Self {
        let BriefingParts {
            agents,
            skills,
            checklists,
            mode_rules,
            team,
        } = parts;
        let sections = mode_rules.first().and_then(Option::as_ref).map(|core| {
            let section = |mode| (mode, own_section(&core.text, mode));
            KeywordMode::ALL.into_iter().map(section).collect()
        });
        let open = skills.into_iter().filter(|skill| skill.model_may_invoke);
        let rules = MODE_RULES.into_iter().zip(mode_rules);
        Self {
            roster: Roster::new(agents.iter().map(|agent| agent.card()).collect()),
            agents: agents
                .into_iter()
                .map(|agent| (agent.id.clone(), agent))
                .collect(),
            skills: open.map(|skill| (skill.name.clone(), skill)).collect(),
            rules: rules
                .filter_map(|(name, rule)| Some((name, rule?)))
                .collect(),
            sections: sections.unwrap_or_default(),
            checklists,
            team,
        }
    }

    /// A skill that a model may choose.
    pub fn skill(&self, name: &str) -> Option<&Skill> {
        self.skills.get(name).map(AsRef::as_ref)
    }

    /// The texts of the most important points to check, of each domain in turn.
    pub fn checks(&self, query: &ChecklistQuery<'_>, most: usize) -> Vec<String> {
        first_points(&self.checklists, query, most)
    }

    /// The section of a mode in the core rules.
    pub fn section(&self, mode: KeywordMode) -> Option<&str> {
        let mut sections = self.sections.iter();
        let (_, section) = sections.find(|(of, _)| *of == mode)?;
        Some(section)
    }

    /// The rules of a mode of work, by their names.
    pub fn rules(&self, mode: KeywordMode) -> impl Iterator<Item = (&'static str, &RulesFile)> {
        let rules = self.rules.iter();
        rules
            .filter(move |(name, _)| rules_of(mode).contains(name))
            .map(|(name, rule)| (*name, &**rule))
    }

    /// What the team and the user have written for these files, or for the whole project; the nearest first.
    pub fn team_rules(&self, files: &[String], mode: &str, most: usize) -> Vec<AppliedRule> {
        self.team.applied(files, mode, most)
    }

    /// The rules for the technologies of these files, or of the project.
    pub fn stack_rules(&self, files: &[String]) -> Vec<&RulesFile> {
        self.team.of_stack(files)
    }
}

/// The mode's own section, without what holds for all modes.
fn own_section(core: &str, mode: KeywordMode) -> String {
    let section = mode_section(core, mode);
    let title = format!("### {} mode", mode.as_str()).to_lowercase();
    let start = section.to_ascii_lowercase().find(&title);
    let own = start.and_then(|start| section.get(start..));
    own.unwrap_or(&section).trim().to_owned()
}
