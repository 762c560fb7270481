//! Each agent as a person would set it up for one headless turn with another model: settings, environment, arguments.
//!
//! Every permission of its own is given, so that nothing but Modekeeper can refuse.

use std::process::Command;

use serde_json::{Value, json};

use super::world::World;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::slow) enum Agent {
    ClaudeCode,
    Codex,
    Copilot,
    Gemini,
    Qwen,
    OpenCode,
    Cline,
}

/// Whether the agent's own rules count, besides those that no flag switches off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::slow) enum OwnRules {
    Bypassed,
    Kept,
}

/// What starts an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::slow) enum Starter {
    Itself,
    /// `modekeeper run`.
    Modekeeper,
}

/// A model whose name gives Codex its patch tool.
const CODEX_MODEL: &str = "gpt-5.5";
/// In its own sandbox, which knows no modes, a led shell could not reach our state.
const NO_SANDBOX: &str = "sandbox_mode = \"danger-full-access\"\n";
const MODEL: &str = "scripted";

impl Agent {
    /// Its name on our command line.
    pub(in crate::slow) fn slug(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude",
            Self::Codex => "codex",
            Self::Copilot => "copilot",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
            Self::OpenCode => "opencode",
            Self::Cline => "cline",
        }
    }

    /// The program that starts it.
    pub(in crate::slow) fn program(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude",
            other => other.slug(),
        }
    }

    /// Whether its own rules can be put under the hook.
    pub(in crate::slow) fn has_floor(self) -> bool {
        matches!(
            self,
            Self::ClaudeCode | Self::Codex | Self::Gemini | Self::Qwen
        )
    }

    /// Whether its shell is led only by what starts it.
    pub(super) fn needs_run(self) -> bool {
        matches!(self, Self::Copilot | Self::Qwen)
    }

    /// Writes the settings it needs to find the model.
    pub(in crate::slow) fn configure(self, world: &World) {
        let url = world.model.url();
        match self {
            Self::ClaudeCode | Self::Copilot | Self::Qwen => {}
            Self::Codex => {
                let text = format!(
                    "model = \"{CODEX_MODEL}\"\n{NO_SANDBOX}model_provider = \"scripted\"\n\n[model_providers.scripted]\n\
                     name = \"scripted\"\nbase_url = \"{url}/v1\"\nwire_api = \"responses\"\n\
                     requires_openai_auth = false\n"
                );
                world.write_home(".codex/config.toml", &text);
            }
            Self::Gemini => {
                // After thirty calls it asks the model whether it goes in circles, and ours does not answer that.
                let settings = json!({
                    "security": { "auth": { "selectedType": "gemini-api-key" } },
                    "model": { "disableLoopDetection": true },
                });
                world.write_home(".gemini/settings.json", &pretty(&settings));
            }
            Self::OpenCode => {
                let options = json!({ "baseURL": format!("{url}/v1"), "apiKey": "x" });
                let provider = json!({
                    "npm": "@ai-sdk/openai-compatible", "name": "Scripted", "options": options,
                    "models": { MODEL: { "name": "Scripted", "tool_call": true } },
                });
                let model = format!("{MODEL}/{MODEL}");
                let settings = json!({
                    "autoupdate": false, "model": model, "small_model": model, "provider": { MODEL: provider },
                });
                world.write_home(".config/opencode/opencode.json", &pretty(&settings));
            }
            Self::Cline => {
                let provider = "openai-compatible";
                let settings = json!({
                    "version": 1, "lastUsedProvider": provider, "modes": {},
                    "providers": { provider: {
                        "settings": { "provider": provider, "apiKey": "x", "model": MODEL, "baseUrl": format!("{url}/v1") },
                        "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual",
                    } },
                });
                world.write_home(".cline/data/settings/providers.json", &pretty(&settings));
            }
        }
    }

    /// Takes back that its own sandbox is off, where it is.
    pub(super) fn allow_sandbox(self, world: &World) {
        if self == Self::Codex {
            let file = world.sandbox.home().join(".codex/config.toml");
            let text = std::fs::read_to_string(&file).unwrap();
            assert!(text.contains(NO_SANDBOX), "{text}");
            world.write_home(".codex/config.toml", &text.replace(NO_SANDBOX, ""));
        }
    }

    /// What its environment says so that it finds the model.
    pub(in crate::slow) fn environment(self, url: &str) -> Vec<(&'static str, String)> {
        let fixed: &[(&str, &str)] = match self {
            Self::ClaudeCode => &[
                ("ANTHROPIC_API_KEY", "x"),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
                // It refuses to skip permissions as root, unless it is told that this is a throw-away machine.
                ("IS_SANDBOX", "1"),
            ],
            Self::Copilot => &[
                ("COPILOT_OFFLINE", "true"),
                ("COPILOT_MODEL", MODEL),
                ("COPILOT_PROVIDER_API_KEY", "x"),
                ("COPILOT_AUTO_UPDATE", "false"),
            ],
            Self::Gemini => &[
                ("GEMINI_API_KEY", "x"),
                ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
            ],
            Self::Qwen => &[("OPENAI_API_KEY", "x"), ("OPENAI_MODEL", MODEL)],
            Self::OpenCode => &[
                ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
                ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
            ],
            Self::Codex | Self::Cline => &[],
        };
        let place = match self {
            Self::ClaudeCode => Some(("ANTHROPIC_BASE_URL", url.to_owned())),
            Self::Copilot => Some(("COPILOT_PROVIDER_BASE_URL", format!("{url}/v1"))),
            Self::Gemini => Some(("GOOGLE_GEMINI_BASE_URL", url.to_owned())),
            Self::Qwen => Some(("OPENAI_BASE_URL", format!("{url}/v1"))),
            Self::Codex | Self::OpenCode | Self::Cline => None,
        };
        let fixed = fixed
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()));
        fixed.chain(place).collect()
    }

    /// One turn with this prompt.
    pub(in crate::slow) fn command(
        self,
        world: &World,
        prompt: &str,
        rules: OwnRules,
        starter: Starter,
    ) -> Command {
        let mut command = match starter {
            Starter::Itself => world.command(&world.agent_program()),
            Starter::Modekeeper => {
                let mut command = world.command(&world.program());
                command.args(["run", self.slug()]);
                command
            }
        };
        command.envs(self.environment(&world.model.url()));
        match self {
            Self::ClaudeCode => command.args(["-p", prompt, "--dangerously-skip-permissions"]),
            Self::Codex => {
                let bypass = "--dangerously-bypass-approvals-and-sandbox";
                command
                    .arg("exec")
                    .args((rules == OwnRules::Bypassed).then_some(bypass))
                    .arg(prompt)
            }
            Self::Copilot => command.args(["-p", prompt, "--allow-all-tools", "--allow-all-paths"]),
            Self::Gemini => command.args(["-m", "gemini-2.5-pro", "--yolo", "-p", prompt]),
            Self::Qwen => command.args(["--yolo", "-p", prompt]),
            Self::OpenCode => command.args(["run", prompt]),
            Self::Cline => command.arg(prompt),
        };
        command
    }
}

pub(in crate::slow) fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
