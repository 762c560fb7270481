//! How many projects are in memory, and which.

use insta::assert_snapshot;
use mk_store::SessionFilter;
use mk_testkit::Fixture;
use mk_types::AbsPath;

use super::{MODES, World};
use crate::open_projects::MOST_PROJECTS;
use crate::{ProjectStanding, ProjectWatching, TaskState};

fn roots(world: &World) -> Vec<AbsPath> {
    world.engine().inner.projects.roots()
}

#[test]
fn listing_the_tasks_of_other_projects_loads_none_of_them() {
    let mut world = World::with(MODES, |settings| settings.watching = ProjectWatching::On);
    let elsewhere = Fixture::new(MODES);
    world.create("scribe");
    world.caller.project = elsewhere.root().clone();
    world.create("docs");
    // As a process that has just started would see them.
    world.start_engine_on_same_store();
    world.log();
    world.tasks(&SessionFilter::default());
    world.peek("sess_2");
    world.complete("sess_2", TaskState::Completed);
    assert_snapshot!(world.log(), @"
    2 tasks
      sess_2 task_2 in docs (Docs), active
      sess_1 task_1 in scribe (Scribe), active
    sess_2 task_2 in docs (Docs), active, age 0s, idle 0s
      - → docs: no reason
    sess_2 task_2 in docs (Docs), completed: the result
    ");
    assert_eq!(roots(&world), []);
}

#[test]
fn a_list_reads_each_project_once_and_as_it_is_now() {
    let mut world = World::new(MODES);
    world.create("docs");
    world.create("docs");
    world.start_engine_on_same_store();
    world.fixture.remove(".roomodes");
    world.log();
    world.tasks(&SessionFilter::default());
    assert_snapshot!(world.log(), @"
    2 tasks
      sess_2 task_2 in docs (docs), active
      sess_1 task_1 in docs (docs), active
    ");
}

#[test]
fn the_project_that_was_used_longest_ago_falls_out() {
    let world = World::new("");
    let engine = world.engine();
    let root = |n: usize| AbsPath::new(&world.fixture.path(&format!("p{n}"))).unwrap();
    for n in 0..MOST_PROJECTS {
        engine.open(&root(n));
    }
    let first = engine.open(&root(0));
    engine.open(&root(MOST_PROJECTS));
    let loaded = roots(&world);
    assert_eq!(loaded.len(), MOST_PROJECTS);
    assert!(!loaded.contains(&root(1)));
    // What is used again stays, and is the same as before.
    assert!(std::sync::Arc::ptr_eq(&first, &engine.open(&root(0))));
}

/// The playbook is looked up without asking which mode holds; that must not lead it elsewhere.
#[test]
fn whereabouts_are_those_of_what_is_in_force() {
    let check = |world: &World| {
        let engine = world.engine();
        let found = engine.whereabouts(&world.caller);
        let in_force = engine.in_force(&world.caller, None);
        let in_force = in_force.map(|it| (it.project, it.standing));
        match (found, in_force) {
            (Ok(found), Ok(in_force)) => assert_eq!(found, in_force),
            (Err(found), Err(in_force)) => assert_eq!(found.to_string(), in_force.to_string()),
            (found, in_force) => panic!("{found:?} but {in_force:?}"),
        }
    };
    let mut world = World::new(MODES);
    check(&world);
    world.create("scribe");
    check(&world);
    let elsewhere = Fixture::new(MODES);
    world.caller.project = elsewhere.root().clone();
    check(&world);
    world.complete("sess_1", TaskState::Completed);
    check(&world);
    world.caller.standing = ProjectStanding::Nowhere;
    check(&world);
    world.caller.within = vec![world.fixture.root().clone()];
    check(&world);
}
