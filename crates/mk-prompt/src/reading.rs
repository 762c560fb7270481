//! A prompt that was read once, for everything that asks about it: its parts, and the words of what is said.

use crate::segment::Segments;
use crate::text::PromptText;

/// A prompt in its parts, with the words of those that are said.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptReading<'a> {
    pub(crate) prompt: &'a str,
    pub(crate) segments: Segments<'a>,
    /// What is said, the most telling first.
    pub(crate) spoken: Vec<PromptText<'a>>,
}

impl<'a> PromptReading<'a> {
    pub fn of(prompt: &'a str) -> Self {
        let segments = Segments::of(prompt);
        let spoken = segments.spoken().map(PromptText::of).collect();
        Self {
            prompt,
            segments,
            spoken,
        }
    }
}
