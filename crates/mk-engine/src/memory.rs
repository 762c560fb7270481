//! Memories of a project: what agents and people write down for later.

use mk_policy::Permit;
use mk_project::{Memories, MemoryAccess, MemoryName, Replacement};
use mk_types::Timestamp;

use crate::authorize::{AllowedCall, ToolRequest};
use crate::check::InForce;
use crate::error::Error;
use crate::file::TextReplacement;
use crate::project::ProjectHandle;

/// A memory as a list shows it.
#[derive(Debug, Clone)]
pub struct MemoryInfo {
    pub name: String,
    pub size: u64,
    pub modified: Timestamp,
    /// Agents may not change it.
    pub read_only: bool,
}

/// What can be done with the memories of a project. Names are answered as they are stored.
#[derive(Debug, Clone)]
pub struct ProjectMemories<'a> {
    project: ProjectHandle<'a>,
}

impl<'a> ProjectHandle<'a> {
    pub fn memories(self) -> ProjectMemories<'a> {
        ProjectMemories { project: self }
    }
}

impl ProjectMemories<'_> {
    pub async fn list(
        self,
        request: ToolRequest<'_>,
        topic: Option<String>,
    ) -> Result<Vec<MemoryInfo>, Error> {
        let AllowedCall { in_force, .. } = self.project.allow(&request)?;
        self.listed(&in_force, topic).await
    }

    pub async fn read(
        self,
        request: ToolRequest<'_>,
        name: &str,
    ) -> Result<(String, String), Error> {
        let AllowedCall { in_force, .. } = self.project.allow(&request)?;
        let name = MemoryName::parse(name)?;
        let shown = name.to_string();
        let text = self.with(&in_force, move |memories| Ok(memories.read(&name)?));
        Ok((shown, text.await?))
    }

    pub async fn write(
        self,
        request: ToolRequest<'_>,
        name: &str,
        content: String,
    ) -> Result<String, Error> {
        let AllowedCall { permit, in_force } = self.project.allow(&request)?;
        let name = self.new_name(name)?;
        let shown = name.to_string();
        let write = move |memories: &Memories| Ok(memories.write(permit, &name, &content)?);
        self.with(&in_force, write).await.map(|_| shown)
    }

    pub async fn edit(
        self,
        request: ToolRequest<'_>,
        name: &str,
        replacement: TextReplacement,
    ) -> Result<String, Error> {
        let AllowedCall { permit, in_force } = self.project.allow(&request)?;
        let name = MemoryName::parse(name)?;
        let shown = name.to_string();
        let replacement = Replacement::from(replacement);
        let edit = move |memories: &Memories| Ok(memories.edit(permit, &name, &replacement)?);
        self.with(&in_force, edit).await.map(|_| shown)
    }

    /// The old name, the new one, and how many references in other memories followed.
    pub async fn rename(
        self,
        request: ToolRequest<'_>,
        old: &str,
        new: &str,
    ) -> Result<(String, String, usize), Error> {
        let AllowedCall { permit, in_force } = self.project.allow(&request)?;
        let (old, new) = (MemoryName::parse(old)?, self.new_name(new)?);
        let shown = (old.to_string(), new.to_string());
        let rename = move |memories: &Memories| Ok(memories.rename(permit, &old, &new)?);
        let references = self.with(&in_force, rename).await?;
        Ok((shown.0, shown.1, references))
    }

    pub async fn delete(self, request: ToolRequest<'_>, name: &str) -> Result<String, Error> {
        let AllowedCall { permit, in_force } = self.project.allow(&request)?;
        let name = MemoryName::parse(name)?;
        let shown = name.to_string();
        let delete = move |memories: &Memories| Ok(memories.delete(permit, &name)?);
        self.with(&in_force, delete).await.map(|()| shown)
    }

    /// A name that an agent may give: agents read a file called like instructions as such, whatever directory it is in.
    fn new_name(&self, name: &str) -> Result<MemoryName, Error> {
        let name = MemoryName::parse(name)?;
        let shown = name.to_string();
        let (_, file) = shown.rsplit_once('/').unwrap_or(("", &shown));
        let protected = &self.project.engine.policy().protected;
        match protected.why(&format!("{file}.md")) {
            None => Ok(name),
            Some(why) => Err(Error::invalid(
                "name",
                format!("a memory cannot be called '{shown}': {why}"),
            )),
        }
    }

    /// All memories, for the person at the dashboard or the command line.
    pub async fn list_for_operator(self) -> Result<Vec<MemoryInfo>, Error> {
        let in_force = self.project.in_force()?;
        self.listed(&in_force, None).await
    }

    /// A memory's text, for the person at the dashboard.
    pub async fn read_for_operator(self, name: &str) -> Result<String, Error> {
        let in_force = self.project.in_force()?;
        let name = MemoryName::parse(name)?;
        let read = move |memories: &Memories| Ok(memories.read(&name)?);
        self.with(&in_force, read).await
    }

    /// Writes a memory for the person at the dashboard.
    pub async fn write_for_operator(self, name: &str, content: String) -> Result<(), Error> {
        let in_force = self.project.in_force()?;
        let name = MemoryName::parse(name)?;
        let permit = Permit::operator("write_memory", Vec::new());
        let write = move |memories: &Memories| Ok(memories.write(permit, &name, &content)?);
        self.with(&in_force, write).await.map(|_| ())
    }

    /// Deletes a memory for the person at the dashboard or the command line.
    pub async fn delete_for_operator(self, name: &str) -> Result<(), Error> {
        let in_force = self.project.in_force()?;
        let name = MemoryName::parse(name)?;
        let permit = Permit::operator("delete_memory", Vec::new());
        let delete = move |memories: &Memories| Ok(memories.delete(permit, &name)?);
        self.with(&in_force, delete).await
    }

    pub(crate) async fn listed(
        &self,
        in_force: &InForce,
        topic: Option<String>,
    ) -> Result<Vec<MemoryInfo>, Error> {
        let list = move |memories: &Memories| Ok(memories.list(topic.as_deref())?);
        let listed = self.with(in_force, list).await?;
        Ok(listed.into_iter().map(MemoryInfo::from).collect())
    }

    async fn with<T: Send + 'static>(
        &self,
        in_force: &InForce,
        work: impl FnOnce(&Memories) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let engine = self.project.engine;
        engine
            .on_disk(in_force, move |workspace| work(&workspace.memories()?))
            .await
    }
}

impl From<mk_project::Memory> for MemoryInfo {
    fn from(memory: mk_project::Memory) -> Self {
        Self {
            name: memory.name.to_string(),
            size: memory.size,
            modified: memory.modified,
            read_only: memory.access == MemoryAccess::ReadOnly,
        }
    }
}
