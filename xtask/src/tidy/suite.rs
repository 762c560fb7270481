//! tests/suites: every module with slow tests is in one suite, and every suite names modules and tools that exist.

use std::path::{Path, PathBuf};

use crate::workspace::has_extension;

const FILE: &str = "tests/suites";
const SLOW: &str = "crates/modekeeper/tests/it/slow";

pub(crate) fn check(files: &[(PathBuf, String)]) -> Vec<String> {
    let Some((_, table)) = files.iter().find(|(path, _)| path == Path::new(FILE)) else {
        return vec![format!("{FILE} is missing")];
    };
    let mut problems = Vec::new();
    let mut left = modules(files);
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split("  ").map(str::trim).collect();
        let columns: Vec<&str> = columns.into_iter().filter(|it| !it.is_empty()).collect();
        let [name, when, minutes, tools, modules] = columns[..] else {
            problems.push(format!(
                "{FILE}: `{line}`: five columns, two spaces between"
            ));
            continue;
        };
        if !["always", "long"].contains(&when) || minutes.parse::<u32>().is_err() {
            problems.push(format!(
                "{FILE}: `{name}`: when is always or long, minutes a number"
            ));
        }
        for tool in tools.split(' ').filter(|tool| *tool != "-") {
            let script = format!("tests/tools/{tool}.sh");
            if !files.iter().any(|(path, _)| path == Path::new(&script)) {
                problems.push(format!("{FILE}: `{name}`: there is no {script}"));
            }
        }
        for module in modules.split(' ') {
            match left.iter().position(|it| it == module) {
                Some(at) => drop(left.remove(at)),
                None => problems.push(format!(
                    "{FILE}: `{name}`: no tests in {SLOW}/{module}, or they are in a suite already"
                )),
            }
        }
    }
    problems.extend(
        left.iter()
            .map(|module| format!("{SLOW}/{module} is in no suite: add it to {FILE}")),
    );
    problems
}

/// Modules right below `slow` that have tests in them, or in a module of theirs.
fn modules(files: &[(PathBuf, String)]) -> Vec<String> {
    let with_tests = files
        .iter()
        .filter(|(path, text)| has_extension(path, "rs") && has_test(text));
    let names = with_tests.filter_map(|(path, _)| {
        let first = path.strip_prefix(SLOW).ok()?.iter().next()?.to_str()?;
        Some(first.trim_end_matches(".rs").to_owned())
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.dedup();
    names
}

fn has_test(text: &str) -> bool {
    text.contains("#[test]") || text.contains("#[tokio::test")
}
