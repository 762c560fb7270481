//! What there is to learn from: utterances, borders, sketches and the vocabulary, read strictly.
//!
//! A mistake in these files ends the training: they are ours, and a silently skipped line would be missed by no one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use mk_prompt::{ConceptKind, ConceptName, Features, PhraseLanguage, PhraseRow, Vocabulary};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

use super::Example;
use super::pattern::Patterns;

/// To be raised when the same content shall give another model.
const RECIPE: u32 = 2;
/// The kind of a file's concepts; all other files are about the trade.
const KINDS: [(&str, ConceptKind); 4] = [
    ("everyday", ConceptKind::Aside),
    ("small-words", ConceptKind::Small),
    ("guards", ConceptKind::Guard),
    ("common", ConceptKind::Common),
];
/// What a sketch counts beside a real prompt.
const SKETCH_WEIGHT: f32 = 0.3;
/// The same for a prompt made by a pattern.
const PATTERN_WEIGHT: f32 = 0.3;
/// People say more that needs no skill than was collected here.
const NONE_WEIGHT: f32 = 1.5;
/// Words that are written alike in every language.
const EVERYWHERE: &str = "all";

/// The utterances for one skill in one language.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Utterances {
    key: Vec<String>,
    say: Vec<String>,
}

/// Prompts told in concepts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sketch {
    about: Vec<OneOrMore>,
    #[serde(default, rename = "do")]
    actions: Vec<String>,
    #[serde(default, rename = "with")]
    things: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    fn names(&self) -> Vec<&str> {
        match self {
            Self::One(name) => vec![name],
            Self::More(names) => names.iter().map(String::as_str).collect(),
        }
    }
}

/// A phrase that points at a skill on its own.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) skill: String,
    pub(crate) phrase: String,
    pub(crate) language: PhraseLanguage,
}

/// A whole prompt and the skill that it asks for.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) skill: String,
    pub(crate) prompt: String,
    pub(crate) language: PhraseLanguage,
}

/// Concepts by name, their words by language.
type Concepts = BTreeMap<String, BTreeMap<String, Vec<String>>>;

#[derive(Debug)]
pub(crate) struct Corpus {
    /// Of everything that the model depends on.
    pub(crate) source: [u8; 32],
    pub(crate) vocabulary_source: [u8; 32],
    pub(crate) keys: Vec<Key>,
    said: Vec<Said>,
    held_out: Vec<Said>,
    sketches: BTreeMap<String, Vec<Sketch>>,
    patterned: Vec<Said>,
    concepts: Concepts,
    kinds: BTreeMap<String, ConceptKind>,
}

impl Corpus {
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let content = root.join("content");
        let mut inputs = Inputs::new(&content);
        let (mut concepts, mut kinds) = (Concepts::new(), BTreeMap::new());
        for (name, file) in inputs.folder::<Concepts>("playbook/vocabulary")? {
            let kind = KINDS.iter().find(|(file, _)| *file == name);
            let kind = kind.map_or(ConceptKind::Trade, |(_, kind)| *kind);
            for (concept, words) in file {
                kinds.insert(concept.clone(), kind);
                if concepts.insert(concept.clone(), words).is_some() {
                    bail!("the concept `{concept}` is in two files");
                }
            }
        }
        let vocabulary_source = inputs.hash();
        let folders = ["utterances", "utterances/borders", "utterances/daily"];
        let (keys, said) = inputs.utterances(&folders)?;
        let sketches = inputs.file("playbook/sketches.yaml")?;
        let mut patterned = Vec::new();
        for (name, patterns) in inputs.folder::<Patterns>("utterances/patterns")? {
            patterned.extend(patterns.said(language(&name)?)?);
        }
        let source = inputs.hash();
        let (_, held_out) = inputs.utterances(&["utterances/held-out", "utterances/exam"])?;
        Ok(Self {
            source,
            vocabulary_source,
            keys,
            said,
            held_out,
            sketches,
            patterned,
            concepts,
            kinds,
        })
    }

    /// The vocabulary's bytes.
    pub(crate) fn vocabulary(&self) -> Vec<u8> {
        let names: Vec<ConceptName<'_>> = self
            .kinds
            .iter()
            .map(|(name, kind)| ConceptName { name, kind: *kind })
            .collect();
        let phrases = self.concepts.values().zip(0_u16..).flat_map(|(words, id)| {
            words.iter().flat_map(move |(code, words)| {
                // English forms are the least that a word of all languages can have.
                let language = language(code).unwrap_or(PhraseLanguage::En);
                words.iter().map(move |phrase| PhraseRow {
                    phrase,
                    language,
                    id,
                    weight: 0,
                })
            })
        });
        Vocabulary::encode(self.vocabulary_source, &names, phrases)
    }

    pub(crate) fn skills(&self) -> impl Iterator<Item = &str> {
        let skills: BTreeSet<&str> = self.said.iter().map(|said| said.skill.as_str()).collect();
        skills.into_iter()
    }

    /// Everything to learn from, in a fixed order: prompts, keys as short prompts, sketches.
    pub(crate) fn examples(
        &self,
        classes: &[String],
        vocabulary: &Vocabulary<'_>,
    ) -> Result<Vec<Example>> {
        let class = |skill: &str| {
            let class = classes.iter().position(|class| class == skill);
            class.with_context(|| format!("`{skill}` is no skill with utterances"))
        };
        let weight = |skill: &str| {
            if skill == mk_prompt::NONE {
                NONE_WEIGHT
            } else {
                1.0
            }
        };
        let mut examples = Vec::new();
        for said in &self.said {
            examples.push(Example {
                class: class(&said.skill)?,
                features: Features::of(&said.prompt, vocabulary),
                weight: weight(&said.skill),
                prompt: said.prompt.clone(),
                language: said.language,
            });
        }
        for key in &self.keys {
            examples.push(Example {
                class: class(&key.skill)?,
                features: Features::of(&key.phrase, vocabulary),
                weight: weight(&key.skill),
                prompt: String::new(),
                language: key.language,
            });
        }
        for said in &self.patterned {
            examples.push(Example {
                class: class(&said.skill)?,
                features: Features::of(&said.prompt, vocabulary),
                weight: PATTERN_WEIGHT * weight(&said.skill),
                prompt: String::new(),
                language: said.language,
            });
        }
        for (skill, sketches) in &self.sketches {
            for concepts in sketches.iter().flat_map(Sketch::prompts) {
                let features = Features::of_concepts(&concepts, vocabulary).with_context(|| {
                    format!("a sketch of `{skill}` has a concept without words: {concepts:?}")
                })?;
                examples.push(Example {
                    class: class(skill)?,
                    features,
                    weight: SKETCH_WEIGHT * weight(skill),
                    prompt: String::new(),
                    language: PhraseLanguage::En,
                });
            }
        }
        Ok(examples)
    }

    /// Prompts that were kept for checking, and are trained on all the same.
    pub(crate) fn leaks(&self) -> Vec<String> {
        let known: BTreeSet<String> = self.said.iter().map(|said| squeeze(&said.prompt)).collect();
        let leaks = self
            .held_out
            .iter()
            .filter(|said| known.contains(&squeeze(&said.prompt)));
        leaks
            .map(|said| {
                format!(
                    "`{}` ({}) is held out and trained on",
                    said.prompt, said.language
                )
            })
            .collect()
    }
}

impl Sketch {
    fn prompts(&self) -> Vec<Vec<&str>> {
        let mut prompts = Vec::new();
        for about in &self.about {
            let about = about.names();
            prompts.push(about.clone());
            for more in self.actions.iter().chain(&self.things) {
                if !about.contains(&more.as_str()) {
                    let mut prompt = about.clone();
                    prompt.push(more);
                    prompts.push(prompt);
                }
            }
        }
        prompts
    }
}

/// Files under `content/`, and the hash of all that were read.
struct Inputs<'a> {
    content: &'a Path,
    hash: Sha256,
}

impl<'a> Inputs<'a> {
    fn new(content: &'a Path) -> Self {
        let mut hash = Sha256::new();
        hash.update(RECIPE.to_le_bytes());
        Self { content, hash }
    }

    /// The YAML files of a folder by stem, in order; folders in it are not entered.
    fn folder<T: DeserializeOwned>(&mut self, folder: &str) -> Result<Vec<(String, T)>> {
        let path = self.content.join(folder);
        let entries = std::fs::read_dir(&path)
            .with_context(|| format!("cannot list `{}`", path.display()))?;
        let mut files: Vec<PathBuf> = entries
            .map(|entry| Ok(entry?.path()))
            .collect::<std::io::Result<_>>()?;
        files.retain(|file| {
            file.extension()
                .is_some_and(|extension| extension == "yaml")
        });
        files.sort();
        let mut read = Vec::new();
        for file in files {
            let stem = file
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let value = self.file(&format!("{folder}/{stem}.yaml"))?;
            read.push((stem, value));
        }
        Ok(read)
    }

    /// The key phrases and the prompts of some folders.
    fn utterances(&mut self, folders: &[&str]) -> Result<(Vec<Key>, Vec<Said>)> {
        let (mut keys, mut said) = (Vec::new(), Vec::new());
        for folder in folders {
            for (name, file) in self.folder::<BTreeMap<String, Utterances>>(folder)? {
                let language = language(&name)?;
                for (skill, Utterances { key, say }) in file {
                    keys.extend(key.into_iter().map(|phrase| Key {
                        skill: skill.clone(),
                        phrase,
                        language,
                    }));
                    said.extend(say.into_iter().map(|prompt| Said {
                        skill: skill.clone(),
                        prompt,
                        language,
                    }));
                }
            }
        }
        Ok((keys, said))
    }

    fn file<T: DeserializeOwned>(&mut self, name: &str) -> Result<T> {
        let path = self.content.join(name);
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read `{}`", path.display()))?;
        self.hash.update(name.as_bytes());
        self.hash.update([0]);
        self.hash.update(text.as_bytes());
        self.hash.update([0]);
        serde_saphyr::from_str(&text).with_context(|| format!("`{}` is invalid", path.display()))
    }

    fn hash(&self) -> [u8; 32] {
        self.hash.clone().finalize().into()
    }
}

fn language(code: &str) -> Result<PhraseLanguage> {
    let language = PhraseLanguage::ALL.into_iter().find(|it| it.code() == code);
    match language {
        Some(language) => Ok(language),
        None if code == EVERYWHERE => Ok(PhraseLanguage::En),
        None => bail!("`{code}` is no language that there are rules for"),
    }
}

/// Case and spaces do not make another prompt.
fn squeeze(prompt: &str) -> String {
    let mut squeezed = String::new();
    for word in prompt.split_whitespace() {
        let _ = write!(squeezed, "{} ", word.to_lowercase());
    }
    squeezed
}
