//! Who is sent for a file, where the prompt says nothing of it: `ACT fix <file>`.

use mk_prompt::{AgentSource, ModeRequest, PromptConfig, parse_mode};

use super::shipped;

#[track_caller]
fn check(table: &str) {
    let playbook = shipped();
    let briefing = playbook.briefing();
    let mut wrong = Vec::new();
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (file, agent) = line.split_once(" → ").expect("file → agent");
        let request = ModeRequest {
            prompt: "ACT fix it",
            roster: &briefing.roster,
            config: &PromptConfig::default(),
            recommended_agent: None,
            files: &[file.to_owned()],
        };
        let choice = parse_mode(&request).delegates_to;
        if choice.agent != agent || choice.source != AgentSource::Context {
            wrong.push(format!("{file}: {} by {}", choice.agent, choice.source));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn csharp_goes_by_its_place() {
    check(
        "
        Program.cs → software-engineer
        src/Domain/Order.cs → software-engineer
        Assets/Scripts/PlayerController.cs → software-engineer
        Assets/Scripts/Services/SaveService.cs → software-engineer
        Assets/Shaders/Water.shader → software-engineer
        src/Api/Controllers/OrdersController.cs → backend-developer
        Shop.Infrastructure/Repositories/OrderRepository.cs → backend-developer
        src/Api/Api.csproj → backend-developer
        appsettings.Development.json → backend-developer
        Migrations/20260101_AddTotal.cs → data-engineer
        Shop.Tests/OrderTests.cs → test-engineer
        Pages/Index.cshtml → frontend-developer
        Views/MainWindow.xaml → frontend-developer
        Shop.sln → tooling-engineer
        ",
    );
}

#[test]
fn kotlin_and_java_go_by_their_place() {
    check(
        "
        app/src/main/java/com/shop/MainActivity.kt → mobile-developer
        app/src/main/kotlin/com/shop/CartScreen.kt → mobile-developer
        composeApp/src/commonMain/kotlin/App.kt → mobile-developer
        app/src/main/res/layout/cart.xml → mobile-developer
        android/app/src/main/java/Bridge.java → mobile-developer
        MainActivity.kt → mobile-developer
        src/main/kotlin/com/shop/OrderService.kt → backend-developer
        src/main/kotlin/com/shop/Money.kt → backend-developer
        server/src/main/kotlin/Routes.kt → backend-developer
        billing/src/main/kotlin/InvoiceController.kt → backend-developer
        src/main/java/com/shop/Order.java → backend-developer
        src/test/kotlin/com/shop/OrderServiceTest.kt → test-engineer
        build.gradle.kts → tooling-engineer
        settings.gradle → tooling-engineer
        ",
    );
}

#[test]
fn databases_infrastructure_and_interfaces_have_their_own() {
    check(
        "
        report.sql → data-engineer
        db/migrate/20260101_orders.rb → data-engineer
        prisma/schema.prisma → data-engineer
        models/staging/orders.sql → data-engineer
        main.tf → platform-engineer
        envs/prod.tfvars → platform-engineer
        azure/main.bicep → platform-engineer
        Dockerfile → devops-engineer
        .github/workflows/ci.yml → devops-engineer
        k8s/deployment.yaml → devops-engineer
        api/orders.proto → backend-developer
        schema.graphql → backend-developer
        Button.tsx → frontend-developer
        styles/main.scss → frontend-developer
        resources/views/cart.blade.php → frontend-developer
        app/views/cart.html.erb → frontend-developer
        .github/copilot-instructions.md → agent-architect
        .claude/agents/reviewer.md → agent-architect
        ",
    );
}

#[test]
fn plain_files_of_a_language_go_to_an_engineer() {
    check(
        "
        src/lib.rs → software-engineer
        parser.c → software-engineer
        include/tree.hpp → software-engineer
        tool.py → software-engineer
        src/date.ts → software-engineer
        index.js → software-engineer
        install.sh → software-engineer
        build.ps1 → software-engineer
        player.gd → software-engineer
        contract.sol → software-engineer
        main.go → backend-developer
        app.rb → backend-developer
        index.php → backend-developer
        lib/shop.ex → backend-developer
        notebook.ipynb → ai-ml-engineer
        Sources/App/routes.swift → backend-developer
        Cart.swift → mobile-developer
        lib/main.dart → mobile-developer
        tests/cart.rs → test-engineer
        cart_test.go → test-engineer
        cart.spec.ts → test-engineer
        Cargo.toml → tooling-engineer
        vite.config.ts → tooling-engineer
        scripts/release.sh → tooling-engineer
        ",
    );
}
