//! Kilo Code up to version 5; newer ones have agents instead of modes.

pub(crate) const PROJECT_MODE_FILE: &str = ".kilocodemodes";
pub(crate) const EXTENSION: &str = "kilocode.kilo-code";
