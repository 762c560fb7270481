//! The flags that set settings, made from the table: for every command, and for `serve`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};

use super::table::{Flag, FlagValue};
use super::{FlagCommands, SETTINGS, Setting};

#[cfg(target_os = "linux")]
const PROJECT_ROOT: &str = "paths.project_root";

/// What the command line set.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flags {
    pub(crate) config: Option<PathBuf>,
    /// By the setting's key.
    given: Vec<(&'static str, Vec<OsString>)>,
}

impl Flags {
    pub(crate) fn new(config: Option<PathBuf>, CommonFlags(given): CommonFlags) -> Self {
        Self { config, given }
    }

    /// Only the project's root, for a command that reads its own arguments.
    #[cfg(target_os = "linux")]
    pub(crate) fn in_project(root: Option<PathBuf>) -> Self {
        let given = root.map(|root| (PROJECT_ROOT, vec![root.into()]));
        Self {
            config: None,
            given: given.into_iter().collect(),
        }
    }

    pub(crate) fn add(&mut self, ServeFlags(given): ServeFlags) {
        self.given.extend(given);
    }

    pub(super) fn given(&self, setting: &Setting) -> Option<&[OsString]> {
        let found = self.given.iter().find(|(key, _)| *key == setting.key);
        found.map(|(_, values)| values.as_slice())
    }
}

/// Flags of every command.
#[derive(Debug, Clone, Default)]
pub(crate) struct CommonFlags(Vec<(&'static str, Vec<OsString>)>);

/// Flags of `modekeeper serve` alone.
#[derive(Debug, Clone, Default)]
pub(crate) struct ServeFlags(Vec<(&'static str, Vec<OsString>)>);

fn of(of: FlagCommands) -> impl Iterator<Item = (&'static Setting, Flag)> {
    let flags = SETTINGS
        .iter()
        .filter_map(|setting| Some((setting, setting.flag?)));
    flags.filter(move |(_, flag)| flag.of == of)
}

fn argument(setting: &'static Setting, flag: Flag) -> Arg {
    let argument = Arg::new(setting.key)
        .long(flag.name.trim_start_matches('-'))
        .help(flag.text.unwrap_or(setting.text))
        .value_parser(ValueParser::os_string())
        .global(flag.of == FlagCommands::Every);
    match flag.takes {
        FlagValue::Value(name) => argument.value_name(name).action(ArgAction::Set),
        FlagValue::List(name) => argument
            .value_name(name)
            .value_delimiter(',')
            .action(ArgAction::Append),
        FlagValue::Repeated(name) => argument.value_name(name).action(ArgAction::Append),
        // Given without a value, it has this one.
        FlagValue::Nothing(value) => argument
            .num_args(0)
            .default_missing_value(value)
            .action(ArgAction::Set),
    }
}

fn augment(command: Command, which: FlagCommands) -> Command {
    command.args(of(which).map(|(setting, flag)| argument(setting, flag)))
}

fn read(matches: &ArgMatches, which: FlagCommands) -> Vec<(&'static str, Vec<OsString>)> {
    let values = |(setting, _): (&'static Setting, Flag)| {
        let values = matches.get_many::<OsString>(setting.key)?;
        Some((setting.key, values.cloned().collect()))
    };
    of(which).filter_map(values).collect()
}

impl FromArgMatches for CommonFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Ok(Self(read(matches, FlagCommands::Every)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0 = read(matches, FlagCommands::Every);
        Ok(())
    }
}

impl Args for CommonFlags {
    fn augment_args(command: Command) -> Command {
        augment(command, FlagCommands::Every)
    }

    fn augment_args_for_update(command: Command) -> Command {
        augment(command, FlagCommands::Every)
    }
}

impl FromArgMatches for ServeFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Ok(Self(read(matches, FlagCommands::Serve)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0 = read(matches, FlagCommands::Serve);
        Ok(())
    }
}

impl Args for ServeFlags {
    fn augment_args(command: Command) -> Command {
        augment(command, FlagCommands::Serve)
    }

    fn augment_args_for_update(command: Command) -> Command {
        augment(command, FlagCommands::Serve)
    }
}
