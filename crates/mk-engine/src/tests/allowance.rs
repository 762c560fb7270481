//! How long an evaluation may take.

use std::time::Duration;

use crate::allowance::{CpuAllowance, spent_by_thread};

#[test]
fn an_interruption_is_forgiven_once_and_the_time_ends_all_the_same() {
    let allowance = CpuAllowance::start();
    let start = spent_by_thread();
    let after = |milliseconds| allowance.is_left_at(start + Duration::from_millis(milliseconds));
    assert!(after(10));
    assert!(after(400), "the host took the CPU away");
    assert!(after(440));
    assert!(!after(460));
    assert!(!after(900));
}
