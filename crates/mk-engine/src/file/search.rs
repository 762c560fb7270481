//! Text in the files of a project: where it is, and what stands there instead.

use mk_project::{
    FileEdit, LetterCase, MatchSpan, Occurrences, PatternKind, ReplaceQuery, Replacement,
    SearchQuery, plan_replacements, search,
};
use mk_types::ProjectPath;

use super::ProjectFiles;
use crate::approval::Outcome;
use crate::authorize::{AllowedCall, ToolRequest};
use crate::check::InForce;
use crate::edit::FileChanges;
use crate::error::Error;
use crate::workspace::Workspace;

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

pub(super) fn replace(path: ProjectPath, replacement: Replacement) -> FileEdit {
    let file = path.clone();
    FileEdit::replace(path, move |text| {
        replacement.apply(&file, text).map(|(text, _)| text)
    })
}
