//! What is shown before anything is written: how each client will be held, what will not be, and every file.

use std::path::PathBuf;

use mk_clients::{ChangePurpose, ClientFloor, ClientId, InstallScope, Shell};

use super::journal::chosen;
use super::{FoundClient, HowArgs, Workshop, agreed};
use crate::output::{OutputStyle, print};

impl Workshop {
    /// Shows and asks; whether the user agreed. `also` is what will be done besides.
    pub(crate) fn propose(
        &self,
        found: &[FoundClient],
        how: &HowArgs,
        also: Option<&str>,
    ) -> anyhow::Result<bool> {
        self.show(found)?;
        self.show_changes(found, also)?;
        if how.dry_run {
            return Ok(false);
        }
        let agreed = agreed("Set up?", how)?;
        if !agreed {
            print("nothing was changed\n")?;
        }
        Ok(agreed)
    }

    /// One line a client: how it will be held, and what will not be.
    fn show(&self, found: &[FoundClient]) -> anyhow::Result<()> {
        let style = OutputStyle::stdout();
        let width = found.iter().map(|it| it.title().chars().count()).max();
        let width = width.unwrap_or_default();
        let mut text = String::new();
        for found in found {
            let atlas = found.client.atlas();
            let title = found.title();
            let gap = " ".repeat(width - title.chars().count());
            text.push_str(&format!(
                "{}{gap}  {}\n",
                style.bold(&title),
                self.held(found.client)
            ));
            let indent = " ".repeat(width);
            if let Some(note) = found.untested() {
                text.push_str(&format!("{indent}  {}\n", style.yellow(&note)));
            }
            let project = match self.setup.scope {
                InstallScope::User => &[],
                InstallScope::Project => atlas.project_open,
            };
            let open = atlas.open.iter().chain(project);
            let open = open.map(|it| (*it).to_owned());
            for open in open.chain(self.without_floor(found.client)) {
                text.push_str(&format!(
                    "{indent}  {}\n",
                    style.dim(&format!("not held: {open}"))
                ));
            }
        }
        print(&text)
    }

    /// What is not held because none of the client's own rules lie underneath.
    fn without_floor(&self, client: ClientId) -> Option<String> {
        let (open, underneath) = client.atlas().without_floor?;
        let changes = self.changes(client);
        let is_floored = changes
            .iter()
            .any(|change| change.purpose == ChangePurpose::Policy);
        match &self.setup.floor {
            _ if is_floored => None,
            Some(_) => Some(format!("{open}: {underneath} cannot express this floor")),
            None => Some(format!(
                "{open}: set a floor (`--floor`) to have {underneath} underneath"
            )),
        }
    }

    /// How a client will be held: its shell where this binary can lead it, and what lies underneath.
    fn held(&self, client: ClientId) -> String {
        let atlas = client.atlas();
        let changes = self.changes(client);
        let has = |purpose| changes.iter().any(|change| change.purpose == purpose);
        let shell = self.setup.shell.as_ref().filter(|_| self.can_lead(client));
        let shell = match (shell, atlas.shell) {
            (None, _) | (_, Shell::None) => String::new(),
            (_, Shell::BashEnvByStart) => {
                format!("; shell when started by `modekeeper run {}`", atlas.slug)
            }
            (_, Shell::Rewrite) => "; shell lines rewritten".to_owned(),
            _ if has(ChangePurpose::Shell) => "; shell".to_owned(),
            _ => String::new(),
        };
        let floor = match &self.setup.floor {
            _ if !atlas.has_hooks() => String::new(),
            _ if !has(ChangePurpose::Policy) => "; hook only".to_owned(),
            Some(ClientFloor {
                mode: Some(mode), ..
            }) => format!("; floor `{mode}`"),
            Some(_) => "; floor of this project's modes".to_owned(),
            None => String::new(),
        };
        format!("{}{shell}{floor}", atlas.held)
    }

    /// Every file that will be written, and what for.
    fn show_changes(&self, found: &[FoundClient], also: Option<&str>) -> anyhow::Result<()> {
        let mut files: Vec<(PathBuf, Vec<&str>)> = Vec::new();
        for change in found.iter().flat_map(|it| self.changes(it.client)) {
            let (file, purpose) = (chosen(&change), change.purpose.name());
            match files.iter_mut().find(|(known, _)| *known == file) {
                Some((_, purposes)) => purposes.push(purpose),
                None => files.push((file, vec![purpose])),
            }
        }
        let mut text = String::from("\n");
        if let Some(also) = also {
            text.push_str(&format!("would {also}\n"));
        }
        let program = self.setup.program.display();
        if !found.is_empty() {
            text.push_str(&format!("would copy this program to {program}\n"));
        }
        for (file, purposes) in files {
            let (file, purposes) = (file.display(), purposes.join(", "));
            text.push_str(&format!("would change {file} ({purposes})\n"));
        }
        print(&text)
    }
}
