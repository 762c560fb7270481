//! Measures the index on a folder, beside a bare walk, read and parse of the same files.
//!
//! `measure bare <folder>` and `measure index <folder> <cache folder>`, each in a process of its own, so that memory is
//! each one's own.

#![expect(clippy::print_stdout, reason = "the figures are what it is for")]
#![expect(
    clippy::expect_used,
    reason = "a figure that cannot be taken is no figure"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mk_project::{FindQuery, find_files};
use mk_symbols::{Index, Query};
use mk_types::{AbsPath, ProjectPath};
use tree_sitter::{Language, Parser};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["bare", folder] => bare(&root(folder)),
        ["index", folder, cache] => index(&root(folder), Path::new(cache)),
        _ => println!("measure bare <folder> | measure index <folder> <cache folder>"),
    }
}

fn root(folder: &str) -> AbsPath {
    let real = fs::canonicalize(folder).expect("a folder");
    AbsPath::new(&real).expect("a folder with a readable name")
}

fn grammar(path: &str) -> Option<Language> {
    let grammar = match Path::new(path).extension()?.to_str()? {
        "py" => tree_sitter_python::LANGUAGE,
        "rs" => tree_sitter_rust::LANGUAGE,
        "js" | "mjs" | "cjs" => tree_sitter_javascript::LANGUAGE,
        "ts" | "mts" | "cts" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX,
        "md" => tree_sitter_md::LANGUAGE,
        "sh" => tree_sitter_bash::LANGUAGE,
        "c" | "h" => tree_sitter_c::LANGUAGE,
        _ => return None,
    };
    Some(Language::new(grammar))
}

fn bare(root: &AbsPath) {
    let start = Instant::now();
    let query = FindQuery {
        pattern: "*".to_owned(),
        folder: ProjectPath::parse(".", root).expect("the root"),
        max_results: usize::MAX,
    };
    let cancel = AtomicBool::new(false);
    let found = find_files(
        root,
        &query,
        &|path| grammar(path.as_str()).is_some(),
        &cancel,
    );
    let paths = found.expect("a walk").paths;
    let next = AtomicUsize::new(0);
    let n_bytes = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get().min(4)) {
            scope.spawn(|| {
                let mut parser = Parser::new();
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let text = fs::read(path.under(root)).expect("a file");
                    let grammar = grammar(path.as_str()).expect("a grammar");
                    parser.set_language(&grammar).expect("a grammar that fits");
                    drop(parser.parse(&text, None));
                    n_bytes.fetch_add(text.len(), Ordering::Relaxed);
                }
            });
        }
    });
    let n_bytes = n_bytes.into_inner();
    println!("bare: {} files, {n_bytes} bytes", paths.len());
    report("bare", start.elapsed());
}

fn index(root: &AbsPath, cache: &Path) {
    let start = Instant::now();
    let index = Index::start(root, Some(PathBuf::from(cache))).expect("an index");
    let progress = index.wait(Duration::from_secs(600));
    report("index", start.elapsed());
    println!(
        "index: {progress:?} files and symbols {:?}, skipped {}",
        index.size(),
        index.skipped().len()
    );
    for pattern in [
        "Model",
        "model",
        "QuerySet/filter",
        "gfk",
        "Modle",
        "zzzz",
        "JoinHandle",
        "JH",
    ] {
        let (time, answer) = best(|| index.find(&Query::new(pattern), &|_| true));
        let answer = answer.expect("an answer");
        let first = answer
            .hits
            .first()
            .map(|hit| format!("{}:{} {}", hit.path, hit.lines.start, hit.name_path));
        println!(
            "find {pattern}: {time:?} total {} first {first:?}",
            answer.total
        );
    }
    let some = index
        .find(&Query::new("Model"), &|_| true)
        .expect("an answer")
        .hits;
    if let Some(hit) = some.first() {
        let (time, ()) = best(|| index.update(std::slice::from_ref(&hit.path)));
        println!("update {}: {time:?}", hit.path);
    }
    let (time, swept) = best(|| index.sweep());
    println!("sweep: {time:?} {swept:?}");
    let (time, map) = best(|| index.map(1200, None, &|_| true));
    println!("map: {time:?} {} tokens\n{}", map.tokens, map.text);
    report("after queries", start.elapsed());
}

fn best<T>(mut run: impl FnMut() -> T) -> (Duration, T) {
    let mut fastest: Option<(Duration, T)> = None;
    for _ in 0..5 {
        let start = Instant::now();
        let answer = run();
        let time = start.elapsed();
        if fastest.as_ref().is_none_or(|(known, _)| time < *known) {
            fastest = Some((time, answer));
        }
    }
    fastest.expect("five runs")
}

/// Time, processor time of all threads, and the most memory so far.
fn report(what: &str, wall: Duration) {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = |key: &str| {
        let line = status
            .lines()
            .find(|line| line.starts_with(key))
            .unwrap_or_default();
        line.split_whitespace()
            .nth(1)
            .unwrap_or_default()
            .to_owned()
    };
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let mut ticks = after_name
        .split_whitespace()
        .skip(11)
        .map(|field| field.parse().unwrap_or(0_u64));
    let cpu = ticks.next().unwrap_or(0) + ticks.next().unwrap_or(0);
    println!(
        "{what}: wall {wall:?}, cpu {}.{:02} s, resident {} kB, peak {} kB",
        cpu / 100,
        cpu % 100,
        line("VmRSS:"),
        line("VmHWM:"),
    );
}
