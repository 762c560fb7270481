//! Tables that ship with the product, as constants that `cargo xtask codegen` makes from content/policy.

mod programs;

use mk_shell::ProgramTable;

/// What is known of programs.
pub(crate) const PROGRAMS: ProgramTable =
    ProgramTable::new(programs::PROGRAMS, programs::DIRECTORIES);
