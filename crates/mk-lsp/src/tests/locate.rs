//! Finding programs, and not finding those that an agent could have put there.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;

use mk_testkit::Fixture;

use crate::{InstallPlan, Limits, ProjectCode, ServerError, ServerOptions, Servers};

/// Programs in all the places, each a script that says its version.
struct World {
    project: Fixture,
    elsewhere: Fixture,
}

impl World {
    fn new(programs: &[&str]) -> Self {
        let world = Self {
            project: Fixture::new("//- /a.py\n\n"),
            elsewhere: Fixture::new("//- /a\n\n"),
        };
        for path in programs {
            let (fixture, path) = match path.strip_prefix("project/") {
                Some(path) => (&world.project, path),
                None => (&world.elsewhere, *path),
            };
            fixture.write(path, "#!/bin/sh\necho \"Version 5.9.3\"\n");
            std::fs::set_permissions(fixture.path(path), Permissions::from_mode(0o755))
                .expect("a program");
        }
        world
    }

    fn servers(&self, project_code: ProjectCode) -> Servers {
        let folders = [
            self.project.path("bin"),
            "relative".into(),
            self.elsewhere.path("bin"),
        ];
        let options = ServerOptions {
            launcher: None,
            search_path: std::env::join_paths(folders).expect("a search path"),
            tools: self.elsewhere.path("tools"),
            project_code,
            custom: Vec::new(),
            limits: Limits::default(),
        };
        Servers::new(self.project.root().clone(), options)
    }

    /// Where a server's program is found, without the temporary folders.
    fn find(&self, name: &str, project_code: ProjectCode) -> Option<String> {
        let servers = self.servers(project_code).list();
        let server = servers.into_iter().find(|server| server.name == name)?;
        let path = server.program?.to_string_lossy().into_owned();
        let path = path.replace(self.project.root().as_str(), "project");
        Some(path.replace(&format!("{}/", self.elsewhere.root()), ""))
    }
}

#[track_caller]
fn check(programs: &[&str], project_code: ProjectCode, expected: Option<&str>) {
    let found = World::new(programs).find("ty", project_code);
    assert_eq!(found.as_deref(), expected);
}

#[test]
fn our_own_tools_come_before_the_search_path() {
    let tool = "tools/ty/bin/ty";
    check(&["bin/ty", tool], ProjectCode::Avoid, Some(tool));
    check(&["bin/ty"], ProjectCode::Avoid, Some("bin/ty"));
    check(&[], ProjectCode::Avoid, None);
}

#[test]
fn programs_of_the_project_count_only_when_its_code_may_run() {
    let local = "project/.venv/bin/ty";
    check(&[local, "bin/ty"], ProjectCode::Avoid, Some("bin/ty"));
    check(&[local, "bin/ty"], ProjectCode::Run, Some(local));
}

#[test]
fn a_search_path_that_leads_into_the_project_is_not_followed() {
    check(&["project/bin/ty"], ProjectCode::Run, None);
}

#[tokio::test]
async fn a_program_that_is_too_old_does_not_count_and_the_advice_says_what_to_do() {
    let world = World::new(&["bin/tsc"]);
    let servers = world.servers(ProjectCode::Avoid);
    let error = servers.restart("typescript").await;
    let error = error.expect_err("only an old compiler");
    let ServerError::NotInstalled { rejected, .. } = &error else {
        panic!("not installed, not {error}");
    };
    let program = world.elsewhere.path("bin/tsc");
    assert_eq!(
        *rejected,
        [format!("{}: version 5, not 7 or later", program.display())]
    );
    assert_eq!(
        error.hint().as_deref(),
        Some("install one with `modekeeper lsp install typescript`")
    );
    let known = servers.list();
    let typescript = known.iter().find(|server| server.name == "typescript");
    let version = servers.version(typescript.expect("a server"));
    assert_eq!(version.as_deref(), Some("5.9.3"));
}

#[test]
fn an_installation_is_shown_line_by_line_and_says_what_failed() {
    let world = World::new(&["bin/good", "bin/bad"]);
    world
        .elsewhere
        .write("bin/good", "#!/bin/sh\necho one; echo two >&2\n");
    world
        .elsewhere
        .write("bin/bad", "#!/bin/sh\necho three; exit 4\n");
    let plan = InstallPlan {
        language: "python".to_owned(),
        server: "ty".to_owned(),
        source: "PyPI",
        folder: Some(world.elsewhere.path("tools/ty")),
        commands: vec![vec!["good".to_owned()], vec!["bad".to_owned()]],
    };
    let mut lines = Vec::new();
    let search_path = world.elsewhere.path("bin").into_os_string();
    let result = plan.run(&search_path, None, &mut |line| {
        lines.push(line.to_owned());
        true
    });
    lines.sort();
    assert_eq!(lines, ["one", "three", "two"]);
    let error = result.expect_err("the second command fails").to_string();
    assert_eq!(error, "`bad` did not install `ty`: exit status: 4");
}

#[test]
fn what_rustup_only_stands_in_for_is_not_there() {
    let fixture = Fixture::new("//- /home/.cargo/bin/rustup\n#!/bin/sh\n//- /project/a.rs\n");
    let rustup = fixture.path("home/.cargo/bin/rustup");
    make_executable(&rustup);
    std::fs::hard_link(&rustup, fixture.path("home/.cargo/bin/rust-analyzer")).expect("a link");
    fixture.link("linked/rust-analyzer", &rustup);
    let installed_in = |folder: &str| {
        let options = ServerOptions {
            launcher: None,
            search_path: fixture.path(folder).into(),
            tools: fixture.path("tools"),
            project_code: ProjectCode::Avoid,
            custom: Vec::new(),
            limits: Limits::default(),
        };
        let root = mk_types::AbsPath::new(&fixture.path("project")).expect("a path");
        Servers::new(root, options).is_installed("rust")
    };
    let installed = || {
        let [own, linked] = ["home/.cargo/bin", "linked"].map(installed_in);
        assert_eq!(own, linked);
        own
    };
    assert!(
        installed(),
        "where rustup keeps its toolchains is not known"
    );
    fixture.write("home/.rustup/toolchains/stable/bin/cargo", "");
    assert!(!installed());
    fixture.write("home/.rustup/toolchains/beta/bin/rust-analyzer", "");
    make_executable(&fixture.path("home/.rustup/toolchains/beta/bin/rust-analyzer"));
    assert!(installed());
}

fn make_executable(path: &std::path::Path) {
    std::fs::set_permissions(path, Permissions::from_mode(0o755)).expect("a program");
}
