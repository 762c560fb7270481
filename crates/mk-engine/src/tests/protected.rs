//! What a product reads from a project is protected: a product that is added to the atlas cannot be forgotten in
//! `content/policy/protected.yaml`.

use std::path::PathBuf;

use mk_clients::{
    AGENTS_FILES, ClientId, IGNORE_FILE, InstallScope, LOCAL_AGENTS_FILE, PLAYBOOK_CONFIG_FILES,
    PLAYBOOK_DIRECTORY, PROJECT_MODE_FILES, RULES_DIRECTORIES, RULES_FILES, Setup, WRITTEN,
    WrittenBase, WrittenShape,
};
use mk_policy::Policy;

#[track_caller]
fn check(paths: &[String]) {
    let policy = Policy::shipped();
    let nested = paths.iter().map(|path| format!("packages/a/{path}"));
    let open: Vec<String> = nested
        .chain(paths.iter().cloned())
        .filter(|path| policy.protected.why(path).is_none())
        .collect();
    assert!(
        !paths.is_empty() && open.is_empty(),
        "not protected: {open:?}"
    );
}

#[test]
fn modes_rules_and_instructions_of_every_product_are_protected() {
    let named = [IGNORE_FILE, LOCAL_AGENTS_FILE].into_iter();
    let named = named.chain(PROJECT_MODE_FILES).chain(AGENTS_FILES);
    let named = named.chain(RULES_FILES).chain(PLAYBOOK_CONFIG_FILES);
    let directories = RULES_DIRECTORIES.into_iter().chain([PLAYBOOK_DIRECTORY]);
    let below = directories.map(|directory| format!("{directory}/rules/a.md"));
    let in_project = WRITTEN.iter().filter(|row| row.base != WrittenBase::Home);
    let written = in_project.map(|row| match row.shape {
        WrittenShape::File => row.path.to_owned(),
        WrittenShape::Directory(_) => format!("{}/a/b.md", row.path),
        WrittenShape::OfMode(_) => format!("{}code/a.md", row.path),
    });
    let named = named.map(str::to_owned);
    check(&named.chain(below).chain(written).collect::<Vec<_>>());
}

#[test]
fn settings_of_every_product_in_a_project_are_protected() {
    let setup = Setup {
        home: PathBuf::from("/home/ada"),
        config_home: PathBuf::from("/home/ada/.config"),
        project: PathBuf::from("/p"),
        scope: InstallScope::Project,
        program: PathBuf::from("/opt/modekeeper"),
        shell: None,
        floor: None,
        moved: Vec::new(),
        own_variables: Vec::new(),
        agents: Vec::new(),
    };
    let changes = ClientId::ALL
        .into_iter()
        .flat_map(|client| client.atlas().changes(&setup));
    let inside = changes.filter_map(|change| {
        let path = change.file.strip_prefix("/p").ok()?;
        Some(path.to_string_lossy().into_owned())
    });
    check(&inside.collect::<Vec<_>>());
}
