//! Which package stands for which technology. Data; add a line to know another one.

use super::manifest::is_compose;

/// Where a technology belongs in a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TechnologyCategory {
    Language,
    Frontend,
    /// Both a frontend and a backend.
    Fullstack,
    Backend,
    Database,
    Infrastructure,
    Testing,
    Tool,
}

/// Whose packages they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ecosystem {
    Npm,
    Cargo,
    Python,
    Go,
    Jvm,
    Ruby,
    Php,
    DotNet,
    /// Container images.
    Image,
}

impl Ecosystem {
    pub(super) fn language(self, manifest: &str) -> Option<&'static str> {
        match self {
            Self::Npm => Some("JavaScript"),
            Self::Cargo => Some("Rust"),
            Self::Python => Some("Python"),
            Self::Go => Some("Go"),
            Self::Jvm if manifest.ends_with(".kts") => Some("Kotlin"),
            Self::Jvm => Some("Java"),
            Self::Ruby => Some("Ruby"),
            Self::Php => Some("PHP"),
            Self::DotNet => Some("C#"),
            Self::Image => None,
        }
    }
}

/// The technologies that these packages stand for, in the table's order.
pub(super) fn packages(
    ecosystem: Ecosystem,
    packages: &[String],
) -> impl Iterator<Item = (TechnologyCategory, &'static str)> {
    let rows = PACKAGES.iter().filter(move |row| row.0 == ecosystem);
    rows.filter(move |row| {
        packages
            .iter()
            .any(|package| is_package(ecosystem, package, row.1))
    })
    .map(|row| (row.2, row.3))
}

/// Go names a module by its path, where the version may follow; elsewhere a `*` stands for whatever follows.
fn is_package(ecosystem: Ecosystem, package: &str, known: &str) -> bool {
    if ecosystem == Ecosystem::Go {
        return package
            .strip_prefix(known)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    }
    match known.strip_suffix('*') {
        Some(prefix) => package.starts_with(prefix),
        None => package == known,
    }
}

/// The technology that a file stands for by being there.
pub(super) fn file(path: &str, name: &str) -> Option<(TechnologyCategory, &'static str)> {
    let infrastructure = |tool| Some((TechnologyCategory::Infrastructure, tool));
    match (path, name) {
        _ if path.starts_with(".github/workflows/") => infrastructure("GitHub Actions"),
        (".gitlab-ci.yml", _) => infrastructure("GitLab CI"),
        (_, "Jenkinsfile") => infrastructure("Jenkins"),
        (".circleci/config.yml", _) => infrastructure("CircleCI"),
        ("azure-pipelines.yml", _) => infrastructure("Azure Pipelines"),
        ("bitbucket-pipelines.yml", _) => infrastructure("Bitbucket Pipelines"),
        (".travis.yml", _) => infrastructure("Travis CI"),
        (_, "Dockerfile" | "Containerfile") => infrastructure("Docker"),
        _ if is_compose(name) => infrastructure("Docker Compose"),
        (_, "Chart.yaml") => infrastructure("Helm"),
        (_, "kustomization.yaml") => infrastructure("Kubernetes"),
        (_, "serverless.yml") => infrastructure("Serverless Framework"),
        (_, "vercel.json") => infrastructure("Vercel"),
        (_, "netlify.toml") => infrastructure("Netlify"),
        (_, "fly.toml") => infrastructure("Fly.io"),
        _ if name.ends_with(".tf") => infrastructure("Terraform"),
        _ => None,
    }
}

type DetectRow = (Ecosystem, &'static str, TechnologyCategory, &'static str);

use Ecosystem as E;
use TechnologyCategory as C;

const PACKAGES: &[DetectRow] = &[
    (E::Npm, "react", C::Frontend, "React"),
    (E::Npm, "vue", C::Frontend, "Vue"),
    (E::Npm, "@angular/core", C::Frontend, "Angular"),
    (E::Npm, "svelte", C::Frontend, "Svelte"),
    (E::Npm, "solid-js", C::Frontend, "SolidJS"),
    (E::Npm, "preact", C::Frontend, "Preact"),
    (E::Npm, "lit", C::Frontend, "Lit"),
    (E::Npm, "@builder.io/qwik", C::Frontend, "Qwik"),
    (E::Npm, "htmx.org", C::Frontend, "htmx"),
    (E::Npm, "react-native", C::Frontend, "React Native"),
    (E::Npm, "expo", C::Frontend, "Expo"),
    (E::Npm, "electron", C::Frontend, "Electron"),
    (E::Npm, "@tauri-apps/api", C::Frontend, "Tauri"),
    (E::Npm, "next", C::Fullstack, "Next.js"),
    (E::Npm, "nuxt", C::Fullstack, "Nuxt"),
    (E::Npm, "@sveltejs/kit", C::Fullstack, "SvelteKit"),
    (E::Npm, "@remix-run/react", C::Fullstack, "Remix"),
    (E::Npm, "@react-router/dev", C::Fullstack, "React Router"),
    (E::Npm, "astro", C::Fullstack, "Astro"),
    (E::Npm, "gatsby", C::Frontend, "Gatsby"),
    (E::Npm, "express", C::Backend, "Express"),
    (E::Npm, "@nestjs/core", C::Backend, "NestJS"),
    (E::Npm, "fastify", C::Backend, "Fastify"),
    (E::Npm, "koa", C::Backend, "Koa"),
    (E::Npm, "hono", C::Backend, "Hono"),
    (E::Npm, "@hapi/hapi", C::Backend, "hapi"),
    (E::Npm, "@trpc/server", C::Backend, "tRPC"),
    (E::Npm, "graphql", C::Backend, "GraphQL"),
    (E::Npm, "prisma", C::Database, "Prisma"),
    (E::Npm, "@prisma/client", C::Database, "Prisma"),
    (E::Npm, "drizzle-orm", C::Database, "Drizzle"),
    (E::Npm, "typeorm", C::Database, "TypeORM"),
    (E::Npm, "sequelize", C::Database, "Sequelize"),
    (E::Npm, "knex", C::Database, "Knex"),
    (E::Npm, "kysely", C::Database, "Kysely"),
    (E::Npm, "mongoose", C::Database, "MongoDB"),
    (E::Npm, "mongodb", C::Database, "MongoDB"),
    (E::Npm, "pg", C::Database, "PostgreSQL"),
    (E::Npm, "postgres", C::Database, "PostgreSQL"),
    (E::Npm, "mysql", C::Database, "MySQL"),
    (E::Npm, "mysql2", C::Database, "MySQL"),
    (E::Npm, "better-sqlite3", C::Database, "SQLite"),
    (E::Npm, "sqlite3", C::Database, "SQLite"),
    (E::Npm, "redis", C::Database, "Redis"),
    (E::Npm, "ioredis", C::Database, "Redis"),
    (E::Npm, "@supabase/supabase-js", C::Database, "Supabase"),
    (E::Npm, "firebase", C::Database, "Firebase"),
    (E::Npm, "vitest", C::Testing, "Vitest"),
    (E::Npm, "jest", C::Testing, "Jest"),
    (E::Npm, "mocha", C::Testing, "Mocha"),
    (E::Npm, "ava", C::Testing, "AVA"),
    (E::Npm, "@playwright/test", C::Testing, "Playwright"),
    (E::Npm, "playwright", C::Testing, "Playwright"),
    (E::Npm, "cypress", C::Testing, "Cypress"),
    (E::Npm, "@testing-library/*", C::Testing, "Testing Library"),
    (E::Npm, "vite", C::Tool, "Vite"),
    (E::Npm, "webpack", C::Tool, "webpack"),
    (E::Npm, "rollup", C::Tool, "Rollup"),
    (E::Npm, "esbuild", C::Tool, "esbuild"),
    (E::Npm, "turbo", C::Tool, "Turborepo"),
    (E::Npm, "nx", C::Tool, "Nx"),
    (E::Npm, "eslint", C::Tool, "ESLint"),
    (E::Npm, "prettier", C::Tool, "Prettier"),
    (E::Npm, "@biomejs/biome", C::Tool, "Biome"),
    (E::Npm, "stylelint", C::Tool, "Stylelint"),
    (E::Npm, "storybook", C::Tool, "Storybook"),
    (E::Npm, "tailwindcss", C::Tool, "Tailwind CSS"),
    (E::Npm, "styled-components", C::Tool, "styled-components"),
    (E::Npm, "@emotion/react", C::Tool, "Emotion"),
    (E::Npm, "sass", C::Tool, "Sass"),
    (E::Npm, "@mui/material", C::Tool, "Material UI"),
    (E::Cargo, "axum", C::Backend, "Axum"),
    (E::Cargo, "actix-web", C::Backend, "Actix Web"),
    (E::Cargo, "rocket", C::Backend, "Rocket"),
    (E::Cargo, "warp", C::Backend, "warp"),
    (E::Cargo, "tonic", C::Backend, "Tonic"),
    (E::Cargo, "leptos", C::Fullstack, "Leptos"),
    (E::Cargo, "dioxus", C::Frontend, "Dioxus"),
    (E::Cargo, "yew", C::Frontend, "Yew"),
    (E::Cargo, "tauri", C::Frontend, "Tauri"),
    (E::Cargo, "egui", C::Frontend, "egui"),
    (E::Cargo, "bevy", C::Frontend, "Bevy"),
    (E::Cargo, "sqlx", C::Database, "SQLx"),
    (E::Cargo, "diesel", C::Database, "Diesel"),
    (E::Cargo, "sea-orm", C::Database, "SeaORM"),
    (E::Cargo, "rusqlite", C::Database, "SQLite"),
    (E::Cargo, "redis", C::Database, "Redis"),
    (E::Cargo, "mongodb", C::Database, "MongoDB"),
    (E::Cargo, "proptest", C::Testing, "proptest"),
    (E::Cargo, "insta", C::Testing, "insta"),
    (E::Cargo, "rstest", C::Testing, "rstest"),
    (E::Cargo, "criterion", C::Testing, "Criterion"),
    (E::Cargo, "tokio", C::Tool, "Tokio"),
    (E::Python, "django", C::Backend, "Django"),
    (E::Python, "flask", C::Backend, "Flask"),
    (E::Python, "fastapi", C::Backend, "FastAPI"),
    (E::Python, "starlette", C::Backend, "Starlette"),
    (E::Python, "aiohttp", C::Backend, "aiohttp"),
    (E::Python, "celery", C::Backend, "Celery"),
    (E::Python, "streamlit", C::Frontend, "Streamlit"),
    (E::Python, "sqlalchemy", C::Database, "SQLAlchemy"),
    (E::Python, "psycopg*", C::Database, "PostgreSQL"),
    (E::Python, "asyncpg", C::Database, "PostgreSQL"),
    (E::Python, "pymongo", C::Database, "MongoDB"),
    (E::Python, "redis", C::Database, "Redis"),
    (E::Python, "pytest", C::Testing, "pytest"),
    (E::Python, "hypothesis", C::Testing, "Hypothesis"),
    (E::Python, "tox", C::Testing, "tox"),
    (E::Python, "ruff", C::Tool, "Ruff"),
    (E::Python, "black", C::Tool, "Black"),
    (E::Python, "mypy", C::Tool, "mypy"),
    (E::Python, "pandas", C::Tool, "pandas"),
    (E::Python, "numpy", C::Tool, "NumPy"),
    (E::Python, "torch", C::Tool, "PyTorch"),
    (E::Python, "tensorflow", C::Tool, "TensorFlow"),
    (E::Python, "scikit-learn", C::Tool, "scikit-learn"),
    (E::Go, "github.com/gin-gonic/gin", C::Backend, "Gin"),
    (E::Go, "github.com/labstack/echo", C::Backend, "Echo"),
    (E::Go, "github.com/gofiber/fiber", C::Backend, "Fiber"),
    (E::Go, "github.com/go-chi/chi", C::Backend, "chi"),
    (E::Go, "google.golang.org/grpc", C::Backend, "gRPC"),
    (E::Go, "gorm.io/gorm", C::Database, "GORM"),
    (E::Go, "github.com/jackc/pgx", C::Database, "PostgreSQL"),
    (E::Go, "github.com/lib/pq", C::Database, "PostgreSQL"),
    (E::Go, "github.com/redis/go-redis", C::Database, "Redis"),
    (E::Go, "go.mongodb.org/mongo-driver", C::Database, "MongoDB"),
    (E::Go, "github.com/stretchr/testify", C::Testing, "Testify"),
    (E::Go, "github.com/onsi/ginkgo", C::Testing, "Ginkgo"),
    (E::Jvm, "spring-boot*", C::Backend, "Spring Boot"),
    (
        E::Jvm,
        "org.springframework.boot",
        C::Backend,
        "Spring Boot",
    ),
    (E::Jvm, "quarkus*", C::Backend, "Quarkus"),
    (E::Jvm, "micronaut*", C::Backend, "Micronaut"),
    (E::Jvm, "ktor*", C::Backend, "Ktor"),
    (E::Jvm, "com.android.application", C::Frontend, "Android"),
    (E::Jvm, "hibernate*", C::Database, "Hibernate"),
    (E::Jvm, "postgresql", C::Database, "PostgreSQL"),
    (E::Jvm, "mysql-connector*", C::Database, "MySQL"),
    (E::Jvm, "junit*", C::Testing, "JUnit"),
    (E::Jvm, "mockito*", C::Testing, "Mockito"),
    (E::Jvm, "kotest*", C::Testing, "Kotest"),
    (E::Ruby, "rails", C::Fullstack, "Ruby on Rails"),
    (E::Ruby, "sinatra", C::Backend, "Sinatra"),
    (E::Ruby, "hanami", C::Backend, "Hanami"),
    (E::Ruby, "sidekiq", C::Backend, "Sidekiq"),
    (E::Ruby, "pg", C::Database, "PostgreSQL"),
    (E::Ruby, "mysql2", C::Database, "MySQL"),
    (E::Ruby, "sqlite3", C::Database, "SQLite"),
    (E::Ruby, "redis", C::Database, "Redis"),
    (E::Ruby, "rspec*", C::Testing, "RSpec"),
    (E::Ruby, "minitest", C::Testing, "Minitest"),
    (E::Ruby, "capybara", C::Testing, "Capybara"),
    (E::Ruby, "rubocop", C::Tool, "RuboCop"),
    (E::Php, "laravel/framework", C::Fullstack, "Laravel"),
    (E::Php, "symfony/framework-bundle", C::Backend, "Symfony"),
    (E::Php, "slim/slim", C::Backend, "Slim"),
    (E::Php, "doctrine/orm", C::Database, "Doctrine"),
    (E::Php, "phpunit/phpunit", C::Testing, "PHPUnit"),
    (E::Php, "pestphp/pest", C::Testing, "Pest"),
    (E::Php, "phpstan/phpstan", C::Tool, "PHPStan"),
    (
        E::DotNet,
        "microsoft.aspnetcore*",
        C::Backend,
        "ASP.NET Core",
    ),
    (E::DotNet, "microsoft.maui*", C::Frontend, ".NET MAUI"),
    (
        E::DotNet,
        "microsoft.entityframeworkcore*",
        C::Database,
        "Entity Framework Core",
    ),
    (E::DotNet, "npgsql*", C::Database, "PostgreSQL"),
    (E::DotNet, "dapper", C::Database, "Dapper"),
    (E::DotNet, "xunit*", C::Testing, "xUnit"),
    (E::DotNet, "nunit*", C::Testing, "NUnit"),
    (E::DotNet, "mstest*", C::Testing, "MSTest"),
    (E::Image, "postgres", C::Database, "PostgreSQL"),
    (E::Image, "postgis", C::Database, "PostgreSQL"),
    (E::Image, "mysql", C::Database, "MySQL"),
    (E::Image, "mariadb", C::Database, "MariaDB"),
    (E::Image, "mongo", C::Database, "MongoDB"),
    (E::Image, "redis", C::Database, "Redis"),
    (E::Image, "elasticsearch", C::Database, "Elasticsearch"),
    (E::Image, "opensearch", C::Database, "OpenSearch"),
    (E::Image, "clickhouse-server", C::Database, "ClickHouse"),
];
