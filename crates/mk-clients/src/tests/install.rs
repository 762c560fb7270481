//! What is written where, for each product.

use std::path::{Path, PathBuf};

use crate::settings::apply;
use crate::{
    ChangePurpose, ClientFloor, ClientId, EditorAgent, FileContent, FloorEdits, InstallScope,
    SettingsChange, Setup, ShellScripts, shell_scripts,
};

fn setup(scope: InstallScope) -> Setup {
    Setup {
        home: PathBuf::from("/home/ada"),
        config_home: PathBuf::from("/home/ada/.config"),
        project: PathBuf::from("/p"),
        scope,
        program: PathBuf::from("/opt/m k/modekeeper"),
        shell: Some(ShellScripts::in_directory(Path::new("/opt"))),
        floor: Some(ClientFloor {
            edits: FloorEdits::Nothing,
            runs_commands: false,
            mode: Some("ask".to_owned()),
        }),
        moved: Vec::new(),
        own_variables: Vec::new(),
        agents: vec![EditorAgent {
            name: "Gemini",
            command: vec!["/bin/gemini".to_owned(), "--acp".to_owned()],
        }],
    }
}

fn text(change: &SettingsChange) -> String {
    match &change.content {
        FileContent::Entries { format, edits } => apply(*format, "", edits).unwrap().text,
        FileContent::Whole { text, .. } => text.clone(),
    }
}

#[test]
fn files_of_every_product() {
    let mut all = String::new();
    for (name, scope) in [
        ("user", InstallScope::User),
        ("project", InstallScope::Project),
    ] {
        for id in ClientId::ALL {
            for change in id.atlas().changes(&setup(scope)) {
                let file = change.file.display();
                let purpose = change.purpose.name();
                all.push_str(&format!("{name} {} {purpose}: {file}\n", id.slug()));
            }
        }
    }
    insta::assert_snapshot!(all);
}

#[test]
fn what_is_written_for_every_product() {
    let mut all = String::new();
    for id in ClientId::ALL {
        for change in id.atlas().changes(&setup(InstallScope::User)) {
            let file = change.file.display();
            all.push_str(&format!("## {file}\n{}\n", text(&change)));
        }
    }
    insta::assert_snapshot!(all);
}

#[test]
fn the_shell_is_not_wrapped_where_there_is_nothing_to_lead_it_through() {
    let mut setup = setup(InstallScope::User);
    setup.shell = None;
    for id in ClientId::ALL {
        let changes = id.atlas().changes(&setup);
        assert!(
            changes
                .iter()
                .all(|change| change.purpose != ChangePurpose::Shell)
        );
    }
}

#[test]
fn a_moved_directory_is_followed() {
    let mut setup = setup(InstallScope::User);
    setup.moved = vec![("CODEX_HOME", PathBuf::from("/elsewhere"))];
    let changes = ClientId::Codex.atlas().changes(&setup);
    assert!(
        changes
            .iter()
            .all(|change| change.file.starts_with("/elsewhere"))
    );
}

#[test]
fn a_floor_of_some_files_becomes_a_pattern_in_gemini_and_nothing_that_would_be_wider_elsewhere() {
    let mut setup = setup(InstallScope::User);
    setup.floor = Some(ClientFloor {
        edits: FloorEdits::Extensions(vec!["md".to_owned()]),
        runs_commands: true,
        mode: Some("architect".to_owned()),
    });
    let policy = |id: ClientId| {
        let changes = id.atlas().changes(&setup);
        let found = changes
            .iter()
            .find(|it| it.purpose == ChangePurpose::Policy);
        found.map(text)
    };
    let gemini = policy(ClientId::Gemini).unwrap();
    assert!(gemini.contains(r#"argsPattern = '"file_path":"(?![^"]*\.(?:md)")'"#));
    assert!(!gemini.contains("run_shell_command"));
    assert_eq!(policy(ClientId::Codex), None);
}

#[test]
fn a_project_s_setup_stays_in_the_project() {
    for id in ClientId::ALL {
        for change in id.atlas().changes(&setup(InstallScope::Project)) {
            let file = &change.file;
            assert!(file.starts_with("/p"), "{}: {file:?}", id.slug());
        }
    }
}

#[test]
fn a_floor_of_several_modes_refuses_only_what_all_refuse() {
    let floor = |edits, runs_commands| ClientFloor {
        edits,
        runs_commands,
        mode: Some("one".to_owned()),
    };
    let files = |name: &str| FloorEdits::Extensions(vec![name.to_owned()]);
    let both = floor(files("md"), false).or(floor(files("txt"), false));
    let extensions = vec!["md".to_owned(), "txt".to_owned()];
    assert_eq!(both.edits, FloorEdits::Extensions(extensions));
    assert!(!both.runs_commands);
    assert_eq!(both.mode, None);
    assert_eq!(floor(FloorEdits::Nothing, false).or(both.clone()), both);
    let everything = both.or(floor(FloorEdits::Anything, true));
    assert!(everything.is_everything());
}

#[test]
fn the_scripts_lead_a_line_through_exec() {
    for (name, text) in shell_scripts(
        Path::new("/opt/m k/modekeeper"),
        &[("MODEKEEPER_STATE_DIR", PathBuf::from("/s t"))],
    ) {
        insta::assert_snapshot!(name, text);
    }
}
