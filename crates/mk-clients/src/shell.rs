//! How the shell that an agent uses is led through `modekeeper exec`: our scripts around it, and how to see that a
//! product really starts them.
//!
//! The line itself is not changed where a shell can be wrapped: the user's rules and the transcript keep what the model
//! wrote. Only where nothing else is there does a hook put `exec` in front of the line.

use std::path::{Path, PathBuf};

use crate::ClientId;
use crate::install::quoted;

/// How the shell of a product is wrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    /// A variable that its settings put into its environment names a program that gets every line.
    Prefix(&'static str),
    /// A setting names the shell itself.
    Program(&'static str),
    /// `BASH_ENV`, which its settings give to the lines and to nothing else. The shell is the user's own.
    BashEnvOfLines,
    /// `BASH_ENV` in its own environment, set by a file that it reads.
    BashEnvByFile,
    /// `BASH_ENV` in its own environment, which must be there when it starts: `modekeeper run`.
    BashEnvByStart,
    /// Only by changing the line in the hook.
    Rewrite,
    /// Not known, or there is no shell.
    None,
}

/// The variable that names a file which bash reads before a line.
const BASH_ENV: &str = "BASH_ENV";

/// Variables of a client's own environment that name a script of ours.
pub const SHELL_VARIABLES: [&str; 2] = [BASH_ENV, crate::claude_code::PREFIX_VARIABLE];

/// Our scripts around an agent's shell.
#[derive(Debug, Clone)]
pub struct ShellScripts {
    /// Gets one argument, the whole line.
    pub prefix: PathBuf,
    /// Takes the place of the shell.
    pub program: PathBuf,
    /// Is read by bash before a line.
    pub bash_env: PathBuf,
}

impl ShellScripts {
    const NAMES: [&'static str; 3] = ["modekeeper-exec", "modekeeper-sh", "modekeeper-env.sh"];

    pub fn in_directory(directory: &Path) -> Self {
        let [prefix, program, bash_env] = Self::NAMES.map(|name| directory.join(name));
        Self {
            prefix,
            program,
            bash_env,
        }
    }
}

/// A shell as a product starts it for one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellStart {
    pub program: PathBuf,
    pub arguments: Vec<String>,
    pub variable: Option<(&'static str, PathBuf)>,
}

impl Shell {
    /// The script of ours that this way needs.
    pub fn script(self, scripts: &ShellScripts) -> Option<&Path> {
        match self {
            Self::Prefix(_) => Some(&scripts.prefix),
            Self::Program(_) => Some(&scripts.program),
            Self::BashEnvOfLines | Self::BashEnvByFile | Self::BashEnvByStart => {
                Some(&scripts.bash_env)
            }
            Self::Rewrite | Self::None => None,
        }
    }

    /// The variable of the client's own environment that names the script; hooks inherit it.
    pub fn variable(self) -> Option<&'static str> {
        match self {
            Self::Prefix(variable) => Some(variable),
            Self::BashEnvByFile | Self::BashEnvByStart => Some(BASH_ENV),
            _ => None,
        }
    }

    /// Whether lines run in the login shell of the user, whatever that is.
    pub fn is_the_users(self) -> bool {
        self == Self::BashEnvOfLines
    }

    /// How the product runs a line; `None` where its hook would have to change it.
    pub fn start(self, scripts: &ShellScripts, own_shell: &Path, line: &str) -> Option<ShellStart> {
        let line = line.to_owned();
        let bash_env = Some((BASH_ENV, scripts.bash_env.clone()));
        let start = |program: &Path, arguments: Vec<String>, variable| {
            Some(ShellStart {
                program: program.to_owned(),
                arguments,
                variable,
            })
        };
        let option = |option: &str| vec![option.to_owned(), line.clone()];
        match self {
            Self::Prefix(_) => start(&scripts.prefix, vec![line], None),
            Self::Program(_) => start(&scripts.program, option("-c"), None),
            Self::BashEnvOfLines => start(own_shell, option("-lc"), bash_env),
            Self::BashEnvByFile | Self::BashEnvByStart => {
                start(Path::new("/bin/bash"), option("-c"), bash_env)
            }
            Self::Rewrite | Self::None => None,
        }
    }
}

/// A text in double quotes that stands for itself.
fn literal(text: &str) -> String {
    let escaped = text.replace('\\', r"\\");
    let escaped = escaped.replace('"', "\\\"").replace('$', r"\$");
    format!("\"{}\"", escaped.replace('`', r"\`"))
}

/// A line that runs inside the wall, wherever it is given to a shell; `None` for one that is too long to be quoted. One
/// that does already stays as it is: a product that runs two hooks gives the second what the first has made of it.
pub fn walled_line(program: &Path, line: &str) -> Option<String> {
    /// One argument may have 128 KiB, and products put words of their own around the line.
    const LONGEST: usize = 120_000;
    let start = format!("{} exec --shell -- /bin/bash -c ", quoted(program));
    let wall = |line: &str| format!("{start}'{}'", line.replace('\'', r"'\''"));
    let inner = line.strip_prefix(&start).and_then(unquoted);
    if inner.is_some_and(|inner| wall(&inner) == line) {
        return Some(line.to_owned());
    }
    Some(wall(line)).filter(|walled| walled.len() <= LONGEST)
}

/// The text between two quotes. Whether they belong together is for the caller to see.
fn unquoted(word: &str) -> Option<String> {
    let text = word.strip_prefix('\'')?.strip_suffix('\'')?;
    Some(text.replace(r"'\''", "'"))
}

/// A line whose exit code is 0 if it runs inside the wall.
pub fn inside_line(program: &Path) -> String {
    format!("{} exec --inside", quoted(program))
}

/// Our three scripts: file name, text. They stand where nobody deletes them, because a client that does not find one
/// runs the line without it. `variables` say where our own files are, because some products clear the environment.
pub fn shell_scripts(
    program: &Path,
    variables: &[(&'static str, PathBuf)],
) -> [(&'static str, String); 3] {
    let assignments: String = variables
        .iter()
        .map(|(name, path)| format!("export {name}={}\n", quoted(path)))
        .collect();
    let own_hooks: Vec<String> = ClientId::ALL
        .into_iter()
        .filter(|client| client.atlas().shell.variable() == Some(BASH_ENV))
        .map(|client| literal(&format!("{} hook {}", quoted(program), client.slug())))
        .collect();
    let own_hooks = own_hooks.join(" | ");
    let program = quoted(program);
    let prefix = format!(
        "#!/bin/sh\n\
         # Claude Code calls this with one argument, the whole line. Its own hooks and MCP servers come this way too.\n\
         case \"${{AI_AGENT:-}}\" in\n  *_harness) exec /bin/bash -c \"$1\" ;;\nesac\n\
         {assignments}exec {program} exec --shell -- /bin/bash -c \"$1\"\n"
    );
    let shell = format!(
        "#!/bin/sh\n# OpenCode starts this as its shell.\n\
         {assignments}exec {program} exec --shell -- /bin/bash \"$@\"\n"
    );
    // Hooks are started by a shell, too; ours must not be inside, and is the same line for everybody.
    let bash_env = format!(
        "# Bash reads this before a line; the line then runs through Modekeeper, once.\n\
         case \"${{BASH_EXECUTION_STRING:-}}\" in\n  \
         \"\" | {own_hooks}) ;;\n  \
         *)\n    if ! {program} exec --inside; then\n\
         {}      exec {program} exec --shell -- /bin/bash -c \"$BASH_EXECUTION_STRING\" \"$0\" \"$@\"\n    \
         fi\n    ;;\nesac\n",
        assignments
            .lines()
            .map(|line| format!("      {line}\n"))
            .collect::<String>(),
    );
    let [first, second, third] = ShellScripts::NAMES;
    [(first, prefix), (second, shell), (third, bash_env)]
}
