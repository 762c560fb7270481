//! What the scripted model asks for, in each agent's own tools.

use mk_testkit::model::Step;
use serde_json::{Value, json};

use super::agent::Agent;

impl Agent {
    /// Makes a file that is not there yet.
    pub(in crate::slow) fn write(self, path: &str, text: &str) -> Step {
        match self {
            Self::ClaudeCode => step("Write", json!({ "file_path": path, "content": text })),
            Self::Codex => {
                let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
                patch(&format!("*** Add File: {path}\n{lines}"))
            }
            Self::Copilot => step("create", json!({ "path": path, "file_text": text })),
            Self::Gemini | Self::Qwen => {
                step("write_file", json!({ "file_path": path, "content": text }))
            }
            Self::OpenCode => step("write", json!({ "filePath": path, "content": text })),
            Self::Cline => step("editor", json!({ "path": path, "new_text": text })),
        }
    }

    /// Changes one line of a file that the agent has read.
    pub(in crate::slow) fn edit(self, path: &str, old: &str, new: &str) -> Step {
        match self {
            Self::ClaudeCode => step(
                "Edit",
                json!({ "file_path": path, "old_string": old, "new_string": new }),
            ),
            Self::Codex => patch(&format!("*** Update File: {path}\n@@\n-{old}\n+{new}\n")),
            Self::Copilot => step(
                "edit",
                json!({ "path": path, "old_str": old, "new_str": new }),
            ),
            Self::Gemini => step(
                "replace",
                json!({ "file_path": path, "old_string": old, "new_string": new, "instruction": "change the line" }),
            ),
            Self::Qwen => step(
                "edit",
                json!({ "file_path": path, "old_string": old, "new_string": new }),
            ),
            Self::OpenCode => step(
                "edit",
                json!({ "filePath": path, "oldString": old, "newString": new }),
            ),
            Self::Cline => step(
                "editor",
                json!({ "path": path, "old_text": old, "new_text": new }),
            ),
        }
    }

    /// Reads a file; Codex has nothing but its shell for that.
    pub(in crate::slow) fn read(self, path: &str) -> Step {
        match self {
            Self::ClaudeCode => step("Read", json!({ "file_path": path })),
            Self::Codex => self.shell(&format!("cat {path}")),
            Self::Copilot => step("view", json!({ "path": path })),
            Self::Gemini | Self::Qwen => step("read_file", json!({ "file_path": path })),
            Self::OpenCode => step("read", json!({ "filePath": path })),
            Self::Cline => step("read_files", json!({ "files": [{ "path": path }] })),
        }
    }

    /// Searches the whole project, by the shell where the product has no tool for it.
    pub(in crate::slow) fn search(self, pattern: &str) -> Step {
        match self {
            Self::ClaudeCode | Self::Codex => self.shell(&format!("grep -rn {pattern} .")),
            Self::Copilot => step(
                "grep",
                json!({ "pattern": pattern, "output_mode": "content" }),
            ),
            Self::Gemini | Self::Qwen => step("grep_search", json!({ "pattern": pattern })),
            Self::OpenCode => step("grep", json!({ "pattern": pattern })),
            Self::Cline => step("search_codebase", json!({ "queries": [pattern] })),
        }
    }

    pub(in crate::slow) fn shell(self, line: &str) -> Step {
        let about = "a command";
        match self {
            Self::ClaudeCode => step("Bash", json!({ "command": line, "description": about })),
            Self::Codex => step("exec_command", json!({ "cmd": line })),
            Self::Copilot | Self::OpenCode => {
                step("bash", json!({ "command": line, "description": about }))
            }
            Self::Gemini => step(
                "run_shell_command",
                json!({ "command": line, "description": about }),
            ),
            Self::Qwen => step(
                "run_shell_command",
                json!({ "command": line, "description": about, "is_background": false }),
            ),
            Self::Cline => step("run_commands", json!({ "commands": [line] })),
        }
    }

    /// A line that goes on while the agent does other things.
    pub(super) fn background(self, line: &str) -> Step {
        let about = "a command";
        match self {
            Self::ClaudeCode => step(
                "Bash",
                json!({ "command": line, "description": about, "run_in_background": true }),
            ),
            Self::Copilot => step(
                "bash",
                json!({ "command": line, "description": about, "mode": "async" }),
            ),
            _ => step(
                "run_shell_command",
                json!({ "command": line, "description": about, "is_background": true }),
            ),
        }
    }

    /// Writes a file by our own MCP tool.
    pub(in crate::slow) fn own_write(self, path: &str) -> Step {
        let arguments = json!({ "file_path": path, "content": "fn by_mcp() {}\n" });
        self.own("write_file", arguments)
    }

    /// A tool of our own MCP server, under the name that the product gives it.
    pub(in crate::slow) fn own(self, tool: &str, arguments: Value) -> Step {
        let separators: &[&str] = match self {
            // Codex puts the tools of a server in a namespace, and Cline has two lines between them.
            Self::Codex => &["mcp__modekeeper."],
            Self::Cline => &["modekeeper__"],
            _ => &[
                "mcp__modekeeper__",
                "mcp_modekeeper_",
                "modekeeper-",
                "modekeeper_",
            ],
        };
        let names: Vec<String> = separators.iter().map(|it| format!("{it}{tool}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Step::new(&names, arguments)
    }

    /// Starts a subagent whose script is `child-<mode>`.
    pub(in crate::slow) fn delegate(self, mode: &str) -> Step {
        let prompt = format!("SCRIPT child-{mode}");
        let (tools, arguments) = match self {
            Self::ClaudeCode => (
                &["Agent", "Task"][..],
                json!({ "description": "a child", "prompt": prompt, "subagent_type": "general-purpose" }),
            ),
            Self::Codex => (
                &["multi_agent_v1.spawn_agent"][..],
                json!({ "message": prompt }),
            ),
            Self::Copilot => (
                &["task"][..],
                json!({ "name": "child", "description": "a child", "prompt": prompt, "agent_type": "general-purpose", "mode": "sync" }),
            ),
            Self::Gemini => (
                &["invoke_agent"][..],
                json!({ "agent_name": "generalist", "prompt": prompt }),
            ),
            Self::Qwen => (
                &["agent"][..],
                json!({ "description": "a child", "prompt": prompt, "subagent_type": "general-purpose" }),
            ),
            Self::OpenCode => (
                &["task"][..],
                json!({ "description": "a child", "prompt": prompt, "subagent_type": "general" }),
            ),
            Self::Cline => (
                &["spawn_agent"][..],
                json!({ "task": prompt, "systemPrompt": "You are a child." }),
            ),
        };
        Step::new(tools, arguments)
    }

    /// What a subagent has to call at its end.
    pub(in crate::slow) fn end_of_child(self) -> Option<Step> {
        let result = json!({ "result": "done" });
        matches!(self, Self::Gemini).then(|| Step::new(&["complete_task"], result))
    }

    /// Deletes a file: by the tool for it, or by the shell where there is none.
    pub(in crate::slow) fn delete(self, path: &str) -> Step {
        match self {
            Self::Codex => patch(&format!("*** Delete File: {path}\n")),
            _ => self.shell(&format!("rm {path}")),
        }
    }

    /// Moves a file, likewise.
    pub(in crate::slow) fn rename(self, from: &str, to: &str) -> Step {
        match self {
            Self::Codex => patch(&format!(
                "*** Update File: {from}\n*** Move to: {to}\n@@\n-fn main() {{}}\n+fn main() {{ }}\n"
            )),
            _ => self.shell(&format!("mv {from} {to}")),
        }
    }
}

fn step(tool: &str, arguments: Value) -> Step {
    Step::new(&[tool], arguments)
}

fn patch(body: &str) -> Step {
    let text = format!("*** Begin Patch\n{body}*** End Patch\n");
    Step::new(&["apply_patch"], Value::String(text))
}
