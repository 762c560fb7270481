//! Whether what is set up reaches a client in this project: its hook stands in a file of the user's or of the project's,
//! and the client reads that file.

use std::path::PathBuf;

use mk_clients::{
    ChangePurpose, ClientId, InstallScope, SettingsChange, TrustPlace, TrustQuestion,
};

use super::canary::CanaryResult;
use super::journal::InstallJournal;
use super::{Workshop, disk};

impl Workshop {
    /// What holds a client here where its hook does not; `None` where it does, or where the client has none.
    pub(super) fn out_of_reach(&self, client: ClientId) -> anyhow::Result<Option<CanaryResult>> {
        if !client.atlas().has_hooks() {
            return Ok(None);
        }
        let journal = self.journal()?;
        let of_user = self.hook_changes(client, InstallScope::User);
        let of_project = self.hook_changes(client, InstallScope::Project);
        if is_set_up(&journal, client, &of_user)? {
            return Ok(None);
        }
        if !is_set_up(&journal, client, &of_project)? {
            return Ok(Some(match of_user.is_empty() {
                true => CanaryResult::ToolsOnly,
                false => {
                    let slug = client.slug();
                    let reason = format!(
                        "its hook is not set up for this project: run `modekeeper install {slug}`"
                    );
                    CanaryResult::NotYet { reason }
                }
            }));
        }
        let untrusted = self.untrusted(client);
        Ok(untrusted.map(|reason| CanaryResult::NotYet { reason }))
    }

    fn hook_changes(&self, client: ClientId, scope: InstallScope) -> Vec<SettingsChange> {
        let mut setup = self.setup.clone();
        setup.scope = scope;
        let changes = client.atlas().changes(&setup).into_iter();
        changes
            .filter(|change| change.purpose == ChangePurpose::Hook)
            .collect()
    }

    /// Why a client does not read the files of this project.
    fn untrusted(&self, client: ClientId) -> Option<String> {
        let trust = client.atlas().project_trust?;
        let place = TrustPlace {
            setup: &self.setup,
            variables: &self.trust_variables,
        };
        let read = |file: &PathBuf| std::fs::read_to_string(file).unwrap_or_default();
        let texts: Vec<String> = trust.files(&place).iter().map(read).collect();
        let is_trusted = trust.is_trusted(&TrustQuestion {
            place,
            texts: &texts,
            resolve: disk::resolve,
        });
        let name = client.atlas().name;
        let project = self.setup.project.display();
        let advice = trust.advice;
        (!is_trusted).then(|| {
            format!("{name} does not trust {project}, and runs no hook of its files: {advice}")
        })
    }
}

fn is_set_up(
    journal: &InstallJournal,
    client: ClientId,
    changes: &[SettingsChange],
) -> anyhow::Result<bool> {
    for change in changes {
        if journal.has(client, change)? {
            return Ok(true);
        }
    }
    Ok(false)
}
