//! Every server answers exactly: definitions, references and renames across files, and what is wrong where.

use super::example::{CLANGD, Example, GOPLS, PYRIGHT, RUST_ANALYZER, TY, TYPESCRIPT};
use super::world::{PATIENT, World, block_on};
use crate::slow::together::together;

#[test]
fn every_server_answers_exactly() {
    let examples = [TY, PYRIGHT, TYPESCRIPT, RUST_ANALYZER, CLANGD, GOPLS];
    together(
        &examples,
        |example| example.server,
        |example| block_on(check(example)),
    );
}

async fn check(example: &Example) {
    let world = World::new(&[example]);
    let servers = world.servers(PATIENT);
    let owned = |(file, line): &(&str, u32)| ((*file).to_owned(), *line);

    // Asked first and cold: an answer from half of the project would be wrong.
    let references = world.references(&servers, example).await.unwrap();
    let expected: Vec<_> = example.references.iter().map(owned).collect();
    assert_eq!(references, expected);

    let definition = world.definition(&servers, example).await.unwrap();
    assert_eq!(definition, [owned(&example.definition)]);

    let found = world.symbols(&servers, example).await;
    assert!(found.contains(&owned(&example.definition)), "{found:?}");
    let outline = world.outline(&servers, example).await;
    assert_eq!(outline, [example.name], "{outline:?}");

    let new_name = format!("{}er", example.name);
    let renamed = world.rename(&servers, example, &new_name).await;
    let expected: Vec<_> = world
        .naming(example.name)
        .into_iter()
        .map(|path| {
            let text = world.text(&path).replace(example.name, &new_name);
            (path, text)
        })
        .collect();
    assert_eq!(renamed, expected);

    let right = world.text(example.user);
    assert_eq!(world.errors(&servers, example.user).await, []);
    world.write(
        &servers,
        example.user,
        &format!("{right}{}", example.mistake),
    );
    let errors = world.errors(&servers, example.user).await;
    let lines: Vec<u32> = errors.iter().map(|error| error.range.start.line).collect();
    let last = u32::try_from(right.lines().count()).unwrap() + 1;
    assert!(
        !lines.is_empty() && lines.iter().all(|line| *line == last),
        "{errors:?}"
    );
    world.write(&servers, example.user, &right);
    assert_eq!(world.errors(&servers, example.user).await, []);

    let (elsewhere, from, to) = example.break_elsewhere;
    let sound = world.text(elsewhere);
    world.write(&servers, elsewhere, &sound.replace(from, to));
    assert_ne!(world.errors(&servers, example.user).await, []);
    world.write(&servers, elsewhere, &sound);
    assert_eq!(world.errors(&servers, example.user).await, []);

    // A document that it was shown is looked at again even if no one says that it has changed.
    assert_eq!(world.errors(&servers, elsewhere).await, []);
    world.fixture.save(elsewhere, sound.replace(from, to));
    assert_ne!(world.errors(&servers, example.user).await, []);
}
