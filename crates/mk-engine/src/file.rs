//! The files of a project as tools ask for them. Which of them a call may see or change is decided on the way.

mod search;

use mk_policy::{PathAccess, RawTarget};
use mk_project::{
    Depth, DirectoryQuery, EntryKind, FileEdit, FindQuery, LineRange, Replacement, find_files,
    list_dir, resolve,
};
use mk_types::ProjectPath;

use crate::Engine;
use crate::approval::Outcome;
use crate::authorize::{AllowedCall, ToolRequest};
use crate::check::InForce;
use crate::code_error::{CodeError, CodeKind, ErrorSubject};
use crate::edit::FileChanges;
use crate::error::Error;
use crate::project::ProjectHandle;
use crate::workspace::Workspace;
use search::replace;
pub use search::{
    MatchedLine, MatchesInFile, PlannedReplacement, ReplaceScope, ReplacedFiles, SearchKind,
    TextMatches, TextReplacement, TextSearch,
};

/// What can be done with the files of a project.
#[derive(Debug, Clone)]
pub struct ProjectFiles<'a> {
    project: ProjectHandle<'a>,
}

impl<'a> ProjectHandle<'a> {
    pub fn files(self) -> ProjectFiles<'a> {
        ProjectFiles { project: self }
    }
}

/// Some lines of a text file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileExcerpt {
    pub path: ProjectPath,
    pub text: String,
    pub first_line: usize,
    pub last_line: usize,
    pub total_lines: usize,
    pub revision: String,
    pub encoding: &'static str,
}

/// Files by their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFiles {
    pub paths: Vec<ProjectPath>,
    /// How many match, also when `paths` was cut.
    pub total: usize,
    pub cut: bool,
}

/// What is in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryListing {
    pub entries: Vec<DirectoryEntry>,
    pub total: usize,
    pub cut: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryEntry {
    pub path: ProjectPath,
    pub kind: EntryType,
    pub size: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryType {
    File,
    Directory,
    Link,
    Special,
}

impl ProjectFiles<'_> {
    /// The lines of a text file from `start` to `end`, both included; negative numbers count from the end.
    pub async fn read(
        self,
        request: ToolRequest<'_>,
        start: Option<i64>,
        end: Option<i64>,
    ) -> Result<FileExcerpt, Error> {
        let engine = self.project.engine;
        let AllowedCall { permit, in_force } = self.project.allow(&request)?;
        let path = only(permit.targets())?;
        let read = move |workspace: &Workspace| {
            let read = workspace.read_file(&path)?;
            let lines = read.lines(LineRange { start, end });
            let (first_line, last_line, text) = lines.map_err(|error| error.of(&path))?;
            Ok(FileExcerpt {
                text: text.to_owned(),
                first_line,
                last_line,
                total_lines: read.n_lines(),
                encoding: read.encoding,
                revision: read.revision,
                path,
            })
        };
        let excerpt = engine.on_disk(&in_force, read).await?;
        engine.saw(in_force.session.as_ref(), &excerpt.path, &excerpt.revision);
        Ok(excerpt)
    }

    /// Creates a file or replaces all of it. One that the task has not seen as it is now is left alone.
    pub async fn write(
        self,
        request: ToolRequest<'_>,
        contents: String,
        expected_revision: Option<String>,
    ) -> Result<Outcome<FileChanges>, Error> {
        let engine = self.project.engine;
        let edits = |in_force: &InForce, targets: &[ProjectPath]| {
            let path = only(targets)?;
            let seen = || engine.seen(in_force.session.as_ref(), &path);
            Ok(vec![FileEdit::Write {
                contents: contents.clone(),
                expected: expected_revision.clone().or_else(seen),
                path,
            }])
        };
        self.project.edit(&request, edits).await
    }

    pub async fn replace(
        self,
        request: ToolRequest<'_>,
        replacement: TextReplacement,
    ) -> Result<Outcome<FileChanges>, Error> {
        let replacement = Replacement::from(replacement);
        let edits = |_: &InForce, targets: &[ProjectPath]| {
            Ok(vec![replace(only(targets)?, replacement.clone())])
        };
        self.project.edit(&request, edits).await
    }

    pub async fn delete(self, request: ToolRequest<'_>) -> Result<Outcome<FileChanges>, Error> {
        let edits = |_: &InForce, targets: &[ProjectPath]| {
            let path = only(targets)?;
            Ok(vec![FileEdit::Delete { path }])
        };
        self.project.edit(&request, edits).await
    }

    pub async fn rename(self, request: ToolRequest<'_>) -> Result<Outcome<FileChanges>, Error> {
        let edits = |_: &InForce, targets: &[ProjectPath]| match targets {
            [from, to] => Ok(vec![FileEdit::Move {
                from: from.clone(),
                to: to.clone(),
            }]),
            _ => Err(Error::invalid(
                "to_path",
                "Parameters from_path and to_path must name one file each",
            )),
        };
        self.project.edit(&request, edits).await
    }

    pub async fn find(
        self,
        request: ToolRequest<'_>,
        pattern: String,
        max_results: usize,
    ) -> Result<FoundFiles, Error> {
        let AllowedCall { permit, in_force } = self.project.allow(&request)?;
        let query = FindQuery {
            pattern,
            folder: self.project.directory(permit.targets(), &in_force)?,
            max_results,
        };
        let find = move |workspace: &Workspace| {
            let readable = |path: &_| workspace.readable(path);
            let root = workspace.root.root();
            let found = find_files(root, &query, &readable, workspace.cancel())?;
            Ok(FoundFiles {
                paths: found.paths,
                total: found.total,
                cut: found.cut,
            })
        };
        self.project.engine.on_disk(&in_force, find).await
    }

    pub async fn list(
        self,
        request: ToolRequest<'_>,
        depth: ListingDepth,
        max_entries: usize,
    ) -> Result<DirectoryListing, Error> {
        let AllowedCall { permit, in_force } = self.project.allow(&request)?;
        let query = DirectoryQuery {
            folder: self.project.directory(permit.targets(), &in_force)?,
            depth: match depth {
                ListingDepth::Flat => Depth::Flat,
                ListingDepth::Recursive => Depth::Recursive,
            },
            max_entries,
        };
        let list = move |workspace: &Workspace| {
            let readable = |path: &_| workspace.readable(path);
            let root = workspace.root.root();
            let listed = list_dir(root, &query, &readable, workspace.cancel())?;
            let entry = |entry: mk_project::ListedEntry| DirectoryEntry {
                path: entry.path,
                kind: match entry.kind {
                    EntryKind::File => EntryType::File,
                    EntryKind::Folder => EntryType::Directory,
                    EntryKind::Link => EntryType::Link,
                    EntryKind::Other => EntryType::Special,
                },
                size: entry.size,
            };
            Ok(DirectoryListing {
                entries: listed.entries.into_iter().map(entry).collect(),
                total: listed.total,
                cut: listed.cut,
            })
        };
        self.project.engine.on_disk(&in_force, list).await
    }
}

/// Whether a listing goes below the directory's own entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListingDepth {
    Flat,
    Recursive,
}

impl ProjectHandle<'_> {
    /// The directory that a call names; the project's root where it names none.
    fn directory(&self, targets: &[ProjectPath], in_force: &InForce) -> Result<ProjectPath, Error> {
        match targets {
            [] => self.engine.directory(in_force, None),
            [path] => Ok(path.clone()),
            _ => Err(invalid("The call must name one directory")),
        }
    }
}

impl Engine {
    /// A directory or file as a caller wrote it, resolved and visible.
    pub(crate) fn directory(
        &self,
        in_force: &InForce,
        given: Option<&str>,
    ) -> Result<ProjectPath, Error> {
        let raw = RawTarget::new(given.unwrap_or("."), PathAccess::Read);
        let ignored = self.ignored(&self.open(&in_force.project));
        let target = resolve(&in_force.project, &ignored, raw);
        match target.path {
            Ok(path) if !target.ignored => Ok(path),
            Ok(_) => Err(denied(&target.raw.path, "is hidden by .rooignore")),
            Err(_) => Err(denied(&target.raw.path, "is outside the project")),
        }
    }
}

/// The one file that a call names.
pub(crate) fn only(targets: &[ProjectPath]) -> Result<ProjectPath, Error> {
    match targets {
        [path] if path.is_root() => Err(invalid("The path names the project itself, not a file")),
        [path] => Ok(path.clone()),
        _ => Err(invalid("The call must name exactly one file")),
    }
}

fn invalid(message: &str) -> Error {
    CodeError::new(CodeKind::InvalidArguments, message).into()
}

fn denied(path: &str, why: &str) -> Error {
    CodeError::new(CodeKind::PermissionDenied, format!("'{path}' {why}"))
        .about(ErrorSubject::File(path.to_owned()))
        .into()
}
