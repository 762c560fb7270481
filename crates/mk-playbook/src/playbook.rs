//! The one thing that callers hold: a playbook of one project, in layers.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use mk_document::Diagnostic;
use mk_prompt::{PromptReading, Recommendation, Recommender};
use mk_types::lock;
use serde_json::{Value, json};

use crate::agent::Agent;
use crate::briefing::{Briefing, BriefingParts, MODE_RULES};
use crate::bundle::{BundledFile, bundled, read_bundled};
use crate::checklist::{Checklist, ChecklistQuery, GeneratedChecklists, generate};
use crate::config::{ConfigCache, PlaybookConfig};
use crate::detect::detect;
use crate::discover::Sources;
use crate::entry::ContentEntry;
use crate::error::Error;
use crate::library::Library;
use crate::place::ContentKind;
use crate::prompt::{AgentTask, PreparedAgent, PreparedAgents, prepare, prepare_all};
use crate::resource::{Resource, ResourceBody};
use crate::review::{ContextShare, context_shares, review};
use crate::rule::RulesFile;
use crate::rules_for_files::{AppliedRule, rules_for_files};
use crate::search::{RuleSearchResult, SearchLimits, Searcher};
use crate::skill::Skill;
use crate::suggest::{Suggestion, suggest};
use crate::team::TeamRules;

/// Where a skill is, and what comes with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFiles {
    /// The `SKILL.md` on disk; `None` for a skill that ships.
    pub path: Option<PathBuf>,
    pub uri: String,
    /// The address that the files' paths are below.
    pub folder_uri: String,
    pub files: Vec<BundledFile>,
}

/// The address of the list of all skills.
const SKILL_INDEX: &str = "skills/index.json";

/// What there is to read at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceInfo {
    /// The path in its `rules://` address.
    pub path: String,
    pub name: String,
    pub description: Option<String>,
    pub mime_type: &'static str,
}

/// Rules, agents, skills, checklists and configuration of one project; shared by threads.
///
/// Nothing is read before it is asked for. What was read stays until [`Playbook::invalidate`] says that something on disk
/// may have changed, or [`Playbook::refresh`] finds it out; then only what has changed is read again. The configuration
/// alone is looked at with every question.
#[derive(Debug)]
pub struct Playbook {
    library: Library,
    searcher: Searcher,
    config: ConfigCache,
    briefing: MadeFromScan<Briefing>,
    recommender: MadeFromScan<Recommender>,
}

/// Something made from the files, with the scan it was made from.
type MadeFromScan<T> = Mutex<Option<(u64, Arc<T>)>>;

/// What a question needs at hand, so that answering it reads no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionNeeds {
    /// Files that depend on what is asked: it is never known whether they have been read.
    Files,
    Briefing,
    Recommender,
    SearchIndex,
}

impl Playbook {
    pub fn open(sources: Sources) -> Self {
        Self {
            library: Library::new(sources),
            searcher: Searcher::default(),
            config: ConfigCache::default(),
            briefing: Mutex::default(),
            recommender: Mutex::default(),
        }
    }

    /// Something of the playbook has changed on disk, or may have.
    pub fn invalidate(&self) {
        self.library.invalidate();
    }

    /// Looks whether a known file or folder has changed; gives back whether one has.
    ///
    /// Costs one look at each. An `AGENTS.md` in a folder that had none is only found after [`Playbook::invalidate`].
    pub fn refresh(&self) -> bool {
        let has_changed = !self.library.is_fresh();
        if has_changed {
            self.library.invalidate();
        }
        has_changed
    }

    /// All rules that count, weakest layer first.
    pub fn rules(&self) -> Vec<Arc<RulesFile>> {
        self.library
            .rules()
            .into_iter()
            .map(|(_, rule)| rule)
            .collect()
    }

    /// A rule by the path in its address, such as `rules/core.md`.
    pub fn rule(&self, path: &str) -> Option<Arc<RulesFile>> {
        self.library.rule(path)
    }

    /// The rules that apply to these files, the most specific first.
    pub fn rules_for_files(&self, files: &[String], mode: Option<&str>) -> Vec<AppliedRule> {
        rules_for_files(&self.rules(), files, mode)
    }

    /// All agents, by id.
    pub fn agents(&self) -> Vec<Arc<Agent>> {
        let agents = self.library.agents();
        agents.into_values().map(|(_, agent)| agent).collect()
    }

    /// An agent by its id, or by its name as people write it.
    pub fn agent(&self, name: &str) -> Option<Arc<Agent>> {
        self.library.agent(name)
    }

    /// Whether a question can be answered without reading a file, the configuration apart.
    pub fn is_at_hand(&self, needs: QuestionNeeds) -> bool {
        let (known, nested) = self.library.generations();
        match needs {
            QuestionNeeds::Files => false,
            QuestionNeeds::Briefing => {
                known.is_some() && nested.is_some() && generation(&self.briefing) == known
            }
            QuestionNeeds::Recommender => known.is_some() && generation(&self.recommender) == known,
            QuestionNeeds::SearchIndex => known
                .zip(nested)
                .is_some_and(|generation| self.searcher.knows(generation)),
        }
    }

    /// The agents and the rules of each mode of work; made again when a file has changed.
    pub fn briefing(&self) -> Arc<Briefing> {
        // Made from both scans: instructions of any folder belong to it.
        self.library.nested();
        self.made(&self.briefing, || {
            let rule = |name: &str| self.rule(&format!("rules/{name}"));
            Briefing::new(BriefingParts {
                agents: self.agents(),
                skills: self.skills(),
                checklists: self.checklists(),
                mode_rules: MODE_RULES.map(rule),
                team: TeamRules::new(&self.rules(), self.library.sources().project.as_ref()),
            })
        })
    }

    /// The skills that fit a prompt, best first; those that only a person may start are left out.
    pub fn recommend(&self, prompt: &str) -> Vec<Recommendation> {
        self.recommender().recommend(prompt)
    }

    /// The same for a prompt that was read before.
    pub fn recommend_for(&self, reading: &PromptReading<'_>) -> Vec<Recommendation> {
        self.recommender().recommend_for(reading)
    }

    fn recommender(&self) -> Arc<Recommender> {
        self.made(&self.recommender, || {
            let skills = self.skills();
            let open = skills.iter().filter(|skill| skill.model_may_invoke);
            Recommender::new(open.map(|skill| skill.candidate()).collect())
        })
    }

    /// What was made from the files as they are now, made again when one has changed.
    fn made<T>(&self, kept: &MadeFromScan<T>, make: impl FnOnce() -> T) -> Arc<T> {
        let generation = self.library.known().generation;
        let mut kept = lock(kept);
        match kept.as_ref() {
            Some((made_from, made)) if *made_from == generation => Arc::clone(made),
            _ => {
                let made = Arc::new(make());
                *kept = Some((generation, Arc::clone(&made)));
                made
            }
        }
    }

    /// All skills, by priority and then by name.
    pub fn skills(&self) -> Vec<Arc<Skill>> {
        let skills = self.library.skills();
        let mut skills: Vec<Arc<Skill>> = skills.into_values().map(|(_, skill)| skill).collect();
        skills.sort_by_key(|skill| skill.priority);
        skills
    }

    pub fn skill(&self, name: &str) -> Option<Arc<Skill>> {
        let mut skills = self.library.skills();
        skills.remove(name).map(|(_, skill)| skill)
    }

    /// Where a skill is and what comes with it.
    pub fn skill_files(&self, name: &str) -> Option<SkillFiles> {
        let (entry, _) = self.library.skills().remove(name)?;
        let address = &entry.place.address;
        Some(SkillFiles {
            path: entry.place.disk_path(),
            uri: format!("rules://{address}"),
            folder_uri: format!(
                "rules://{}",
                address.rsplit_once('/').map_or("", |(folder, _)| folder)
            ),
            files: bundled(&entry.place),
        })
    }

    /// All skills as one JSON document: what each is for, where it is, which files it has.
    fn skill_index(&self) -> String {
        let skills = self.library.skills();
        let skills: Vec<Value> = skills
            .into_values()
            .map(|(entry, skill)| {
                let files = bundled(&entry.place);
                json!({
                    "name": skill.name,
                    "description": skill.description,
                    "uri": format!("rules://{}", entry.place.address),
                    "files": files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(),
                })
            })
            .collect();
        format!("{:#}", json!({ "skills": skills }))
    }

    /// All checklists, by domain.
    pub fn checklists(&self) -> Vec<Arc<Checklist>> {
        let checklists = self.library.checklists();
        checklists
            .into_values()
            .map(|(_, checklist)| checklist)
            .collect()
    }

    /// What to check in these domains, or because of these files.
    pub fn checklist(&self, query: &ChecklistQuery<'_>) -> GeneratedChecklists {
        generate(&self.checklists(), query)
    }

    /// Makes an agent ready for a task.
    pub fn prepare_agent(&self, name: &str, task: &AgentTask<'_>) -> Result<PreparedAgent, Error> {
        let agent = self.agent(name).ok_or_else(|| Error::NoAgent {
            name: name.to_owned(),
        })?;
        Ok(prepare(&agent, task))
    }

    /// Makes several agents ready for one task; each counts once.
    pub fn prepare_agents(&self, names: &[String], task: &AgentTask<'_>) -> PreparedAgents {
        prepare_all(names, task, |name| self.agent(name))
    }

    /// Everything that has an address: rules, agents, skills, checklists.
    pub fn resources(&self) -> Vec<ResourceInfo> {
        let info = |entry: &ContentEntry, name: &str, description: Option<&str>| ResourceInfo {
            path: entry.place.address.clone(),
            name: name.to_owned(),
            description: description.map(str::to_owned),
            mime_type: entry.place.mime_type(),
        };
        let mut found = vec![ResourceInfo {
            path: SKILL_INDEX.to_owned(),
            name: "Index of skills".to_owned(),
            description: Some("What each skill is for, where it is, which files it has".to_owned()),
            mime_type: "application/json",
        }];
        for (entry, rule) in self.library.rules() {
            found.push(info(&entry, &rule.title, rule.description.as_deref()));
        }
        for (entry, agent) in self.library.agents().into_values() {
            found.push(info(&entry, &agent.name, Some(&agent.description)));
        }
        for (entry, skill) in self.library.skills().into_values() {
            found.push(info(&entry, &skill.name, Some(&skill.description)));
        }
        for (entry, checklist) in self.library.checklists().into_values() {
            found.push(info(
                &entry,
                &checklist.domain,
                checklist.description.as_deref(),
            ));
        }
        found
    }

    /// The text at the path of a `rules://` address.
    pub fn resource(&self, path: &str) -> Option<Resource> {
        if path == SKILL_INDEX {
            return Some(Resource {
                mime_type: "application/json",
                body: ResourceBody::Text(self.skill_index()),
            });
        }
        self.file_resource(path)
            .or_else(|| self.bundled_resource(path))
    }

    /// A file that comes with a skill.
    fn bundled_resource(&self, path: &str) -> Option<Resource> {
        let below = path.strip_prefix("skills/")?;
        let skills = self.library.skills();
        let (place, file) = skills.values().find_map(|(entry, _)| {
            let address = &entry.place.address;
            let folder = address.rsplit_once('/')?.0.strip_prefix("skills/")?;
            let file = below.strip_prefix(folder)?.strip_prefix('/')?;
            Some((&entry.place, file))
        })?;
        let body = read_bundled(place, file)?;
        let mime_type = body.mime_type(file);
        Some(Resource { mime_type, body })
    }

    fn file_resource(&self, path: &str) -> Option<Resource> {
        let kinds = match path.split('/').next() {
            Some("agents") => [ContentKind::Agent, ContentKind::Rule],
            Some("skills") => [ContentKind::Skill, ContentKind::Rule],
            Some("checklists") => [ContentKind::Checklist, ContentKind::Rule],
            _ => [ContentKind::Rule, ContentKind::Rule],
        };
        let entry = kinds
            .into_iter()
            .find_map(|kind| self.library.entry(kind, path))?;
        Some(Resource {
            mime_type: entry.place.mime_type(),
            body: ResourceBody::Text(entry.parsed().text.clone().into_owned()),
        })
    }

    /// Searches everything that has an address.
    pub fn search(&self, query: &str, limits: &SearchLimits) -> RuleSearchResult {
        let generation = (
            self.library.known().generation,
            self.library.nested().generation,
        );
        self.searcher
            .search(query, limits, generation, || self.searched())
    }

    fn searched(&self) -> Vec<Arc<ContentEntry>> {
        let rules = self.library.rules().into_iter().map(|(entry, _)| entry);
        let agents = self.library.agents().into_values().map(|(entry, _)| entry);
        let skills = self.library.skills().into_values().map(|(entry, _)| entry);
        let checklists = self
            .library
            .checklists()
            .into_values()
            .map(|(entry, _)| entry);
        rules
            .chain(agents)
            .chain(skills)
            .chain(checklists)
            .collect()
    }

    /// The project's configuration as it is on disk; empty if there is none.
    pub fn config(&self) -> Result<Arc<PlaybookConfig>, Error> {
        match &self.library.sources().project {
            None => Ok(Arc::default()),
            Some(root) => self
                .config
                .load(root)
                .map_err(|diagnostics| Error::InvalidConfig { diagnostics }),
        }
    }

    /// What the configuration does not say yet about what the project uses.
    pub fn suggest_config(&self) -> Result<Vec<Suggestion>, Error> {
        let config = self.config()?;
        Ok(match &self.library.sources().project {
            None => Vec::new(),
            Some(root) => suggest(&config, &detect(root)),
        })
    }

    /// How much of a model's context each product's files take, the largest first.
    pub fn context_shares(&self) -> Vec<ContextShare> {
        context_shares(&self.rules())
    }

    /// Everything that is wrong with the files of all layers, and between them. Reads all of them.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut diagnostics = self.library.diagnostics();
        diagnostics.extend(review(&self.rules()));
        if let Err(Error::InvalidConfig { diagnostics: found }) = self.config() {
            diagnostics.extend(found);
        }
        diagnostics
    }
}

fn generation<T>(made: &MadeFromScan<T>) -> Option<u64> {
    let made = lock(made);
    made.as_ref().map(|(generation, _)| *generation)
}
