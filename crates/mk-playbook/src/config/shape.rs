//! What the settings of a project must look like. Unknown keys may look like anything.

use mk_document::{At, Node, Report};

/// What a value must be.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Text,
    Flag,
    Texts,
    /// A number, both ends included.
    Number(f64, f64),
    OneOf(&'static [&'static str]),
    Object(&'static [(&'static str, Self)]),
    Objects(&'static [(&'static str, Self)]),
}

const ANY_COUNT: Shape = Shape::Number(1.0, 1_000_000.0);

const CONFIG: &[(&str, Shape)] = &[
    ("language", Shape::Text),
    ("projectName", Shape::Text),
    ("description", Shape::Text),
    ("repository", Shape::Text),
    (
        "techStack",
        Shape::Object(&[
            ("languages", Shape::Texts),
            ("frontend", Shape::Texts),
            ("backend", Shape::Texts),
            ("database", Shape::Texts),
            ("infrastructure", Shape::Texts),
            ("tools", Shape::Texts),
        ]),
    ),
    (
        "architecture",
        Shape::Object(&[
            ("pattern", Shape::Text),
            ("structure", Shape::Texts),
            (
                "componentStyle",
                Shape::OneOf(&["flat", "grouped", "feature-based"]),
            ),
            (
                "layers",
                Shape::Objects(&[
                    ("name", Shape::Text),
                    ("path", Shape::Text),
                    ("description", Shape::Text),
                    ("dependencies", Shape::Texts),
                ]),
            ),
        ]),
    ),
    (
        "conventions",
        Shape::Object(&[
            ("style", Shape::Text),
            (
                "naming",
                Shape::Object(&[
                    ("files", Shape::Text),
                    ("components", Shape::Text),
                    ("functions", Shape::Text),
                    ("variables", Shape::Text),
                    ("constants", Shape::Text),
                    ("types", Shape::Text),
                    ("interfaces", Shape::Text),
                ]),
            ),
            ("importOrder", Shape::Texts),
            ("maxLineLength", ANY_COUNT),
            ("semicolons", Shape::Flag),
            ("quotes", Shape::OneOf(&["single", "double"])),
        ]),
    ),
    (
        "testStrategy",
        Shape::Object(&[
            (
                "approach",
                Shape::OneOf(&["tdd", "bdd", "test-after", "mixed"]),
            ),
            ("frameworks", Shape::Texts),
            ("coverage", Shape::Number(0.0, 100.0)),
            ("unitTestPattern", Shape::OneOf(&["colocated", "separate"])),
            ("e2eDirectory", Shape::Text),
            ("mockingStrategy", Shape::Text),
        ]),
    ),
    (
        "ai",
        Shape::Object(&[
            ("defaultModel", Shape::Text),
            ("primaryAgent", Shape::Text),
            ("excludeAgents", Shape::Texts),
        ]),
    ),
    (
        "auto",
        Shape::Object(&[("maxIterations", Shape::Number(1.0, 10.0))]),
    ),
    (
        "context",
        Shape::Object(&[("maxArrayItems", ANY_COUNT), ("maxItemLength", ANY_COUNT)]),
    ),
    ("keyFiles", Shape::Texts),
    ("avoid", Shape::Texts),
    ("custom", Shape::Object(&[])),
];

/// Says of every value that has the wrong shape where it is and what it should be.
pub(super) fn check(document: &At<Node>, report: &mut Report) {
    check_value("", document, Shape::Object(CONFIG), report);
}

fn check_value(path: &str, at: &At<Node>, shape: Shape, report: &mut Report) {
    let expected = match (shape, &at.value) {
        // `undefined` in a script is a value that is not there.
        (_, Node::Null) if !path.is_empty() => return,
        (Shape::Text, Node::Text(_)) | (Shape::Flag, Node::Bool(_)) => return,
        (Shape::Number(least, most), Node::Number(number)) if (least..=most).contains(number) => {
            return;
        }
        (Shape::OneOf(words), Node::Text(text)) if words.contains(&text.as_str()) => return,
        (Shape::Texts, Node::List(items)) => {
            return check_items(path, items, Shape::Text, report);
        }
        (Shape::Objects(keys), Node::List(items)) => {
            return check_items(path, items, Shape::Object(keys), report);
        }
        (Shape::Object(keys), Node::Map(_)) => {
            for (key, shape) in keys {
                if let Some(value) = at.value.get(key) {
                    check_value(&join(path, key), value, *shape, report);
                }
            }
            return;
        }
        (Shape::Text, _) => "text".to_owned(),
        (Shape::Flag, _) => "true or false".to_owned(),
        (Shape::Texts, _) => "a list of texts".to_owned(),
        (Shape::Number(least, most), _) => format!("a number from {least} to {most}"),
        (Shape::OneOf(words), _) => format!("one of {}", words.join(", ")),
        (Shape::Object(_), _) => "an object".to_owned(),
        (Shape::Objects(_), _) => "a list of objects".to_owned(),
    };
    let found = match &at.value {
        Node::Text(text) => format!("`{}`", text.chars().take(40).collect::<String>()),
        Node::Number(number) => format!("`{number}`"),
        other => other.kind().to_owned(),
    };
    let subject = if path.is_empty() {
        "the configuration".to_owned()
    } else {
        format!("`{path}`")
    };
    report.error(
        at.position,
        format!("{subject} must be {expected}, not {found}"),
    );
}

fn check_items(path: &str, items: &[At<Node>], shape: Shape, report: &mut Report) {
    for (item_idx, item) in items.iter().enumerate() {
        check_value(&join(path, &item_idx.to_string()), item, shape, report);
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}
