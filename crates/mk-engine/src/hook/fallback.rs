//! The answer when the store cannot be used: nobody can tell which mode is in force, so only what every mode lets an
//! agent see passes.

use mk_clients::{ClientToolGroup, HookEvent, HookMoment, HookVerdict, ToolUse};
use mk_policy::{Group, PathAccess, RawTarget, may_read};
use mk_project::{IgnoredFiles, resolve};
use mk_types::AbsPath;

use super::Hooks;

impl Hooks<'_> {
    /// Decides without a store. `why` says what is wrong with it and how to repair it.
    pub fn answer_without_store(
        &self,
        event: &HookEvent,
        directory: &AbsPath,
        why: &str,
    ) -> HookVerdict {
        match &event.moment {
            HookMoment::BeforeTool(tool) if self.is_harmless(tool) => HookVerdict::pass(),
            HookMoment::BeforeTool(tool) if self.sees(tool, directory) => HookVerdict::pass(),
            HookMoment::BeforeTool(_) => HookVerdict::deny(why),
            _ => HookVerdict::pass(),
        }
    }

    fn is_harmless(&self, tool: &ToolUse) -> bool {
        self.own(tool).is_some() || tool.group() == Some(ClientToolGroup::Harmless)
    }

    /// Whether a call only reads files that every mode of the project which reads at all may see.
    fn sees(&self, tool: &ToolUse, directory: &AbsPath) -> bool {
        let touched = tool.touched();
        let plain = tool.group() == Some(ClientToolGroup::Read)
            && !touched.unclear
            && touched.commands.is_empty()
            && touched.patches.is_empty();
        if !plain || touched.paths.is_empty() {
            return false;
        }
        let root = self.engine.own_root(directory);
        let open = self.engine.open(&root);
        let catalogue = open.catalogue();
        touched.paths.into_iter().all(|path| {
            let path = directory.as_path().join(path).display().to_string();
            let raw = RawTarget::new(path, PathAccess::Read);
            let target = resolve(open.root(), &IgnoredFiles::Nothing, raw);
            let Ok(path) = &target.path else { return false };
            // Which projects inside this one have a mode of their own is not known: each counts.
            let is_hidden = IgnoredFiles::hide_on_the_way(open.root(), path);
            // A directory may have what a mode hides below it.
            let is_file = open.root().as_path().join(path.as_str()).is_file();
            let mut readers = catalogue.visible().filter(|mode| mode.enables(Group::Read));
            is_file && !is_hidden && readers.all(|mode| may_read(mode, None, path.as_str()))
        })
    }
}
