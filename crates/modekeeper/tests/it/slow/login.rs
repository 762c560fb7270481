//! The official clients log in at a real OAuth issuer, and ask it for more when a call needs more.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::authority::Authority;
use super::tools;
use crate::support::http::{Request, Server};
use crate::support::sandbox::{Sandbox, bare_command, run};

const CLIENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/slow/clients");

/// An issuer, and a server that trusts it and nobody else.
struct Realm {
    sandbox: Sandbox,
    server: Server,
    issuer: Child,
    issuer_url: String,
    /// What it says later is read by nobody, but it must be able to say it.
    _output: BufReader<ChildStdout>,
}

impl Drop for Realm {
    fn drop(&mut self) {
        drop(self.issuer.kill());
        drop(self.issuer.wait());
    }
}

impl Realm {
    fn open() -> Self {
        let sandbox = Sandbox::new();
        let issuer = node("issuer.mjs", &sandbox);
        Self::with(sandbox, issuer, &[])
    }

    fn with(sandbox: Sandbox, mut issuer: Command, environment: &[(&str, &Path)]) -> Self {
        let mut issuer = issuer
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut url = String::new();
        let mut output = BufReader::new(issuer.stdout.take().unwrap());
        output.read_line(&mut url).unwrap();
        let arguments = ["serve", "--listen", "127.0.0.1:0", "--require-token"];
        let mut command = sandbox.command(&arguments);
        command.args(["--issuer", url.trim()]);
        let server = Server::open(command.envs(environment.iter().copied()));
        Self {
            sandbox,
            server,
            issuer,
            issuer_url: url.trim().to_owned(),
            _output: output,
        }
    }

    fn url(&self) -> String {
        format!("http://{}/mcp", self.server.address)
    }

    /// What a client saw, and that the file it wrote is there.
    #[track_caller]
    fn log_in(&self, command: &mut Command) -> Value {
        let ran = run(command);
        assert!(ran.status.success(), "{command:?}: {ran:#?}");
        let last = ran.stdout.lines().last().unwrap_or_default();
        let seen = serde_json::from_str(last).unwrap_or_else(|_| panic!("{ran:#?}"));
        let made = self.sandbox.project().join("made.txt");
        assert_eq!(std::fs::read_to_string(made).unwrap(), "x", "{seen:#}");
        seen
    }
}

fn node(script: &str, sandbox: &Sandbox) -> Command {
    let tools = tools::node();
    let mut command = bare_command(tools.join("node"), &sandbox.project());
    command.arg("--import").arg(tools.join("resolve.mjs"));
    command.arg(format!("{CLIENTS}/{script}"));
    command
}

#[test]
fn typescript_logs_in_and_steps_up_in_its_session() {
    let realm = Realm::open();
    let seen = realm.log_in(node("login1.mjs", &realm.sandbox).arg(realm.url()));
    let expected = json!({
        "asked": ["mode:ask", "mode:code"],
        "refused": true,
        "before": false,
        "after": true,
        "modes": "Available modes:",
        "written": true,
        "sameSession": true,
    });
    assert_eq!(seen, expected);
}

#[test]
fn an_issuer_over_https_counts_where_its_authority_is_known() {
    let certificates = tempfile::tempdir().unwrap();
    let authority = Authority::new(certificates.path(), "authority");
    let (certificate, key) = authority.sign("localhost");
    let known = authority.certificate();
    for environment in [&[("SSL_CERT_FILE", known.as_path())][..], &[]] {
        let sandbox = Sandbox::new();
        let mut issuer = node("issuer.mjs", &sandbox);
        issuer.args([&certificate, &key]);
        let realm = Realm::with(sandbox, issuer, environment);
        let mut client = node("login1.mjs", &realm.sandbox);
        client.arg(realm.url()).env("NODE_EXTRA_CA_CERTS", &known);
        if environment.is_empty() {
            let ran = run(&mut client);
            assert!(!ran.status.success(), "{ran:#?}");
        } else {
            assert_eq!(realm.log_in(&mut client)["written"], true);
        }
    }
}

#[test]
fn python_logs_in_and_steps_up_in_both_eras() {
    for (mode, protocol) in [("legacy", "2025-11-25"), ("auto", "2026-07-28")] {
        let realm = Realm::open();
        let mut command = bare_command(tools::python("2"), &realm.sandbox.project());
        command.arg(format!("{CLIENTS}/login.py"));
        let seen = realm.log_in(command.args([realm.url().as_str(), mode]));
        // It asks for a refresh token by itself.
        let asked = json!([
            "mode:ask offline_access",
            "mode:ask offline_access mode:code"
        ]);
        assert_eq!(seen["asked"], asked, "{seen:#}");
        assert_eq!(seen["written"], true, "{seen:#}");
        assert_eq!(seen["protocol"], protocol, "{seen:#}");
    }
}

/// The suite has nothing about authorization for servers but for rebinding, which `conformance` runs; what it has is for
/// clients and for issuers.
#[test]
fn the_issuer_conforms_for_tokens_of_this_server() {
    let realm = Realm::open();
    let suite = "node_modules/@modelcontextprotocol/conformance/dist/index.js";
    let (suite, results) = (tools::node().join(suite), tempfile::tempdir().unwrap());
    let mut listing = bare_command(tools::node().join("node"), &realm.sandbox.project());
    let listed = run(listing.arg(&suite).args(["list", "--server"]));
    assert!(
        listed.stdout.contains("dns-rebinding-protection"),
        "{listed:#?}"
    );
    assert!(
        !listed.stdout.contains("auth"),
        "a new scenario: {listed:#?}"
    );
    let mut conform = node("conform.mjs", &realm.sandbox);
    conform.arg(suite).args([&realm.issuer_url, &realm.url()]);
    let ran = run(conform.arg(results.path()));
    assert!(ran.status.success(), "{ran:#?}");
    for scenario in [
        "authorization-server-metadata-endpoint",
        "authorization-code-grant",
    ] {
        assert!(ran.stdout.contains(&format!("✓ {scenario}")), "{ran:#?}");
    }
}

#[test]
fn without_a_token_the_way_to_the_issuer_is_shown() {
    let realm = Realm::open();
    for path in ["/mcp", "/mcp/ask", "/sse", "/tools/list", "/api/status"] {
        let request = Request {
            method: "GET",
            path,
            ..Request::default()
        };
        let response = realm.server.send(&request);
        assert_eq!(response.status, 401, "{path}");
        let text = response.header("www-authenticate").unwrap_or_default();
        assert!(
            text.contains("resource_metadata=\"http://"),
            "{path} {text}"
        );
    }
}
