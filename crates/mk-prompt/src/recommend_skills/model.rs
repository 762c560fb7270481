//! The trained model, read where it lies in the binary: features, weights, key phrases and calibration.
//!
//! `cargo xtask train` writes the file. Nothing is parsed when the process starts, and nothing is allocated for it.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::feature::Features;
use super::fuse::EVIDENCE;
use crate::text::{
    ConceptReading, DIRECTORY_BYTES, Hash, HashTable, PhraseHit, PhraseIndex, PhraseRow, Vocabulary,
};

const MAGIC: &[u8; 8] = b"mkskill1";
static SHIPPED: &[u8] = include_bytes!("../../../../content/model/skills.bin");
/// Bytes kept of a feature's hash: with 40 bits, one unknown feature in ten million is taken for a known one.
const KEY_BYTES: usize = 5;
/// Idf and scale of a row come first.
const ROW_HEAD: usize = 2;
/// The step of an idf byte.
const IDF_STEP: f32 = 1.0 / 24.0;
/// Scales are powers: one byte spans nine orders of magnitude.
const SCALE_STEP: f32 = 0.12;
const SCALE_OFFSET: f32 = 20.0;
/// What is heard of a prompt that the model knows nothing of.
const MOST_CLASSES: usize = 64;

/// The class of prompts that no skill fits.
pub const NONE: &str = "none";

/// What training makes, before it is packed.
#[derive(Debug)]
pub struct ModelParts<'a> {
    /// Says what the model was trained on.
    pub source: [u8; 32],
    pub classes: Vec<String>,
    pub bias: Vec<f32>,
    pub features: BTreeMap<u64, FeatureRow>,
    /// Ids are indices of classes.
    pub phrases: Vec<PhraseRow<'a>>,
    pub fusion: [f32; EVIDENCE],
}

/// How telling a feature is, and for which classes it speaks.
#[derive(Debug, Clone)]
pub struct FeatureRow {
    pub idf: f32,
    pub weights: Vec<f32>,
}

impl ModelParts<'_> {
    /// The file's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.source);
        bytes.push(u8::try_from(self.classes.len()).unwrap_or(u8::MAX));
        for class in &self.classes {
            bytes.push(u8::try_from(class.len()).unwrap_or(u8::MAX));
            bytes.extend(class.bytes());
        }
        for number in self.bias.iter().chain(&self.fusion) {
            bytes.extend(number.to_le_bytes());
        }
        PhraseIndex::new(self.phrases.iter().cloned()).write(&mut bytes);
        let hashes: Vec<Hash> = self.features.keys().map(|hash| Hash(*hash)).collect();
        bytes.extend(
            u32::try_from(hashes.len())
                .unwrap_or(u32::MAX)
                .to_le_bytes(),
        );
        let mut keys = Vec::new();
        HashTable::<KEY_BYTES>::from_sorted(&hashes).write(&mut bytes, &mut keys);
        bytes.append(&mut keys);
        for row in self.features.values() {
            row.encode(&mut bytes);
        }
        bytes
    }
}

impl FeatureRow {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to the byte's range before"
    )]
    fn encode(&self, bytes: &mut Vec<u8>) {
        let largest = self
            .weights
            .iter()
            .fold(0.0_f32, |most, it| most.max(it.abs()));
        let exponent = ((largest / 127.0).max(1e-9).ln() + SCALE_OFFSET) / SCALE_STEP;
        let exponent = exponent.ceil().clamp(0.0, 255.0) as u8;
        bytes.push((self.idf / IDF_STEP).round().clamp(0.0, 255.0) as u8);
        bytes.push(exponent);
        for weight in &self.weights {
            let step = (weight / scale(exponent)).round().clamp(-127.0, 127.0) as i8;
            bytes.extend(step.to_le_bytes());
        }
    }
}

fn scale(exponent: u8) -> f32 {
    (f32::from(exponent) * SCALE_STEP - SCALE_OFFSET).exp()
}

/// The model as inference uses it.
#[derive(Debug)]
pub struct Model<'a> {
    source: &'a [u8; 32],
    classes: Vec<&'a str>,
    bias: &'a [[u8; 4]],
    fusion: [f32; EVIDENCE],
    phrases: PhraseIndex<'a>,
    table: HashTable<'a, KEY_BYTES>,
    rows: &'a [u8],
    scales: [f32; 256],
}

/// What the model makes of one prompt.
#[derive(Debug)]
pub(super) struct ModelVerdict {
    /// By class; they add up to 1.
    pub(super) probabilities: Vec<f32>,
    /// The probability that no skill fits.
    pub(super) none: f32,
    /// Key phrases by class.
    pub(super) keys: Vec<PhraseHit>,
    /// The part of the prompt that training had seen.
    pub(super) known: f32,
}

impl Model<'static> {
    /// The model that ships.
    pub fn shipped() -> &'static Self {
        static MODEL: OnceLock<Model<'static>> = OnceLock::new();
        MODEL.get_or_init(|| {
            // A test keeps the file readable; a model without classes recommends nothing.
            Self::read(SHIPPED).unwrap_or_else(Self::empty)
        })
    }

    fn empty() -> Self {
        Self {
            source: &[0; 32],
            classes: Vec::new(),
            bias: &[],
            fusion: [0.0; EVIDENCE],
            phrases: PhraseIndex::new([]),
            table: HashTable::from_sorted(&[]),
            rows: &[],
            scales: [0.0; 256],
        }
    }
}

impl<'a> Model<'a> {
    /// Reads a model; `None` when the bytes are not one.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let bytes = bytes.strip_prefix(MAGIC)?;
        let (source, bytes) = bytes.split_first_chunk()?;
        let (&count, mut bytes) = bytes.split_first()?;
        let count = usize::from(count);
        let mut classes = Vec::with_capacity(count);
        for _ in 0..count {
            let (&length, rest) = bytes.split_first()?;
            let (name, rest) = rest.split_at_checked(usize::from(length))?;
            classes.push(std::str::from_utf8(name).ok()?);
            bytes = rest;
        }
        let (bias, bytes) = bytes.split_at_checked(4 * count)?;
        let (fusion, bytes) = bytes.split_at_checked(4 * EVIDENCE)?;
        let (phrases, bytes) = PhraseIndex::read(bytes)?;
        let (features, bytes) = bytes.split_first_chunk()?;
        let features = u32::from_le_bytes(*features) as usize;
        let (directory, bytes) = bytes.split_at_checked(DIRECTORY_BYTES)?;
        let (keys, rows) = bytes.split_at_checked(features.checked_mul(KEY_BYTES)?)?;
        let whole = rows.len() == features.checked_mul(ROW_HEAD + count)? && count <= MOST_CLASSES;
        let mut weights = [0.0; EVIDENCE];
        for (weight, bytes) in weights.iter_mut().zip(fusion.as_chunks().0) {
            *weight = f32::from_le_bytes(*bytes);
        }
        let mut scales = [0.0; 256];
        for (exponent, value) in (0..=u8::MAX).zip(&mut scales) {
            *value = scale(exponent);
        }
        whole.then_some(Self {
            source,
            classes,
            bias: bias.as_chunks().0,
            fusion: weights,
            phrases,
            table: HashTable::read(directory, keys)?,
            rows,
            scales,
        })
    }

    /// What the model was trained on.
    pub fn source(&self) -> [u8; 32] {
        *self.source
    }

    /// The names of the skills that it knows, and of [`NONE`].
    pub fn classes(&self) -> &[&'a str] {
        &self.classes
    }

    pub(super) fn fusion(&self) -> &[f32; EVIDENCE] {
        &self.fusion
    }

    /// How often a word stands in the training's prompts: the rarer, the higher; `None` when it is in fewer than two.
    pub(super) fn idf(&self, feature: Hash) -> Option<f32> {
        let row = self.table.find(feature).next()?;
        self.row(row).map(|(idf, _, _)| idf)
    }

    fn row(&self, row: usize) -> Option<(f32, f32, &'a [u8])> {
        let stride = ROW_HEAD + self.classes.len();
        let row = self.rows.get(row * stride..(row + 1) * stride)?;
        let ([idf, exponent], weights) = row.split_first_chunk()?;
        let scale = self.scales.get(usize::from(*exponent))?;
        Some((f32::from(*idf) * IDF_STEP, *scale, weights))
    }

    /// Weighs every class for a prompt.
    pub(super) fn judge(
        &self,
        reading: &ConceptReading<'_>,
        vocabulary: &Vocabulary<'_>,
    ) -> ModelVerdict {
        let features = Features::of_reading(reading, vocabulary);
        let bias = self.bias.iter().map(|bias| f32::from_le_bytes(*bias));
        let mut scores: Vec<f32> = bias.collect();
        let known = self.weigh(&features.wording, &mut scores).known();
        self.weigh(&features.concepts, &mut scores);
        softmax(&mut scores);
        let none = self.classes.iter().position(|class| *class == NONE);
        let mut keys = self.phrases.find(&reading.text);
        keys.retain(|hit| reading.counts_phrase(&hit.units));
        ModelVerdict {
            none: none
                .and_then(|none| scores.get(none))
                .copied()
                .unwrap_or(0.0),
            probabilities: scores,
            keys,
            known,
        }
    }

    /// How much a feature speaks for a class.
    pub(super) fn weight(&self, feature: Hash, class: usize) -> f32 {
        let row = self
            .table
            .find(feature)
            .next()
            .and_then(|row| self.row(row));
        row.and_then(|(idf, scale, weights)| {
            let weight = weights.get(class)?;
            Some(idf * scale * f32::from(weight.cast_signed()))
        })
        .unwrap_or(0.0)
    }

    /// The classes whose key phrases are in a prompt, by number.
    pub fn keys(&self, prompt: &str, vocabulary: &Vocabulary<'_>) -> Vec<u16> {
        let verdict = self.judge(&vocabulary.read_prompt(prompt), vocabulary);
        verdict.keys.iter().map(|hit| hit.id).collect()
    }

    /// Adds what one kind of features says, each kind scaled to the same length.
    fn weigh(&self, features: &[u64], scores: &mut [f32]) -> Mass {
        let mut sums = [0.0_f32; MOST_CLASSES];
        let mut mass = Mass::default();
        for feature in features {
            let row = self
                .table
                .find(Hash(*feature))
                .next()
                .and_then(|row| self.row(row));
            let Some((idf, scale, weights)) = row else {
                mass.add_unknown();
                continue;
            };
            mass.add(idf);
            let factor = idf * scale;
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += factor * f32::from(weight.cast_signed());
            }
        }
        let norm = mass.norm();
        for (score, sum) in scores.iter_mut().zip(sums) {
            *score += sum / norm;
        }
        mass
    }
}

/// How much a prompt says, and how much of that training had seen.
#[derive(Debug, Default, Clone, Copy)]
pub struct Mass {
    known: f32,
    unknown: f32,
}

/// What a feature that training has not seen adds to the length of a prompt: it must weaken the rest, but not drown it.
const UNKNOWN: f32 = 4.0;

impl Mass {
    pub fn add(&mut self, idf: f32) {
        self.known += idf * idf;
    }

    pub fn add_unknown(&mut self) {
        self.unknown += UNKNOWN;
    }

    /// The length of a prompt's vector; never 0.
    pub fn norm(self) -> f32 {
        (self.known + self.unknown).sqrt().max(1.0)
    }

    fn known(self) -> f32 {
        self.known / (self.known + self.unknown).max(1.0)
    }
}

/// Makes scores into probabilities.
pub fn softmax(scores: &mut [f32]) {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = (*score - most).exp();
        sum += *score;
    }
    for score in scores.iter_mut() {
        *score /= sum;
    }
}
