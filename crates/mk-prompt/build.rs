//! Turns the tables of `content/playbook` from YAML, which people edit, into JSON, which is read many times faster: the
//! first prompt waits for all of them.

use std::error::Error;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::PathBuf;

const TABLES: &str = "../../content/playbook";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={TABLES}");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("Cargo names no directory")?);
    for entry in fs::read_dir(TABLES)? {
        let path = entry?.path();
        let (Some(stem), Some("yaml")) = (
            path.file_stem(),
            path.extension().and_then(|extension| extension.to_str()),
        ) else {
            continue;
        };
        // Phrases hold words such as `on` and `no`.
        let options = serde_saphyr::options! { strict_booleans: true };
        let text = fs::read_to_string(&path)?;
        let table: serde_json::Value = serde_saphyr::from_str_with_options(&text, options)?;
        let file = out.join(stem).with_extension("json");
        File::create(file)?.write_all(&serde_json::to_vec(&table)?)?;
    }
    Ok(())
}
