//! Writing new files: whole or not at all.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use mk_policy::Permit;
use mk_testkit::Fixture;
use mk_types::ProjectPath;

use crate::write_new;

/// Writes `text` to `path`, and gives the refusal without the folder's name.
fn write(fixture: &Fixture, path: &str, text: &str) -> Result<(), String> {
    let target = ProjectPath::parse(path, fixture.root()).unwrap();
    let permit = Permit::operator("write_to_file", vec![target]);
    write_new(fixture.root(), permit, text.as_bytes()).map_err(|error| {
        let folder = fixture.root().to_string();
        error.to_string().replace(&folder, "…")
    })
}

/// Every file there is, with its text.
fn files(fixture: &Fixture) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![fixture.root().as_path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(fixture.root().as_path()).unwrap();
                let text = fs::read_to_string(&path).unwrap();
                found.push(format!("{}: {text}", name.display()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_new_file_is_written_with_the_folders_it_needs() {
    let fixture = Fixture::new("");
    write(&fixture, "deep/er/a.md", "text").unwrap();
    assert_eq!(files(&fixture), ["deep/er/a.md: text"]);
}

#[test]
fn an_existing_file_is_left_alone_and_nothing_is_left_beside_it() {
    let fixture = Fixture::new("//- /a.md\nold\n");
    let refusal = write(&fixture, "a.md", "new").unwrap_err();
    assert_eq!(refusal, "`…/a.md` already exists");
    assert_eq!(files(&fixture), ["a.md: old\n"]);
}

#[test]
fn a_folder_a_link_or_the_root_counts_as_existing() {
    let fixture = Fixture::new("//- /folder/a\n");
    fixture.link("dangling", "nowhere");
    for path in ["folder", "dangling", "."] {
        let refusal = write(&fixture, path, "new").unwrap_err();
        assert!(refusal.ends_with("already exists"), "{path}: {refusal}");
    }
    fixture.remove("dangling");
    assert_eq!(files(&fixture), ["folder/a: "]);
}

#[test]
fn a_write_that_fails_leaves_nothing() {
    let fixture = Fixture::new("//- /file\n");
    let refusal = write(&fixture, "file/below", "new").unwrap_err();
    assert_eq!(refusal, "cannot write `…/file/below`");
    let long = "x".repeat(300);
    let refusal = write(&fixture, &long, "new").unwrap_err();
    assert!(refusal.starts_with("cannot write"), "{refusal}");
    assert_eq!(files(&fixture), ["file: "]);
}

#[test]
fn of_many_writers_one_wins_and_its_file_is_whole() {
    let fixture = Fixture::new("");
    let text = |writer: usize| format!("{writer}").repeat(100_000);
    let won: Vec<bool> = std::thread::scope(|scope| {
        let fixture = &fixture;
        let writers: Vec<_> = (0..8)
            .map(|writer| scope.spawn(move || write(fixture, "a", &text(writer)).is_ok()))
            .collect();
        writers
            .into_iter()
            .map(|writer| writer.join().unwrap())
            .collect()
    });
    let winners: Vec<usize> = (0..8).filter(|writer| won[*writer]).collect();
    assert_eq!(winners.len(), 1);
    assert_eq!(files(&fixture), [format!("a: {}", text(winners[0]))]);
}

#[test]
fn a_new_file_is_as_readable_as_any_other() {
    let fixture = Fixture::new("//- /other\n");
    write(&fixture, "a.md", "text").unwrap();
    let mode = |path: &str| {
        fs::metadata(fixture.path(path))
            .unwrap()
            .permissions()
            .mode()
    };
    assert_eq!(mode("a.md"), mode("other"));
}

#[test]
fn a_permit_without_a_target_writes_nothing() {
    let fixture = Fixture::new("");
    let permit = Permit::operator("write_to_file", Vec::new());
    let refusal = write_new(fixture.root(), permit, b"text").unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "the permit for `write_to_file` names no file"
    );
}
