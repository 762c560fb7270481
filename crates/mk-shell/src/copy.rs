//! `cp`, `mv`, `ln`, `install` and `rsync`: where things go.

use crate::analysis::LineAnalysis;
use crate::arguments::CommandArguments;
use crate::effect::last_part;
use crate::program::Operands;
use crate::text::literal;
use crate::word::ShellWord;
use crate::{NameExtent, Size, UseOfFile};

/// Every source is put behind the name of the target.
const MOST_BYTES: usize = 1 << 20;

/// What a call of `cp`, `mv`, `install` or `ln` puts where.
struct CopyCall<'words> {
    sources: &'words [&'words ShellWord],
    target: ShellWord,
    lands: Landing,
    slash: TrailingSlash,
}

/// What a `/` behind the name of a source says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TrailingSlash {
    Nothing,
    /// That its content is meant, without the directory: `rsync`.
    Content,
}

/// Where the sources are afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Landing {
    /// The target is a directory, and they are in it.
    Inside,
    /// The target is the one source.
    AtTarget,
    /// Only the file system knows: the target may turn out to be a directory.
    Either,
}

impl<'words> CopyCall<'words> {
    fn read(
        name: &str,
        operands: Operands,
        arguments: &'words CommandArguments<'_>,
    ) -> Option<Self> {
        let directory = arguments.values(&["t", "target-directory"]).next();
        let (sources, target): (&[&ShellWord], ShellWord) =
            match (directory, arguments.operands.split_last()) {
                (Some(directory), _) => (&arguments.operands, directory.clone()),
                // `ln target` makes a link in this directory.
                (None, Some((_, []))) if operands == Operands::Link => {
                    (&arguments.operands, ShellWord::literal("."))
                }
                (None, Some((target, sources))) => (sources, (*target).clone()),
                (None, None) => return None,
            };
        let is_directory = directory.is_some()
            || sources.len() > 1
            || target.value.ends_with('/')
            || matches!(target.value.rsplit('/').next(), Some("." | ".."));
        let lands = match is_directory {
            _ if arguments.has(&["T", "no-target-directory"]) => Landing::AtTarget,
            true => Landing::Inside,
            false => Landing::Either,
        };
        Some(Self {
            sources,
            target,
            lands,
            slash: match name {
                "rsync" => TrailingSlash::Content,
                _ => TrailingSlash::Nothing,
            },
        })
    }

    fn place_inside(&self, source: &ShellWord) -> ShellWord {
        if self.slash == TrailingSlash::Content && source.value.ends_with('/') {
            return self.target.clone();
        }
        match (literal_name(source), last_part(&source.value)) {
            (_, "." | "..") => self.target.clone(),
            (Some(_), name) => inside(&self.target, name),
            // Whatever it is called, it is in that directory.
            (None, _) => inside(&self.target, &crate::SOME_NAME.to_string()),
        }
    }
}

impl LineAnalysis {
    pub(crate) fn note_copy(
        &mut self,
        name: &str,
        operands: Operands,
        arguments: &CommandArguments<'_>,
        extent: NameExtent,
    ) {
        if arguments.may_have(&["b", "backup", "S", "suffix"]) {
            self.doubt_files("the line keeps backups under names of its own");
        }
        if arguments.may_have(&["d", "directory"]) && operands == Operands::Copy {
            self.use_all(&arguments.operands, UseOfFile::Write, NameExtent::Itself);
            return;
        }
        let Some(copy) = CopyCall::read(name, operands, arguments) else {
            return;
        };
        match operands {
            Operands::Move => self.use_all(copy.sources, UseOfFile::Write, NameExtent::Below),
            // Who makes a link can use what it leads to.
            Operands::Link => self.use_all(copy.sources, UseOfFile::Mention, NameExtent::Itself),
            _ => self.use_all(copy.sources, UseOfFile::Read, extent),
        }
        if copy.lands != Landing::Inside {
            self.use_file(&copy.target, UseOfFile::Write, extent);
        }
        // Sizes are computed before anything is built.
        if copy.target.value.len().saturating_mul(copy.sources.len()) > MOST_BYTES {
            self.line.size = Size::TooLarge;
            return;
        }
        let makes_links = operands == Operands::Link
            || (operands == Operands::Copy
                && arguments.may_have(&["s", "l", "symbolic-link", "link"]));
        for source in copy.sources {
            let inside = copy.place_inside(source);
            match copy.lands {
                Landing::Inside => self.use_file(&inside, UseOfFile::Write, extent),
                Landing::Either => {
                    self.use_file(&inside, UseOfFile::Mention, NameExtent::Itself);
                }
                Landing::AtTarget => {}
            }
            if makes_links && copy.lands == Landing::Inside {
                self.note_link(source, &inside, arguments);
            } else if makes_links {
                self.note_link(source, &copy.target, arguments);
            }
        }
    }

    fn note_link(
        &mut self,
        source: &ShellWord,
        link: &ShellWord,
        arguments: &CommandArguments<'_>,
    ) {
        self.doubt_files("the line makes a link");
        let is_symbolic = arguments.may_have(&["s", "symbolic", "symbolic-link"]);
        for link in self.locate(link) {
            let sources = if is_symbolic {
                source.patterns()
            } else {
                self.locate(source)
            };
            let parent = link.rsplit_once('/').map_or("", |(parent, _)| parent);
            for source in sources {
                let leads_to = if is_symbolic {
                    crate::analysis::join(parent, &source)
                } else {
                    source
                };
                let link = link.strip_prefix("./").unwrap_or(&link).to_owned();
                if self.links.len() < 64 {
                    self.links.push((link, leads_to));
                }
            }
        }
    }
}

fn inside(directory: &ShellWord, name: &str) -> ShellWord {
    if directory.value.ends_with('/') {
        directory.framed("", name)
    } else {
        directory.framed("", &format!("/{name}"))
    }
}

/// The name of what is copied, if it can be seen.
fn literal_name(source: &ShellWord) -> Option<String> {
    match &source.alternatives {
        None => Some(source.value.clone()),
        Some(all) => all
            .first()
            .filter(|_| all.len() == 1)
            .and_then(|it| literal(it)),
    }
}
