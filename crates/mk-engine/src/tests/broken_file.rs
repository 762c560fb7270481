//! Mode files that are cut, changed or hostile: nothing they say widens what an operator or an earlier text allows.

use mk_policy::{Group, widens};
use mk_store::StoreLocation;

use super::{World, ask_to_widen, slug};

/// `code` may only read in this project, and `ask` may only read what is in `docs`.
const NARROW: &str = r"customModes:
  - slug: code
    name: Code
    roleDefinition: Reads.
    groups: [read]
  - slug: ask
    name: Ask
    roleDefinition: Answers.
    groups:
      - - read
        - fileRegex: ^docs/
";

/// Numbers that look random and are the same in every run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }
}

/// The text, broken at a random byte: cut, changed, or with something put in.
fn broken(numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = NARROW.as_bytes().to_vec();
    let at = numbers.below(bytes.len());
    match numbers.below(4) {
        0 => bytes.truncate(at),
        1 => bytes[at] ^= 1 << numbers.below(8),
        2 => bytes.insert(at, b"\t[{:\"'\xff-"[numbers.below(8)]),
        _ => {
            bytes.remove(at);
        }
    }
    bytes
}

/// What `code` may do beyond what the good text says.
fn widened(world: &World) -> Option<String> {
    let engine = world.engines.last().unwrap();
    let catalogue = engine.modes().catalogue(&world.caller);
    let code = catalogue.get("code")?;
    let extra: Vec<Group> = code
        .groups()
        .into_iter()
        .filter(|group| *group != Group::Read)
        .collect();
    (!extra.is_empty()).then(|| format!("{extra:?}"))
}

#[test]
fn a_file_that_is_broken_at_a_random_byte_widens_nothing_in_a_running_process() {
    let mut numbers = Numbers(0x5eed);
    let world = World::with(&format!("//- /.roomodes\n{NARROW}"), ask_to_widen);
    assert_eq!(widened(&world), None);
    for round in 0..400 {
        let bytes = broken(&mut numbers);
        world.fixture.write(".roomodes", &bytes);
        let engine = world.engines.last().unwrap();
        engine.open(&world.caller.project).reload(engine);
        let text = String::from_utf8_lossy(&bytes);
        assert_eq!(widened(&world), None, "round {round}:\n{text}");
    }
}

#[test]
fn a_file_that_cannot_be_used_widens_nothing_after_a_restart() {
    let mut numbers = Numbers(0xfeed);
    let mut world = World::in_file(&format!("//- /.roomodes\n{NARROW}"), |_| {});
    assert_eq!(widened(&world), None);
    // Writes keep their order: after this one, the good text is on disk.
    let root = world.fixture.root().clone();
    world
        .runtime
        .block_on(world.store.open_project(&root))
        .unwrap();
    let mut n_unusable = 0;
    for round in 0..200 {
        let bytes = broken(&mut numbers);
        let usable = String::from_utf8(bytes.clone()).is_ok_and(|text| {
            mk_policy::load_modes("f", &text).legible == mk_policy::LegibleFile::Whole
        });
        // What can be read is a text like any other; free switching takes it as it is.
        if usable {
            continue;
        }
        n_unusable += 1;
        world.fixture.write(".roomodes", &bytes);
        world.start_engine();
        let text = String::from_utf8_lossy(&bytes);
        assert_eq!(widened(&world), None, "round {round}:\n{text}");
    }
    assert!(n_unusable > 10, "{n_unusable}");
}

#[test]
fn a_project_never_widens_a_ceiling() {
    const GROUPS: [&str; 6] = ["read", "edit", "browser", "command", "mcp", "modes"];
    let mut numbers = Numbers(0xcafe);
    for round in 0..40 {
        let chosen: Vec<&str> = GROUPS
            .into_iter()
            .filter(|_| numbers.below(2) == 0)
            .collect();
        let modes = format!(
            "//- /.roomodes\ncustomModes:\n  - slug: ask\n    name: Ask\n    roleDefinition: R\n    groups: [{}]\n",
            chosen.join(", ")
        );
        let world = World::new(&modes);
        let engine = world.engines.last().unwrap();
        let ceiling = engine.modes().ceiling("ask").unwrap();
        let builtin = World::new("");
        let builtin = builtin.engines.last().unwrap();
        let builtin = builtin.modes().ceiling("ask").unwrap();
        let catalogue = engine.modes().catalogue(&world.caller);
        let bounds = ceiling.modes(&catalogue);
        let plain = builtin.modes(&catalogue);
        assert_eq!(ceiling.slug(), &slug("ask"));
        let holds = bounds.iter().any(|bound| !widens(&plain[0], bound));
        assert!(holds, "round {round}: {chosen:?}");
    }
}

/// A mode of the project's own, with these groups.
fn own_mode(groups: &str) -> String {
    format!(
        "customModes:\n  - slug: own\n    name: Own\n    roleDefinition: Own.\n    groups: [{groups}]\n"
    )
}

/// What `own` may do in an engine that has just been started.
fn own_groups(world: &mut World) -> Vec<Group> {
    world.start_engine();
    let catalogue = world.engine().modes().catalogue(&world.caller);
    // Writes keep their order: after this one, what is in force is on disk for the next process.
    let root = world.fixture.root().clone();
    let opened = world.store.open_project(&root);
    world.runtime.block_on(opened).unwrap();
    catalogue.get("own").unwrap().groups()
}

#[test]
fn the_next_process_holds_a_wider_text_until_it_is_trusted() {
    let files = format!("//- /.roomodes\n{}", own_mode("read"));
    let mut world = World::in_file(&files, ask_to_widen);
    let root = world.fixture.root().clone();
    let opened = world.store.open_project(&root);
    world.runtime.block_on(opened).unwrap();
    assert_eq!(own_groups(&mut world), [Group::Read]);
    // Writes keep their order: after this one, what was in force is on disk.
    let opened = world.store.open_project(&root);
    world.runtime.block_on(opened).unwrap();
    world
        .fixture
        .write(".roomodes", own_mode("read, edit").as_bytes());
    assert_eq!(own_groups(&mut world), [Group::Read]);
    assert_eq!(own_groups(&mut world), [Group::Read]);
    let (modes, own) = (world.engine().modes(), slug("own"));
    let trusted = modes.trust(&world.caller, &own, None);
    world.runtime.block_on(trusted).unwrap();
    assert_eq!(own_groups(&mut world), [Group::Read, Group::Edit]);
}

#[test]
fn the_next_process_holds_a_mode_whose_file_is_gone() {
    let mut world = World::in_file(&format!("//- /.roomodes\n{NARROW}"), ask_to_widen);
    let root = world.fixture.root().clone();
    assert_eq!(widened(&world), None);
    let opened = world.store.open_project(&root);
    world.runtime.block_on(opened).unwrap();
    std::fs::remove_file(world.fixture.path(".roomodes")).unwrap();
    world.start_engine();
    assert_eq!(widened(&world), None);
}

#[test]
fn a_text_that_a_person_saves_is_trusted() {
    let files = format!("//- /.roomodes\n{}", own_mode("read"));
    let mut world = World::in_file(&files, ask_to_widen);
    assert_eq!(own_groups(&mut world), [Group::Read]);
    let text = own_mode("read, edit");
    let saved = world.engine().modes().save(&world.caller, &text);
    world.runtime.block_on(saved).unwrap();
    assert_eq!(own_groups(&mut world), [Group::Read, Group::Edit]);
}

#[test]
fn a_text_that_replaces_what_a_person_saved_is_not_trusted() {
    let files = format!("//- /.roomodes\n{}", own_mode("read"));
    let mut world = World::in_file(&files, ask_to_widen);
    assert_eq!(own_groups(&mut world), [Group::Read]);
    let saved = own_mode("read, edit");
    let agents = own_mode("read, edit, command");
    world.fixture.write(".roomodes", agents.as_bytes());
    let (modes, root) = (world.engine().modes(), world.fixture.root().clone());
    world.engine().open(&root).reload(world.engine());
    let written = modes.as_written(&saved);
    let own = [slug("own")];
    let trusted = modes.trust_saved(&root, &written, &own);
    world.runtime.block_on(trusted).unwrap();
    assert_eq!(own_groups(&mut world), [Group::Read]);
}

#[test]
fn trust_is_in_the_text_that_was_shown() {
    let files = format!("//- /.roomodes\n{}", own_mode("read"));
    let mut world = World::in_file(&files, ask_to_widen);
    assert_eq!(own_groups(&mut world), [Group::Read]);
    let root = world.fixture.root().clone();
    let opened = world.store.open_project(&root);
    world.runtime.block_on(opened).unwrap();
    let mut shown = Vec::new();
    for groups in ["read, edit", "read, edit, command"] {
        world
            .fixture
            .write(".roomodes", own_mode(groups).as_bytes());
        world.engine().open(&root).reload(world.engine());
        let waiting = world.engine().modes().untrusted(&world.caller);
        shown.push(waiting[0].hash.clone());
    }
    let trust = |seen: &str| {
        let modes = world.engine().modes();
        let own = slug("own");
        let trusted = modes.trust(&world.caller, &own, Some(seen));
        world.runtime.block_on(trusted)
    };
    let refused = trust(&shown[0]);
    assert!(matches!(refused, Err(crate::Error::Conflict(_))));
    let changes = trust(&shown[1]).unwrap();
    assert_eq!(changes.len(), 2, "{changes:?}");
    assert_eq!(
        own_groups(&mut world),
        [Group::Read, Group::Edit, Group::Command]
    );
}

#[test]
fn a_mode_has_its_rights_again_when_another_file_is_readable_again() {
    let files = format!("//- /.kilocodemodes\n{}", own_mode("read, edit"));
    let mut world = World::in_file(&files, ask_to_widen);
    assert_eq!(own_groups(&mut world), [Group::Read, Group::Edit]);
    let root = world.fixture.root().clone();
    let opened = world.store.open_project(&root);
    world.runtime.block_on(opened).unwrap();
    // This file could narrow the mode, and there is no good text of it.
    world.fixture.write(".roomodes", b"customModes: [");
    assert_eq!(own_groups(&mut world), [Group::Read]);
    world.fixture.write(".roomodes", b"customModes: []\n");
    assert_eq!(own_groups(&mut world), [Group::Read, Group::Edit]);
}

#[test]
fn the_last_good_text_of_a_mode_of_its_own_holds_after_a_restart() {
    let files = format!("//- /.roomodes\n{}", own_mode("read"));
    let mut world = World::in_file(&files, ask_to_widen);
    let root = world.fixture.root().clone();
    let opened = world.store.open_project(&root);
    world.runtime.block_on(opened).unwrap();
    assert_eq!(own_groups(&mut world), [Group::Read]);
    // Writes keep their order: after this one, the good text is on disk.
    let opened = world.store.open_project(&root);
    world.runtime.block_on(opened).unwrap();
    let broken_entry = own_mode("read").replace("groups: [read]", "groups: 7");
    for text in [
        "customModes:\n  - slug: own\n    name: \"Own\n",
        "customModes: [",
        &broken_entry,
    ] {
        world.fixture.write(".roomodes", text.as_bytes());
        assert_eq!(own_groups(&mut world), [Group::Read], "{text}");
    }
}

#[test]
fn saving_one_mode_leaves_the_wider_text_of_another_waiting() {
    let files = format!("//- /.roomodes\n{}", own_mode("read"));
    let mut world = World::in_file(&files, ask_to_widen);
    assert_eq!(own_groups(&mut world), [Group::Read]);
    let root = world.fixture.root().clone();
    let opened = world.store.open_project(&root);
    world.runtime.block_on(opened).unwrap();
    let wider = own_mode("read, edit");
    world.fixture.write(".roomodes", wider.as_bytes());
    let other =
        "  - slug: other\n    name: Other\n    roleDefinition: Other.\n    groups: [read]\n";
    let text = format!("{wider}{other}");
    world.start_engine();
    let changed = world.engine().modes().draft(&world.caller, &text).changes;
    let changed: Vec<_> = changed
        .iter()
        .map(|it| (it.mode.as_str(), it.group))
        .collect();
    assert_eq!(changed, [("other", Group::Read)]);
    let saved = world.engine().modes().save(&world.caller, &text);
    world.runtime.block_on(saved).unwrap();
    assert_eq!(own_groups(&mut world), [Group::Read]);
    let waiting = world.engine().modes().untrusted(&world.caller);
    let waits: Vec<_> = waiting.iter().flat_map(|it| &it.changes).collect();
    assert_eq!(waits.len(), 1, "{waits:?}");
    assert_eq!(
        (waits[0].before.as_str(), waits[0].after.as_str()),
        ("no", "all")
    );
}

#[test]
fn a_text_that_widens_after_a_person_has_set_the_mode_waits() {
    let files = format!("//- /.roomodes\n{}", own_mode("read"));
    let mut world = World::in_file(&files, |_| {});
    let root = world.fixture.root().clone();
    let (own, whom) = (slug("own"), crate::SwitchAudience::Everyone);
    let conversations = world.engine().conversations();
    let set = conversations.set_project_mode(&root, &own, whom);
    world.runtime.block_on(set).unwrap();
    let opened = world.store.open_project(&root);
    world.runtime.block_on(opened).unwrap();
    world
        .fixture
        .write(".roomodes", own_mode("read, edit").as_bytes());
    assert_eq!(own_groups(&mut world), [Group::Read]);
}

#[test]
fn what_modes_may_do_is_known_without_the_database() {
    let files = format!("//- /.roomodes\n{}", own_mode("read, browser"));
    let mut world = World::in_file(&files, ask_to_widen);
    assert_eq!(own_groups(&mut world), [Group::Read, Group::Browser]);
    let wider = own_mode("read, browser, edit");
    world.fixture.write(".roomodes", wider.as_bytes());
    let lost = [
        StoreLocation::File(world.global("elsewhere/modekeeper.db")),
        StoreLocation::Memory,
    ];
    for location in lost {
        world.location = location;
        assert_eq!(own_groups(&mut world), [Group::Read, Group::Browser]);
    }
    // What was kept cannot be read: then a mode only reads, whatever its text says.
    let entries = std::fs::read_dir(world.global("config/held")).unwrap();
    let kept: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .map(|path| (std::fs::read(&path).unwrap(), path))
        .collect();
    for (_, path) in &kept {
        mk_testkit::sandbox::overwrite(path, b"half");
    }
    assert_eq!(own_groups(&mut world), [Group::Read]);
    // The same process knows it again without a restart.
    for (bytes, path) in &kept {
        mk_testkit::sandbox::overwrite(path, bytes);
    }
    assert_eq!(groups_now(&world, "own"), [Group::Read, Group::Browser]);
}

/// What a mode may do in the engine that runs.
fn groups_now(world: &World, slug: &str) -> Vec<Group> {
    let catalogue = world.engine().modes().catalogue(&world.caller);
    catalogue.get(slug).unwrap().groups()
}

#[test]
fn a_database_that_fails_for_a_moment_widens_nothing_later() {
    let files = format!("//- /.roomodes\n{}", own_mode("read, browser"));
    let mut world = World::in_file(&files, ask_to_widen);
    assert_eq!(own_groups(&mut world), [Group::Read, Group::Browser]);
    let wider = own_mode("read, browser, edit");
    world.fixture.write(".roomodes", wider.as_bytes());
    // Only the database knows what was in force.
    std::fs::remove_dir_all(world.global("config/held")).unwrap();
    world.engines.clear();
    let (database, aside) = (
        world.global("state/modekeeper.db"),
        world.global("state/aside.db"),
    );
    world.start_engine();
    std::fs::rename(&database, &aside).unwrap();
    std::fs::create_dir(&database).unwrap();
    let root = world.fixture.root().clone();
    let reload = |world: &World| world.engine().open(&root).reload(world.engine());
    for _ in 0..2 {
        assert_eq!(groups_now(&world, "own"), [Group::Read]);
        // What the project may have narrowed before is unknown, too.
        assert_eq!(groups_now(&world, "code"), [Group::Read]);
        reload(&world);
    }
    std::fs::remove_dir(&database).unwrap();
    std::fs::rename(&aside, &database).unwrap();
    for _ in 0..2 {
        assert_eq!(groups_now(&world, "own"), [Group::Read, Group::Browser]);
        assert!(groups_now(&world, "code").contains(&Group::Edit));
        reload(&world);
    }
    assert_eq!(own_groups(&mut world), [Group::Read, Group::Browser]);
}
