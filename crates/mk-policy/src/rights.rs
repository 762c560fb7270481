//! What a mode may do, compared and written down: whether a text asks for more than another allows, what is left of it
//! then, and rights as an entry of a mode file.

use serde_json::{Map, Value, json};

use crate::group::Group;
use crate::mode::{CommandLimit, FileLimit, Grant, Mode, PatternLimit};
use crate::mode_file::{AutoApprove, McpFilter};
use crate::switching::{includes, widens};

/// Keys that say what a command may reach; they are rights, although only the wall reads them.
const WALL_KEYS: [&str; 2] = ["network", "git"];

/// What commands of a mode reach over the network, narrowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NetworkReach {
    Off,
    /// What the command itself listens on.
    Own,
    On,
}

/// What commands of a mode do with the repository, narrowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GitReach {
    Shut,
    Local,
}

impl Mode {
    /// What `network` says: `off`, `own` or `on`, or a boolean. Another value opens nothing. Without the key, a mode that
    /// may edit everything can fetch what it builds with.
    pub fn network(&self) -> NetworkReach {
        let edits_everything = || self.grants(Group::Edit).any(|grant| grant.files.is_open());
        match self.unknown.get("network") {
            Some(Value::Bool(false)) => NetworkReach::Off,
            Some(Value::Bool(true)) => NetworkReach::On,
            Some(Value::String(word)) if word == "off" => NetworkReach::Off,
            Some(Value::String(word)) if word == "on" => NetworkReach::On,
            None if edits_everything() => NetworkReach::On,
            _ => NetworkReach::Own,
        }
    }

    /// What `git` says: `none` or `local`, which is also what holds without the key. Another value opens nothing.
    pub fn git(&self) -> GitReach {
        match self.unknown.get("git") {
            None => GitReach::Local,
            Some(Value::String(word)) if word == "local" => GitReach::Local,
            Some(_) => GitReach::Shut,
        }
    }

    /// Whether it asks for anything that `bound` does not have: groups, as [`widens`] compares them, modes to go to,
    /// calls that no person sees, and what commands reach.
    pub fn exceeds(&self, bound: &Self) -> bool {
        widens(bound, self)
            || narrower_choice(bound.switch_to.as_ref(), self.switch_to.as_ref()) != self.switch_to
            || freedom(self) > freedom(bound)
            || WALL_KEYS
                .iter()
                .any(|key| reach(key, self) > reach(key, bound))
    }

    /// Takes away every right that `bound` does not have: a group that would widen it becomes the bound's own, and of
    /// everything else the narrower holds.
    pub(crate) fn hold_to(&mut self, bound: &Self) {
        for key in WALL_KEYS {
            if reach(key, self) <= reach(key, bound) {
                continue;
            }
            match bound.unknown.get(key) {
                Some(value) => self.unknown.insert(key.to_owned(), value.clone()),
                None => self.unknown.remove(key),
            };
        }
        if freedom(self) > freedom(bound) {
            self.auto_approve = bound.auto_approve;
        }
        self.switch_to = narrower_choice(bound.switch_to.as_ref(), self.switch_to.as_ref());
        let groups = self.groups();
        let widening: Vec<Group> = groups
            .into_iter()
            .filter(|group| !includes(bound, self, *group))
            .collect();
        self.grants.retain(|grant| !widening.contains(&grant.group));
        let of_bound = bound.grants.iter();
        let of_bound = of_bound.filter(|grant| widening.contains(&grant.group));
        self.grants.extend(of_bound.cloned());
        if widening.contains(&Group::Mcp) {
            self.mcp = bound.mcp.clone();
        }
    }

    /// What this mode allows, as one text: two modes with the same text have the same rights.
    pub fn rights(&self) -> String {
        use std::fmt::Write as _;
        let source = |limit: &Option<PatternLimit>| limit.as_ref().map(|it| it.source().to_owned());
        let mut text = format!(
            "{:?} {:?} {:?}",
            self.mcp, self.switch_to, self.auto_approve
        );
        for key in WALL_KEYS {
            let _ = write!(text, " {:?}", self.unknown.get(key));
        }
        for grant in &self.grants {
            let _ = write!(
                text,
                "\n{:?} {:?} {:?} {:?} {:?} {:?}",
                grant.group,
                source(&grant.files.regex),
                globs(&grant.files),
                source(&grant.commands.allow),
                source(&grant.commands.deny),
                grant.mcp
            );
        }
        text
    }

    /// Its rights as an entry of a mode file. What it says to a model is left out.
    pub fn rights_entry(&self) -> Value {
        let mut entry = Map::new();
        entry.insert("slug".to_owned(), json!(self.slug.as_str()));
        entry.insert("name".to_owned(), json!(self.slug.as_str()));
        entry.insert("roleDefinition".to_owned(), json!(self.slug.as_str()));
        let groups: Vec<Value> = self.grants.iter().map(|it| grant_entry(it)).collect();
        entry.insert("groups".to_owned(), Value::Array(groups));
        if let Some(slugs) = &self.switch_to {
            entry.insert("switchTo".to_owned(), json!(slugs));
        }
        if let Some(choice) = self.auto_approve {
            let word = match choice {
                AutoApprove::None => "none",
                AutoApprove::Read => "read",
                AutoApprove::All => "all",
            };
            entry.insert("autoApprove".to_owned(), json!(word));
        }
        for key in WALL_KEYS {
            if let Some(value) = self.unknown.get(key) {
                entry.insert(key.to_owned(), value.clone());
            }
        }
        filter_entry(&self.mcp, &mut entry);
        Value::Object(entry)
    }
}

/// The modes that both lists name; no list names every mode.
fn narrower_choice(bound: Option<&Vec<String>>, own: Option<&Vec<String>>) -> Option<Vec<String>> {
    let is_any = |names: &Vec<String>| names.iter().any(|name| name == "*");
    match (bound, own) {
        (None, own) => own.cloned(),
        (Some(bound), Some(own)) if is_any(bound) => Some(own.clone()),
        (Some(bound), Some(own)) if !is_any(own) => {
            let both = own.iter().filter(|name| bound.contains(name));
            Some(both.cloned().collect())
        }
        (Some(bound), _) => Some(bound.clone()),
    }
}

/// How much passes without a person in an editor.
fn freedom(mode: &Mode) -> u8 {
    match mode.auto_approve {
        None | Some(AutoApprove::None) => 0,
        Some(AutoApprove::Read) => 1,
        Some(AutoApprove::All) => 2,
    }
}

/// How far commands reach by a key of the wall.
fn reach(key: &str, mode: &Mode) -> u8 {
    match key {
        "network" => mode.network() as u8,
        _ => mode.git() as u8,
    }
}

fn globs(limit: &FileLimit) -> Vec<&str> {
    limit.globs.iter().map(|it| it.glob().glob()).collect()
}

fn grant_entry(grant: &Grant) -> Value {
    let mut options = Map::new();
    let mut pattern = |key: &str, limit: &Option<PatternLimit>| {
        if let Some(limit) = limit {
            options.insert(key.to_owned(), json!(limit.source()));
        }
    };
    let CommandLimit { allow, deny } = &grant.commands;
    pattern("fileRegex", &grant.files.regex);
    pattern("commandRegex", allow);
    pattern("commandDeny", deny);
    if !grant.files.globs.is_empty() {
        options.insert("glob".to_owned(), json!(globs(&grant.files)));
    }
    filter_entry(&grant.mcp, &mut options);
    if options.is_empty() {
        json!(grant.group.as_str())
    } else {
        json!([grant.group.as_str(), options])
    }
}

fn filter_entry(filter: &McpFilter, entry: &mut Map<String, Value>) {
    let McpFilter {
        allowed_servers,
        blocked_servers,
        allowed_tools,
        blocked_tools,
    } = filter;
    let some = |names: &[String]| (!names.is_empty()).then(|| names.to_vec());
    for (key, names) in [
        ("allowedMcpServers", allowed_servers.clone()),
        ("blockedMcpServers", some(blocked_servers)),
        ("allowedTools", allowed_tools.clone()),
        ("blockedTools", some(blocked_tools)),
    ] {
        if let Some(names) = names {
            entry.insert(key.to_owned(), json!(names));
        }
    }
}
