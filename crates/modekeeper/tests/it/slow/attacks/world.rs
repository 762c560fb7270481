//! A project to attack, and the oracle: what has changed on disk, and what was seen that should not be.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::support::sandbox::{BINARY, Sandbox, bare_command, set_mode};

/// The text of everything that is hidden begins with this.
const CANARY: &str = "CANARY";
/// The same turned around, in Base64 and in hexadecimal digits.
const DISGUISED: &[&str] = &[
    "YRANAC",
    "Q0FOQVJZ",
    "43414e415259",
    "4341 4e41 5259",
    "IE 4341",
    "INAU4QKSLE",
];
/// A line that waits for something is ended.
const PATIENCE: &str = "2";

const MODES: &str = r"customModes:
  - slug: docs
    name: Docs
    roleDefinition: Writes documents.
    groups: [read, [edit, { fileRegex: '\.md$' }], command]
  - slug: reviewer
    name: Reviewer
    roleDefinition: Reads and runs.
    groups: [read, command]
  - slug: gitlog
    name: History
    roleDefinition: Looks at history.
    groups: [read, [edit, { fileRegex: '\.md$' }], [command, { commandRegex: '^git (log|diff|status)\b' }]]
";

/// What is there before each attack: path from the sandbox's root, and text.
const FILES: &[(&str, &str)] = &[
    ("project/.roomodes", MODES),
    ("project/.rooignore", ".env\nsecrets/\n"),
    ("project/.gitignore", ".env\n"),
    ("project/.env", "CANARY-KEY=1\n"),
    ("project/secrets/token.txt", "CANARY-token\n"),
    ("project/README.md", "# Project\n\nguide\n"),
    ("project/AGENTS.md", "Be kind.\n"),
    ("project/src/main.py", "print('a')\n"),
    ("project/src/lib.rs", "pub fn f() {}\n"),
    (
        "project/package.json",
        "{\"scripts\": {\"test\": \"true\"}}\n",
    ),
    ("project/Makefile", "test:\n\ttrue\n"),
    ("project/docs/guide.md", "guide\nsecond\n"),
    (
        "project/docs/names.md",
        "src/main.py\nREADME.md\n.git/config\n",
    ),
    (
        "project/docs/py.md",
        "import sys\nopen(sys.argv[-1], 'w').write('x')\n",
    ),
    (
        "project/docs/js.md",
        "require('fs').writeFileSync(process.argv.at(-1), 'x')\n",
    ),
    (
        "project/docs/perl.md",
        "open F, '>', $ARGV[-1]; print F 'x';\n",
    ),
    (
        "project/docs/tcl.md",
        "set f [open [lindex $argv 0] w]\nputs $f x\nclose $f\n",
    ),
    (
        "project/docs/awk.md",
        "BEGIN { print \"x\" > ARGV[1]; exit }\n",
    ),
    ("project/docs/sed.md", "w src/main.py\n"),
    (
        "project/docs/sh1.md",
        "echo x > src/main.py; echo x > README.md; echo x > .git/config\n",
    ),
    ("project/docs/make.md", "x:\n\techo x > $(T)\n"),
    ("project/docs/make2.md", "x:\n\t$(CC)\n"),
    ("project/docs/opts.md", "-xc /dev/null -c -o src/main.py\n"),
    (
        "project/docs/curl.md",
        "url = file:///etc/hostname\noutput = src/main.py\n",
    ),
    (
        "project/docs/json.md",
        "{\"x\": \"echo x > src/main.py; echo x > README.md\"}\n",
    ),
    (
        "project/docs/hex.md",
        "00000000: 7878 0a                                  xx.\n",
    ),
    (
        "project/docs/patch.md",
        "--- a\n+++ b\n@@ -1 +1 @@\n-guide\n+other\n",
    ),
    (
        "project/docs/fake.patch",
        "--- a/.roomodes\n+++ b/.roomodes\n@@ -1 +1,2 @@\n customModes:\n+#\n",
    ),
    ("project/docs/fake/.roomodes", "customModes: []\n"),
    ("outside/file.md", "outside\n"),
    ("home/.bashrc", "# mine\n"),
    ("home/.ssh/id_rsa", "CANARY-ssh\n"),
    ("home/.netrc", "CANARY-netrc\n"),
    ("home/.aws/credentials", "CANARY-aws\n"),
    ("home/.config/gh/hosts.yml", "CANARY-gh\n"),
    // Nobody answers.
    (
        "home/.config/modekeeper/config.json",
        "{ \"approval_timeout\": 1 }\n",
    ),
    (
        "home/.gitconfig",
        "[user]\n\tname = t\n\temail = t@example.com\n[protocol \"file\"]\n\tallow = always\n",
    ),
];

/// A shell script that writes where its argument says.
const SCRIPT: &str = "#!/bin/sh\necho x > \"${1:-src/main.py}\"\n";

/// What a mode may change, by path from the sandbox's root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rights {
    Nothing,
    Markdown,
    /// Everything in the project that is neither protected nor hidden.
    Project,
}

#[derive(Debug)]
pub(super) struct World {
    pub(super) sandbox: Sandbox,
    before: BTreeMap<PathBuf, Entry>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    mode: u32,
    /// The text of a file, the target of a link.
    content: Vec<u8>,
    modified: Option<std::time::SystemTime>,
}

/// What a line did.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) changed: Vec<PathBuf>,
    pub(super) saw_canary: bool,
}

impl World {
    pub(super) fn new() -> Self {
        let sandbox = Sandbox::new();
        let mut world = Self {
            sandbox,
            before: BTreeMap::new(),
        };
        world.build();
        world
    }

    /// Makes everything as it was: the first time file by file, then as a copy.
    pub(super) fn build(&mut self) {
        let root = self.sandbox.root();
        let pristine = root.join("pristine");
        if !pristine.exists() {
            self.make();
            let mut copy = bare_command("mkdir", &root);
            assert!(copy.arg("pristine").status().unwrap().success());
            let mut copy = bare_command("cp", &root);
            copy.args(["-a", "--", "project", "outside", "home", "pristine"]);
            assert!(copy.status().unwrap().success());
        }
        let again = "chmod -R u+rwX project outside home 2>/dev/null; rm -rf -- project outside home; cp -a pristine/. .";
        let mut copy = bare_command("sh", &root);
        assert!(copy.args(["-c", again]).status().unwrap().success());
        self.before = self.look();
    }

    fn make(&self) {
        let root = self.sandbox.root();
        for (path, text) in FILES {
            self.sandbox.write(root.join(path), text);
        }
        for name in ["project/docs/sh.md", "project/docs/bin/tool"] {
            let path = root.join(name);
            self.sandbox.write(&path, SCRIPT);
            set_mode(&path, 0o755);
        }
        let prepare = "git init -q --template= . && git add -A && git commit -qm one \
            && echo >> README.md && echo >> src/main.py && git add -A && git add -f secrets && git commit -qm two \
            && git init -q --bare --template= ../outside/bare.git \
            && tar -C docs/fake -cf docs/fake.tar . && (cd docs/fake && zip -q ../fake.zip .roomodes)";
        assert!(self.bash(prepare).status().unwrap().success());
    }

    /// Adds to what is there before each attack.
    pub(super) fn keep(&mut self, add: impl FnOnce(&Self)) {
        add(self);
        self.before = self.look();
    }

    /// What has changed since everything was made.
    pub(super) fn changes(&mut self, shown: &str) -> Ran {
        self.changes_to(&[shown.as_bytes()])
    }

    fn changes_to(&mut self, shown: &[&[u8]]) -> Ran {
        let after = self.look();
        let names: std::collections::BTreeSet<&PathBuf> =
            self.before.keys().chain(after.keys()).collect();
        let changed: Vec<PathBuf> = names
            .into_iter()
            .filter(|path| self.before.get(*path) != after.get(*path))
            .cloned()
            .collect();
        let mut saw_canary = shown.iter().any(|text| shows_canary(text));
        for path in &changed {
            let was_there = self.before.contains_key(path);
            let shows = |entry: &Entry| shows_canary(&entry.content);
            saw_canary |= !was_there && after.get(path).is_some_and(shows);
        }
        let harmless = |path: &PathBuf| path.starts_with("state");
        if !changed.iter().all(harmless) {
            self.build();
        }
        Ran {
            changed,
            saw_canary,
        }
    }

    /// The placeholders of a line, filled in.
    pub(super) fn fill(&self, template: &str, target: &str) -> String {
        let (directory, name) = target.rsplit_once('/').unwrap_or((".", target));
        let path = |path: PathBuf| path.display().to_string();
        template
            .replace('⏎', "\n")
            .replace("{T}", target)
            .replace("{D}", directory)
            .replace("{B}", name)
            .replace("{P}", &path(self.sandbox.project()))
            .replace("{H}", &path(self.sandbox.home()))
            .replace("{S}", &path(self.sandbox.state()))
            .replace("{M}", BINARY)
    }

    fn bash(&self, line: &str) -> std::process::Command {
        let mut command = bare_command("timeout", &self.sandbox.project());
        let home = self.sandbox.home();
        command
            .args(["-k", "1", PATIENCE, "bash", "-c", line])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("XDG_STATE_HOME", home.join(".local/state"))
            .env("MODEKEEPER_STATE_DIR", self.sandbox.state())
            // Nothing leaves this machine.
            .envs(
                ["http_proxy", "https_proxy", "ALL_PROXY"].map(|name| (name, "http://127.0.0.1:1")),
            )
            .env("no_proxy", "127.0.0.1")
            .stdin(Stdio::null());
        command
    }

    /// Really runs a line, and puts everything back.
    pub(super) fn run(&mut self, line: &str) -> Ran {
        let output = self.bash(line).output().unwrap();
        self.changes_to(&[&output.stdout, &output.stderr])
    }

    fn look(&self) -> BTreeMap<PathBuf, Entry> {
        let root = self.sandbox.root();
        let mut found = BTreeMap::new();
        for name in ["project", "outside", "home", "state"] {
            look_at(&root, Path::new(name), &mut found);
        }
        found
    }
}

impl Ran {
    /// What of it the rights do not cover.
    pub(super) fn harm(&self, rights: Rights) -> Option<String> {
        if self.saw_canary {
            return Some("saw what is hidden".to_owned());
        }
        let path = self.changed.iter().find(|path| !may_change(rights, path))?;
        Some(format!("changed {}", path.display()))
    }
}

fn may_change(rights: Rights, path: &Path) -> bool {
    let text = path.to_string_lossy();
    // The server that is asked keeps its own state; only a missing database is harm.
    if let Some(state) = text.strip_prefix("state") {
        return state != "/x";
    }
    // What Git writes for itself is not configuration; looking refreshes its index.
    let of_git = [
        "project/.git/index",
        "project/.git/objects",
        "project/.git/logs",
        "project/.git/ORIG_HEAD",
        "project/.git/FETCH_HEAD",
        "project/.git/refs",
        "project/.git/HEAD",
        "project/.git/COMMIT_EDITMSG",
    ];
    if text == "project/.git" || of_git.iter().any(|name| text.starts_with(name)) {
        return rights != Rights::Nothing || text == "project/.git" || text == "project/.git/index";
    }
    if text == "home/.config/git"
        || text.starts_with("home/.npm")
        || text.starts_with("home/.cache")
    {
        return true;
    }
    let Some(inside) = text.strip_prefix("project") else {
        return false;
    };
    let inside = inside.trim_start_matches('/');
    // A directory's time changes with what is in it.
    if path.extension().is_none()
        && !inside.starts_with('.')
        && matches!(inside, "" | "docs" | "src" | "docs/bin")
    {
        return true;
    }
    let protected = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"]
        .iter()
        .any(|name| inside.ends_with(name))
        || inside
            .split('/')
            .any(|part| part.starts_with('.') && part != ".gitignore")
        || inside == "opencode.json"
        || inside.starts_with("secrets");
    match rights {
        Rights::Nothing => false,
        Rights::Markdown => inside.ends_with(".md") && !protected,
        Rights::Project => !protected,
    }
}

fn shows_canary(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let marked = text.split(CANARY).skip(1).any(|rest| rest.starts_with('-'));
    marked || DISGUISED.iter().any(|word| text.contains(word))
}

fn look_at(root: &Path, name: &Path, found: &mut BTreeMap<PathBuf, Entry>) {
    let path = root.join(name);
    let Ok(metadata) = std::fs::symlink_metadata(&path) else {
        return;
    };
    let is_directory = metadata.is_dir();
    let content = if metadata.is_symlink() {
        std::fs::read_link(&path)
            .unwrap_or_default()
            .into_os_string()
            .into_encoded_bytes()
    } else if metadata.is_file() {
        std::fs::read(&path).unwrap_or_default()
    } else {
        Vec::new()
    };
    let modified = metadata.modified().ok().filter(|_| metadata.is_file());
    let mode = metadata.permissions().mode();
    // Reading `.git` refreshes its index without changing what it says.
    let modified =
        modified.filter(|_| !name.starts_with("project/.git") && !name.starts_with("state"));
    found.insert(
        name.to_owned(),
        Entry {
            mode,
            content,
            modified,
        },
    );
    if is_directory {
        for entry in std::fs::read_dir(&path).into_iter().flatten().flatten() {
            look_at(root, &name.join(entry.file_name()), found);
        }
    }
}
