//! The smallest so many of a stream, and how many went by.

use std::collections::BinaryHeap;

/// Keeps at most `limit` values, whatever passes.
#[derive(Debug)]
pub(super) struct Smallest<T> {
    limit: usize,
    total: usize,
    kept: BinaryHeap<T>,
}

impl<T: Ord> Smallest<T> {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            total: 0,
            kept: BinaryHeap::new(),
        }
    }

    /// Counts a value; copies it only when it is kept.
    pub(super) fn push_with<B>(&mut self, value: &B, copy: impl FnOnce(&B) -> T)
    where
        T: std::borrow::Borrow<B>,
        B: Ord + ?Sized,
    {
        self.total += 1;
        if self.kept.len() < self.limit {
            self.kept.push(copy(value));
        } else if let Some(mut largest) = self.kept.peek_mut()
            && value < (*largest).borrow()
        {
            *largest = copy(value);
        }
    }

    pub(super) fn merge(limit: usize, parts: impl Iterator<Item = Self>) -> Self {
        let mut all = Self::new(limit);
        for part in parts {
            all.total += part.total;
            all.kept.extend(part.kept);
            while all.kept.len() > limit {
                all.kept.pop();
            }
        }
        all
    }

    pub(super) fn total(&self) -> usize {
        self.total
    }

    pub(super) fn into_sorted(self) -> Vec<T> {
        self.kept.into_sorted_vec()
    }
}
