//! The same as `code`, with as much of the sources as an hour is enough for.

use super::code::{LANGUAGES, ask_cold_and_warm, delete, give_back};

#[test]
fn what_is_shown_can_be_given_back() {
    give_back(&LANGUAGES, 1500);
}

#[test]
fn nothing_that_is_used_is_deleted() {
    delete(&LANGUAGES, 4000);
}

#[test]
fn a_first_answer_that_is_called_complete_is_as_good_as_a_later_one() {
    ask_cold_and_warm(&LANGUAGES, 40);
}
