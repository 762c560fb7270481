//! `modekeeper doctor`: whether what is set up really holds.

use std::process::ExitCode;

use clap::Args;
use mk_clients::ClientId;
use mk_engine::{CloseOutcome, NextStep, ProjectWatching, StoreFile, StoreLocation};
use serde_json::{Value, json};

use crate::cli::install::{
    CanaryResult, FoundClient, ScopeArg, VersionSource, Workshop, installed_program, known_client,
    painted,
};
use crate::cli::modes::trouble::{broken_files, vanished};
use crate::cli::{FormatArgs, engine};
use crate::config::Config;
use crate::env::Env;
use crate::next_step::for_person;
use crate::output::{OutputStyle, print, print_json, print_progress};

/// Check that every client is held: fires a forbidden call at each hook
///
/// Exit code 0 if everything that is set up holds, 1 if something does not.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Only this client
    client: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
}

const STORE: &str = "store";
const RECOVER: &str = "Stop every agent, then run `modekeeper store recover`; `modekeeper store check` lists all problems";

/// One line of the report.
pub(super) struct DoctorFinding {
    subject: String,
    text: String,
    is_bad: bool,
    held: Option<CanaryResult>,
    pub(super) note: Option<String>,
}

pub(crate) fn run(args: &DoctorArgs, config: &Config, env: &Env) -> anyhow::Result<ExitCode> {
    let workshop = Workshop::with_floor(config, env, ScopeArg::User, None)?;
    let only = args.client.as_deref().map(known_client).transpose()?;
    let mut findings = vec![
        store(config, &workshop),
        program(&workshop)?,
        path(&workshop, env),
    ];
    // What is looked at below would make an empty store, which knows of no mode: hooks would let everything pass.
    // Nor do hooks say anything about modes with one that cannot be read: they deny for that reason alone.
    let is_store_bad = findings.iter().any(|it| it.subject == STORE && it.is_bad);
    if is_store_bad {
        findings.push(DoctorFinding::bad(
            "clients",
            "not checked until the store can be used",
        ));
    } else {
        findings.extend(mode_files(config));
        findings.extend(super::wall::findings(config));
        findings.extend(clients(&workshop, only)?);
    }
    if args.format.json {
        print_json(&Value::from(
            findings.iter().map(DoctorFinding::json).collect::<Vec<_>>(),
        ))?;
    } else {
        show(&findings)?;
    }
    let is_bad = findings.iter().any(|finding| finding.is_bad);
    Ok(if is_bad {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

impl DoctorFinding {
    pub(super) fn good(subject: &str, text: impl Into<String>) -> Self {
        Self {
            subject: subject.to_owned(),
            text: text.into(),
            is_bad: false,
            held: None,
            note: None,
        }
    }

    pub(super) fn bad(subject: &str, text: impl Into<String>) -> Self {
        Self {
            is_bad: true,
            ..Self::good(subject, text)
        }
    }

    fn json(&self) -> Value {
        json!({ "subject": self.subject, "ok": !self.is_bad, "text": self.text, "note": self.note })
    }
}

fn store(config: &Config, workshop: &Workshop) -> DoctorFinding {
    let file = match config.store_location() {
        StoreLocation::File(file) => file,
        StoreLocation::Memory => {
            return DoctorFinding::bad(
                STORE,
                "in memory: hooks and servers do not share their state",
            );
        }
        location @ StoreLocation::Postgres(_) => {
            let shown = location.to_string();
            return match mk_engine::reach_store(location) {
                Ok(()) => DoctorFinding::good(STORE, shown),
                Err(error) => DoctorFinding::bad(STORE, error.to_string()),
            };
        }
    };
    let shown = file.display().to_string();
    if config.has_missing_store() {
        return match workshop.place.program().exists() {
            true => DoctorFinding::bad(
                STORE,
                format!(
                    "{shown} is missing: hooks deny. Put a backup back, or run `modekeeper mode`: it makes a new one, with the modes that were set and without the earlier tasks and records"
                ),
            ),
            false => DoctorFinding::good(STORE, format!("{shown} (none yet)")),
        };
    }
    let file = StoreFile::at(file);
    let text = match file
        .open_and_close()
        .and_then(|closed| Ok((closed, file.check()?)))
    {
        Ok((CloseOutcome::Complete, problems)) => match problems.first() {
            None => return DoctorFinding::good(STORE, shown),
            Some(problem) => format!("{shown} is damaged: {problem}. {RECOVER}"),
        },
        Ok((CloseOutcome::CutOff, _)) => format!("{shown}: does not close in time"),
        Err(error) => match error.next_step() {
            Some(NextStep::RecoverStore) => format!("{shown}: {error}. {RECOVER}"),
            Some(step) => format!("{shown}: {error}; {}", for_person(step)),
            None => format!("{shown}: {error}"),
        },
    };
    DoctorFinding::bad(STORE, text)
}

/// Mode files of this project that are broken, and a mode that none of them defines.
fn mode_files(config: &Config) -> Vec<DoctorFinding> {
    // Reading modes may keep their text: a missing store is not made by looking.
    if matches!(config.store_location(), StoreLocation::File(file) if !file.exists()) {
        return Vec::new();
    }
    let engine = engine(config, ProjectWatching::Off);
    let broken = broken_files(&engine, config, |_| true);
    let broken = broken.iter().map(|it| DoctorFinding::bad("mode file", it));
    let vanished = vanished(&engine, config);
    let vanished = vanished.map(|it| DoctorFinding::bad("mode", it));
    vanished.into_iter().chain(broken).collect()
}

/// The copy that every entry names.
fn program(workshop: &Workshop) -> anyhow::Result<DoctorFinding> {
    let file = workshop.place.program();
    let shown = file.display().to_string();
    if workshop.journal()?.clients().is_empty() {
        return Ok(DoctorFinding::good(
            "program",
            "no client is set up: run `modekeeper init`",
        ));
    }
    if !file.exists() {
        let text = format!("{shown} is gone: run `modekeeper init` again");
        return Ok(DoctorFinding::bad("program", text));
    }
    let mut finding = DoctorFinding::good("program", shown);
    if !workshop.place.is_current()? {
        let note = "this is another version: run `modekeeper init` to replace it";
        finding.note = Some(note.to_owned());
    }
    Ok(finding)
}

fn path(workshop: &Workshop, env: &Env) -> DoctorFinding {
    match installed_program(env) {
        Some(file) => DoctorFinding::good("PATH", file.display().to_string()),
        None => {
            let program = workshop.place.program();
            let mut finding = DoctorFinding::good("PATH", "`modekeeper` is not on PATH");
            finding.note = Some(format!("agents use {} all the same", program.display()));
            finding
        }
    }
}

fn clients(workshop: &Workshop, only: Option<ClientId>) -> anyhow::Result<Vec<DoctorFinding>> {
    let wanted = |client: &ClientId| only.is_none_or(|only| only == *client);
    let installed = workshop.journal()?.clients_here();
    let clients = ClientId::ALL.into_iter().filter(wanted);
    let found = workshop.survey(clients, VersionSource::Itself)?;
    print_progress("firing a forbidden call at each hook …");
    let mut findings = Vec::new();
    for &client in installed.iter().filter(|client| wanted(client)) {
        let found = found.iter().find(|found| found.client == client);
        findings.push(held(workshop, client, found)?);
    }
    for found in found
        .iter()
        .filter(|found| !installed.contains(&found.client))
    {
        let slug = found.client.slug();
        // Somebody who asks for one client wants to know about it.
        let text = format!("not set up: run `modekeeper install {slug}`");
        let finding = match only {
            Some(_) => DoctorFinding::bad(&found.title(), text),
            None => DoctorFinding::good(&found.title(), text),
        };
        findings.push(finding);
    }
    Ok(findings)
}

fn held(
    workshop: &Workshop,
    client: ClientId,
    found: Option<&FoundClient>,
) -> anyhow::Result<DoctorFinding> {
    let held = workshop.look(client)?;
    let title = found.map_or_else(|| client.atlas().name.to_owned(), FoundClient::title);
    Ok(DoctorFinding {
        subject: title,
        text: held.text(),
        is_bad: held.is_bad(),
        held: Some(held),
        note: found.and_then(FoundClient::untested),
    })
}

fn show(findings: &[DoctorFinding]) -> anyhow::Result<()> {
    let style = OutputStyle::stdout();
    let lengths = findings.iter().map(|it| it.subject.chars().count());
    let width = lengths.max().unwrap_or_default();
    let mut text = String::new();
    for finding in findings {
        let gap = " ".repeat(width - finding.subject.chars().count());
        let said = match &finding.held {
            Some(held) => painted(held, style),
            None if finding.is_bad => style.red(&finding.text),
            None => finding.text.clone(),
        };
        text.push_str(&format!("{}{gap}  {said}\n", finding.subject));
        if let Some(note) = &finding.note {
            let indent = " ".repeat(width);
            text.push_str(&format!("{indent}  {}\n", style.dim(note)));
        }
    }
    print(&text)
}
