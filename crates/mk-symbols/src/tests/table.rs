//! Symbols of a project in all languages, with the places where somebody who reads the files finds them.

use std::path::Path;
use std::time::Duration;

use mk_types::AbsPath;

use crate::{IndexQuery, Matching, SymbolIndex};

#[test]
fn every_symbol_of_the_table_is_found_where_it_is() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
    let index = SymbolIndex::start(&AbsPath::new(folder).unwrap(), None).unwrap();
    index.wait(Duration::from_secs(60));
    let mut wrong = Vec::new();
    let mut n_rows = 0;
    for row in include_str!("../../fixtures/symbols.txt").lines() {
        let [name, kind, place] = row.split(" | ").collect::<Vec<_>>().try_into().unwrap();
        let query = IndexQuery {
            matching: Matching::Exact,
            ..IndexQuery::new(name)
        };
        let hits = index.find(&query, &|_| true).unwrap().hits;
        let found: Vec<String> = hits
            .iter()
            .map(|hit| format!("{} | {}:{}", hit.kind.as_str(), hit.path, hit.lines.start))
            .collect();
        if !found.contains(&format!("{kind} | {place}")) {
            wrong.push(format!("{row}: {found:?}"));
        }
        n_rows += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n_rows >= 100);
    assert_eq!(index.skipped(), []);
}
