//! Watching real files. Every wait is for a report; none is for a time.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use mk_testkit::Fixture;

use crate::{WatchedPaths, Watcher};

/// Far more than a report takes, even on a busy machine.
const LONG: Duration = Duration::from_secs(10);
/// Longer than a burst can last: after it, silence means that nothing comes.
const QUIET: Duration = Duration::from_millis(600);

struct Watch {
    _watcher: Watcher,
    reports: Receiver<()>,
}

impl Watch {
    fn start(fixture: &Fixture, files: &[&str], folders: &[&str]) -> Self {
        let paths = |list: &[&str]| list.iter().map(|path| fixture.path(path)).collect();
        let watched = WatchedPaths {
            files: paths(files),
            folders: paths(folders),
        };
        let (sender, reports) = channel();
        let report = move || {
            // A test that has ended listens no more.
            let _ = sender.send(());
        };
        let watcher = Watcher::start(watched, report).unwrap();
        Self {
            _watcher: watcher,
            reports,
        }
    }

    /// Waits for a report after `act`, and for the burst to end.
    #[track_caller]
    fn check(&self, act: impl FnOnce()) {
        act();
        self.reports.recv_timeout(LONG).expect("a report");
        while self.reports.recv_timeout(QUIET).is_ok() {}
    }

    #[track_caller]
    fn check_silent(&self, act: impl FnOnce()) {
        act();
        assert!(self.reports.recv_timeout(QUIET).is_err(), "a report");
    }
}

#[test]
fn a_file_that_is_written_saved_removed_and_created_is_reported() {
    let fixture = Fixture::new("//- /.roomodes\none\n");
    let watch = Watch::start(&fixture, &[".roomodes"], &[]);
    watch.check(|| fixture.write(".roomodes", "two\n"));
    watch.check(|| fixture.save(".roomodes", "three\n"));
    watch.check(|| fixture.save(".roomodes", "four\n"));
    watch.check(|| fixture.write(".roomodes", "five\n"));
    watch.check(|| fixture.remove(".roomodes"));
    watch.check(|| fixture.write(".roomodes", "six\n"));
}

#[test]
fn a_file_that_does_not_exist_yet_is_waited_for() {
    let fixture = Fixture::new("");
    let watch = Watch::start(&fixture, &[".roomodes"], &[]);
    watch.check(|| fixture.write(".roomodes", "one\n"));
}

#[test]
fn other_files_and_reading_are_not_reported() {
    let fixture = Fixture::new("//- /.roomodes\none\n//- /other\n");
    let watch = Watch::start(&fixture, &[".roomodes"], &[".roo"]);
    watch.check_silent(|| {
        fixture.write("other", "two\n");
        fixture.write(".roomodes2", "two\n");
        fixture.write("src/.roomodes", "two\n");
        std::fs::read(fixture.path(".roomodes")).unwrap();
    });
}

#[test]
fn a_folder_and_all_below_it_is_reported() {
    let fixture = Fixture::new("//- /.roo/rules/a.md\none\n");
    let watch = Watch::start(&fixture, &[], &[".roo"]);
    watch.check(|| fixture.write(".roo/rules/a.md", "two\n"));
    watch.check(|| fixture.write(".roo/rules-docs/deep/b.md", "one\n"));
    watch.check(|| fixture.write(".roo/rules-docs/deep/b.md", "two\n"));
    watch.check(|| fixture.remove(".roo/rules-docs"));
}

#[test]
fn a_folder_that_appears_is_watched_from_then_on() {
    let fixture = Fixture::new("");
    let watch = Watch::start(&fixture, &[".bob/custom_modes.yaml"], &[".roo"]);
    watch.check(|| fixture.folder(".roo"));
    watch.check(|| fixture.write(".roo/rules/a.md", "one\n"));
    watch.check(|| fixture.write(".roo/rules/a.md", "two\n"));
    watch.check(|| fixture.folder(".bob"));
    watch.check(|| fixture.write(".bob/custom_modes.yaml", "one\n"));
    watch.check(|| fixture.write(".bob/custom_modes.yaml", "two\n"));
    watch.check_silent(|| fixture.write(".bob/other", "one\n"));
}

#[test]
fn a_folder_that_is_deep_in_missing_ones_is_found_when_they_appear() {
    let fixture = Fixture::new("");
    let watch = Watch::start(&fixture, &["a/b/c/file"], &[]);
    watch.check(|| fixture.folder("a"));
    watch.check(|| fixture.folder("a/b"));
    watch.check(|| fixture.write("a/b/c/file", "one\n"));
    watch.check(|| fixture.write("a/b/c/file", "two\n"));
}

#[test]
fn a_folder_that_is_replaced_in_one_moment_is_still_watched() {
    let fixture = Fixture::new("//- /.roo/rules/a.md\none\n//- /.bob/custom_modes.yaml\none\n");
    let watch = Watch::start(&fixture, &[".bob/custom_modes.yaml"], &[".roo"]);
    watch.check(|| {
        for (folder, file) in [(".roo", "rules/a.md"), (".bob", "custom_modes.yaml")] {
            fixture.remove(folder);
            fixture.write(&format!("{folder}/{file}"), "two\n");
        }
    });
    watch.check(|| fixture.write(".roo/rules/a.md", "three\n"));
    watch.check(|| fixture.write(".bob/custom_modes.yaml", "three\n"));
}

#[test]
fn the_file_that_a_link_leads_to_is_reported() {
    let fixture = Fixture::new("//- /dotfiles/modes.yaml\none\n//- /dotfiles/more.yaml\none\n");
    fixture.link("config/modes.yaml", "../dotfiles/modes.yaml");
    let watch = Watch::start(&fixture, &["config/modes.yaml"], &[]);
    watch.check(|| fixture.write("dotfiles/modes.yaml", "two\n"));
    watch.check(|| fixture.save("dotfiles/modes.yaml", "three\n"));
    watch.check_silent(|| fixture.write("dotfiles/more.yaml", "two\n"));
    watch.check(|| {
        fixture.remove("config/modes.yaml");
        fixture.link("config/modes.yaml", "../dotfiles/more.yaml");
    });
    watch.check(|| fixture.write("dotfiles/more.yaml", "three\n"));
}

/// Runs `act` while somebody writes `noise` every 20 ms: a beat in which the folder never comes to rest.
fn beside_noise(fixture: &Fixture, act: impl FnOnce()) {
    let (stop, stopped) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let beat = Duration::from_millis(20);
            while stopped.recv_timeout(beat) == Err(RecvTimeoutError::Timeout) {
                fixture.write("noise", "noise");
            }
        });
        act();
        drop(stop);
    });
}

#[test]
fn a_busy_folder_does_not_hold_a_report_back() {
    let fixture = Fixture::new("//- /.roomodes\none\n");
    let watch = Watch::start(&fixture, &[".roomodes"], &[]);
    beside_noise(&fixture, || {
        let since = Instant::now();
        fixture.write(".roomodes", "two\n");
        watch.reports.recv_timeout(LONG).expect("a report");
        let took = since.elapsed();
        assert!(took < Duration::from_secs(1), "{took:?}");
    });
}

#[test]
fn a_file_that_never_rests_is_reported_all_the_same() {
    let fixture = Fixture::new("//- /noise\none\n");
    let watch = Watch::start(&fixture, &["noise"], &[]);
    beside_noise(&fixture, || {
        for _ in 0..3 {
            let since = Instant::now();
            watch.reports.recv_timeout(LONG).expect("a report");
            let took = since.elapsed();
            assert!(took < Duration::from_secs(1), "{took:?}");
        }
    });
}

#[test]
fn a_save_in_several_steps_is_one_report() {
    let fixture = Fixture::new("//- /.roomodes\none\n");
    let watch = Watch::start(&fixture, &[".roomodes"], &[]);
    for n in 0..5 {
        fixture.write(".roomodes", format!("{n}\n"));
    }
    watch.reports.recv_timeout(LONG).expect("a report");
    let more = std::iter::from_fn(|| watch.reports.recv_timeout(QUIET).ok()).count();
    // On a machine that stalls, the steps may come apart; each must not be a report of its own.
    assert!(more <= 1, "{more} more reports");
}

#[test]
fn a_dropped_watcher_ends() {
    let fixture = Fixture::new("//- /.roomodes\none\n");
    let Watch {
        _watcher: watcher,
        reports,
    } = Watch::start(&fixture, &[".roomodes"], &[]);
    drop(watcher);
    // The sender lives in the thread: it is gone when the thread is.
    assert_eq!(
        reports.recv_timeout(LONG),
        Err(RecvTimeoutError::Disconnected)
    );
}
