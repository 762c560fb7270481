//! `cargo xtask train`: makes the vocabulary and the skill model that are baked into the binary, from `content/`.
//!
//! The same content always gives the same bytes: examples come in a fixed order, and chance has a fixed seed.
//! What a prompt looks like to the model is mk-prompt's business; this only learns from it.

mod calibrate;
mod corpus;
mod fit;
mod pattern;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use mk_prompt::{
    ClassEvidence, Features, Model, ModelParts, NONE, PhraseLanguage, PhraseRow, Vocabulary,
};

use crate::workspace;
pub(crate) use corpus::Corpus;

const VOCABULARY: &str = "content/model/vocabulary.bin";
const MODEL: &str = "content/model/skills.bin";

/// One prompt to learn from.
#[derive(Debug)]
pub(crate) struct Example {
    pub(crate) class: usize,
    pub(crate) features: Features,
    pub(crate) weight: f32,
    /// Empty for an example that is no real prompt, and so cannot test anything.
    pub(crate) prompt: String,
    pub(crate) language: PhraseLanguage,
}

/// What is being learned.
struct Lesson<'a> {
    corpus: &'a Corpus,
    vocabulary: Vocabulary<'a>,
    classes: Vec<String>,
    examples: Vec<Example>,
}

pub(crate) fn run() -> Result<ExitCode> {
    let root = workspace::root();
    let corpus = Corpus::read(root)?;
    let vocabulary = corpus.vocabulary();
    let lesson = Lesson::new(&corpus, &vocabulary)?;
    println!(
        "{} examples of {} classes",
        lesson.examples.len(),
        lesson.classes.len()
    );
    let (fusion, report) = calibrate::fusion(&lesson)?;
    println!("{report}");
    let all: Vec<&Example> = lesson.examples.iter().collect();
    let model = lesson.model(&all, fusion)?;
    for (path, bytes) in [(VOCABULARY, &vocabulary), (MODEL, &model)] {
        let path = root.join(path);
        std::fs::write(&path, bytes)
            .with_context(|| format!("cannot write `{}`", path.display()))?;
        println!("{}: {} KB", path.display(), bytes.len() / 1024);
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether the committed files are what training makes of the content; the reasons if not.
pub(crate) fn stale(root: &Path) -> Result<Vec<String>> {
    let corpus = Corpus::read(root)?;
    let read = |path: &str| {
        std::fs::read(root.join(path)).with_context(|| format!("cannot read `{path}`"))
    };
    let (vocabulary, model) = (read(VOCABULARY)?, read(MODEL)?);
    let vocabulary = Vocabulary::read(&vocabulary).map(|it| it.source());
    let model = Model::read(&model).map(|it| it.source());
    let mut reasons = Vec::new();
    if vocabulary != Some(corpus.vocabulary_source) {
        reasons.push(format!(
            "{VOCABULARY} is not made of the vocabulary: run `cargo xtask train`"
        ));
    }
    if model != Some(corpus.source) {
        reasons.push(format!(
            "{MODEL} is not trained on the utterances: run `cargo xtask train`"
        ));
    }
    reasons.extend(corpus.leaks());
    Ok(reasons)
}

impl<'a> Lesson<'a> {
    fn new(corpus: &'a Corpus, vocabulary: &'a [u8]) -> Result<Self> {
        let vocabulary = Vocabulary::read(vocabulary).context("the vocabulary is unreadable")?;
        let skills = corpus.skills().filter(|skill| *skill != NONE);
        let classes: Vec<String> = skills.chain([NONE]).map(str::to_owned).collect();
        let examples = corpus.examples(&classes, &vocabulary)?;
        Ok(Self {
            corpus,
            vocabulary,
            classes,
            examples,
        })
    }

    /// Learns from some of the examples.
    fn model(&self, examples: &[&Example], fusion: ClassEvidence) -> Result<Vec<u8>> {
        let weights = calibrate::key_weights(self, examples)?;
        let fitted = fit::fit(examples, self.classes.len());
        let phrases = self.corpus.keys.iter().zip(weights).map(|(key, weight)| {
            let class = self.class(&key.skill)?;
            Ok(PhraseRow {
                phrase: &key.phrase,
                language: key.language,
                id: u16::try_from(class)?,
                weight,
            })
        });
        let parts = ModelParts {
            source: self.corpus.source,
            classes: self.classes.clone(),
            bias: fitted.bias,
            features: fitted.features,
            phrases: phrases.collect::<Result<_>>()?,
            fusion,
        };
        Ok(parts.encode())
    }

    /// A model of which only the key phrases are used, each by its own number.
    fn keys_only(&self) -> Result<Vec<u8>> {
        let phrases = self.corpus.keys.iter().enumerate().map(|(number, key)| {
            Ok(PhraseRow {
                phrase: &key.phrase,
                language: key.language,
                id: u16::try_from(number)?,
                weight: u8::MAX,
            })
        });
        let parts = ModelParts {
            source: self.corpus.source,
            classes: self.classes.clone(),
            bias: vec![0.0; self.classes.len()],
            features: BTreeMap::new(),
            phrases: phrases.collect::<Result<_>>()?,
            fusion: ClassEvidence::default(),
        };
        Ok(parts.encode())
    }

    fn class(&self, skill: &str) -> Result<usize> {
        let class = self.classes.iter().position(|class| class == skill);
        class.with_context(|| format!("`{skill}` is no skill with utterances"))
    }
}
