//! What the settings of a project must look like. Unknown keys may look like anything.

use mk_document::{DocumentNode, DocumentReport, Located};

/// What a value must be.
#[derive(Debug, Clone, Copy)]
enum ValueShape {
    Text,
    Flag,
    Texts,
    /// A number, both ends included.
    Number(f64, f64),
    OneOf(&'static [&'static str]),
    Object(&'static [(&'static str, Self)]),
    Objects(&'static [(&'static str, Self)]),
}

const ANY_COUNT: ValueShape = ValueShape::Number(1.0, 1_000_000.0);

const CONFIG: &[(&str, ValueShape)] = &[
    ("language", ValueShape::Text),
    ("projectName", ValueShape::Text),
    ("description", ValueShape::Text),
    ("repository", ValueShape::Text),
    (
        "techStack",
        ValueShape::Object(&[
            ("languages", ValueShape::Texts),
            ("frontend", ValueShape::Texts),
            ("backend", ValueShape::Texts),
            ("database", ValueShape::Texts),
            ("infrastructure", ValueShape::Texts),
            ("tools", ValueShape::Texts),
        ]),
    ),
    (
        "architecture",
        ValueShape::Object(&[
            ("pattern", ValueShape::Text),
            ("structure", ValueShape::Texts),
            (
                "componentStyle",
                ValueShape::OneOf(&["flat", "grouped", "feature-based"]),
            ),
            (
                "layers",
                ValueShape::Objects(&[
                    ("name", ValueShape::Text),
                    ("path", ValueShape::Text),
                    ("description", ValueShape::Text),
                    ("dependencies", ValueShape::Texts),
                ]),
            ),
        ]),
    ),
    (
        "conventions",
        ValueShape::Object(&[
            ("style", ValueShape::Text),
            (
                "naming",
                ValueShape::Object(&[
                    ("files", ValueShape::Text),
                    ("components", ValueShape::Text),
                    ("functions", ValueShape::Text),
                    ("variables", ValueShape::Text),
                    ("constants", ValueShape::Text),
                    ("types", ValueShape::Text),
                    ("interfaces", ValueShape::Text),
                ]),
            ),
            ("importOrder", ValueShape::Texts),
            ("maxLineLength", ANY_COUNT),
            ("semicolons", ValueShape::Flag),
            ("quotes", ValueShape::OneOf(&["single", "double"])),
        ]),
    ),
    (
        "testStrategy",
        ValueShape::Object(&[
            (
                "approach",
                ValueShape::OneOf(&["tdd", "bdd", "test-after", "mixed"]),
            ),
            ("frameworks", ValueShape::Texts),
            ("coverage", ValueShape::Number(0.0, 100.0)),
            (
                "unitTestPattern",
                ValueShape::OneOf(&["colocated", "separate"]),
            ),
            ("e2eDirectory", ValueShape::Text),
            ("mockingStrategy", ValueShape::Text),
        ]),
    ),
    (
        "ai",
        ValueShape::Object(&[
            ("defaultModel", ValueShape::Text),
            ("primaryAgent", ValueShape::Text),
            ("excludeAgents", ValueShape::Texts),
        ]),
    ),
    (
        "auto",
        ValueShape::Object(&[("maxIterations", ValueShape::Number(1.0, 10.0))]),
    ),
    (
        "context",
        ValueShape::Object(&[("maxArrayItems", ANY_COUNT), ("maxItemLength", ANY_COUNT)]),
    ),
    ("keyFiles", ValueShape::Texts),
    ("avoid", ValueShape::Texts),
    ("custom", ValueShape::Object(&[])),
];

/// Says of every value that has the wrong shape where it is and what it should be.
pub(super) fn check(document: &Located<DocumentNode>, report: &mut DocumentReport) {
    check_value("", document, ValueShape::Object(CONFIG), report);
}

fn check_value(
    path: &str,
    at: &Located<DocumentNode>,
    shape: ValueShape,
    report: &mut DocumentReport,
) {
    let expected = match (shape, &at.value) {
        // `undefined` in a script is a value that is not there.
        (_, DocumentNode::Null) if !path.is_empty() => return,
        (ValueShape::Text, DocumentNode::Text(_)) | (ValueShape::Flag, DocumentNode::Bool(_)) => {
            return;
        }
        (ValueShape::Number(least, most), DocumentNode::Number(number))
            if (least..=most).contains(number) =>
        {
            return;
        }
        (ValueShape::OneOf(words), DocumentNode::Text(text)) if words.contains(&text.as_str()) => {
            return;
        }
        (ValueShape::Texts, DocumentNode::List(items)) => {
            return check_items(path, items, ValueShape::Text, report);
        }
        (ValueShape::Objects(keys), DocumentNode::List(items)) => {
            return check_items(path, items, ValueShape::Object(keys), report);
        }
        (ValueShape::Object(keys), DocumentNode::Map(_)) => {
            for (key, shape) in keys {
                if let Some(value) = at.value.get(key) {
                    check_value(&join(path, key), value, *shape, report);
                }
            }
            return;
        }
        (ValueShape::Text, _) => "text".to_owned(),
        (ValueShape::Flag, _) => "true or false".to_owned(),
        (ValueShape::Texts, _) => "a list of texts".to_owned(),
        (ValueShape::Number(least, most), _) => format!("a number from {least} to {most}"),
        (ValueShape::OneOf(words), _) => format!("one of {}", words.join(", ")),
        (ValueShape::Object(_), _) => "an object".to_owned(),
        (ValueShape::Objects(_), _) => "a list of objects".to_owned(),
    };
    let found = match &at.value {
        DocumentNode::Text(text) => format!("`{}`", text.chars().take(40).collect::<String>()),
        DocumentNode::Number(number) => format!("`{number}`"),
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

fn check_items(
    path: &str,
    items: &[Located<DocumentNode>],
    shape: ValueShape,
    report: &mut DocumentReport,
) {
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
