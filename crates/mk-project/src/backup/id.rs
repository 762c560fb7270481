//! Names of change sets: when, a random part, and how much is kept, so that pruning has to open none of them.

use mk_types::{Timestamp, random_symbols};

use super::kept_bytes;
use crate::file::FileStep;

const SYMBOLS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
const RADIX: u32 = 36;
/// Milliseconds in this many symbols last until the year 5188.
const TIME_WIDTH: usize = 9;
const RANDOM_WIDTH: usize = 6;
/// A name further in the future was made by a clock that was wrong: it must not push all later names there.
const FURTHEST: u64 = 24 * 60 * 60 * 1000;
const KILOBYTE: u64 = 1024;

/// A change set's name. They compare as they were made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SetId {
    text: String,
    millis: u64,
    kilobytes: u64,
}

impl SetId {
    /// A name that sorts behind `newest`, also when both are made in one millisecond.
    pub(super) fn after(newest: Option<&Self>, now: Timestamp, steps: &[FileStep]) -> Self {
        let bytes: usize = steps.iter().filter_map(kept_bytes).map(<[u8]>::len).sum();
        Self::sized(newest, now, bytes as u64)
    }

    /// The same for a set of this many bytes.
    pub(super) fn sized(newest: Option<&Self>, now: Timestamp, bytes: u64) -> Self {
        let now = u64::try_from(now.as_millis()).unwrap_or(0);
        let newest = newest
            .map(|set| set.millis)
            .filter(|millis| *millis < now + FURTHEST);
        let millis = newest.map_or(now, |newest| now.max(newest + 1));
        // Each set takes a block or two for its description.
        let kilobytes = bytes.div_ceil(KILOBYTE) + 4;
        let text = format!(
            "{:0>TIME_WIDTH$}-{}-{}",
            in_base_36(millis),
            random_symbols(RANDOM_WIDTH),
            in_base_36(kilobytes)
        );
        Self {
            text,
            millis,
            kilobytes,
        }
    }

    /// Reads a name from the folder or from a person; other names are not ours.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let (time, random, size) = (parts.next()?, parts.next()?, parts.next()?);
        let ours = parts.next().is_none()
            && time.len() == TIME_WIDTH
            && random.len() == RANDOM_WIDTH
            && text
                .bytes()
                .all(|byte| byte == b'-' || SYMBOLS.contains(&byte));
        if !ours {
            return None;
        }
        Some(Self {
            text: text.to_owned(),
            millis: u64::from_str_radix(time, RADIX).ok()?,
            kilobytes: u64::from_str_radix(size, RADIX).ok()?,
        })
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    pub(super) fn at(&self) -> Timestamp {
        Timestamp::from_millis(i64::try_from(self.millis).unwrap_or(i64::MAX))
    }

    pub(super) fn bytes(&self) -> u64 {
        self.kilobytes.saturating_mul(KILOBYTE)
    }
}

fn in_base_36(mut number: u64) -> String {
    let mut symbols = Vec::new();
    loop {
        let digit = usize::try_from(number % u64::from(RADIX)).unwrap_or(0);
        symbols.push(char::from(SYMBOLS[digit]));
        number /= u64::from(RADIX);
        if number == 0 {
            return symbols.into_iter().rev().collect();
        }
    }
}
