//! Measures the index on a folder for `cargo xtask bench symbols`, in a process of its own so that its memory is too.
//!
//! `measure bare <folder>` only walks, reads and parses the files. `measure index <folder> <cache folder> <pattern>…`
//! makes the index or takes it from the cache, asks for every pattern, changes files, among them that of the first
//! answer, and lets the folders be watched. `measure first <folder> <pattern>` asks before there is an index. All print their figures as JSON: milliseconds of processor time, and bytes.

#![expect(clippy::print_stdout, reason = "the figures are what it is for")]

use std::fs;
use std::io::{Error, Result, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mk_project::{FindQuery, find_files};
use mk_symbols::{IndexQuery, IndexState, SymbolHit, SymbolIndex};
use mk_types::{AbsPath, ProjectPath, Timestamp};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use tree_sitter::{Language, Parser};

/// Files that are changed, from all over the project.
const SAMPLE: usize = 100;
/// As often as a question is repeated; the median counts.
const ROUNDS: usize = 15;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let figures = match arguments.as_slice() {
        ["bare", folder] => bare(&root(folder)?)?,
        ["index", folder, cache, patterns @ ..] => {
            index(&root(folder)?, Path::new(cache), patterns)?
        }
        ["first", folder, pattern] => first(&root(folder)?, pattern)?,
        _ => {
            let usage = "measure bare <folder> | measure index <folder> <cache folder> <pattern>… | \
                         measure first <folder> <pattern>";
            return Err(Error::other(usage));
        }
    };
    println!("{figures}");
    Ok(())
}

fn root(folder: &str) -> Result<AbsPath> {
    let root = AbsPath::new(&fs::canonicalize(folder)?);
    root.ok_or_else(|| Error::other("the folder's name is not UTF-8"))
}

fn grammar(path: &str) -> Option<Language> {
    let grammar = match Path::new(path).extension()?.to_str()? {
        "py" | "pyi" => tree_sitter_python::LANGUAGE,
        "rs" => tree_sitter_rust::LANGUAGE,
        "js" | "mjs" | "cjs" => tree_sitter_javascript::LANGUAGE,
        "ts" | "mts" | "cts" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX,
        "md" => tree_sitter_md::LANGUAGE,
        "sh" => tree_sitter_bash::LANGUAGE,
        _ => return None,
    };
    Some(Language::new(grammar))
}

fn files(root: &AbsPath) -> Result<Vec<ProjectPath>> {
    let query = FindQuery {
        pattern: "*".to_owned(),
        folder: ProjectPath::parse(".", root).map_err(Error::other)?,
        max_results: usize::MAX,
    };
    let wanted = |path: &ProjectPath| grammar(path.as_str()).is_some();
    let found = find_files(root, &query, &wanted, &AtomicBool::new(false));
    Ok(found.map_err(Error::other)?.paths)
}

/// The least that any index of a file has to do.
fn read_and_parse(parser: &mut Parser, root: &AbsPath, path: &ProjectPath) -> Result<()> {
    let text = fs::read(path.under(root))?;
    if let Some(grammar) = grammar(path.as_str()) {
        parser.set_language(&grammar).map_err(Error::other)?;
        drop(parser.parse(&text, None));
    }
    Ok(())
}

/// On as many threads as ours.
fn bare(root: &AbsPath) -> Result<Value> {
    let paths = files(root)?;
    let next = AtomicUsize::new(0);
    let read = || -> Result<()> {
        let mut parser = Parser::new();
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            read_and_parse(&mut parser, root, path)?;
        }
        Ok(())
    };
    let n_threads = std::thread::available_parallelism().map_or(1, |cores| cores.get().min(4));
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads).map(|_| scope.spawn(read)).collect();
        let joined = threads.into_iter().map(|thread| {
            let panicked = |_| Err(Error::other("a thread panicked"));
            thread.join().unwrap_or_else(panicked)
        });
        joined.collect::<Result<()>>()
    })?;
    Ok(json!({ "files": paths.len(), "ready": milliseconds(cpu()) }))
}

/// What it costs to answer before there is an index.
fn first(root: &AbsPath, pattern: &str) -> Result<Value> {
    let index = SymbolIndex::start(root, None).map_err(Error::other)?;
    let answer = index.find(&IndexQuery::new(pattern), &|_| true);
    let answered = milliseconds(cpu());
    let answer = answer.map_err(Error::other)?;
    let first = answer.hits.first();
    Ok(json!({
        "answered": answered,
        "total": answer.total,
        "complete": !answer.is_partial(),
        "first": first.map(|hit| format!("{}:{} {}", hit.path, hit.lines.start, hit.name_path)),
    }))
}

fn index(root: &AbsPath, cache: &Path, patterns: &[&str]) -> Result<Value> {
    let index = SymbolIndex::start(root, Some(PathBuf::from(cache))).map_err(Error::other)?;
    if index.wait(Duration::from_secs(600)).state != IndexState::Ready {
        return Err(Error::other("the index did not become ready"));
    }
    let ready = milliseconds(cpu());
    let resident = resident()?;
    let mut first: Option<SymbolHit> = None;
    let mut queries = Vec::new();
    for pattern in patterns {
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            let before = cpu();
            let answer = index.find(&IndexQuery::new(*pattern), &|_| true);
            times.push(cpu() - before);
            let hits = answer.map_err(Error::other)?.hits;
            first = first.or_else(|| hits.into_iter().next());
        }
        queries.push(milliseconds(median(times)));
    }
    let repeated = |work: &dyn Fn()| {
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            let before = cpu();
            work();
            times.push(cpu() - before);
        }
        milliseconds(median(times))
    };
    let change = |path: &ProjectPath| -> Result<Duration> {
        let file = fs::OpenOptions::new().append(true).open(path.under(root));
        file?.write_all(b"\n")?;
        let before = cpu();
        index.update(std::slice::from_ref(path));
        Ok(cpu() - before)
    };
    let paths = files(root)?;
    let some = paths.iter().step_by((paths.len() / SAMPLE).max(1));
    let mut changes = some.map(change).collect::<Result<Vec<Duration>>>()?;
    changes.sort();
    let changed = changes.get(changes.len() * 95 / 100).copied();
    let (mut large, mut large_bare) = (Vec::new(), Vec::new());
    if let Some(hit) = &first {
        let mut parser = Parser::new();
        for _ in 0..ROUNDS {
            large.push(change(&hit.path)?);
            let before = cpu();
            read_and_parse(&mut parser, root, &hit.path)?;
            large_bare.push(cpu() - before);
        }
    }
    let sweep = repeated(&|| {
        index.sweep();
    });
    // Who asks once does not pay for watching: it begins with a question that comes later than a second.
    index.refresh(Timestamp::from_millis(0));
    let now = Timestamp::from_millis(2_000);
    index.refresh(now);
    let deadline = Instant::now() + Duration::from_secs(60);
    while index.watched_folders().is_none() && Instant::now() < deadline {
        std::thread::park_timeout(Duration::from_millis(10));
    }
    if index.watched_folders().is_none() {
        return Err(Error::other("the folders could not be watched"));
    }
    let refresh = repeated(&|| index.refresh(now));
    let (files, symbols) = index.size();
    Ok(json!({
        "files": files,
        "symbols": symbols,
        "ready": ready,
        "resident": resident,
        "queries": queries,
        "first": first.map(|hit| format!("{}:{} {}", hit.path, hit.lines.start, hit.name_path)),
        "changed": milliseconds(changed.unwrap_or_default()),
        "large": milliseconds(median(large)),
        "large_bare": milliseconds(median(large_bare)),
        "sweep": sweep,
        "refresh": refresh,
    }))
}

/// Of all threads, also those that have ended.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or_default(),
        u32::try_from(time.tv_nsec).unwrap_or_default(),
    )
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn resident() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    let bytes = kilobytes.map(|kilobytes| kilobytes * 1024);
    bytes.ok_or_else(|| Error::other("no VmRSS in /proc"))
}
