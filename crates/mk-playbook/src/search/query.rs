//! Answers one query from the index.

use std::collections::BTreeMap;

use memchr::memmem;
use mk_prompt::Vocabulary;

use super::index::{PassageIndex, Posting};
use super::token::{is_stop_word, is_unspaced, words};
use crate::place::{ContentKind, ContentLayer, ContentPlace};

use super::{FileMatch, LineMatch, RuleSearchResult, SearchLimits};

/// What is longer is no query; its start says what it is about.
const LONGEST_QUERY: usize = 500;
const MOST_WORDS: usize = 16;
const LONGEST_LINE: usize = 300;
/// BM25: how soon repetition stops to count, and how much a long passage is held back.
const SATURATION: f32 = 1.2;
const LENGTH_WEIGHT: f32 = 0.6;
/// A word in a heading counts as often as this in the text.
const HEADING_WEIGHT: f32 = 2.0;
/// A part of a word counts less than the word.
const PART_WEIGHT: f32 = 0.5;
/// A word that was only meant counts less than one that was typed.
const MEANT_WEIGHT: f32 = 0.6;
/// Other passages of a file add this share to its best one.
const OTHERS_SHARE: f32 = 0.1;
/// A file below this share of the best one is noise, unless it has the query as typed.
const LEAST_SHARE: f32 = 0.15;
/// As many lines as are compared with the query as typed, and as many of them in passages that lack one of its words.
const MOST_COMPARED: usize = 2_000;
const MOST_DOUBTFUL: usize = 200;

/// What is known of each passage while a query is answered.
struct PassageScores {
    score: Vec<f32>,
    n_words: Vec<u8>,
    frequency: Vec<f32>,
    is_exact: Vec<bool>,
}

/// A line that fits: which document, which line, and whether it has the query as typed.
type Hits = BTreeMap<(u32, u32), (f32, bool)>;

impl PassageIndex {
    pub(super) fn search(&self, text: &str, limits: &SearchLimits) -> RuleSearchResult {
        let typed: String = text.trim().chars().take(LONGEST_QUERY).collect();
        let typed = typed.to_lowercase();
        let all = query_words(&typed);
        let mut wanted = all.clone();
        wanted.sort();
        wanted.dedup();
        if wanted.iter().any(|word| !is_stop_word(word)) {
            wanted.retain(|word| !is_stop_word(word));
        }
        let groups: Vec<&[u32]> = wanted.iter().map(|word| self.forms(word)).collect();
        let meant: Vec<&[u32]> = meant(&typed).map(|word| self.forms(word)).collect();
        let mut scores = PassageScores {
            score: vec![0.0; self.passages.len()],
            n_words: vec![0; self.passages.len()],
            frequency: vec![0.0; self.passages.len()],
            is_exact: vec![false; self.passages.len()],
        };
        let mut weights = Vec::new();
        for group in &groups {
            weights.push(self.score(group, 1.0, &mut scores));
        }
        let mut meant_weights = Vec::new();
        for group in &meant {
            meant_weights.push(self.score(group, MEANT_WEIGHT, &mut scores));
        }
        let n_wanted = u8::try_from(wanted.len().max(1)).unwrap_or(u8::MAX);
        let exact = match all.as_slice() {
            [] => Vec::new(),
            [word] => self.exact_word(
                word,
                groups.first().copied().unwrap_or_default(),
                &mut scores,
            ),
            [_, ..] => self.exact_phrase(&typed, &all, n_wanted, &mut scores),
        };
        let phrase: f32 = weights.iter().sum::<f32>().max(1.0);
        for ((score, n_words), is_exact) in scores
            .score
            .iter_mut()
            .zip(&scores.n_words)
            .zip(&scores.is_exact)
        {
            *score *= 0.4 + 0.6 * f32::from(*n_words) / f32::from(n_wanted);
            if *is_exact {
                *score += phrase;
            }
        }
        let (shown, n_files) = self.rank(&scores, limits.files);
        let mut is_shown = vec![false; self.documents.len()];
        for (id, _) in &shown {
            if let Some(flag) = is_shown.get_mut(*id as usize) {
                *flag = true;
            }
        }
        let mut hits = Hits::new();
        let all_groups = groups.iter().chain(&meant);
        for (group, weight) in all_groups.zip(weights.iter().chain(&meant_weights)) {
            self.note(
                self.postings_of(group),
                &is_shown,
                |hit| hit.0 += weight,
                &mut hits,
            );
        }
        self.note(exact.iter(), &is_shown, |hit| hit.1 = true, &mut hits);
        RuleSearchResult {
            files: self.present(&shown, &hits, limits),
            n_files,
        }
    }

    /// Adds a group's share to the score of every passage; gives back how much a rare word it is.
    fn score(&self, group: &[u32], weight: f32, scores: &mut PassageScores) -> f32 {
        let mut touched = Vec::new();
        for posting in self.postings_of(group) {
            let Some(frequency) = scores.frequency.get_mut(posting.passage as usize) else {
                continue;
            };
            if *frequency == 0.0 {
                touched.push(posting.passage as usize);
            }
            *frequency += if posting.line == 0 {
                HEADING_WEIGHT
            } else {
                1.0
            };
        }
        let n_passages = self.passages.len() as f32;
        let n_with = touched.len() as f32;
        let rarity = (1.0 + (n_passages - n_with + 0.5) / (n_with + 0.5)).ln() * weight;
        let average = (self.n_words as f32 / n_passages).max(1.0);
        for passage_idx in touched {
            let (Some(frequency), Some(score), Some(n_words), Some(passage)) = (
                scores.frequency.get_mut(passage_idx),
                scores.score.get_mut(passage_idx),
                scores.n_words.get_mut(passage_idx),
                self.passages.get(passage_idx),
            ) else {
                continue;
            };
            let length = 1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * passage.length as f32 / average;
            *score += rarity * *frequency * (SATURATION + 1.0) / (*frequency + SATURATION * length);
            *n_words = n_words.saturating_add(1);
            *frequency = 0.0;
        }
        rarity
    }

    /// The lines with words that the query's only word is a part of. Forms of the word have their score already.
    fn exact_word(&self, word: &str, forms: &[u32], scores: &mut PassageScores) -> Vec<Posting> {
        if word.chars().count() < 2 && !word.chars().all(is_unspaced) {
            return Vec::new();
        }
        let terms = self.terms_with(word);
        let parts: Vec<u32> = terms
            .iter()
            .filter(|term| !forms.contains(term))
            .copied()
            .collect();
        self.score(&parts, PART_WEIGHT, scores);
        let exact: Vec<Posting> = self.postings_of(&terms).copied().collect();
        for posting in &exact {
            if let Some(is_exact) = scores.is_exact.get_mut(posting.passage as usize) {
                *is_exact = true;
            }
        }
        exact
    }

    /// The lines that have the query as it is typed: among those with its rarest word, compared one by one.
    fn exact_phrase(
        &self,
        typed: &str,
        all: &[String],
        n_wanted: u8,
        scores: &mut PassageScores,
    ) -> Vec<Posting> {
        let last = all.len() - 1;
        let candidates = all.iter().enumerate().map(|(word_idx, word)| {
            // The first and the last word may be cut off.
            let is_whole = word.chars().any(is_unspaced) || word_idx > 0 && word_idx < last;
            if is_whole {
                self.term(word).into_iter().collect()
            } else {
                self.terms_with(word)
            }
        });
        let rarest = candidates
            .min_by_key(|terms: &Vec<u32>| self.postings_of(terms).count())
            .unwrap_or_default();
        let finder = memmem::Finder::new(typed);
        // Only these letters have a case that the lower text does not fold.
        let has_other_case = typed
            .chars()
            .any(|character| !character.is_ascii() && character.is_lowercase());
        let mut exact = Vec::new();
        let mut n_compared = 0;
        let mut n_doubtful = 0;
        for posting in self.postings_of(&rarest).filter(|posting| posting.line > 0) {
            let passage_idx = posting.passage as usize;
            let has_all = scores
                .n_words
                .get(passage_idx)
                .is_some_and(|n_words| *n_words >= n_wanted);
            n_compared += 1;
            n_doubtful += usize::from(!has_all);
            if n_compared > MOST_COMPARED || !has_all && n_doubtful > MOST_DOUBTFUL {
                continue;
            }
            let document = self
                .passages
                .get(passage_idx)
                .and_then(|passage| self.documents.get(passage.document as usize));
            let is_found = document.is_some_and(|document| {
                if has_other_case {
                    document.line(posting.line).to_lowercase().contains(typed)
                } else {
                    finder
                        .find(document.lower_line(posting.line).as_bytes())
                        .is_some()
                }
            });
            if is_found && let Some(is_exact) = scores.is_exact.get_mut(passage_idx) {
                *is_exact = true;
                exact.push(*posting);
            }
        }
        exact
    }

    /// The terms that a word is a part of.
    fn terms_with(&self, word: &str) -> Vec<u32> {
        let mut terms: Vec<u32> = memmem::find_iter(self.dictionary.as_bytes(), word)
            .filter_map(|offset| {
                let after = self
                    .term_starts
                    .partition_point(|start| *start as usize <= offset);
                u32::try_from(after.checked_sub(1)?).ok()
            })
            .collect();
        terms.dedup();
        terms
    }

    fn postings_of(&self, terms: &[u32]) -> impl Iterator<Item = &Posting> {
        terms
            .iter()
            .filter_map(|term| self.postings.get(*term as usize))
            .flatten()
    }

    /// The best documents, the best first, and how many fit.
    fn rank(&self, scores: &PassageScores, most: usize) -> (Vec<(u32, f32)>, usize) {
        let mut best = vec![(0.0_f32, 0.0_f32, false); self.documents.len()];
        let scored = self
            .passages
            .iter()
            .zip(&scores.score)
            .zip(&scores.is_exact);
        for ((passage, score), is_exact) in scored {
            if *score > 0.0
                && let Some((highest, sum, any_exact)) = best.get_mut(passage.document as usize)
            {
                *highest = highest.max(*score);
                *sum += score;
                *any_exact |= is_exact;
            }
        }
        let mut ranked: Vec<(u32, f32, bool)> = (0_u32..)
            .zip(&self.documents)
            .zip(&best)
            .filter(|((_, document), (highest, _, _))| document.is_alive && *highest > 0.0)
            .map(|((id, document), (highest, sum, is_exact))| {
                let score = highest + OTHERS_SHARE * (sum - highest);
                (id, score * standing(&document.entry.place), *is_exact)
            })
            .collect();
        let least = ranked
            .iter()
            .map(|(_, score, _)| *score)
            .fold(0.0, f32::max)
            * LEAST_SHARE;
        ranked.retain(|(_, score, is_exact)| *is_exact || *score >= least);
        let n_files = ranked.len();
        let order = |left: &(u32, f32, bool), right: &(u32, f32, bool)| {
            right.1.total_cmp(&left.1).then(left.0.cmp(&right.0))
        };
        if most < ranked.len() {
            ranked.select_nth_unstable_by(most, order);
            ranked.truncate(most);
        }
        ranked.sort_by(order);
        let shown = ranked
            .into_iter()
            .map(|(id, score, _)| (id, score))
            .collect();
        (shown, n_files)
    }

    /// Notes something about every line of the shown documents that is in these postings.
    fn note<'a>(
        &self,
        postings: impl Iterator<Item = &'a Posting>,
        is_shown: &[bool],
        mut note: impl FnMut(&mut (f32, bool)),
        hits: &mut Hits,
    ) {
        for posting in postings.filter(|posting| posting.line > 0) {
            let document = self
                .passages
                .get(posting.passage as usize)
                .map(|passage| passage.document);
            if let Some(document) = document
                && is_shown.get(document as usize).copied().unwrap_or_default()
            {
                note(hits.entry((document, posting.line)).or_default());
            }
        }
    }

    fn present(&self, shown: &[(u32, f32)], hits: &Hits, limits: &SearchLimits) -> Vec<FileMatch> {
        let mut files = Vec::new();
        let mut chosen: Vec<Vec<(u32, f32, bool)>> = Vec::new();
        for (id, _) in shown {
            let mut lines: Vec<(u32, f32, bool)> = hits
                .range((*id, 0)..=(*id, u32::MAX))
                .map(|((_, line), (weight, is_exact))| (*line, *weight, *is_exact))
                .collect();
            lines.sort_by(|left, right| {
                let by_weight = right.2.cmp(&left.2).then(right.1.total_cmp(&left.1));
                by_weight.then(left.0.cmp(&right.0))
            });
            chosen.push(lines);
        }
        let shares = share_out(&chosen, limits);
        for (((id, score), lines), share) in shown.iter().zip(&chosen).zip(shares) {
            let Some(document) = self.documents.get(*id as usize).filter(|_| share > 0) else {
                continue;
            };
            let mut numbers: Vec<u32> =
                lines.iter().take(share).map(|(line, _, _)| *line).collect();
            numbers.sort_unstable();
            let place = &document.entry.place;
            files.push(FileMatch {
                path: place.address.clone(),
                layer: place.layer,
                score: (score * 100.0).round() / 100.0,
                lines: numbers
                    .into_iter()
                    .map(|line| LineMatch {
                        line,
                        text: document.line(line).chars().take(LONGEST_LINE).collect(),
                    })
                    .collect(),
                n_lines: lines.len(),
            });
        }
        files
    }
}

/// How many lines each file may show: one for each in turn, so that no file takes the place of all others.
fn share_out(chosen: &[Vec<(u32, f32, bool)>], limits: &SearchLimits) -> Vec<usize> {
    let mut shares = vec![0; chosen.len()];
    let mut left = limits.lines;
    for round in 0..limits.lines_per_file {
        for (share, lines) in shares.iter_mut().zip(chosen) {
            if left > 0 && lines.len() > round {
                *share += 1;
                left -= 1;
            }
        }
    }
    shares
}

/// What a file says counts more in rules than in the furniture of an agent's or a checklist's JSON, and more if the team
/// wrote it.
fn standing(place: &ContentPlace) -> f32 {
    let kind = match place.kind {
        ContentKind::Rule => 1.0,
        ContentKind::Skill => 0.9,
        ContentKind::Checklist => 0.6,
        ContentKind::Agent => 0.5,
    };
    match place.layer {
        ContentLayer::Embedded => kind,
        ContentLayer::User | ContentLayer::Project => kind * 1.25,
    }
}

/// English words for what a query in a script without spaces, or in Korean, speaks of: most content is English.
fn meant(typed: &str) -> impl Iterator<Item = &'static str> {
    let is_other = typed.chars().any(is_unspaced);
    let words = is_other.then(|| Vocabulary::shipped().concept_words(typed));
    words.unwrap_or_default().into_iter()
}

fn query_words(typed: &str) -> Vec<String> {
    let mut found = Vec::new();
    words(typed, &mut String::new(), |word| {
        if found.len() < MOST_WORDS {
            found.push(word.to_owned());
        }
    });
    found
}
