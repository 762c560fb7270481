//! The command line: the help of every command, with the common options once.

use anyhow::Result;

use super::{Asked, header};

pub(super) fn document(asked: &Asked<'_>) -> Result<String> {
    let mut text = header("Command line", "`modekeeper --help`");
    let top = Help::read(asked, &[])?;
    text.push_str("The options of `modekeeper` itself can be given to every command but `exec`, which reads only its own.\n");
    section(asked, &[], &top, &[], &mut text)?;
    Ok(text)
}

fn section(
    asked: &Asked<'_>,
    path: &[String],
    help: &Help,
    common: &[String],
    text: &mut String,
) -> Result<()> {
    let title = [&["modekeeper".to_owned()], path].concat().join(" ");
    text.push_str(&format!("\n## `{title}`\n\n```text\n"));
    text.push_str(&help.without(common));
    text.push_str("```\n");
    let common = match path {
        [] => &help.options(),
        _ => common,
    };
    for name in help.commands() {
        let path = [path, &[name]].concat();
        let help = Help::read(asked, &path)?;
        section(asked, &path, &help, common, text)?;
    }
    Ok(())
}

/// The help of one command, as it is printed.
struct Help {
    text: String,
}

impl Help {
    fn read(asked: &Asked<'_>, path: &[String]) -> Result<Self> {
        let mut arguments: Vec<_> = path.iter().map(String::as_str).collect();
        arguments.push("--help");
        let text = asked.says(&arguments)?;
        // Readers do not see spaces at the end of a line.
        let lines: Vec<_> = text.lines().map(str::trim_end).collect();
        Ok(Self {
            text: lines.join("\n") + "\n",
        })
    }

    fn commands(&self) -> Vec<String> {
        let listed = self.text.lines().skip_while(|line| *line != "Commands:");
        listed
            .skip(1)
            .take_while(|line| !line.is_empty())
            // A longer indentation continues the description above it.
            .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
            .filter_map(|line| line.split_whitespace().next())
            .filter(|name| *name != "help")
            .map(str::to_owned)
            .collect()
    }

    /// The long names of its options.
    fn options(&self) -> Vec<String> {
        self.text.lines().filter_map(option).collect()
    }

    /// The help without the options that are described elsewhere.
    fn without(&self, common: &[String]) -> String {
        let mut kept: Vec<&str> = Vec::new();
        let mut dropping = false;
        for line in self.text.lines() {
            if let Some(name) = option(line) {
                dropping = common.contains(&name);
            } else if !line.starts_with(' ') && !line.is_empty() {
                dropping = false;
            }
            if !dropping {
                kept.push(line);
            }
        }
        while kept
            .last()
            .is_some_and(|line| line.is_empty() || *line == "Options:")
        {
            kept.pop();
        }
        kept.join("\n") + "\n"
    }
}

/// The long name of the option that a line of help begins.
fn option(line: &str) -> Option<String> {
    let indented = line.len() - line.trim_start().len();
    let begins = (2..=6).contains(&indented) && line.trim_start().starts_with('-');
    let name = line
        .split_whitespace()
        .find(|word| word.starts_with("--"))
        .filter(|_| begins)?;
    Some(name.to_owned())
}
