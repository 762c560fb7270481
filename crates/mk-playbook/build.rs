//! Writes the table of the embedded content: every file's path and text, sorted by path. Nothing is read when the
//! program starts.

use std::error::Error;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The folders of `content/` that users can have too.
const FOLDERS: [&str; 4] = ["agents", "checklists", "rules", "skills"];

fn main() -> Result<(), Box<dyn Error>> {
    let content = fs::canonicalize("../../content")?;
    let mut files = Vec::new();
    for folder in FOLDERS {
        println!("cargo::rerun-if-changed=../../content/{folder}");
        collect(&content.join(folder), &mut files)?;
    }
    files.sort();
    let mut table = String::from("[\n");
    for file in &files {
        let name = file
            .strip_prefix(&content)?
            .to_str()
            .ok_or("a file's name is not text")?;
        writeln!(
            table,
            "({:?}, include_str!({file:?})),",
            name.replace('\\', "/")
        )?;
    }
    table.push(']');
    let out = std::env::var_os("OUT_DIR").ok_or("Cargo names no folder")?;
    File::create(Path::new(&out).join("embedded.rs"))?.write_all(table.as_bytes())?;
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    // A folder that is not there yet has nothing to embed.
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
