//! How the team works: rules, agents, skills, checklists and configuration of the project that a call is about.
//!
//! Reading them changes nothing, so no mode stands in between. Which field goes to which client is the faces' business.

mod parse_mode;
mod shelf;
mod working_mode;

use std::path::PathBuf;
use std::sync::Arc;

use mk_clients::PLAYBOOK_CONFIG_JSON;
use mk_playbook::{AgentTask, ModelWishes, Playbook, QuestionNeeds, SearchLimits};
use mk_policy::Diagnostic;

pub use mk_playbook::{
    Advice as SpecialistAdvice, Agent as AgentDefinition, AppliedRule, BundledFile, Checklist,
    ChecklistItem, ContentLayer as PlaybookLayer, ContextShare, DomainChecklist,
    EvalScores as PlaybookScores, FileMatch as RuleFileMatch, GeneratedChecklists, KeywordMode,
    LineMatch as RuleLineMatch, MatchedTrigger, Phase, PlaybookConfig, PreparedAgent,
    PreparedAgents, Reason as RuleReason, Recommendation as SkillRecommendation, ResolvedModel,
    Resource as PlaybookResource, ResourceBody as PlaybookResourceBody,
    ResourceInfo as PlaybookResourceInfo, RulesFile as PlaybookRule, Score as PlaybookScore,
    Share as PlaybookShare, Skill, SkillFiles, Suggestion as ConfigSuggestion, TaskAnalysis,
    TriggerReason, WorkMode,
};
pub use parse_mode::{ChosenAgent, ModeRule, ModeSkill, PromptMode, PromptRequest, RuleVerbosity};
pub(crate) use shelf::PlaybookShelf;
pub use working_mode::WorkingMode;
use working_mode::{keyword_of, working_mode};

use crate::approval::Outcome;
use crate::error::Error;
use crate::missing::ConflictingChange;
use crate::operator_file::{read_operator_file, write_operator_file};
use crate::project::ProjectHandle;

/// The configuration that `playbook init` writes.
/// The rules that every agent is introduced to.
const CORE: &str = "rules/core.md";
/// Cases of an evaluation are read whole.
const LARGEST_CASES: u64 = 50 * 1024 * 1024;

/// What can be asked of a project's playbook.
#[derive(Debug, Clone)]
pub struct ProjectPlaybook<'a> {
    project: ProjectHandle<'a>,
}

/// What an agent is asked to do.
#[derive(Debug, Clone)]
pub struct AgentAssignment {
    pub mode: WorkMode,
    pub files: Vec<String>,
    pub description: Option<String>,
}

/// An agent as it was written down, and what the project's configuration adds.
#[derive(Debug, Clone)]
pub struct AgentProfile {
    pub agent: Arc<AgentDefinition>,
    /// The language to answer in.
    pub language: Option<String>,
    pub model: ResolvedModel,
}

/// An agent, the project's configuration and the rules that all agents share.
#[derive(Debug, Clone)]
pub struct AgentIntroduction {
    pub agent: Arc<AgentDefinition>,
    pub config: Arc<PlaybookConfig>,
    pub core: Option<Arc<PlaybookRule>>,
}

/// What is wrong with the files of a playbook, and how many it has.
#[derive(Debug)]
pub struct PlaybookProblems {
    pub files: usize,
    pub diagnostics: Vec<Diagnostic>,
    /// What each product's files cost a model.
    pub shares: Vec<ContextShare>,
}

impl<'a> ProjectHandle<'a> {
    pub fn playbook(self) -> ProjectPlaybook<'a> {
        ProjectPlaybook { project: self }
    }
}

impl ProjectPlaybook<'_> {
    /// What a prompt's first word asks for, who does it, and by which rules.
    pub async fn parse_mode(self, request: PromptRequest) -> Result<PromptMode, Error> {
        let ProjectHandle { engine, caller, .. } = self.project;
        let parse = move |playbook: &Playbook| parse_mode::parse(playbook, &request);
        let mut parsed = self.ask(QuestionNeeds::Briefing, parse).await?;
        parsed.working_mode = working_mode(engine, caller, parsed.mode);
        Ok(parsed)
    }

    /// The mode in which an agent works that way: a plan and a judgement are made in one that cannot write.
    pub fn working_mode(&self, mode: WorkMode) -> Option<WorkingMode> {
        working_mode(self.project.engine, self.project.caller, keyword_of(mode))
    }

    /// What a task's description and files say about it, and what the files call for.
    pub async fn analyze_task(
        self,
        prompt: String,
        files: Vec<String>,
        mode: Option<KeywordMode>,
    ) -> Result<(TaskAnalysis, GeneratedChecklists), Error> {
        self.ask(QuestionNeeds::Files, move |playbook| {
            let analysis = mk_playbook::analyze_task(&prompt, &files, mode);
            Ok((analysis, checklist(playbook, &[], &files)))
        })
        .await
    }

    /// What to check in these domains, or because of these files.
    pub async fn checklist(
        self,
        domains: Vec<String>,
        files: Vec<String>,
    ) -> Result<GeneratedChecklists, Error> {
        self.ask(QuestionNeeds::Files, move |playbook| {
            Ok(checklist(playbook, &domains, &files))
        })
        .await
    }

    pub async fn agent(self, name: String) -> Result<AgentProfile, Error> {
        self.ask(QuestionNeeds::Files, move |playbook| {
            let agent = agent(playbook, &name)?;
            let config = playbook.config()?;
            let wishes = ModelWishes {
                agent: agent.model.as_ref().map(|model| model.model.as_str()),
                mode: None,
                global: config.default_model(),
            };
            Ok(AgentProfile {
                model: mk_playbook::resolve_model(wishes),
                language: config.language().map(str::to_owned),
                agent,
            })
        })
        .await
    }

    /// An agent and what it has to know of the project.
    pub async fn introduce(self, name: String) -> Result<AgentIntroduction, Error> {
        self.ask(QuestionNeeds::Files, move |playbook| {
            Ok(AgentIntroduction {
                agent: agent(playbook, &name)?,
                config: playbook.config()?,
                core: playbook.rule(CORE),
            })
        })
        .await
    }

    /// Makes an agent ready for a task.
    pub async fn prepare_agent(
        self,
        name: String,
        assignment: AgentAssignment,
    ) -> Result<PreparedAgent, Error> {
        self.ask(QuestionNeeds::Files, move |playbook| {
            let config = playbook.config()?;
            let task = assignment.task(config.language());
            Ok(playbook.prepare_agent(&name, &task)?)
        })
        .await
    }

    /// Makes several agents ready for one task; each counts once.
    pub async fn prepare_agents(
        self,
        names: Vec<String>,
        assignment: AgentAssignment,
    ) -> Result<PreparedAgents, Error> {
        self.ask(QuestionNeeds::Files, move |playbook| {
            let config = playbook.config()?;
            let task = assignment.task(config.language());
            Ok(playbook.prepare_agents(&names, &task))
        })
        .await
    }

    /// The rules that apply to these files in the mode that is in force, the most specific first.
    pub async fn rules_for_files(self, files: Vec<String>) -> Result<Vec<AppliedRule>, Error> {
        let ProjectHandle { engine, caller, .. } = self.project;
        let mode = engine.in_force(caller, None)?.mode.slug.clone();
        self.ask(QuestionNeeds::Files, move |playbook| {
            Ok(playbook.rules_for_files(&files, Some(mode.as_str())))
        })
        .await
    }

    /// Passages of everything that has an address, best first.
    pub async fn search(self, query: String) -> Result<Vec<RuleFileMatch>, Error> {
        self.ask(QuestionNeeds::SearchIndex, move |playbook| {
            Ok(playbook.search(&query, &SearchLimits::default()).files)
        })
        .await
    }

    /// All skills, by priority and then by name.
    pub async fn skills(self) -> Result<Vec<Arc<Skill>>, Error> {
        self.ask(QuestionNeeds::Files, |playbook| Ok(playbook.skills()))
            .await
    }

    /// A skill, where it is and what comes with it.
    pub async fn skill(self, name: String) -> Result<Option<(Arc<Skill>, SkillFiles)>, Error> {
        self.ask(QuestionNeeds::Files, move |playbook| {
            Ok(playbook.skill(&name).zip(playbook.skill_files(&name)))
        })
        .await
    }

    /// The skills that fit a prompt, best first.
    pub async fn recommend_skills(self, prompt: String) -> Result<Vec<SkillRecommendation>, Error> {
        self.ask(QuestionNeeds::Recommender, move |playbook| {
            Ok(playbook.recommend(&prompt))
        })
        .await
    }

    /// The project's configuration; empty if there is none.
    pub async fn config(self) -> Result<Arc<PlaybookConfig>, Error> {
        self.ask(QuestionNeeds::Files, |playbook| Ok(playbook.config()?))
            .await
    }

    /// What the configuration does not say yet about what the project uses, or another directory that the caller may
    /// look into.
    pub async fn suggest_config(
        self,
        directory: Option<String>,
    ) -> Result<Outcome<Vec<ConfigSuggestion>>, Error> {
        let ProjectHandle { engine, caller, .. } = self.project;
        let Some(directory) = directory else {
            let suggest = |playbook: &Playbook| Ok(playbook.suggest_config()?);
            return Ok(Outcome::Done(
                self.ask(QuestionNeeds::Files, suggest).await?,
            ));
        };
        Ok(match engine.admit(caller, &directory).await? {
            Outcome::NeedsApproval(request) => Outcome::NeedsApproval(request),
            Outcome::Done(root) => Outcome::Done(engine.playbook_of(root).suggest_config()?),
        })
    }

    /// Everything that has an address: rules, agents, skills, checklists.
    pub async fn resources(self) -> Result<Vec<PlaybookResourceInfo>, Error> {
        self.ask(QuestionNeeds::Files, |playbook| Ok(playbook.resources()))
            .await
    }

    /// The text at the path of a `rules://` address.
    pub async fn resource(self, path: String) -> Result<Option<PlaybookResource>, Error> {
        self.ask(QuestionNeeds::Files, move |playbook| {
            Ok(playbook.resource(&path))
        })
        .await
    }

    /// Everything that is wrong with the files. Reads all of them, in this thread.
    pub fn lint(self) -> Result<PlaybookProblems, Error> {
        let playbook = self.opened()?;
        Ok(PlaybookProblems {
            files: playbook.resources().len(),
            diagnostics: playbook.diagnostics(),
            shares: playbook.context_shares(),
        })
    }

    /// Writes the skills that ship, or some of them, below a directory of the project, and leaves those that are there;
    /// the new files, and how many were there.
    pub fn export_skills(
        self,
        directory: &str,
        names: &[String],
    ) -> Result<(Vec<PathBuf>, usize), Error> {
        let root = self.project.root()?;
        let mut written = Vec::new();
        let mut n_kept = 0;
        for (name, text) in shipped_skills(names)? {
            let file = format!("{directory}/{name}/SKILL.md");
            if root.as_path().join(&file).exists() {
                n_kept += 1;
                continue;
            }
            let written_file =
                write_operator_file(&root, &file, "playbook export", text.as_bytes())?;
            written.push(written_file);
        }
        Ok((written, n_kept))
    }

    /// How well prompts are understood, on the cases of these files.
    pub fn evaluate(self, files: &[PathBuf]) -> Result<PlaybookScores, Error> {
        let playbook = self.opened()?;
        let mut cases = String::new();
        for file in files {
            let text = read_operator_file(file, LARGEST_CASES)?;
            let missing = || Error::invalid("cases", format!("there is no `{}`", file.display()));
            cases.push_str(&text.ok_or_else(missing)?);
            cases.push('\n');
        }
        Ok(mk_playbook::evaluate(&playbook, &cases))
    }

    /// A configuration for what the project uses.
    pub fn first_config(&self) -> Result<String, Error> {
        let root = self.project.root()?;
        let name = root.as_path().file_name().and_then(|name| name.to_str());
        let stack = mk_playbook::detect(&root);
        Ok(mk_playbook::first_config(&stack, name.unwrap_or("project")))
    }

    /// Writes it where there is none; the file.
    pub fn write_first_config(self) -> Result<PathBuf, Error> {
        let root = self.project.root()?;
        let playbook = self.project.engine.playbook_of(root.clone());
        if let Some(file) = &playbook.config()?.file {
            let change = ConflictingChange::Configuration(file.to_string());
            return Err(Error::Conflict(change));
        }
        write_operator_file(
            &root,
            PLAYBOOK_CONFIG_JSON,
            "playbook init",
            self.first_config()?.as_bytes(),
        )
    }

    fn opened(&self) -> Result<Arc<Playbook>, Error> {
        self.project.engine.playbook(self.project.caller)
    }

    /// Asks the playbook something; if files have to be read, beside the runtime.
    async fn ask<T: Send + 'static>(
        self,
        needs: QuestionNeeds,
        ask: impl FnOnce(&Playbook) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let playbook = self.opened()?;
        if playbook.is_at_hand(needs) {
            return ask(&playbook);
        }
        let joined = tokio::task::spawn_blocking(move || ask(&playbook)).await;
        joined.unwrap_or_else(|error| {
            tracing::error!(%error, "the playbook failed");
            Err(Error::Playbook {
                message: "The playbook could not be read".to_owned(),
                hint: None,
            })
        })
    }
}

impl AgentAssignment {
    fn task<'a>(&'a self, language: Option<&'a str>) -> AgentTask<'a> {
        AgentTask {
            mode: self.mode,
            files: &self.files,
            description: self.description.as_deref(),
            language,
        }
    }
}

fn agent(playbook: &Playbook, name: &str) -> Result<Arc<AgentDefinition>, Error> {
    let missing = || mk_playbook::Error::NoAgent {
        name: name.to_owned(),
    };
    Ok(playbook.agent(name).ok_or_else(missing)?)
}

fn checklist(playbook: &Playbook, domains: &[String], files: &[String]) -> GeneratedChecklists {
    playbook.checklist(&mk_playbook::ChecklistQuery { domains, files })
}

/// The names and files of the skills that ship, or of some of them.
fn shipped_skills(names: &[String]) -> Result<Vec<(&'static str, &'static str)>, Error> {
    let shipped: Vec<(&str, &str)> = mk_playbook::shipped_skills().collect();
    let is_known = |name: &&String| shipped.iter().any(|(known, _)| *known == name.as_str());
    if let Some(name) = names.iter().find(|name| !is_known(name)) {
        return Err(Error::invalid("skill", format!("no skill `{name}` ships")));
    }
    let is_wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    let wanted = shipped.into_iter().filter(|(name, _)| is_wanted(name));
    Ok(wanted.collect())
}
