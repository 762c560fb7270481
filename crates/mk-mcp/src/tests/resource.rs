//! Resources, templates, completion, prompts and the log level.

use std::fmt::Write as _;

use mk_tools::Toolset;
use serde_json::{Value, json};

use super::World;
use super::wire::{Wire, modern, request};

const REVIEWER: &str = "\
//- /.roomodes
customModes:
  - slug: reviewer
    name: Reviewer
    roleDefinition: You review.
    description: Reads and comments
    whenToUse: When a change is ready.
    groups:
      - read
      - - edit
        - fileRegex: ^review/
          description: Reviews only
    color: blue
";

async fn result(wire: &mut Wire, method: &str, params: Value) -> Value {
    let answer = wire.request(request(1, method, params)).await;
    assert!(answer.get("result").is_some(), "{method}: {answer:#}");
    answer["result"].clone()
}

#[tokio::test]
async fn every_mode_is_three_resources() {
    let world = World::new(REVIEWER).offering(&[Toolset::Modes]);
    let mut wire = Wire::open(&world).await;
    let listed = result(&mut wire, "resources/list", json!({})).await;
    let listed = listed["resources"].as_array().expect("a list");
    // And the view.
    assert_eq!(listed.len(), 19);
    assert_eq!(
        listed[15..18],
        [
            json!({ "uri": "mode://reviewer", "name": "Reviewer", "mimeType": "application/json", "description": "Full configuration for reviewer mode" }),
            json!({ "uri": "mode://reviewer/config", "name": "Reviewer - Configuration", "mimeType": "application/json", "description": "Structured configuration for reviewer mode" }),
            json!({ "uri": "mode://reviewer/system_prompt", "name": "Reviewer - System Prompt", "mimeType": "text/plain", "description": "System prompt for reviewer mode" }),
        ]
    );
    // Whatever is listed can be read.
    for resource in listed {
        let read = json!({ "uri": resource["uri"] });
        let contents = result(&mut wire, "resources/read", read).await;
        let content = &contents["contents"][0];
        assert_eq!(content["uri"], resource["uri"]);
        assert_eq!(content["mimeType"], resource["mimeType"]);
        assert!(
            content["text"]
                .as_str()
                .is_some_and(|text| !text.is_empty())
        );
    }
}

#[tokio::test]
async fn a_custom_mode_reads_as_it_is_written() {
    let world = World::new(REVIEWER);
    let mut wire = Wire::open(&world).await;
    let mut read = async |uri: &str| {
        let contents = result(&mut wire, "resources/read", json!({ "uri": uri })).await;
        let text = contents["contents"][0]["text"].as_str().expect("text");
        text.to_owned()
    };
    let full: Value = serde_json::from_str(&read("mode://reviewer").await).expect("JSON");
    assert_eq!(
        full,
        json!({
            "slug": "reviewer",
            "name": "Reviewer",
            "source": "project",
            "description": "Reads and comments",
            "when_to_use": "When a change is ready.",
            "role_definition": "You review.",
            "tool_groups": {
                "read": { "enabled": true },
                "edit": { "enabled": true, "file_regex": "^review/", "description": "Reviews only" },
                "browser": { "enabled": false },
                "command": { "enabled": false },
                "mcp": { "enabled": false },
                "modes": { "enabled": false },
            },
        })
    );
    let config: Value = serde_json::from_str(&read("mode://reviewer/config").await).expect("JSON");
    assert_eq!(
        config,
        json!({
            "slug": "reviewer",
            "name": "Reviewer",
            "source": "project",
            "groups": ["read", ["edit", { "fileRegex": "^review/", "description": "Reviews only" }]],
            "description": "Reads and comments",
            "when_to_use": "When a change is ready.",
            "color": "blue",
        })
    );
    let prompt = read("mode://reviewer/system_prompt").await;
    assert!(prompt.starts_with("You review.\n\n# What this mode may do\n\n- ✓ read\n- ✓ edit (restricted to: ^review/)\n"), "{prompt}");
}

#[tokio::test]
async fn the_three_resources_have_templates() {
    let world = World::new("").offering(&[Toolset::Modes]);
    let mut wire = Wire::open(&world).await;
    let templates = result(&mut wire, "resources/templates/list", json!({})).await;
    let template = |uri: &str, name: &str, mime: &str, what: &str| {
        let uri = format!("mode://{{slug}}{uri}");
        json!({ "uriTemplate": uri, "name": name, "description": what, "mimeType": mime })
    };
    let json = "application/json";
    let expected = [
        template("", "mode", json, "Full configuration of a mode"),
        template(
            "/config",
            "mode-config",
            json,
            "Structured configuration of a mode",
        ),
        template(
            "/system_prompt",
            "mode-system-prompt",
            "text/plain",
            "System prompt of a mode",
        ),
    ];
    assert_eq!(templates, json!({ "resourceTemplates": expected }));
}

#[tokio::test]
async fn the_slug_of_a_template_is_completed() {
    let world = World::new(REVIEWER);
    let mut wire = Wire::open(&world).await;
    let mut complete = async |reference: Value, name: &str, value: &str| {
        let params = json!({ "ref": reference, "argument": { "name": name, "value": value } });
        let completed = result(&mut wire, "completion/complete", params).await;
        completed["completion"]["values"].clone()
    };
    let template = |uri: &str| json!({ "type": "ref/resource", "uri": uri });
    let ours = "mode://{slug}/config";
    assert_eq!(
        complete(template(ours), "slug", "").await,
        json!([
            "code",
            "architect",
            "ask",
            "debug",
            "orchestrator",
            "reviewer"
        ])
    );
    assert_eq!(
        complete(template(ours), "slug", "a").await,
        json!(["architect", "ask"])
    );
    assert_eq!(
        complete(template("mode://{slug}"), "slug", "rev").await,
        json!(["reviewer"])
    );
    assert_eq!(complete(template(ours), "slug", "A").await, json!([]));
    assert_eq!(complete(template(ours), "other", "a").await, json!([]));
    assert_eq!(
        complete(template("file://{slug}"), "slug", "a").await,
        json!([])
    );
    let prompt = json!({ "type": "ref/prompt", "name": "code" });
    assert_eq!(complete(prompt, "task", "a").await, json!([]));
}

#[tokio::test]
async fn every_mode_is_a_prompt() {
    let world = World::new(REVIEWER).offering(&[Toolset::Modes]);
    let mut wire = Wire::open(&world).await;
    let listed = result(&mut wire, "prompts/list", json!({})).await;
    let listed = listed["prompts"].as_array().expect("a list");
    assert_eq!(listed.len(), 6);
    assert_eq!(
        listed[5],
        json!({
            "name": "reviewer",
            "title": "Reviewer",
            "description": "Reads and comments",
            "arguments": [{ "name": "task", "description": "What to do in this mode", "required": false }],
        })
    );
    let got = result(&mut wire, "prompts/get", json!({ "name": "reviewer" })).await;
    assert_eq!(got["description"], "Reads and comments");
    assert_eq!(got["messages"][0]["role"], "user");
    let text = got["messages"][0]["content"]["text"]
        .as_str()
        .expect("text");
    assert!(
        text.starts_with(
            "Work in Reviewer mode from now on. Call `create_task` with mode_slug `reviewer` first"
        ),
        "{text}"
    );
    assert!(text.contains("\n\nYou review.\n\n"), "{text}");
    assert!(!text.contains("# Task"), "{text}");
    let with_task = json!({ "name": "reviewer", "arguments": { "task": "  Look at #7  " } });
    let got = result(&mut wire, "prompts/get", with_task).await;
    let text = got["messages"][0]["content"]["text"]
        .as_str()
        .expect("text");
    assert!(text.ends_with("\n# Task\n\nLook at #7\n"), "{text}");
}

#[tokio::test]
async fn an_unknown_prompt_is_not_found() {
    let world = World::new("");
    let mut wire = Wire::open(&world).await;
    for name in ["nope", "not a slug", ""] {
        let answer = wire
            .request(request(1, "prompts/get", json!({ "name": name })))
            .await;
        let expected = json!({ "code": -32601, "message": format!("Prompt not found: {name}") });
        assert_eq!(answer["error"], expected);
    }
    let answer = wire.request(request(2, "prompts/get", json!({}))).await;
    let expected = json!({ "code": -32602, "message": "Missing required parameter: name" });
    assert_eq!(answer["error"], expected);
}

#[tokio::test]
async fn the_log_level_can_be_set() {
    let world = World::new("");
    let mut wire = Wire::open(&world).await;
    for level in [
        "debug",
        "info",
        "notice",
        "warning",
        "error",
        "critical",
        "alert",
        "emergency",
    ] {
        let set = result(&mut wire, "logging/setLevel", json!({ "level": level })).await;
        assert_eq!(set, json!({}));
    }
    let answer = wire
        .request(request(2, "logging/setLevel", json!({ "level": "loud" })))
        .await;
    assert_eq!(answer["error"]["code"], -32602, "{answer:#}");
}

#[tokio::test]
async fn a_list_ends_where_its_cursor_says() {
    let world = World::new("");
    let mut wire = Wire::open(&world).await;
    for method in [
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
    ] {
        let whole = result(&mut wire, method, json!({})).await;
        assert!(whole.get("nextCursor").is_none(), "{method}");
        let rest = result(&mut wire, method, json!({ "cursor": "2" })).await;
        assert_ne!(rest, whole, "{method}");
        for cursor in ["0", "-1", "99999", "first"] {
            let answer = wire
                .request(request(1, method, json!({ "cursor": cursor })))
                .await;
            assert_eq!(answer["error"]["code"], -32602, "{method} {cursor}");
        }
    }
}

/// In every era: all pages together are the whole list, each resource once, and the index of skills is on the first.
#[tokio::test]
async fn many_skills_are_listed_in_pages() {
    let mut project = String::new();
    for number in 0..450 {
        let _ = write!(
            project,
            "//- /.claude/skills/skill-{number}/SKILL.md\n---\nname: skill-{number}\ndescription: Report {number}.\n---\n# Report\n"
        );
    }
    let world = World::new(&project);
    let mut connected = Wire::open(&world).await;
    let mut stateless = Wire::connect(&world);
    for era in ["connected", "stateless"] {
        let (mut uris, mut n_pages) = (Vec::new(), 0);
        let mut params = json!({});
        loop {
            let page = match era {
                "connected" => result(&mut connected, "resources/list", params).await,
                _ => {
                    let asked = modern(n_pages, "resources/list", params);
                    stateless.request(asked).await["result"].take()
                }
            };
            let listed = page["resources"].as_array().expect("a list");
            assert!(listed.len() <= 200, "{era}: {}", listed.len());
            let listed = listed.iter().filter_map(|it| it["uri"].as_str());
            uris.extend(listed.map(str::to_owned));
            n_pages += 1;
            if n_pages == 1 {
                let index = "rules://skills/index.json";
                assert!(uris.iter().any(|uri| uri == index), "{era}: {uris:?}");
            }
            let Some(next) = page["nextCursor"].as_str() else {
                break;
            };
            params = json!({ "cursor": next });
        }
        let is_skill = |uri: &&String| uri.starts_with("rules://skills/skill-");
        assert_eq!(uris.iter().filter(is_skill).count(), 450, "{era}");
        assert!(n_pages >= 3, "{era}: {n_pages}");
        let n_listed = uris.len();
        uris.sort_unstable();
        uris.dedup();
        assert_eq!(uris.len(), n_listed, "{era}: a resource is listed twice");
    }
}
