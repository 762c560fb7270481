//! The tables in memory are the ones that the grammar's own crate has.

use std::slice;

use tree_sitter_language::LanguageFn;

/// How tree-sitter's `TSLanguage` begins, in every version of its layout that these grammars have.
#[repr(C)]
#[derive(Debug)]
struct Head {
    version: u32,
    symbols: u32,
    aliases: u32,
    tokens: u32,
    external_tokens: u32,
    states: u32,
    large_states: u32,
    productions: u32,
    fields: u32,
    longest_alias: u16,
    large: *const u16,
    small: *const u16,
    /// Where in the small table each state begins.
    starts: *const u32,
}

/// A grammar's tables.
#[derive(PartialEq, Eq)]
struct Tables {
    counts: [u32; 10],
    large: &'static [u16],
    starts: &'static [u32],
    small: &'static [u16],
}

#[expect(unsafe_code, reason = "tree-sitter's own API does not show its tables")]
fn tables(language: LanguageFn) -> Tables {
    // SAFETY: a grammar begins as above, and its tables are as long as their counts say.
    unsafe {
        let head = &*language.into_raw()().cast::<Head>();
        let length = |count: u32| usize::try_from(count).unwrap();
        let large = length(head.large_states) * length(head.symbols);
        let small_states = length(head.states - head.large_states);
        let starts = slice::from_raw_parts(head.starts, small_states);
        let last = length(*starts.iter().max().unwrap());
        let mut end = last + 1;
        for _ in 0..*head.small.add(last) {
            end += 2 + usize::from(*head.small.add(end + 1));
        }
        Tables {
            counts: [
                head.version,
                head.symbols,
                head.aliases,
                head.tokens,
                head.external_tokens,
                head.states,
                head.large_states,
                head.productions,
                head.fields,
                head.longest_alias.into(),
            ],
            large: slice::from_raw_parts(head.large, large),
            starts,
            small: slice::from_raw_parts(head.small, end),
        }
    }
}

#[track_caller]
fn check(packed: LanguageFn, plain: LanguageFn) {
    let (packed, plain) = (tables(packed), tables(plain));
    assert_eq!(packed.counts, plain.counts);
    assert!(plain.large.iter().any(|entry| *entry != 0));
    assert!(packed == plain, "the tables differ");
}

#[test]
fn every_packed_table_is_the_one_of_its_crate() {
    check(crate::C_SHARP, tree_sitter_c_sharp::LANGUAGE);
    check(crate::CPP, tree_sitter_cpp::LANGUAGE);
    check(crate::DART, tree_sitter_dart::LANGUAGE);
    check(crate::ELIXIR, tree_sitter_elixir::LANGUAGE);
    check(crate::HASKELL, tree_sitter_haskell::LANGUAGE);
    check(crate::KOTLIN, tree_sitter_kotlin_ng::LANGUAGE);
    check(crate::PHP, tree_sitter_php::LANGUAGE_PHP);
    check(crate::RUBY, tree_sitter_ruby::LANGUAGE);
    check(crate::SCALA, tree_sitter_scala::LANGUAGE);
    check(crate::SWIFT, tree_sitter_swift::LANGUAGE);
}
