//! A map of the project within a number of tokens: its most used symbols, file by file.
//!
//! Who uses what is told by names alone. A file passes its weight on to the files that define the words it uses, over
//! and over, until what everything leans on stands out. A name that many files define says little, and so does a
//! common word; languages that cannot use each other pass nothing on.

use std::collections::HashMap;
use std::fmt::Write as _;

use mk_project::Readable;
use mk_types::ProjectPath;

use crate::find::{FileGlob, is_test};
use crate::index::{IndexedFiles, IndexingProgress, PackedSymbols, SymbolIndex, hash};
use crate::kind::SymbolKind;
use crate::language::Language;

/// Names that more files define than this tie nothing together.
const MOST_DEFINERS: usize = 8;
const ROUNDS: usize = 12;
/// How much of its weight a file passes on.
const DAMPING: f32 = 0.85;
const ASIDE_WEIGHT: f32 = 0.1;
const FOCUS_WEIGHT: f32 = 20.0;
const LONGEST_LINE: usize = 120;
const BYTES_PER_TOKEN: usize = 4;
const MOST_SYMBOLS_PER_FILE: usize = 12;

/// The most used symbols of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryMap {
    /// A path on a line of its own, below it the signatures, indented.
    pub text: String,
    /// An estimate.
    pub tokens: usize,
    pub files_shown: usize,
    pub files_total: usize,
    pub progress: IndexingProgress,
}

impl SymbolIndex {
    /// Draws the map. With a focus, a glob or the path of a file, what those files use comes first.
    pub fn map(&self, budget: usize, focus: Option<&str>, readable: Readable<'_>) -> RepositoryMap {
        let progress = self.progress();
        let store = self.store();
        let focus = focus.and_then(|focus| FileGlob::new(focus).ok());
        let graph = Graph::new(&store, readable);
        let ranks = graph.rank(focus.as_ref());
        let (text, files_shown) =
            graph.draw(&store, &ranks, budget.saturating_mul(BYTES_PER_TOKEN));
        RepositoryMap {
            tokens: text.len().div_ceil(BYTES_PER_TOKEN),
            text,
            files_shown,
            files_total: graph.files.len(),
            progress,
        }
    }
}

struct Graph<'a> {
    files: Vec<(&'a ProjectPath, &'a PackedSymbols)>,
    /// For every file the names it uses and somebody defines, as positions in `names`.
    uses: Vec<Vec<u32>>,
    names: Vec<Name>,
    name_of: HashMap<(&'static str, u32), u32>,
}

struct Name {
    definers: Vec<u32>,
    /// How much its use says.
    weight: f32,
}

/// How much weight each file and each name has.
struct Ranks {
    files: Vec<f32>,
    names: Vec<f32>,
}

impl<'a> Graph<'a> {
    fn new(store: &'a IndexedFiles, readable: Readable<'_>) -> Self {
        let files: Vec<_> = store
            .known()
            .filter(|(path, packed)| !packed.symbols.is_empty() && readable(path))
            .collect();
        let mut name_of = HashMap::new();
        let mut names: Vec<Name> = Vec::new();
        for ((path, packed), file) in files.iter().zip(0_u32..) {
            let family = family(path.as_str());
            for symbol in packed.symbols.iter().filter(|symbol| shows(symbol.kind)) {
                let text = store.names.text(symbol.name);
                let position = *name_of.entry((family, hash(text))).or_insert_with(|| {
                    names.push(Name {
                        definers: Vec::new(),
                        weight: weight(text),
                    });
                    u32::try_from(names.len() - 1).unwrap_or(u32::MAX)
                });
                if let Some(name) = names.get_mut(position as usize)
                    && name.definers.last() != Some(&file)
                {
                    name.definers.push(file);
                }
            }
        }
        let uses = files.iter().zip(0_u32..).map(|((path, packed), file)| {
            let family = family(path.as_str());
            let known = packed.words.iter().filter_map(|word| {
                let position = *name_of.get(&(family, *word))?;
                let name = names.get(position as usize)?;
                // A file that uses what it defines itself leans on nobody.
                let says_something =
                    name.definers.len() <= MOST_DEFINERS && !name.definers.contains(&file);
                says_something.then_some(position)
            });
            known.collect()
        });
        Self {
            uses: uses.collect(),
            files,
            names,
            name_of,
        }
    }

    fn rank(&self, focus: Option<&FileGlob>) -> Ranks {
        let start: Vec<f32> = self
            .files
            .iter()
            .map(|(path, _)| match focus {
                Some(focus) if focus.matches(path.as_str()) => FOCUS_WEIGHT,
                Some(_) => 1.0 / FOCUS_WEIGHT,
                None => own_weight(path.as_str()),
            })
            .collect();
        let weight_of = |name: &u32| {
            let name = self.names.get(*name as usize);
            name.map_or(0.0, |name| name.weight)
        };
        let sums: Vec<f32> = self
            .uses
            .iter()
            .map(|uses| uses.iter().map(weight_of).sum::<f32>().max(1.0))
            .collect();
        let mut ranks = Ranks {
            files: start.clone(),
            names: Vec::new(),
        };
        for _ in 0..ROUNDS {
            let mut names = vec![0.0_f32; self.names.len()];
            for ((uses, weight), sum) in self.uses.iter().zip(&ranks.files).zip(&sums) {
                for name in uses {
                    if let Some(slot) = names.get_mut(*name as usize) {
                        *slot += weight * weight_of(name) / sum;
                    }
                }
            }
            let mut files: Vec<f32> = start
                .iter()
                .map(|weight| weight * (1.0 - DAMPING))
                .collect();
            for (name, weight) in self.names.iter().zip(&names) {
                let share = DAMPING * weight / (name.definers.len().max(1) as f32);
                for file in &name.definers {
                    if let Some(slot) = files.get_mut(*file as usize) {
                        *slot += share;
                    }
                }
            }
            ranks = Ranks { files, names };
        }
        ranks
    }

    /// Writes files in the order of their weight until the budget is used up.
    fn draw(&self, store: &IndexedFiles, ranks: &Ranks, budget: usize) -> (String, usize) {
        let weight_of = |file: usize| {
            let weight = ranks.files.get(file).copied().unwrap_or(0.0);
            let own = self
                .files
                .get(file)
                .map(|(path, _)| own_weight(path.as_str()));
            weight * own.unwrap_or(0.0)
        };
        let mut order: Vec<usize> = (0..self.files.len()).collect();
        order.sort_by(|left, right| {
            weight_of(*right)
                .total_cmp(&weight_of(*left))
                .then(left.cmp(right))
        });
        let mut text = String::new();
        let mut n_shown = 0;
        for (path, packed) in order.iter().filter_map(|file| self.files.get(*file)) {
            let block = self.block(store, ranks, path, packed);
            if text.len() + block.len() > budget {
                // The smaller ones that follow would show what matters less.
                break;
            }
            text.push_str(&block);
            n_shown += 1;
        }
        (text, n_shown)
    }

    fn block(
        &self,
        store: &IndexedFiles,
        ranks: &Ranks,
        path: &ProjectPath,
        packed: &PackedSymbols,
    ) -> String {
        let family = family(path.as_str());
        let weight_of = |name: u32| {
            let word = hash(store.names.text(name));
            let position = self.name_of.get(&(family, word));
            let weight = position.and_then(|position| ranks.names.get(*position as usize));
            weight.copied().unwrap_or(0.0)
        };
        let mut best: Vec<(f32, usize)> = packed
            .symbols
            .iter()
            .enumerate()
            .filter(|(_, symbol)| shows(symbol.kind))
            .map(|(position, symbol)| (weight_of(symbol.name), position))
            .collect();
        best.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
        best.truncate(MOST_SYMBOLS_PER_FILE);
        best.sort_by_key(|(_, position)| *position);
        let mut block = format!("{path}\n");
        for (_, position) in best {
            let Some(symbol) = packed.symbols.get(position) else {
                continue;
            };
            let container = store.names.text(symbol.container);
            let depth = 1 + usize::from(!container.is_empty());
            let signature = packed.signature(symbol);
            let end = signature.floor_char_boundary(LONGEST_LINE);
            let signature = signature.get(..end).unwrap_or_default();
            let line = symbol.lines().start;
            // A string takes everything that is written to it.
            let _ = writeln!(block, "{}{line}: {signature}", "  ".repeat(depth));
        }
        block
    }
}

/// Which languages can use each other's names.
fn family(path: &str) -> &'static str {
    match Language::of_path(path).map(Language::name) {
        Some("javascript" | "typescript" | "tsx") => "javascript",
        Some("c" | "cpp") => "c",
        Some("java" | "kotlin" | "scala") => "java",
        Some(name) => name,
        // Scripts without an extension are mostly the shell's.
        None => "bash",
    }
}

/// Tests use everything and are used by nothing; what others wrote is not what the project is about.
fn own_weight(path: &str) -> f32 {
    let is_foreign = path.split('/').any(|part| {
        matches!(
            part,
            "vendor" | "vendored" | "third_party" | "node_modules" | "dist"
        )
    });
    if is_foreign || is_test(path) {
        ASIDE_WEIGHT
    } else {
        1.0
    }
}

/// How much the use of a name says: a word like `data` stands for anything, `ModelFormMetaclass` for itself.
fn weight(name: &str) -> f32 {
    let has_parts =
        name.trim_matches('_').contains('_') || name.bytes().any(|byte| byte.is_ascii_uppercase());
    match name.len() {
        0..=3 => 0.0,
        _ if name.starts_with('_') => 0.1,
        _ if !has_parts => 0.1,
        4..=7 => 0.5,
        _ => 1.0,
    }
}

fn shows(kind: SymbolKind) -> bool {
    kind.is_type() || kind.is_callable() || matches!(kind, SymbolKind::Macro | SymbolKind::Constant)
}
