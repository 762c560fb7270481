//! Multinomial logistic regression by stochastic gradient descent with AdaGrad steps, averaged over the last epochs.
//!
//! Plain on purpose: some ten thousand short examples need no library.

use std::collections::{BTreeMap, BTreeSet};

use mk_prompt::{FeatureRow, Mass, softmax};

use super::Example;

const EPOCHS: usize = 20;
/// Weights are averaged from this epoch on, which evens out the last steps.
const AVERAGED_FROM: usize = EPOCHS / 2;
const STEP: f32 = 0.3;
/// How strongly weights are pulled to zero.
const DECAY: f32 = 1e-4;
/// Features in fewer examples than this are not learned: they would be learned by heart.
const LEAST_EXAMPLES: u32 = 3;
const SEED: u64 = 0x2545_f491_4f6c_dd1d;

#[derive(Debug)]
pub(super) struct Fitted {
    pub(super) bias: Vec<f32>,
    pub(super) features: BTreeMap<u64, FeatureRow>,
}

/// A feature's column, and its value in one example.
type Vector = Vec<(usize, f32)>;

pub(super) fn fit(examples: &[&Example], classes: usize) -> Fitted {
    let columns = Columns::new(examples);
    let vectors: Vec<Vector> = examples
        .iter()
        .map(|example| columns.vector(example))
        .collect();
    let mut weights = Weights::new(columns.idf.len(), classes);
    let mut averaged = weights.values.clone();
    let mut averaged_bias = weights.bias.clone();
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let mut chance = SEED;
    for epoch in 0..EPOCHS {
        shuffle(&mut order, &mut chance);
        for place in &order {
            if let (Some(example), Some(vector)) = (examples.get(*place), vectors.get(*place)) {
                weights.step(example, vector);
            }
        }
        if epoch >= AVERAGED_FROM {
            add(&mut averaged, &weights.values);
            add(&mut averaged_bias, &weights.bias);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a count of epochs")]
    let share = 1.0 / (EPOCHS - AVERAGED_FROM) as f32;
    let rows = averaged
        .chunks(classes)
        .zip(&columns.idf)
        .map(|(row, idf)| FeatureRow {
            idf: *idf,
            weights: row.iter().map(|weight| weight * share).collect(),
        });
    Fitted {
        bias: averaged_bias.iter().map(|bias| bias * share).collect(),
        features: columns.places.keys().copied().zip(rows).collect(),
    }
}

fn add(sums: &mut [f32], values: &[f32]) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}

/// Fisher and Yates, with xorshift.
fn shuffle(order: &mut [usize], chance: &mut u64) {
    for last in (1..order.len()).rev() {
        *chance ^= *chance << 13;
        *chance ^= *chance >> 7;
        *chance ^= *chance << 17;
        let other = *chance % (last as u64 + 1);
        order.swap(last, usize::try_from(other).unwrap_or_default());
    }
}

/// The features that are learned.
struct Columns {
    places: BTreeMap<u64, usize>,
    idf: Vec<f32>,
}

impl Columns {
    fn new(examples: &[&Example]) -> Self {
        let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
        for example in examples {
            let features = example
                .features
                .wording
                .iter()
                .chain(&example.features.concepts);
            let distinct: BTreeSet<u64> = features.copied().collect();
            for feature in distinct {
                *counts.entry(feature).or_default() += 1;
            }
        }
        counts.retain(|_, count| *count >= LEAST_EXAMPLES);
        #[expect(clippy::cast_precision_loss, reason = "counts of examples")]
        let idf = |count: &u32| ((1.0 + examples.len() as f32) / (1.0 + *count as f32)).ln() + 1.0;
        Self {
            idf: counts.values().map(idf).collect(),
            places: counts.keys().copied().zip(0..).collect(),
        }
    }

    /// Both kinds of features, each scaled to the same length, as inference does it.
    fn vector(&self, example: &Example) -> Vector {
        let mut vector = Vector::new();
        for features in [&example.features.wording, &example.features.concepts] {
            let known = features.iter().map(|feature| {
                let place = *self.places.get(feature)?;
                Some((place, *self.idf.get(place)?))
            });
            let known: Vec<Option<(usize, f32)>> = known.collect();
            let mut mass = Mass::default();
            for feature in &known {
                match feature {
                    Some((_, idf)) => mass.add(*idf),
                    None => mass.add_unknown(),
                }
            }
            let norm = mass.norm();
            vector.extend(
                known
                    .into_iter()
                    .flatten()
                    .map(|(place, idf)| (place, idf / norm)),
            );
        }
        vector
    }
}

/// One row a feature, one number a class, with the squares of past gradients beside.
struct Weights {
    classes: usize,
    values: Vec<f32>,
    squares: Vec<f32>,
    bias: Vec<f32>,
    bias_squares: Vec<f32>,
}

impl Weights {
    fn new(features: usize, classes: usize) -> Self {
        // Never divide by nothing.
        const FIRST: f32 = 1e-6;
        Self {
            classes,
            values: vec![0.0; features * classes],
            squares: vec![FIRST; features * classes],
            bias: vec![0.0; classes],
            bias_squares: vec![FIRST; classes],
        }
    }

    fn step(&mut self, example: &Example, vector: &Vector) {
        let mut errors = self.bias.clone();
        for (place, value) in vector {
            let row = self
                .values
                .chunks(self.classes)
                .nth(*place)
                .unwrap_or_default();
            for (error, weight) in errors.iter_mut().zip(row) {
                *error += value * weight;
            }
        }
        softmax(&mut errors);
        if let Some(error) = errors.get_mut(example.class) {
            *error -= 1.0;
        }
        for error in &mut errors {
            *error *= example.weight;
        }
        descend(&mut self.bias, &mut self.bias_squares, &errors, 1.0, 0.0);
        for (place, value) in vector {
            let span = place * self.classes..(place + 1) * self.classes;
            let row = self.values.get_mut(span.clone()).unwrap_or_default();
            let squares = self.squares.get_mut(span).unwrap_or_default();
            descend(row, squares, &errors, *value, DECAY);
        }
    }
}

fn descend(row: &mut [f32], squares: &mut [f32], errors: &[f32], value: f32, decay: f32) {
    for ((weight, square), error) in row.iter_mut().zip(squares).zip(errors) {
        let gradient = error * value + decay * *weight;
        *square += gradient * gradient;
        *weight -= STEP * gradient / square.sqrt();
    }
}
