//! Whether a prompt asks for an agent by name, in the ways that nine languages do it.
//!
//! Naming an agent is not asking for it: "fix the backend-developer's description" and "as a data engineer, I want …" ask for no one.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::phrases::{Phrases, embedded};
use super::roster::{AgentCard, AgentKind, Roster};
use crate::text::{PhraseHit, PhraseIndex, PromptText, Script};

/// "act as a senior backend developer" has two words in between.
const MOST_ARTICLES: usize = 2;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CueFile {
    before: Phrases,
    weak: Phrases,
    article: Phrases,
    negation: Phrases,
    follow: Phrases,
    story: Phrases,
    heads: Vec<String>,
    refusals: Vec<String>,
    agent_words: Vec<String>,
    particles: Vec<String>,
    tails: Vec<String>,
    names: HashMap<String, Phrases>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cue {
    Before,
    Weak,
    Article,
    Negation,
    Follow,
    Story,
}

impl Cue {
    fn id(self) -> u16 {
        self as u16
    }
}

#[derive(Debug)]
struct Cues {
    file: CueFile,
    index: PhraseIndex<'static>,
}

static CUES: LazyLock<Cues> = LazyLock::new(|| {
    let file: CueFile = embedded(include_str!(concat!(env!("OUT_DIR"), "/agents.json")));
    let lists = [
        (Cue::Before, &file.before),
        (Cue::Weak, &file.weak),
        (Cue::Article, &file.article),
        (Cue::Negation, &file.negation),
        (Cue::Follow, &file.follow),
        (Cue::Story, &file.story),
    ];
    let rows = lists
        .into_iter()
        .flat_map(|(cue, phrases)| phrases.rows(usize::from(cue.id()), 1));
    let index = PhraseIndex::new(rows);
    Cues { file, index }
});

/// What people call an agent in their language.
pub(super) fn other_names(agent: &str) -> Option<&'static Phrases> {
    CUES.file.names.get(agent)
}

/// The first agent that a text asks for.
pub(super) fn requested<'r>(roster: &'r Roster, text: &PromptText<'_>) -> Option<&'r AgentCard> {
    let prompt = text.source();
    let mentions = roster.mentions(text);
    if mentions.is_empty() {
        return None;
    }
    let cues = CUES.index.find(text);
    mentions
        .into_iter()
        .filter(|(agent, _)| agent.kind != AgentKind::Utility)
        .find_map(|(agent, hit)| {
            let mention = Mention::new(prompt, text, &cues, hit)?;
            mention.is_request().then_some(agent)
        })
}

/// An agent's name in a prompt, and what stands around it.
struct Mention<'a, 't> {
    text: &'a PromptText<'t>,
    cues: &'a [PhraseHit],
    hit: PhraseHit,
    head: &'a str,
    /// Without a Korean particle that is written to the name.
    name: &'a str,
    tail: &'a str,
}

impl<'a, 't> Mention<'a, 't> {
    fn new(
        prompt: &'a str,
        text: &'a PromptText<'t>,
        cues: &'a [PhraseHit],
        hit: PhraseHit,
    ) -> Option<Self> {
        let units = text.units.get(hit.units.clone())?;
        let (first, last) = (units.first()?, units.last()?);
        let start = first.source.start;
        let mut end = last.source.end;
        if last.script == Script::Hangul {
            let name = prompt.get(start..end)?;
            let endings = CUES.file.particles.iter().map(String::as_str);
            let ending = endings
                .chain(["을", "를"])
                .find(|ending| name.ends_with(ending));
            end -= ending.map_or(0, str::len);
        }
        Some(Self {
            text,
            cues,
            hit,
            head: prompt.get(..start)?,
            name: prompt.get(start..end)?,
            tail: prompt.get(end..)?,
        })
    }

    fn is_request(&self) -> bool {
        if self.cue_at(Cue::Story).is_some() {
            return false;
        }
        self.is_addressed()
            || self.has_cue_before()
            || self.has_text_before()
            || self.has_text_behind()
    }

    /// `@backend-developer …`, or the name and a colon at the start.
    fn is_addressed(&self) -> bool {
        let opens = self.head.trim().is_empty()
            && self
                .behind_agent_word()
                .trim_start()
                .starts_with([':', '：', ',']);
        self.head.ends_with('@') || opens
    }

    fn has_cue_before(&self) -> bool {
        let mut at = self.hit.units.start;
        for _ in 0..=MOST_ARTICLES {
            if let Some(cue) = self.sufficient_cue(at) {
                return self.cue_ending(Cue::Negation, cue.units.start).is_none();
            }
            match self.cue_ending(Cue::Article, at) {
                Some(article) => at = article.units.start,
                None => break,
            }
        }
        false
    }

    fn sufficient_cue(&self, end: usize) -> Option<&PhraseHit> {
        let strong = self
            .cue_ending(Cue::Before, end)
            .filter(|_| self.ends_well());
        strong.or_else(|| {
            let weak = self.cue_ending(Cue::Weak, end)?;
            (!self.is_plain() || self.has_agent_word()).then_some(weak)
        })
    }

    /// Chinese puts its cues to the name without a space.
    fn has_text_before(&self) -> bool {
        let head = self.head.trim_end();
        CUES.file.heads.iter().any(|cue| {
            head.strip_suffix(cue.as_str())
                .is_some_and(|rest| !CUES.file.refusals.iter().any(|no| rest.ends_with(no)))
        })
    }

    /// So do Korean and Japanese, behind it.
    fn has_text_behind(&self) -> bool {
        let behind = self.behind_agent_word().trim_start();
        let particle = CUES.file.particles.iter().any(|particle| {
            behind
                .strip_prefix(particle.as_str())
                .is_some_and(|rest| !rest.starts_with(is_hangul))
        });
        particle || CUES.file.tails.iter().any(|tail| behind.starts_with(tail))
    }

    /// Whether what follows a name of plain words lets it be a name: "the code reviewer feedback" does not.
    fn ends_well(&self) -> bool {
        let next = self.text.units.get(self.hit.units.end);
        !self.is_plain()
            || self.has_agent_word()
            || next.is_none_or(|unit| unit.opens)
            || self.cue_at(Cue::Follow).is_some()
    }

    fn is_plain(&self) -> bool {
        !self.name.contains(['-', '_'])
    }

    fn has_agent_word(&self) -> bool {
        self.behind_agent_word().len() < self.tail.len()
    }

    /// The tail without the word for agent, where it begins with one.
    fn behind_agent_word(&self) -> &'a str {
        let tail = self.tail.trim_start();
        CUES.file
            .agent_words
            .iter()
            .find_map(|word| {
                let (start, rest) = tail.split_at_checked(word.len())?;
                let whole = !word.is_ascii()
                    || !rest.starts_with(|sign: char| sign.is_ascii_alphanumeric());
                (start.eq_ignore_ascii_case(word) && whole).then_some(rest)
            })
            .unwrap_or(self.tail)
    }

    fn cue_ending(&self, cue: Cue, end: usize) -> Option<&PhraseHit> {
        self.cues
            .iter()
            .find(|hit| hit.id == cue.id() && hit.units.end == end)
    }

    /// A cue directly behind the name.
    fn cue_at(&self, cue: Cue) -> Option<&PhraseHit> {
        let start = self.hit.units.end;
        self.cues
            .iter()
            .find(|hit| hit.id == cue.id() && hit.units.start == start)
    }
}

fn is_hangul(sign: char) -> bool {
    matches!(sign, '가'..='힣')
}
