//! With a server an answer is exact: what only has the same name is neither found nor changed.

use serde_json::{Value, json};

use super::example::{CLANGD, Example, GOPLS, PYRIGHT, RUST_ANALYZER, TY, TYPESCRIPT};
use super::fresh;
use super::world::{World, call, exact_references, failure, owned, places, text};
use crate::slow::together::together;
use crate::support::stdio::Client;

const NEW_NAME: &str = "Balance";

#[test]
fn an_answer_is_exact_and_about_the_files_as_they_are() {
    let examples = [TY, PYRIGHT, TYPESCRIPT, RUST_ANALYZER, CLANGD, GOPLS];
    together(&examples, |example| example.server, check);
}

fn check(example: &Example) {
    let world = World::new(example);
    let mut client = world.client();
    // Asked first and cold: an answer from half of the project would be wrong.
    let found = exact_references(&mut client, example.symbol, example.server);
    assert_eq!(places(&found), owned(example.references), "{found:#}");
    defines(&world, &mut client, example);
    implements(&mut client, example);
    keeps_what_is_used(&world, &mut client, example);
    renames(&world, &mut client, example);
    diagnoses(&world, &mut client, example);
    // The same server, because it takes longest to start.
    fresh::check(&world, &mut client, example);
}

/// A use leads to its definition, not to that of a namesake.
fn defines(world: &World, client: &mut Client, example: &Example) {
    let (file, line) = example.user;
    let column = world.column(example.user, example.name());
    let place = json!({ "file_path": file, "line": line, "column": column });
    let found = call(client, "get_symbol_definition", &place);
    let facts = &found["structuredContent"];
    assert_eq!(facts["source"], example.server, "{found:#}");
    assert_eq!(facts["total"], 1, "{found:#}");
    let (file, line) = example.references[0];
    let definition = &facts["definitions"][0];
    assert_eq!(definition["name_path"], example.symbol, "{found:#}");
    assert_eq!(definition["file_path"], file, "{found:#}");
    assert_eq!(definition["start_line"], line, "{found:#}");
}

fn implements(client: &mut Client, example: &Example) {
    let wanted = json!({ "symbol_name": example.interface });
    let Some(expected) = example.implementations else {
        let answer = client.call("find_implementations", &wanted);
        let (code, message, suggestion) = failure(&answer);
        assert_eq!(code, "LANGUAGE_SERVER_ERROR");
        assert!(message.contains(example.server), "{message}");
        assert!(!suggestion.is_empty(), "{answer:#}");
        return;
    };
    let found = call(client, "find_implementations", &wanted);
    assert_eq!(places(&found), owned(expected), "{found:#}");
    assert_eq!(found["structuredContent"]["source"], example.server);
}

fn keeps_what_is_used(world: &World, client: &mut Client, example: &Example) {
    let before = world.texts(example);
    let delete = json!({ "symbol_name": example.symbol, "operation": "delete" });
    let answer = client.call("edit_symbol", &delete);
    let (code, message, _) = failure(&answer);
    assert_eq!(code, "INVALID_ARGUMENTS", "{answer:#}");
    let uses = &example.references[1..];
    assert!(message.contains(&format!("is used in {} places", uses.len())));
    for (file, line) in uses {
        assert!(message.contains(&format!("{file}:{line}: ")), "{message}");
    }
    assert_eq!(world.texts(example), before);
}

/// First shown, then done, then undone from outside.
fn renames(world: &World, client: &mut Client, example: &Example) {
    let before = world.texts(example);
    let mut rename = json!({
        "symbol_name": example.symbol, "operation": "rename", "new_name": NEW_NAME, "dry_run": true,
    });
    let shown = call(client, "edit_symbol", &rename);
    assert_eq!(shown["structuredContent"]["dry_run"], true, "{shown:#}");
    assert_eq!(shown["structuredContent"]["source"], example.server);
    assert_eq!(
        changed_files(&shown["structuredContent"]["files"]),
        files(example)
    );
    for (file, line) in example.references {
        let place = format!("\n{file} (1): line {line}\n");
        assert!(text(&shown).contains(&place), "{shown:#}");
    }
    assert_eq!(world.texts(example), before);

    rename["dry_run"] = json!(false);
    let done = call(client, "edit_symbol", &rename);
    let mut expected = before.clone();
    for (file, line) in example.references {
        let text = expected.get_mut(*file).unwrap();
        *text = with_line(text, *line, |it| it.replace(example.name(), NEW_NAME));
    }
    assert_eq!(world.texts(example), expected, "{done:#}");
    let changes = done["structuredContent"]["changes"].as_array().unwrap();
    let changed = changes.iter().map(|change| change["file_path"].clone());
    assert_eq!(changed_files(&changed.collect()), files(example));
    let parent = example.symbol.strip_suffix(example.name()).unwrap();
    let found = exact_references(client, &format!("{parent}{NEW_NAME}"), example.server);
    assert_eq!(places(&found), owned(example.references), "{found:#}");

    let backup = changes[0]["backup"].as_str().unwrap();
    world.sandbox.ok(&["backups", "restore", backup]);
    assert_eq!(world.texts(example), before);
}

fn diagnoses(world: &World, client: &mut Client, example: &Example) {
    let (file, _) = example.user;
    let sound = world.text(file);
    let errors = |client: &mut Client| -> Vec<Value> {
        let found = call(client, "get_diagnostics", &json!({ "file_path": file }));
        assert_eq!(
            found["structuredContent"]["source"], example.server,
            "{found:#}"
        );
        let all = found["structuredContent"]["diagnostics"]
            .as_array()
            .unwrap();
        let is_error = |one: &&Value| one["severity"] == "error";
        all.iter().filter(is_error).cloned().collect()
    };
    assert_eq!(errors(client), Vec::<Value>::new());
    // As a person with an editor would, unseen by the server.
    world
        .sandbox
        .write(file, format!("{sound}{}", example.mistake));
    let found = errors(client);
    let last = sound.lines().count() + 1;
    assert!(
        !found.is_empty() && found.iter().all(|one| one["line"] == last),
        "{found:#?}"
    );
    let mend = json!({ "file_path": file, "find": example.mistake, "replace": "" });
    call(client, "replace_content", &mend);
    assert_eq!(world.text(file), sound);
    assert_eq!(errors(client), Vec::<Value>::new());
}

fn changed_files(files: &Value) -> Vec<&str> {
    let files = files.as_array().unwrap().iter();
    files.map(|file| file.as_str().unwrap()).collect()
}

fn files(example: &Example) -> Vec<&str> {
    example.references.iter().map(|(file, _)| *file).collect()
}

fn with_line(text: &str, number: u32, change: impl Fn(&str) -> String) -> String {
    let lines = text.lines().zip(1..);
    let changed = lines.map(|(line, at)| if at == number { change(line) } else { line.to_owned() } + "\n");
    changed.collect()
}
