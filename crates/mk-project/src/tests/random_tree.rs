//! Resolving in random trees of folders and links, with the system's own answer as the judge.

use std::fs;
use std::path::Path;

use mk_policy::{PathAccess, RawTarget};
use mk_testkit::Fixture;
use mk_types::AbsPath;
use proptest::prelude::*;

use crate::{IgnoredFiles, resolve};

/// Few names, so that links and paths meet often.
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

#[derive(Debug, Clone)]
enum Entry {
    File(String),
    Link(String, String),
}

fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(&NAMES[..]).prop_map(str::to_owned),
        2 => Just("..".to_owned()),
        1 => Just(".".to_owned()),
    ]
}

fn place() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&NAMES[..]), 1..4).prop_map(|parts| parts.join("/"))
}

/// Relative, or absolute where `@` stands for the folder that holds the project.
fn path() -> impl Strategy<Value = String> {
    let parts = || prop::collection::vec(part(), 1..6).prop_map(|parts| parts.join("/"));
    let absolute = parts().prop_map(|path| format!("@/root/{path}"));
    prop_oneof![4 => parts(), 1 => absolute, 1 => Just("@/outside".to_owned())]
}

fn entry() -> impl Strategy<Value = Entry> {
    prop_oneof![
        1 => place().prop_map(Entry::File),
        2 => (place(), path()).prop_map(|(at, to)| Entry::Link(at, to)),
    ]
}

/// Builds what can be built: an entry whose place is taken is left out.
fn build(fixture: &Fixture, entries: &[Entry]) {
    fixture.write("outside/a/b", "");
    fixture.folder("root");
    for entry in entries {
        let (Entry::File(at) | Entry::Link(at, _)) = entry;
        let at = fixture.path(&format!("root/{at}"));
        let root = fixture.path("root");
        // Only in real folders of the project: the tree itself is built without following links.
        let folder = at.parent().unwrap();
        let real = fs::create_dir_all(folder)
            .and_then(|()| fs::canonicalize(folder))
            .is_ok_and(|real| real == folder && real.starts_with(&root));
        if !real || fs::symlink_metadata(&at).is_ok() {
            continue;
        }
        match entry {
            Entry::File(_) => drop(fs::File::create(&at)),
            Entry::Link(_, to) => {
                let to = at_root(fixture, to);
                std::os::unix::fs::symlink(to, &at).unwrap();
            }
        }
    }
}

fn at_root(fixture: &Fixture, path: &str) -> String {
    path.replace('@', fixture.root().as_str())
}

/// The real place of the longest beginning of `path` that exists.
fn real_beginning(path: &Path) -> std::path::PathBuf {
    path.ancestors()
        .find_map(|ancestor| fs::canonicalize(ancestor).ok())
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_resolves_is_inside_and_is_what_the_system_opens(
        entries in prop::collection::vec(entry(), 1..14),
        paths in prop::collection::vec(path(), 1..6),
    ) {
        let fixture = Fixture::new("");
        build(&fixture, &entries);
        let root = AbsPath::new(&fixture.path("root")).unwrap();
        for path in paths {
            let text = at_root(&fixture, &path);
            let raw = RawTarget::new(text.clone(), PathAccess::Read);
            let system = fs::canonicalize(root.as_path().join(&text));
            match resolve(&root, &IgnoredFiles::Nothing, raw).path {
                Ok(found) => {
                    let on_disk = found.under(&root);
                    // Nothing of what exists on the way lies outside.
                    prop_assert!(real_beginning(&on_disk).starts_with(root.as_path()), "{text} -> {found}");
                    // No link is left in it.
                    if let Ok(real) = fs::canonicalize(&on_disk) {
                        prop_assert_eq!(&real, &on_disk);
                    }
                    if let Ok(system) = system {
                        prop_assert_eq!(system, on_disk, "{}", text);
                    }
                }
                // What is refused is not something inside that the system would have opened.
                Err(_) => if let Ok(system) = system {
                    prop_assert!(!system.starts_with(root.as_path()), "{text} is {}", system.display());
                }
            }
        }
    }
}
