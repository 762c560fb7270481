//! Sets of UTF-16 code units, which is what JavaScript calls a character.
//!
//! It knows JavaScript's named sets and their complements, and no engine.

/// UTF-16 code units, as inclusive ranges: sorted, apart from each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Set(pub(crate) Vec<(u16, u16)>);

impl Set {
    pub(crate) fn single(unit: u16) -> Self {
        Self(vec![(unit, unit)])
    }

    pub(crate) fn digits() -> Self {
        Self(vec![(0x30, 0x39)])
    }

    pub(crate) fn word() -> Self {
        Self(vec![(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)])
    }

    pub(crate) fn space() -> Self {
        Self(vec![
            (0x09, 0x0D),
            (0x20, 0x20),
            (0xA0, 0xA0),
            (0x1680, 0x1680),
            (0x2000, 0x200A),
            (0x2028, 0x2029),
            (0x202F, 0x202F),
            (0x205F, 0x205F),
            (0x3000, 0x3000),
            (0xFEFF, 0xFEFF),
        ])
    }

    pub(crate) fn line_end() -> Self {
        Self(vec![(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)])
    }

    pub(crate) fn from_ranges(mut ranges: Vec<(u16, u16)>) -> Self {
        ranges.sort_unstable();
        let mut merged: Vec<(u16, u16)> = Vec::with_capacity(ranges.len());
        for (low, high) in ranges {
            match merged.last_mut() {
                Some(last) if u32::from(low) <= u32::from(last.1) + 1 => {
                    last.1 = last.1.max(high);
                }
                _ => merged.push((low, high)),
            }
        }
        Self(merged)
    }

    pub(crate) fn complement(&self) -> Self {
        let mut ranges = Vec::with_capacity(self.0.len() + 1);
        let mut next = Some(0);
        for (low, high) in &self.0 {
            if let Some(start) = next
                && start < *low
            {
                ranges.push((start, low - 1));
            }
            next = high.checked_add(1);
        }
        if let Some(start) = next {
            ranges.push((start, u16::MAX));
        }
        Self(ranges)
    }
}
