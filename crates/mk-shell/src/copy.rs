//! `cp`, `mv`, `ln`, `install` and `rsync`: where things go.

use crate::analysis::Analysis;
use crate::arguments::Arguments;
use crate::effect::last_part;
use crate::program::Operands;
use crate::text::literal;
use crate::word::Word;
use crate::{Extent, Size, Use};

/// Every source is put behind the name of the target.
const MOST_BYTES: usize = 1 << 20;

impl Analysis {
    pub(crate) fn note_copy(
        &mut self,
        operands: Operands,
        arguments: &Arguments<'_>,
        extent: Extent,
    ) {
        if arguments.has(&["d", "directory"]) && operands == Operands::Copy {
            self.use_all(&arguments.operands, Use::Write, Extent::Itself);
            return;
        }
        let directory = arguments.values(&["t", "target-directory"]).next();
        let (sources, target): (&[&Word], Word) = match (directory, arguments.operands.split_last())
        {
            (Some(directory), _) => (&arguments.operands, directory.clone()),
            // `ln target` makes a link in this directory.
            (None, Some((_, []))) if operands == Operands::Link => {
                (&arguments.operands, Word::literal("."))
            }
            (None, Some((target, sources))) => (sources, (*target).clone()),
            (None, None) => return,
        };
        match operands {
            Operands::Move => self.use_all(sources, Use::Write, Extent::Below),
            // Who makes a link can use what it leads to.
            Operands::Link => self.use_all(sources, Use::Mention, Extent::Itself),
            _ => self.use_all(sources, Use::Read, extent),
        }
        let makes_links = operands == Operands::Link
            || (operands == Operands::Copy && arguments.has(&["s", "l", "symbolic-link", "link"]));
        let is_directory = directory.is_some()
            || sources.len() > 1
            || target.value.ends_with('/')
            || matches!(target.value.rsplit('/').next(), Some("." | ".."));
        let is_file = arguments.has(&["T", "no-target-directory"]);
        if is_file || !is_directory {
            self.use_file(&target, Use::Write, extent);
        }
        // Sizes are computed before anything is built.
        if target.value.len().saturating_mul(sources.len()) > MOST_BYTES {
            self.line.size = Size::TooLarge;
            return;
        }
        for source in sources {
            let name = last_part(&source.value);
            let inside = match (literal_name(source), name) {
                (_, "." | "..") => target.clone(),
                (Some(_), name) => inside(&target, name),
                // Whatever it is called, it is in that directory.
                (None, _) => inside(&target, &crate::SOME_NAME.to_string()),
            };
            let place = if is_file || !is_directory {
                &target
            } else {
                &inside
            };
            if is_directory && !is_file {
                self.use_file(&inside, Use::Write, extent);
            } else if !is_file {
                // The target may turn out to be a directory.
                self.use_file(&inside, Use::Mention, Extent::Itself);
            }
            if makes_links {
                self.note_link(source, place, arguments);
            }
        }
    }

    fn note_link(&mut self, source: &Word, link: &Word, arguments: &Arguments<'_>) {
        self.doubt_files("the line makes a link");
        let is_symbolic = arguments.has(&["s", "symbolic", "symbolic-link"]);
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

fn inside(directory: &Word, name: &str) -> Word {
    if directory.value.ends_with('/') {
        directory.framed("", name)
    } else {
        directory.framed("", &format!("/{name}"))
    }
}

/// The name of what is copied, if it can be seen.
fn literal_name(source: &Word) -> Option<String> {
    match &source.alternatives {
        None => Some(source.value.clone()),
        Some(all) => all
            .first()
            .filter(|_| all.len() == 1)
            .and_then(|it| literal(it)),
    }
}
