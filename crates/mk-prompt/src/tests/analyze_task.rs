//! Tasks in nine languages: what they are, how dangerous, and who is asked.

use crate::{Intent, KeywordMode, RiskLevel, TaskAnalysis, analyze_task};

#[track_caller]
fn check<T>(prompt: &str, files: &[&str], show: impl Fn(&TaskAnalysis) -> T) -> T {
    let files: Vec<String> = files.iter().map(|it| (*it).to_owned()).collect();
    show(&analyze_task(prompt, &files, None))
}

#[track_caller]
fn check_risk(prompt: &str, files: &[&str], level: RiskLevel) {
    check(prompt, files, |analysis| {
        assert_eq!(
            analysis.risk.level, level,
            "{prompt:?} {files:?}: {analysis:#?}"
        );
    });
}

#[test]
fn the_documented_task_is_high_risk_for_its_documented_reasons() {
    let files = ["src/auth/".to_owned()];
    let analysis = analyze_task(
        "Add user authentication with OAuth",
        &files,
        Some(KeywordMode::Plan),
    );
    assert_eq!(analysis.risk.level, RiskLevel::High);
    assert_eq!(
        analysis.risk.factors,
        ["security-sensitive", "authentication"]
    );
    assert_eq!(analysis.checklists, ["security", "testing"]);
    assert_eq!(
        analysis
            .specialists
            .iter()
            .map(|it| it.name)
            .collect::<Vec<_>>(),
        ["security-specialist"]
    );
    assert_eq!(
        analysis.suggestions,
        ["Use TDD approach", "Review OWASP guidelines"]
    );
    assert_eq!(analysis.intent, Intent::FeatureDevelopment);
    assert_eq!(analysis.category.to_string(), "authentication");
    assert_eq!(analysis.keywords, ["Add", "authentication", "OAuth"]);
}

#[test]
fn risk_is_seen_in_nine_languages() {
    use RiskLevel::{Critical, High, Low, Medium};
    for (prompt, level) in [
        ("Add Stripe payments", Critical),
        ("결제 기능을 추가해줘", Critical),
        ("決済機能を追加", Critical),
        ("添加支付功能", Critical),
        ("añadir pagos con tarjeta", Critical),
        ("adicionar pagamentos", Critical),
        ("Zahlungen hinzufügen", Critical),
        ("ajouter le paiement", Critical),
        ("добавь оплату", Critical),
        ("delete inactive users from the database", Critical),
        ("drop table orders", Critical),
        ("사용자 데이터를 삭제해줘", Critical),
        ("migrate the users table", High),
        ("로그인 기능 구현", High),
        ("ログイン機能を作って", High),
        ("修改登录逻辑", High),
        ("restablecer la contraseña", High),
        ("redefinir a senha", High),
        ("Passwort zurücksetzen", High),
        ("réinitialiser le mot de passe", High),
        ("сброс пароля и пароль", High),
        ("roll it out to production", High),
        ("add an API endpoint for weather", Medium),
        ("speed up the search", Medium),
        ("deploy the docs site", Low),
        ("fix typo in the payment docs", Low),
        ("결제 문서 오타 수정", Low),
        ("write unit tests for payment", Low),
        ("change the color of the button", Low),
        ("hello", Low),
    ] {
        check_risk(prompt, &[], level);
    }
}

#[test]
fn harmless_words_that_look_dangerous_are_harmless() {
    use RiskLevel::Low;
    for prompt in [
        "add a delete button to the toolbar",
        "drag and drop for the list",
        "rename the dropdown",
        "make the code production-ready",
        "author names in the footer",
        "put the items in order",
        "the index page needs a heading",
        "explain the authorship of the blog",
    ] {
        check_risk(prompt, &[], Low);
    }
}

#[test]
fn files_count_as_much_as_words() {
    use RiskLevel::{Critical, High, Low, Medium};
    for (file, level) in [
        ("src/payments/refund.ts", Critical),
        ("src/LoginForm.tsx", High),
        ("db/migrations/001_users.sql", High),
        ("src/api/weather.ts", Medium),
        ("src/components/Button.tsx", Low),
        ("docs/guide.md", Low),
        ("src/authors/list.ts", Low),
        ("src/styles/tokens.css", Low),
    ] {
        check_risk("change it", &[file], level);
    }
    check_risk("fix a typo", &["src/payments/refund.ts"], Medium);
}

#[test]
fn the_kind_of_work_is_seen_in_nine_languages() {
    for (prompt, intent) in [
        ("There is a bug in the login", Intent::BugFix),
        ("버그 고쳐줘", Intent::BugFix),
        ("バグを直して", Intent::BugFix),
        ("修复这个错误", Intent::BugFix),
        ("arregla el error", Intent::BugFix),
        ("corrija o erro", Intent::BugFix),
        ("behebe den Fehler", Intent::BugFix),
        ("corrige l'erreur", Intent::BugFix),
        ("исправь ошибку", Intent::BugFix),
        ("refactor the parser", Intent::Refactoring),
        ("파서를 리팩토링해줘", Intent::Refactoring),
        ("review my pull request", Intent::CodeReview),
        ("代码审查", Intent::CodeReview),
        ("add unit tests for the parser", Intent::Testing),
        ("Тесты для парсера", Intent::Testing),
        ("update the README", Intent::Documentation),
        ("fix typo in the documentation", Intent::Documentation),
        (
            "the page is slow, speed it up",
            Intent::PerformanceOptimization,
        ),
        ("성능 최적화", Intent::PerformanceOptimization),
        ("close the XSS vulnerability", Intent::SecurityHardening),
        ("add dark mode", Intent::FeatureDevelopment),
        ("ダークモードを追加", Intent::FeatureDevelopment),
        ("füge einen Dunkelmodus hinzu", Intent::FeatureDevelopment),
        ("good morning", Intent::Unknown),
    ] {
        assert_eq!(
            check(prompt, &[], |analysis| analysis.intent),
            intent,
            "{prompt:?}"
        );
    }
}

#[test]
fn the_part_of_the_product_is_named() {
    for (prompt, files, category) in [
        ("add a refund", &[][..], "payment"),
        ("add a button", &[][..], "ui"),
        ("new endpoint", &[][..], "api"),
        ("quelque chose dans la base de données", &[][..], "data"),
        ("change it", &["k8s/deploy.yaml"][..], "infrastructure"),
        ("write tests for payments", &[][..], "testing"),
        ("change it", &["src/main.rs"][..], "general"),
    ] {
        assert_eq!(
            check(prompt, files, |analysis| analysis.category.to_string()),
            category,
            "{prompt:?}"
        );
    }
}

#[test]
fn complexity_grows_with_files_topics_and_scale() {
    let many: Vec<String> = (0..6).map(|at| format!("src/{at}.rs")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let shown = |prompt: &str, files: &[&str]| {
        check(prompt, files, |analysis| analysis.complexity.to_string())
    };
    assert_eq!(shown("rename it", &["a.rs"]), "low");
    assert_eq!(shown("rename it", &["a.rs", "b.rs", "c.rs"]), "medium");
    assert_eq!(shown("rename it", &many), "high");
    assert_eq!(shown("rewrite the application from scratch", &[]), "high");
}

#[test]
fn phases_begin_at_the_current_mode() {
    for (mode, count) in [
        (None, 3),
        (Some(KeywordMode::Auto), 3),
        (Some(KeywordMode::Act), 2),
        (Some(KeywordMode::Eval), 1),
    ] {
        let analysis = analyze_task("fix the bug", &[], mode);
        assert_eq!(analysis.phases.len(), count, "{mode:?}");
        assert!(analysis.phases.iter().all(|phase| !phase.focus.is_empty()));
    }
}

#[test]
fn keywords_are_at_most_five_and_as_typed() {
    let prompt = "Fix the Payment API bug: login page tests fail in Production, docs and cache too";
    check(prompt, &[], |analysis| {
        assert_eq!(analysis.keywords.len(), 5);
        assert!(
            analysis
                .keywords
                .iter()
                .all(|word| prompt.contains(word.as_str()))
        );
    });
    assert_eq!(
        check("quantum teapot", &[], |analysis| analysis
            .keywords
            .join(",")),
        "quantum,teapot"
    );
}

#[test]
fn hostile_tasks_get_an_answer() {
    let files: Vec<String> = vec![
        "../../etc/passwd".to_owned(),
        "a".repeat(100_000),
        "\u{0}".to_owned(),
        String::new(),
    ];
    for prompt in [
        "",
        "\u{0}\u{202e}",
        &"payment ".repeat(100_000),
        &"支付".repeat(50_000),
    ] {
        let analysis = analyze_task(prompt, &files, None);
        assert!(analysis.keywords.len() <= 5);
    }
    let many = vec!["src/x.rs".to_owned(); 10_000];
    assert_eq!(
        analyze_task("x", &many, None).complexity.to_string(),
        "high"
    );
}
