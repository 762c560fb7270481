//! Prompts, the mode they start, who works on them, and what the agent is told.

use crate::{
    AgentCard, AgentKind, AgentSource, KeywordMode, ModeRequest, ModelSource, ModelWishes,
    ParsedMode, PromptConfig, Roster, language_instruction, mode_section, parse_mode,
    resolve_model,
};

const PRIMARY: &[(&str, &str, &[&str])] = &[
    ("solution-architect", "Solution Architect", &[]),
    ("technical-planner", "Technical Planner", &[]),
    ("code-reviewer", "Code Reviewer", &[]),
    ("software-engineer", "Software Engineer", &[]),
    (
        "agent-architect",
        "Agent Architect",
        &["**/{agents,skills,prompts}/**"],
    ),
    (
        "ai-ml-engineer",
        "AI/ML Engineer",
        &["**/{ml,training}/**", "**/*train*.py"],
    ),
    (
        "backend-developer",
        "Backend Developer",
        &["**/{api,server,services}/**", "**/*.{go,rs,java,py}"],
    ),
    (
        "data-engineer",
        "Data Engineer",
        &["**/{migrations,db}/**", "**/*.sql"],
    ),
    (
        "devops-engineer",
        "DevOps Engineer",
        &["**/.github/**", "**/Dockerfile*"],
    ),
    (
        "frontend-developer",
        "Frontend Developer",
        &["**/*.{tsx,jsx,vue,css}", "**/components/**"],
    ),
    (
        "mobile-developer",
        "Mobile Developer",
        &["**/{ios,android}/**", "**/*.swift"],
    ),
    ("platform-engineer", "Platform Engineer", &["**/*.{tf,hcl}"]),
    ("test-engineer", "Test Engineer", &["**/*.{test,spec}.*"]),
    (
        "tooling-engineer",
        "Tooling Engineer",
        &["**/tsconfig*.json", "**/*.config.{js,ts}"],
    ),
];
const SPECIALISTS: &[&str] = &[
    "accessibility-specialist",
    "architecture-specialist",
    "code-quality-specialist",
    "documentation-specialist",
    "i18n-specialist",
    "integration-specialist",
    "performance-specialist",
    "security-specialist",
    "seo-specialist",
    "test-strategy-specialist",
    "ui-ux-designer",
];

fn roster() -> Roster {
    let primary = PRIMARY.iter().map(|(id, name, patterns)| AgentCard {
        id: (*id).to_owned(),
        name: (*name).to_owned(),
        patterns: patterns.iter().map(|it| (*it).to_owned()).collect(),
        ..AgentCard::default()
    });
    let specialists = SPECIALISTS.iter().map(|id| AgentCard {
        id: (*id).to_owned(),
        name: id.replace('-', " "),
        kind: AgentKind::Specialist,
        ..AgentCard::default()
    });
    let modes =
        [("plan-mode", "Plan Mode"), ("act-mode", "Act Mode")].map(|(id, name)| AgentCard {
            id: id.to_owned(),
            name: name.to_owned(),
            kind: AgentKind::Utility,
            model: Some("claude-x".to_owned()),
            ..AgentCard::default()
        });
    Roster::new(primary.chain(specialists).chain(modes).collect())
}

#[derive(Default)]
struct Around<'a> {
    config: PromptConfig,
    recommended: Option<&'a str>,
    files: &'a [&'a str],
}

/// Parses a prompt and shows the answer to `show`.
#[track_caller]
fn check<T>(prompt: &str, around: &Around<'_>, show: impl Fn(&ParsedMode<'_>) -> T) -> T {
    let files: Vec<String> = around.files.iter().map(|it| (*it).to_owned()).collect();
    let roster = roster();
    let request = ModeRequest {
        prompt,
        roster: &roster,
        config: &around.config,
        recommended_agent: around.recommended,
        files: &files,
    };
    show(&parse_mode(&request))
}

#[track_caller]
fn check_start(prompt: &str, mode: KeywordMode, rest: &str, warnings: &[&str]) {
    check(prompt, &Around::default(), |parsed| {
        assert_eq!(
            (
                parsed.mode,
                parsed.original_prompt,
                parsed
                    .warnings
                    .iter()
                    .map(String::as_str)
                    .collect::<Vec<_>>()
            ),
            (mode, rest, warnings.to_vec()),
            "{prompt:?}"
        );
    });
}

/// Prompts, one per line, each with the agent that does the work.
#[track_caller]
fn check_agents(source: AgentSource, table: &str) {
    for line in table.trim().lines() {
        let (prompt, agent) = line.split_once(" → ").expect("an agent");
        check_agent(prompt, agent, source);
    }
}

#[track_caller]
fn check_agent(prompt: &str, agent: &str, source: AgentSource) {
    check(prompt, &Around::default(), |parsed| {
        let choice = &parsed.delegates_to;
        assert_eq!(
            (choice.agent, choice.source),
            (agent, source),
            "{prompt:?}: {choice:?}"
        );
        assert!(choice.confidence > 0.0 && choice.confidence <= 1.0);
    });
}

#[test]
fn a_keyword_in_any_language_case_and_colon_starts_its_mode() {
    use KeywordMode::{Act, Auto, Eval, Plan};
    for (prompt, mode, rest) in [
        ("PLAN design auth", Plan, "design auth"),
        ("plan: design: with: colons", Plan, "design: with: colons"),
        ("PLAN： design", Plan, "design"),
        ("PLAN : design", Plan, "design"),
        ("  Act\timplement it ", Act, "implement it"),
        ("EVALUATE the parser", Eval, "the parser"),
        ("Evaluate: the parser", Eval, "the parser"),
        ("ＰＬＡＮ：設計", Plan, "設計"),
        ("계획 인증 기능", Plan, "인증 기능"),
        ("실행: 구현하기", Act, "구현하기"),
        ("평가：보안", Eval, "보안"),
        ("자동 추가", Auto, "추가"),
        ("計画 設計", Plan, "設計"),
        ("実行 実装", Act, "実装"),
        ("評価 見直し", Eval, "見直し"),
        ("自動: 追加", Auto, "追加"),
        ("计划 设计", Plan, "设计"),
        ("執行 實作", Act, "實作"),
        ("评估 安全", Eval, "安全"),
        ("自动 登录", Auto, "登录"),
        ("planificar diseño", Plan, "diseño"),
        ("Actuar: api", Act, "api"),
        ("EVALUAR código", Eval, "código"),
        ("automático api", Auto, "api"),
        ("AUTOMATICO: api", Auto, "api"),
        ("AUTOMA\u{301}TICO: api", Auto, "api"),
        ("PLANEJAR o login", Plan, "o login"),
        ("Avaliar: o código", Eval, "o código"),
        ("PLANEN: Anmeldung", Plan, "Anmeldung"),
        ("AUSFÜHREN Schritt 1", Act, "Schritt 1"),
        ("BEWERTEN den Code", Eval, "den Code"),
        ("PLANIFIER la page", Plan, "la page"),
        ("Évaluer : le code", Eval, "le code"),
        ("ПЛАН: вход", Plan, "вход"),
        ("Выполнить шаг", Act, "шаг"),
        ("ОЦЕНИТЬ код", Eval, "код"),
        ("авто: вход", Auto, "вход"),
    ] {
        check_start(prompt, mode, rest, &[]);
    }
}

#[test]
fn what_is_odd_about_a_prompt_is_said_in_the_agreed_words() {
    use KeywordMode::{Act, Auto, Eval, Plan};
    let no_keyword: &[&str] = &["No keyword found, defaulting to PLAN"];
    let several: &[&str] = &["Multiple keywords found, using first"];
    let no_content: &[&str] = &["No prompt content after keyword"];
    for (prompt, mode, rest, warnings) in [
        ("design auth", Plan, "design auth", no_keyword),
        ("Please PLAN this", Plan, "Please PLAN this", no_keyword),
        ("PLANNING session", Plan, "PLANNING session", no_keyword),
        ("ACTION items", Plan, "ACTION items", no_keyword),
        ("a/c/t now", Plan, "a/c/t now", no_keyword),
        ("act! now", Plan, "act! now", no_keyword),
        ("계획을 세워줘", Plan, "계획을 세워줘", no_keyword),
        (": PLAN", Plan, ": PLAN", no_keyword),
        ("PLAN ACT go", Plan, "ACT go", several),
        ("계획: 실행: go", Plan, "실행: go", several),
        ("ACT", Act, "", no_content),
        ("EVALUATE:", Eval, "", no_content),
        ("자동 ：  ", Auto, "", no_content),
    ] {
        check_start(prompt, mode, rest, warnings);
    }
}

#[test]
fn a_prompt_is_cut_at_fifty_thousand_units_and_never_inside_a_sign() {
    check(
        &format!("ACT {}", "😀".repeat(40_000)),
        &Around::default(),
        |parsed| {
            assert_eq!(parsed.original_prompt.chars().count(), (50_000 - 4) / 2);
        },
    );
    check(
        &format!("ACT {}", "a".repeat(50_000 - 4)),
        &Around::default(),
        |parsed| {
            assert_eq!(parsed.original_prompt.len(), 50_000 - 4);
        },
    );
}

#[test]
fn hostile_prompts_get_an_answer() {
    for prompt in [
        "\u{0}\u{1}\u{7f}",
        "PLAN \u{202e}خطة تسجيل الدخول",
        "ACT: \u{feff}\u{200b}",
        "🙂",
        ":",
        "：：：",
        "use use use use the the the",
        "@",
        "ㄱㄴㄷ",
        "`````",
    ] {
        check(prompt, &Around::default(), |parsed| {
            assert!(!parsed.delegates_to.agent.is_empty());
        });
    }
    for huge in [
        "使用".repeat(30_000),
        "as ".repeat(20_000),
        "x".repeat(400_000),
        "use backend-developer ".repeat(9_000),
    ] {
        check(&huge, &Around::default(), |parsed| {
            assert!(parsed.original_prompt.len() <= 150_000);
        });
    }
}

#[test]
fn an_agent_that_the_prompt_asks_for_does_the_work() {
    check_agents(
        AgentSource::Explicit,
        "
ACT use the backend-developer agent to add a page → backend-developer
ACT using ai-ml-engineer, build the button → ai-ml-engineer
ACT act as a senior backend developer and fix the page → backend-developer
ACT as ai-ml-engineer build a page → ai-ml-engineer
ACT as Frontend Developer, write the SQL query → frontend-developer
ACT use an AI/ML Engineer for the page → ai-ml-engineer
ACT delegate this to the data engineer agent → data-engineer
ACT @devops-engineer build the form → devops-engineer
ACT backend-developer: build the form → backend-developer
ACT build the form with the platform-engineer agent → platform-engineer
PLAN use technical-planner for the architecture → technical-planner
EVAL as security-specialist look at the login → security-specialist
ACT backend-developer로 작업해줘 → backend-developer
ACT ai-ml-engineer로 개발해줘 → ai-ml-engineer
ACT frontend-developer 에이전트로 API 만들어줘 → frontend-developer
ACT data-engineer agent로 버튼 수정 → data-engineer
ACT 프론트엔드 개발자로 API 작업해줘 → frontend-developer
ACT 백엔드 개발자를 사용해서 버튼 추가 → backend-developer
ACT backend-developerとしてボタンを追加 → backend-developer
ACT データエンジニアとして画面を作って → data-engineer
ACT frontend-developerエージェントを使ってAPIを実装 → frontend-developer
ACT 使用 backend-developer 添加按钮 → backend-developer
ACT 请用前端工程师实现接口 → frontend-developer
ACT 由后端工程师来实现页面 → backend-developer
ACT usa el agente backend-developer para el botón → backend-developer
ACT como desarrollador frontend, crea la API → frontend-developer
ACT use o agente data-engineer para o botão → data-engineer
ACT verwende den Agenten devops-engineer für die Seite → devops-engineer
ACT als Backend-Entwickler, baue die Seite → backend-developer
ACT utilise l'agent mobile-developer pour la page web → mobile-developer
ACT en tant que backend-developer crée le bouton → backend-developer
ACT используй backend-developer для кнопки → backend-developer
ACT в роли агента data-engineer сделай кнопку → data-engineer
",
    );
}

#[test]
fn naming_an_agent_is_not_asking_for_it() {
    for prompt in [
        "ACT fix the description of backend-developer",
        "ACT as a data engineer, I want to see the button",
        "ACT use the code reviewer feedback",
        "ACT don't use the backend-developer agent",
        "ACT 不用前端工程师",
        "ACT software engineer salaries",
        "ACT backend-developer 설명을 고쳐줘",
        "ACT use plan-mode",
    ] {
        check(prompt, &Around::default(), |parsed| {
            assert_ne!(
                parsed.delegates_to.source,
                AgentSource::Explicit,
                "{prompt:?}: {:?}",
                parsed.delegates_to
            );
        });
    }
}

#[test]
fn what_the_prompt_speaks_of_finds_the_agent() {
    check_agents(
        AgentSource::Intent,
        "
ACT implement login API → backend-developer
ACT create login form → frontend-developer
ACT add an export button → frontend-developer
ACT update the index page → frontend-developer
ACT add a database index for orders → data-engineer
ACT write terraform module for the VPC → platform-engineer
ACT create a Dockerfile for the Node.js app → devops-engineer
ACT set up GitHub Actions → devops-engineer
ACT build a RAG pipeline with a vector database → ai-ml-engineer
ACT fine-tune the model → ai-ml-engineer
ACT build an MCP server → agent-architect
ACT write unit tests for the React login form → test-engineer
ACT React Native screen for the profile → mobile-developer
ACT change the eslint config → tooling-engineer
ACT 로그인 API 구현해줘 → backend-developer
ACT 리액트 컴포넌트 만들어줘 → frontend-developer
ACT 단위 테스트 작성해줘 → test-engineer
ACT 데이터베이스 스키마 설계 → data-engineer
ACT ログインAPIを実装 → backend-developer
ACT ボタンを追加して → frontend-developer
ACT データベースのスキーマ設計 → data-engineer
ACT 添加登录表单 → frontend-developer
ACT 实现后端接口 → backend-developer
ACT 训练模型 → ai-ml-engineer
ACT crea un formulario de inicio de sesión → frontend-developer
ACT optimiza la base de datos → data-engineer
ACT crie um componente de formulário → frontend-developer
ACT baue ein Anmeldeformular → frontend-developer
ACT richte die CI-Pipeline ein → devops-engineer
ACT ajoute un bouton à la page → frontend-developer
ACT добавь кнопку на страницу → frontend-developer
ACT напиши юнит-тесты → test-engineer
PLAN Design a user authentication feature → technical-planner
PLAN break it down into tasks → technical-planner
PLAN microservices architecture → solution-architect
PLAN 아키텍처 설계 → solution-architect
PLAN 作業計画とタスク分解 → technical-planner
PLAN 系统架构 → solution-architect
AUTO add a REST endpoint → backend-developer
",
    );
}

#[test]
fn parts_of_words_and_everyday_words_send_a_prompt_to_nobody() {
    for prompt in [
        "ACT think about it for two weeks",
        "ACT how should we react to customer feedback",
        "ACT express concern about the schedule",
        "ACT go to the next step",
        "ACT fix the typo",
        "ACT continue with the rest of the work",
        "ACT reform the platform committee",
        "ACT import the latest guidelines",
        "ACT 안녕하세요",
        "ACT summarise the rest of the meeting",
        "ACT the contest starts on Monday",
        "ACT give an informative answer",
        "ACT attest the protest letter",
        "ACT rapid growth in the capital",
        "ACT read the stagecoach novel",
        "ACT rename the constant for clarity",
        "ACT speak about the author and the reactor",
        "ACT ask the server at the restaurant",
        "ACT プラットフォームについて",
    ] {
        check_agent(prompt, "software-engineer", AgentSource::Default);
    }
    check_agent("PLAN hello", "solution-architect", AgentSource::Default);
    check_agent(
        "EVAL look at the database",
        "code-reviewer",
        AgentSource::Default,
    );
}

#[test]
fn each_source_comes_in_its_order() {
    let config = || PromptConfig {
        primary_agent: Some("Data Engineer".to_owned()),
        ..PromptConfig::default()
    };
    let configured = || Around {
        config: config(),
        ..Around::default()
    };
    let touching = |files| Around {
        files,
        ..Around::default()
    };
    let files: &[&str] = &["./src/api/users.go", "src/api/orders.go"];
    let everything = || Around {
        config: config(),
        recommended: Some("mobile-developer"),
        files,
    };
    let unclear = &["LICENSE", "NOTICE", "a.sql"];
    for (prompt, around, expected) in [
        (
            "ACT use backend-developer",
            everything(),
            "backend-developer explicit",
        ),
        (
            "ACT fix the button",
            everything(),
            "mobile-developer config",
        ),
        ("ACT fix the button", configured(), "data-engineer config"),
        ("PLAN fix it", configured(), "solution-architect default"),
        (
            "ACT fix the button",
            touching(files),
            "frontend-developer intent",
        ),
        ("ACT fix it", touching(files), "backend-developer context"),
        (
            "ACT fix it",
            touching(&["src/api/users.test.go"]),
            "test-engineer context",
        ),
        (
            "ACT fix it",
            touching(&["ml/train.py"]),
            "ai-ml-engineer context",
        ),
        ("ACT fix it", touching(unclear), "software-engineer default"),
    ] {
        let found = check(prompt, &around, |parsed| {
            let chosen = &parsed.delegates_to;
            format!("{} {}", chosen.agent, chosen.source)
        });
        assert_eq!(found, expected, "{prompt}");
    }
}

#[test]
fn excluded_agents_are_chosen_nowhere() {
    let around = |names: &[&str]| Around {
        config: PromptConfig {
            exclude_agents: names.iter().map(|it| (*it).to_owned()).collect(),
            primary_agent: Some("backend-developer".to_owned()),
            ..PromptConfig::default()
        },
        recommended: None,
        files: &[],
    };
    let excluded = [
        "backend-developer",
        "Frontend Developer",
        "security-specialist",
        "solution-architect",
    ];
    for prompt in [
        "PLAN use the backend-developer agent for the login page",
        "ACT secure the login page button",
    ] {
        check(prompt, &around(&excluded), |parsed| {
            let shown = format!("{parsed:?}");
            for name in [
                "agent: \"backend-developer\"",
                "\"frontend-developer\"",
                "security-specialist",
                "solution-architect",
            ] {
                assert!(!shown.contains(name), "{name} in {shown}");
            }
        });
    }
}

#[test]
fn a_configured_agent_that_does_not_exist_is_named_in_a_warning() {
    let config = PromptConfig {
        primary_agent: Some("nobody".to_owned()),
        ..PromptConfig::default()
    };
    let warnings = check(
        "ACT go",
        &Around {
            config,
            ..Around::default()
        },
        |parsed| parsed.warnings.clone(),
    );
    assert_eq!(warnings, ["Agent 'nobody' not found."]);
}

#[test]
fn a_plan_names_who_should_act() {
    check(
        "PLAN use technical-planner for a login form feature",
        &Around::default(),
        |parsed| {
            assert_eq!(parsed.delegates_to.agent, "technical-planner");
            let act = parsed
                .recommended_act_agent
                .as_ref()
                .expect("a recommendation");
            assert_eq!(
                (act.agent, act.reason.as_str()),
                ("frontend-developer", "The prompt mentions `login form`")
            );
            assert!(parsed.available_act_agents.contains(&"software-engineer"));
            assert!(
                !parsed
                    .available_act_agents
                    .iter()
                    .any(|it| it.contains("planner") || it.contains("specialist"))
            );
        },
    );
    check("ACT go", &Around::default(), |parsed| {
        assert!(parsed.recommended_act_agent.is_none() && parsed.available_act_agents.is_empty());
    });
}

#[test]
fn specialists_are_the_modes_own_and_those_the_prompt_speaks_of() {
    #[track_caller]
    fn expect(prompt: &str, spoken: &[&str]) {
        check(prompt, &Around::default(), |parsed| {
            let own = match parsed.mode {
                KeywordMode::Plan => 2,
                KeywordMode::Act => 2,
                KeywordMode::Eval | KeywordMode::Auto => 4,
            };
            assert_eq!(parsed.specialists.get(own..), Some(spoken), "{prompt:?}");
        });
    }
    expect("PLAN nothing special", &[]);
    expect(
        "PLAN external API integration with security review",
        &["integration-specialist", "security-specialist"],
    );
    expect("PLAN 웹훅 핸들러 추가", &["integration-specialist"]);
    expect(
        "ACT 다국어 지원과 접근성",
        &["i18n-specialist", "accessibility-specialist"],
    );
    expect("ACT ページの表示が遅い", &["performance-specialist"]);
    expect("ACT 更新文档", &["documentation-specialist"]);
    expect(
        "ACT mejora el posicionamiento en los motores de búsqueda",
        &["seo-specialist"],
    );
    expect("ACT melhorar a experiência do usuário", &["ui-ux-designer"]);
    expect("ACT Übersetzung prüfen", &["i18n-specialist"]);
    expect(
        "ACT améliore l'accessibilité",
        &["accessibility-specialist"],
    );
    expect("ACT проверь безопасность", &["security-specialist"]);
    expect("ACT read the seoul report", &[]);
    expect("EVAL performance", &[]);
}

#[test]
fn answers_come_in_the_configured_language() {
    for (language, sentence) in [
        (Some("ko"), "Always respond in Korean (한국어)."),
        (Some("ja-JP"), "Always respond in Japanese (日本語)."),
        (
            Some("pt_BR.UTF-8"),
            "Always respond in Portuguese (Português).",
        ),
        (
            Some("zh-TW"),
            "Always respond in Traditional Chinese (繁體中文).",
        ),
        (
            Some("Vietnamese"),
            "Always respond in Vietnamese (Tiếng Việt).",
        ),
        (Some("no"), "Always respond in Norwegian (Norsk)."),
        (Some("en"), "Always respond in English."),
        (Some("xx"), "Always respond in English."),
        (Some(""), "Always respond in English."),
        (None, "Always respond in English."),
    ] {
        assert_eq!(language_instruction(language), sentence, "{language:?}");
    }
}

#[test]
fn every_mode_has_short_instructions_in_nine_languages() {
    let mut seen = std::collections::HashSet::new();
    for mode in KeywordMode::ALL {
        for language in ["en", "ko", "ja", "zh", "es", "pt", "de", "fr", "ru"] {
            let config = PromptConfig {
                language: Some(language.to_owned()),
                ..PromptConfig::default()
            };
            let text = check(
                &format!("{mode} x"),
                &Around {
                    config,
                    ..Around::default()
                },
                |parsed| parsed.instructions,
            );
            assert!(
                !text.is_empty() && text.chars().count() <= 600,
                "{mode} {language}"
            );
            assert!(seen.insert(text), "{mode} {language} repeats another");
        }
    }
}

#[test]
fn the_most_specific_model_wins_and_unknown_names_are_doubted() {
    let wishes = |agent, mode, global| ModelWishes {
        agent,
        mode,
        global,
    };
    for (wishes, model, source) in [
        (
            wishes(Some("claude-a"), Some("claude-b"), Some("gpt-c")),
            "claude-a",
            ModelSource::Agent,
        ),
        (
            wishes(None, Some("claude-b"), Some("gpt-c")),
            "claude-b",
            ModelSource::Mode,
        ),
        (
            wishes(None, Some(" "), Some("gpt-c")),
            "gpt-c",
            ModelSource::Global,
        ),
        (
            wishes(None, None, Some("anthropic/claude-x")),
            "anthropic/claude-x",
            ModelSource::Global,
        ),
        (ModelWishes::default(), "inherit", ModelSource::System),
    ] {
        let resolved = resolve_model(wishes);
        assert_eq!(
            (resolved.model.as_str(), resolved.source, resolved.warning),
            (model, source, None)
        );
    }
    let doubted = resolve_model(wishes(None, None, Some("my-model")));
    assert_eq!(
        doubted.warning.as_deref(),
        Some("Unknown model `my-model`: check its name")
    );
}

#[test]
fn auto_counts_rounds_within_its_limits() {
    for (set, rounds) in [(None, 3), (Some(0), 1), (Some(7), 7), (Some(99), 10)] {
        let config = PromptConfig {
            max_iterations: set,
            ..PromptConfig::default()
        };
        let shown = check(
            "AUTO x",
            &Around {
                config,
                ..Around::default()
            },
            |parsed| parsed.max_iterations,
        );
        assert_eq!(shown, Some(rounds));
    }
    assert_eq!(
        check("ACT x", &Around::default(), |parsed| parsed.max_iterations),
        None
    );
}

#[test]
fn a_mode_gets_the_principles_and_its_own_section() {
    let core = "# Core\n\nAll.\n\n```\n### Plan Mode\n```\n\n## Modes\n\n### Plan Mode\n\nPlan.\n\n#### More\n\nDeep.\n\n### ACT mode\n\nAct.\n\n## Notes\n\nEnd.\n";
    let header = "# Core\n\nAll.\n\n```\n### Plan Mode\n```\n\n## Modes\n\n";
    assert_eq!(
        mode_section(core, KeywordMode::Plan),
        format!("{header}### Plan Mode\n\nPlan.\n\n#### More\n\nDeep.\n")
    );
    assert_eq!(
        mode_section(core, KeywordMode::Act),
        format!("{header}### ACT mode\n\nAct.\n")
    );
    assert_eq!(mode_section(core, KeywordMode::Eval), core);
    assert_eq!(mode_section("", KeywordMode::Plan), "");
}

#[test]
fn a_keyword_may_be_dressed_up_and_a_word_like_it_is_none() {
    let none = &["No keyword found, defaulting to PLAN"];
    for (prompt, mode, rest) in [
        ("ACT, fix it", KeywordMode::Act, "fix it"),
        ("**ACT** fix", KeywordMode::Act, "fix"),
        ("**ACT:** fix", KeywordMode::Act, "fix"),
        ("**ACT: fix it**", KeywordMode::Act, "fix it"),
        ("/act fix", KeywordMode::Act, "fix"),
        ("[PLAN] the import", KeywordMode::Plan, "the import"),
        ("# EVAL\nthe diff", KeywordMode::Eval, "the diff"),
        ("ACT - fix", KeywordMode::Act, "fix"),
        ("ACT — fix", KeywordMode::Act, "fix"),
        ("act fix the list", KeywordMode::Act, "fix the list"),
        ("auto add login", KeywordMode::Auto, "add login"),
        (
            "AUTO complete the form",
            KeywordMode::Auto,
            "complete the form",
        ),
        (
            "auto: complete the form",
            KeywordMode::Auto,
            "complete the form",
        ),
        ("plan login page", KeywordMode::Plan, "login page"),
    ] {
        check_start(prompt, mode, rest, &[]);
    }
    for prompt in [
        "auto complete is broken",
        "auto save loses my changes",
        "auto update stopped working",
        "plan.md is outdated",
        "plan/notes is empty",
        "eval() is dangerous",
        "`eval` in this file is unsafe",
        "act as a pirate",
        "Plan B is to wait",
    ] {
        check_start(prompt, KeywordMode::Plan, prompt, none);
    }
}

#[test]
fn specialists_come_with_their_files() {
    let named = |prompt: &str, files: &[&str]| {
        let around = Around {
            files,
            ..Around::default()
        };
        check(prompt, &around, |parsed| {
            let names: Vec<String> = parsed
                .specialists
                .iter()
                .map(|it| (*it).to_owned())
                .collect();
            names
        })
    };
    let accessibility = "accessibility-specialist".to_owned();
    assert!(named("EVAL the change", &[]).contains(&accessibility));
    assert!(!named("EVAL the change", &["src/lib.rs"]).contains(&accessibility));
    assert!(!named("EVAL src/lib.rs", &[]).contains(&accessibility));
    assert!(named("EVAL src/lib.rs for screen readers", &[]).contains(&accessibility));
}

#[test]
fn what_is_pasted_sends_a_prompt_to_nobody() {
    let ticket = "\n\nReporter: Ana\nEnvironment: iOS 19, Android\n\nThe customer uses the app on an iPhone.\n\nSent from my iPhone";
    let agent = |prompt: &str| {
        check(prompt, &Around::default(), |parsed| {
            parsed.delegates_to.agent.to_owned()
        })
    };
    for prompt in [
        "ACT add an endpoint for orders to the REST API",
        "ACT write the SQL migration for the orders table",
    ] {
        assert_eq!(
            agent(&format!("{prompt}{ticket}")),
            agent(prompt),
            "{prompt}"
        );
    }
}
