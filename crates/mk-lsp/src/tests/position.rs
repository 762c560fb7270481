//! Places, as we count and as servers do.

use mk_types::Position;

use crate::position::{Encoding, LineStarts, WirePosition};

const TEXT: &str = "plain\r\né😀漢 x\nlast";

#[track_caller]
fn check((line, column): (u32, u32), utf8: u32, utf16: u32) {
    let lines = LineStarts::new(TEXT);
    let position = Position { line, column };
    for (encoding, character) in [(Encoding::Utf8, utf8), (Encoding::Utf16, utf16)] {
        let wire = WirePosition {
            line: line - 1,
            character,
        };
        assert_eq!(lines.to_wire(position, encoding), wire, "{encoding:?}");
        assert_eq!(lines.of_wire(wire, encoding), position, "{encoding:?}");
    }
}

#[test]
fn columns_before_any_wide_character_are_the_same() {
    check((1, 1), 0, 0);
    check((1, 6), 5, 5);
    check((3, 5), 4, 4);
}

#[test]
fn columns_after_wide_characters_differ() {
    check((2, 2), 2, 1);
    check((2, 3), 6, 3);
    check((2, 4), 9, 4);
    check((2, 6), 11, 6);
}

#[test]
fn a_place_past_the_end_is_the_end() {
    let lines = LineStarts::new(TEXT);
    let end = |line, character| lines.of_wire(WirePosition { line, character }, Encoding::Utf16);
    // The return before the newline belongs to the end of the line.
    assert_eq!(end(0, 99), Position { line: 1, column: 6 });
    assert_eq!(
        end(99, 0),
        Position {
            line: 100,
            column: 1
        }
    );
    let offset = |line, column| lines.offset(Position { line, column });
    assert_eq!(offset(1, 99), 5);
    assert_eq!(offset(100, 1), TEXT.len());
    assert_eq!(offset(2, 3), 13);
}

#[test]
fn a_place_inside_a_character_is_that_character() {
    let lines = LineStarts::new(TEXT);
    let inside = WirePosition {
        line: 1,
        character: 2,
    };
    let column = lines.of_wire(inside, Encoding::Utf16).column;
    assert_eq!(column, 2);
}
