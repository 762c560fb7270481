//! How agents behave behind the Agent Client Protocol: which product a command starts, which of its own modes asks most,
//! how our hook reaches it, and what its calls are in the policy's words.
//!
//! Pure: what has to be written or set is returned; the proxy does it.

mod call;
mod injection;

pub use call::{ACP_TOOLS, AcpCall, acp_tool_use, shell_line};
pub use injection::{ACP_VARIABLES, AcpRun, Injection, injection};

use std::path::PathBuf;

use crate::ClientId;

/// What is known about a product behind the protocol.
#[derive(Debug, Clone, Copy)]
pub struct AcpHabits {
    /// Ids of its own modes, the one that asks most first.
    pub asking: &'static [&'static str],
    /// Ids of its own modes that it may enter by itself, because they ask as much: it leaves them with a plan.
    pub planning: &'static [&'static str],
    /// Options of its own that would let calls pass unasked, and the value that does not.
    pub hidden: &'static [(&'static str, &'static str)],
    /// Whether a hook of ours is called there: then the model hears the reason of a refusal from it.
    pub hook: bool,
    /// Whether its rules are read at its start only, so that a switch needs a new process.
    pub restarts: bool,
}

/// Modes of agents that nobody knows, by what they are usually called.
const USUAL: AcpHabits = AcpHabits {
    asking: &[
        "default",
        "ask",
        "manual",
        "normal",
        "approve",
        "read-only",
        "readonly",
        "plan",
    ],
    planning: &[],
    hidden: &[],
    hook: false,
    restarts: false,
};

/// Whether it starts MCP servers that a session brings as programs.
pub fn acp_takes_servers(client: Option<ClientId>) -> bool {
    client != Some(ClientId::Copilot)
}

/// The name by which a product is asked for a session that it had before, where that is not the session's own.
///
/// Gemini records a session in a file that is named by the minute and the first letters of the name it is asked for, and
/// does so before it looks for the past: within the minute in which the session began, it would write over what it is to
/// read. It looks without the blanks around a name, so one more blank gives it another file.
pub fn acp_load_name(client: Option<ClientId>, session: &str) -> Option<String> {
    let is_padded = session.starts_with(' ');
    (client == Some(ClientId::Gemini) && !is_padded).then(|| format!(" {session}"))
}

/// What is known about a product; something usual for one that is not known.
pub fn acp_habits(client: Option<ClientId>) -> AcpHabits {
    match client {
        Some(ClientId::ClaudeCode) => AcpHabits {
            asking: &["default"],
            planning: &["plan"],
            hook: true,
            ..USUAL
        },
        Some(ClientId::Codex) => AcpHabits {
            asking: &["read-only"],
            hook: true,
            ..USUAL
        },
        Some(ClientId::Copilot) => AcpHabits {
            asking: &["https://agentclientprotocol.com/protocol/session-modes#agent"],
            hidden: &[("allow_all", "off")],
            hook: true,
            ..USUAL
        },
        Some(ClientId::Gemini) => AcpHabits {
            asking: &["default"],
            restarts: true,
            ..USUAL
        },
        Some(ClientId::Qwen) => AcpHabits {
            asking: &["default"],
            hook: true,
            ..USUAL
        },
        Some(ClientId::OpenCode) => AcpHabits {
            asking: &["build"],
            hook: true,
            ..USUAL
        },
        _ => USUAL,
    }
}

/// Names of programs and packages that speak the protocol for a product.
const AGENTS: &[(&str, ClientId)] = &[
    ("claude-agent-acp", ClientId::ClaudeCode),
    ("claude-code-acp", ClientId::ClaudeCode),
    ("codex-acp", ClientId::Codex),
    ("copilot", ClientId::Copilot),
    ("gemini", ClientId::Gemini),
    ("gemini-cli", ClientId::Gemini),
    ("qwen", ClientId::Qwen),
    ("qwen-code", ClientId::Qwen),
    ("opencode", ClientId::OpenCode),
    ("opencode-ai", ClientId::OpenCode),
];
/// An agent that an editor can start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditorAgent {
    pub name: &'static str,
    pub command: Vec<String>,
}

/// Programs, and what each is started with.
type AcpStarts = &'static [(&'static str, &'static [&'static str])];

/// Each product as an editor knows it, and the commands that start it behind the protocol: the first whose program is on
/// the machine counts. An adapter that is not installed is fetched when it is first started, where its product is there.
const COMMANDS: &[(&str, AcpStarts)] = &[
    (
        "Claude",
        &[
            ("claude-agent-acp", &["claude-agent-acp"]),
            (
                "claude",
                &["npx", "-y", "@agentclientprotocol/claude-agent-acp"],
            ),
        ],
    ),
    (
        "Codex",
        &[
            ("codex-acp", &["codex-acp"]),
            ("codex", &["npx", "-y", "@agentclientprotocol/codex-acp"]),
        ],
    ),
    ("Copilot", &[("copilot", &["copilot", "--acp"])]),
    ("Gemini", &[("gemini", &["gemini", "--acp"])]),
    ("OpenCode", &[("opencode", &["opencode", "acp"])]),
    ("Qwen", &[("qwen", &["qwen", "--acp"])]),
];

/// The agents of this machine. `find` gives the path of a program, where there is one.
pub fn editor_agents(find: impl Fn(&str) -> Option<PathBuf>) -> Vec<EditorAgent> {
    let agent = |(name, commands): &(&'static str, AcpStarts)| {
        let (_, words) = commands
            .iter()
            .find(|(program, _)| find(program).is_some())?;
        let (program, arguments) = words.split_first()?;
        // Editors have a search path of their own.
        let program = find(program)?.display().to_string();
        let arguments = arguments.iter().map(|word| (*word).to_owned());
        Some(EditorAgent {
            name,
            command: std::iter::once(program).chain(arguments).collect(),
        })
    };
    COMMANDS.iter().filter_map(agent).collect()
}

/// Programs that run what their arguments name.
const RUNNERS: &[&str] = &[
    "node", "npx", "npm", "bun", "bunx", "deno", "pnpm", "yarn", "env", "sh", "bash", "timeout",
];

/// The product that a command line starts as an agent.
pub fn acp_client(command: &[String]) -> Option<ClientId> {
    let (program, rest) = command.split_first()?;
    if let Some(client) = client_at(program) {
        return Some(client);
    }
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_runner = RUNNERS.contains(&stem(name));
    rest.iter()
        .filter(|_| is_runner)
        .find_map(|word| client_at(word))
}

/// The product of a program, of a package, of a script of that name, or of a script inside the package of that name.
fn client_at(word: &str) -> Option<ClientId> {
    let inside = word.rsplit_once("node_modules/").map(|(_, inside)| inside);
    let mut parts = match inside {
        Some(inside) => inside.split('/').collect::<Vec<_>>(),
        None => word.rsplit(['/', '\\']).next().into_iter().collect(),
    };
    parts.reverse();
    parts.into_iter().find_map(|part| {
        let mut agents = AGENTS.iter();
        let found = agents.find(|(agent, _)| agent.eq_ignore_ascii_case(stem(part)));
        found.map(|(_, client)| *client)
    })
}

/// The product that an agent says it is.
pub fn acp_client_named(name: &str) -> Option<ClientId> {
    let name = name.rsplit('/').next().unwrap_or(name);
    let found = AGENTS
        .iter()
        .find(|(agent, _)| agent.eq_ignore_ascii_case(name.trim()));
    found.map(|(_, client)| *client)
}

/// A name without version and extension.
fn stem(name: &str) -> &str {
    let name = match name.split_once('@') {
        Some((before, _)) if !before.is_empty() => before,
        _ => name,
    };
    let extensions = [".js", ".mjs", ".cjs", ".exe", ".cmd"];
    let found = extensions.iter().find_map(|it| name.strip_suffix(it));
    found.unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<ClientId>) {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        assert_eq!(acp_client(&words), expected, "{line}");
    }

    #[test]
    fn agents_of_the_machine_are_started_by_what_is_there() {
        let there = ["codex-acp", "claude", "npx", "qwen"];
        let find = |name: &str| {
            let found = there.contains(&name).then_some(name)?;
            Some(PathBuf::from(format!("/bin/{found}")))
        };
        let found = editor_agents(find);
        let lines: Vec<String> = found
            .iter()
            .map(|agent| format!("{}: {}", agent.name, agent.command.join(" ")))
            .collect();
        let expected = [
            "Claude: /bin/npx -y @agentclientprotocol/claude-agent-acp",
            "Codex: /bin/codex-acp",
            "Qwen: /bin/qwen --acp",
        ];
        assert_eq!(lines, expected);
        for agent in found {
            assert!(acp_client(&agent.command).is_some(), "{agent:?}");
        }
    }

    #[test]
    fn a_product_is_known_by_its_program_or_package() {
        check("claude-agent-acp", Some(ClientId::ClaudeCode));
        check("/opt/bin/codex-acp --verbose", Some(ClientId::Codex));
        check("copilot --acp", Some(ClientId::Copilot));
        check(
            "npx -y @google/gemini-cli@0.61.0 --acp",
            Some(ClientId::Gemini),
        );
        check(
            "npx @zed-industries/claude-code-acp@latest",
            Some(ClientId::ClaudeCode),
        );
        check(
            "node /x/node_modules/@qwen-code/qwen-code/cli-entry.js --acp",
            Some(ClientId::Qwen),
        );
        check(
            "node /x/node_modules/@github/copilot/index.js --acp",
            Some(ClientId::Copilot),
        );
        check(
            "/x/node_modules/@agentclientprotocol/codex-acp/dist/index.js",
            Some(ClientId::Codex),
        );
        check("/home/copilot/my-agent", None);
        check("my-agent gemini", None);
        assert_eq!(
            acp_client_named("@agentclientprotocol/codex-acp"),
            Some(ClientId::Codex)
        );
        assert_eq!(acp_client_named("goose"), None);
    }
}
