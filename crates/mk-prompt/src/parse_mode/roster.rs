//! The agents that there are: their names in every form people write them, and the files they are made for.
//!
//! Reading agents from files and layering them happens elsewhere; a roster is made again when they change.

use std::sync::OnceLock;

use globset::{GlobSet, GlobSetBuilder};

use super::explicit::other_names;
use crate::recommend_skills::{Model, OverlapIndex, Words};
use crate::text::{
    PhraseHit, PhraseIndex, PhraseLanguage, PhraseRow, PromptText, Vocabulary, fold,
};

/// What an agent is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AgentKind {
    /// Does the work.
    #[default]
    Primary,
    /// Is asked as well.
    Specialist,
    /// Stands for a mode, and is never chosen for work.
    Utility,
}

/// What choosing an agent needs to know of one.
#[derive(Debug, Clone, Default)]
pub struct AgentCard {
    /// As in `frontend-developer`.
    pub id: String,
    /// As in `Frontend Developer`.
    pub name: String,
    /// What it says of itself.
    pub description: String,
    pub kind: AgentKind,
    /// Globs of the files it is made for; one behind `!` takes files away. Unreadable ones match nothing.
    pub patterns: Vec<String>,
    /// The model it prefers.
    pub model: Option<String>,
}

/// All agents of a project. Its tables are made when they are first needed.
#[derive(Debug, Default)]
pub struct Roster {
    agents: Vec<AgentCard>,
    names: OnceLock<PhraseIndex<'static>>,
    files: OnceLock<FilePatterns>,
    /// The words of agents that no table knows, and their places.
    words: OnceLock<(OverlapIndex, Vec<usize>)>,
}

#[derive(Debug, Default)]
struct FilePatterns {
    globs: GlobSet,
    owners: Vec<PatternOwner>,
}

/// Whose glob it is, and what it says of a file.
#[derive(Debug, Clone, Copy)]
struct PatternOwner {
    agent: usize,
    takes_away: bool,
}

impl Roster {
    pub fn new(agents: Vec<AgentCard>) -> Self {
        Self {
            agents,
            names: OnceLock::new(),
            files: OnceLock::new(),
            words: OnceLock::new(),
        }
    }

    pub fn agents(&self) -> &[AgentCard] {
        &self.agents
    }

    /// The agent that is called so, by its id or its name in any case.
    pub fn find(&self, name: &str) -> Option<&AgentCard> {
        let exact = self.agents.iter().find(|agent| agent.id == name);
        exact.or_else(|| {
            let name = fold(name);
            self.agents
                .iter()
                .find(|agent| fold(&agent.id) == name || fold(&agent.name) == name)
        })
    }

    /// Where a text names agents.
    pub(super) fn mentions(&self, text: &PromptText<'_>) -> Vec<(&AgentCard, PhraseHit)> {
        let names = self.names.get_or_init(|| self.index_names());
        names
            .find(text)
            .into_iter()
            .filter_map(|hit| Some((self.agents.get(usize::from(hit.id))?, hit)))
            .collect()
    }

    fn index_names(&self) -> PhraseIndex<'static> {
        let rows = self.agents.iter().enumerate().flat_map(|(at, agent)| {
            let id = u16::try_from(at).unwrap_or(u16::MAX);
            let own = [agent.id.as_str(), agent.name.as_str()].map(|phrase| PhraseRow {
                phrase,
                // A name has no other forms.
                language: PhraseLanguage::Ko,
                id,
                weight: 1,
            });
            let others = other_names(&agent.id);
            own.into_iter()
                .chain(others.into_iter().flat_map(move |names| names.rows(at, 1)))
        });
        PhraseIndex::new(rows)
    }

    /// The agents, of those that `is_own` picks, whose description fits a text, with a probability. Which are picked must
    /// not change over the roster's life.
    pub(super) fn described_by(
        &self,
        text: &str,
        is_own: impl Fn(&AgentCard) -> bool,
    ) -> Vec<(&AgentCard, f32)> {
        let (index, places) = self.words.get_or_init(|| {
            let own = self.agents.iter().enumerate();
            let own: Vec<usize> = own
                .filter(|(_, agent)| is_own(agent))
                .map(|(place, _)| place)
                .collect();
            let words = own
                .iter()
                .filter_map(|place| self.agents.get(*place))
                .map(|agent| Words {
                    name: &agent.name,
                    description: &agent.description,
                    headings: &[],
                });
            (OverlapIndex::new(words, Model::shipped()), own)
        });
        if places.is_empty() {
            return Vec::new();
        }
        let reading = Vocabulary::shipped().read_prompt(text);
        index
            .find(&reading, Model::shipped())
            .into_iter()
            .filter_map(|found| {
                let agent = self.agents.get(*places.get(found.skill)?)?;
                Some((agent, found.score))
            })
            .collect()
    }

    /// The specialists that are made for any of the files, in the roster's order.
    pub(super) fn specialists_for(&self, files: &[&str]) -> Vec<&str> {
        if files.is_empty() {
            return Vec::new();
        }
        let mut found: Vec<usize> = files.iter().flat_map(|file| self.made_for(file)).collect();
        found.sort_unstable();
        found.dedup();
        found
            .into_iter()
            .filter_map(|place| self.agents.get(place))
            .filter(|agent| agent.kind == AgentKind::Specialist)
            .map(|agent| agent.id.as_str())
            .collect()
    }

    /// The places of the agents that are made for a file, each once.
    pub(super) fn made_for(&self, path: &str) -> Vec<usize> {
        let path = path.trim_start_matches("./").trim_start_matches('/');
        let FilePatterns { globs, owners } = self.files.get_or_init(|| self.compile_patterns());
        let matches = globs.matches(path).into_iter();
        let hits: Vec<PatternOwner> = matches
            .filter_map(|glob| owners.get(glob).copied())
            .collect();
        let is_taken = |agent: usize| hits.iter().any(|it| it.takes_away && it.agent == agent);
        let mut agents: Vec<usize> = hits
            .iter()
            .filter(|it| !it.takes_away && !is_taken(it.agent))
            .map(|it| it.agent)
            .collect();
        // Globs are in the agents' order, and so are their matches.
        agents.dedup();
        agents
    }

    fn compile_patterns(&self) -> FilePatterns {
        let mut globs = GlobSetBuilder::new();
        let mut owners = Vec::new();
        for (agent, card) in self.agents.iter().enumerate() {
            for pattern in &card.patterns {
                let (takes_away, pattern) = match pattern.strip_prefix('!') {
                    Some(pattern) => (true, pattern),
                    None => (false, pattern.as_str()),
                };
                if let Ok(glob) = mk_types::path_glob(pattern) {
                    globs.add(glob);
                    owners.push(PatternOwner { agent, takes_away });
                }
            }
        }
        match globs.build() {
            Ok(globs) => FilePatterns { globs, owners },
            // Too large together: files then say nothing about agents.
            Err(_) => FilePatterns::default(),
        }
    }
}
