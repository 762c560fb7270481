//! What the build script takes out of a grammar's C source, and what it refuses.

use crate::convert::{Converted, convert};

const SOURCE: &str = "\
#include \"tree_sitter/parser.h\"
#define STATE_COUNT 4
#define LARGE_STATE_COUNT 2
#define SYMBOL_COUNT 3

enum ts_symbol_identifiers {
  sym_name = 1,
  anon_sym_SEMI = 2,
};

static const uint16_t ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT] = {
  [STATE(0)] = {
    [ts_builtin_sym_end] = ACTIONS(1),
    [anon_sym_SEMI] = STATE(7),
  },
  [1] = {
    [sym_name] = ACTIONS(65535),
  },
};

static const uint16_t ts_small_parse_table[] = {
  [0] = 1,
    ACTIONS(3), 2,
      sym_name,
      anon_sym_SEMI,
  [5] = 0,
};

static const uint32_t ts_small_parse_table_map[] = {
  [SMALL_STATE(2)] = 0,
  [SMALL_STATE(3)] = 5,
};
";

#[test]
fn tables_become_zeros_that_are_filled_later() {
    let Converted {
        source,
        large,
        small,
    } = convert(SOURCE, "mk_x").unwrap();
    assert_eq!(large, [1, 0, 7, 0, 65535, 0]);
    assert_eq!(small, [1, 3, 2, 1, 2, 0]);
    let (before, _) = SOURCE.split_once("static const uint16_t").unwrap();
    let (_, after) = SOURCE.split_once("  [5] = 0,\n};\n").unwrap();
    let expected = format!(
        "{before}uint16_t mk_x_large[LARGE_STATE_COUNT][SYMBOL_COUNT];\n\
         #define ts_parse_table mk_x_large\n\
         \n\
         uint16_t mk_x_small[6];\n\
         #define ts_small_parse_table mk_x_small\n\
         {after}"
    );
    assert_eq!(source, expected);
}

#[track_caller]
fn refuses(written: &str, instead: &str, error: &str) {
    let source = SOURCE.replacen(written, instead, 1);
    assert_ne!(source, SOURCE);
    assert_eq!(convert(&source, "mk_x").unwrap_err(), error);
}

#[test]
fn what_it_cannot_read_is_an_error() {
    refuses("sym_name]", "sym_other]", "`sym_other` is not a symbol");
    refuses("[1] =", "[2] =", "there is a state 2 of 2");
    refuses("[5] = 0", "[6] = 0", "entry 6 comes after 5 entries");
    refuses("(65535)", "(65536)", "`65536` is too large for an entry");
    refuses("STATE(7)", "NEXT(7)", "`NEXT` is not a symbol");
    refuses(
        "ACTIONS(3), 2",
        "ACTIONS(3) + 2",
        "expected `,` before `+ 2,`",
    );
    refuses(
        "= 2,\n};",
        "= x,\n};",
        "`  anon_sym_SEMI = x,` numbers no symbol",
    );
    refuses(
        "#define SYMBOL_COUNT 3",
        "",
        "`SYMBOL_COUNT` is not defined",
    );
    refuses(
        "ts_small_parse_table[]",
        "other[]",
        "there is no `static const uint16_t ts_small_parse_table[] = {`",
    );
}
