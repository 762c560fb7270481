//! Where a person would send a prompt. None of these is in the training data.

use super::shipped;

/// The first skill is this one; `-` means that nothing is recommended.
#[track_caller]
fn check(table: &str) {
    let recommender = shipped();
    let mut wrong = Vec::new();
    let mut cases = 0;
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (prompt, wanted) = line.rsplit_once(" → ").expect("prompt → skill");
        let listed = recommender.recommend(prompt);
        let first = listed.first().map_or("-", |it| it.skill.as_str());
        // Several skills may be right.
        if !wanted.split(" | ").any(|wanted| wanted == first) {
            let score = listed.first().map_or(0.0, |it| it.score);
            wrong.push(format!("{prompt}: {first} {score:.2}, not {wanted}"));
        }
        cases += 1;
    }
    assert!(
        wrong.is_empty(),
        "{} of {cases}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn parts_of_other_words_route_nothing() {
    check(
        "
        three weeks ago we met in Prague → -
        he terrorized the whole class → -
        she is a former teacher → -
        please inform my parents → -
        the planet Mars → -
        an airplane over the sea → -
        the latest fashion → -
        a dance contest → -
        they protested in the streets → -
        the ruler of the kingdom → -
        a travel agency in Rome → -
        he replied promptly → -
        my grandfather's debtors → -
        the rest of the cake → -
        I need a rest → -
        Mr Smith called → -
        spring flowers → -
        express train to Vienna → -
        hand soap and towels → -
        ¿todo bien? → -
        dou todo meu amor → -
        プラットフォームで電車を待つ → -
        コンテストに出る → -
        ",
    );
}

#[test]
fn words_of_the_trade_in_everyday_talk_route_nothing() {
    check(
        "
        the bug on the windscreen → -
        a review of the opera → -
        I have to test the soup → -
        our plan for the holidays → -
        security guards at the concert → -
        the performance of the actors → -
        my bank debt → -
        the agent sold our house → -
        the rules of poker → -
        how do I dress for a formal session → -
        우리 할머니 생신 계획 → -
        호텔 후기 읽어봤어 → -
        お祭りの計画 → -
        レストランの評価 → -
        生日聚会的计划 → -
        餐馆的服务太慢 → -
        el plan para las vacaciones → -
        a dívida do meu irmão → -
        Fehler meines Lebens → -
        le bouton de ma chemise → -
        пуговица на рубашке → -
        ",
    );
}

#[test]
fn interface_parts_go_to_frontend_design() {
    check(
        "
        login form → frontend-design
        export button → frontend-design
        index page → frontend-design
        a sidebar with icons → frontend-design
        make the header sticky → frontend-design
        add a dropdown for the country → frontend-design
        style the checkout page → frontend-design
        the navbar should collapse on small screens → frontend-design
        가입 버튼 하나 추가해줘 → frontend-design
        메인 화면 레이아웃을 바꾸고 싶어 → frontend-design
        検索フォームを作りたい → frontend-design
        サイドバーを追加して → frontend-design
        做一个登录页面 → frontend-design
        加一个搜索框 → frontend-design
        añade un menú lateral → frontend-design
        um botão para salvar → frontend-design
        baue ein Kontaktformular → frontend-design
        ajoute un menu déroulant → frontend-design
        добавь кнопку сохранения → frontend-design
        ",
    );
}

#[test]
fn faults_go_to_debugging_and_messages_to_error_analysis() {
    check(
        "
        the save button does nothing → systematic-debugging
        there is a bug in the invoice export → systematic-debugging
        the worker crashes at midnight → systematic-debugging
        why does the total come out wrong → systematic-debugging
        저장 버튼이 작동하지 않아요 → systematic-debugging
        アプリが起動しません → systematic-debugging
        页面打不开了 → systematic-debugging
        la app no arranca → systematic-debugging
        o aplicativo não abre → systematic-debugging
        die Anwendung stürzt beim Start ab → systematic-debugging
        l'application plante au démarrage → systematic-debugging
        приложение не запускается → systematic-debugging
        what does this stack trace tell us → error-analysis
        explain this error message to me → error-analysis
        이 스택 트레이스 무슨 뜻이야 → error-analysis
        このエラーメッセージはどういう意味 → error-analysis
        这个报错信息什么意思 → error-analysis
        qué quiere decir este mensaje de error → error-analysis
        was bedeutet diese Fehlermeldung → error-analysis
        que signifie ce message d'erreur → error-analysis
        что значит это сообщение об ошибке → error-analysis
        ",
    );
}

#[test]
fn neighbours_are_told_apart() {
    check(
        "
        split this huge class → refactoring
        remove the duplication in the mappers → refactoring
        move us from Angular 8 to 17 → legacy-modernization
        list our technical debt by cost → tech-debt
        plan the notification feature → writing-plans
        go on with the next step of the plan → executing-plans
        what could we build for the fair → brainstorming
        run these four investigations in parallel → dispatching-parallel-agents
        hand every task to a fresh subagent → subagent-driven-development
        review my pull request → pr-review
        look for SQL injection → security-audit
        explain this module → code-explanation
        write the README → documentation-generation
        deploy to staging → deployment-checklist
        improve my system prompt → prompt-engineering
        design an agent that sorts mail → agent-design
        write an AGENTS.md → rule-authoring
        build an MCP server for our wiki → mcp-builder
        save the context for the next session → context-management
        the query is too slow → performance-optimization
        design the REST endpoints for orders → api-design
        write a failing test first → test-driven-development
        이 함수 리팩토링해줘 → refactoring
        보안 취약점 점검해줘 → security-audit
        このPRをレビューして → pr-review
        READMEを書いて → documentation-generation
        部署到生产环境 → deployment-checklist
        优化查询速度 → performance-optimization
        revisa este pull request → pr-review
        escreva os testes primeiro → test-driven-development
        erkläre mir diese Klasse → code-explanation
        conçois une API REST → api-design
        напиши документацию → documentation-generation
        ",
    );
}

#[test]
fn what_is_taken_back_does_not_count() {
    check(
        "
        don't refactor, just explain this function → code-explanation
        explain the module without rewriting it → code-explanation
        write unit tests instead of refactoring → test-driven-development
        리팩토링 말고 코드 설명해줘 → code-explanation
        不要部署，先写测试 → test-driven-development
        explica el código sin refactorizar → code-explanation
        ",
    );
}

#[test]
fn small_orders_need_no_skill() {
    check(
        "
        git checkout main → -
        open package.json → -
        thanks, that's all → -
        which branch is this → -
        고마워요 → -
        ありがとうございます → -
        好的谢谢 → -
        muchas gracias por todo → -
        obrigado pela ajuda → -
        danke dir → -
        merci beaucoup → -
        спасибо большое → -
        ",
    );
}
