//! Every way out of a project that we could think of, tried through the tools: nothing outside is read or written.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, FileType, Mode, RenameFlags, mknodat, renameat_with};
use serde_json::{Value, json};

use crate::support::sandbox::Sandbox;
use crate::support::stdio::Client;

const SECRET: &str = "SECRET-4711";

/// A project, and beside it a folder whose files no one may touch.
struct Prison {
    sandbox: Sandbox,
    before: Vec<(PathBuf, Vec<u8>, u64)>,
}

impl Prison {
    fn new() -> Self {
        let sandbox = Sandbox::with("inside.txt", "inside\n");
        let outside = sandbox.root().join("outside");
        for file in ["secret.txt", "folder/secret.txt", "notes.md"] {
            sandbox.write(outside.join(file), SECRET);
        }
        // Questions are asked of no one here.
        let no_patience = r#"{ "approval_timeout": 1 }"#;
        sandbox.write(sandbox.config_file(), no_patience);
        let mut prison = Self {
            sandbox,
            before: Vec::new(),
        };
        prison.before = prison.outside_now();
        prison
    }

    fn outside(&self, path: &str) -> String {
        let path = self.sandbox.root().join("outside").join(path);
        path.to_str().unwrap().to_owned()
    }

    fn link(&self, to: &str, name: &str) {
        symlink(to, self.sandbox.project().join(name)).unwrap();
    }

    fn outside_now(&self) -> Vec<(PathBuf, Vec<u8>, u64)> {
        let mut left = vec![self.sandbox.root().join("outside")];
        let mut files = Vec::new();
        while let Some(folder) = left.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    left.push(path);
                } else {
                    let inode = fs::metadata(&path).unwrap().ino();
                    files.push((path.clone(), fs::read(&path).unwrap(), inode));
                }
            }
        }
        files.sort();
        files
    }

    #[track_caller]
    fn intact(&self) {
        assert_eq!(self.outside_now(), self.before);
    }
}

/// All that the tools can do with a path.
fn attempts(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("read_file", json!({ "file_path": path })),
        ("write_file", json!({ "file_path": path, "content": "x" })),
        ("list_dir", json!({ "path": path, "recursive": true })),
        ("find_files", json!({ "pattern": "**", "path": path })),
        (
            "search_for_pattern",
            json!({ "pattern": "SECRET-[0-9]+", "path": path }),
        ),
        (
            "replace_content",
            json!({ "file_path": path, "find": "SECRET", "replace": "x" }),
        ),
        (
            "replace_in_files",
            json!({ "find": "SECRET", "replace": "x", "path": path }),
        ),
        ("delete_file", json!({ "file_path": path })),
        (
            "move_file",
            json!({ "from_path": path, "to_path": "taken.txt" }),
        ),
        (
            "move_file",
            json!({ "from_path": "inside.txt", "to_path": path }),
        ),
    ]
}

/// Tries everything with a path; what the client is told holds nothing of the outside.
#[track_caller]
fn check(prison: &Prison, client: &mut Client, path: &str) {
    for (tool, arguments) in attempts(path) {
        let answer = client.call(tool, &arguments).to_string();
        assert!(!answer.contains(SECRET), "{tool} {arguments}: {answer}");
        prison.sandbox.write("inside.txt", "inside\n");
    }
    prison.intact();
}

#[test]
fn paths_that_lead_out() {
    let prison = Prison::new();
    let mut client = Client::start(&prison.sandbox);
    let absolute = prison.outside("secret.txt");
    let backslashes = absolute.replace('/', "\\");
    let encoded = absolute.replace('/', "%2f");
    for path in [
        "../outside/secret.txt",
        "../outside",
        "..",
        "./../outside/secret.txt",
        "a/../../outside/secret.txt",
        "inside.txt/../../outside/secret.txt",
        "..\\outside\\secret.txt",
        "a\\..\\..\\outside\\secret.txt",
        "..//outside///secret.txt",
        ".../outside/secret.txt",
        "%2e%2e/outside/secret.txt",
        "..%2foutside%2fsecret.txt",
        "\u{2024}\u{2024}/outside/secret.txt",
        "\u{ff0e}\u{ff0e}\u{ff0f}outside\u{ff0f}secret.txt",
        "../outside/secret.txt\0.md",
        "~/../outside/secret.txt",
        "$HOME/../outside/secret.txt",
        "C:\\Windows\\win.ini",
        "C:../outside/secret.txt",
        "\\\\server\\share\\secret.txt",
        "\\\\?\\C:\\secret.txt",
        "/proc/self/root/etc/passwd",
        "/proc/self/environ",
        "/dev/stdin",
        "/dev/zero",
        "/etc/passwd",
        "file:///etc/passwd",
        "//etc/passwd",
        "",
        " ",
        &absolute,
        &backslashes,
        &encoded,
        &format!("file://{absolute}"),
        &format!("{absolute}/"),
        &format!("{absolute}/."),
        &format!(
            "{}/../outside/secret.txt",
            prison.sandbox.project().display()
        ),
        &format!("/proc/self/root{absolute}"),
    ] {
        check(&prison, &mut client, path);
    }
}

/// With links out of the project in every form.
fn prison_with_links() -> Prison {
    let prison = Prison::new();
    let absolute = prison.outside("secret.txt");
    let project = prison.sandbox.project();
    prison.link("../outside/secret.txt", "file");
    prison.link("../outside", "folder");
    prison.link(&absolute, "absolute");
    prison.link("file", "chain");
    prison.link("chain", "chain2");
    prison.link("loop2", "loop");
    prison.link("loop", "loop2");
    prison.link(&format!("/proc/self/root{absolute}"), "proc");
    prison.link("/proc/self/cwd/../outside/secret.txt", "cwd");
    prison.link("../outside/new.txt", "dangling");
    prison.link(
        &format!("{}/../outside/secret.txt", project.display()),
        "back",
    );
    prison.link("/dev/zero", "zero");
    fs::create_dir(project.join("sub")).unwrap();
    symlink("../folder/secret.txt", project.join("sub/deep")).unwrap();
    prison
}

#[test]
fn links_that_lead_out() {
    let prison = prison_with_links();
    let project = prison.sandbox.project();
    let mut client = Client::start(&prison.sandbox);
    for path in [
        "file",
        "folder",
        "folder/",
        "folder/secret.txt",
        "folder/folder/secret.txt",
        "folder/new.txt",
        "absolute",
        "chain",
        "chain2",
        "loop",
        "proc",
        "cwd",
        "dangling",
        "back",
        "zero",
        "sub/deep",
        "sub/../folder/secret.txt",
        "FILE",
        "./folder/./secret.txt",
    ] {
        check(&prison, &mut client, path);
        for (name, to) in [("file", "../outside/secret.txt"), ("folder", "../outside")] {
            // An allowed move or deletion of the link itself is no escape; the next path needs it again.
            if fs::symlink_metadata(project.join(name)).is_err() {
                prison.link(to, name);
            }
        }
    }
}

#[test]
fn a_walk_follows_no_link() {
    let prison = prison_with_links();
    let mut client = Client::start(&prison.sandbox);
    for (tool, arguments) in [
        ("find_files", json!({ "pattern": "**/secret.txt" })),
        ("find_files", json!({ "pattern": "../**" })),
        ("search_for_pattern", json!({ "pattern": "SECRET-[0-9]+" })),
        (
            "search_for_pattern",
            json!({ "pattern": "SECRET-[0-9]+", "include": ["../**"] }),
        ),
        (
            "replace_in_files",
            json!({ "find": SECRET, "replace": "x" }),
        ),
        ("list_dir", json!({ "recursive": true })),
    ] {
        let answer = client.call(tool, &arguments)["result"]["content"].to_string();
        assert!(!answer.contains("4711"), "{tool}: {answer}");
        assert!(!answer.contains("folder/secret.txt"), "{tool}: {answer}");
    }
    prison.intact();
}

#[test]
fn memories_that_lead_out() {
    let prison = Prison::new();
    let folder = prison.sandbox.project().join(".modekeeper/memories");
    fs::create_dir_all(&folder).unwrap();
    symlink(prison.outside("notes.md"), folder.join("linked.md")).unwrap();
    symlink(prison.outside(""), folder.join("topic")).unwrap();
    let mut client = Client::start(&prison.sandbox);
    let absolute = prison.outside("notes");
    for name in [
        "../../../outside/notes",
        "..\\..\\..\\outside\\notes",
        "mem:../../../outside/notes",
        "global/../../../../outside/notes",
        "linked",
        "topic/notes",
        "topic/new",
        "a/../../../../outside/notes",
        &absolute,
    ] {
        for (tool, arguments) in [
            ("read_memory", json!({ "name": name })),
            ("write_memory", json!({ "name": name, "content": "x" })),
            (
                "edit_memory",
                json!({ "name": name, "find": "SECRET", "replace": "x" }),
            ),
            (
                "rename_memory",
                json!({ "old_name": name, "new_name": "taken" }),
            ),
            ("delete_memory", json!({ "name": name })),
        ] {
            let answer = client.call(tool, &arguments).to_string();
            assert!(!answer.contains(SECRET), "{tool} {name}: {answer}");
        }
        prison.intact();
    }
}

#[test]
fn what_is_no_file_is_neither_read_nor_written() {
    let prison = Prison::new();
    let project = prison.sandbox.project();
    mknodat(
        CWD,
        project.join("pipe"),
        FileType::Fifo,
        Mode::RUSR | Mode::WUSR,
        0,
    )
    .unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(project.join("socket")).unwrap();
    let large = fs::File::create(project.join("large.txt")).unwrap();
    large.set_len(100 * 1024 * 1024).unwrap();
    let mut client = Client::start(&prison.sandbox);
    for path in ["pipe", "socket", "large.txt"] {
        for (tool, arguments) in [
            ("read_file", json!({ "file_path": path })),
            (
                "replace_content",
                json!({ "file_path": path, "find": "a", "replace": "b" }),
            ),
            ("write_file", json!({ "file_path": path, "content": "x" })),
        ] {
            if (path, tool) == ("large.txt", "write_file") {
                continue;
            }
            let answer = client.call(tool, &arguments);
            assert_eq!(answer["result"]["isError"], true, "{tool} {path}: {answer}");
        }
    }
    for (tool, arguments) in [
        ("search_for_pattern", json!({ "pattern": "inside" })),
        ("list_dir", json!({})),
    ] {
        let answer = client.call(tool, &arguments);
        assert_ne!(answer["result"]["isError"], true, "{tool}: {answer}");
    }
}

#[test]
fn a_write_replaces_the_name_and_not_what_others_share() {
    let prison = Prison::new();
    let project = prison.sandbox.project();
    fs::hard_link(prison.outside("secret.txt"), project.join("shared.txt")).unwrap();
    let mut client = Client::start(&prison.sandbox);
    for (tool, arguments) in [
        (
            "replace_content",
            json!({ "file_path": "shared.txt", "find": "SECRET", "replace": "x" }),
        ),
        (
            "write_file",
            json!({ "file_path": "shared.txt", "content": "mine\n" }),
        ),
    ] {
        let answer = client.call(tool, &arguments);
        assert_ne!(answer["result"]["isError"], true, "{tool}: {answer}");
    }
    assert_eq!(
        fs::read_to_string(project.join("shared.txt")).unwrap(),
        "mine\n"
    );
    prison.intact();
}

/// An agent's own shell swaps a folder for a link, again and again, between our check and our open.
#[test]
fn a_folder_that_becomes_a_link_at_the_wrong_moment() {
    let prison = Prison::new();
    let project = prison.sandbox.project();
    let (real, away) = (project.join("swap"), project.join("away"));
    fs::create_dir(&real).unwrap();
    prison.sandbox.write(real.join("secret.txt"), "harmless\n");
    symlink("../outside", &away).unwrap();
    let mut client = Client::start(&prison.sandbox);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                renameat_with(CWD, &real, CWD, &away, RenameFlags::EXCHANGE).unwrap();
            }
        });
        for round in 0..150 {
            let path = "swap/secret.txt";
            for (tool, arguments) in [
                ("read_file", json!({ "file_path": path })),
                (
                    "write_file",
                    json!({ "file_path": path, "content": format!("{round}\n") }),
                ),
                (
                    "write_file",
                    json!({ "file_path": format!("swap/new-{round}.txt"), "content": "x" }),
                ),
                (
                    "search_for_pattern",
                    json!({ "pattern": "SECRET-[0-9]+", "path": "swap" }),
                ),
            ] {
                let answer = client.call(tool, &arguments).to_string();
                assert!(!answer.contains(SECRET), "{tool}: {answer}");
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    prison.intact();
}
