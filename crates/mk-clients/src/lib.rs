//! Where each agent product keeps its files. One module a product; nothing here reads them.

mod bob;
mod kilo;
mod roo;
mod vscode;
mod zoo;

use std::path::{Path, PathBuf};

/// Mode files of a project, strongest first, relative to its root.
pub const PROJECT_MODE_FILES: [&str; 3] = [
    roo::PROJECT_MODE_FILE,
    kilo::PROJECT_MODE_FILE,
    bob::PROJECT_MODE_FILE,
];

/// Mode files that installed editor extensions keep for all projects, strongest first; most do not exist.
pub fn global_mode_files(home: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for extension in [roo::EXTENSION, zoo::EXTENSION, kilo::EXTENSION] {
        files.extend(
            vscode::extension_storage(home, extension)
                .map(|folder| folder.join("settings/custom_modes.yaml")),
        );
    }
    files.push(bob::global_mode_file(home));
    files
}

#[cfg(test)]
mod tests;
