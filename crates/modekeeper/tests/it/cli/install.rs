//! `init`, `doctor` and `uninstall` on a home with settings of every client, as people really write them.

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::sandbox::{Ran, Sandbox, run, set_mode};

/// A program for each client that is found by one, which says its version and nothing else.
const PROGRAMS: [(&str, &str); 8] = [
    ("claude", "2.1.325 (Claude Code)"),
    ("codex", "codex-cli 0.166.0"),
    ("copilot", "GitHub Copilot CLI 1.0.102."),
    ("gemini", "0.61.0"),
    ("qwen", "0.24.4"),
    ("opencode", "1.18.33"),
    ("cline", "3.0.65"),
    ("windsurf", "1.0.0"),
];

/// Comments, trailing commas, tabs, Windows line ends, a byte order mark, one line, no final line end: all of it stays.
const SETTINGS: [(&str, &str); 17] = [
    (
        ".claude.json",
        "{\n  \"numStartups\": 7,\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  }\n}",
    ),
    (
        ".claude/settings.json",
        "{\n  // mine\n  \"permissions\": {\n    \"deny\": [\"Bash(rm:*)\"], // never\n  },\n  /* and */ \"hooks\": {\n    \"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"lint\"}]}],\n  },\n}\n",
    ),
    (
        ".codex/config.toml",
        "# mine\nmodel = \"x\"   # best\n\n[mcp_servers.other]\ncommand = 'y'\n\n[projects.\"/a\"]\ntrust_level = \"trusted\"\n",
    ),
    (
        ".codex/hooks.json",
        "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"lint\"}]}]}}",
    ),
    (
        ".copilot/mcp-config.json",
        "{\r\n\t\"mcpServers\": {\r\n\t}\r\n}\r\n",
    ),
    (
        ".copilot/settings.json",
        "// Copilot\n{ \"theme\": \"dark\" }\n",
    ),
    (
        ".gemini/settings.json",
        "\u{feff}{\n    \"theme\": \"Default\", // mine\n    \"hooks\": {}\n}\n",
    ),
    (".gemini/.env", "GEMINI_API_KEY=secret"),
    (".qwen/settings.json", "{}"),
    (
        ".config/opencode/opencode.jsonc",
        "{\n\t// OpenCode\n\t\"$schema\": \"https://opencode.ai/config.json\",\n\t\"permission\": {\"edit\": \"ask\"}\n}",
    ),
    (
        ".cline/data/settings/cline_mcp_settings.json",
        "{\"mcpServers\":{}}",
    ),
    (".cursor/mcp.json", "{\n  \"mcpServers\": {},\n}\n"),
    (".cursor/hooks.json", "{\"version\": 1, \"hooks\": {}}\n"),
    (
        ".config/zed/settings.json",
        "// Zed settings\n//\n{\n  \"vim_mode\": true,\n  // \"theme\": \"One\",\n  \"agent_servers\": {\n    // mine\n    \"Mine\": { \"type\": \"custom\", \"command\": \"mine\" },\n  },\n}\n",
    ),
    (
        ".jetbrains/acp.json",
        "{\n\t\"default_mcp_settings\": {}, // as it was\n\t\"agent_servers\": {}\n}\n",
    ),
    (
        ".junie/mcp/mcp.json",
        "{ \"mcpServers\": { /* none */ } }\n",
    ),
    (
        ".continue/config.yaml",
        "name: mine\nversion: 1.0.0\nschema: v1\n",
    ),
];

struct World {
    sandbox: Sandbox,
}

impl World {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        for (name, version) in PROGRAMS {
            let file = sandbox.root().join("bin").join(name);
            sandbox.write(
                &file,
                format!("#!/bin/sh\n[ \"$1\" = --version ] && echo '{version}'\n"),
            );
            set_mode(&file, 0o755);
        }
        for (file, text) in SETTINGS {
            sandbox.write(sandbox.home().join(file), text);
        }
        // As people do who keep their settings in a repository.
        let kept = sandbox.root().join("dotfiles/mcp.json");
        sandbox.write(
            &kept,
            "{\"mcpServers\": {\"other\": {\"command\": \"x\"}}}\n",
        );
        std::fs::create_dir_all(sandbox.home().join(".codeium/windsurf")).unwrap();
        let link = sandbox.home().join(".codeium/windsurf/mcp_config.json");
        symlink(kept, link).unwrap();
        set_mode(&sandbox.home().join(".gemini/.env"), 0o600);
        Self { sandbox }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let bin = self.sandbox.root().join("bin");
        let mut command = self.sandbox.command(arguments);
        command.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        run(&mut self.command(arguments))
    }

    #[track_caller]
    fn ok(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        assert!(ran.status.success(), "{ran:#?}");
        ran.stdout
    }

    /// Every file of the home and the project with its bytes and permissions, links as what they lead to.
    fn files(&self) -> BTreeMap<PathBuf, (Vec<u8>, u32)> {
        let mut files = BTreeMap::new();
        for root in ["home", "project", "dotfiles"] {
            collect(&self.sandbox.root().join(root), &mut files);
        }
        // The modes of projects are our own state, as the database is, which lies elsewhere here.
        let marks = self.sandbox.home().join(".config/modekeeper/held");
        files.retain(|path, _| !path.starts_with(&marks));
        files
    }

    fn file(&self, path: &str) -> String {
        std::fs::read_to_string(self.sandbox.home().join(path)).unwrap()
    }
}

fn collect(directory: &Path, files: &mut BTreeMap<PathBuf, (Vec<u8>, u32)>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let metadata = path.metadata().unwrap();
        if metadata.is_dir() {
            collect(&path, files);
        } else {
            let bytes = std::fs::read(&path).unwrap();
            files.insert(path, (bytes, metadata.permissions().mode()));
        }
    }
}

#[test]
fn uninstall_gives_every_byte_back() {
    let world = World::new();
    let before = world.files();
    let init = world.run(&["init", "--yes", "--mode", "architect"]).stdout;
    for (_, version) in PROGRAMS.iter().take(7) {
        let mut number = version.trim_end_matches('.').split(' ');
        let number = number.rfind(|word| word.contains('.')).unwrap();
        assert!(init.contains(number), "{number} is not in:\n{init}");
    }
    let installed = world.files();
    // What only the client reads is not guessed at here: the snapshots of mk-clients have it.
    for (file, _) in SETTINGS.iter().filter(|(file, _)| {
        // Neither is changed while there is no `modekeeper exec` to lead a shell through.
        ![
            ".copilot/settings.json",
            ".gemini/.env",
            ".continue/config.yaml",
        ]
        .contains(file)
    }) {
        let path = world.sandbox.home().join(file);
        assert_ne!(installed[&path], before[&path], "{file} is as before");
    }
    for file in [".config/zed/settings.json", ".jetbrains/acp.json"] {
        let text = world.file(file);
        for agent in ["Copilot", "Gemini", "OpenCode", "Qwen"] {
            let name = format!("\"{agent} (Modekeeper)\"");
            assert!(text.contains(&name), "{agent} is not in:\n{text}");
        }
    }
    world.run(&["init", "--yes"]);
    let again = world.files();
    for (path, (bytes, _)) in &installed {
        assert!(again[path].0 == *bytes, "{} differs", path.display());
    }
    assert_eq!(installed.len(), again.len());

    let out = world.ok(&["uninstall", "--yes"]);
    assert!(!out.contains("changed since"), "{out}");
    let after = world.files();
    let names = |files: &BTreeMap<PathBuf, _>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&after), names(&before));
    for (path, (bytes, mode)) in &before {
        assert_eq!(
            String::from_utf8_lossy(&after[path].0),
            String::from_utf8_lossy(bytes)
        );
        assert_eq!(after[path].1, *mode, "{}", path.display());
    }
    let link = world
        .sandbox
        .home()
        .join(".codeium/windsurf/mcp_config.json");
    assert!(link.is_symlink());
}

#[test]
fn a_file_that_was_changed_since_loses_only_our_entries() {
    let world = World::new();
    world.run(&["install", "claude-code", "--yes"]);
    let text = world.file(".claude/settings.json");
    let text = text.replace("\"Bash(rm:*)\"", "\"Bash(rm:*)\", \"Bash(dd:*)\"");
    let path = world.sandbox.home().join(".claude/settings.json");
    world.sandbox.write(&path, text);
    let out = world.ok(&["uninstall", "claude-code", "--yes"]);
    assert!(out.contains("settings.json changed since"), "{out}");
    let left = world.file(".claude/settings.json");
    let expected = SETTINGS[1]
        .1
        .replace("\"Bash(rm:*)\"", "\"Bash(rm:*)\", \"Bash(dd:*)\"");
    // A list that stood on one line may end on a line of its own now; every word and comment is there.
    let words = |text: &str| text.split_whitespace().collect::<String>();
    assert_eq!(words(&left), words(&expected));
}

#[test]
fn a_floor_is_taken_out_when_it_is_no_longer_wanted() {
    let world = World::new();
    let policy = world
        .sandbox
        .home()
        .join(".gemini/policies/modekeeper.toml");
    world.run(&["install", "gemini", "--yes", "--floor", "ask"]);
    assert!(policy.exists());
    world.run(&["install", "gemini", "--yes"]);
    assert!(!policy.exists());
    let error = world.run(&["install", "gemini", "--yes", "--floor", "no-such"]);
    assert!(!error.status.success());
}

#[test]
fn a_dry_run_changes_nothing_and_without_a_terminal_a_person_has_to_agree() {
    let world = World::new();
    let before = world.files();
    let out = world.ok(&["init", "--dry-run"]);
    assert!(
        out.contains(".claude/settings.json (MCP server, hook"),
        "{out}"
    );
    assert!(out.contains("would keep or set the mode of"), "{out}");
    // The file that is there, and no other name of it.
    assert!(out.contains("opencode/opencode.jsonc (MCP server"), "{out}");
    assert!(!out.contains("opencode.json "), "{out}");
    let refused = world.run(&["init"]);
    assert!(!refused.status.success());
    assert!(refused.stderr.contains("repeat with --yes"), "{refused:#?}");
    assert_eq!(world.files(), before);
}

/// A product may write into its home as soon as it is asked for its version.
#[test]
fn a_dry_run_starts_no_client_in_the_user_s_home() {
    let world = World::new();
    let file = world.sandbox.root().join("bin/qwen");
    let script = "#!/bin/sh\nmkdir -p \"$HOME/.qwen/tmp\" && echo x > \"$HOME/.qwen/tmp/cache\"\necho 0.24.4\n";
    world.sandbox.write(&file, script);
    let before = world.files();
    let out = world.ok(&["init", "--dry-run"]);
    assert!(out.contains("Qwen Code 0.24.4"), "{out}");
    assert_eq!(world.files(), before);
    // Nor is one started there to set it up, if it says its version elsewhere.
    world.run(&["install", "qwen", "--yes"]);
    assert!(!world.sandbox.home().join(".qwen/tmp").exists());
}

/// Before the first store is there, every hook denies; that is not the mode's word, because there is none.
#[test]
fn the_first_install_where_no_mode_is_set_holds_nothing_and_says_how_to_set_one() {
    for client in ["qwen", "gemini"] {
        let world = World::new();
        let installed = world.run(&["install", client, "--yes"]);
        assert_eq!(installed.status.code(), Some(1), "{installed:#?}");
        let told = "NOT YET: the hook lets everything pass: no mode is set here (run `modekeeper mode SLUG`)";
        assert!(installed.stdout.contains(told), "{installed:#?}");
        let doctor = world.run(&["doctor", client]);
        assert!(doctor.stdout.contains(told), "{doctor:#?}");
    }
}

#[test]
fn without_clients_the_project_still_gets_its_mode() {
    let sandbox = Sandbox::new();
    let mut init = sandbox.command(&["init", "--yes", "--mode", "architect"]);
    let ran = run(init.env("PATH", sandbox.root()));
    assert_eq!(ran.status.code(), Some(1), "{ran:#?}");
    assert!(ran.stdout.contains("no clients found"), "{ran:#?}");
    assert!(!ran.stdout.contains("copy this program"), "{ran:#?}");
    let mode = sandbox.ok(&["mode"]);
    assert!(mode.contains("architect"), "{mode}");
}

/// A dry run says what the real one does.
#[test]
fn a_home_is_not_set_up_as_a_project() {
    let world = World::new();
    for arguments in [["init", "--dry-run"], ["init", "--yes"]] {
        let mut init = world.command(&arguments);
        let ran = run(init.current_dir(world.sandbox.home()));
        assert_eq!(ran.status.code(), Some(1), "{ran:#?}");
        assert!(ran.stderr.contains("is not a project"), "{ran:#?}");
        assert_eq!(ran.stdout, "", "{ran:#?}");
    }
    let mut mode = world.command(&["mode"]);
    let ran = run(mode.current_dir(world.sandbox.home()));
    assert!(ran.stdout.contains("it is not a project"), "{ran:#?}");
}

#[test]
fn a_mode_that_a_person_has_set_is_not_changed_without_one() {
    let sandbox = Sandbox::new();
    let init = |mode: &str| {
        let mut init = sandbox.command(&["init", "--yes", "--mode", mode]);
        run(init.env("PATH", sandbox.root()))
    };
    init("ask");
    let refused = init("code");
    assert!(refused.stderr.contains("needs a terminal"), "{refused:#?}");
    let mode = sandbox.ok(&["mode"]);
    assert!(mode.contains("ask"), "{mode}");
    let again = init("ask");
    assert!(again.stdout.contains("ask"), "{again:#?}");
}

#[test]
fn a_setup_of_a_project_changes_no_file_of_the_user() {
    let world = World::new();
    let before = world.files();
    world.run(&["init", "--yes", "--scope", "project", "--floor", "ask"]);
    let own = world.sandbox.home().join(".local");
    for (path, after) in world.files() {
        let is_in_project = path.starts_with(world.sandbox.root().join("project"));
        if !is_in_project && !path.starts_with(&own) {
            assert_eq!(before.get(&path), Some(&after), "{}", path.display());
        }
    }
}

/// What every mode refuses, a product's own rules may refuse as well: no switch needs it.
#[test]
fn the_table_says_what_lies_under_the_hook() {
    let world = World::new();
    let line = |out: &str, name: &str| {
        let mut lines = out.lines();
        lines
            .find(|line| line.starts_with(name))
            .unwrap()
            .to_owned()
    };
    let out = world.ok(&["init", "--dry-run", "--scope", "project"]);
    assert!(line(&out, "Gemini").ends_with("; hook only"), "{out}");
    assert!(out.contains("set a floor (`--floor`)"), "{out}");
    let out = world.ok(&["init", "--dry-run", "--floor", "ask"]);
    assert!(!out.contains("set a floor"), "{out}");
    assert!(line(&out, "Gemini").ends_with("; floor `ask`"), "{out}");
    assert!(line(&out, "Copilot").ends_with("; hook only"), "{out}");
    let modes = ["code", "architect", "debug", "ask", "orchestrator"].map(|slug| {
        format!("  - {{slug: {slug}, name: {slug}, roleDefinition: Reads, groups: [read]}}\n")
    });
    let file = world.sandbox.root().join("project/.roomodes");
    world
        .sandbox
        .write(&file, format!("customModes:\n{}", modes.concat()));
    let out = world.ok(&["init", "--dry-run", "--scope", "project"]);
    let floor = "; floor of this project's modes";
    assert!(line(&out, "Gemini").ends_with(floor), "{out}");
    assert!(line(&out, "Claude").ends_with(floor), "{out}");
    let out = world.ok(&["init", "--dry-run"]);
    assert!(line(&out, "Gemini").ends_with("; hook only"), "{out}");
}

#[test]
fn settings_that_cannot_be_read_are_left_alone_and_the_others_are_set_up() {
    let world = World::new();
    let broken = world.sandbox.home().join(".qwen/settings.json");
    world.sandbox.write(&broken, "{ \"mcpServers\": ");
    let out = world.run(&["init", "--yes"]).stdout;
    assert!(out.contains("no hook for Qwen Code"), "{out}");
    assert_eq!(world.file(".qwen/settings.json"), "{ \"mcpServers\": ");
    assert!(world.file(".claude/settings.json").contains("modekeeper"));
}

#[test]
fn doctor_notices_an_entry_that_is_gone() {
    let world = World::new();
    world.run(&["install", "claude-code", "--yes"]);
    let path = world.sandbox.home().join(".claude/settings.json");
    world.sandbox.write(&path, SETTINGS[1].1);
    let ran = world.run(&["doctor", "claude-code", "--json"]);
    assert_eq!(ran.status.code(), Some(1));
    let findings: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap();
    let claude = findings
        .iter()
        .find(|it| it["subject"] == "Claude Code 2.1.325");
    let claude = claude.unwrap();
    assert_eq!(claude["ok"], false);
    let text = claude["text"].as_str().unwrap();
    assert!(text.ends_with(
        "settings.json does not have its entries: run `modekeeper install claude-code`"
    ));
}

#[test]
fn the_call_that_doctor_fires_is_in_no_list() {
    let world = World::new();
    world.sandbox.ok(&["mode", "ask"]);
    let out = world.run(&["install", "gemini", "--yes"]).stdout;
    assert!(out.contains("enforced"), "{out}");
    let ran = world.run(&["doctor", "gemini"]);
    assert!(ran.stdout.contains("enforced"), "{ran:#?}");
    let log: Value = serde_json::from_str(&world.ok(&["log", "--json"])).unwrap();
    assert_eq!(log.as_array().map(Vec::len), Some(0), "{log}");
    let mode: Value = serde_json::from_str(&world.ok(&["mode", "--json"])).unwrap();
    assert_eq!(mode["conversations"].as_array().map(Vec::len), Some(0));
}

/// Gemini passes over the settings of a project that it does not trust, and the hook in them.
#[test]
fn a_project_that_gemini_does_not_trust_is_not_held_yet() {
    let world = World::new();
    world.sandbox.ok(&["mode", "ask"]);
    let told = "NOT YET: Gemini CLI does not trust";
    let installed = world.run(&["install", "gemini", "--yes", "--scope", "project"]);
    assert!(installed.stdout.contains(told), "{installed:#?}");
    let doctor = world.run(&["doctor", "gemini"]);
    assert!(doctor.stdout.contains(told), "{doctor:#?}");
    assert_eq!(doctor.status.code(), Some(1), "{doctor:#?}");
    let rules = world.sandbox.home().join(".gemini/trustedFolders.json");
    let project = world.sandbox.project();
    let trusted = format!(
        "{{ {:?}: \"TRUST_FOLDER\" }}",
        project.display().to_string()
    );
    world.sandbox.write(&rules, trusted);
    let doctor = world.run(&["doctor", "gemini"]);
    assert!(doctor.stdout.contains("enforced"), "{doctor:#?}");
    // The user's own settings need no trust.
    std::fs::remove_file(rules).unwrap();
    world.run(&["install", "gemini", "--yes"]);
    let doctor = world.run(&["doctor", "gemini"]);
    assert!(doctor.stdout.contains("enforced"), "{doctor:#?}");
}

/// One project's files hold nothing in another, and stay when that is set up.
#[test]
fn a_project_is_set_up_besides_another_one() {
    let world = World::new();
    world.sandbox.ok(&["mode", "ask"]);
    world.run(&["install", "opencode", "--yes", "--scope", "project"]);
    let other = world.sandbox.root().join("other");
    std::fs::create_dir_all(other.join(".git")).unwrap();
    let elsewhere = |arguments: &[&str]| {
        let mut command = world.command(arguments);
        world.sandbox.run_command(command.current_dir(&other))
    };
    elsewhere(&["mode", "ask"]);
    let doctor = elsewhere(&["doctor", "opencode"]);
    assert!(doctor.stdout.contains("not set up"), "{doctor:#?}");
    assert_eq!(doctor.status.code(), Some(1), "{doctor:#?}");
    elsewhere(&["install", "opencode", "--yes", "--scope", "project"]);
    for plugin in [world.sandbox.project(), other.clone()] {
        assert!(plugin.join(".opencode/plugin/modekeeper.js").exists());
    }
    let doctor = elsewhere(&["doctor", "opencode"]);
    assert!(doctor.stdout.contains("enforced"), "{doctor:#?}");
    let doctor = world.run(&["doctor", "opencode"]);
    assert!(doctor.stdout.contains("enforced"), "{doctor:#?}");
    world.ok(&["uninstall", "--yes"]);
    for plugin in [world.sandbox.project(), other] {
        assert!(!plugin.join(".opencode").exists());
    }
}

#[test]
fn a_hook_that_could_not_be_written_holds_nothing() {
    let world = World::new();
    world.sandbox.ok(&["mode", "ask"]);
    let broken = world.sandbox.home().join(".cursor/hooks.json");
    world.sandbox.write(&broken, "{ \"hooks\": ");
    let ran = world.run(&["install", "cursor", "--yes"]);
    let told = "NOT YET: its hook is not set up for this project";
    assert!(ran.stdout.contains(told), "{ran:#?}");
}

/// A product that does not find our script runs the line without it, and without a word.
#[test]
fn doctor_notices_a_shell_that_is_no_longer_led() {
    let world = World::new();
    world.sandbox.ok(&["mode", "ask"]);
    for (client, subject, script) in [
        ("claude-code", "Claude Code 2.1.325", "modekeeper-exec"),
        ("gemini", "Gemini CLI 0.61.0", "modekeeper-env.sh"),
        ("opencode", "OpenCode 1.18.33", "modekeeper-sh"),
    ] {
        // Claude Code reads plain JSON only.
        world
            .sandbox
            .write(world.sandbox.home().join(".claude/settings.json"), "{}");
        world.run(&["install", client, "--yes"]);
        let look = || {
            let ran = world.run(&["doctor", client, "--json"]);
            let findings: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap();
            let found = findings.into_iter().find(|it| it["subject"] == subject);
            found.unwrap()["text"].as_str().unwrap().to_owned()
        };
        let led = look();
        assert!(led.ends_with("; shell walled)"), "{client}: {led}");
        let directory = world.sandbox.home().join(".local/share/modekeeper/bin");
        std::fs::remove_file(directory.join(script)).unwrap();
        let gone = look();
        assert!(
            gone.contains(&format!("{script} is gone")),
            "{client}: {gone}"
        );
    }
}

#[test]
fn a_command_under_another_name_points_to_ours() {
    let world = World::new();
    for (tried, ours) in [("setup", "init"), ("check-install", "doctor")] {
        let ran = world.run(&[tried]);
        assert!(!ran.status.success());
        assert!(ran.stderr.contains(&format!("'{ours}'")), "{}", ran.stderr);
    }
    let unknown = world.run(&["install", "emacs"]);
    assert!(unknown.stderr.contains("choose one of claude-code, codex"));
}

/// Claude Code passes over a settings file with comments, and all hooks in it.
#[test]
fn a_file_that_its_product_passes_over_holds_nothing() {
    let world = World::new();
    let file = world.sandbox.home().join(".claude/settings.json");
    let told = "passes over";
    for (text, is_read) in [
        ("{ \"env\": {} }", true),
        ("{ // mine\n \"env\": {} }", false),
        ("{ \"env\": {}, }", false),
    ] {
        world.sandbox.write(&file, text);
        let ran = world.run(&["install", "claude-code", "--yes"]);
        assert_eq!(!ran.stdout.contains(told), is_read, "{text}: {ran:#?}");
        let doctor = world.run(&["doctor", "claude-code"]);
        assert_eq!(
            !doctor.stdout.contains(told),
            is_read,
            "{text}: {doctor:#?}"
        );
        world.run(&["uninstall", "claude-code", "--yes"]);
    }
}

/// Gemini CLI and Qwen Code read comments, and do not start with a comma too many.
#[test]
fn a_file_that_keeps_its_product_from_starting_holds_nothing() {
    for client in ["gemini", "qwen"] {
        let world = World::new();
        world.sandbox.ok(&["mode", "ask"]);
        let file = format!(".{client}/settings.json");
        let file = world.sandbox.home().join(file);
        for (text, is_read) in [
            ("{ // mine\n \"env\": {} }", true),
            ("{ \"env\": {}, }", false),
        ] {
            world.sandbox.write(&file, text);
            world.run(&["install", client, "--yes"]);
            let doctor = world.run(&["doctor", client]);
            let told = doctor.stdout.contains("does not start with");
            assert_eq!(!told, is_read, "{text}: {doctor:#?}");
            assert_eq!(doctor.stdout.contains("enforced"), is_read, "{doctor:#?}");
            world.run(&["uninstall", client, "--yes"]);
        }
    }
}

/// An empty store would know of no mode.
#[test]
fn doctor_makes_no_store_where_one_is_missing() {
    let world = World::new();
    world.run(&["init", "--yes", "--mode", "ask"]);
    let store = world.sandbox.database();
    assert!(store.exists());
    for name in ["modekeeper.db", "modekeeper.db-wal", "modekeeper.db-shm"] {
        drop(std::fs::remove_file(store.with_file_name(name)));
    }
    let doctor = world.run(&["doctor"]);
    assert!(!doctor.status.success());
    assert!(doctor.stdout.contains("is missing"), "{doctor:#?}");
    assert!(!store.exists());
    // As it says, the modes come back.
    assert!(
        doctor.stdout.contains("run `modekeeper mode`"),
        "{doctor:#?}"
    );
    let mode = world.ok(&["mode"]);
    assert!(mode.contains("ask"), "{mode}");
}

/// Hooks deny with such a store, but not because a mode says so.
#[test]
fn doctor_notices_a_damaged_store_and_says_how_to_recover_it() {
    let world = World::new();
    world.run(&["init", "--yes", "--mode", "ask"]);
    let store = world.sandbox.database();
    // In one file, without a log besides.
    let backup = world.sandbox.root().join("backup.db");
    world
        .sandbox
        .ok(&["store", "backup", backup.to_str().unwrap()]);
    let whole = std::fs::read(&backup).unwrap();
    let put = |bytes: &[u8]| {
        for name in ["modekeeper.db-wal", "modekeeper.db-shm"] {
            drop(std::fs::remove_file(store.with_file_name(name)));
        }
        world.sandbox.write(&store, bytes);
    };
    let mut partly = whole.clone();
    partly[3 * 4096..9 * 4096].fill(0xa5);
    for damaged in [
        partly,
        b"not a database, but long enough for a header".repeat(200),
    ] {
        put(&damaged);
        let doctor = world.run(&["doctor"]);
        assert_eq!(doctor.status.code(), Some(1), "{doctor:#?}");
        assert!(
            doctor.stdout.contains("run `modekeeper store recover`"),
            "{doctor:#?}"
        );
        assert!(!doctor.stdout.contains("enforced"), "{doctor:#?}");
    }
    put(&whole);
    let doctor = world.run(&["doctor", "qwen"]);
    assert!(doctor.stdout.contains("enforced"), "{doctor:#?}");
}
