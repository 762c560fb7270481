//! Reading a project's configuration without running it.

use mk_testkit::Fixture;
use serde_json::{Value, json};

use super::playbook;

#[track_caller]
fn check(file: &str, text: &str, expected: Result<Value, &str>) {
    let fixture = Fixture::new("");
    fixture.write(file, text);
    let config = playbook(&fixture).config();
    match (config, expected) {
        (Ok(config), Ok(expected)) => {
            assert_eq!(Value::Object(config.settings.clone()), expected);
            assert_eq!(config.file, Some(file));
        }
        (Err(error), Err(expected)) => assert_eq!(error.to_string(), expected),
        (found, expected) => panic!("{text}\nfound {found:?}, expected {expected:?}"),
    }
}

const JS: &str = "codingbuddy.config.js";

#[test]
fn every_form_of_a_literal_module_is_read() {
    let expected = json!({"language": "ko", "testStrategy": {"coverage": 80}});
    for text in [
        "export default { language: 'ko', testStrategy: { coverage: 80 } }",
        "module.exports = { language: \"ko\", testStrategy: { coverage: 80, }, };",
        "import { defineConfig } from 'codingbuddy'\nexport default defineConfig({ language: `ko`, testStrategy: { coverage: 8_0 } })",
        "'use strict';\nconst { defineConfig } = require('x');\nmodule.exports = defineConfig({ language: 'ko', testStrategy: { coverage: 80.0 } });",
        "/** @type {import('x').Config} */\nconst config = { language: 'ko', // here\n testStrategy: { coverage: 0x50 } }\n\nexport default config",
        "const language = 'ko'\nconst base = { language: 'en', testStrategy: { coverage: 80 } } as const;\nexport default { ...base, language } satisfies import('x').Config",
        "const config: Partial<Config> = ({ 'language': 'k\\u006f', testStrategy: { coverage: +80 } });\nexport default config;",
    ] {
        check(JS, text, Ok(expected.clone()));
    }
}

#[test]
fn lists_can_be_spread_too() {
    check(
        JS,
        "const a = ['x']; export default { avoid: [...a, 'y', ...['z']], custom: { n: -1.5, no: null, on: true } }",
        Ok(json!({"avoid": ["x", "y", "z"], "custom": {"n": -1.5, "no": null, "on": true}})),
    );
}

#[test]
fn what_would_have_to_be_run_is_refused_with_its_place() {
    for (text, expected) in [
        (
            "export default {\n  language: process.env.LANG,\n}",
            "codingbuddy.config.js:2:13: error: `process.env.LANG` is not a literal, nor a constant declared before",
        ),
        (
            "export default { language: pick('ko') }",
            "codingbuddy.config.js:1:28: error: `pick(…)` would have to be run; only literals are read",
        ),
        (
            "export default { language: `a${b}` }",
            "codingbuddy.config.js:1:30: error: a template with `${…}` is not a literal",
        ),
        (
            "export default { language: 'a' + 'b' }",
            "codingbuddy.config.js:1:32: error: only literals are read from this file, not `+`",
        ),
        (
            "export default { load() { return 1 } }",
            "codingbuddy.config.js:1:22: error: expected `:`, found `()`",
        ),
        (
            "fetch('http://x')\nexport default {}",
            "codingbuddy.config.js:1:1: error: only literals are read from this file, not `fetch('http://x')`",
        ),
        (
            "export default () => ({})",
            "codingbuddy.config.js:1:17: error: expected a value, found `)`",
        ),
        (
            "const a = 1",
            "codingbuddy.config.js:1:12: error: nothing is exported from this file",
        ),
        (
            "export default { language: 'ko }",
            "codingbuddy.config.js:1:28: error: the text has no closing quote",
        ),
        (
            "export default { __proto__: {} }",
            "codingbuddy.config.js:1:18: error: the key `__proto__` is not allowed at any depth",
        ),
    ] {
        check(JS, text, Err(expected));
    }
}

#[test]
fn constants_that_double_each_other_end() {
    let mut text = "const a0 = { x: 1, y: 2 };\n".to_owned();
    for level in 1..60 {
        let before = level - 1;
        text.push_str(&format!(
            "const a{level} = {{ x: a{before}, y: a{before} }};\n"
        ));
    }
    text.push_str("export default a59");
    check(
        JS,
        &text,
        Err("codingbuddy.config.js:16:26: error: the file is nested too deeply, or too large"),
    );
    let mut text = "const a0 = [1];\n".to_owned();
    for level in 1..5_000 {
        text.push_str(&format!("const a{level} = [a{}];\n", level - 1));
    }
    text.push_str("export default a4999");
    check(
        JS,
        &text,
        Err("codingbuddy.config.js:63:14: error: the file is nested too deeply, or too large"),
    );
}

#[test]
fn every_wrong_value_is_named_with_what_it_should_be() {
    let fixture = Fixture::new(
        r#"//- /codingbuddy.config.json
{
  // comments are fine
  "language": 7,
  "techStack": { "frontend": "React", "languages": ["Rust", 1] },
  "testStrategy": { "approach": "never", "coverage": 101 },
  "architecture": { "layers": [{ "name": "a", "path": 2 }] },
  "conventions": { "semicolons": "yes" },
  "unknown": [1, 2],
}
"#,
    );
    let error = playbook(&fixture).config().unwrap_err();
    let crate::Error::InvalidConfig { diagnostics } = &error else {
        panic!("{error}");
    };
    let found: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(found.join("\n"), @r"
    codingbuddy.config.json:3:15: error: `language` must be text, not `7`
    codingbuddy.config.json:4:61: error: `techStack.languages.1` must be text, not `1`
    codingbuddy.config.json:4:30: error: `techStack.frontend` must be a list of texts, not `React`
    codingbuddy.config.json:6:55: error: `architecture.layers.0.path` must be text, not `2`
    codingbuddy.config.json:7:34: error: `conventions.semicolons` must be true or false, not `yes`
    codingbuddy.config.json:5:33: error: `testStrategy.approach` must be one of tdd, bdd, test-after, mixed, not `never`
    codingbuddy.config.json:5:54: error: `testStrategy.coverage` must be a number from 0 to 100, not `101`
    ");
}

#[test]
fn javascript_comes_before_json_and_nothing_is_an_empty_configuration() {
    let fixture = Fixture::new("");
    let playbook = playbook(&fixture);
    assert_eq!(playbook.config().unwrap().file, None);
    fixture.write("codingbuddy.config.json", r#"{"language": "ja"}"#);
    assert_eq!(playbook.config().unwrap().language(), Some("ja"));
    fixture.write(
        "codingbuddy.config.mjs",
        "export default { language: 'zh' }",
    );
    assert_eq!(playbook.config().unwrap().language(), Some("zh"));
    fixture.write(
        JS,
        "module.exports = { language: 'es', ai: { excludeAgents: ['a'] } }",
    );
    let config = playbook.config().unwrap();
    assert_eq!(
        (config.language(), config.excluded_agents()),
        (Some("es"), vec!["a"])
    );
    fixture.remove(JS);
    assert_eq!(playbook.config().unwrap().language(), Some("zh"));
}
