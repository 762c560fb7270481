//! A project with real servers, and questions about the function that its example is about.

use std::path::Path;
use std::time::Duration;

use mk_lsp::{
    ChangeKind, DiskChange, FileLocation, FileRef, Limits, ProjectCode, ServerDiagnostic,
    ServerError, ServerOptions, ServerSeverity, Servers, SourceDocument,
};
use mk_testkit::Fixture;
use mk_types::{Position, ProjectPath};

use super::example::Example;
use crate::slow::tools;

/// Long enough for a machine that does other things too.
pub(super) const PATIENT: Limits = Limits {
    request: Duration::from_secs(240),
    warm_up: Duration::from_secs(240),
    hang: Duration::from_secs(60),
    back_off: Duration::from_secs(1),
    idle: Duration::from_secs(3600),
    memory: u64::MAX,
};

/// The files of some examples in one folder.
pub(super) struct World {
    pub(super) fixture: Fixture,
    /// Outside the project: only what the examples need, so that no other server is preferred.
    programs: Fixture,
}

impl World {
    pub(super) fn new(examples: &[&Example]) -> Self {
        let installed = tools::servers().join("bin");
        let programs = Fixture::new("");
        let mut files = String::new();
        for example in examples {
            files.push_str(example.files);
            for program in example.programs {
                programs.link(program, installed.join(program));
            }
        }
        let fixture = Fixture::new(&files);
        let database = fixture.path("compile_commands.json");
        if let Ok(text) = std::fs::read_to_string(database) {
            let root = fixture.root().as_str();
            fixture.write("compile_commands.json", text.replace("{root}", root));
        }
        Self { fixture, programs }
    }

    /// Where the servers find programs; no other world has the same.
    pub(super) fn search_path(&self) -> String {
        let cargo = Path::new(env!("CARGO")).parent().unwrap();
        format!(
            "{}:{}:/usr/bin:/bin",
            self.programs.root().as_str(),
            cargo.display()
        )
    }

    pub(super) fn servers(&self, limits: Limits) -> Servers {
        let options = ServerOptions {
            launcher: None,
            search_path: self.search_path().into(),
            tools: self.programs.path("none"),
            project_code: ProjectCode::Avoid,
            custom: Vec::new(),
            limits,
        };
        Servers::new(self.fixture.root().clone(), options)
    }

    pub(super) fn path(&self, path: &str) -> ProjectPath {
        ProjectPath::parse(path, self.fixture.root()).unwrap()
    }

    pub(super) fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.fixture.path(path)).unwrap()
    }

    pub(super) fn document(&self, path: &str) -> SourceDocument {
        SourceDocument {
            path: self.path(path),
            text: self.text(path).into(),
        }
    }

    /// Where a file names something for the last time.
    fn last(&self, path: &str, name: &str) -> Position {
        let text = self.text(path);
        let lines = text.lines().zip(1..);
        let (line, number) = lines
            .filter(|(line, _)| line.contains(name))
            .last()
            .unwrap();
        let (before, _) = line.rsplit_once(name).unwrap();
        Position {
            line: number,
            column: u32::try_from(before.chars().count()).unwrap() + 1,
        }
    }

    /// Asks at a use where the function is defined.
    pub(super) async fn definition(
        &self,
        servers: &Servers,
        example: &Example,
    ) -> Result<Vec<(String, u32)>, ServerError> {
        let position = self.last(example.user, example.name);
        let answer = servers
            .definition(&self.document(example.user), position)
            .await?;
        assert_eq!(answer.server, example.server);
        Ok(places(&answer.value))
    }

    /// Asks at the definition where the function is named.
    pub(super) async fn references(
        &self,
        servers: &Servers,
        example: &Example,
    ) -> Result<Vec<(String, u32)>, ServerError> {
        let (file, _) = example.definition;
        let position = self.last(file, example.name);
        let answer = servers.references(&self.document(file), position).await?;
        let mut places = places(&answer.value);
        places.sort();
        Ok(places)
    }

    /// Asks the whole project for the function's name.
    pub(super) async fn symbols(&self, servers: &Servers, example: &Example) -> Vec<(String, u32)> {
        let answer = servers.symbols(example.language, example.name).await;
        let mut found = answer.unwrap().value;
        found.retain(|symbol| symbol.kind == "function");
        let locations: Vec<_> = found.into_iter().map(|symbol| symbol.location).collect();
        places(&locations)
    }

    /// The functions of the file that defines the function.
    pub(super) async fn outline(&self, servers: &Servers, example: &Example) -> Vec<String> {
        let document = self.document(example.definition.0);
        let mut outline = servers.outline(&document).await.unwrap().value;
        outline.retain(|symbol| symbol.kind == "function");
        outline.into_iter().map(|symbol| symbol.name).collect()
    }

    /// The texts after the function got another name, of the files that change.
    pub(super) async fn rename(
        &self,
        servers: &Servers,
        example: &Example,
        new_name: &str,
    ) -> Vec<(String, String)> {
        let position = self.last(example.user, example.name);
        let document = self.document(example.user);
        let plan = servers.rename(&document, position, new_name).await.unwrap();
        assert_eq!(plan.value.moves, []);
        let files = plan.value.files.iter();
        files
            .map(|file| {
                let path = inside(&file.file);
                let text = file.apply(&self.text(&path));
                (path, text)
            })
            .collect()
    }

    /// Writes a file as an agent would, and says so.
    pub(super) fn write(&self, servers: &Servers, path: &str, text: &str) {
        self.fixture.save(path, text);
        servers.files_changed(&[DiskChange {
            path: self.path(path),
            kind: ChangeKind::Changed,
        }]);
    }

    /// The errors of a file.
    pub(super) async fn errors(&self, servers: &Servers, path: &str) -> Vec<ServerDiagnostic> {
        let answer = servers.diagnostics(&self.document(path)).await.unwrap();
        let mut errors = answer.value;
        errors.retain(|diagnostic| diagnostic.severity == ServerSeverity::Error);
        errors
    }

    /// Every file in which something is named.
    pub(super) fn naming(&self, name: &str) -> Vec<String> {
        let files = self
            .fixture
            .list()
            .into_iter()
            .filter(|path| path.is_file());
        let root = self.fixture.root().as_path();
        files
            .filter(|path| std::fs::read_to_string(path).is_ok_and(|text| text.contains(name)))
            .map(|path| path.strip_prefix(root).unwrap().display().to_string())
            .collect()
    }
}

/// Several checks run at once, each on a thread of its own.
pub(super) fn block_on<F: Future>(check: F) -> F::Output {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().unwrap();
    runtime.block_on(check)
}

fn places(locations: &[FileLocation]) -> Vec<(String, u32)> {
    let place = |location: &FileLocation| (inside(&location.file), location.range.start.line);
    locations.iter().map(place).collect()
}

fn inside(file: &FileRef) -> String {
    match file {
        FileRef::Inside(path) => path.to_string(),
        FileRef::Outside(place) => panic!("`{place}` is not in the project"),
    }
}
