//! Builds and tests of real toolchains with nothing in the project writable but documents.

use super::{commit, exec, project, shell, status};
use crate::support::sandbox::{Sandbox, run};

/// Runs a line in both modes: it succeeds, and the project is as it was.
#[track_caller]
fn builds(sandbox: &Sandbox, line: &str) {
    for mode in ["docs", "look"] {
        let ran = run(&mut exec(sandbox, mode, line));
        assert_eq!(ran.status.code(), Some(0), "{mode}: {line}: {ran:#?}");
        assert_eq!(status(sandbox), "", "{mode}: {line}: {ran:#?}");
    }
}

#[test]
fn cargo_builds_and_tests() {
    let sandbox = project();
    sandbox.write(
        "Cargo.toml",
        "[package]\nname = \"a\"\nedition = \"2024\"\n[lib]\npath = \"src/a.rs\"\n",
    );
    sandbox.write(
        "Cargo.lock",
        "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"0.0.0\"\n",
    );
    sandbox.write(
        "build.rs",
        "fn main() { std::fs::write(\"src/planted.rs\", \"\").ok(); }",
    );
    sandbox.write(
        "src/a.rs",
        "#[test]\nfn port() {\n    let server = std::net::TcpListener::bind(\"127.0.0.1:0\").unwrap();\n    \
         std::net::TcpStream::connect(server.local_addr().unwrap()).unwrap();\n}\n",
    );
    commit(&sandbox);
    builds(
        &sandbox,
        "cargo build --offline --locked && cargo test --offline --locked",
    );
}

#[test]
fn node_and_python_run_their_tests() {
    let sandbox = project();
    sandbox.write(
        "test.mjs",
        "import net from 'node:net';\nimport test from 'node:test';\ntest('port', async () => {\n  \
         const server = net.createServer().listen(0, '127.0.0.1');\n  \
         await new Promise((done) => server.once('listening', done));\n  \
         const client = net.connect(server.address().port, '127.0.0.1');\n  \
         await new Promise((done, fail) => client.once('connect', done).once('error', fail));\n  \
         client.destroy();\n  server.close();\n});\n",
    );
    sandbox.write(
        "test_a.py",
        "import multiprocessing, tempfile, unittest\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        \
         multiprocessing.Lock().acquire()\n        tempfile.NamedTemporaryFile().write(b'x')\n",
    );
    commit(&sandbox);
    builds(&sandbox, "node --test test.mjs");
    builds(&sandbox, "/usr/bin/python3 -m unittest -q test_a");
}

#[test]
fn objects_in_the_tree_are_refused_and_elsewhere_they_are_not() {
    let sandbox = project();
    sandbox.write("src/a.c", "int main(void) { return 0; }\n");
    sandbox.write("Makefile", "a: src/a.c\n\tcc -o $(OUT)/a src/a.c\n");
    commit(&sandbox);
    builds(&sandbox, "make -s OUT=$TMPDIR && $TMPDIR/a");
    let ran = run(&mut exec(&sandbox, "look", "make -s OUT=."));
    assert_ne!(ran.status.code(), Some(0), "{ran:#?}");
    assert!(
        ran.stderr
            .contains("mode \"look\" may not edit files – refused: create a"),
        "{ran:#?}"
    );
}

#[test]
fn what_a_thousand_files_were_comes_back() {
    let sandbox = project();
    for number in 0..1000 {
        sandbox.write(format!("docs/{number}.md"), format!("old {number}\n"));
    }
    commit(&sandbox);
    let line = "sed -i s/old/new/ docs/*.md && rm docs/7.md && echo x > docs/more.md";
    let ran = run(&mut exec(&sandbox, "docs", line));
    assert_eq!(ran.status.code(), Some(0), "{ran:#?}");
    assert_eq!(status(&sandbox).lines().count(), 1001);
    sandbox.ok(&["undo"]);
    assert_eq!(status(&sandbox), "");
}

/// Everyday git, both ways; configuration and hooks are the same to the byte afterwards.
#[test]
fn git_works_and_its_configuration_stays() {
    let sandbox = project();
    commit(&sandbox);
    let print = || {
        shell(
            &sandbox.project(),
            "sha1sum .git/config $(find .git/hooks -type f | sort)",
        )
        .stdout
    };
    let before = print();
    let me = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c";
    for line in [
        "echo 1 >> README.md && git add README.md && git commit -qm two && git commit -q --amend -m three",
        "git tag v1 && git branch other && git switch -q -c third && git switch -q - && git branch -q -D third",
        "echo 2 >> README.md && git stash -q && git stash pop -q && git checkout -q README.md",
        "git pack-refs --all && git gc -q && git reset -q --hard HEAD~1 && git log --oneline | grep -q one",
        "git rebase -q --force-rebase HEAD~0 || git rebase -q HEAD",
    ] {
        let ran = run(&mut exec(&sandbox, "docs", &format!("{me}; {line}")));
        assert_eq!(ran.status.code(), Some(0), "{line}: {ran:#?}");
    }
    for line in [
        "git config a.b c",
        "git remote add origin /x",
        "echo x > .git/hooks/pre-commit",
        "mv .git/index .git/config",
        "cp README.md .git/info/attributes",
        "git worktree add -q ../tree",
        "ln -s /etc .git/objects/../hooks/x",
    ] {
        let ran = run(&mut exec(&sandbox, "docs", &format!("{me}; {line}")));
        assert_ne!(ran.status.code(), Some(0), "{line}: {ran:#?}");
    }
    assert_eq!(print(), before);
    let ran = run(&mut exec(
        &sandbox,
        "look",
        "git status && git diff && git log",
    ));
    assert_eq!(ran.status.code(), Some(0), "{ran:#?}");
    let ran = run(&mut exec(
        &sandbox,
        "look",
        "git commit -q --allow-empty -m x",
    ));
    assert_ne!(ran.status.code(), Some(0), "{ran:#?}");
}
