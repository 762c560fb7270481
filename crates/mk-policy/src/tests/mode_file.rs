//! Mode files as people write them: what is read, what is refused, and how it is said.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use insta::assert_snapshot;

use crate::{Catalogue, LegibleFile, ModeLayer, ModeSource, Policy, load_modes};

/// The modes of a project's file with their limits, then those that are broken, then every diagnostic.
#[track_caller]
fn check(text: &str) -> String {
    let loaded = load_modes("f", text);
    let mut shown = String::new();
    if loaded.legible != LegibleFile::Whole {
        shown.push_str("unreadable\n");
    }
    let layer = ModeLayer {
        source: ModeSource::Project,
        file: "f".to_owned(),
        loaded,
    };
    let catalogue = Catalogue::build(vec![layer], &Policy::shipped());
    let own = catalogue
        .modes()
        .iter()
        .filter(|mode| mode.source == ModeSource::Project);
    for mode in own {
        let groups: Vec<String> = mode
            .groups()
            .into_iter()
            .map(|group| match mode.restriction(group) {
                Some(limit) => format!("{group} [{limit}]"),
                None => group.to_string(),
            })
            .collect();
        let groups = if groups.is_empty() {
            "no groups".to_owned()
        } else {
            groups.join(", ")
        };
        let _ = write!(shown, "{} «{}»: {groups}", mode.slug, mode.name);
        if !mode.unknown.is_empty() {
            let _ = write!(shown, " {}", serde_json::Value::from(mode.unknown.clone()));
        }
        for (path, text) in &mode.rules_files {
            let _ = write!(shown, " {path}={text:?}");
        }
        shown.push('\n');
    }
    for found in catalogue.diagnostics() {
        let _ = writeln!(shown, "{found}");
        if let Some(hint) = &found.hint {
            let _ = writeln!(shown, "    {hint}");
        }
    }
    shown
}

/// The answer to a hostile file, if it came at once: these take microseconds, or else minutes.
#[track_caller]
fn check_quick(text: &str) -> String {
    let start = Instant::now();
    let shown = check(text);
    assert!(start.elapsed() < Duration::from_secs(30), "{shown}");
    shown
}

#[test]
fn a_plain_yaml_file_is_read() {
    assert_snapshot!(check("
customModes:
  - slug: docs
    name: ✍️ Docs
    roleDefinition: You write.
    groups:
      - read
      - [edit, { fileRegex: '\\.md$', description: Markdown }]
"), @r"docs «✍️ Docs»: read, edit [\.md$]");
}

#[test]
fn json_is_read_as_well() {
    assert_snapshot!(check(r#"{"customModes":[{"slug":"a","name":"\ud83d\udcbb A\/B","roleDefinition":"R","groups":["read",["edit",{"fileRegex":"\\.md$"}]]}]}"#), @r"a «💻 A/B»: read, edit [\.md$]");
}

#[test]
fn json_may_be_indented_with_tabs_and_keeps_its_positions() {
    assert_snapshot!(check("{\n\t\"customModes\":\t[\n\t\t{\n\t\t\t\"slug\": \"a\",\n\t\t\t\"name\": 5,\n\t\t\t\"roleDefinition\": \"R\",\n\t\t\t\"groups\": []\n\t\t}\n\t]\n}\n"), @"f:5:12: error: mode `a`: `name` is a number, not text");
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_do_not_move_positions() {
    assert_snapshot!(check("\u{feff}customModes:\r\n  - slug: a\r\n    name: A\r\n    roleDefinition: |\r\n      One\r\n      Two\r\n    groups: [read, ask]\r\n"), @"
    a «A»: read
    f:7:20: warning: mode `a`: there is no group `ask`
        groups are read, edit, browser, command, mcp, modes
    ");
}

#[test]
fn missing_fields_are_reported_together() {
    assert_snapshot!(check("
customModes:
  - slug: a
  - name: B
    description: nothing else
"), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:3:5: error: mode `a`: `name` is missing
    f:3:5: error: mode `a`: `roleDefinition` is missing
    f:3:5: error: mode `a`: `groups` is missing
        a mode without tools says so: `groups: []`
    f:4:5: error: `slug` is missing
    f:4:5: error: `roleDefinition` is missing
    f:4:5: error: `groups` is missing
        a mode without tools says so: `groups: []`
    ");
}

#[test]
fn empty_fields_are_reported_where_they_stand() {
    assert_snapshot!(check("
customModes:
  - slug: ''
    name: ' '
    roleDefinition: ''
    groups: []
"), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:3:11: error: `slug` is empty
    f:4:11: error: `name` is empty
    f:5:21: error: `roleDefinition` is empty
    ");
}

#[test]
fn fields_of_the_wrong_kind_are_reported_where_they_stand() {
    assert_snapshot!(check("
customModes:
  - slug: 12
    name: [a]
    roleDefinition: {a: b}
    whenToUse: true
    groups: read
    hidden: yes
    autoApprove: always
    extends: a b
    switchTo: 5
    network: false
    git: read
"), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:3:11: error: `slug` is a number, not text
    f:4:11: error: `name` is a list, not text
    f:5:21: error: `roleDefinition` is a map, not text
    f:6:16: error: `whenToUse` is true or false, not text
    f:7:13: error: `groups` is text, not a list
    f:8:13: error: `hidden` is text, not true or false
    f:9:18: error: `autoApprove` is one of none, read, all
    f:10:14: error: `extends`: `a b` is not a mode slug: only letters, digits and dashes, at most 128 of them
    f:11:15: error: `switchTo` is a number, not a list of texts
    f:12:14: error: `network` is one of off, own, on
    f:13:10: error: `git` is one of local, none
    ");
}

#[test]
fn optional_texts_may_be_left_empty() {
    assert_snapshot!(check("
customModes:
  - {slug: a, name: A, roleDefinition: R, groups: [], description: , whenToUse: ~}
"), @"a «A»: no groups");
}

#[test]
fn a_bad_slug_comes_with_a_better_one() {
    assert_snapshot!(check("
customModes:
  - {slug: My Mode_2!, name: A, roleDefinition: R, groups: []}
  - {slug: 日本, name: A, roleDefinition: R, groups: []}
"), @"
    f:3:12: error: `My Mode_2!` is not a mode slug: only letters, digits and dashes, at most 128 of them
        write `my-mode-2`
    f:4:12: error: `日本` is not a mode slug: only letters, digits and dashes, at most 128 of them
    ");
}

#[test]
fn an_unknown_group_names_the_known_ones() {
    assert_snapshot!(check("
customModes:
  - {slug: a, name: A, roleDefinition: R, groups: [ask]}
  - {slug: b, name: B, roleDefinition: R, groups: [terminal]}
  - {slug: c, name: C, roleDefinition: R, groups: [Edit, write]}
"), @"
    a «A»: no groups
    b «B»: no groups
    c «C»: no groups
    f:3:52: warning: mode `a`: there is no group `ask`
        groups are read, edit, browser, command, mcp, modes
    f:4:52: warning: mode `b`: there is no group `terminal`
        the group for commands is `command`
    f:5:52: warning: mode `c`: there is no group `Edit`
        write `edit`
    f:5:58: warning: mode `c`: there is no group `write`
        the group for changes is `edit`
    ");
}

#[test]
fn a_group_of_another_shape_is_refused() {
    assert_snapshot!(check(r"
customModes:
  - slug: a
    name: A
    roleDefinition: R
    groups:
      - [edit, { fileRegex: a }, { fileRegex: b }]
      - [edit]
      - [5, {}]
      - [edit, '\.md$']
      - edit: { fileRegex: a }
"), @"
    f:7:9: error: mode `a`: a restricted group has 2 parts, this has 3
        write `[edit, { fileRegex: … }]`, one entry per pattern
    f:8:9: error: mode `a`: a restricted group has 2 parts, this has 1
        write `[edit, { fileRegex: … }]`, one entry per pattern
    f:9:9: error: mode `a`: a restricted group starts with the group's name
    f:10:16: error: mode `a`: the options of a group are a map, this is text
    f:11:9: error: mode `a`: a group is a name or `[name, {…}]`, this is a map
    ");
}

#[test]
fn a_list_at_the_top_is_not_a_mode_file() {
    assert_snapshot!(check("
- slug: a
  name: A
"), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:2:1: error: the file is a list, not a map with `customModes`
        put `customModes:` before the list and indent it
    ");
}

#[test]
fn other_documents_are_not_mode_files() {
    assert_snapshot!(check("modes: []"), @"
    unreadable
    f:1:1: error: there is no `customModes` list
        put modes in a list under `customModes:`
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    ");
    assert_snapshot!(check("customModes: none"), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:1:14: error: `customModes` is text, not a list
    ");
    assert_snapshot!(check("customModes: [a, 5]"), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:1:15: error: a mode is a map, this is text
    f:1:18: error: a mode is a map, this is a number
    ");
}

#[test]
fn an_empty_file_is_taken_for_one_that_is_being_saved() {
    assert_snapshot!(check("\n"), @"
    unreadable
    f:1:1: warning: the file is empty
    ");
    assert_snapshot!(check("# soon\n"), @"
    unreadable
    f:1:1: warning: the file is empty
    ");
}

#[test]
fn an_empty_list_of_modes_is_fine() {
    assert_snapshot!(check("customModes: []\n"), @"");
}

#[test]
fn a_file_that_ends_behind_its_key_may_be_cut_off() {
    assert_snapshot!(check("customModes:\n"), @"
    unreadable
    f:1:1: error: `customModes` has no list
        write `customModes: []` if there are no modes
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    ");
}

#[test]
fn several_documents_are_refused() {
    assert_snapshot!(check("customModes: []\n---\ncustomModes: []\n"), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:3:1: error: the file holds more than one document
        remove the line `---` and put all modes under one `customModes`
    ");
}

#[test]
fn a_slug_twice_in_a_file_counts_once() {
    assert_snapshot!(check("
customModes:
  - {slug: a, name: First, roleDefinition: R, groups: []}
  - {slug: a, name: Second, roleDefinition: R, groups: [edit]}
"), @"
    a «First»: no groups
    f:4:12: error: mode `a`: the slug is defined twice in this file; the first one counts
    ");
}

#[test]
fn a_second_definition_does_not_stand_in_for_a_broken_first() {
    assert_snapshot!(check("
customModes:
  - {slug: a, name: First, roleDefinition: R, groups: [[edit, {fileRegex: '('}]]}
  - {slug: a, name: Second, roleDefinition: R, groups: [edit]}
"), @"
    f:3:75: error: mode `a`: `(` is not a JavaScript regular expression: Unbalanced parenthesis
    f:4:12: error: mode `a`: the slug is defined twice in this file; the first one counts
    ");
}

#[test]
fn a_key_twice_in_a_mode_is_refused() {
    assert_snapshot!(check("
customModes:
  - slug: a
    groups: [read]
    groups: [edit]
"), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:5:5: error: the key `groups` is there twice
    ");
}

#[test]
fn text_that_is_not_yaml_is_explained_without_the_parsers_words() {
    assert_snapshot!(check("customModes:\n  - slug: \"a\\.md\"\n"), @r"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:2:11: error: invalid escape sequence in a double-quoted string
        use single quotes for patterns
    ");
    assert_snapshot!(check("customModes:\n  - slug: \"a\n"), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:3:1: error: a quote is not closed
        close it before the end of the text
    ");
    assert_snapshot!(check("customModes:\n\t- slug: a\n"), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:2:2: error: a tab indents this line
        indent with spaces
    ");
    assert_snapshot!(check("customModes:\n  - slug: a\n   name: b\n"), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:3:4: error: the line is not indented like those above it
        give keys of one mode the same indentation
    ");
    assert_snapshot!(check("customModes:\n  - name: a: b\n"), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:2:12: error: a `:` is not allowed here
        put a text that contains `: ` in quotes
    ");
    assert_snapshot!(check("customModes:\n  - name: @b\n"), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:2:11: error: `@` is not allowed here
        put a text that holds special characters in quotes
    ");
    assert_snapshot!(check("customModes: [a\n"), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:1:14: error: unclosed bracket '['
    ");
    assert_snapshot!(check("customModes:\n  - [a]: b\n"), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:2:5: error: a key must be a plain word
    ");
    assert_snapshot!(check("customModes:\0\n"), @r"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:1:13: error: `\u{0}` is not allowed here
        put a text that holds special characters in quotes
    ");
}

#[test]
fn a_glob_in_place_of_a_pattern_is_recognised() {
    assert_snapshot!(check("
customModes:
  - {slug: a, name: A, roleDefinition: R, groups: [[edit, {fileRegex: '*.md'}]]}
  - {slug: b, name: B, roleDefinition: R, groups: [[edit, {fileRegex: 'docs/**'}]]}
"), @r"
    f:3:71: error: mode `a`: `*.md` is not a JavaScript regular expression: Invalid atom character
        this looks like a glob: write `\.md$` or use the key `glob`
    f:4:71: error: mode `b`: `docs/**` is not a JavaScript regular expression: Invalid atom character
        this looks like a glob: write `^docs/` or use the key `glob`
    ");
}

#[test]
fn an_unquoted_star_is_recognised() {
    assert_snapshot!(check("
customModes:
  - slug: a
    groups:
      - [edit, { fileRegex: *.md }]
"), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:5:29: error: `*` refers to an anchor that is not there
        quote text that starts with `*`
    ");
}

#[test]
fn an_invalid_pattern_breaks_its_mode() {
    assert_snapshot!(check(r"
customModes:
  - {slug: a, name: A, roleDefinition: R, groups: [[edit, {fileRegex: '(\.md$'}]]}
  - {slug: b, name: B, roleDefinition: R, groups: [[edit, {fileRegex: '(?i)\.md$'}]]}
  - {slug: c, name: C, roleDefinition: R, groups: [[edit, {glob: 'a[' }]]}
"), @r"
    f:3:71: error: mode `a`: `(\.md$` is not a JavaScript regular expression: Unbalanced parenthesis
    f:4:71: error: mode `b`: `(?i)\.md$` is not a JavaScript regular expression: Invalid group modifier
        `(?i` does not exist here: write both cases, for example `\.[Mm][Dd]$`
    f:5:66: error: mode `c`: `a[` is not a glob: unclosed character class; missing ']'
    ");
}

#[test]
fn an_unsupported_pattern_loads_and_says_that_it_denies() {
    assert_snapshot!(check(r"
customModes:
  - {slug: a, name: A, roleDefinition: R, groups: [[edit, {fileRegex: '(a)\1'}]]}
  - {slug: b, name: B, roleDefinition: R, groups: [[command, {commandRegex: '\p{L}'}]]}
  - {slug: c, name: C, roleDefinition: R, groups: [[command, {commandDeny: '(a)\1'}]]}
"), @r"
    a «A»: edit [(a)\1]
    b «B»: command [\p{L}]
    c «C»: command [all but (a)\1]
    f:3:71: warning: mode `a`: `(a)\1` uses a backreference at character 5, which is not supported; it matches no file, so this entry allows none
        write the repeated text out
    f:4:77: warning: mode `b`: `\p{L}` uses a Unicode property at character 2, which is not supported; it matches no command, so this entry allows none
        without the flag `u` JavaScript reads `\p` as the letter p: write the characters out, for example `[A-Za-z]`
    f:5:76: warning: mode `c`: `(a)\1` uses a backreference at character 5, which is not supported; it counts as a match, so this entry allows no command
        write the repeated text out
    ");
}

#[test]
fn an_empty_pattern_restricts_nothing_but_an_empty_list_of_globs_is_refused() {
    assert_snapshot!(check("
customModes:
  - {slug: a, name: A, roleDefinition: R, groups: [[edit, {fileRegex: ''}]]}
  - {slug: b, name: B, roleDefinition: R, groups: [[edit, {glob: []}]]}
"), @"
    a «A»: edit
    f:4:66: error: mode `b`: `glob` is an empty list
        leave the group out to deny every file, or leave `glob` out to allow every file
    ");
}

#[test]
fn unknown_keys_are_kept_as_they_are() {
    assert_snapshot!(check("
customModes:
  - slug: a
    name: A
    roleDefinition: R
    groups: []
    category: x
    tags: [1, 2.5, yes, ~, .inf]
    12: {deep: true}
"), @r#"a «A»: no groups {"category":"x","tags":[1,2.5,"yes",null,".inf"],"12":{"deep":true}}"#);
}

#[test]
fn a_misspelt_limit_breaks_the_mode_and_other_slips_are_only_mentioned() {
    assert_snapshot!(check(r"
customModes:
  - {slug: a, name: A, roleDefinition: R, groups: [[edit, {fileregex: '\.md$'}]]}
  - {slug: b, name: B, roleDefinition: R, groups: [[edit, {file_regex: '\.md$', note: x}]]}
  - {slug: c, name: C, roleDefinition: R, groups: [], allowed_mcp_server: [x]}
  - {slug: d, name: D, roleDefinition: R, groups: [], when_to_use: x}
"), @r#"
    d «D»: no groups {"when_to_use":"x"}
    f:3:60: error: mode `a`: `fileregex` is not an option of a group
        write `fileRegex`
    f:4:60: error: mode `b`: `file_regex` is not an option of a group
        write `fileRegex`
    f:4:81: error: mode `b`: `note` is not an option of a group
        options of `edit` are fileRegex, glob, description; without any, the whole group is allowed
    f:5:55: error: mode `c`: `allowed_mcp_server` is not a key of a mode
        write `allowedMcpServers`
    f:6:55: warning: mode `d`: `when_to_use` is not a key of a mode
        write `whenToUse`
    "#);
}

#[test]
fn a_mode_that_may_switch_to_what_is_not_there_is_warned_about() {
    assert_snapshot!(check(r"
customModes:
  - {slug: a, name: A, roleDefinition: R, groups: [], switchTo: [b, code, zzz]}
  - {slug: b, name: B, roleDefinition: R, groups: [], switchTo: ['*']}
"), @"
    a «A»: no groups
    b «B»: no groups
    f:3:12: warning: mode `a`: `switchTo` names `zzz`, which does not exist
    ");
}

#[test]
fn a_pattern_that_needs_quotes_is_told_so() {
    let text = r"
customModes:
  - slug: a
    name: A
    roleDefinition: R
    groups:
      - [edit, { fileRegex: ^[a-z]{1,2}\.md$ }]
";
    let found = check(text);
    assert!(found.contains("in single quotes"), "{found}");
}

#[test]
fn an_unknown_option_does_not_leave_a_group_wide_open() {
    assert_snapshot!(check(r"
customModes:
  - {slug: a, name: A, roleDefinition: R, groups: [[edit, {fileRegx: '\.md$'}]]}
  - {slug: b, name: B, roleDefinition: R, groups: [[edit, {fileRegex: '\.md$', note: x}]]}
"), @r"
    b «B»: edit [\.md$]
    f:3:60: error: mode `a`: `fileRegx` is not an option of a group
        options of `edit` are fileRegex, glob, description; without any, the whole group is allowed
    f:4:80: warning: mode `b`: `note` is not an option of a group
    ");
}

#[test]
fn a_pattern_beside_the_groups_limits_nothing() {
    assert_snapshot!(check(r"
customModes:
  - slug: a
    name: A
    roleDefinition: R
    groups: [edit]
    fileRegex: \.md$
"), @r#"
    a «A»: edit {"fileRegex":"\\.md$"}
    f:7:5: warning: mode `a`: `fileRegex` has no effect next to `groups`
        write it into the group: `- [edit, { fileRegex: … }]`
    "#);
}

#[test]
fn an_option_on_a_group_that_it_cannot_narrow_is_mentioned() {
    assert_snapshot!(check("
customModes:
  - {slug: a, name: A, roleDefinition: R, groups: [[browser, {fileRegex: x}], [edit, {commandRegex: x, allowedTools: x}]]}
"), @"
    a «A»: browser, edit
    f:3:63: warning: mode `a`: `fileRegex` has no effect on group `browser`
    f:3:87: warning: mode `a`: `commandRegex` has no effect on group `edit`
    f:3:104: warning: mode `a`: `allowedTools` has no effect on group `edit`
    ");
}

#[test]
fn the_source_key_is_ignored_and_an_odd_one_is_mentioned() {
    assert_snapshot!(check("
customModes:
  - {slug: a, name: A, roleDefinition: R, groups: [], source: global}
  - {slug: b, name: B, roleDefinition: R, groups: [], source: custom}
"), @"
    a «A»: no groups
    b «B»: no groups
    f:4:63: warning: mode `b`: `source` is decided by where the file is; this value is ignored
    ");
}

#[test]
fn several_entries_of_a_group_add_up() {
    assert_snapshot!(check(r"
customModes:
  - {slug: a, name: A, roleDefinition: R, groups: [[edit, {fileRegex: '\.md$'}], read, [edit, {fileRegex: ^docs/}]]}
  - {slug: b, name: B, roleDefinition: R, groups: [[edit, {fileRegex: '\.md$'}], edit]}
  - {slug: c, name: C, roleDefinition: R, groups: [[edit, {fileRegex: a, glob: [b, c]}], [edit, {glob: d}]]}
"), @r"
    a «A»: edit [(?:\.md$)|(?:^docs/)], read
    b «B»: edit
    c «C»: edit [a and b, c or d]
    ");
}

#[test]
fn web_is_another_word_for_browser() {
    assert_snapshot!(check("
customModes:
  - {slug: a, name: A, roleDefinition: R, groups: [web]}
"), @"a «A»: browser");
}

#[test]
fn zoo_lists_mcp_servers_beside_the_groups() {
    assert_snapshot!(check("
customModes:
  - {slug: a, name: A, roleDefinition: R, groups: [mcp], allowedMcpServers: [github, docs]}
  - {slug: b, name: B, roleDefinition: R, groups: [mcp], allowedMcpServers: []}
  - {slug: c, name: C, roleDefinition: R, groups: [mcp], allowedMcpServers: }
  - {slug: d, name: D, roleDefinition: R, groups: [[mcp, {blockedTools: github/*}]]}
"), @"
    a «A»: mcp [servers github, docs]
    b «B»: mcp [no server]
    f:5:75: error: mode `c`: `allowedMcpServers` is nothing, not a list of texts
    f:6:73: error: mode `d`: `github/*`: names are compared as a whole, and `*` is not a wildcard
        for all tools of a server, name the server in `allowedMcpServers` or `blockedMcpServers`
    ");
}

#[test]
fn kilo_icons_and_rules_files_travel_with_the_mode() {
    assert_snapshot!(check("
customModes:
  - slug: a
    name: A
    roleDefinition: R
    groups: []
    iconName: codicon-book
    rulesFiles:
      - relativePath: tone.md
        content: Be kind.
      - content: nameless
"), @r#"
    a «A»: no groups {"iconName":"codicon-book"} tone.md="Be kind."
    f:11:9: warning: mode `a`: an entry of `rulesFiles` has `relativePath` and `content`
    "#);
}

#[test]
fn examples_that_hold_are_silent() {
    assert_snapshot!(check(r"
customModes:
  - slug: a
    name: A
    roleDefinition: R
    groups: [[edit, {fileRegex: '\.md$'}], [command, {commandRegex: ^npm test\b}], [mcp, {allowedMcpServers: docs}]]
    examples:
      allow: [write_to_file docs/my notes.md, execute_command npm test -- x, use_mcp_tool docs/search, write_to_file AGENTS.md]
      deny: [write_to_file src/a.ts, execute_command npm publish, use_mcp_tool github/search, read_file a]
"), @r"a «A»: edit [\.md$], command [^npm test\b], mcp [servers docs]");
}

#[test]
fn examples_that_do_not_hold_break_the_mode() {
    assert_snapshot!(check(r"
customModes:
  - slug: a
    name: A
    roleDefinition: R
    groups: [[edit, {fileRegex: .md}]]
    examples:
      allow: write_to_file a.ts
      deny: [write_to_file a.md.ts, wirte_to_file a]
"), @"
    f:8:14: error: mode `a`: example `write_to_file a.ts` should be allowed, it is denied
        Tool group 'edit' is restricted to files matching: .md
    f:9:14: error: mode `a`: example `write_to_file a.md.ts` should be denied, it is allowed
        Tool group 'edit' is enabled for what matches: .md
    f:9:37: error: mode `a`: example `wirte_to_file a` names an unknown tool
    ");
}

#[test]
fn examples_are_lists_under_allow_and_deny() {
    assert_snapshot!(check("
customModes:
  - {slug: a, name: A, roleDefinition: R, groups: [], examples: [write_to_file a]}
  - {slug: b, name: B, roleDefinition: R, groups: [], examples: {maybe: [], deny: {a: b}}}
"), @"
    f:3:65: error: mode `a`: `examples` is a map with `allow` and `deny`
    f:4:66: error: mode `b`: `examples` has `allow` and `deny`, not `maybe`
    f:4:83: error: mode `b`: `deny` is a map, not a list of texts
    ");
}

#[test]
fn anchors_and_merges_share_texts_between_modes() {
    assert_snapshot!(check("
shared: &shared {roleDefinition: R, groups: [read]}
customModes:
  - {<<: *shared, slug: a, name: A}
  - {<<: *shared, slug: b, name: B, groups: []}
"), @"
    a «A»: read
    b «B»: no groups
    ");
}

#[test]
fn one_broken_mode_leaves_the_others() {
    assert_snapshot!(check("
customModes:
  - {slug: a, name: A, roleDefinition: R, groups: [read]}
  - {slug: b, name: B, groups: [[edit, {fileRegex: '('}]]}
  - just a word
  - {slug: c, name: C, roleDefinition: R, groups: [edit]}
"), @"
    unreadable
    a «A»: read
    c «C»: edit
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:4:5: error: mode `b`: `roleDefinition` is missing
    f:4:52: error: mode `b`: `(` is not a JavaScript regular expression: Unbalanced parenthesis
    f:5:5: error: a mode is a map, this is text
    ");
}

#[test]
fn aliases_that_unfold_without_end_are_cut_off() {
    let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (name, last) in ["b", "c", "d", "e", "f", "g"]
        .iter()
        .zip(["a", "b", "c", "d", "e", "f"])
    {
        let list = vec![format!("*{last}"); 10].join(", ");
        let _ = writeln!(bomb, "{name}: &{name} [{list}]");
    }
    assert_snapshot!(check_quick(&bomb), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:4:16: error: the aliases of the file repeat too much
    ");
    assert_snapshot!(check_quick("customModes: &x [*x]"), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:1:18: error: an anchor is used inside itself
    ");
    assert_snapshot!(check_quick("customModes: *nowhere"), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:1:14: error: `*` refers to an anchor that is not there
        quote text that starts with `*`
    ");
}

#[test]
fn files_that_are_nested_too_deeply_are_cut_off() {
    assert_snapshot!(check_quick(&"[".repeat(100_000)), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:1:21: error: the file is nested more than 20 levels deep
    ");
    let block: String = (0..2_000)
        .map(|depth| format!("{}a:\n", " ".repeat(depth)))
        .collect();
    assert_snapshot!(check_quick(&block), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:21:21: error: the file is nested more than 20 levels deep
    ");
    assert_snapshot!(check_quick(&"- ".repeat(100_000)), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:1:41: error: the file is nested more than 20 levels deep
    ");
}

#[test]
fn files_with_too_many_values_are_cut_off() {
    let yaml = format!("customModes:\n{}", "  - slug: a\n".repeat(50_000));
    assert_snapshot!(check_quick(&yaml), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:33334:5: error: the file has more than 100000 values
    ");
    let json = format!("{{\"customModes\": [{}1]}}", "1,".repeat(150_000));
    assert_snapshot!(check_quick(&json), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:1:200012: error: the file has more than 100000 values
    ");
}

#[test]
fn a_broken_file_with_very_many_slugs_is_given_up() {
    let modes: String = (0..50_000)
        .map(|mode| format!("  - slug: m{mode}\n"))
        .collect();
    assert_snapshot!(check_quick(&format!("customModes:\n{modes}oops: [\n")), @"
    unreadable
    f:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    f:33334:5: error: the file has more than 100000 values
    ");
}

#[test]
fn a_large_file_with_long_texts_is_read() {
    let role = "word ".repeat(80_000);
    let text =
        format!("customModes:\n  - {{slug: a, name: A, groups: [], roleDefinition: {role}}}\n");
    assert_snapshot!(check_quick(&text), @"a «A»: no groups");
}
