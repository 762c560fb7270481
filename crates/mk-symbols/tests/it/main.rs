//! Real language servers, as users install them. What needs no server but a fake one is tested in `src/tests/`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod slow;
