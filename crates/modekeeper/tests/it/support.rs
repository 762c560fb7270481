//! What the tests stand on: mk-testkit's sandbox, clients and names, and the workflow that every transport repeats.

pub(crate) mod sandbox;
pub(crate) mod workflow;

pub(crate) use mk_testkit::wait::{PATIENCE, wait_for, wait_for_end, wait_within};
pub(crate) use mk_testkit::{dice, http, rename, sse, stdio};
