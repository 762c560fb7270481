//! The example of the documentation is true. What lines do is tested in mk-policy, with its rows.

#[path = "../examples/analyse.rs"]
mod example;

#[test]
fn the_example_is_true() {
    example::main();
}
