//! What `exec` holds, for its column in docs/enforcement.md: the same rows as the agents' own.

use super::{project, text};
use crate::support::sandbox::Sandbox;

/// What a line would have to leave behind, or to show.
enum Proof {
    Holds(&'static str, &'static str),
    Gone(&'static str),
    Shows(&'static str),
}

const READ: (&str, &str, Proof) = ("read a file", "cat README.md", Proof::Shows("read me"));
const IGNORED: (&str, &str, Proof) = (
    "read an ignored file",
    "cat secret.txt",
    Proof::Shows("hidden"),
);
const BY_SHELL: (&str, &str, Proof) = (
    "write by the shell",
    "echo x > src/shell.rs",
    Proof::Holds("src/shell.rs", "x\n"),
);
const BY_SCRIPT: (&str, &str, Proof) = (
    "write by a script",
    "python3 write.py src/script.rs",
    Proof::Holds("src/script.rs", "x\n"),
);

/// Mode, what is tried, its line, and what proves that it happened.
fn rows() -> Vec<(&'static str, (&'static str, &'static str, Proof))> {
    let edits = [
        (
            "edit a file",
            "sed -i s/a/b/ src/a.rs",
            Proof::Holds("src/a.rs", "fn b() {}\n"),
        ),
        (
            "write a new file",
            "touch src/new.rs",
            Proof::Holds("src/new.rs", ""),
        ),
        (
            "move a file",
            "mv src/b.rs src/c.rs",
            Proof::Gone("src/b.rs"),
        ),
        ("delete a file", "rm src/d.rs", Proof::Gone("src/d.rs")),
    ];
    let mut rows = Vec::new();
    for mode in ["architect", "ask"] {
        rows.push((mode, BY_SHELL));
        rows.push((mode, BY_SCRIPT));
    }
    rows.push((
        "docs",
        (
            "write src/new.rs by a script",
            "python3 write.py src/new.rs",
            Proof::Holds("src/new.rs", "x\n"),
        ),
    ));
    rows.push((
        "docs",
        (
            "write docs/new.md by a script",
            "python3 write.py docs/new.md",
            Proof::Holds("docs/new.md", "x\n"),
        ),
    ));
    rows.extend([READ, IGNORED, BY_SHELL, BY_SCRIPT].map(|it| ("code", it)));
    rows.extend(edits.map(|it| ("code", it)));
    rows
}

fn outcome(sandbox: &Sandbox, line: &str, proof: &Proof) -> &'static str {
    let ran = sandbox.run(&["exec", "--", "sh", "-c", line]);
    let path = |path: &str| sandbox.project().join(path);
    let happened = match proof {
        Proof::Holds(file, expected) => path(file).exists() && text(sandbox, file) == *expected,
        Proof::Gone(file) => !path(file).exists(),
        Proof::Shows(part) => ran.stdout.contains(part),
    };
    match ran.status.code() {
        _ if happened => "done",
        Some(125) => "refused",
        // What was refused, or hidden, stands in what the model reads.
        _ if ran.stderr.contains("modekeeper: ") => "ran in the wall",
        _ => "refused without our reason",
    }
}

#[test]
fn what_exec_holds_is_in_the_document() {
    let mut lines = vec!["`modekeeper exec`".to_owned()];
    for (mode, (what, line, proof)) in rows() {
        let sandbox = project();
        sandbox.write(".rooignore", "secret.txt\n");
        sandbox.write("secret.txt", "hidden\n");
        sandbox.write("docs/old.md", "old\n");
        sandbox.write("src/b.rs", "fn b() {}\n");
        sandbox.write("src/d.rs", "fn d() {}\n");
        sandbox.write(
            "write.py",
            "import sys\nprint('x', file=open(sys.argv[1], 'w'))\n",
        );
        sandbox.ok(&["mode", mode]);
        lines.push(format!(
            "{mode}: {what}: {}",
            outcome(&sandbox, line, &proof)
        ));
    }
    insta::assert_snapshot!("exec", lines.join("\n"));
}
