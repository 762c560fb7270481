//! `find`: where it looks, and what it runs on what it finds.

use crate::analysis::{AnalysisStep, LineAnalysis, Stop};
use crate::text::SOME_NAME;
use crate::word::{ShellWord, WordShape};
use crate::{NameExtent, UseOfFile};

/// Tests and options that take a value and touch nothing.
const WITH_VALUE: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-regex",
    "-iregex",
    "-regextype",
    "-type",
    "-xtype",
    "-size",
    "-mtime",
    "-atime",
    "-ctime",
    "-mmin",
    "-amin",
    "-cmin",
    "-newer",
    "-perm",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-maxdepth",
    "-mindepth",
    "-links",
    "-inum",
    "-fstype",
    "-printf",
    "-lname",
    "-samefile",
    "-anewer",
    "-cnewer",
    "-used",
    "-D",
    "-newermt",
    "-newerct",
];
const FLAGS: &[&str] = &[
    "-print",
    "-print0",
    "-ls",
    "-prune",
    "-quit",
    "-o",
    "-or",
    "-a",
    "-and",
    "-not",
    "!",
    "(",
    ")",
    "-depth",
    "-d",
    "-mount",
    "-xdev",
    "-empty",
    "-executable",
    "-readable",
    "-writable",
    "-follow",
    "-L",
    "-P",
    "-H",
    "-true",
    "-false",
    "-nouser",
    "-nogroup",
    "-noleaf",
    ",",
    "-daystart",
    "-warn",
    "-nowarn",
    "-E",
    "-X",
    "-x",
    "-s",
];

impl LineAnalysis {
    pub(crate) fn run_find(&mut self, arguments: &[ShellWord]) -> AnalysisStep<()> {
        let is_root = |word: &&ShellWord| !word.value.starts_with(['-', '(', '!']);
        let mut roots: Vec<ShellWord> = arguments
            .iter()
            .skip_while(|word| matches!(word.value.as_str(), "-L" | "-P" | "-H" | "-E"))
            .take_while(is_root)
            .cloned()
            .collect();
        if roots.is_empty() {
            roots.push(ShellWord::literal("."));
        }
        if arguments.iter().any(|word| {
            word.raw.is_empty() || word.shape == WordShape::Expansion && word.may_be_several()
        }) {
            self.doubt_commands("the arguments of `find` come from an expansion");
        }
        let found = found_names(&roots, arguments);
        let n_roots = arguments.iter().take_while(is_root).count();
        let mut words = arguments.get(n_roots..).unwrap_or_default();
        while let Some((word, rest)) = words.split_first() {
            words = rest;
            match word.value.as_str() {
                "-delete" => {
                    // Once is enough.
                    for root in std::mem::take(&mut roots) {
                        self.use_file(&root, UseOfFile::Mention, NameExtent::Itself);
                        self.use_file(&found, UseOfFile::Write, NameExtent::Itself);
                    }
                }
                "-fprint" | "-fprint0" | "-fls" => words = self.write_next(words, 1),
                "-fprintf" => words = self.write_next(words, 2),
                "-files0-from" => self.doubt_files("`find` takes its arguments from a file"),
                "-exec" | "-execdir" | "-ok" | "-okdir" => {
                    words = self.run_on_found(word, words, &found)?;
                }
                value if WITH_VALUE.contains(&value) => words = words.get(1..).unwrap_or_default(),
                value if FLAGS.contains(&value) || value.starts_with("-O") => {}
                _ => self.doubt_files("an option is not known"),
            }
        }
        self.piped = Some(found.patterns());
        Ok(())
    }

    fn write_next<'words>(
        &mut self,
        words: &'words [ShellWord],
        count: usize,
    ) -> &'words [ShellWord] {
        if let Some(file) = words.first() {
            self.write_file(file);
        }
        words.get(count..).unwrap_or_default()
    }

    fn run_on_found<'words>(
        &mut self,
        action: &ShellWord,
        words: &'words [ShellWord],
        found: &ShellWord,
    ) -> AnalysisStep<&'words [ShellWord]> {
        let is_end = |word: &ShellWord| matches!(word.value.as_str(), ";" | "+");
        let Some(length) = words.iter().position(is_end) else {
            return Err(Stop("an `-exec` is not closed"));
        };
        let (inner, rest) = words.split_at(length);
        let directories = self.directories.clone();
        if action.value.ends_with("dir") {
            self.directories = vec![crate::ANYTHING.to_string()];
        }
        let replaced: Vec<ShellWord> = inner
            .iter()
            .map(|word| match word.value.as_str() {
                "{}" => found.clone(),
                value if value.contains("{}") => ShellWord::unknown_as(word),
                _ => word.clone(),
            })
            .collect();
        self.descend()?;
        self.run(&replaced)?;
        self.ascend();
        self.change = None;
        self.directories = directories;
        Ok(rest.get(1..).unwrap_or_default())
    }
}

/// Everything that may be found: below the roots, by the last name that is asked for.
fn found_names(roots: &[ShellWord], arguments: &[ShellWord]) -> ShellWord {
    let names: Vec<&ShellWord> = arguments
        .windows(2)
        .filter(|pair| pair[0].value == "-name")
        .map(|pair| &pair[1])
        .collect();
    let is_plain = arguments
        .iter()
        .all(|word| !matches!(word.value.as_str(), "-o" | "-or" | "!" | "-not" | ","));
    // A wildcard of `find` also stands for a dot in front.
    let name = match names.as_slice() {
        [name] if is_plain && name.alternatives.is_none() && !name.value.contains(['[', '\\']) => {
            name.value.replace('*', &SOME_NAME.to_string())
        }
        _ => SOME_NAME.to_string(),
    };
    let below = format!("/{SOME_NAME}{SOME_NAME}/{name}");
    let alternatives = if roots.len() > 16 {
        vec![crate::ANYTHING.to_string()]
    } else {
        let patterns = roots.iter().flat_map(ShellWord::patterns);
        patterns
            .map(|root| format!("{}{below}", root.trim_end_matches('/')))
            .collect()
    };
    ShellWord {
        raw: "{}".to_owned(),
        value: "{}".to_owned(),
        shape: WordShape::Expansion,
        variable: None,
        alternatives: Some(alternatives),
    }
}
