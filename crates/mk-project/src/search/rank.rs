//! Which matches are worth showing when there are too many.
//!
//! Files are ordered by, in this order:
//! 1. text that people wrote before lock files, minified and generated ones;
//! 2. their best match: whole words before parts of words, then definitions before uses;
//! 3. sources before tests before vendored code;
//! 4. shallow paths before deep ones;
//! 5. the path.
//!
//! Then every file gives its best match in turn until there are enough, so that no single file fills the answer.

use std::cmp::Ordering;

use mk_types::ProjectPath;

/// What kind of file it is, judged by its path. The order is the rank's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FileClass {
    Source,
    Test,
    Vendored,
    /// Lock files, minified and generated ones.
    Noise,
}

/// How good a match is; smaller is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Weight {
    pub(super) part_of_word: bool,
    pub(super) is_use: bool,
}

impl Weight {
    pub(super) const BEST: Self = Self {
        part_of_word: false,
        is_use: false,
    };
    pub(super) const WORST: Self = Self {
        part_of_word: true,
        is_use: true,
    };
}

/// A match that may be shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RankedMatch {
    pub(super) weight: Weight,
    pub(super) line: u64,
    pub(super) n_lines: u64,
    pub(super) text: String,
}

impl Ord for RankedMatch {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.weight, self.line).cmp(&(other.weight, other.line))
    }
}

impl PartialOrd for RankedMatch {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A file's best matches, the best first.
#[derive(Debug)]
pub(super) struct FileHits {
    pub(super) path: ProjectPath,
    pub(super) class: FileClass,
    pub(super) total: usize,
    pub(super) kept: Vec<RankedMatch>,
}

impl FileHits {
    fn rank(&self) -> (bool, Weight, FileClass, usize, &str) {
        let best = self.kept.first().map_or(Weight::WORST, |hit| hit.weight);
        let path = self.path.as_str();
        let depth = path.bytes().filter(|byte| *byte == b'/').count();
        (
            self.class == FileClass::Noise,
            best,
            self.class,
            depth,
            path,
        )
    }
}

/// Sorts the files and keeps the matches that are among the best `limit`.
///
/// What is not kept now would not be kept later either, because further files only take places away. So a part of the
/// files can be cut down early, in any order, and the answer stays the same.
pub(super) fn select(files: &mut Vec<FileHits>, limit: usize) {
    files.sort_unstable_by(|left, right| left.rank().cmp(&right.rank()));
    let mut places = limit;
    let mut taken = vec![0_usize; files.len()];
    let mut turn = 0;
    while places > 0 {
        let mut any = false;
        for (file, taken) in files.iter().zip(&mut taken) {
            if places > 0 && file.kept.len() > turn {
                *taken += 1;
                places -= 1;
                any = true;
            }
        }
        if !any {
            break;
        }
        turn += 1;
    }
    for (file, taken) in files.iter_mut().zip(taken) {
        file.kept.truncate(taken);
    }
    files.retain(|file| !file.kept.is_empty());
}

const LOCK_FILES: [&str; 5] = [
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "go.sum",
    "Package.resolved",
];
const NOISE_ENDINGS: [&str; 15] = [
    ".lock",
    ".lockb",
    ".map",
    ".min.js",
    ".min.css",
    ".min.mjs",
    ".bundle.js",
    ".pb.go",
    ".pb.cc",
    ".pb.h",
    "_pb2.py",
    "_pb2_grpc.py",
    ".g.dart",
    ".snap",
    ".svg",
];
const NOISE_FOLDERS: [&str; 5] = [
    "dist",
    "build",
    "generated",
    "__generated__",
    "__snapshots__",
];
const VENDOR_FOLDERS: [&str; 9] = [
    "vendor",
    "vendored",
    "node_modules",
    "third_party",
    "third-party",
    "bower_components",
    "site-packages",
    ".venv",
    "Pods",
];
const TEST_FOLDERS: [&str; 10] = [
    "test",
    "tests",
    "__tests__",
    "spec",
    "specs",
    "testing",
    "testdata",
    "fixtures",
    "benches",
    "e2e",
];

impl FileClass {
    pub(super) fn of(path: &str) -> Self {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let within = |names: &[&str]| folders.split('/').any(|folder| names.contains(&folder));
        let is_generated = name.contains(".generated.") || name.contains(".gen.");
        if LOCK_FILES.contains(&name)
            || NOISE_ENDINGS.iter().any(|ending| name.ends_with(ending))
            || is_generated
            || within(&NOISE_FOLDERS)
        {
            Self::Noise
        } else if within(&VENDOR_FOLDERS) {
            Self::Vendored
        } else if within(&TEST_FOLDERS) || is_test(name) {
            Self::Test
        } else {
            Self::Source
        }
    }
}

fn is_test(name: &str) -> bool {
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    name.contains(".test.")
        || name.contains(".spec.")
        || stem.starts_with("test_")
        || ["_test", "_spec", "Test", "Tests", "Spec"]
            .iter()
            .any(|ending| stem.ends_with(ending))
}
