//! Hashes of words and phrases, and sorted tables of them that are read where they lie.
//!
//! The same on every machine and in every version, because baked files contain them.

use std::borrow::Cow;
use std::ops::Range;

/// A mixed 64-bit hash; its leading bytes are as good as the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Hash(pub(crate) u64);

const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

impl Hash {
    pub(crate) const EMPTY: Self = Self(0x517c_c1b7_2722_0a95);

    pub(crate) fn of(text: &str) -> Self {
        text.chars().fold(Self::EMPTY, Self::with_char)
    }

    pub(crate) fn with_char(self, sign: char) -> Self {
        self.with(u64::from(u32::from(sign)))
    }

    /// The hash of a sequence one longer.
    pub(crate) fn with(self, value: u64) -> Self {
        let mixed = (self.0.rotate_left(23) ^ value).wrapping_mul(SPREAD);
        Self(mixed ^ (mixed >> 29))
    }
}

/// Bits of the hash that choose a bucket.
const BUCKET_BITS: u32 = 12;
const BUCKETS: usize = 1 << BUCKET_BITS;
/// Bytes of the bucket directory: where each bucket starts, and where the last ends.
pub(crate) const DIRECTORY_BYTES: usize = 4 * (BUCKETS + 1);

/// Sorted hashes, cut to `N` bytes, most significant byte first.
#[derive(Debug, Clone)]
pub(crate) struct HashTable<'a, const N: usize> {
    directory: Cow<'a, [[u8; 4]]>,
    keys: Cow<'a, [[u8; N]]>,
}

impl<const N: usize> HashTable<'static, N> {
    /// Takes hashes in ascending order; equal ones stay side by side.
    pub(crate) fn from_sorted(hashes: &[Hash]) -> Self {
        let keys: Vec<[u8; N]> = hashes.iter().map(|hash| cut(*hash)).collect();
        let mut rest = hashes.iter().map(|hash| bucket_of(*hash)).peekable();
        let mut before = 0_u32;
        let directory = (0..=BUCKETS)
            .map(|bucket| {
                while rest.next_if(|of| *of < bucket).is_some() {
                    before += 1;
                }
                before.to_le_bytes()
            })
            .collect();
        Self {
            directory,
            keys: Cow::Owned(keys),
        }
    }
}

impl<'a, const N: usize> HashTable<'a, N> {
    /// Reads a table where it lies; `None` when the bytes are not one.
    pub(crate) fn read(directory: &'a [u8], keys: &'a [u8]) -> Option<Self> {
        let (directory, odd) = directory.as_chunks();
        let (keys, odd_key) = keys.as_chunks();
        (directory.len() == BUCKETS + 1 && odd.is_empty() && odd_key.is_empty()).then_some(Self {
            directory: Cow::Borrowed(directory),
            keys: Cow::Borrowed(keys),
        })
    }

    pub(crate) fn write(&self, directory: &mut Vec<u8>, keys: &mut Vec<u8>) {
        directory.extend(self.directory.iter().flatten());
        keys.extend(self.keys.iter().flatten());
    }

    /// The rows with this hash.
    pub(crate) fn find(&self, hash: Hash) -> Range<usize> {
        let bucket = bucket_of(hash);
        let bound = |bucket: usize| {
            self.directory
                .get(bucket)
                .map_or(0, |at| u32::from_le_bytes(*at) as usize)
        };
        let start = bound(bucket);
        let keys = self.keys.get(start..bound(bucket + 1)).unwrap_or_default();
        let key = number(&cut::<N>(hash));
        let mut rest = keys.iter().map(number);
        let first = rest.position(|it| it >= key).unwrap_or(keys.len());
        let same = keys.iter().skip(first).map(number);
        let count = same.take_while(|it| *it == key).count();
        start + first..start + first + count
    }
}

fn bucket_of(hash: Hash) -> usize {
    usize::try_from(hash.0 >> (64 - BUCKET_BITS)).unwrap_or_default()
}

/// A key as a number in the same order: arrays are compared by a call, and this is done a hundred times for a prompt.
fn number<const N: usize>(key: &[u8; N]) -> u64 {
    key.iter()
        .fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

fn cut<const N: usize>(hash: Hash) -> [u8; N] {
    hash.0
        .to_be_bytes()
        .first_chunk()
        .copied()
        .unwrap_or([0; N])
}
