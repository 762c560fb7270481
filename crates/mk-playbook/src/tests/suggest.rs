//! What a project uses, and what its configuration should say of it.

use std::fmt::Write as _;

use mk_testkit::Fixture;

use super::playbook;
use crate::{detect, first_config};

#[track_caller]
fn check(fixture: &str, expected: &str) {
    let fixture = Fixture::new(fixture);
    let suggestions = playbook(&fixture).suggest_config().unwrap();
    let mut found = String::new();
    for it in &suggestions {
        let current = it
            .current
            .as_ref()
            .map_or_else(String::new, ToString::to_string);
        let _ = writeln!(
            found,
            "{} {} {current}->{}",
            it.importance.as_str(),
            it.field,
            it.suggested
        );
    }
    assert_eq!(found, expected);
}

#[test]
fn new_frameworks_are_suggested_after_those_that_are_known() {
    check(
        r#"
//- /codingbuddy.config.json
{"projectName": "old", "techStack": {"frontend": ["react"]}}
//- /tsconfig.json
{}
//- /package.json
{"name": "my-app", "dependencies": {"next": "15", "react": "19", "pg": "8"}, "devDependencies": {"vitest": "3"}}
"#,
        r#"medium projectName "old"->"my-app"
high techStack.frontend ["react"]->["react","Next.js"]
high techStack.backend ->["Next.js"]
medium techStack.database ->["PostgreSQL"]
medium techStack.languages ->["TypeScript"]
medium testStrategy.frameworks ->["Vitest"]
"#,
    );
}

#[test]
fn a_complete_configuration_needs_nothing() {
    check(
        r#"
//- /codingbuddy.config.json
{"projectName": "svc", "techStack": {"languages": ["Rust"], "backend": ["Axum"]}}
//- /Cargo.toml
[package]
name = "svc"
[dependencies]
axum = "0.8"
"#,
        "",
    );
}

#[test]
fn every_ecosystem_is_known() {
    let languages = |fixture: &str| {
        let stack = detect(Fixture::new(fixture).root());
        format!(
            "{:?} | {:?} | {:?} | {:?} | {:?}",
            stack.languages, stack.frontend, stack.backend, stack.database, stack.testing
        )
    };
    let lines = [
        languages("//- /package.json\n{\"dependencies\": {\"express\": \"5\"}}\n"),
        languages(
            "//- /Cargo.toml\n[workspace.dependencies]\nsqlx = \"0.9\"\n[workspace]\nmembers = []\n",
        ),
        languages(
            "//- /pyproject.toml\n[project]\nname = \"p\"\ndependencies = [\n  \"Django>=5\",\n  \"psycopg[binary]\",\n]\n[dependency-groups]\ndev = [\"pytest\"]\n",
        ),
        languages("//- /requirements-dev.txt\n# comment\n-r base.txt\nfastapi==0.1\npytest\n"),
        languages(
            "//- /go.mod\nmodule example.com/shop\n\nrequire (\n\tgithub.com/labstack/echo/v4 v4.1.0\n\tgithub.com/jackc/pgx/v5 v5.0.0 // indirect\n)\n",
        ),
        languages(
            "//- /pom.xml\n<project><artifactId>shop</artifactId><dependencies><dependency><artifactId>spring-boot-starter-web</artifactId></dependency></dependencies></project>\n",
        ),
        languages(
            "//- /build.gradle.kts\nplugins { id(\"org.springframework.boot\") version \"3\" }\ndependencies { testImplementation(\"org.junit.jupiter:junit-jupiter:5\") }\n",
        ),
        languages("//- /Gemfile\ngem 'rails', '~> 8'\ngem \"rspec-rails\"\n"),
        languages("//- /composer.json\n{\"require\": {\"laravel/framework\": \"^12\"}}\n"),
        languages(
            "//- /src/Shop/Shop.csproj\n<Project Sdk=\"Microsoft.NET.Sdk.Web\"><PackageReference Include=\"xunit\" /></Project>\n",
        ),
        languages(
            "//- /compose.yaml\nservices:\n  db:\n    image: docker.io/library/postgres:17\n",
        ),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r#"
    ["JavaScript"] | [] | ["Express"] | [] | []
    ["Rust"] | [] | [] | ["SQLx"] | []
    ["Python"] | [] | ["Django"] | ["PostgreSQL"] | ["pytest"]
    ["Python"] | [] | ["FastAPI"] | [] | ["pytest"]
    ["Go"] | [] | ["Echo"] | ["PostgreSQL"] | []
    ["Java"] | [] | ["Spring Boot"] | [] | []
    ["Kotlin"] | [] | ["Spring Boot"] | [] | ["JUnit"]
    ["Ruby"] | ["Ruby on Rails"] | ["Ruby on Rails"] | [] | ["RSpec"]
    ["PHP"] | ["Laravel"] | ["Laravel"] | [] | []
    ["C#"] | [] | ["ASP.NET Core"] | [] | ["xUnit"]
    [] | [] | [] | ["PostgreSQL"] | []
    "#);
}

#[test]
fn a_first_configuration_says_what_was_found_and_is_valid() {
    let fixture = Fixture::new(
        r#"
//- /package.json
{"name": "shop", "description": "Sells", "dependencies": {"vue": "3"}, "devDependencies": {"eslint": "9", "jest": "30"}}
//- /Dockerfile
FROM scratch
//- /.github/workflows/ci.yml
on: push
//- /node_modules/react/package.json
{"dependencies": {"react": "19"}}
"#,
    );
    let text = first_config(&detect(fixture.root()), "folder");
    insta::assert_snapshot!(text, @r#"
    {
      "projectName": "shop",
      "description": "Sells",
      "techStack": {
        "languages": [
          "JavaScript"
        ],
        "frontend": [
          "Vue"
        ],
        "infrastructure": [
          "Docker",
          "GitHub Actions"
        ],
        "tools": [
          "ESLint"
        ]
      },
      "testStrategy": {
        "frameworks": [
          "Jest"
        ]
      }
    }
    "#);
    fixture.write("codingbuddy.config.json", text);
    let playbook = playbook(&fixture);
    assert_eq!(playbook.config().unwrap().project_name(), Some("shop"));
    assert_eq!(playbook.suggest_config().unwrap(), []);
}

#[test]
fn manifests_that_cannot_be_read_say_nothing() {
    let fixture = Fixture::new(
        "//- /package.json\n{\"dependencies\": [[[\n//- /Cargo.toml\n= = =\n//- /pyproject.toml\n\u{0}\n",
    );
    let stack = detect(fixture.root());
    assert_eq!(stack.languages, ["Rust", "JavaScript", "Python"]);
    assert_eq!((stack.name, stack.backend.len()), (None, 0));
}
