//! Contract 5 on a line: its examples, its errors, and the user's own content next to ours.

use serde_json::{Value, json};

use super::World;
use super::wire::{Wire, modern, request, text};

const PROJECT: &str = r#"
//- /codingbuddy.config.js
module.exports = {
  language: 'ko',
  projectName: 'my-app',
  techStack: { languages: ['TypeScript'], frontend: ['React'] },
  architecture: { pattern: 'feature-sliced-design' },
};
//- /package.json
{ "name": "my-app", "dependencies": { "react": "19", "next": "16" } }
//- /tsconfig.json
{}
//- /src/auth/login.ts
export {};
//- /AGENTS.md
# Team

Write tests first.
//- /src/auth/AGENTS.md
# Authentication

Never log a token.
//- /.cursor/rules/react.mdc
---
description: React components
globs: "**/*.tsx"
---
Use function components.
//- /.codingbuddy/agents/pirate.json
{ "name": "Pirate", "description": "Speaks like one", "role": { "title": "Pirate", "expertise": ["sailing"] } }
//- /.claude/skills/release-notes/SKILL.md
---
name: release-notes
description: Writes the notes of a release from the commits since the last tag.
---
# Release notes

List the commits.
"#;

/// The answer of a rules tool, which is JSON in a text.
async fn ask(wire: &mut Wire, tool: &str, arguments: Value) -> Value {
    let answer = wire.call(tool, arguments).await;
    assert_eq!(
        answer["result"]["isError"],
        Value::Null,
        "{tool}: {answer:#}"
    );
    serde_json::from_str(text(&answer))
        .unwrap_or_else(|error| panic!("{tool}: {error}: {answer:#}"))
}

/// A call that fails with these words.
async fn check_refused(wire: &mut Wire, tool: &str, arguments: Value, message: &str) {
    let answer = wire.call(tool, arguments).await;
    assert_eq!(answer["result"]["isError"], true, "{tool}: {answer:#}");
    assert_eq!(text(&answer), message, "{tool}");
}

fn names(list: &Value, key: &str) -> Vec<String> {
    let entries = list.as_array().into_iter().flatten();
    entries
        .filter_map(|entry| entry[key].as_str())
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn everything_that_is_listed_can_be_read() {
    let world = World::new(PROJECT);
    let mut wire = Wire::open(&world).await;
    let listed = wire.request(request(1, "resources/list", json!({}))).await;
    let listed = listed["result"]["resources"]
        .as_array()
        .expect("a list")
        .clone();
    let uris = names(&Value::Array(listed.clone()), "uri");
    for uri in [
        "config://project",
        "rules://rules/core.md",
        "rules://rules/project.md",
        "rules://rules/augmented-coding.md",
        "rules://agents/frontend-developer.json",
        "rules://agents/plan-mode.json",
        "rules://agents/pirate.json",
        "rules://skills/systematic-debugging/SKILL.md",
        "rules://skills/release-notes/SKILL.md",
        "rules://checklists/security.json",
    ] {
        assert!(uris.iter().any(|known| known == uri), "{uri} in {uris:#?}");
    }
    for resource in &listed {
        let uri = &resource["uri"];
        let read = wire
            .request(request(1, "resources/read", json!({ "uri": uri })))
            .await;
        let content = &read["result"]["contents"][0];
        assert_eq!(content["uri"], *uri, "{read:#}");
        assert_eq!(content["mimeType"], resource["mimeType"], "{uri}");
        assert!(
            content["text"]
                .as_str()
                .is_some_and(|text| !text.is_empty()),
            "{uri}"
        );
    }
}

#[tokio::test]
async fn the_configuration_is_flat_and_read_without_running_it() {
    let world = World::new(PROJECT);
    let mut wire = Wire::open(&world).await;
    let read = json!({ "uri": "config://project" });
    let read = wire.request(request(1, "resources/read", read)).await;
    let content = &read["result"]["contents"][0];
    assert_eq!(content["mimeType"], "application/json");
    let config: Value =
        serde_json::from_str(content["text"].as_str().expect("a text")).expect("JSON");
    assert_eq!(config["language"], "ko");
    assert_eq!(config["techStack"]["frontend"], json!(["React"]));
    assert_eq!(
        ask(&mut wire, "get_project_config", json!({})).await,
        config
    );
}

#[tokio::test]
async fn a_missing_configuration_is_empty_and_a_broken_one_says_where() {
    let world = World::new("");
    let mut wire = Wire::open(&world).await;
    assert_eq!(
        ask(&mut wire, "get_project_config", json!({})).await,
        json!({})
    );
    world.files.write(
        "codingbuddy.config.js",
        "module.exports = { language: process.env.LANG }",
    );
    let answer = wire.call("get_project_config", json!({})).await;
    assert_eq!(answer["result"]["isError"], true, "{answer:#}");
    let message = text(&answer);
    assert!(
        message.starts_with("Failed to load project configuration: "),
        "{message}"
    );
    assert!(message.contains("codingbuddy.config.js:1:"), "{message}");
    let read = json!({ "uri": "config://project" });
    let read = wire.request(request(1, "resources/read", read)).await;
    assert_eq!(read["error"]["code"], -32603, "{read:#}");
}

#[tokio::test]
async fn what_is_not_there_is_refused_in_the_contracts_words() {
    let world = World::new(PROJECT);
    let mut wire = Wire::open(&world).await;
    for (uri, code, message) in [
        (
            "rules://agents/nobody.json",
            -32600,
            "Resource not found: rules://agents/nobody.json",
        ),
        (
            "rules://../../etc/passwd",
            -32600,
            "Resource not found: rules://../../etc/passwd",
        ),
        (
            "config://elsewhere",
            -32600,
            "Resource not found: config://elsewhere",
        ),
        ("ftp://rules/core.md", -32600, "Invalid URI scheme"),
    ] {
        let read = wire
            .request(request(1, "resources/read", json!({ "uri": uri })))
            .await;
        assert_eq!(read["error"]["code"], code, "{uri}: {read:#}");
        assert_eq!(read["error"]["message"], message, "{uri}");
        let read = wire
            .request(modern(1, "resources/read", json!({ "uri": uri })))
            .await;
        assert_eq!(read["error"]["code"], -32602, "{uri}: {read:#}");
    }
    let nobody = json!({ "agentName": "unknown-agent", "context": { "mode": "EVAL" } });
    check_refused(
        &mut wire,
        "get_agent_system_prompt",
        nobody,
        "Agent 'unknown-agent' not found.",
    )
    .await;
    check_refused(
        &mut wire,
        "get_skill",
        json!({ "name": "../x" }),
        "Skill '../x' not found.",
    )
    .await;
    check_refused(
        &mut wire,
        "search_rules",
        json!({}),
        "Missing required parameter: query",
    )
    .await;
    let answer = wire.call("no_such_tool", json!({})).await;
    assert_eq!(answer["error"]["code"], -32601, "{answer:#}");
    assert_eq!(answer["error"]["message"], "Tool not found: no_such_tool");
}

#[tokio::test]
async fn rules_are_searched_and_known_by_file() {
    let world = World::new(PROJECT);
    let mut wire = Wire::open(&world).await;
    let found = ask(&mut wire, "search_rules", json!({ "query": "TDD" })).await;
    let files = names(&found, "file");
    assert!(
        files.iter().any(|file| file == "rules/augmented-coding.md"),
        "{files:?}"
    );
    assert!(
        found[0]["matches"][0]
            .as_str()
            .is_some_and(|line| line.starts_with("Line "))
    );
    let found = ask(
        &mut wire,
        "search_rules",
        json!({ "query": "never log a token" }),
    )
    .await;
    assert_eq!(found[0]["source"], "custom", "{found:#}");
    let files = json!({ "files": ["src/auth/login.ts", "src/App.tsx"] });
    let applied = ask(&mut wire, "rules_for_files", files).await;
    let auth = applied["rules"]
        .as_array()
        .and_then(|rules| rules.iter().find(|rule| rule["title"] == "Authentication"))
        .expect("the nearest AGENTS.md");
    assert_eq!(auth["files"], json!(["src/auth/login.ts"]));
    assert_eq!(auth["reason"], "nearest");
}

#[tokio::test]
async fn skills_are_listed_by_priority_and_read() {
    let world = World::new(PROJECT);
    let mut wire = Wire::open(&world).await;
    let all = ask(&mut wire, "list_skills", json!({})).await;
    assert_eq!(all["skills"][0]["name"], "systematic-debugging");
    assert_eq!(all["skills"][0]["priority"], 1);
    assert_eq!(all["skills"][0]["concepts"][0], "bug");
    let known = names(&all["skills"], "name");
    assert_eq!(all["total"], known.len());
    assert!(
        known.iter().any(|name| name == "release-notes"),
        "{known:?}"
    );
    let few = ask(
        &mut wire,
        "list_skills",
        json!({ "minPriority": 1, "maxPriority": 3 }),
    )
    .await;
    assert_eq!(few["total"], 3, "{few:#}");
    let skill = ask(&mut wire, "get_skill", json!({ "name": "release-notes" })).await;
    assert!(
        skill["content"]
            .as_str()
            .is_some_and(|text| text.contains("List the commits")),
        "{skill:#}"
    );
}

#[tokio::test]
async fn skills_are_recommended_or_nothing_is() {
    let world = World::new(PROJECT);
    let mut wire = Wire::open(&world).await;
    let prompt = "There is a bug in the login";
    let found = ask(&mut wire, "recommend_skills", json!({ "prompt": prompt })).await;
    assert_eq!(found["originalPrompt"], prompt);
    let first = &found["recommendations"][0];
    assert_eq!(first["skillName"], "systematic-debugging");
    assert_eq!(first["confidence"], "high");
    assert_eq!(first["matchedPatterns"], json!(["bug"]));
    assert!(first["description"].is_string());
    for (prompt, skill) in [
        ("로그인에 버그가 있어", "systematic-debugging"),
        ("Build a dashboard component", "frontend-design"),
        (
            "write the release notes from the commits since the last tag",
            "release-notes",
        ),
    ] {
        let found = ask(&mut wire, "recommend_skills", json!({ "prompt": prompt })).await;
        let names = names(&found["recommendations"], "skillName");
        assert!(
            names.iter().any(|name| name == skill),
            "{prompt}: {names:?}"
        );
    }
    let nothing = ask(
        &mut wire,
        "recommend_skills",
        json!({ "prompt": "good morning" }),
    )
    .await;
    assert_eq!(nothing["recommendations"], json!([]));
    check_refused(
        &mut wire,
        "recommend_skills",
        json!({}),
        "Missing required parameter: prompt",
    )
    .await;
}

#[tokio::test]
async fn updates_are_suggested_with_reason_and_priority() {
    let world = World::new(PROJECT);
    let mut wire = Wire::open(&world).await;
    let here = json!({ "projectRoot": world.files.root().as_str() });
    let answer = ask(&mut wire, "suggest_config_updates", here).await;
    assert_eq!(answer["isUpToDate"], false);
    let frontend = answer["suggestions"]
        .as_array()
        .and_then(|all| all.iter().find(|it| it["field"] == "techStack.frontend"))
        .expect("a suggestion");
    assert_eq!(frontend["currentValue"], json!(["React"]));
    assert_eq!(frontend["suggestedValue"], json!(["React", "Next.js"]));
    assert_eq!(frontend["priority"], "high");
}

#[tokio::test]
async fn a_prompt_starts_a_mode() {
    let world = World::new(PROJECT);
    let mut wire = Wire::open(&world).await;
    let prompt = json!({ "prompt": "PLAN: Design a user authentication feature" });
    let answer = wire.call("parse_mode", prompt).await;
    assert!(
        text(&answer).len() <= 4_096,
        "{} bytes",
        text(&answer).len()
    );
    let plan: Value = serde_json::from_str(text(&answer)).expect("JSON");
    let example = json!({
        "mode": "PLAN",
        "originalPrompt": "Design a user authentication feature",
        "agent": "plan-mode",
        "delegates_to": "technical-planner",
        "primary_agent_source": "intent",
        "language": "ko",
        "languageInstruction": "Always respond in Korean (한국어).",
        "resolvedModel": { "model": "inherit", "source": "system" },
        "suggestedMode": "ask",
    });
    for (key, value) in example.as_object().expect("an object") {
        assert_eq!(plan[key], *value, "{key}");
    }
    assert_eq!(
        names(&plan["rules"], "name"),
        [
            "AGENTS.md",
            "rules/stacks/typescript.md",
            "rules/stacks/react.md",
            "core.md",
            "augmented-coding.md"
        ]
    );
    assert_eq!(plan["rules"][0]["content"], "# Team\n\nWrite tests first.");
    assert_eq!(plan["rules"][0]["source"], "custom");
    assert!(
        plan["rules"][3]["content"]
            .as_str()
            .is_none_or(|text| text.contains("### Plan Mode") && !text.contains("### Act Mode"))
    );
    assert_eq!(plan["delegate_agent_info"]["name"], "Technical Planner");
    assert!(
        plan["recommended_act_agent"]["agentName"].is_string(),
        "{plan:#}"
    );
    assert_eq!(
        plan["activation_message"]["activations"][0]["tier"],
        "primary"
    );
    assert_eq!(plan.get("warnings"), None);
}

#[tokio::test]
async fn a_prompt_names_its_mode_in_several_languages() {
    let world = World::new(PROJECT);
    let mut wire = Wire::open(&world).await;
    for (prompt, mode, rest, suggested) in [
        ("ACT： implement it", "ACT", "implement it", "code"),
        ("EVALUATE the change", "EVAL", "the change", "ask"),
        ("자동: 로그인 추가", "AUTO", "로그인 추가", "orchestrator"),
        ("design auth feature", "PLAN", "design auth feature", "ask"),
    ] {
        let parsed = ask(&mut wire, "parse_mode", json!({ "prompt": prompt })).await;
        assert_eq!(parsed["mode"], mode, "{prompt}");
        assert_eq!(parsed["originalPrompt"], rest, "{prompt}");
        assert_eq!(parsed["suggestedMode"], suggested, "{prompt}");
        assert!(
            parsed.to_string().len() <= 4_096,
            "{prompt}: {}",
            parsed.to_string().len()
        );
        // The mode it names is one that can be worked in.
        wire.call("create_task", json!({ "mode_slug": suggested }))
            .await;
    }
}

#[tokio::test]
async fn a_prompt_is_needed() {
    let world = World::new(PROJECT);
    let mut wire = Wire::open(&world).await;
    check_refused(
        &mut wire,
        "parse_mode",
        json!({ "prompt": "  " }),
        "Missing required parameter: prompt",
    )
    .await;
}

#[tokio::test]
async fn a_minimal_answer_names_rules_without_their_text() {
    let world = World::new(PROJECT);
    let mut wire = Wire::open(&world).await;
    let minimal = json!({ "prompt": "ACT go", "verbosity": "minimal" });
    let minimal = ask(&mut wire, "parse_mode", minimal).await;
    let generic = json!({ "name": "core.md" });
    let rules = minimal["rules"].as_array().expect("a list");
    assert!(rules.contains(&generic), "{minimal:#}");
}

#[tokio::test]
async fn an_agent_has_details_and_a_model() {
    let world = World::new(PROJECT);
    let mut wire = Wire::open(&world).await;
    let details = ask(
        &mut wire,
        "get_agent_details",
        json!({ "agentName": "frontend-developer" }),
    )
    .await;
    assert_eq!(details["name"], "Frontend Developer");
    assert!(details["role"]["expertise"].is_array() && details["workflow"].is_object());
    assert_eq!(details["communication"]["language"], "ko");
    assert_eq!(details["source"], "default");
    assert_eq!(details["resolvedModel"]["source"], "system");
    let own = ask(
        &mut wire,
        "get_agent_details",
        json!({ "agentName": "pirate" }),
    )
    .await;
    assert_eq!(own["source"], "custom");
    let nobody = json!({ "agentName": "unknown-agent" });
    check_refused(
        &mut wire,
        "get_agent_details",
        nobody,
        "Agent 'unknown-agent' not found.",
    )
    .await;
}

#[tokio::test]
async fn a_task_has_risks_and_people_to_ask() {
    let world = World::new(PROJECT);
    let mut wire = Wire::open(&world).await;
    let task = json!({ "prompt": "Add user authentication with OAuth", "files": ["src/auth/"], "mode": "PLAN" });
    let analysis = ask(&mut wire, "analyze_task", task).await;
    assert_eq!(analysis["riskAssessment"]["level"], "high");
    assert_eq!(
        analysis["riskAssessment"]["factors"],
        json!(["security-sensitive", "authentication"])
    );
    assert_eq!(
        analysis["recommendedChecklists"],
        json!(["security", "testing"])
    );
    assert_eq!(
        analysis["recommendedSpecialists"],
        json!(["security-specialist"])
    );
    assert_eq!(analysis["workflowSuggestions"][0], "Use TDD approach");
    assert_eq!(analysis["analysis"]["intent"], "feature_development");
}

#[tokio::test]
async fn specialists_are_prepared_one_by_one_and_together() {
    let world = World::new(PROJECT);
    let mut wire = Wire::open(&world).await;
    let one = json!({
        "agentName": "security-specialist",
        "context": { "mode": "EVAL", "targetFiles": ["src/auth/login.ts"], "taskDescription": "Review authentication security" },
    });
    let one = ask(&mut wire, "get_agent_system_prompt", one).await;
    assert_eq!(one["agentName"], "security-specialist");
    assert!(
        one["systemPrompt"]
            .as_str()
            .is_some_and(|text| text.contains("src/auth/login.ts"))
    );
    assert!(
        one["taskPrompt"]
            .as_str()
            .is_some_and(|text| text.contains("Review authentication security"))
    );
    let several = json!({
        "mode": "EVAL",
        "specialists": ["security-specialist", "pirate", "security-specialist", "nobody"],
        "targetFiles": ["src/components/UserForm.tsx"],
    });
    let several = ask(&mut wire, "prepare_parallel_agents", several).await;
    assert_eq!(
        names(&several["prepared"], "agentName"),
        ["security-specialist", "pirate"]
    );
    assert_eq!(names(&several["failedAgents"], "id"), ["nobody"]);
    assert!(
        several["executionHint"]
            .as_str()
            .is_some_and(|hint| hint.contains("run_in_background"))
    );
}

#[tokio::test]
async fn checklists_come_from_domains_and_files() {
    let world = World::new(PROJECT);
    let mut wire = Wire::open(&world).await;
    let asked = json!({ "files": ["src/auth/login.ts", "src/api/users.ts"], "domains": ["security", "testing"] });
    let made = ask(&mut wire, "generate_checklist", asked).await;
    let domains = names(&made["checklists"], "domain");
    assert!(
        ["security", "testing"]
            .iter()
            .all(|domain| domains.iter().any(|it| it == domain)),
        "{domains:?}"
    );
    let item = &made["checklists"][0]["items"][0];
    assert!(
        item["id"].is_string() && item["description"].is_string() && item["priority"].is_string()
    );
    let patterns = &made["detectedPatterns"];
    assert!(
        patterns
            .as_array()
            .is_some_and(|it| it.contains(&json!("auth")) && it.contains(&json!("api"))),
        "{patterns}"
    );
}

#[tokio::test]
async fn an_agent_is_activated_by_a_prompt() {
    let world = World::new(PROJECT);
    let mut wire = Wire::open(&world).await;
    let get = |arguments: Value| {
        request(
            1,
            "prompts/get",
            json!({ "name": "activate_agent", "arguments": arguments }),
        )
    };
    let prompt = wire
        .request(get(json!({ "role": "frontend-developer" })))
        .await;
    let text = prompt["result"]["messages"][0]["content"]["text"]
        .as_str()
        .expect("a text");
    assert!(
        text.starts_with("Activate Agent: Frontend Developer\n\n"),
        "{text}"
    );
    for part in [
        "\n\nGoals:\n- ",
        "\n\nProject Context:\n- Project: my-app\n- Response Language: ko\n",
        "Frontend: React",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    let nobody = wire.request(get(json!({ "role": "nobody" }))).await;
    assert_eq!(nobody["error"]["code"], -32602, "{nobody:#}");
    let unknown = wire
        .request(request(
            1,
            "prompts/get",
            json!({ "name": "no_such_prompt" }),
        ))
        .await;
    assert_eq!(unknown["error"]["code"], -32601, "{unknown:#}");
}

#[tokio::test]
async fn a_new_skill_is_there_at_once_and_the_client_is_told() {
    let world = World::watching(
        "//- /.claude/skills/one/SKILL.md\n---\nname: one\ndescription: The first.\n---\nOne.\n",
    );
    let mut wire = Wire::open(&world).await;
    ask(&mut wire, "list_skills", json!({})).await;
    world.files.write(
        ".claude/skills/two/SKILL.md",
        "---\nname: two\ndescription: The second.\n---\nTwo.\n",
    );
    wire.expect_notification("notifications/resources/list_changed")
        .await;
    let all = ask(&mut wire, "list_skills", json!({})).await;
    assert!(
        names(&all["skills"], "name")
            .iter()
            .any(|name| name == "two"),
        "{all:#}"
    );
}

#[tokio::test]
async fn nothing_is_written_into_the_project() {
    let world = World::new(PROJECT);
    let mut wire = Wire::open(&world).await;
    let before = world.files.list();
    for (tool, arguments) in [
        ("parse_mode", json!({ "prompt": "ACT add a login" })),
        ("list_skills", json!({})),
        ("search_rules", json!({ "query": "tests" })),
        ("suggest_config_updates", json!({})),
        (
            "generate_checklist",
            json!({ "files": ["src/auth/login.ts"] }),
        ),
    ] {
        ask(&mut wire, tool, arguments).await;
    }
    assert_eq!(world.files.list(), before);
}
