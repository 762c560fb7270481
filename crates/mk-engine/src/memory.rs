//! Memories for the person at the dashboard or the command line. Agents use the tools.

use mk_policy::Permit;
use mk_project::{Memories, MemoryName};
use mk_types::Timestamp;

use crate::error::Error;
use crate::{Caller, Engine};

/// A memory as a list shows it.
#[derive(Debug, Clone)]
pub struct Memory {
    pub name: String,
    pub size: u64,
    pub modified: Timestamp,
}

impl Engine {
    pub async fn memories(&self, caller: &Caller) -> Result<Vec<Memory>, Error> {
        let listed = self
            .with_memories(caller, |memories| Ok(memories.list(None)?))
            .await?;
        let show = |memory: mk_project::Memory| Memory {
            name: memory.name.to_string(),
            size: memory.size,
            modified: memory.modified,
        };
        Ok(listed.into_iter().map(show).collect())
    }

    pub async fn delete_memory(&self, caller: &Caller, name: &str) -> Result<(), Error> {
        let name = MemoryName::parse(name)?;
        let permit = Permit::operator("delete_memory", Vec::new());
        self.with_memories(caller, move |memories| Ok(memories.delete(permit, &name)?))
            .await
    }

    async fn with_memories<T: Send + 'static>(
        &self,
        caller: &Caller,
        work: impl FnOnce(&Memories) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let in_force = self.in_force(caller, None)?;
        self.on_disk(&in_force, move |workspace| work(&workspace.memories()?))
            .await
    }
}
