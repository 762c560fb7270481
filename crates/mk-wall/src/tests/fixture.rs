//! A project in a temporary directory, a victim next to it, and a command inside or outside of the wall.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{Background, EditRights, Git, Network, Right, Rights};

/// What a mode of the tests may edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Edits nothing.
    Ask,
    /// Edits `\.md$`.
    Docs,
    /// Edits everything but `AGENTS.md`, which is protected.
    Code,
}

#[derive(Debug)]
pub(super) struct World {
    _dir: tempfile::TempDir,
    pub(super) base: PathBuf,
    pub(super) root: PathBuf,
    pub(super) mode: Mode,
    pub(super) network: Network,
    pub(super) abi: Option<i32>,
}

/// What came of a command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ran {
    pub(super) code: i32,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) summary: String,
}

pub(super) fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    #[expect(clippy::disallowed_methods, reason = "a fixture, not a project's file")]
    fs::write(path, text).unwrap();
}

impl World {
    pub(super) fn new(mode: Mode) -> Self {
        let dir = tempfile::Builder::new()
            .prefix("mk-wall-")
            .tempdir_in("/var/tmp")
            .unwrap();
        let base = dir.path().canonicalize().unwrap();
        let root = base.join("project");
        write(&root.join("README.md"), "read me\n");
        write(&root.join("src/a.rs"), "fn a() {}\n");
        write(&root.join("docs/guide.md"), "guide\n");
        write(&root.join("AGENTS.md"), "rules\n");
        write(&base.join("victim/file"), "victim\n");
        write(&base.join("victim/run.sh"), "echo hello\n");
        fs::create_dir_all(base.join("scratch")).unwrap();
        Self {
            _dir: dir,
            base,
            root,
            mode,
            network: Network::Own,
            abi: None,
        }
    }

    pub(super) fn rights(&self) -> Rights {
        let decides: fn(&str) -> Right = match self.mode {
            Mode::Ask => |_| Right::Shut,
            Mode::Docs => |path| match path {
                "AGENTS.md" => Right::Shut,
                path if path.ends_with(".md") => Right::Edit,
                _ => Right::Guest,
            },
            Mode::Code => |path| {
                if path == "AGENTS.md" {
                    Right::Shut
                } else {
                    Right::Edit
                }
            },
        };
        let (name, edit) = match self.mode {
            Mode::Ask => ("ask", EditRights::Nothing),
            Mode::Docs => (
                "docs",
                EditRights::Matching {
                    label: Some(r"\.md$".to_owned()),
                    decides: Box::new(decides),
                },
            ),
            Mode::Code => (
                "code",
                EditRights::Matching {
                    label: None,
                    decides: Box::new(decides),
                },
            ),
        };
        let mut rights = Rights::nothing(name, self.root.clone());
        rights.edit = edit;
        rights.trees = vec![self.base.join("scratch")];
        rights.own_dirs = ["/tmp", "/dev/shm"].map(PathBuf::from).to_vec();
        rights.network = self.network;
        rights.git = if self.mode == Mode::Ask {
            Git::Shut
        } else {
            Git::Local
        };
        rights.background = Background::End;
        rights.kernel.abi = self.abi;
        rights
            .env_set
            .insert("TMPDIR".into(), self.base.join("scratch").into());
        rights
    }

    fn command(&self, line: &str) -> (Command, PathBuf, PathBuf) {
        let (out, err) = (self.base.join("stdout"), self.base.join("stderr"));
        let open = |path: &Path| Stdio::from(fs::File::create(path).unwrap());
        #[expect(clippy::disallowed_methods, reason = "the working directory is set")]
        let mut command = Command::new("/bin/bash");
        command
            .args(["-c", line])
            .current_dir(&self.root)
            .env("VICTIM", self.base.join("victim"))
            .env("BASE", &self.base)
            .stdin(Stdio::null())
            .stdout(open(&out))
            .stderr(open(&err));
        (command, out, err)
    }

    /// A program itself, without a shell.
    pub(super) fn program(&self, path: &str) -> Command {
        #[expect(clippy::disallowed_methods, reason = "the working directory is set")]
        let mut command = Command::new(path);
        command.current_dir(&self.root);
        command
    }

    /// Runs a line with nothing around it.
    pub(super) fn outside(&self, line: &str) -> i32 {
        let (mut command, ..) = self.command(line);
        command.status().unwrap().code().unwrap_or(-1)
    }

    /// Runs a line inside the wall.
    pub(super) fn inside(&self, line: &str) -> Ran {
        self.inside_with(self.rights(), line)
    }

    pub(super) fn inside_with(&self, rights: Rights, line: &str) -> Ran {
        let (command, out, err) = self.command(line);
        let summary = self.base.join("summary");
        let told = summary.clone();
        let code = crate::run(rights, command, move |rights, outcome| {
            write(&told, &outcome.report.summary(rights));
        });
        let read =
            |path: &Path| String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
        Ran {
            code: code.unwrap(),
            stdout: read(&out),
            stderr: read(&err),
            summary: read(&summary),
        }
    }

    pub(super) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap()
    }

    pub(super) fn victim(&self, path: &str) -> PathBuf {
        self.base.join("victim").join(path)
    }
}
