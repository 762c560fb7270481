//! No way leads out of the project, and nothing but regular files is opened.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use mk_types::{AbsPath, ProjectPath};
use rustix::fs::{CWD, FileType, Mode, RenameFlags, mknodat, renameat_with};

use super::project::{Project, SECRET, name_of, put};
use crate::{FileEdit, RootDir};

/// A project full of traps. `good.md` and `docs/good.md` are the only honest files.
fn trapped() -> Project {
    let project = Project::new(&[("good.md", "good\n"), ("docs/good.md", "good\n")]);
    let outside = project.outside();
    symlink(outside.join("secret.txt"), project.at("absolute")).unwrap();
    symlink("../outside/secret.txt", project.at("relative")).unwrap();
    symlink("../../outside/secret.txt", project.at("docs/relative")).unwrap();
    symlink(&outside, project.at("folder")).unwrap();
    symlink("../../outside", project.at("docs/folder")).unwrap();
    symlink(outside.join("new.txt"), project.at("dangling")).unwrap();
    symlink("good.md", project.at("inside")).unwrap();
    symlink("docs", project.at("inner")).unwrap();
    symlink("loop", project.at("loop")).unwrap();
    symlink("/proc/self/root/etc/passwd", project.at("proc")).unwrap();
    symlink("/proc/self/root", project.at("procroot")).unwrap();
    symlink("/dev/zero", project.at("zero")).unwrap();
    symlink(project.at(""), project.at("docs/up")).unwrap();
    mknodat(
        CWD,
        project.at("pipe"),
        FileType::Fifo,
        Mode::RUSR | Mode::WUSR,
        0,
    )
    .unwrap();
    drop(UnixListener::bind(project.at("socket")).unwrap());
    project
}

/// Every operation on a path gives the same answer, and nothing outside changes.
#[track_caller]
fn check(project: &Project, path: &str, expected: &str) {
    let read = project.root.read_file(&project.path(path));
    assert_eq!(name_of(&read), expected, "read {path}");
    let write = project.write(path, "overwritten\n");
    assert_eq!(name_of(&write), expected, "write {path}");
    let change = FileEdit::replace(project.path(path), |text| Ok(format!("{text}more\n")));
    assert_eq!(
        name_of(&project.edit(vec![change])),
        expected,
        "replace {path}"
    );
    let moved = project.edit(vec![project.move_edit(path, "moved.md")]);
    assert_eq!(name_of(&moved), expected, "move {path}");
    let delete = project.edit(vec![project.delete_edit(path)]);
    assert_eq!(name_of(&delete), expected, "delete {path}");
    project.check_outside_untouched();
}

#[test]
fn links_in_every_position_are_refused() {
    let project = trapped();
    for path in [
        "absolute",
        "relative",
        "docs/relative",
        "folder/secret.txt",
        "folder/new/deep.txt",
        "docs/folder/secret.txt",
        "docs/folder/new.txt",
        "dangling",
        "inside",
        "inner/good.md",
        "inner/new.md",
        "loop",
        "loop/x",
        "proc",
        "procroot/etc/passwd",
        "zero",
        "docs/up/good.md",
        "docs/up/docs/up/good.md",
    ] {
        check(&project, path, "Link");
    }
    assert_eq!(project.text("good.md"), "good\n");
    assert_eq!(project.text("docs/good.md"), "good\n");
}

#[test]
fn pipes_sockets_and_folders_are_not_files() {
    let project = trapped();
    for path in ["pipe", "socket", "docs", "."] {
        check(&project, path, "NotAFile");
    }
    for path in ["good.md/x", "pipe/x", "good.md/x/y"] {
        check(&project, path, "NotAFolder");
    }
}

#[test]
fn moves_do_not_lead_through_links_either() {
    let project = trapped();
    for (to, expected) in [
        ("folder/new.md", "Link"),
        ("dangling", "Link"),
        ("absolute", "Link"),
        ("inner/new.md", "Link"),
        ("pipe", "Exists"),
        ("docs", "Exists"),
        ("docs/good.md", "Exists"),
        ("good.md/x", "NotAFolder"),
    ] {
        let moved = project.edit(vec![project.move_edit("good.md", to)]);
        assert_eq!(name_of(&moved), expected, "{to}");
    }
    assert_eq!(project.text("good.md"), "good\n");
    project.check_outside_untouched();
}

#[test]
fn devices_and_the_links_of_proc_are_refused_where_they_stand() {
    let open = |folder: &str, path: &str| {
        let root = AbsPath::new(Path::new(folder)).unwrap();
        let path = ProjectPath::parse(path, &root).unwrap();
        name_of(&RootDir::open(&root).unwrap().read_file(&path))
    };
    assert_eq!(open("/dev", "null"), "NotAFile");
    assert_eq!(open("/dev", "zero"), "NotAFile");
    assert_eq!(open("/proc/self", "root/etc/passwd"), "Link");
    assert_eq!(open("/proc/self", "cwd/Cargo.toml"), "Link");
    assert_eq!(open("/proc/self", "exe"), "Link");
    assert_eq!(open("/proc", "self/status"), "Link");
}

#[test]
fn what_is_missing_is_called_so() {
    let project = Project::new(&[]);
    for path in ["x", "x/y", "x/y/z"] {
        let read = project.root.read_file(&project.path(path));
        assert_eq!(
            read.unwrap_err().to_string(),
            format!("file not found: {path}")
        );
    }
    let root = AbsPath::new(&project.at("nowhere")).unwrap();
    assert_eq!(name_of(&RootDir::open(&root)), "Missing");
}

#[test]
fn the_root_stays_the_folder_that_was_opened() {
    let project = Project::new(&[("x", "mine\n")]);
    fs::rename(project.at(""), project.at("../elsewhere")).unwrap();
    symlink(
        project.outside(),
        project.at("").to_str().unwrap().trim_end_matches('/'),
    )
    .unwrap();
    let read = project.root.read_file(&project.path("x")).unwrap();
    assert_eq!(read.text, "mine\n");
    let read = project.root.read_file(&project.path("secret.txt"));
    assert_eq!(name_of(&read), "Missing");
}

/// Tells the other thread to end, also when the test fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Works on `path` while somebody swaps `name` for a link as fast as they can; ends when both states have been met.
#[track_caller]
fn check_race(project: &Project, name: &str, link: &Path, path: &str, forbidden: &str) {
    const READS: usize = 10_000;
    const WRITES: usize = 200;
    let (honest, trap) = (project.at(name), project.at("trap"));
    symlink(link, &trap).unwrap();
    let stopped = AtomicBool::new(false);
    thread::scope(|scope| {
        let _stop = Stop(&stopped);
        scope.spawn(|| {
            while !stopped.load(Ordering::Relaxed) {
                renameat_with(CWD, &honest, CWD, &trap, RenameFlags::EXCHANGE).unwrap();
                // A write takes the place of the link when it comes at the right moment.
                if !honest.is_symlink() && !trap.is_symlink() {
                    fs::remove_file(&trap).unwrap();
                    symlink(link, &trap).unwrap();
                }
            }
        });
        let (mut n_read, mut n_refused) = (0, 0);
        while n_read + n_refused < READS || n_read == 0 || n_refused == 0 {
            match project.root.read_file(&project.path(path)) {
                Ok(file) => {
                    assert!(!file.text.contains(forbidden), "read {}", file.text);
                    n_read += 1;
                }
                Err(_) => n_refused += 1,
            }
        }
        let (mut n_written, mut n_refused) = (0, 0);
        while n_written + n_refused < WRITES || n_written == 0 || n_refused == 0 {
            match project.write(path, &format!("{n_written} {n_refused}\n")) {
                Ok(_) => n_written += 1,
                Err(_) => n_refused += 1,
            }
        }
    });
    project.check_outside_untouched();
}

#[test]
fn a_folder_swapped_for_a_link_outwards_is_never_followed() {
    let project = Project::new(&[("docs/secret.txt", "public\n")]);
    check_race(
        &project,
        "docs",
        &project.outside(),
        "docs/secret.txt",
        SECRET,
    );
}

#[test]
fn a_file_swapped_for_a_link_outwards_is_never_followed() {
    let project = Project::new(&[("docs/x.md", "public\n")]);
    let secret = project.outside().join("secret.txt");
    check_race(&project, "docs/x.md", &secret, "docs/x.md", SECRET);
}

#[test]
fn a_folder_swapped_for_a_link_inside_the_project_is_never_followed() {
    let project = Project::new(&[("docs/x.md", "public\n"), ("src/x.md", "source\n")]);
    check_race(&project, "docs", Path::new("src"), "docs/x.md", "source");
    assert_eq!(project.text("src/x.md"), "source\n");
}

/// Swaps while an edit is thought through: after it has been read, before it is written.
#[track_caller]
fn check_swap_within(project: &Project, path: &str, swap: impl FnOnce() + Send + 'static) {
    let edit = FileEdit::replace(project.path(path), |_| {
        swap();
        Ok("overwritten\n".to_owned())
    });
    assert_eq!(name_of(&project.edit(vec![edit])), "Link");
    project.check_outside_untouched();
    assert_eq!(project.backups.list().unwrap(), []);
}

#[test]
fn a_link_that_appears_between_plan_and_write_is_refused() {
    let project = Project::new(&[("docs/secret.txt", "public\n")]);
    let (docs, aside, outside) = (project.at("docs"), project.at("aside"), project.outside());
    check_swap_within(&project, "docs/secret.txt", move || {
        fs::rename(&docs, aside).unwrap();
        symlink(outside, docs).unwrap();
    });
    let project = Project::new(&[("docs/x", "public\n")]);
    let (file, secret) = (project.at("docs/x"), project.outside().join("secret.txt"));
    check_swap_within(&project, "docs/x", move || {
        fs::remove_file(&file).unwrap();
        symlink(secret, file).unwrap();
    });
}

#[test]
fn folders_are_made_one_by_one_and_never_through_a_link() {
    let project = Project::new(&[]);
    project.root.make_dirs(&project.path("a/b/c")).unwrap();
    assert!(project.at("a/b/c").is_dir());
    project.root.make_dirs(&project.path("a/b/c")).unwrap();
    symlink(project.outside(), project.at("a/link")).unwrap();
    let made = project.root.make_dirs(&project.path("a/link/new"));
    assert_eq!(name_of(&made), "Link");
    put(&project.at("a/file"), b"");
    let made = project.root.make_dirs(&project.path("a/file/new"));
    assert_eq!(name_of(&made), "NotAFolder");
    let missing = project
        .root
        .missing_folders(&project.path("a/b/x/y/z"))
        .unwrap();
    assert_eq!(missing, [project.path("a/b/x"), project.path("a/b/x/y")]);
    project.check_outside_untouched();
}
