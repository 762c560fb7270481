//! Prompts, and what is understood of them.

mod analyze_task;
mod parse_mode;
