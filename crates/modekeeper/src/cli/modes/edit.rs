//! `modekeeper modes edit`

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;
use mk_engine::ProjectWatching;

use super::draft;
use crate::cli::{engine, operator, person};
use crate::config::Config;
use crate::env::Env;
use crate::output::print;

/// Edit the project's mode file in your editor; shows whose rights change before it is saved
#[derive(Debug, Args)]
pub(crate) struct EditArgs {
    /// Save without asking if every mode can be used
    #[arg(long)]
    yes: bool,
}

const STARTER: &str =
    "# yaml-language-server: $schema=modes.schema.json (`modekeeper schema modes` prints it)
customModes:
  - slug: docs
    name: Docs
    roleDefinition: You write and edit the documentation of this project.
    groups:
      - read
      - [edit, {fileRegex: '\\.md$', description: Markdown only}]
    examples:
      allow: [write_to_file docs/guide.md]
      deny: [write_to_file src/main.rs]
";

pub(crate) fn run(args: &EditArgs, config: &Config, env: &Env) -> anyhow::Result<ExitCode> {
    person::require("modes edit")?;
    let Some(editor) = &env.editor else {
        bail!("no editor is set; set EDITOR, or use the dashboard's");
    };
    let engine = engine(config, ProjectWatching::Off);
    let caller = operator(config);
    let before = engine.modes().file_text(&caller)?;
    let copy = tempfile::Builder::new()
        .prefix("roomodes-")
        .suffix(".yaml")
        .tempfile()?;
    let start = before.as_deref().unwrap_or(STARTER);
    std::io::Write::write_all(&mut copy.as_file(), start.as_bytes())?;
    loop {
        edit(editor, copy.path())?;
        let text = std::fs::read_to_string(copy.path())?;
        if before.as_deref() == Some(text.as_str()) {
            print("nothing has changed\n")?;
            return Ok(ExitCode::SUCCESS);
        }
        let found = engine.modes().draft(&caller, &text);
        draft::show(&found)?;
        if !found.is_usable() {
            if draft::agrees("There are errors. Edit again?")? {
                continue;
            }
            bail!("nothing was changed");
        }
        if args.yes || draft::agrees("Save?")? {
            draft::save(&engine, config, &text)?;
            return Ok(ExitCode::SUCCESS);
        }
        print("nothing was changed\n")?;
        return Ok(ExitCode::SUCCESS);
    }
}

/// Editors may come with arguments, as git takes them: the shell reads the line.
fn edit(editor: &str, file: &Path) -> anyhow::Result<()> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the person's own editor, at the terminal they are at"
    )]
    let ended = std::process::Command::new("sh")
        .args(["-c", &format!("{editor} \"$1\""), "editor"])
        .arg(file)
        .status()
        .with_context(|| format!("cannot start `{editor}`"))?;
    if !ended.success() {
        bail!("`{editor}` failed: nothing was changed");
    }
    Ok(())
}
