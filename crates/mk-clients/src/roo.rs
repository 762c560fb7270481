//! Roo Code, whose mode format the others carry on.

pub(crate) const PROJECT_MODE_FILE: &str = ".roomodes";
pub(crate) const EXTENSION: &str = "rooveterinaryinc.roo-cline";
