//! How messages travel: lines, and the guard every transport has.

pub mod guarded;
pub mod line;
pub mod stdio;
