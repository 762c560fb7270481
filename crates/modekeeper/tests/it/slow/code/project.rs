//! One language's sources as a project of the binary.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use mk_symbols::{Outline, Symbol};

use crate::slow::tools;
use crate::support::dice::Dice;
use crate::support::sandbox::Sandbox;
use crate::support::stdio::{Client, server};

/// Files of one language, and what the index finds in them.
pub(super) struct Project {
    sandbox: Sandbox,
    pub(super) directory: PathBuf,
    files: BTreeMap<String, (String, Outline)>,
    /// How many servers were started with nothing left behind by earlier ones.
    n_cold: Cell<u32>,
}

/// A symbol that was drawn.
#[derive(Debug)]
pub(super) struct Drawn {
    pub(super) path: String,
    pub(super) name_path: String,
    symbol: Symbol,
}

impl Drawn {
    pub(super) fn name(&self) -> &str {
        &self.symbol.name
    }
}

impl Project {
    pub(super) fn of(language: &str) -> Self {
        let sandbox = Sandbox::new();
        let directory = sandbox.project();
        copy(&tools::sources().join(language), &directory);
        let mut files = BTreeMap::new();
        for path in list(&directory) {
            let name = path.strip_prefix(&directory).unwrap().display().to_string();
            let Ok(text) = fs::read_to_string(&path) else {
                continue;
            };
            if let Ok(Some(outline)) = Outline::parse(&name, &text) {
                files.insert(name, (text, outline));
            }
        }
        assert!(!files.is_empty(), "{language}");
        Self {
            sandbox,
            directory,
            files,
            n_cold: Cell::new(0),
        }
    }

    /// The binary in the project, with no language server on its path.
    pub(super) fn client(&self) -> Client {
        let mut client = Client::open(server(&self.sandbox, &[]).env("PATH", "/nonexistent"));
        client.initialize(&serde_json::json!({}));
        client
    }

    /// The same with nothing that an earlier one has left behind.
    pub(super) fn client_without_cache(&self) -> Client {
        let number = self.n_cold.get();
        self.n_cold.set(number + 1);
        let state = self.sandbox.home().join(format!("cold-{number}"));
        let mut command = server(&self.sandbox, &[]);
        command
            .env("PATH", "/nonexistent")
            .env("MODEKEEPER_STATE_DIR", state);
        let mut client = Client::open(&mut command);
        client.initialize(&serde_json::json!({}));
        client
    }

    /// Asks until everything is read: a map needs all of it.
    pub(super) fn wait_for_index(&self, client: &mut Client) {
        loop {
            let map = client.call("get_repository_map", &serde_json::json!({}));
            if map["result"]["structuredContent"]["complete"] == true {
                break;
            }
        }
    }

    /// How often words stand in the files as they are now.
    pub(super) fn count(&self, words: &[&str]) -> usize {
        let in_file = |path: &String| {
            let text = String::from_utf8(self.bytes(path)).unwrap();
            words
                .iter()
                .map(|word| text.matches(word).count())
                .sum::<usize>()
        };
        self.files.keys().map(in_file).sum()
    }

    pub(super) fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.directory.join(path)).unwrap()
    }

    pub(super) fn write(&self, path: &str, bytes: &[u8]) {
        self.sandbox.write(path, bytes);
    }

    /// Makes the files what they were.
    pub(super) fn restore(&self) {
        for (path, (text, _)) in &self.files {
            if self.bytes(path) != text.as_bytes() {
                self.write(path, text.as_bytes());
            }
        }
    }

    /// Symbols at random, each file as likely as any other.
    pub(super) fn draw(&self, dice: &mut Dice, count: usize) -> Vec<Drawn> {
        let files: Vec<_> = self
            .files
            .iter()
            .filter(|(_, (_, outline))| !outline.symbols.is_empty())
            .collect();
        let draw = |_| {
            let (path, (_, outline)) = *dice.pick(&files);
            let position = dice.below(outline.symbols.len());
            Drawn {
                path: path.clone(),
                name_path: outline.indexed_path(position),
                symbol: outline.symbols[position].clone(),
            }
        };
        (0..count).map(draw).collect()
    }

    /// The symbols of each file.
    pub(super) fn symbols(&self) -> BTreeMap<&str, &[Symbol]> {
        let files = self.files.iter();
        files
            .map(|(path, (_, outline))| (path.as_str(), outline.symbols.as_slice()))
            .collect()
    }

    /// Lines outside of a symbol's own that use its name, as far as a search can tell: without comments, strings and
    /// definitions of the same name.
    pub(super) fn plain_uses(&self, drawn: &Drawn) -> Vec<String> {
        let name = drawn.symbol.name.as_str();
        let mut uses = Vec::new();
        for (path, (text, outline)) in &self.files {
            let defined: BTreeSet<u32> = outline
                .symbols
                .iter()
                .filter(|symbol| symbol.name == name)
                .map(|symbol| symbol.lines.start)
                .collect();
            let own = |line: u32| {
                *path == drawn.path
                    && drawn.symbol.lines.start <= line
                    && line <= drawn.symbol.lines.end
            };
            let mut in_comment = false;
            for (line, number) in text.lines().zip(1_u32..) {
                let code = code_of(line, &mut in_comment);
                if has_word(&code, name) && !own(number) && !defined.contains(&number) {
                    uses.push(format!("{path}:{number}: {}", line.trim()));
                }
            }
        }
        uses
    }
}

/// A line without what looks like comments and strings.
fn code_of(line: &str, in_comment: &mut bool) -> String {
    let mut code = String::new();
    let mut quote: Option<char> = None;
    let trimmed = line.trim_start();
    if *in_comment || trimmed.starts_with("/*") {
        *in_comment = !line.contains("*/");
        return code;
    }
    let is_comment = ["//", "#", "*", "--", "\"\"\"", "'''", "..", "=begin"];
    if is_comment.iter().any(|mark| trimmed.starts_with(mark)) {
        return code;
    }
    let mut before = ' ';
    for (at, letter) in line.char_indices() {
        match quote {
            Some(mark) if letter == mark && before != '\\' => quote = None,
            Some(_) => {}
            None if matches!(letter, '"' | '\'' | '`') => quote = Some(letter),
            None if begins_comment(line, at) => break,
            None => code.push(letter),
        }
        before = letter;
    }
    code
}

fn begins_comment(line: &str, at: usize) -> bool {
    let rest = line.get(at..).unwrap_or_default();
    rest.starts_with("//") || rest.starts_with(" # ")
}

fn has_word(code: &str, word: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    code.match_indices(word).any(|(at, _)| {
        let before = code.get(..at).and_then(|it| it.chars().next_back());
        let after = code.get(at + word.len()..).and_then(|it| it.chars().next());
        !before.is_some_and(is_word)
            && !after.is_some_and(|it| is_word(it) || matches!(it, '!' | '?'))
    })
}

fn list(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn copy(from: &Path, to: &Path) {
    for path in list(from) {
        let target = to.join(path.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(&path, target).unwrap();
    }
}
