//! The same check of several servers at once: most of their time passes in waiting, for a limit or for a process.

/// Runs a check of each, all at the same time; what fails is told by the thread that has its name.
pub(super) fn together<T: Sync>(
    subjects: &[T],
    name: impl Fn(&T) -> &str,
    check: impl Fn(&T) + Sync,
) {
    std::thread::scope(|scope| {
        for subject in subjects {
            let thread = std::thread::Builder::new().name(name(subject).to_owned());
            let check = &check;
            thread.spawn_scoped(scope, move || check(subject)).unwrap();
        }
    });
}
