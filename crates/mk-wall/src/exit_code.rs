//! The exit codes that are not the command's own.

/// The time limit ended it, as `timeout` has it.
pub const TIME: i32 = 124;
/// The wall could not be built, and the command was not started.
pub const WALL: i32 = 125;
pub const NOT_EXECUTABLE: i32 = 126;
pub const NOT_FOUND: i32 = 127;
/// A signal's number is added to this.
pub const SIGNAL: i32 = 128;
