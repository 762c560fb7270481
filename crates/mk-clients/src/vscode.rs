//! VS Code and the editors built on it: where their extensions keep files.

use std::path::{Path, PathBuf};

const EDITORS: [&str; 5] = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];

/// The folders in which an extension may keep its files, one per editor and the one of remote sessions.
pub(crate) fn extension_storage(home: &Path, extension: &str) -> impl Iterator<Item = PathBuf> {
    let base = if cfg!(target_os = "macos") {
        home.join("Library/Application Support")
    } else if cfg!(windows) {
        home.join("AppData/Roaming")
    } else {
        home.join(".config")
    };
    let editors = EDITORS.map(|editor| base.join(editor).join("User"));
    let remote = home.join(".vscode-server/data/User");
    let extension = extension.to_owned();
    editors
        .into_iter()
        .chain([remote])
        .map(move |user| user.join("globalStorage").join(&extension))
}
