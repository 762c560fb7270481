//! Finding, listing and searching in a project of 100,000 files, beside `fd` and `rg`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::report::{Budget, Row, Spread, float, microseconds, milliseconds};
use crate::peer::{Home, Peer, Wire, cpu_of_ended_children};

const FOLDERS: usize = 1_000;
const FILES_A_FOLDER: usize = 100;
/// The kernel counts hundredths of a second where threads come and go, so a figure is of several calls.
const CALLS: u32 = 5;
/// What only the small call's answer says.
const SMALL_ANSWER: &[u8] = b"Available modes:";
/// Calls after which the memory is looked at again.
const MORE_CALLS: usize = 30;

/// A question, as we are asked and as a peer is.
struct Question {
    name: &'static str,
    tool: &'static str,
    arguments: Value,
    program: &'static [&'static str],
    line: &'static [&'static str],
}

fn questions() -> [Question; 4] {
    let search = |name, arguments, line| Question {
        name,
        tool: "search_for_pattern",
        arguments,
        program: &["rg"],
        line,
    };
    [
        Question {
            name: "find_files, one name",
            tool: "find_files",
            arguments: json!({ "pattern": "**/part_77.rs" }),
            program: &["fd", "fdfind"],
            line: &["--type", "f", "--glob", "part_77.rs"],
        },
        Question {
            name: "list_dir, recursive",
            tool: "list_dir",
            arguments: json!({ "recursive": true }),
            program: &["fd", "fdfind"],
            line: &["."],
        },
        search(
            "search_for_pattern, a word",
            json!({ "pattern": "rare_needle", "literal": true }),
            &["--line-number", "--fixed-strings", "rare_needle"],
        ),
        search(
            "search_for_pattern, a regex",
            json!({ "pattern": r"fn \w+_needle\(" }),
            &["--line-number", r"fn \w+_needle\("],
        ),
    ]
}

pub(crate) fn measure(modekeeper: &Path, rounds: usize) -> Result<Vec<Row>> {
    let home = Home::new()?;
    eprintln!("  writing {} files …", FOLDERS * FILES_A_FOLDER);
    plant(&home.project())?;
    let mut command = home.command(modekeeper);
    command.arg("mcp");
    let mut peer = Peer::spawn(command, Wire::Pipes)?;
    peer.initialize()?;
    let mut rows = Vec::new();
    for question in questions() {
        eprintln!("  {} …", question.name);
        rows.push(compare(&home, &mut peer, &question, rounds)?);
    }
    rows.extend(beside_a_search(&mut peer, rounds)?);
    rows.push(memory(&mut peer)?);
    Ok(rows)
}

/// Files as a large project has them: short, similar, and a few that are looked for.
fn plant(project: &Path) -> Result<()> {
    std::fs::write(project.join(".gitignore"), "*.log\n")?;
    let line = "    let value = compute(input, &options).map(|it| it.total + offset);\n";
    for folder in 0..FOLDERS {
        let path = project.join(format!("crate_{}/module_{folder}", folder % 40));
        std::fs::create_dir_all(&path)?;
        for file in 0..FILES_A_FOLDER {
            let mut text = format!("//! Part {file} of {folder}.\n\nfn part_{file}() {{\n");
            for _ in 0..15 {
                text.push_str(line);
            }
            if (folder * FILES_A_FOLDER + file).is_multiple_of(1_999) {
                text.push_str("}\n\nfn rare_needle() {\n");
            }
            text.push_str("}\n");
            std::fs::write(path.join(format!("part_{file}.rs")), text)?;
        }
    }
    Ok(())
}

fn compare(home: &Home, peer: &mut Peer, question: &Question, rounds: usize) -> Result<Row> {
    let call = json!({ "name": question.tool, "arguments": question.arguments });
    let program = installed(question.program)?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let lines = |peer: &mut Peer, count| -> Vec<String> {
        (0..count).map(|_| peer.line("tools/call", &call)).collect()
    };
    let warm_up = lines(peer, 1);
    peer.sequential(&warm_up)?;
    run(home, program, question.line)?;
    for _ in 0..rounds {
        let calls = lines(peer, CALLS as usize);
        let before = peer.cpu_with_ended_threads()?;
        peer.sequential(&calls)?;
        ours.push(milliseconds(
            (peer.cpu_with_ended_threads()? - before) / CALLS,
        ));
        let before = cpu_of_ended_children()?;
        for _ in 0..CALLS {
            run(home, program, question.line)?;
        }
        theirs.push(milliseconds((cpu_of_ended_children()? - before) / CALLS));
    }
    Ok(Row {
        what: format!("100,000 files: {}, CPU", question.name),
        unit: "ms",
        ours: Spread::of(ours),
        beside: Some((question.program[0], Spread::of(theirs))),
        budget: Budget::Times(2.0),
    })
}

/// What a small call costs on the clock, alone and while a search runs.
fn beside_a_search(peer: &mut Peer, rounds: usize) -> Result<[Row; 1]> {
    let small = json!({ "name": "list_modes", "arguments": {} });
    let search =
        json!({ "name": "search_for_pattern", "arguments": { "pattern": r"n\w+e\w+d\w+l\w+e" } });
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let line = peer.line("tools/call", &small);
        let times = peer.sequential(&[line])?;
        alone.extend(times.into_iter().map(microseconds));
        let long = peer.line("tools/call", &search);
        let short = peer.line("tools/call", &small);
        let begun = Instant::now();
        // By what is in it: which answer comes first is the very question.
        let mut small_answer = None;
        let mut answers = 0;
        peer.pipelined(&[long, short], |answer| {
            answers += 1;
            if answer
                .windows(SMALL_ANSWER.len())
                .any(|it| it == SMALL_ANSWER)
            {
                small_answer = Some((answers, begun.elapsed()));
            }
            Ok(())
        })?;
        let (place, first) = small_answer.context("the small call was not answered")?;
        ensure!(place == 1, "the small call waited for the search");
        beside.push(microseconds(first));
    }
    Ok([Row {
        what: "list_modes while a search runs, clock".to_owned(),
        unit: "µs",
        ours: Spread::of(beside),
        beside: Some(("alone", Spread::of(alone))),
        budget: Budget::AtMost(20_000.0),
    }])
}

/// What the process holds after many calls, beside what it held before them.
fn memory(peer: &mut Peer) -> Result<Row> {
    let megabytes = |peer: &Peer| -> Result<Vec<f64>> { Ok(vec![float(peer.resident()?) / 1e6]) };
    let before = megabytes(peer)?;
    let calls: Vec<String> = questions()
        .iter()
        .cycle()
        .take(MORE_CALLS)
        .map(|it| json!({ "name": it.tool, "arguments": it.arguments }))
        .map(|call| peer.line("tools/call", &call))
        .collect();
    peer.sequential(&calls)?;
    Ok(Row {
        what: format!("100,000 files: resident after {MORE_CALLS} more calls"),
        unit: "MB",
        ours: Spread::of(megabytes(peer)?),
        beside: Some(("before", Spread::of(before))),
        budget: Budget::Times(1.1),
    })
}

/// The first of a program's names that is installed: Debian renames some.
fn installed(names: &'static [&'static str]) -> Result<&'static str> {
    let works = |name: &&&str| {
        let version = Command::new(name).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    };
    let found = names.iter().find(works).copied();
    found.with_context(|| {
        format!(
            "{} is not installed; Debian's packages are ripgrep and fd-find",
            names[0]
        )
    })
}

fn run(home: &Home, program: &str, line: &[&str]) -> Result<Duration> {
    let begun = Instant::now();
    let mut command = home.command(Path::new(program));
    let status = command.args(line).stdout(Stdio::null()).status()?;
    ensure!(status.success(), "{program} {line:?}: {status}");
    Ok(begun.elapsed())
}
