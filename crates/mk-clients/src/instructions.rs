//! What teams write for each product: rules, agents and skills, where they stand, and when they speak.
//!
//! One table, because a playbook reads them together. Where a product's directory is named elsewhere for its settings,
//! the name is the same.

use crate::client::ClientId;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstructionKind {
    Rules,
    Agents,
    Skills,
}

/// What its path is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenBase {
    /// The project's root.
    Project,
    /// Any directory of the project; it holds below it.
    AnyDirectory,
    /// The user's home directory.
    Home,
}

/// How the files are found at the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenShape {
    /// The path is the file.
    File,
    /// Every file below the directory with one of these endings.
    Directory(&'static [&'static str]),
    /// The path is the start of names that end in a mode's slug: directories with files, or files.
    OfMode(&'static [&'static str]),
}

/// When rules speak that say nothing about it themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleActivation {
    Always,
    /// Only where their head names files, when their description fits, or when a person names them.
    WhenAsked,
}

/// Something that teams write for a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstructionFile {
    pub client: ClientId,
    pub kind: InstructionKind,
    pub base: WrittenBase,
    pub path: &'static str,
    pub shape: WrittenShape,
    pub speaks: RuleActivation,
    /// Whether `@path` in the text brings in another file.
    pub imports: bool,
}

const MARKDOWN: &[&str] = &[".md"];
const TEXT: &[&str] = &[".md", ".txt"];
const SKILL: &[&str] = &["SKILL.md", "skill.md"];

const fn rules(client: ClientId, base: WrittenBase, path: &'static str) -> InstructionFile {
    InstructionFile {
        client,
        kind: InstructionKind::Rules,
        base,
        path,
        shape: WrittenShape::File,
        speaks: RuleActivation::Always,
        imports: false,
    }
}

const fn agents(client: ClientId, base: WrittenBase, path: &'static str) -> InstructionFile {
    InstructionFile {
        kind: InstructionKind::Agents,
        shape: WrittenShape::Directory(MARKDOWN),
        ..rules(client, base, path)
    }
}

const fn skills(client: ClientId, base: WrittenBase, path: &'static str) -> InstructionFile {
    InstructionFile {
        kind: InstructionKind::Skills,
        shape: WrittenShape::Directory(SKILL),
        ..rules(client, base, path)
    }
}

impl InstructionFile {
    const fn below(self, endings: &'static [&'static str]) -> Self {
        Self {
            shape: WrittenShape::Directory(endings),
            ..self
        }
    }

    const fn of_mode(self, endings: &'static [&'static str]) -> Self {
        Self {
            shape: WrittenShape::OfMode(endings),
            ..self
        }
    }

    const fn when_asked(self) -> Self {
        Self {
            speaks: RuleActivation::WhenAsked,
            ..self
        }
    }

    const fn with_imports(self) -> Self {
        Self {
            imports: true,
            ..self
        }
    }
}

use ClientId::{
    Bob, ClaudeCode, Cline, Codex, Continue, Copilot, Cursor, Gemini, JetBrains, Junie, Kilo,
    OpenCode, Qwen, Roo, Windsurf, Zed,
};
use WrittenBase::{AnyDirectory, Home, Project};

/// Everything that is read, weakest first: what a later row of the same name says wins.
pub const WRITTEN: &[InstructionFile] = &[
    // Older names and other products' own rules.
    rules(Cursor, Project, ".cursorrules"),
    rules(Windsurf, Project, ".windsurfrules"),
    rules(Windsurf, Home, ".codeium/windsurf/memories/global_rules.md"),
    rules(Continue, Project, ".continuerules"),
    rules(Zed, Project, ".rules"),
    rules(Junie, Project, ".junie/guidelines.md"),
    rules(Junie, Project, ".junie/guidelines").below(MARKDOWN),
    rules(Junie, Project, ".junie/AGENTS.md"),
    rules(JetBrains, Project, ".aiassistant/rules").below(MARKDOWN),
    rules(Continue, Home, ".continue/rules").below(MARKDOWN),
    rules(Continue, Project, ".continue/rules").below(MARKDOWN),
    rules(Windsurf, AnyDirectory, ".windsurf/rules").below(MARKDOWN),
    rules(Cline, Home, "Documents/Cline/Rules").below(TEXT),
    rules(Cline, Project, ".clinerules"),
    rules(Cline, Project, ".clinerules").below(TEXT),
    rules(Kilo, Home, ".kilocode/rules").below(TEXT),
    rules(Kilo, Project, ".kilocoderules"),
    rules(Kilo, Project, ".kilocode/rules").below(TEXT),
    rules(Kilo, Project, ".kilocode/rules-").of_mode(TEXT),
    rules(Bob, Project, ".bob/rules").below(TEXT),
    rules(Bob, Project, ".bob/rules-").of_mode(TEXT),
    rules(Roo, Home, ".roo/rules").below(TEXT),
    rules(Roo, Home, ".roo/rules-").of_mode(TEXT),
    rules(Roo, Project, ".roorules"),
    rules(Roo, Project, ".roo/rules").below(TEXT),
    rules(Roo, Project, ".roorules-").of_mode(TEXT),
    rules(Roo, Project, ".roo/rules-").of_mode(TEXT),
    rules(Copilot, Project, ".github/copilot-instructions.md"),
    rules(Copilot, Project, ".github/instructions")
        .below(&[".instructions.md"])
        .when_asked(),
    rules(Cursor, AnyDirectory, ".cursor/rules")
        .below(&[".mdc"])
        .when_asked(),
    rules(OpenCode, Home, ".config/opencode/AGENTS.md"),
    rules(Codex, Home, ".codex/AGENTS.md"),
    rules(Qwen, Home, ".qwen/QWEN.md").with_imports(),
    rules(Gemini, Home, ".gemini/GEMINI.md").with_imports(),
    rules(ClaudeCode, Home, ".claude/rules").below(MARKDOWN),
    rules(ClaudeCode, Home, ".claude/CLAUDE.md").with_imports(),
    rules(ClaudeCode, Project, ".claude/rules").below(MARKDOWN),
    // In any directory: the outermost first.
    rules(Qwen, AnyDirectory, "QWEN.md").with_imports(),
    rules(Gemini, AnyDirectory, "GEMINI.md").with_imports(),
    rules(Codex, AnyDirectory, "AGENTS.md"),
    rules(Codex, AnyDirectory, "AGENTS.override.md"),
    rules(ClaudeCode, AnyDirectory, ".claude/CLAUDE.md").with_imports(),
    rules(ClaudeCode, AnyDirectory, "CLAUDE.md").with_imports(),
    rules(ClaudeCode, AnyDirectory, "CLAUDE.local.md").with_imports(),
    agents(Qwen, Home, ".qwen/agents"),
    agents(OpenCode, Home, ".config/opencode/agent"),
    agents(Copilot, Home, ".copilot/agents"),
    agents(ClaudeCode, Home, ".claude/agents"),
    agents(Qwen, Project, ".qwen/agents"),
    agents(OpenCode, Project, ".opencode/agent"),
    agents(OpenCode, Project, ".opencode/agents"),
    agents(Cursor, Project, ".cursor/agents"),
    agents(Copilot, Project, ".github/agents"),
    agents(ClaudeCode, Project, ".claude/agents"),
    skills(Qwen, Home, ".qwen/skills"),
    skills(Gemini, Home, ".gemini/skills"),
    skills(Cursor, Home, ".cursor/skills"),
    skills(Copilot, Home, ".copilot/skills"),
    skills(Codex, Home, ".codex/skills"),
    skills(ClaudeCode, Home, ".claude/skills"),
    skills(Codex, Home, ".agents/skills"),
    skills(Qwen, Project, ".qwen/skills"),
    skills(Gemini, Project, ".gemini/skills"),
    skills(Windsurf, Project, ".windsurf/skills"),
    skills(Cline, Project, ".cline/skills"),
    skills(Kilo, Project, ".kilocode/skills"),
    skills(Roo, Project, ".roo/skills"),
    skills(Junie, Project, ".junie/skills"),
    skills(OpenCode, Project, ".opencode/skills"),
    skills(Cursor, Project, ".cursor/skills"),
    skills(Copilot, Project, ".github/skills"),
    skills(ClaudeCode, Project, ".claude/skills"),
    skills(Codex, Project, ".agents/skills"),
];

/// Products that read `AGENTS.md` as it is.
const AGENTS_READERS: [ClientId; 11] = [
    Codex,
    Copilot,
    ClientId::VsCode,
    Cursor,
    OpenCode,
    Zed,
    Roo,
    ClientId::Zoo,
    Kilo,
    Windsurf,
    Junie,
];

impl InstructionFile {
    /// The products that read such a file.
    pub fn readers(&self) -> Vec<ClientId> {
        match self.path {
            "AGENTS.md" => AGENTS_READERS.to_vec(),
            _ => vec![self.client],
        }
    }
}

/// Whether some product reads rules from a file of this name, wherever it stands.
pub fn is_rules_file(name: &str) -> bool {
    let mut rules = WRITTEN
        .iter()
        .filter(|row| row.kind == InstructionKind::Rules);
    rules.any(|row| match row.shape {
        WrittenShape::File => row.path.rsplit('/').next() == Some(name),
        // An ending of a product's own says enough; those of all text do not.
        WrittenShape::Directory(endings) => endings
            .iter()
            .any(|ending| !TEXT.contains(ending) && name.ends_with(ending)),
        WrittenShape::OfMode(_) => false,
    })
}

/// Where a product reads skills of a project, relative to its root; `None` for one that reads none.
pub fn project_skills(client: ClientId) -> Option<&'static str> {
    let own = WRITTEN.iter().rev().find(|row| {
        row.client == client && row.kind == InstructionKind::Skills && row.base == Project
    });
    own.map(|row| row.path)
}
