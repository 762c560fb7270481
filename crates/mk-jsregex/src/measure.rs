//! How large a pattern becomes in an engine, and how many characters its parts take.
//!
//! The size is an estimate that errs upwards: a pattern is refused here, in microseconds, instead of
//! by an engine after it has built most of it.

use crate::set::Set;
use crate::syntax::PatternNode;

/// In units of [`Measure::cost`]; chosen so that what passes also compiles within the size limit.
pub(crate) const MAX_COST: u64 = 12_000;

/// How large a node becomes in an engine, and how many characters it takes.
pub(crate) struct Measure {
    pub(crate) cost: u64,
    min_width: u64,
    pub(crate) max_width: u64,
}

pub(crate) fn measure(node: &PatternNode) -> Measure {
    let mut total = Measure {
        cost: 1,
        min_width: 0,
        max_width: 0,
    };
    match node {
        PatternNode::Set(set) => {
            total.cost = set_cost(set);
            total.min_width = 1;
            total.max_width = 1;
        }
        PatternNode::Start
        | PatternNode::End
        | PatternNode::WordBoundary
        | PatternNode::NotWordBoundary => {}
        PatternNode::Sequence(nodes) => {
            for part in nodes.iter().map(measure) {
                total.cost = total.cost.saturating_add(part.cost);
                total.min_width = total.min_width.saturating_add(part.min_width);
                total.max_width = total.max_width.saturating_add(part.max_width);
            }
        }
        PatternNode::Choice(nodes) => {
            total.min_width = u64::MAX;
            for part in nodes.iter().map(measure) {
                total.cost = total.cost.saturating_add(part.cost);
                total.min_width = total.min_width.min(part.min_width);
                total.max_width = total.max_width.max(part.max_width);
            }
        }
        PatternNode::Repeat { node, min, max, .. } => {
            let part = measure(node);
            let copies = u64::from(max.unwrap_or(*min).max(1));
            total.cost = part.cost.saturating_mul(copies).saturating_add(1);
            total.min_width = part.min_width.saturating_mul(u64::from(*min));
            total.max_width = match max {
                Some(max) => part.max_width.saturating_mul(u64::from(*max)),
                None if part.max_width == 0 => 0,
                None => u64::MAX,
            };
        }
        PatternNode::Look { node, .. } => total.cost = measure(node).cost.saturating_add(2),
    }
    total
}

/// Calibrated with repetitions of many sets: beyond ASCII a set is a small automaton over bytes.
fn set_cost(set: &Set) -> u64 {
    let ranges = u64::try_from(set.0.len()).unwrap_or(MAX_COST);
    match set.0.as_slice() {
        [(low, high)] if low == high => 2,
        [.., (_, high)] if *high >= 0x80 => ranges.saturating_mul(2).saturating_add(12),
        _ => ranges.saturating_add(2),
    }
}

/// The engine for look-behinds steps back a fixed number of characters, once for each branch.
pub(crate) fn has_fixed_branches(node: &PatternNode) -> bool {
    let branches = match node {
        PatternNode::Choice(branches) => branches.as_slice(),
        _ => std::slice::from_ref(node),
    };
    branches.iter().all(|branch| {
        let measure = measure(branch);
        measure.min_width == measure.max_width
    })
}
