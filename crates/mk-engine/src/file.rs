//! The files of a project as tools ask for them. Which of them a call may see or change is decided on the way.

use mk_policy::{PathAccess, RawTarget};
use mk_project::{
    Depth, DirectoryQuery, EntryKind, FileEdit, FindQuery, LetterCase, LineRange, MatchSpan,
    Occurrences, PatternKind, ReplaceQuery, Replacement, SearchQuery, find_files, list_dir,
    plan_replacements, resolve, search,
};
use mk_types::ProjectPath;

use crate::Engine;
use crate::approval::Outcome;
use crate::authorize::{AllowedCall, ToolRequest};
use crate::check::InForce;
use crate::code_error::{CodeError, CodeKind};
use crate::edit::FileChanges;
use crate::error::Error;
use crate::project::ProjectHandle;
use crate::workspace::Workspace;

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

/// How a pattern is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SearchKind {
    #[default]
    Regex,
    Literal,
}

/// Text to search for.
#[derive(Debug, Clone, Default)]
pub struct TextSearch {
    pub pattern: String,
    pub kind: SearchKind,
    pub ignores_case: bool,
    pub spans_lines: bool,
    pub include: Vec<String>,
    pub exclude: Vec<String>,
    pub context_lines: usize,
    pub max_results: usize,
}

/// Where a text was found, the best file first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextMatches {
    pub files: Vec<MatchesInFile>,
    pub total_matches: usize,
    pub total_files: usize,
    pub cut: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchesInFile {
    pub path: ProjectPath,
    pub lines: Vec<MatchedLine>,
    pub total: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedLine {
    pub line: u64,
    pub text: String,
    pub before: Vec<String>,
    pub after: Vec<String>,
}

/// A replacement of text.
#[derive(Debug, Clone, Default)]
pub struct TextReplacement {
    pub find: String,
    pub replace: String,
    pub is_regex: bool,
    /// Every place, instead of the only one.
    pub all: bool,
}

/// In which files a replacement is made.
#[derive(Debug, Clone, Default)]
pub struct ReplaceScope {
    pub path: Option<String>,
    pub include: Vec<String>,
    pub exclude: Vec<String>,
    pub expected_count: Option<usize>,
    pub dry_run: bool,
}

/// What became of a replacement in many files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplacedFiles {
    NothingMatches,
    WouldChange(Vec<PlannedReplacement>),
    Changed {
        /// In how many places each file was changed.
        counts: Vec<(ProjectPath, usize)>,
        changes: FileChanges,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedReplacement {
    pub path: ProjectPath,
    pub count: usize,
    pub diff: String,
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

    pub async fn search(
        self,
        request: ToolRequest<'_>,
        wanted: TextSearch,
    ) -> Result<TextMatches, Error> {
        let AllowedCall { permit, in_force } = self.project.allow(&request)?;
        let folder = self.project.directory(permit.targets(), &in_force)?;
        let query = wanted.query(folder);
        let search = move |workspace: &Workspace| {
            let readable = |path: &_| workspace.readable(path);
            let root = workspace.root.root();
            let found = search(root, &query, &readable, workspace.cancel())?;
            Ok(TextMatches::from(found))
        };
        self.project.engine.on_disk(&in_force, search).await
    }

    /// The same replacement in every file that matches; the mode decides about each of them.
    pub async fn replace_in_files(
        self,
        request: ToolRequest<'_>,
        replacement: TextReplacement,
        scope: ReplaceScope,
    ) -> Result<Outcome<ReplacedFiles>, Error> {
        let engine = self.project.engine;
        let in_force = self.project.in_force()?;
        if !engine.could_allow(&in_force, &request.call.tool) {
            // Before anything is searched: where nothing matches there would be nothing to refuse.
            self.project.judge(&request)?;
        }
        let replacement = Replacement::from(TextReplacement {
            all: true,
            ..replacement
        });
        let query = ReplaceQuery {
            replacement: replacement.clone(),
            folder: engine.directory(&in_force, scope.path.as_deref())?,
            include: scope.include,
            exclude: scope.exclude,
            expected_count: scope.expected_count,
        };
        let find = move |workspace: &Workspace| {
            let readable = |path: &_| workspace.readable(path);
            let root = &workspace.root;
            Ok(plan_replacements(
                root,
                &query,
                &readable,
                workspace.cancel(),
            )?)
        };
        let planned = engine.on_disk(&in_force, find).await?;
        if planned.is_empty() {
            return Ok(Outcome::Done(ReplacedFiles::NothingMatches));
        }
        let mut request = request;
        let paths = planned.iter().map(|file| file.path.as_str().to_owned());
        request.call.paths = paths.collect();
        if scope.dry_run {
            // The mode decides here too: a dry run should not promise what would be refused.
            self.project.judge(&request)?;
            let would = |file: mk_project::FileReplacement| PlannedReplacement {
                path: file.path,
                count: file.count,
                diff: file.diff,
            };
            let would = planned.into_iter().map(would).collect();
            return Ok(Outcome::Done(ReplacedFiles::WouldChange(would)));
        }
        let counts = planned.iter().map(|file| (file.path.clone(), file.count));
        let counts = counts.collect();
        let edits = |_: &InForce, targets: &[ProjectPath]| {
            let edit = |path: &ProjectPath| replace(path.clone(), replacement.clone());
            Ok(targets.iter().map(edit).collect())
        };
        let changed = self.project.edit(&request, edits).await?;
        Ok(changed.map(|changes| ReplacedFiles::Changed { counts, changes }))
    }
}

/// Whether a listing goes below the directory's own entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListingDepth {
    Flat,
    Recursive,
}

impl TextSearch {
    fn query(self, folder: ProjectPath) -> SearchQuery {
        SearchQuery {
            pattern: self.pattern,
            kind: kind(self.kind == SearchKind::Regex),
            case: if self.ignores_case {
                LetterCase::Insensitive
            } else {
                LetterCase::Sensitive
            },
            span: if self.spans_lines {
                MatchSpan::Lines
            } else {
                MatchSpan::Line
            },
            folder,
            include: self.include,
            exclude: self.exclude,
            context: self.context_lines,
            max_results: self.max_results,
        }
    }
}

impl From<mk_project::TextSearchResult> for TextMatches {
    fn from(found: mk_project::TextSearchResult) -> Self {
        let line = |found: mk_project::Match| MatchedLine {
            line: found.line,
            text: found.text,
            before: found.before,
            after: found.after,
        };
        let file = |file: mk_project::FileMatches| MatchesInFile {
            path: file.path,
            lines: file.matches.into_iter().map(line).collect(),
            total: file.total,
        };
        Self {
            files: found.files.into_iter().map(file).collect(),
            total_matches: found.total_matches,
            total_files: found.total_files,
            cut: found.cut,
        }
    }
}

impl From<TextReplacement> for Replacement {
    fn from(wanted: TextReplacement) -> Self {
        Self {
            find: wanted.find,
            replace: wanted.replace,
            kind: kind(wanted.is_regex),
            occurrences: if wanted.all {
                Occurrences::All
            } else {
                Occurrences::One
            },
        }
    }
}

const fn kind(is_regex: bool) -> PatternKind {
    if is_regex {
        PatternKind::Regex
    } else {
        PatternKind::Literal
    }
}

fn replace(path: ProjectPath, replacement: Replacement) -> FileEdit {
    let file = path.clone();
    FileEdit::replace(path, move |text| {
        replacement.apply(&file, text).map(|(text, _)| text)
    })
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
        let ignored = self.open(&in_force.project).ignored();
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
        .with_detail("file_path", path)
        .into()
}
