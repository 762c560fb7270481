//! Which skills are recommended: where a person would send a prompt, and silence where no one would send it.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::{playbook, shipped};
use crate::{Playbook, evaluate};
use mk_prompt::{Confidence, Recommender, SkillCandidate};
use mk_testkit::Fixture;

/// The skill that comes first; `-` where nothing fits.
#[track_caller]
fn check(playbook: &Playbook, table: &str) {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in table.lines().filter(|line| !line.trim().is_empty()) {
        let (prompt, expected) = line.rsplit_once(" → ").expect("a prompt and a skill");
        let found = playbook.recommend(prompt.trim());
        let first = found.first().map_or("-", |it| it.skill.as_str());
        // Several answers are as good.
        if !expected.split(" or ").any(|skill| skill.trim() == first) {
            wrong.push(format!("{prompt} → {first}, not {expected}"));
        }
        count += 1;
    }
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn prompts_go_where_a_person_would_send_them() {
    check(
        &shipped(),
        "
        There is a bug in the login → systematic-debugging
        the export button does nothing → systematic-debugging
        it worked yesterday and now it crashes on start → systematic-debugging
        로그인에 버그가 있어 → systematic-debugging
        ログインでエラーが出ます → systematic-debugging
        登录时程序崩溃了 → systematic-debugging
        el inicio de sesión no funciona → systematic-debugging
        Build a dashboard component → frontend-design
        create a login form → frontend-design
        add an export button to the toolbar → frontend-design
        make the index page responsive → frontend-design
        버튼을 만들어주세요 → frontend-design
        ログインフォームを作ってください → frontend-design
        做一个登录页面 → frontend-design
        crear un formulario de contacto → frontend-design
        what does this stack trace mean → error-analysis
        what does NullPointerException mean → error-analysis
        이 스택 트레이스가 무슨 뜻이야 → error-analysis
        plan the next six weeks of the migration → writing-plans or legacy-modernization
        write an implementation plan for the payment feature → writing-plans
        계획을 세워주세요 → writing-plans
        continue with the next step of the plan → executing-plans
        review this pull request → pr-review
        이 PR 리뷰해줘 → pr-review
        look for vulnerabilities in the upload handler → security-audit
        检查一下有没有 SQL 注入 → security-audit
        explain what this module does → code-explanation
        este código qué hace → code-explanation
        write a README for this project → documentation-generation
        deploy to production tonight, what do we have to check → deployment-checklist
        migrate this app from AngularJS to React → legacy-modernization
        how much technical debt do we have → tech-debt
        improve this prompt so that the model answers in JSON → prompt-engineering
        design an agent that triages tickets → agent-design
        write an AGENTS.md for this repository → rule-authoring
        build an MCP server for our wiki → mcp-builder
        summarize this session so that I can continue tomorrow → context-management
        the list takes ten seconds to load, make it faster → performance-optimization
        design the REST endpoints for orders → api-design
        write the failing test first → test-driven-development
        what could we build for the hackathon → brainstorming
        run these three tasks in parallel → dispatching-parallel-agents
        extract this function and remove the duplication → refactoring
        diese Funktion aufräumen und aufteilen → refactoring
        объясни, что делает этот код → code-explanation
        le bouton ne marche pas → systematic-debugging
        escreva a documentação da API → documentation-generation
        ",
    );
}

#[test]
fn no_prompt_is_routed_by_a_part_of_a_word_or_by_another_meaning() {
    check(
        &shipped(),
        "
        terrorized → -
        the terrorized villagers fled → -
        good morning → -
        thanks, that was it → -
        what is the weather in Seoul → -
        오늘 날씨 어때 → -
        ありがとうございます → -
        谢谢你的帮助 → -
        buenos días → -
        list the files → -
        what branch am I on → -
        open main.rs → -
        the car crash on the highway → -
        a movie review of Dune → -
        my travel agent booked the flight → -
        a recipe for apple pie → -
        ",
    );
}

#[test]
fn the_reason_is_what_the_user_typed() {
    let found = shipped().recommend("There is a BUG in the login");
    let first = found.first().expect("a skill");
    assert_eq!(first.confidence, Confidence::High, "{first:?}");
    assert!(first.matched.iter().any(|word| word == "BUG"), "{first:?}");
}

#[test]
fn a_users_skill_is_recommended_by_its_own_words() {
    let fixture = Fixture::new(
        "
//- /.claude/skills/kafka-consumers/SKILL.md
---
name: kafka-consumers
description: Tunes Kafka consumers, partitions and offsets. Use for consumer lag or rebalancing.
---
# Kafka
//- /.claude/skills/hidden/SKILL.md
---
name: hidden
description: Tunes Kafka consumers, partitions and offsets. Use for consumer lag or rebalancing.
disable-model-invocation: true
---
",
    );
    let found =
        playbook(&fixture).recommend("why is our kafka consumer lag growing after the rebalancing");
    let names: Vec<&str> = found.iter().map(|it| it.skill.as_str()).collect();
    assert!(names.contains(&"kafka-consumers"), "{names:?}");
    assert!(!names.contains(&"hidden"), "{names:?}");
}

#[test]
fn hostile_prompts_are_answered() {
    let playbook = shipped();
    for prompt in [
        "",
        "\0\0",
        "🦀🦀🦀",
        "\u{202e}bug",
        &"bug ".repeat(100_000),
        &"錯".repeat(50_000),
    ] {
        assert!(playbook.recommend(prompt).len() <= 5);
    }
}

#[test]
fn a_word_of_every_skill_tells_none_of_them_apart() {
    let candidate = |number: usize| SkillCandidate {
        name: format!("tenant-{number}"),
        description: format!("Runs the nightly zookeeper export of warehouse{number}"),
        headings: Vec::new(),
        priority: 100,
    };
    let recommender = Recommender::new((0..500).map(candidate).collect());
    assert_eq!(recommender.recommend("the zookeeper is hungry"), []);
    let found = recommender.recommend("zookeeper export of warehouse417");
    assert_eq!(
        found.first().map(|it| it.skill.as_str()),
        Some("tenant-417")
    );
}

#[derive(Deserialize)]
struct Entry {
    say: Vec<String>,
}

/// Prompts that no one has tuned anything on: written by someone who knew neither training nor program, looked at once.
/// Anyone who fixes what fails here moves the prompts to `held-out` and has a new exam written.
#[test]
fn prompts_of_the_exam_are_understood_in_every_language() {
    understands("exam");
}

/// Prompts that were never trained on, but were looked at while the model was made.
#[test]
fn held_out_prompts_stay_understood_in_every_language() {
    understands("held-out");
}

fn understands(folder: &str) {
    let utterances = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../content/utterances");
    let mut cases = String::new();
    for language in ["en", "ko", "ja", "zh", "es", "pt", "de", "fr", "ru"] {
        let file = utterances.join(folder).join(format!("{language}.yaml"));
        let text = std::fs::read_to_string(file).expect("a file");
        let entries: BTreeMap<String, Entry> = serde_saphyr::from_str(&text).expect("YAML");
        for (skill, entry) in entries {
            for prompt in entry.say {
                let case = serde_json::json!({ "lang": language, "prompt": prompt, "skill": skill, "match": true });
                cases.push_str(&format!("{case}\n"));
            }
        }
    }
    let scores = evaluate(&shipped(), &cases);
    assert_eq!(scores.by_language.len(), 9);
    for (language, score) in &scores.by_language {
        let (first, silent) = (score.first.ratio(), score.silent.ratio());
        assert!(
            first >= 0.80,
            "{language}: {first} first\n{}",
            scores.failures.join("\n")
        );
        assert!(
            silent >= 0.93,
            "{language}: {silent} silent\n{}",
            scores.failures.join("\n")
        );
    }
}
