//! What has been found so far, and the directories the line may be in.
//!
//! Every doubt ends here. A name that is not certain is listed as a pattern of what it can be.

use std::collections::BTreeSet;

use crate::program::ProgramTable;
use crate::text::{ANYTHING, SOME_NAME, escape, literal};
use crate::variable::Variables;
use crate::word::{ShellWord, WordShape};
use crate::{CommandLine, Doubt, FileUse, Form, NameExtent, SimpleCommand, Size, UseOfFile};

/// Nesting of groups, substitutions, wrappers and strings for `sh -c`, all together.
const MAX_DEPTH: usize = 32;
/// Directories that the line may be in at one point.
const MOST_DIRECTORIES: usize = 8;
/// Longer names are not built: they could be anything.
const LONGEST_NAME: usize = 4096;
/// What is looked at on disk costs a call for each part of each name.
const MOST_PARTS: usize = 20_000;

/// Names that are put together, before a line counts as too large: some 20 ms.
const MOST_STEPS: usize = 60_000;

/// The rest of the text cannot be read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stop(pub(crate) &'static str);

pub(crate) type AnalysisStep<T> = Result<T, Stop>;

#[derive(Debug)]
pub(crate) struct LineAnalysis {
    pub(crate) programs: ProgramTable,
    pub(crate) line: CommandLine,
    /// Where relative names may start, as patterns; empty for where the line starts.
    pub(crate) directories: Vec<String>,
    /// Where a `cd` goes, until it is known whether what follows depends on its success.
    pub(crate) change: Option<Vec<String>>,
    pub(crate) variables: Variables,
    /// Links that the line makes: name and what it leads to.
    pub(crate) links: Vec<(String, String)>,
    /// What the command before the `|` prints, if that is names of files.
    pub(crate) piped: Option<Vec<String>>,
    /// Every word, for lines that are in doubt.
    pub(crate) words: BTreeSet<String>,
    /// Whether wildcards stand for names with a dot in front, too.
    pub(crate) any_dot: bool,
    /// How many loops we are in: there a `cd` also moves what stands before it.
    pub(crate) loops: usize,
    depth: usize,
    parts: usize,
    steps: usize,
}

impl LineAnalysis {
    pub(crate) fn new(programs: ProgramTable, start: &str) -> Self {
        Self {
            programs,
            line: CommandLine::default(),
            directories: vec![escape(start).into_owned()],
            change: None,
            variables: Variables::default(),
            links: Vec::new(),
            piped: None,
            words: BTreeSet::new(),
            any_dot: false,
            loops: 0,
            depth: 0,
            parts: 0,
            steps: 0,
        }
    }

    pub(crate) fn doubt_commands(&mut self, reason: &'static str) {
        // The graver reason is the one to show.
        if !matches!(self.line.doubt, Some(Doubt::Commands(_))) {
            self.line.doubt = Some(Doubt::Commands(reason));
        }
    }

    pub(crate) fn doubt_files(&mut self, reason: &'static str) {
        self.line.doubt.get_or_insert(Doubt::Files(reason));
    }

    pub(crate) fn descend(&mut self) -> AnalysisStep<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Stop("the line is nested too deeply"));
        }
        Ok(())
    }

    pub(crate) fn ascend(&mut self) {
        self.depth -= 1;
    }

    pub(crate) fn push_command(&mut self, words: &[ShellWord]) {
        let written = || words.iter().filter(|word| !word.raw.is_empty());
        let raw: Vec<&str> = written().map(|word| word.raw.as_str()).collect();
        self.line.commands.push(SimpleCommand {
            text: raw.join(" "),
            words: written().map(|word| word.value.clone()).collect(),
        });
    }

    /// Remembers a word, and what it can be.
    pub(crate) fn note_word(&mut self, value: &str, alternatives: Option<&[String]>) {
        let all = alternatives.into_iter().flatten().map(String::as_str);
        for text in all.chain([value]) {
            if self.words.len() < crate::MOST_FILES && !self.words.contains(text) {
                self.words.insert(text.to_owned());
            }
        }
    }

    pub(crate) fn write_file(&mut self, word: &ShellWord) {
        self.use_file(word, UseOfFile::Write, NameExtent::Itself);
    }

    pub(crate) fn read_file(&mut self, word: &ShellWord) {
        self.use_file(word, UseOfFile::Read, NameExtent::Itself);
    }

    pub(crate) fn use_file(&mut self, word: &ShellWord, access: UseOfFile, extent: NameExtent) {
        if word.shape == WordShape::Process || word.value.is_empty() && word.alternatives.is_none()
        {
            return;
        }
        if word.shape == WordShape::Backslash
            || (word.value.contains('\\') && word.raw.contains('\\'))
        {
            self.doubt_files("a file is named with a backslash");
        }
        for path in self.locate(word) {
            self.push_file(&path, access, extent);
        }
    }

    /// Everything that a name can stand for, from where the line starts.
    pub(crate) fn locate(&mut self, word: &ShellWord) -> Vec<String> {
        let mut paths = Vec::new();
        let alternatives = word.alternatives.as_ref().map_or(1, Vec::len);
        self.steps += alternatives * (self.directories.len() + self.links.len());
        if self.steps > MOST_STEPS {
            self.line.size = Size::TooLarge;
        }
        // What is refused for its size is not looked at any further.
        if self.line.size == Size::TooLarge {
            return paths;
        }
        for mut pattern in word.patterns() {
            if self.any_dot {
                pattern = pattern.replace('*', &SOME_NAME.to_string());
            }
            if let Some(rest) = pattern.strip_prefix('~') {
                let (user, below) = rest.split_once('/').unwrap_or((rest, ""));
                // `~+` is this directory, `~-` and `~1` are others, and a home can be set.
                if user == "+" {
                    pattern = if below.is_empty() {
                        ".".to_owned()
                    } else {
                        below.to_owned()
                    };
                } else if user == "-"
                    || user.starts_with(|it: char| it.is_ascii_digit())
                    || self.is_set("HOME")
                {
                    pattern = ANYTHING.to_string();
                }
            }
            if pattern.starts_with(['/', '~', ANYTHING]) {
                paths.push(pattern);
                continue;
            }
            for directory in &self.directories {
                paths.push(join(directory, &pattern));
            }
        }
        self.follow_links(&mut paths);
        paths
    }

    /// Adds what the names lead to by links that the line has made.
    fn follow_links(&self, paths: &mut Vec<String>) {
        if self.links.is_empty() {
            return;
        }
        let mut next = 0;
        while let Some(path) = paths.get(next).cloned() {
            next += 1;
            for (link, target) in &self.links {
                let path = path.strip_prefix("./").unwrap_or(&path);
                let Some(rest) = path.strip_prefix(link.as_str()) else {
                    continue;
                };
                let leads_to = format!("{target}{rest}");
                let is_below = rest.is_empty() || rest.starts_with('/');
                if is_below && !paths.contains(&leads_to) && paths.len() < 64 {
                    paths.push(leads_to);
                }
            }
        }
    }

    /// Lists a file that is used, by a pattern from where the line starts.
    pub(crate) fn push_file(&mut self, pattern: &str, access: UseOfFile, extent: NameExtent) {
        if self.line.size == Size::TooLarge {
            return;
        }
        let exact = literal(pattern);
        let form = match &exact {
            Some(_) => Form::Exact,
            None if pattern.contains(ANYTHING) || climbs_after_wildcard(pattern) => Form::Unknown,
            None => Form::Pattern,
        };
        let path = exact.unwrap_or_else(|| pattern.to_owned());
        if is_device(&path) || path.is_empty() {
            return;
        }
        let file = FileUse {
            path,
            access,
            form,
            extent,
        };
        self.parts += 1 + file.path.matches('/').count();
        if self.line.files.len() >= crate::MOST_FILES || self.parts > MOST_PARTS {
            self.line.size = Size::TooLarge;
        } else if self.line.files.last() != Some(&file) {
            self.line.files.push(file);
        }
    }

    /// Notes a `cd`; `operands` are its arguments without options.
    pub(crate) fn change_directory(&mut self, operands: &[ShellWord]) {
        if self.loops > 0 {
            self.doubt_files("the directory changes in a loop");
        }
        let targets = match operands {
            [] => vec!["~".to_owned()],
            [word] if word.value != "-" => self.locate(word),
            _ => vec![ANYTHING.to_string()],
        };
        self.change = Some(targets);
    }

    /// The line may be in any of these, too.
    pub(crate) fn may_be_in(&mut self, directories: &[String]) {
        for directory in directories {
            if !self.directories.contains(directory) {
                self.directories.push(directory.clone());
            }
        }
        if self.directories.len() > MOST_DIRECTORIES {
            self.directories = vec![ANYTHING.to_string()];
        }
    }
}

/// A name below a directory, both as patterns.
pub(crate) fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() || name.starts_with(['/', '~', ANYTHING]) {
        return name.to_owned();
    }
    if directory.len() + name.len() >= LONGEST_NAME {
        return ANYTHING.to_string();
    }
    format!("{}/{name}", directory.trim_end_matches('/'))
}

/// `*/../x`: what `..` takes back depends on what the wildcard stands for.
fn climbs_after_wildcard(pattern: &str) -> bool {
    let mut seen = false;
    pattern.split('/').any(|part| {
        seen |= part.contains(['*', '?', '[', SOME_NAME]);
        seen && part == ".."
    })
}

/// What only looks like a file.
fn is_device(path: &str) -> bool {
    let device = path.strip_prefix("/dev/").unwrap_or_default();
    matches!(
        device,
        "null" | "stdin" | "stdout" | "stderr" | "tty" | "zero" | "urandom" | "random"
    ) || device
        .strip_prefix("fd/")
        .is_some_and(|number| number.bytes().all(|it| it.is_ascii_digit()))
        || path == "-"
}
