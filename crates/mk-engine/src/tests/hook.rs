//! Events of agents' hooks: what is held, by which mode, and what the model is told.

#![expect(
    clippy::needless_pass_by_value,
    reason = "a test reads better with its JSON written where it is used"
)]

use mk_clients::{ClientId, HookDecision, HookVerdict, parse_event};
use mk_store::{AgentSession, DecisionFilter, ModeReach, NewProjectMode, ProcessIdentity, Ruling};
use mk_types::{AbsPath, ModeSlug, Timestamp};
use serde_json::{Value, json};

use super::World;
use crate::{ApprovalVerdict, HookOutcome, HookSettings, OwnTool, Seat};

const FILES: &str = r"
//- /.git/HEAD
ref: refs/heads/main
//- /.rooignore
secret.txt
//- /secret.txt
hidden
//- /src/main.rs
fn main() {}
//- /docs/plan.md
a plan
";

/// A project with an agent in it.
struct Agent {
    world: World,
    client: ClientId,
    session: &'static str,
    process: Option<ProcessIdentity>,
    above: Vec<ProcessIdentity>,
    configured: Option<ModeSlug>,
}

fn slug(text: &str) -> ModeSlug {
    ModeSlug::parse(text).unwrap()
}

impl Agent {
    fn new(client: ClientId) -> Self {
        let mut world = World::new(FILES);
        // As the binary does. This world's home is inside its project, and what is above a home is no policy root.
        world.settings.start_root = Some(world.fixture.root().clone());
        world.tools(OwnTool::of_client(client));
        Self {
            world,
            client,
            session: "one",
            process: None,
            above: Vec::new(),
            configured: None,
        }
    }

    /// As `modekeeper mode` does.
    fn held_in(self, mode: &str) -> Self {
        self.person_sets(mode);
        self
    }

    fn person_sets(&self, mode: &str) {
        self.person_sets_in(self.world.fixture.root(), mode);
    }

    fn person_sets_in(&self, root: &AbsPath, mode: &str) {
        let store = &self.world.store;
        self.world.runtime.block_on(async {
            let set = store.set_project_mode(NewProjectMode {
                root: root.clone(),
                worktrees: Vec::new(),
                mode: slug(mode),
                reach: ModeReach::AllActiveSince(Timestamp::from_millis(0)),
                switching: None,
                reason: String::new(),
            });
            set.await.unwrap();
        });
    }

    fn hook_from(&self, directory: &str, event: Value) -> HookOutcome {
        let root = self.world.fixture.root();
        let directory = root.as_path().join(directory);
        let mut event = event;
        event["session_id"] = json!(self.session);
        event["cwd"] = json!(directory);
        let event = parse_event(self.client, event.to_string().as_bytes()).unwrap();
        let seat = Seat {
            client: AgentSession {
                name: self.client.slug().to_owned(),
                session: self.session.to_owned(),
            },
            parent: event.parent.clone(),
            directory: AbsPath::new(&directory).unwrap(),
            process: self.process,
            above: self.above.clone(),
        };
        let settings = HookSettings {
            shell: crate::AgentShell::Open,
            mode: self.configured.clone(),
        };
        let hooks = self.world.engine().hooks();
        let answer = hooks.answer(&event, &seat, &settings);
        self.world.runtime.block_on(answer).unwrap()
    }

    fn verdict(&self, event: Value) -> HookVerdict {
        self.hook_from("", event).verdict()
    }

    /// The reason of a refusal without its decision's id; `None` if the call passes.
    fn call(&self, tool: &str, input: Value) -> Option<String> {
        self.call_from("", tool, input)
    }

    fn call_from(&self, directory: &str, tool: &str, input: Value) -> Option<String> {
        self.call_at("PreToolUse", directory, tool, input)
    }

    fn call_as(&self, event: &str, tool: &str, input: Value) -> Option<String> {
        self.call_at(event, "", tool, input)
    }

    fn call_at(&self, event: &str, directory: &str, tool: &str, input: Value) -> Option<String> {
        let event = json!({ "hook_event_name": event, "tool_name": tool, "tool_input": input });
        let verdict = self.hook_from(directory, event).verdict();
        match verdict.decision {
            HookDecision::Pass => None,
            HookDecision::Deny { reason } => {
                let root = self.world.fixture.root().as_str();
                let (text, _) = reason.rsplit_once(" (Modekeeper, dec_").unwrap();
                Some(text.replace(root, "ROOT"))
            }
            HookDecision::Rewrite { .. } => panic!("{verdict:?}"),
        }
    }

    fn path(&self, name: &str) -> String {
        self.world.fixture.path(name).display().to_string()
    }
}

#[track_caller]
fn check(refused: Option<String>, expected: &str) {
    assert_eq!(refused.as_deref().unwrap_or("passes"), expected);
}

#[test]
fn where_nothing_is_set_nothing_is_said() {
    let agent = Agent::new(ClientId::ClaudeCode);
    check(
        agent.call("Edit", json!({ "file_path": agent.path("src/main.rs") })),
        "passes",
    );
    let start = agent.verdict(json!({ "hook_event_name": "SessionStart", "source": "startup" }));
    assert_eq!(start, HookVerdict::pass());
    let all = agent
        .world
        .store
        .decisions(&DecisionFilter::default())
        .unwrap();
    assert!(all.is_empty(), "{all:?}");
}

#[test]
fn architect_writes_markdown_only() {
    let agent = Agent::new(ClientId::ClaudeCode).held_in("architect");
    let edit = agent.call("Edit", json!({ "file_path": agent.path("src/main.rs") }));
    let edit = edit.unwrap();
    let begin = "Cannot edit 'ROOT/src/main.rs' in 'architect' mode.";
    assert!(edit.starts_with(begin), "{edit}");
    assert!(
        edit.ends_with("ask the user to run `modekeeper mode code`."),
        "{edit}"
    );
    check(
        agent.call("Write", json!({ "file_path": agent.path("docs/new.md") })),
        "passes",
    );
    check(
        agent.call("Read", json!({ "file_path": agent.path("src/main.rs") })),
        "passes",
    );
    check(agent.call("TodoWrite", json!({ "todos": [] })), "passes");
    check(
        agent.call("mcp__modekeeper__switch_mode", json!({})),
        "passes",
    );
    let bash = agent
        .call("Bash", json!({ "command": "touch src/a.rs" }))
        .unwrap();
    assert!(bash.contains("'architect' mode"), "{bash}");
    let unknown = agent.call("Teleport", json!({})).unwrap();
    assert!(unknown.contains("Unknown tool 'Teleport'"), "{unknown}");
}

#[test]
fn hidden_and_outside_files_are_not_read_in_any_mode() {
    for mode in ["ask", "code"] {
        let agent = Agent::new(ClientId::ClaudeCode).held_in(mode);
        let hidden = agent.call("Read", json!({ "file_path": agent.path("secret.txt") }));
        assert!(hidden.unwrap().contains("hidden by .rooignore"));
        let outside = agent.call("Read", json!({ "file_path": "/etc/passwd" }));
        assert!(outside.unwrap().contains("outside the project"));
        let glob = agent.call("Glob", json!({ "pattern": "/etc/**" }));
        assert!(glob.unwrap().contains("outside the project"));
    }
}

#[test]
fn a_search_shows_no_hidden_file() {
    let agent = Agent::new(ClientId::ClaudeCode).held_in("code");
    check(
        agent.call("Grep", json!({ "pattern": "x" })),
        "'Grep' would show 'secret.txt', which .rooignore hides. Hint: leave it out with `glob`: \"!**/secret.txt\", \
         search another directory, or use Modekeeper's search_for_pattern, which leaves hidden files out.",
    );
    for input in [
        json!({ "pattern": "x", "glob": "!**/secret.txt" }),
        json!({ "pattern": "x", "glob": "*.rs, *.md" }),
        json!({ "pattern": "x", "type": "rust" }),
        json!({ "pattern": "x", "path": agent.path("src") }),
        json!({ "pattern": "x", "path": "src" }),
    ] {
        check(agent.call("Grep", input), "passes");
    }
    check(agent.call("Glob", json!({ "pattern": "**/*" })), "passes");
    let named = agent.call("Glob", json!({ "pattern": "secret.txt" }));
    assert!(named.unwrap().contains("hidden by .rooignore"));
    let gemini = Agent::new(ClientId::Gemini).held_in("ask");
    let many = |include: Value| gemini.call_as("BeforeTool", "read_many_files", include);
    assert!(many(json!({ "include": ["**/*"] })).is_some());
    check(many(json!({ "include": ["src/**/*.rs"] })), "passes");
    check(
        many(json!({ "include": ["src", "docs/plan.md"] })),
        "passes",
    );
    let root = gemini.path("");
    for include in [
        json!(["src/main.rs", "*.txt"]),
        json!(["."]),
        json!(["**/*", "!**/secret.txt"]),
        json!([format!("{}/**", root.trim_end_matches('/'))]),
    ] {
        assert!(many(json!({ "include": include })).is_some(), "{include}");
    }
    let qwen = Agent::new(ClientId::Qwen).held_in("ask");
    let unread = qwen.call("grep_search", json!({ "pattern": "x", "glob": 1 }));
    assert!(unread.unwrap().contains("secret.txt"));
}

#[test]
fn relative_paths_begin_where_the_agent_works_and_the_root_stays() {
    let agent = Agent::new(ClientId::ClaudeCode).held_in("architect");
    check(
        agent.call_from("docs", "Write", json!({ "file_path": "plan.md" })),
        "passes",
    );
    let up = agent.call_from("docs", "Read", json!({ "file_path": "../secret.txt" }));
    assert!(up.unwrap().contains("hidden by .rooignore"));
    // A directory with its own mark does not become the root of a conversation that has begun.
    agent
        .world
        .fixture
        .write("/vendor/.git/HEAD", "ref: refs/heads/main\n");
    let inner = agent.call_from("vendor", "Write", json!({ "file_path": "a.rs" }));
    assert!(inner.unwrap().contains("'architect' mode"));
}

#[test]
fn a_person_switches_and_the_next_call_is_decided_by_the_new_mode() {
    let agent = Agent::new(ClientId::ClaudeCode).held_in("architect");
    let edit = || agent.call("Edit", json!({ "file_path": agent.path("src/main.rs") }));
    assert!(edit().is_some());
    agent.person_sets("code");
    assert_eq!(edit(), None);
}

#[test]
fn the_model_is_told_its_mode_at_the_start_and_after_a_switch() {
    let agent = Agent::new(ClientId::ClaudeCode).held_in("architect");
    let prompt = || agent.verdict(json!({ "hook_event_name": "UserPromptSubmit", "prompt": "hi" }));
    let first = prompt().context.unwrap();
    assert!(
        first.starts_with("Modekeeper holds this conversation in 'architect' mode"),
        "{first}"
    );
    assert_eq!(prompt().context, None);
    agent.person_sets("ask");
    let second = prompt().context.unwrap();
    assert!(second.contains("'ask' mode"), "{second}");
}

#[test]
fn the_configuration_holds_where_no_person_has_set_a_mode() {
    let mut agent = Agent::new(ClientId::Codex);
    agent.configured = Some(slug("ask"));
    let edit = agent.call(
        "apply_patch",
        json!({ "command": "*** Begin Patch\n*** Add File: a.rs\n+x\n*** End Patch" }),
    );
    assert!(edit.unwrap().contains("'ask' mode"));
    agent.person_sets("code");
    let edit = agent.call(
        "apply_patch",
        json!({ "command": "*** Begin Patch\n*** Add File: a.rs\n+x\n*** End Patch" }),
    );
    assert_eq!(edit, None);
}

#[test]
fn every_file_of_a_patch_counts() {
    let agent = Agent::new(ClientId::Codex).held_in("architect");
    let patch =
        |body: &str| json!({ "command": format!("*** Begin Patch\n{body}\n*** End Patch\n") });
    check(
        agent.call("apply_patch", patch("*** Add File: docs/a.md\n+x")),
        "passes",
    );
    let moved = patch("*** Update File: docs/plan.md\n*** Move to: src/plan.rs\n@@\n-a plan\n+b");
    assert!(
        agent
            .call("apply_patch", moved)
            .unwrap()
            .contains("src/plan.rs")
    );
    assert!(
        agent
            .call("apply_patch", json!({ "command": "nonsense" }))
            .is_some()
    );
}

#[test]
fn codex_starts_no_interpreter_that_could_be_typed_into() {
    let agent = Agent::new(ClientId::Codex);
    agent.world.fixture.write("/.roomodes", "customModes:\n  - {slug: tester, name: Tester, roleDefinition: x, groups: [read, command]}\n");
    let agent = agent.held_in("tester");
    let refused = agent.call("Bash", json!({ "command": "bash" })).unwrap();
    assert!(
        refused.contains("Cannot run 'bash' without a script in 'tester' mode"),
        "{refused}"
    );
    agent.person_sets("code");
    check(agent.call("Bash", json!({ "command": "bash" })), "passes");
}

#[test]
fn an_agent_that_another_agent_started_has_its_mode_as_a_ceiling() {
    let outer_process = ProcessIdentity {
        id: 100,
        started: 1,
    };
    let mut agent = Agent::new(ClientId::Codex).held_in("code");
    // The outer agent, in `architect`.
    agent.session = "outer";
    agent.process = Some(outer_process);
    check(agent.call("Bash", json!({ "command": "ls" })), "passes");
    let client = AgentSession {
        name: "codex".to_owned(),
        session: "outer".to_owned(),
    };
    let outer = agent
        .world
        .store
        .conversation_of_client(&client)
        .unwrap()
        .unwrap();
    let set = agent
        .world
        .store
        .set_conversation_mode(&outer.id, Some(slug("architect")));
    agent.world.runtime.block_on(set).unwrap();
    // The inner one is another product, started below it.
    agent.client = ClientId::Gemini;
    agent.session = "inner";
    agent.process = Some(ProcessIdentity {
        id: 300,
        started: 3,
    });
    agent.above = vec![
        ProcessIdentity {
            id: 200,
            started: 2,
        },
        outer_process,
    ];
    let event = json!({ "hook_event_name": "BeforeTool", "tool_name": "run_shell_command", "tool_input": { "command": "ls" } });
    let verdict = agent.hook_from("", event).verdict();
    let HookDecision::Deny { reason } = verdict.decision else {
        panic!("{verdict:?}")
    };
    assert!(reason.contains("under the bound 'architect'"), "{reason}");
}

#[test]
fn a_child_session_has_its_parents_mode() {
    let mut agent = Agent::new(ClientId::Copilot).held_in("code");
    let event = |session: &str, parent: Option<&str>| {
        let mut event = json!({
            "sessionId": session, "cwd": agent.world.fixture.root().as_str(),
            "toolName": "create", "toolArgs": { "path": "src/a.rs", "file_text": "x" },
        });
        if let Some(parent) = parent {
            event["agentId"] = json!(session);
            event["parentAgentId"] = json!(parent);
        }
        parse_event(ClientId::Copilot, event.to_string().as_bytes()).unwrap()
    };
    let answer = |event: &mk_clients::HookEvent| {
        let seat = Seat {
            client: AgentSession {
                name: "copilot".to_owned(),
                session: event.conversation.clone().unwrap(),
            },
            parent: event.parent.clone(),
            directory: agent.world.fixture.root().clone(),
            process: None,
            above: Vec::new(),
        };
        let settings = HookSettings::default();
        let hooks = agent.world.engine().hooks();
        let answer = hooks.answer(event, &seat, &settings);
        let verdict = agent.world.runtime.block_on(answer).unwrap().verdict();
        verdict.decision
    };
    assert_eq!(answer(&event("root", None)), HookDecision::Pass);
    let client = AgentSession {
        name: "copilot".to_owned(),
        session: "root".to_owned(),
    };
    let root = agent
        .world
        .store
        .conversation_of_client(&client)
        .unwrap()
        .unwrap();
    let set = agent
        .world
        .store
        .set_conversation_mode(&root.id, Some(slug("ask")));
    agent.world.runtime.block_on(set).unwrap();
    let HookDecision::Deny { reason } = answer(&event("child", Some("root"))) else {
        panic!("the child is not held");
    };
    assert!(reason.contains("'ask' mode"), "{reason}");
    agent.session = "root";
}

#[test]
fn a_protected_file_waits_for_a_person_and_the_same_call_uses_the_answer_up() {
    let agent = Agent::new(ClientId::ClaudeCode).held_in("code");
    let event = || {
        json!({
            "hook_event_name": "PreToolUse", "tool_name": "Write",
            "tool_input": { "file_path": agent.path(".roomodes"), "content": "x" },
        })
    };
    let HookOutcome::Waits(approval, verdict) = agent.hook_from("", event()) else {
        panic!("not asked")
    };
    let HookDecision::Deny { reason } = verdict.decision else {
        panic!("{verdict:?}")
    };
    assert!(
        reason.contains(&format!("modekeeper approve {}", approval.id)),
        "{reason}"
    );
    let approvals = agent.world.engine().approvals();
    let decide = approvals.decide(&approval.id, ApprovalVerdict::Granted, "test");
    agent.world.runtime.block_on(decide).unwrap();
    let passed = |hooked: HookOutcome| {
        matches!(
            hooked,
            HookOutcome::Decided(HookVerdict {
                decision: HookDecision::Pass,
                ..
            })
        )
    };
    assert!(passed(agent.hook_from("", event())));
    assert!(!passed(agent.hook_from("", event())));
}

/// A person who approves what an agent writes with its own tools has seen what it writes.
#[test]
fn a_request_of_a_hook_shows_what_would_change() {
    let check = |tool: &str, mut input: Value, expected: &str| {
        let agent = Agent::new(ClientId::ClaudeCode).held_in("code");
        let file = agent.path(".roomodes");
        let modes = "customModes:\n  - slug: docs\n    name: Docs\n";
        agent.world.fixture.write(".roomodes", modes);
        input["file_path"] = json!(file);
        let event =
            json!({ "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input });
        let HookOutcome::Waits(approval, _) = agent.hook_from("", event) else {
            panic!("not asked")
        };
        assert_eq!(approval.plan, expected);
    };
    let diff = ".roomodes\n@@ -1,3 +1,3 @@\n customModes:\n   - slug: docs\n-    name: Docs\n+    name: Evil\n";
    let text = "customModes:\n  - slug: docs\n    name: Evil\n";
    check("Write", json!({ "content": text }), diff);
    let replace = json!({ "old_string": "name: Docs", "new_string": "name: Evil" });
    check("Edit", replace.clone(), diff);
    check("MultiEdit", json!({ "edits": [replace] }), diff);
    // What does not fit the file is shown as it was given.
    let missing = json!({ "old_string": "name: Other", "new_string": "name: Evil" });
    let agent = Agent::new(ClientId::ClaudeCode).held_in("code");
    let mut input = missing;
    input["file_path"] = json!(agent.path(".roomodes"));
    let event =
        json!({ "hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": input });
    let HookOutcome::Waits(approval, _) = agent.hook_from("", event) else {
        panic!("not asked")
    };
    assert!(approval.plan.contains("name: Other"), "{}", approval.plan);
}

/// Copilot also runs the hooks of a project's Claude settings, under another name of the same tool.
#[test]
fn an_approved_use_passes_once_under_each_name() {
    let agent = Agent::new(ClientId::Copilot).held_in("code");
    let input = json!({ "path": agent.path(".roomodes"), "file_text": "x" });
    let own = || json!({ "toolName": "create", "toolArgs": input, "toolCallId": "use-1" });
    let claude = || {
        json!({
            "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": input, "tool_use_id": "use-1",
        })
    };
    let HookOutcome::Waits(approval, _) = agent.hook_from("", own()) else {
        panic!("not asked")
    };
    let approvals = agent.world.engine().approvals();
    let decide = approvals.decide(&approval.id, ApprovalVerdict::Granted, "test");
    agent.world.runtime.block_on(decide).unwrap();
    let passes = |event: Value| agent.verdict(event).decision == HookDecision::Pass;
    assert!(passes(own()));
    assert!(passes(claude()));
    // A model may choose the same id again.
    assert!(!passes(own()));
    assert!(!passes(claude()));
    // Another tool with the same id and input is another use.
    let other = json!({ "toolName": "edit", "toolArgs": input, "toolCallId": "use-1" });
    assert!(!passes(other));
}

/// Copilot 1.0.102 gives its calls no ids.
#[test]
fn an_approved_use_without_an_id_passes_once_under_each_name() {
    let agent = Agent::new(ClientId::Copilot).held_in("code");
    let input = json!({ "path": agent.path(".roomodes"), "file_text": "x" });
    let own = || json!({ "toolName": "create", "toolArgs": input });
    let claude = || {
        json!({
            "hook_event_name": "PreToolUse", "timestamp": "2026-11-17T23:08:45.429Z", "tool_name": "Write",
            "tool_input": input,
        })
    };
    let HookOutcome::Waits(approval, _) = agent.hook_from("", own()) else {
        panic!("not asked")
    };
    let passes = |event: Value| agent.verdict(event).decision == HookDecision::Pass;
    assert!(!passes(claude()));
    let approvals = agent.world.engine().approvals();
    let decide = approvals.decide(&approval.id, ApprovalVerdict::Granted, "test");
    agent.world.runtime.block_on(decide).unwrap();
    assert!(passes(own()));
    assert!(passes(claude()));
    assert!(!passes(claude()));
    assert!(!passes(own()));
    assert!(!passes(claude()));
}

#[test]
fn a_canary_is_refused_and_kept_nowhere() {
    for client in [ClientId::ClaudeCode, ClientId::Copilot, ClientId::Cline] {
        let agent = Agent::new(client);
        let root = agent.world.fixture.root().as_path();
        let fire = || {
            let event = mk_clients::canary(client, root).unwrap();
            agent
                .verdict(serde_json::from_str(&event).unwrap())
                .decision
        };
        assert_eq!(fire(), HookDecision::Pass, "nothing is set");
        agent.person_sets("code");
        assert!(matches!(fire(), HookDecision::Deny { .. }), "{client:?}");
        let store = &agent.world.store;
        let decisions = store.decisions(&DecisionFilter::default()).unwrap();
        assert!(decisions.is_empty(), "{decisions:?}");
        let session = AgentSession {
            name: client.slug().to_owned(),
            session: "one".to_owned(),
        };
        assert_eq!(store.conversation_of_client(&session).unwrap(), None);
    }
}

#[test]
fn a_project_holds_an_agent_that_was_started_above_it() {
    let begin = |root: &str| {
        let mut agent = Agent::new(ClientId::ClaudeCode);
        let fixture = &agent.world.fixture;
        fixture.write("/vendor/.git/HEAD", "ref: refs/heads/main\n");
        fixture.write("/vendor/a.rs", "fn a() {}\n");
        let vendor = AbsPath::new(&fixture.path("vendor")).unwrap();
        agent.world.settings.start_root = AbsPath::new(&fixture.path(root));
        agent.world.tools(std::iter::empty());
        agent.person_sets_in(&vendor, "architect");
        (agent, vendor)
    };
    let (above, vendor) = begin("");
    let event = json!({
        "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": { "file_path": "vendor/a.rs" },
    });
    let outcome = above.hook_from("", event);
    assert!(matches!(outcome, HookOutcome::Elsewhere(root) if root == vendor));
    let (agent, _) = begin("vendor");
    let edit = |path: &str| agent.call("Edit", json!({ "file_path": agent.path(path) }));
    assert!(edit("vendor/a.rs").unwrap().contains("'architect' mode"));
    check(edit("vendor/plan.md"), "passes");
    check(edit("src/main.rs"), "passes");
    let run = |directory: &str, line: &str| {
        let input = json!({ "command": line });
        agent.call_from(directory, "Bash", input)
    };
    assert!(run("", "rm vendor/a.rs").is_some());
    assert!(run("", "cd vendor && touch b.rs").is_some());
    assert!(run("vendor", "touch b.rs").is_some());
    check(run("", "touch src/b.rs"), "passes");
}

#[test]
fn a_project_inside_a_held_one_holds_what_touches_it() {
    let agent = Agent::new(ClientId::ClaudeCode).held_in("code");
    let fixture = &agent.world.fixture;
    fixture.write("/vendor/.git/HEAD", "ref: refs/heads/main\n");
    fixture.write("/vendor/a.rs", "fn a() {}\n");
    let vendor = AbsPath::new(&fixture.path("vendor")).unwrap();
    agent.person_sets_in(&vendor, "architect");
    let edit = |path: &str| agent.call("Edit", json!({ "file_path": agent.path(path) }));
    let refused = edit("vendor/a.rs").unwrap();
    assert!(refused.contains("in 'architect' mode"), "{refused}");
    check(edit("vendor/plan.md"), "passes");
    check(edit("src/main.rs"), "passes");
    let run = |line: &str| agent.call("Bash", json!({ "command": line }));
    assert!(run("rm vendor/a.rs").is_some());
    check(run("touch src/b.rs"), "passes");
}

#[test]
fn a_use_is_told_by_its_whole_input() {
    let agent = Agent::new(ClientId::ClaudeCode).held_in("ask");
    let use_of = |id: &str, path: &str| {
        agent
            .verdict(json!({
                "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_use_id": id,
                "tool_input": { "file_path": agent.path(path) },
            }))
            .decision
    };
    let first = use_of("use-1", "a.md");
    // A model that uses an id again gets no answer of another call.
    assert_ne!(use_of("use-1", "b.md"), first);
    let all = agent
        .world
        .store
        .decisions(&DecisionFilter::default())
        .unwrap();
    assert_eq!(all.len(), 2);
    assert!(all.iter().all(|it| it.ruling == Ruling::Deny));
}

#[test]
fn a_pause_lets_everything_pass_and_is_recorded() {
    let agent = Agent::new(ClientId::ClaudeCode).held_in("ask");
    let time = std::time::Duration::from_secs(600);
    let pause = agent.world.engine().conversations();
    let pause = pause.pause(agent.world.fixture.root(), Some(time));
    agent.world.runtime.block_on(pause).unwrap();
    let edit = || agent.call("Edit", json!({ "file_path": agent.path("src/main.rs") }));
    assert_eq!(edit(), None);
    let all = agent
        .world
        .store
        .decisions(&DecisionFilter::default())
        .unwrap();
    assert_eq!(all[0].ruling, Ruling::Paused);
    let shown = || {
        let conversations = agent.world.engine().conversations();
        let here = conversations.standpoint(agent.world.fixture.root());
        here.unwrap().project.unwrap().paused_until
    };
    assert!(shown().is_some());
    agent.world.clock.advance(time);
    assert!(edit().is_some());
    assert_eq!(shown(), None);
}

#[test]
fn without_a_store_only_what_every_mode_shows_is_read() {
    let agent = Agent::new(ClientId::ClaudeCode);
    let root = agent.world.fixture.root();
    let answer = |tool: &str, input: Value| {
        let event = json!({ "hook_event_name": "PreToolUse", "session_id": "x", "cwd": root.as_str(), "tool_name": tool, "tool_input": input });
        let event = parse_event(ClientId::ClaudeCode, event.to_string().as_bytes()).unwrap();
        let hooks = agent.world.engine().hooks();
        hooks
            .answer_without_store(&event, root, "no store")
            .decision
    };
    let denied = HookDecision::Deny {
        reason: "no store".to_owned(),
    };
    assert_eq!(
        answer("Read", json!({ "file_path": agent.path("src/main.rs") })),
        HookDecision::Pass
    );
    assert_eq!(answer("ToolSearch", json!({})), HookDecision::Pass);
    assert_eq!(
        answer("Read", json!({ "file_path": agent.path("secret.txt") })),
        denied
    );
    assert_eq!(
        answer("Read", json!({ "file_path": "/etc/passwd" })),
        denied
    );
    assert_eq!(
        answer("Edit", json!({ "file_path": agent.path("docs/plan.md") })),
        denied
    );
    assert_eq!(answer("Bash", json!({ "command": "ls" })), denied);
}

/// An agent in `code` above a project that a person holds in another mode.
fn above_a_project(mode: &str) -> Agent {
    let agent = Agent::new(ClientId::ClaudeCode).held_in("code");
    let fixture = &agent.world.fixture;
    fixture.write("inner/a.rs", "fn a() {}\n");
    fixture.write(
        "inner/.roomodes",
        "customModes: [{slug: index, name: I, roleDefinition: R, groups: [[read, {fileRegex: '\\.md$'}], command]}]",
    );
    agent.person_sets_in(&inner(&agent), mode);
    agent
}

fn inner(agent: &Agent) -> AbsPath {
    AbsPath::new(&agent.world.fixture.path("inner")).unwrap()
}

#[test]
fn a_line_shows_no_hidden_file_by_a_pattern() {
    let agent = Agent::new(ClientId::ClaudeCode).held_in("code");
    let fixture = &agent.world.fixture;
    fixture.write("app/[id]/secret.txt", "x");
    fixture.write("global/home/.profile", "");
    fixture.write("big/secret.txt", "x");
    for number in 0..2_000 {
        fixture.write(&format!("big/{number}.txt"), "");
    }
    let root = fixture.root().as_str();
    let name = root.rsplit_once('/').unwrap().1;
    let hidden = "hidden by .rooignore";
    for (directory, line, expected) in [
        ("", "cat s*.txt".to_owned(), hidden),
        ("docs", "cat ../s*.txt".to_owned(), hidden),
        ("app/[id]", "cat s*.txt".to_owned(), hidden),
        ("", format!("cat {root}/s*.txt"), hidden),
        ("", format!("cat {root}/../{name}/s*.txt"), hidden),
        // In these tests the home is `global/home` in the project.
        ("", "cat ~/../../secret.txt".to_owned(), hidden),
        ("", "cat ~/../../s*.txt".to_owned(), hidden),
        ("", "grep -r x ..".to_owned(), "Cannot determine"),
        ("", "cat big/*.txt".to_owned(), "too many files"),
        ("", "cat docs/*".to_owned(), "passes"),
        ("", "cat src/*.rs".to_owned(), "passes"),
    ] {
        let answer = agent.call_from(directory, "Bash", json!({ "command": line }));
        let answer = answer.unwrap_or_else(|| "passes".to_owned());
        assert!(answer.contains(expected), "{line} in {directory}: {answer}");
    }
}

#[test]
fn a_pattern_writes_nothing_that_the_mode_may_not_edit() {
    let agent = Agent::new(ClientId::ClaudeCode).held_in("code");
    let modes = "customModes: [{slug: docs, name: D, roleDefinition: R, groups: [read, command, [edit, {fileRegex: '^docs/'}]]}]";
    agent.world.fixture.write(".roomodes", modes);
    let agent = agent.held_in("docs");
    let root = agent.world.fixture.root().as_str().to_owned();
    for line in [
        "rm s*/main.rs".to_owned(),
        format!("rm {root}*/src/main.rs"),
    ] {
        let answer = agent.call("Bash", json!({ "command": line }));
        assert!(answer.is_some(), "{line}");
    }
    check(
        agent.call("Bash", json!({ "command": "rm docs/*" })),
        "passes",
    );
}

#[test]
fn a_nested_project_holds_calls_of_an_agent_and_says_where_to_allow_more() {
    let agent = above_a_project("architect");
    let expected = "ask the user to run `modekeeper --project-root ROOT/inner mode <slug>`.";
    let edit = agent.call("Edit", json!({ "file_path": agent.path("inner/a.rs") }));
    let edit = edit.unwrap();
    assert!(
        edit.contains("'architect' mode") && edit.ends_with(expected),
        "{edit}"
    );
    let filter = DecisionFilter::default();
    let all = agent.world.store.decisions(&filter).unwrap();
    assert_eq!(all[0].mode, slug("architect"));
    let decisions = agent.world.engine().decisions();
    let again = decisions
        .replay(&filter, &crate::ReplayModes::default())
        .unwrap();
    let again = again.last().unwrap();
    assert_eq!(
        (again.ruling, &again.reason),
        (Ruling::Deny, &all[0].reason)
    );
    for line in ["rm in*/a.rs", "rm */a.rs", "rm -rf inne*"] {
        let answer = agent.call("Bash", json!({ "command": line })).unwrap();
        assert!(answer.contains("'architect' mode"), "{line}: {answer}");
    }
    check(
        agent.call("Bash", json!({ "command": "cat in*/a.rs" })),
        "passes",
    );
}

#[test]
fn a_search_shows_nothing_that_a_nested_project_may_not_read() {
    let agent = above_a_project("index");
    let search = |path: &str| {
        agent.call(
            "Grep",
            json!({ "pattern": "x", "path": agent.path(path), "glob": "*.rs" }),
        )
    };
    check(
        search(""),
        "'Grep' would search the project ROOT/inner, whose mode reads only some files. Hint: search another directory, \
         or use Modekeeper's search_for_pattern, which leaves hidden files out.",
    );
    check(search("src"), "passes");
}

#[test]
fn a_pause_leaves_a_nested_project_held() {
    let agent = above_a_project("architect");
    let pause = |root: &AbsPath| {
        let time = std::time::Duration::from_secs(600);
        let conversations = agent.world.engine().conversations();
        let pause = conversations.pause(root, Some(time));
        agent.world.runtime.block_on(pause).unwrap();
    };
    let edit = |path: &str| agent.call("Edit", json!({ "file_path": agent.path(path) }));
    pause(agent.world.fixture.root());
    check(edit("src/main.rs"), "passes");
    assert!(edit("inner/a.rs").unwrap().contains("'architect' mode"));
}

#[test]
fn a_permit_counts_only_under_the_modes_of_nested_projects_that_it_was_given_under() {
    let agent = above_a_project("code");
    let run = |line: &str, before: &dyn Fn()| {
        let passed = agent.call_from("inner", "Bash", json!({ "command": line }));
        check(passed, "passes");
        before();
        let sessions = [AgentSession {
            name: agent.client.slug().to_owned(),
            session: agent.session.to_owned(),
        }];
        let asked = crate::CommandAsked {
            sessions: &sessions,
            above: &[],
            directory: &inner(&agent),
            project: agent.world.fixture.root(),
            line_hash: &crate::line_hash(line),
            configured: None,
            narrowed: None,
            permit: None,
        };
        let held = agent.world.engine().hold_command(&asked);
        agent.world.runtime.block_on(held).unwrap().permit
    };
    assert!(run("ls", &|| {}).is_some());
    let narrow = || agent.person_sets_in(&inner(&agent), "debug");
    assert!(run("ls -l", &narrow).is_none());
}
