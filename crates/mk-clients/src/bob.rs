//! IBM Bob.

use std::path::{Path, PathBuf};

pub(crate) const PROJECT_MODE_FILE: &str = ".bob/custom_modes.yaml";

pub(crate) fn global_mode_file(home: &Path) -> PathBuf {
    home.join(".bob/settings/custom_modes.yaml")
}
