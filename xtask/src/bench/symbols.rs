//! The index of symbols on real projects, beside a bare walk, read and parse, universal-ctags and Serena.
//!
//! The projects are packages of PyPI, npm and the Rust registry, fetched once into the tools folder and copied, because
//! a file of them is changed. Our own figures are a child's, which measures itself: see mk-symbols' example `measure`.

mod package;
mod serena;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use self::package::Package;
use super::report::{Budget, Row, Spread, float, milliseconds};
use crate::peer::{Home, Peer, Wire, cpu_of_ended_children};

/// Calls over MCP in one round: the kernel counts hundredths of a second where threads come and go.
const CALLS: u32 = 50;
/// More would take minutes without making a figure of seconds any surer.
const MOST_COLD_ROUNDS: usize = 5;

/// What is asked for in a project, as someone remembers it.
struct Queries {
    exact: &'static str,
    name_path: &'static str,
    substring: &'static str,
    fuzzy: &'static str,
}

const MANY: usize = 100_000;
const ABSENT: &str = "NoSuchThingAnywhere";

impl Queries {
    fn named(&self) -> [(&'static str, &'static str); 5] {
        [
            ("a name", self.exact),
            ("a name path", self.name_path),
            ("part of a name", self.substring),
            ("a misspelt name", self.fuzzy),
            ("a name that is not there", ABSENT),
        ]
    }
}

/// What a project is, and what it may cost.
struct Subject {
    package: Package,
    queries: Queries,
    /// Asked of tools other than `find_symbols`, where there are figures to compare with.
    questions: &'static [Question],
    /// Of the whole index, in milliseconds.
    cold: Budget,
    megabytes: Budget,
}

/// A call that an agent makes often, and what it may cost in milliseconds when nothing has changed.
struct Question {
    what: &'static str,
    tool: &'static str,
    /// JSON.
    arguments: &'static str,
    most: Budget,
    /// The same of Serena: tool and arguments.
    theirs: (&'static str, &'static str),
}

const OF_DJANGO: &[Question] = &[
    Question {
        what: "overview of a file of 107 KB",
        tool: "get_symbols_overview",
        arguments: r#"{"file_path": "django/db/models/query.py", "max_results": 1000}"#,
        most: Budget::AtMost(15.0),
        theirs: (
            "get_symbols_overview",
            r#"{"relative_path": "django/db/models/query.py", "depth": 1}"#,
        ),
    },
    Question {
        what: "definition in it",
        tool: "get_symbol_definition",
        arguments: r#"{"symbol_name": "QuerySet/get_or_create", "file_path": "django/db/models/query.py"}"#,
        most: Budget::AtMost(5.0),
        theirs: (
            "find_symbol",
            r#"{"name_path_pattern": "QuerySet/get_or_create", "relative_path": "django/db/models/query.py", "include_body": true}"#,
        ),
    },
    Question {
        what: "references by name",
        tool: "find_references",
        arguments: r#"{"symbol_name": "get_or_create"}"#,
        most: Budget::AtMost(40.0),
        theirs: (
            "find_referencing_symbols",
            r#"{"name_path": "QuerySet/get_or_create", "relative_path": "django/db/models/query.py"}"#,
        ),
    },
    Question {
        what: "search",
        tool: "search_for_pattern",
        arguments: r#"{"pattern": "get_or_create\\("}"#,
        most: Budget::None,
        theirs: (
            "search_for_pattern",
            r#"{"substring_pattern": "get_or_create\\("}"#,
        ),
    },
];
/// The pattern of the search, for ripgrep.
const SEARCHED: &str = r"get_or_create\(";

fn subjects() -> [Subject; 3] {
    [
        Subject {
            package: Package::PyPi {
                name: "django",
                version: "5.2.19",
            },
            queries: Queries {
                exact: "QuerySet",
                name_path: "QuerySet/filter",
                substring: "ueryse",
                fuzzy: "QeurySet",
            },
            questions: OF_DJANGO,
            cold: Budget::AtMost(4_000.0),
            megabytes: Budget::AtMost(80.0),
        },
        Subject {
            package: Package::Registry { name: "tokio" },
            queries: Queries {
                exact: "JoinHandle",
                name_path: "JoinHandle/abort",
                substring: "oinhand",
                fuzzy: "JoinHnadle",
            },
            questions: &[],
            cold: Budget::None,
            megabytes: Budget::AtMost(80.0),
        },
        Subject {
            package: Package::Npm {
                name: "effect",
                version: "3.22.4",
            },
            queries: Queries {
                exact: "FiberRuntime",
                name_path: "FiberRuntime/tell",
                substring: "iberrunt",
                fuzzy: "FiberRuntmie",
            },
            questions: &[],
            cold: Budget::None,
            megabytes: Budget::AtMost(80.0),
        },
    ]
}

pub(crate) fn measure(modekeeper: &Path, child: &Path, rounds: usize) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for subject in subjects() {
        let label = subject.package.label()?;
        eprintln!("  {label} …");
        let home = Home::new()?;
        subject.package.copy_to(&home.project())?;
        rows.extend(alone(&home, child, &label, &subject, rounds)?);
        rows.extend(over_mcp(&home, modekeeper, &label, &subject, rounds)?);
    }
    rows.push(many_files(child, rounds)?);
    Ok(rows)
}

/// The first answer in a project that takes long to index.
fn many_files(child: &Path, rounds: usize) -> Result<Row> {
    eprintln!("  {MANY} files …");
    let home = Home::new()?;
    for number in 0..MANY {
        let folder = home
            .project()
            .join(format!("d{}/p{}", number / 2000, number / 50));
        if number % 50 == 0 {
            std::fs::create_dir_all(&folder)?;
        }
        let text = format!(
            "import os\n\n\nclass Thing{number}:\n    def method_{number}(self, value):\n        \
             return os.path.join(str(value), \"{number}\")\n\n\ndef helper_{number}(a, b=None):\n    \
             return Thing{number}().method_{number}(a) or b\n"
        );
        std::fs::write(folder.join(format!("m{number}.py")), text)?;
    }
    let mut times = Vec::new();
    for _ in 0..rounds.min(MOST_COLD_ROUNDS) {
        let first = figures_of(home.command(child).args(["first", ".", "Thing4242"]))?;
        ensure!(
            first["complete"] == true,
            "the first answer is not complete"
        );
        times.push(number(&first, "answered")?);
    }
    Ok(Row {
        what: format!("{MANY} files: first answer, whole, with no index, CPU"),
        unit: "ms",
        ours: Spread::of(times),
        beside: None,
        budget: Budget::AtMost(1_000.0),
    })
}

/// The child's figures of all rounds.
#[derive(Default)]
struct Figures {
    bare: Vec<f64>,
    ctags: Vec<f64>,
    cold: Vec<f64>,
    resident: Vec<f64>,
    queries: [Vec<f64>; 5],
    changed: Vec<f64>,
    large: Vec<f64>,
    large_bare: Vec<f64>,
    sweep: Vec<f64>,
    refresh: Vec<f64>,
    restart: Vec<f64>,
}

fn alone(
    home: &Home,
    child: &Path,
    label: &str,
    subject: &Subject,
    rounds: usize,
) -> Result<Vec<Row>> {
    let mut figures = Figures::default();
    let named = subject.queries.named();
    for _ in 0..rounds.min(MOST_COLD_ROUNDS) {
        let bare = figures_of(home.command(child).arg("bare").arg("."))?;
        figures.bare.push(number(&bare, "ready")?);
        let before = cpu_of_ended_children()?;
        let tags = "--recurse -f ../tags .".split(' ');
        run(home.command(Path::new("ctags")).args(tags))?;
        figures
            .ctags
            .push(milliseconds(cpu_of_ended_children()? - before));
        let cache = tempfile::tempdir_in(home.path())?;
        let index = || -> Result<Value> {
            let mut command = home.command(child);
            command.arg("index").arg(".").arg(cache.path());
            figures_of(command.args(named.map(|(_, pattern)| pattern)))
        };
        let cold = index()?;
        figures.cold.push(number(&cold, "ready")?);
        figures.resident.push(number(&cold, "resident")? / 1e6);
        figures.changed.push(number(&cold, "changed")?);
        figures.large.push(number(&cold, "large")?);
        figures.large_bare.push(number(&cold, "large_bare")?);
        figures.sweep.push(number(&cold, "sweep")?);
        figures.refresh.push(number(&cold, "refresh")?);
        for (times, time) in figures.queries.iter_mut().zip(
            cold["queries"]
                .as_array()
                .context("the child answered no query")?,
        ) {
            times.push(time.as_f64().context("no time for a query")?);
        }
        let first = cold["first"].as_str().unwrap_or("nothing");
        eprintln!(
            "    {}: {} files, {} symbols; {} is {first}",
            label, cold["files"], cold["symbols"], subject.queries.exact
        );
        figures.restart.push(number(&index()?, "ready")?);
    }
    Ok(figures.into_rows(label, subject))
}

impl Figures {
    fn into_rows(self, label: &str, subject: &Subject) -> Vec<Row> {
        let row = |what: &str, unit, ours, beside, budget| Row {
            what: format!("{label}: {what}"),
            unit,
            ours: Spread::of(ours),
            beside,
            budget,
        };
        let bare = Some(("walk, read, parse", Spread::of(self.bare)));
        let ctags = Some(("ctags", Spread::of(self.ctags)));
        let (cold, cold_again) = (self.cold.clone(), self.cold);
        let mut rows = vec![
            row("cold index, CPU", "ms", cold, bare, Budget::Times(2.0)),
            row("cold index, CPU", "ms", cold_again, ctags, subject.cold),
            row(
                "resident after it",
                "MB",
                self.resident,
                None,
                subject.megabytes,
            ),
        ];
        for ((name, pattern), times) in subject.queries.named().into_iter().zip(self.queries) {
            let what = format!("find {name}, `{pattern}`, CPU");
            rows.push(row(&what, "ms", times, None, Budget::AtMost(5.0)));
        }
        rows.extend([
            row(
                "one changed file, 95 of 100, CPU",
                "ms",
                self.changed,
                None,
                Budget::AtMost(20.0),
            ),
            row(
                &format!("the file of `{}` changed, CPU", subject.queries.exact),
                "ms",
                self.large,
                Some(("read, parse", Spread::of(self.large_bare))),
                Budget::AtMost(20.0),
            ),
            row(
                "nothing changed, watched, CPU",
                "ms",
                self.refresh,
                Some(("compared with the disk", Spread::of(self.sweep))),
                Budget::AtMost(1.0),
            ),
            row(
                "restart with a warm cache, CPU",
                "ms",
                self.restart,
                None,
                Budget::AtMost(300.0),
            ),
        ]);
        rows
    }
}

/// Whole calls, ours and Serena's, answered by warm servers.
fn over_mcp(
    home: &Home,
    modekeeper: &Path,
    label: &str,
    subject: &Subject,
    rounds: usize,
) -> Result<Vec<Row>> {
    let named = subject.queries.named();
    let mut ours: Vec<Vec<f64>> = Vec::new();
    let mut rows = Vec::new();
    let mut asked: Vec<Vec<f64>> = Vec::new();
    let resident;
    let cold = {
        let mut command = home.command(modekeeper);
        command.arg("mcp");
        let mut peer = Peer::spawn(command, Wire::Pipes)?;
        peer.initialize()?;
        wait_for_index(&mut peer)?;
        let cold = milliseconds(peer.cpu_with_ended_threads()?);
        for (_, pattern) in named {
            let call = json!({ "name": "find_symbols", "arguments": { "query": pattern } });
            ours.push(times(&mut peer, &call, rounds)?);
        }
        for question in subject.questions {
            let arguments: Value = serde_json::from_str(question.arguments)?;
            let call = json!({ "name": question.tool, "arguments": arguments });
            asked.push(times(&mut peer, &call, rounds)?);
        }
        resident = float(peer.resident()?) / 1e6;
        cold
    };
    let theirs = serena::measure(
        home,
        &named.map(|(_, pattern)| pattern),
        subject.questions,
        rounds,
    );
    let (theirs, missing) = match theirs {
        Ok(Some(theirs)) => (Some(theirs), ""),
        Ok(None) => (None, " (Serena is not installed)"),
        Err(error) => {
            eprintln!("    Serena: {error:.300}");
            (None, " (Serena does not work here)")
        }
    };
    let mut answered = theirs.iter().flat_map(|theirs| theirs.asked.clone());
    for (question, ours) in subject.questions.iter().zip(asked) {
        let row = |beside, budget| Row {
            what: format!("{label}: {}, over MCP, CPU{missing}", question.what),
            unit: "ms",
            ours: Spread::of(ours.clone()),
            beside,
            budget,
        };
        let beside = answered.next().map(|times| ("Serena", Spread::of(times)));
        rows.push(row(beside, question.most));
        if question.tool == "search_for_pattern" {
            let ripgrep = ("ripgrep", Spread::of(ripgrep(home, rounds)?));
            rows.push(row(Some(ripgrep), Budget::Times(1.3)));
        }
    }
    let theirs_resident = theirs.as_ref().map(|theirs| theirs.resident);
    rows.push(Row {
        what: format!("{label}: resident after all questions over MCP{missing}"),
        unit: "MB",
        ours: Spread::of(vec![resident]),
        beside: theirs_resident.map(|resident| ("Serena", Spread::of(vec![resident]))),
        budget: subject.megabytes,
    });
    let mut warm = Vec::new().into_iter();
    if let Some(theirs) = theirs {
        rows.push(Row {
            what: format!("{label}: from the start to the first whole answer over MCP, CPU"),
            unit: "ms",
            ours: Spread::of(vec![cold]),
            beside: Some(("Serena", Spread::of(vec![theirs.cold]))),
            budget: Budget::None,
        });
        warm = theirs.warm.into_iter();
    }
    rows.extend(named.into_iter().zip(ours).map(|((name, _), ours)| Row {
        what: format!("{label}: find_symbols, {name}, over MCP, CPU{missing}"),
        unit: "ms",
        ours: Spread::of(ours),
        beside: warm.next().map(|times| ("Serena", Spread::of(times))),
        budget: Budget::AtMost(5.0),
    }));
    Ok(rows)
}

/// The same search by ripgrep, in every round.
fn ripgrep(home: &Home, rounds: usize) -> Result<Vec<f64>> {
    let mut times = Vec::new();
    for _ in 0..rounds {
        let before = cpu_of_ended_children()?;
        for _ in 0..CALLS {
            run(home
                .command(Path::new("rg"))
                .args(["--line-number", SEARCHED, "."]))?;
        }
        times.push(milliseconds((cpu_of_ended_children()? - before) / CALLS));
    }
    Ok(times)
}

/// What a call costs, in every round.
fn times(peer: &mut Peer, call: &Value, rounds: usize) -> Result<Vec<f64>> {
    let mut times = Vec::new();
    for _ in 0..rounds {
        let lines: Vec<String> = (0..CALLS).map(|_| peer.line("tools/call", call)).collect();
        let before = peer.cpu_with_ended_threads()?;
        peer.sequential(&lines)?;
        let spent = peer.cpu_with_ended_threads()? - before;
        times.push(milliseconds(spent / CALLS));
    }
    Ok(times)
}

/// Asks until an answer says that the index is complete.
fn wait_for_index(peer: &mut Peer) -> Result<()> {
    let call = json!({ "name": "find_symbols", "arguments": { "query": ABSENT } });
    for _ in 0..200 {
        let answer = peer.request("tools/call", &call)?;
        if answer["structuredContent"]["complete"] == json!(true) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    bail!("the index did not become complete")
}

fn figures_of(command: &mut Command) -> Result<Value> {
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("cannot run {command:?}"))?;
    ensure!(output.status.success(), "{command:?}: {}", output.status);
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn run(command: &mut Command) -> Result<()> {
    let output = command.output();
    let output = output.with_context(|| format!("cannot run {command:?}"))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {complaint}");
    Ok(())
}

fn number(figures: &Value, key: &str) -> Result<f64> {
    let found = &figures[key];
    let number = found.as_f64().or_else(|| found.as_u64().map(float));
    number.with_context(|| format!("the child did not say `{key}`"))
}
