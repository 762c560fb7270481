//! Console blocks of README.md and docs/ are run, each in a project of `tests/documents`, and say what they show.
//!
//! `…` at the end of a line stands for the rest of it, and on a line of its own for any lines.

use std::path::{Path, PathBuf};

use crate::support::sandbox::{BINARY, Sandbox, bare_command, run};

/// A command and what the document shows of its answer.
#[derive(Debug)]
struct Shown {
    line: usize,
    command: String,
    answer: Vec<String>,
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn commands(document: &str) -> Vec<Shown> {
    let mut found: Vec<Shown> = Vec::new();
    let mut inside = false;
    for (at, line) in document.lines().enumerate() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if !inside => {}
            _ => match (line.strip_prefix("$ "), found.last_mut()) {
                (Some(command), _) => found.push(Shown {
                    line: at + 1,
                    command: command.to_owned(),
                    answer: Vec::new(),
                }),
                (None, Some(shown)) => shown.answer.push(line.to_owned()),
                (None, None) => panic!("line {}: a block starts with `$ `", at + 1),
            },
        }
    }
    for shown in &mut found {
        while shown.answer.last().is_some_and(String::is_empty) {
            shown.answer.pop();
        }
    }
    found
}

/// A project of the document's own, and the person's home around it.
fn sandbox(project: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let source = repository().join("tests/documents").join(project);
    let mut left = vec![source.clone()];
    while let Some(directory) = left.pop() {
        let entries = std::fs::read_dir(&directory)
            .unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else {
                let name = path.strip_prefix(&source).unwrap();
                sandbox.write(name, std::fs::read(&path).unwrap());
            }
        }
    }
    sandbox
}

/// What a person sees, as if they were at home in `/home/me`.
fn answer(sandbox: &Sandbox, command: &str) -> Vec<String> {
    let mut shell = sandbox.command::<&str>(&[]);
    let environment: Vec<_> = shell
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
        .collect();
    shell = bare_command("sh", &sandbox.project());
    let binaries = Path::new(BINARY).parent().unwrap().display().to_string();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = format!("{binaries}:{}", path.to_string_lossy());
    shell
        .args(["-c", &format!("{command} 2>&1")])
        .env_clear()
        .envs(environment)
        .env("PATH", path);
    let said = run(&mut shell).stdout;
    let said = said.replace(&sandbox.project().display().to_string(), "/home/me/shop");
    let said = said.replace(&sandbox.home().display().to_string(), "/home/me");
    said.trim_end().lines().map(str::to_owned).collect()
}

fn fits(shown: &[String], said: &[String]) -> bool {
    match (shown, said) {
        ([], []) => true,
        ([first, rest @ ..], said) if first == "…" => {
            (0..=said.len()).any(|skipped| fits(rest, said.get(skipped..).unwrap_or_default()))
        }
        ([first, shown @ ..], [line, said @ ..]) => {
            let same = match first.strip_suffix('…') {
                Some(start) => line.starts_with(start),
                None => first == line,
            };
            same && fits(shown, said)
        }
        _ => false,
    }
}

#[track_caller]
fn check(document: &str, project: &str, expected: usize) {
    let text = std::fs::read_to_string(repository().join(document)).unwrap();
    let shown = commands(&text);
    assert_eq!(shown.len(), expected, "{document}: {shown:#?}");
    let sandbox = sandbox(project);
    for Shown {
        line,
        command,
        answer: shown,
    } in shown
    {
        let said = answer(&sandbox, &command);
        assert!(
            fits(&shown, &said),
            "{document}, line {line}: `{command}` says\n{}\nand not\n{}",
            said.join("\n"),
            shown.join("\n")
        );
    }
}

#[test]
fn the_readme_shows_what_is_said() {
    check("README.md", "readme", 3);
}

#[test]
fn the_tutorial_shows_what_is_said() {
    check("docs/guides/tutorial.md", "tutorial", 6);
}

#[test]
fn the_tutorials_mode_is_the_one_that_is_checked() {
    let text = |path: &str| std::fs::read_to_string(repository().join(path)).unwrap();
    let mode = text("tests/documents/tutorial/.roomodes");
    assert!(text("docs/guides/tutorial.md").contains(&format!("```yaml\n{mode}```")));
}

#[test]
fn the_guide_to_symbols_shows_what_is_said() {
    check("docs/guides/symbols.md", "symbols", 2);
}

#[test]
fn the_guide_to_the_playbook_shows_what_is_said() {
    check("docs/guides/playbook.md", "playbook", 2);
}

#[test]
fn the_page_of_what_is_read_shows_what_is_said() {
    check("docs/playbook.md", "playbook", 1);
}

#[test]
fn no_other_document_has_a_console_block() {
    let mut left = vec![repository().join("docs")];
    let mut with_blocks = Vec::new();
    while let Some(directory) = left.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else if path.extension().is_some_and(|it| it == "md")
                && !commands(&std::fs::read_to_string(&path).unwrap()).is_empty()
            {
                with_blocks.push(path.file_name().unwrap().to_string_lossy().into_owned());
            }
        }
    }
    with_blocks.sort();
    assert_eq!(
        with_blocks,
        ["playbook.md", "playbook.md", "symbols.md", "tutorial.md"]
    );
}
