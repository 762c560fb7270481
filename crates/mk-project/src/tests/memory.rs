//! Project memories.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::sync::Arc;

use mk_policy::Permit;
use mk_types::AbsPath;
use proptest::prelude::*;

use super::grove::{Grove, git, put};
use crate::{
    Error, IgnoredFiles, Memories, MemoryAccess, MemoryName, MemoryWrite, Occurrences, PatternKind,
    Replacement,
};

fn permit() -> Permit {
    Permit::operator("memory", Vec::new())
}

fn name(text: &str) -> MemoryName {
    MemoryName::parse(text).unwrap()
}

/// The project's memories, with a global folder beside it.
fn memories(grove: &Grove, read_only: &[&str]) -> Memories {
    let read_only: Vec<String> = read_only.iter().map(|glob| (*glob).to_owned()).collect();
    Memories::of(&grove.root, Some(&grove.beside("global")), &read_only).unwrap()
}

fn write(memories: &Memories, to: &str, content: &str) -> MemoryWrite {
    memories.write(permit(), &name(to), content).unwrap()
}

fn listed(memories: &Memories, topic: Option<&str>) -> Vec<String> {
    let list = memories.list(topic).unwrap();
    list.iter().map(|memory| memory.name.to_string()).collect()
}

fn replacement(
    find: &str,
    replace: &str,
    kind: PatternKind,
    occurrences: Occurrences,
) -> Replacement {
    Replacement {
        find: find.to_owned(),
        replace: replace.to_owned(),
        kind,
        occurrences,
    }
}

#[test]
fn names_are_read_as_people_write_them() {
    let check = |text: &str, expected: &str| assert_eq!(name(text).as_str(), expected, "{text}");
    check("core", "core");
    check("mem:core", "core");
    check("core.md", "core");
    check(" mem:architecture/Storage.md ", "architecture/Storage");
    check("a b/c.d", "a b/c.d");
    check("größe/日本", "größe/日本");
    check("global/style", "global/style");
    check("core.md.md", "core");
    check("console", "console");
    check("com10", "com10");
}

#[test]
fn names_that_could_leave_the_folder_are_refused() {
    for text in [
        "",
        " ",
        ".md",
        "mem:",
        "mem:.md",
        "/etc/passwd",
        "//x",
        "a//b",
        "a/",
        ".",
        "..",
        "../x",
        "a/../b",
        "a/./b",
        "./a",
        "a/..",
        "..\\x",
        "a\\b",
        "C:\\x",
        "C:x",
        "a\0b",
        "a\nb",
        ".hidden",
        "a/.hidden/b",
        "a/.b",
        "con",
        "NUL",
        "a/com1",
        "Lpt9.txt",
        "aux.md",
        "nul.x.y",
        "a.",
        "a /b",
        "a/ b",
        "a*",
        "a?",
        "a|b",
        "<a>",
        "\"a\"",
        "mem:mem:..",
        "x:stream",
        "a/..md",
        &"x".repeat(201),
        &"/x".repeat(101),
        &"ä".repeat(150),
        "a\u{7f}",
        "a\u{85}b",
    ] {
        let parsed = MemoryName::parse(text);
        assert!(
            matches!(parsed, Err(Error::BadMemoryName { .. })),
            "{text:?}: {parsed:?}"
        );
    }
}

proptest! {
    #[test]
    fn a_name_never_leaves_the_folder(text in "(mem:)?[a-zA-Z./\\\\: ~%\0\u{2024}\u{ff0e}\u{2215}äß日-]{0,30}(\\.md)?") {
        if let Ok(name) = MemoryName::parse(&text) {
            prop_assert_eq!(&MemoryName::parse(name.as_str()).unwrap(), &name);
            let path = std::path::Path::new(name.as_str());
            let is_plain = |part| matches!(part, std::path::Component::Normal(_));
            prop_assert!(path.components().all(is_plain));
            let file = format!("/base/{name}.md");
            let clean = AbsPath::new(file.as_ref()).unwrap();
            prop_assert_eq!(clean.as_str(), file.as_str());
            prop_assert!(!name.as_str().split('/').any(|part| part.starts_with('.')));
        }
    }

    #[test]
    fn any_name_writes_one_file_in_the_folder_and_nothing_else(text in ".{0,20}(/.{0,20})?") {
        if let Ok(name) = MemoryName::parse(&text) {
            let grove = Grove::new("");
            let memories = memories(&grove, &[]);
            memories.write(permit(), &name, "content").unwrap();
            prop_assert_eq!(memories.read(&name).unwrap(), "content");
            prop_assert_eq!(listed(&memories, None), [name.to_string()]);
            let top: Vec<_> = fs::read_dir(grove.at("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            let in_project = !name.as_str().starts_with("global/");
            prop_assert_eq!(top, if in_project { vec![".modekeeper"] } else { vec![] });
        }
    }
}

#[test]
fn a_memory_is_a_file_that_a_person_can_edit() {
    let grove = Grove::new("");
    let memories = memories(&grove, &[]);
    assert_eq!(listed(&memories, None), [""; 0]);
    assert_eq!(
        write(&memories, "build/release", "# Release\n"),
        MemoryWrite::Created
    );
    assert_eq!(
        write(&memories, "global/style", "short\n"),
        MemoryWrite::Created
    );
    assert_eq!(
        grove.text(".modekeeper/memories/build/release.md"),
        "# Release\n"
    );
    assert_eq!(
        fs::read_to_string(grove.beside("global/style.md")).unwrap(),
        "short\n"
    );
    grove.put(".modekeeper/memories/core.md", "von Hand\r\n".as_bytes());
    grove.put(".modekeeper/memories/notes.txt", b"no memory");
    grove.put(
        ".modekeeper/memories/global/hidden.md",
        b"another memory's name",
    );
    grove.put(".modekeeper/memories/.draft.md", b"hidden");
    assert_eq!(memories.read(&name("core")).unwrap(), "von Hand\r\n");
    assert_eq!(
        listed(&memories, None),
        ["build/release", "core", "global/style"]
    );
    assert_eq!(listed(&memories, Some("build")), ["build/release"]);
    assert_eq!(listed(&memories, Some("mem:build/")), ["build/release"]);
    assert_eq!(listed(&memories, Some("global")), ["global/style"]);
    assert_eq!(listed(&memories, Some("bui")), [""; 0]);
    assert_eq!(write(&memories, "core", "new"), MemoryWrite::Replaced);
    let memory = memories.list(Some("core")).unwrap().remove(0);
    let on_disk = fs::metadata(grove.at(".modekeeper/memories/core.md")).unwrap();
    assert_eq!(memory.size, 3);
    assert_eq!(memory.modified.as_millis() / 1000, on_disk.mtime());
    assert_eq!(memory.access, MemoryAccess::Writable);
    memories.delete(permit(), &name("build/release")).unwrap();
    assert!(
        !grove.at(".modekeeper/memories/build").exists(),
        "an empty topic goes with its last memory"
    );
    assert!(matches!(
        memories.delete(permit(), &name("build/release")),
        Err(Error::NoMemory { .. })
    ));
}

#[test]
fn what_serena_left_is_used_in_place() {
    let grove = Grove::new("//- /.serena/memories/core.md\nfrom before\n");
    let memories = memories(&grove, &[]);
    assert_eq!(memories.read(&name("core")).unwrap(), "from before\n");
    write(&memories, "more", "x");
    assert_eq!(grove.text(".serena/memories/more.md"), "x");
    assert!(!grove.at(".modekeeper").exists());
}

#[test]
fn without_a_global_folder_there_are_no_global_memories() {
    let grove = Grove::new("");
    let memories = Memories::of(&grove.root, None, &[]).unwrap();
    assert!(matches!(
        memories.read(&name("global/x")),
        Err(Error::NoMemory { .. })
    ));
    let written = memories.write(permit(), &name("global/x"), "");
    assert!(matches!(written, Err(Error::BadMemoryName { .. })));
}

#[test]
fn links_lead_nowhere() {
    let grove = Grove::new("//- /.modekeeper/memories/core.md\nx\n");
    put(&grove.beside("outside/secret.md"), b"secret");
    grove.link(".modekeeper/memories/topic", "../../../outside");
    grove.link(
        ".modekeeper/memories/secret.md",
        "../../../outside/secret.md",
    );
    grove.link(".modekeeper/memories/inner.md", "core.md");
    let memories = memories(&grove, &[]);
    assert_eq!(listed(&memories, None), ["core"]);
    for text in ["topic/secret", "secret", "inner"] {
        assert!(
            matches!(memories.read(&name(text)), Err(Error::Link { .. })),
            "{text}"
        );
        let written = memories.write(permit(), &name(text), "changed");
        assert!(
            matches!(written, Err(Error::Link { .. })),
            "{text}: {written:?}"
        );
        assert!(memories.delete(permit(), &name(text)).is_err(), "{text}");
        assert!(
            memories
                .rename(permit(), &name(text), &name("free"))
                .is_err(),
            "{text}"
        );
        assert!(
            memories
                .rename(permit(), &name("core"), &name(text))
                .is_err(),
            "{text}"
        );
    }
    assert!(memories.write(permit(), &name("topic/new"), "x").is_err());
    assert_eq!(
        fs::read_to_string(grove.beside("outside/secret.md")).unwrap(),
        "secret"
    );
    assert_eq!(fs::read_dir(grove.beside("outside")).unwrap().count(), 1);
    assert_eq!(grove.text(".modekeeper/memories/core.md"), "x\n");
}

#[test]
fn a_linked_folder_of_memories_is_refused() {
    let grove = Grove::new("");
    fs::create_dir(grove.beside("outside")).unwrap();
    grove.link(".serena", "../outside");
    fs::create_dir(grove.beside("outside/memories")).unwrap();
    let at_serena = memories(&grove, &[]);
    write(&at_serena, "core", "x");
    assert_eq!(
        grove.text(".modekeeper/memories/core.md"),
        "x",
        "a linked `.serena` is not used"
    );
    fs::remove_dir_all(grove.at(".modekeeper")).unwrap();
    grove.link(".modekeeper", "../outside");
    let linked = memories(&grove, &[]);
    assert!(matches!(linked.list(None), Err(Error::Link { .. })));
    assert!(matches!(
        linked.write(permit(), &name("core"), "x"),
        Err(Error::Link { .. })
    ));
    assert_eq!(
        fs::read_dir(grove.beside("outside/memories"))
            .unwrap()
            .count(),
        0
    );
}

#[test]
fn only_regular_text_of_a_sensible_size_is_a_memory() {
    let grove = Grove::new("//- /.modekeeper/memories/folder.md/x.md\nx\n");
    let memories = memories(&grove, &[]);
    grove.put(".modekeeper/memories/latin.md", b"gr\xfcn");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        grove.at(".modekeeper/memories/pipe.md"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    assert!(matches!(
        memories.read(&name("latin")),
        Err(Error::NotText { .. })
    ));
    assert!(matches!(
        memories.read(&name("pipe")),
        Err(Error::NotAFile { .. })
    ));
    assert!(matches!(
        memories.read(&name("folder")),
        Err(Error::NotAFile { .. })
    ));
    assert!(matches!(
        memories.write(permit(), &name("pipe"), "x"),
        Err(Error::NotAFile { .. })
    ));
    let largest = "x".repeat(256 * 1024);
    let large = format!("{largest}x");
    assert!(matches!(
        memories.write(permit(), &name("large"), &large),
        Err(Error::TooLarge { .. })
    ));
    assert_eq!(write(&memories, "large", &largest), MemoryWrite::Created);
    let grown = replacement("^x", "xx", PatternKind::Regex, Occurrences::One);
    assert!(matches!(
        memories.edit(permit(), &name("large"), &grown),
        Err(Error::TooLarge { .. })
    ));
    assert_eq!(memories.read(&name("large")).unwrap(), largest);
}

#[test]
fn a_replaced_memory_keeps_its_mode_bits_and_never_shares_its_inode() {
    let grove = Grove::new("//- /.modekeeper/memories/core.md\nold\n");
    let path = grove.at(".modekeeper/memories/core.md");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    fs::hard_link(&path, grove.beside("shared.md")).unwrap();
    write(&memories(&grove, &[]), "core", "new");
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    assert_eq!(
        fs::read_to_string(grove.beside("shared.md")).unwrap(),
        "old\n"
    );
}

#[test]
fn what_a_killed_writer_left_goes_with_a_later_write() {
    let grove = Grove::new(
        "
//- /.modekeeper/memories/.modekeeper-old.tmp
half a mem
//- /.modekeeper/memories/.modekeeper-new.tmp
another writer is at it
//- /.modekeeper/memories/.note.tmp
somebody's own
",
    );
    let at = |name: &str| grove.at(&format!(".modekeeper/memories/{name}"));
    let old = fs::File::open(at(".modekeeper-old.tmp")).unwrap();
    let day = std::time::Duration::from_secs(24 * 3600);
    let modified = old.metadata().unwrap().modified().unwrap();
    old.set_modified(modified - day).unwrap();
    write(&memories(&grove, &[]), "core", "new");
    let left = [".modekeeper-old.tmp", ".modekeeper-new.tmp", ".note.tmp"];
    assert_eq!(left.map(|name| at(name).exists()), [false, true, true]);
}

#[test]
fn read_only_memories_are_read_only() {
    let grove = Grove::new("//- /.modekeeper/memories/core.md\nmem:free\n");
    put(&grove.beside("global/team/style.md"), b"mem:free");
    let memories = memories(&grove, &["global/*", "core"]);
    write(&memories, "free", "x");
    let access: Vec<(String, MemoryAccess)> = memories
        .list(None)
        .unwrap()
        .into_iter()
        .map(|memory| (memory.name.to_string(), memory.access))
        .collect();
    let expected = [
        ("core", MemoryAccess::ReadOnly),
        ("free", MemoryAccess::Writable),
        ("global/team/style", MemoryAccess::ReadOnly),
    ];
    assert_eq!(
        access,
        expected.map(|(name, access)| (name.to_owned(), access))
    );
    let edit = replacement("x", "y", PatternKind::Literal, Occurrences::One);
    for text in ["core", "CORE", "global/team/style", "global/new"] {
        let name = name(text);
        let free = self::name("free");
        for refused in [
            memories.write(permit(), &name, "y").err(),
            memories.delete(permit(), &name).err(),
            memories.edit(permit(), &name, &edit).err(),
            memories.rename(permit(), &name, &free).err(),
            memories.rename(permit(), &free, &name).err(),
        ] {
            assert!(
                matches!(refused, Some(Error::ReadOnlyMemory { .. })),
                "{text}: {refused:?}"
            );
        }
    }
    assert_eq!(
        memories
            .rename(permit(), &name("free"), &name("other"))
            .unwrap(),
        0
    );
    assert_eq!(
        memories.read(&name("core")).unwrap(),
        "mem:free\n",
        "a person's reference is theirs"
    );
    let bad = Memories::of(&grove.root, None, &["[".to_owned()]);
    assert!(matches!(bad, Err(Error::BadPattern { .. })));
}

#[test]
fn references_follow_a_renamed_memory() {
    let grove = Grove::new("");
    let memories = memories(&grove, &[]);
    write(&memories, "core", "self mem:core.");
    write(&memories, "core/build", "x");
    let text = "mem:core, (mem:core) `mem:core.md` mem:core/build mem:core-x mem:core_y mem:cores mem:core.old xmem:core mem:Core mem:core";
    write(&memories, "index", text);
    write(&memories, "global/index", "see mem:core!");
    assert_eq!(
        memories
            .rename(permit(), &name("core"), &name("global/base"))
            .unwrap(),
        6
    );
    assert_eq!(
        listed(&memories, None),
        ["core/build", "global/base", "global/index", "index"]
    );
    let expected = "mem:global/base, (mem:global/base) `mem:global/base.md` mem:core/build mem:core-x mem:core_y mem:cores mem:core.old xmem:core mem:Core mem:global/base";
    assert_eq!(memories.read(&name("index")).unwrap(), expected);
    assert_eq!(
        memories.read(&name("global/index")).unwrap(),
        "see mem:global/base!"
    );
    assert_eq!(
        memories.read(&name("global/base")).unwrap(),
        "self mem:global/base."
    );
    assert_eq!(
        memories
            .rename(permit(), &name("global/base"), &name("core"))
            .unwrap(),
        6
    );
    assert_eq!(memories.read(&name("index")).unwrap(), text);
}

#[test]
fn a_rename_overwrites_nothing() {
    let grove = Grove::new("");
    let memories = memories(&grove, &[]);
    write(&memories, "one", "1");
    write(&memories, "two", "2 mem:one");
    for (from, to) in [("one", "two"), ("two", "one")] {
        let renamed = memories.rename(permit(), &name(from), &name(to));
        assert!(
            matches!(renamed, Err(Error::MemoryExists { .. })),
            "{renamed:?}"
        );
    }
    assert_eq!(
        memories
            .rename(permit(), &name("one"), &name("one"))
            .unwrap(),
        0
    );
    assert_eq!(memories.read(&name("one")).unwrap(), "1");
    assert_eq!(memories.read(&name("two")).unwrap(), "2 mem:one");
    let missing = memories.rename(permit(), &name("three"), &name("four"));
    assert!(matches!(missing, Err(Error::NoMemory { .. })));
    let hidden = fs::read_dir(grove.at(".modekeeper/memories"))
        .unwrap()
        .count();
    assert_eq!(hidden, 2, "no temporary file is left");
}

#[test]
fn one_folder_under_both_names_does_not_wait_for_itself() {
    let grove = Grove::new("//- /.modekeeper/memories/one.md\nx\n");
    let memories = Memories::of(&grove.root, Some(&grove.at(".modekeeper/memories")), &[]).unwrap();
    assert_eq!(
        memories
            .rename(permit(), &name("one"), &name("two"))
            .unwrap(),
        0
    );
    assert_eq!(grove.text(".modekeeper/memories/two.md"), "x\n");
}

#[test]
fn an_edit_must_know_its_place() {
    let grove = Grove::new("");
    let memories = memories(&grove, &[]);
    write(&memories, "core", "one\ntwo\none\n");
    let edit = |find: &str, replace: &str, kind, occurrences| {
        memories.edit(
            permit(),
            &name("core"),
            &replacement(find, replace, kind, occurrences),
        )
    };
    use Occurrences::{All, One};
    use PatternKind::{Literal, Regex};
    assert!(matches!(
        edit("three", "", Literal, One),
        Err(Error::NoMatch { .. })
    ));
    match edit("one", "1", Literal, One) {
        Err(Error::Ambiguous { lines, .. }) => assert_eq!(lines, [1, 3]),
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        edit("(", "", Regex, One),
        Err(Error::BadPattern { .. })
    ));
    assert_eq!(memories.read(&name("core")).unwrap(), "one\ntwo\none\n");
    assert_eq!(edit("one", "1", Literal, All).unwrap(), 2);
    assert_eq!(edit("t(w)o", "$1", Regex, One).unwrap(), 1);
    assert_eq!(memories.read(&name("core")).unwrap(), "1\nw\n1\n");
    let missing = memories.edit(permit(), &name("cor"), &replacement("1", "2", Literal, All));
    assert!(matches!(missing, Err(Error::NoMemory { nearest, .. }) if nearest == ["core"]));
}

#[test]
fn a_missing_memory_names_its_nearest() {
    let grove = Grove::new("");
    let memories = memories(&grove, &[]);
    for to in [
        "architecture/storage",
        "architecture/network",
        "build_commands",
        "conventions",
        "global/conventions",
        "tech_stack",
        "x",
    ] {
        write(&memories, to, "");
    }
    let nearest = |text: &str| match memories.read(&name(text)) {
        Err(Error::NoMemory { nearest, .. }) => nearest.join(" "),
        other => panic!("{other:?}"),
    };
    assert_eq!(nearest("archtecture/storage"), "architecture/storage");
    assert_eq!(nearest("Build_Commands"), "build_commands");
    assert_eq!(nearest("convention"), "conventions");
    assert_eq!(nearest("storage"), "architecture/storage");
    assert_eq!(
        nearest("architecture/caching"),
        "architecture/network architecture/storage"
    );
    assert_eq!(nearest("how to build the commands"), "build_commands");
    assert_eq!(nearest("totally-different"), "");
}

#[test]
fn working_trees_share_the_memories_of_the_main_one() {
    let grove = Grove::new("//- /a.rs\nx\n");
    git(grove.root.as_path(), &["init", "-q"]);
    git(grove.root.as_path(), &["add", "."]);
    git(grove.root.as_path(), &["commit", "-qm", "first"]);
    git(
        grove.root.as_path(),
        &["worktree", "add", "-q", "../linked", "-b", "other"],
    );
    let linked = AbsPath::new(&grove.beside("linked")).unwrap();
    let there = Memories::of(&linked, None, &[]).unwrap();
    let here = memories(&grove, &[]);
    there.write(permit(), &name("core"), "shared").unwrap();
    assert_eq!(here.read(&name("core")).unwrap(), "shared");
    assert_eq!(grove.text(".modekeeper/memories/core.md"), "shared");
    assert!(!grove.beside("linked/.modekeeper").exists());
}

#[test]
fn two_writers_never_mix() {
    let grove = Grove::new("");
    let contents = ["a".repeat(50_000), "b".repeat(60_000)];
    let memories = memories(&grove, &[]);
    std::thread::scope(|scope| {
        for content in &contents {
            let memories = &memories;
            scope.spawn(move || {
                for _ in 0..50 {
                    write(memories, "topic/core", content);
                }
            });
        }
        for _ in 0..200 {
            match memories.read(&name("topic/core")) {
                Ok(read) => assert!(contents.contains(&read)),
                Err(error) => assert!(matches!(error, Error::NoMemory { .. }), "{error}"),
            }
        }
    });
    assert!(contents.contains(&memories.read(&name("topic/core")).unwrap()));
    assert_eq!(
        fs::read_dir(grove.at(".modekeeper/memories/topic"))
            .unwrap()
            .count(),
        1
    );
}

#[test]
fn edits_at_once_lose_nothing() {
    let grove = Grove::new("");
    write(&memories(&grove, &[]), "list", "end");
    std::thread::scope(|scope| {
        for letter in ["a", "b"] {
            // As in two processes.
            let memories = memories(&grove, &[]);
            scope.spawn(move || {
                let edit = replacement(
                    "end",
                    &format!("{letter} end"),
                    PatternKind::Literal,
                    Occurrences::One,
                );
                for _ in 0..30 {
                    memories.edit(permit(), &name("list"), &edit).unwrap();
                }
            });
        }
    });
    let text = memories(&grove, &[]).read(&name("list")).unwrap();
    assert_eq!(text.matches('a').count(), 30);
    assert_eq!(text.matches('b').count(), 30);
}

#[test]
fn a_memory_whose_file_is_hidden_is_neither_seen_nor_changed() {
    let grove = Grove::new("");
    let all = memories(&grove, &[]);
    write(&all, "secret/key", "see mem:open");
    write(&all, "open", "open");
    write(&all, "global/secret/key", "global");
    grove.put(".rooignore", b"secret/\n");
    let ignored = IgnoredFiles::load(&grove.root);
    let seen = memories(&grove, &[]).hiding(Arc::new(ignored));
    assert_eq!(listed(&seen, None), ["global/secret/key", "open"]);
    let hidden = name("secret/key");
    let edit = replacement("open", "shut", PatternKind::Literal, Occurrences::One);
    for refused in [
        seen.read(&hidden).err(),
        seen.delete(permit(), &hidden).err(),
        seen.edit(permit(), &hidden, &edit).err(),
        seen.rename(permit(), &hidden, &name("mine")).err(),
    ] {
        assert!(
            matches!(refused, Some(Error::NoMemory { .. })),
            "{refused:?}"
        );
    }
    let open = name("open");
    for refused in [
        seen.write(permit(), &hidden, "mine").err(),
        seen.rename(permit(), &open, &name("secret/mine")).err(),
    ] {
        assert!(
            matches!(refused, Some(Error::BadMemoryName { .. })),
            "{refused:?}"
        );
    }
    // A hidden one is not rewritten for a name that it references.
    assert_eq!(seen.rename(permit(), &open, &name("other")).unwrap(), 0);
    assert_eq!(all.read(&hidden).unwrap(), "see mem:open");
}
