//! Turns the tables of `content/playbook` from YAML, which people edit, into what the first prompt can read at once:
//! phrases into the indexes that look for them, the rest into JSON.
//!
//! This is the crate's build script. It stands here because the modules that make and read an index are the crate's own,
//! so the two cannot disagree.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a build script: Cargo reads what it prints and says where it writes"
)]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

#[expect(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "only what makes an index is used here"
)]
mod text;

#[expect(dead_code, reason = "only the lists of phrases are used here")]
#[path = "parse_mode/phrases.rs"]
mod phrases;

use phrases::Phrases;
use text::PhraseIndex;

const TABLES: &str = "../../content/playbook";
/// What a phrase counts, by the list that it is in. `decisive` outweighs two strong ones.
const WEIGHTS: [(&str, u8); 4] = [("decisive", 6), ("strong", 3), ("weak", 1), ("phrases", 1)];

type Baking<T> = Result<T, Box<dyn Error>>;

fn main() -> Baking<()> {
    println!("cargo::rerun-if-changed={TABLES}");
    println!("cargo::rerun-if-changed=src/text");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("Cargo names no directory")?);
    for entry in fs::read_dir(TABLES)? {
        let path = entry?.path();
        let (Some(stem), Some("yaml")) = (
            path.file_stem().and_then(|stem| stem.to_str()),
            path.extension().and_then(|extension| extension.to_str()),
        ) else {
            continue;
        };
        // Phrases hold words such as `on` and `no`.
        let options = serde_saphyr::options! { strict_booleans: true };
        let mut table: Value =
            serde_saphyr::from_str_with_options(&fs::read_to_string(&path)?, options)?;
        bake(stem, &mut table, &out)?;
        let json = out.join(stem).with_extension("json");
        fs::write(json, serde_json::to_vec(&table)?)?;
    }
    Ok(())
}

/// Takes the phrases of subjects out of a table and writes their indexes.
fn bake(stem: &str, table: &mut Value, out: &Path) -> Baking<()> {
    let lists: &[&str] = match stem {
        "intents" => &["plan", "act"],
        "analysis" => &["intents", "topics"],
        "specialists" => &["fields"],
        _ => return Ok(()),
    };
    name_fields(table);
    let neutral = table.as_object_mut().and_then(|it| it.remove("neutral"));
    let neutral: Phrases = serde_json::from_value(neutral.ok_or("a table lacks `neutral`")?)?;
    for list in lists {
        // What a task asks for is said in so few words that none hides another.
        let neutral = match *list {
            "intents" => &Phrases::default(),
            _ => &neutral,
        };
        let rows = table.get_mut(*list).and_then(Value::as_array_mut);
        let index = index(rows.ok_or("a table lacks a list of subjects")?, neutral)?;
        fs::write(out.join(format!("{stem}-{list}.bin")), index)?;
    }
    Ok(())
}

/// Specialists are written as a map; their index counts them in the order of their names.
fn name_fields(table: &mut Value) {
    let Some(Value::Object(fields)) = table.get_mut("fields").map(Value::take) else {
        return; // a table of something else
    };
    let mut fields: Vec<(String, Value)> = fields.into_iter().collect();
    fields.sort_by(|a, b| a.0.cmp(&b.0));
    let named = fields
        .into_iter()
        .map(|(name, phrases)| serde_json::json!({ "name": name, "phrases": phrases }));
    table["fields"] = named.collect();
}

fn index(subjects: &mut [Value], neutral: &Phrases) -> Baking<Vec<u8>> {
    let mut lists: Vec<(usize, u8, Phrases)> = Vec::new();
    for (at, subject) in subjects.iter_mut().enumerate() {
        let subject = subject.as_object_mut().ok_or("a subject is no map")?;
        for (key, weight) in WEIGHTS {
            if let Some(phrases) = subject.remove(key) {
                lists.push((at, weight, serde_json::from_value(phrases)?));
            }
        }
    }
    let rows = lists
        .iter()
        .flat_map(|(at, weight, phrases)| phrases.rows(*at, *weight));
    let mut bytes = Vec::new();
    PhraseIndex::new(rows.chain(neutral.rows(usize::MAX, 0))).write(&mut bytes);
    Ok(bytes)
}
