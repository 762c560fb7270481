//! How the agents of products look in a list of processes.

/// Names of programs and of the packages that interpreters run.
const AGENTS: [&str; 26] = [
    "aider",
    "amp",
    "auggie",
    "claude",
    "claude-agent-acp",
    "claude-code",
    "claude-code-acp",
    "cline",
    "codex",
    "codex-acp",
    "continue",
    "copilot",
    "copilot-agent",
    "crush",
    "cursor-agent",
    "droid",
    "gemini",
    "gemini-cli",
    "goose",
    "junie",
    "kilo",
    "kilocode",
    "opencode",
    "qwen",
    "qwen-code",
    "roo",
];

/// The agent that a command line runs, by its own name or by that of the script that an interpreter runs.
pub fn agent_process(command_line: &[String]) -> Option<&'static str> {
    let program = command_line
        .first()
        .and_then(|path| path.rsplit('/').next());
    let mut script = command_line
        .iter()
        .skip(1)
        .filter(|word| !word.starts_with('-'));
    let script = script.next().map_or("", String::as_str);
    let components = program.into_iter().chain(script.split('/'));
    let bare = |name: &str| name.split('.').next().unwrap_or_default().to_lowercase();
    components
        .map(bare)
        .find_map(|name| AGENTS.into_iter().find(|agent| *agent == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Option<&str>) {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        assert_eq!(agent_process(&words), expected, "{line}");
    }

    #[test]
    fn agents_are_known_by_program_and_by_script() {
        check("claude", Some("claude"));
        check("/usr/local/bin/codex exec hello", Some("codex"));
        let script = "node --no-warnings /opt/node_modules/@anthropic-ai/claude-code/cli.js";
        check(script, Some("claude-code"));
        check("node /usr/bin/gemini -p hello", Some("gemini"));
        check("/bin/bash -c true", None);
        check("sshd: user@pts/0", None);
        check("cargo nextest run", None);
    }
}
