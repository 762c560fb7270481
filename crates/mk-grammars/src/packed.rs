//! The grammars, and how their tables are filled. The one module of this crate with `unsafe`; what it relies on is said
//! at each place.

use std::sync::Once;

use tree_sitter_language::LanguageFn;
// For their scanners, which the compiled grammars call.
use {
    tree_sitter_c_sharp as _, tree_sitter_cpp as _, tree_sitter_dart as _, tree_sitter_elixir as _,
    tree_sitter_haskell as _, tree_sitter_kotlin_ng as _, tree_sitter_php as _,
    tree_sitter_ruby as _, tree_sitter_scala as _, tree_sitter_swift as _,
};

/// A grammar that `build.rs` has compiled: its function in C and its two tables, each with its length in bytes and the
/// file with its packed contents.
macro_rules! grammar {
    (
        $name:ident, $function:ident,
        $large:ident: $large_length:literal = $large_file:literal,
        $small:ident: $small_length:literal = $small_file:literal
    ) => {
        pub const $name: LanguageFn = {
            unsafe extern "C" {
                fn $function() -> *const ();
                // Arrays of 16-bit numbers there; as bytes, they ask for no alignment that they do not have.
                static mut $large: [u8; $large_length];
                static mut $small: [u8; $small_length];
            }
            static FILLED: Once = Once::new();
            unsafe extern "C" fn language() -> *const () {
                FILLED.call_once(|| {
                    // SAFETY: `build.rs` writes the lengths here and into the C source. Nothing else has the tables
                    // yet: they are reached through the grammar only, which is handed out below, after this.
                    let (large, small) =
                        unsafe { (&mut *(&raw mut $large), &mut *(&raw mut $small)) };
                    unpack(include_bytes!($large_file), large);
                    unpack(include_bytes!($small_file), small);
                });
                // SAFETY: it takes nothing and returns the address of a static.
                unsafe { $function() }
            }
            // SAFETY: it returns what the function that tree-sitter has generated returns.
            unsafe { LanguageFn::from_raw(language) }
        };
    };
}

include!(concat!(env!("OUT_DIR"), "/grammars.rs"));

/// Fills a table. A binary that does not hold what it was built with must not go on: C code would read half a table.
fn unpack(packed: &[u8], table: &mut [u8]) {
    let length = table.len();
    let packed = std::iter::once(packed);
    let unpacked = miniz_oxide::inflate::decompress_slice_iter_to_slice(table, packed, false, true);
    assert_eq!(unpacked, Ok(length), "a table of a grammar is damaged");
}
