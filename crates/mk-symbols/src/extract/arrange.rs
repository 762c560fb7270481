//! Putting the definitions of a file into each other.

use std::cmp::Reverse;

use super::{RawDefinition, offset};
use crate::kind::SymbolKind;
use crate::language::Language;
use crate::symbol::{Symbol, join_path};

/// Puts every symbol into the one around it and drops what nobody can look for.
pub(super) fn arrange(language: &Language, mut found: Vec<RawDefinition>) -> Vec<Symbol> {
    found.sort_by_key(|one| (one.symbol.name_range.start, one.pattern));
    found.dedup_by_key(|one| one.symbol.name_range.start);
    found.sort_by_key(|one| {
        let Symbol {
            range, name_range, ..
        } = &one.symbol;
        (range.start, Reverse(range.end), name_range.start)
    });
    if language.name() == "haskell" {
        found = with_equations(found);
    }
    let mut symbols: Vec<Symbol> = Vec::with_capacity(found.len());
    // Those that are open: where they end, their position, the container of what is in them.
    let mut open: Vec<(u32, u32, String)> = Vec::new();
    let mut of_file = String::new();
    for RawDefinition {
        mut symbol,
        segment,
        bare,
        is_for_file,
        ..
    } in found
    {
        open.retain(|(end, _, _)| *end > symbol.range.start);
        let around = |open: &[(u32, u32, String)], symbols: &[Symbol]| {
            let mut inwards = open.iter().rev();
            let (_, position, path) = inwards.find(|(end, position, _)| {
                let around = symbols.get(*position as usize);
                // Two names of one definition, `int a, b;`, are not in each other.
                *end >= symbol.range.end
                    && around.is_some_and(|around| around.range != symbol.range)
            })?;
            let around = symbols.get(*position as usize)?;
            Some((
                *position,
                around.kind,
                around.name == symbol.name,
                path.clone(),
            ))
        };
        let mut parent = around(&open, &symbols);
        // A parameter of a constructor can be a field of its class.
        if symbol.kind == SymbolKind::Field
            && let Some((position, SymbolKind::Constructor, _, _)) = parent
        {
            let outer: Vec<_> = open
                .iter()
                .filter(|(_, other, _)| *other != position)
                .cloned()
                .collect();
            parent = around(&outer, &symbols);
        }
        let mut path = of_file.clone();
        if let Some((position, kind, same_name, around)) = parent {
            if kind.is_callable() && (symbol.kind.is_value() || bare) {
                continue;
            }
            // `typedef struct Node {…} Node` is one type.
            if same_name && kind == symbol.kind && kind.is_type() {
                continue;
            }
            symbol.parent = Some(position);
            path = around;
        }
        let around = parent_kind(&symbols, symbol.parent);
        settle_kind(&mut symbol, around, &path);
        if !symbol.container.is_empty() {
            path = join_path(&path, &symbol.container);
        }
        let inner = join_path(&path, segment.as_deref().unwrap_or(&symbol.name));
        if is_for_file {
            of_file.clone_from(&inner);
        }
        open.push((symbol.range.end, offset(symbols.len()), inner));
        symbol.container = path;
        symbols.push(symbol);
    }
    symbols
}

/// Makes one definition of a signature and the equations that follow it, as Haskell writes a function.
fn with_equations(found: Vec<RawDefinition>) -> Vec<RawDefinition> {
    let mut joined: Vec<RawDefinition> = Vec::with_capacity(found.len());
    // Positions of those that are around the next one, and the one that ended last before it.
    let mut open: Vec<usize> = Vec::new();
    for next in found {
        let mut before = None;
        while let Some(position) = open.last().copied()
            && joined
                .get(position)
                .is_some_and(|one| one.symbol.range.end <= next.symbol.range.start)
        {
            before = open.pop();
        }
        let is_same = |one: &RawDefinition| {
            let (one, next) = (&one.symbol, &next.symbol);
            one.kind.is_callable() && one.name == next.name && one.kind == next.kind
        };
        let same = before.and_then(|position| Some((position, joined.get_mut(position)?)));
        if let Some((position, one)) = same.filter(|(_, one)| is_same(one)) {
            one.symbol.range.end = next.symbol.range.end;
            one.symbol.lines.end = next.symbol.lines.end;
            open.push(position);
        } else {
            open.push(joined.len());
            joined.push(next);
        }
    }
    joined
}

fn parent_kind(symbols: &[Symbol], parent: Option<u32>) -> Option<SymbolKind> {
    Some(symbols.get(parent? as usize)?.kind)
}

/// What a function or a value is depends on what it is in.
fn settle_kind(symbol: &mut Symbol, around: Option<SymbolKind>, path: &str) {
    const CONSTRUCTORS: [&str; 4] = ["constructor", "__init__", "__construct", "initialize"];
    let in_type = around.is_some_and(|kind| kind.is_type() || kind == SymbolKind::Impl);
    let own_class = if symbol.container.is_empty() {
        path
    } else {
        &symbol.container
    };
    let class = own_class.rsplit('/').next().unwrap_or_default();
    let constructs = class == symbol.name || CONSTRUCTORS.contains(&symbol.name.as_str());
    symbol.kind = match symbol.kind {
        SymbolKind::Function | SymbolKind::Method if in_type && constructs => {
            SymbolKind::Constructor
        }
        SymbolKind::Method if class == symbol.name => SymbolKind::Constructor,
        SymbolKind::Function if in_type => SymbolKind::Method,
        SymbolKind::Variable if in_type => SymbolKind::Field,
        SymbolKind::Property if !in_type => SymbolKind::Variable,
        kind => kind,
    };
}
