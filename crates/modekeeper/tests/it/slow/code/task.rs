//! A task that a model would be given: `import_string` of Django gets a required parameter, and all callers follow.
//!
//! With the tools alone, in few calls and with short answers, and nothing is left for hand work.

use serde_json::{Value, json};

use super::project::Project;
use super::text;
use crate::support::stdio::Client;

const MOST_CALLS: usize = 6;
const LONGEST: usize = 12_000;

/// A model's side: counts what it asks and what it reads.
struct Work {
    client: Client,
    n_calls: usize,
    n_read: usize,
}

impl Work {
    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.client.call(tool, arguments)["result"].clone();
        assert_ne!(result["isError"], true, "{tool}: {result:#}");
        self.n_calls += 1;
        self.n_read += text(&result).len();
        result
    }
}

#[test]
fn a_parameter_is_added_to_a_function_and_to_all_its_callers() {
    let project = Project::of("python");
    let mut work = Work {
        client: project.client(),
        n_calls: 0,
        n_read: 0,
    };
    let calls_before = project.count(&["import_string(", "import_dotted_path("]);
    let found = work.call(
        "find_references",
        &json!({ "symbol_name": "import_string" }),
    );
    // Somebody imports it by another name, and the answer shows it.
    assert!(
        text(&found).contains("import_string as import_dotted_path"),
        "{found:#}"
    );
    let shown = work.call(
        "get_symbol_definition",
        &json!({ "symbol_name": "import_string", "file_path": "django/utils/module_loading.py" }),
    );
    let (_, code) = text(&shown).split_once('\n').unwrap();
    let code = code.replace("(dotted_path)", "(dotted_path, purpose)");
    work.call(
        "edit_symbol",
        &json!({ "symbol_name": "/import_string", "file_path": "django/utils/module_loading.py", "content": code }),
    );
    let mut n_changed = 0;
    for name in ["import_string", "import_dotted_path"] {
        let replaced = work.call(
            "replace_structure",
            &json!({
                "pattern": format!("{name}($A)"),
                "replacement": format!("{name}($A, purpose=None)"),
                "language": "python",
            }),
        );
        let facts = &replaced["structuredContent"];
        assert_eq!(facts["syntax_errors"], 0, "{replaced:#}");
        n_changed += facts["total_matches"].as_u64().unwrap();
    }
    let left = work.call(
        "search_for_pattern",
        &json!({
            "pattern": r"(?<!def )\bimport_(?:string|dotted_path)\((?!.*purpose=None)",
            "include": ["*.py"],
        }),
    );
    // A sentence of a doc string is not code.
    let left = text(&left);
    assert!(
        left.lines()
            .filter(|line| line.starts_with("  "))
            .all(|line| line.contains("This isn't just")),
        "{left}"
    );
    let Work {
        n_calls, n_read, ..
    } = work;
    eprintln!("{n_calls} calls, {n_read} bytes, {n_changed} callers");
    assert!(n_calls <= MOST_CALLS, "{n_calls} calls");
    assert!(n_read <= LONGEST, "{n_read} bytes");
    // The definition, and a sentence of a doc string.
    assert_eq!(calls_before as u64, n_changed + 2);
    assert_eq!(project.count(&["purpose=None)"]) as u64, n_changed);
}
