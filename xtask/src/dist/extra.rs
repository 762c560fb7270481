//! What lies next to the binary in an archive: licences, manual pages and completions, as the binary itself prints them.

use std::path::Path;

use anyhow::{Result, ensure};

use super::archive::Entry;
use crate::peer::Home;

const SHELLS: [(&str, &str); 3] = [
    ("bash", "completions/modekeeper.bash"),
    ("zsh", "completions/_modekeeper"),
    ("fish", "completions/modekeeper.fish"),
];

pub(super) fn entries(binary: &Path) -> Result<Vec<Entry>> {
    let home = Home::new()?;
    let says = |arguments: &[&str]| -> Result<String> {
        let output = home.command(binary).args(arguments).output()?;
        let shown = arguments.join(" ");
        let wrong = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "modekeeper {shown}: {wrong}");
        Ok(String::from_utf8(output.stdout)?)
    };
    let mut entries = vec![
        Entry::file("LICENSE-MIT", include_str!("../../../LICENSE-MIT")),
        Entry::file("LICENSE-APACHE", include_str!("../../../LICENSE-APACHE")),
        Entry::file("README.md", include_str!("../../../README.md")),
    ];
    for (shell, path) in SHELLS {
        entries.push(Entry::file(path, says(&["completions", shell])?));
    }
    for page in says(&["man", "--list"])?.lines() {
        let mut arguments = vec!["man"];
        arguments.extend(page.split(' ').skip(1));
        let file = format!("man/{}.1", page.replace(' ', "-"));
        entries.push(Entry::file(file, says(&arguments)?));
    }
    Ok(entries)
}
