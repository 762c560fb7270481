//! The binary in an example's project, with the example's server on its path and no other.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::example::Example;
use crate::slow::process::running_for;
use crate::slow::tools;
use crate::support::sandbox::Sandbox;
use crate::support::stdio::{Client, server};

/// For a server that reads its project for the first time on a busy machine.
const WARM_UP: Duration = Duration::from_secs(240);

pub(super) struct World {
    pub(super) sandbox: Sandbox,
}

impl World {
    /// A project without any server.
    pub(super) fn bare(files: &str) -> Self {
        let sandbox = Sandbox::new();
        let root = sandbox.project().display().to_string();
        for file in files.split("//- /").skip(1) {
            let (path, text) = file.split_once('\n').unwrap();
            sandbox.write(path, text.replace("{root}", &root));
        }
        let world = Self { sandbox };
        fs::create_dir_all(world.programs()).unwrap();
        world
    }

    pub(super) fn new(example: &Example) -> Self {
        let world = Self::bare(example.files);
        world.link(example.programs);
        world
    }

    /// Puts programs on its path.
    pub(super) fn link(&self, programs: &[&str]) {
        let installed = tools::servers().join("bin");
        for program in programs {
            symlink(installed.join(program), self.programs().join(program)).unwrap();
        }
    }

    pub(super) fn programs(&self) -> PathBuf {
        self.sandbox.root().join("programs")
    }

    /// Where the binary finds programs: what servers need besides is there, the servers of other examples are not.
    pub(super) fn search_path(&self) -> String {
        let cargo = Path::new(env!("CARGO")).parent().unwrap();
        let programs = self.programs();
        format!("{}:{}:/usr/bin:/bin", programs.display(), cargo.display())
    }

    /// The processes that run for it, the binary included.
    pub(super) fn running(&self) -> Vec<u32> {
        running_for(&self.sandbox.root(), &self.search_path())
    }

    pub(super) fn client(&self) -> Client {
        self.client_on(&self.search_path())
    }

    pub(super) fn client_on(&self, search_path: &str) -> Client {
        let mut client = self.open(search_path);
        client.initialize(&json!({}));
        client
    }

    /// Without a handshake.
    pub(super) fn open(&self, search_path: &str) -> Client {
        Client::open(server(&self.sandbox, &[]).env("PATH", search_path))
    }

    /// The binary with nothing on its path but the example's programs.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.command(arguments);
        command.env("PATH", self.programs());
        command
    }

    pub(super) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.sandbox.project().join(path)).unwrap()
    }

    /// All files of the example with their texts.
    pub(super) fn texts(&self, example: &Example) -> BTreeMap<String, String> {
        let paths = example.files.split("//- /").skip(1);
        paths
            .map(|file| file.split_once('\n').unwrap().0)
            .map(|path| (path.to_owned(), self.text(path)))
            .collect()
    }

    /// Where a line names something, counted in characters from 1.
    pub(super) fn column(&self, (path, line): (&str, u32), name: &str) -> u32 {
        let text = self.text(path);
        let line = text.lines().nth(line as usize - 1).unwrap();
        let (before, _) = line.rsplit_once(name).unwrap();
        u32::try_from(before.chars().count()).unwrap() + 1
    }
}

/// What a call gave that must succeed.
#[track_caller]
pub(super) fn call(client: &mut Client, tool: &str, arguments: &Value) -> Value {
    let answer = client.call(tool, arguments);
    assert!(answer["result"]["isError"] != true, "{answer:#}");
    assert!(answer["result"].is_object(), "{answer:#}");
    answer["result"].clone()
}

/// Asks for references until the server is ready to answer itself; until then the answer says that it is not.
#[track_caller]
pub(super) fn exact_references(client: &mut Client, symbol: &str, server: &str) -> Value {
    let begun = Instant::now();
    loop {
        let found = call(client, "find_references", &json!({ "symbol_name": symbol }));
        if found["structuredContent"]["source"] == server {
            return found;
        }
        assert!(text(&found).contains("ask again"), "{found:#}");
        assert!(begun.elapsed() < WARM_UP, "{found:#}");
    }
}

#[track_caller]
pub(in crate::slow) fn text(result: &Value) -> &str {
    let text = result["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("no text in {result:#}"))
}

/// The files and lines that an answer with places shows.
pub(super) fn places(result: &Value) -> Vec<(String, u32)> {
    let mut file = "";
    let mut places = Vec::new();
    for line in text(result).lines().skip(1) {
        match line
            .strip_prefix("  ")
            .and_then(|place| place.split_once(':'))
        {
            Some((number, _)) => places.push((file.to_owned(), number.parse().unwrap())),
            None => file = line,
        }
    }
    places
}

/// The same as an example writes it.
pub(super) fn owned(places: &[(&str, u32)]) -> Vec<(String, u32)> {
    let owned = |(file, line): &(&str, u32)| ((*file).to_owned(), *line);
    places.iter().map(owned).collect()
}

/// A failure's code, message and suggestion.
#[track_caller]
pub(super) fn failure(answer: &Value) -> (&str, &str, &str) {
    let result = &answer["result"];
    assert_eq!(result["isError"], true, "{answer:#}");
    let code = result["error_code"].as_str().unwrap();
    let suggestion = result["details"]["suggestion"].as_str();
    (code, text(result), suggestion.unwrap_or_default())
}
