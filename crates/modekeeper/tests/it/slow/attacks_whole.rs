//! The same as `attacks`, with every shell line really run.

use super::attacks::shell::attack;

#[test]
fn no_shell_line_does_what_its_mode_forbids() {
    attack(1);
}
