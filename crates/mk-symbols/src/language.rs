//! The languages that are understood: how a file's language is told, and what a definition looks like in it.
//!
//! A language is an entry of the [`table`] and a folder under `languages/` with its query and an example. The captures
//! of a query are `@name`, the kinds of [`SymbolKind`] for the whole definition, `@scope` for a container that the
//! definition names itself, `@implemented` for the trait of an `impl`, `@declarator` for a name as C wraps it, and
//! `@items` for text that holds further definitions. Where two patterns find the same name, the first one counts.

mod table;

use std::fmt;
use std::sync::OnceLock;

use tree_sitter::Query;
use tree_sitter_language::LanguageFn;

use crate::embedded::Embedding;
use crate::kind::SymbolKind;

/// A language; two are the same when their names are.
pub struct Language {
    name: &'static str,
    extensions: &'static [&'static str],
    /// Whole names of files, for those without an extension.
    file_names: &'static [&'static str],
    /// What the first line `#!` of a script runs.
    interpreters: &'static [&'static str],
    grammar: LanguageFn,
    query: &'static str,
    /// Nodes that are nothing but a shell around a definition: `export …`, `@decorator …`.
    pub(crate) wrappers: &'static [&'static str],
    /// Nodes before a definition that belong to it.
    pub(crate) attributes: &'static [&'static str],
    pub(crate) comments: &'static [&'static str],
    /// Where a signature ends, for grammars that do not call it `body`.
    pub(crate) bodies: &'static [&'static str],
    /// Nodes in which no definition can be, other than what a query finds there from further up. They are most of a
    /// text.
    opaque: &'static [&'static str],
    /// How a comment and an attribute begin when somebody writes one.
    pub(crate) comment_marks: &'static [&'static str],
    pub(crate) attribute_marks: &'static [&'static str],
    /// Between the parts of a name.
    pub(crate) separator: Option<&'static str>,
    /// Where its code is, if a file holds other text too.
    pub(crate) embedding: Option<Embedding>,
    compiled: OnceLock<Option<CompiledQuery>>,
}

/// A language's query, and what its captures mean.
#[derive(Debug)]
pub(crate) struct CompiledQuery {
    pub(crate) grammar: tree_sitter::Language,
    pub(crate) query: Query,
    pub(crate) captures: Vec<Capture>,
    /// By the number of a node's kind.
    roles: Vec<Role>,
}

/// What a kind of nodes is to the search for definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Plain,
    /// A pattern of the query begins with it.
    Root,
    /// Nothing in it is looked for.
    Opaque,
}

impl CompiledQuery {
    pub(crate) fn role(&self, kind: u16) -> Role {
        let role = self.roles.get(usize::from(kind)).copied();
        // The kind of errors has a number of its own.
        role.unwrap_or(Role::Plain)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capture {
    Definition(SymbolKind),
    Name,
    Scope,
    Implemented,
    Declarator,
    Items,
    /// For the query's own conditions.
    Internal,
}

impl Language {
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// All languages, by name.
    pub fn all() -> &'static [Self] {
        table::LANGUAGES.as_slice()
    }

    /// The language of a file by its name; scripts without an extension are told by their first line.
    pub fn of_path(path: &str) -> Option<&'static Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let all = Self::all();
        let by_name = all.iter().find(|one| one.file_names.contains(&name));
        by_name.or_else(|| {
            let (stem, extension) = name.rsplit_once('.')?;
            let extension = extension.to_ascii_lowercase();
            let extension = extension.as_str();
            all.iter()
                .find(|one| !stem.is_empty() && one.extensions.contains(&extension))
        })
    }

    /// The language of a file by its name, else by the `#!` in its first line.
    pub fn of_file(path: &str, text: &str) -> Option<&'static Self> {
        match Self::of_path(path) {
            Some(language) if language.name == "c" && path.ends_with(".h") && is_cpp(text) => {
                Self::of_path("h.hpp")
            }
            Some(language) => Some(language),
            None => Self::of_script(text),
        }
    }

    fn of_script(text: &str) -> Option<&'static Self> {
        let line = text.lines().next()?.strip_prefix("#!")?;
        let mut words = line.split_whitespace();
        let first = words.next()?.rsplit('/').next()?;
        let program = if first == "env" {
            words.find(|word| !word.starts_with('-'))?
        } else {
            first
        };
        let program =
            program.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        let mut all = Self::all().iter();
        all.find(|one| one.interpreters.contains(&program))
    }

    /// By the name that people call it.
    pub fn called(name: &str) -> Option<&'static Self> {
        let name = name.to_ascii_lowercase();
        let of_name = Self::all().iter().find(|one| one.name == name);
        of_name.or_else(|| {
            let mut all = Self::all().iter();
            all.find(|one| one.extensions.contains(&name.as_str()))
        })
    }

    /// Whether a file of this name may hold symbols; without an extension only its first line tells.
    pub(crate) fn may_know(path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        !name.contains('.') || Self::of_path(path).is_some()
    }

    /// Whether code in one language can mean a definition in the other by its name.
    pub fn shares_names(&self, other: &Self) -> bool {
        const FAMILIES: [&[&str]; 3] = [
            &["javascript", "typescript", "tsx", "vue", "svelte", "astro"],
            &["c", "cpp", "swift"],
            &["java", "kotlin", "scala"],
        ];
        let together =
            |family: &&[&str]| family.contains(&self.name) && family.contains(&other.name);
        self == other || FAMILIES.iter().any(together)
    }

    /// The query, made ready on first use. `None` if grammar and query do not fit, which a test rules out.
    pub(crate) fn compiled(&self) -> Option<&CompiledQuery> {
        let compiled = self.compiled.get_or_init(|| match self.compile() {
            Ok(compiled) => Some(compiled),
            Err(error) => {
                tracing::error!(language = self.name, %error, "a language cannot be used");
                None
            }
        });
        compiled.as_ref()
    }

    pub(crate) fn compile(&self) -> Result<CompiledQuery, tree_sitter::QueryError> {
        let grammar = tree_sitter::Language::new(self.grammar);
        let query = Query::new(&grammar, self.query)?;
        let captures = query
            .capture_names()
            .iter()
            .map(|name| match *name {
                "name" => Capture::Name,
                "scope" => Capture::Scope,
                "declarator" => Capture::Declarator,
                "items" => Capture::Items,
                "implemented" => Capture::Implemented,
                name => SymbolKind::parse(name).map_or(Capture::Internal, Capture::Definition),
            })
            .collect();
        let mut roles = vec![Role::Plain; grammar.node_kind_count()];
        let opaque = self.opaque.iter().map(|kind| (*kind, Role::Opaque));
        // A root is looked at, whatever the table says.
        for (kind, role) in opaque.chain(roots(self.query).map(|kind| (kind, Role::Root))) {
            let id = usize::from(grammar.id_for_node_kind(kind, true));
            if let Some(place) = roles.get_mut(id) {
                *place = role;
            }
        }
        Ok(CompiledQuery {
            grammar,
            query,
            captures,
            roles,
        })
    }

    /// Changes when what is found in a file of this language may change.
    pub(crate) fn query(&self) -> &'static str {
        self.query
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Language {}

/// The kinds of nodes with which a query's patterns begin, one pattern `(kind …)` after the other.
fn roots(query: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let code = query.lines().filter(|line| !line.starts_with(';'));
    code.flat_map(|line| {
        line.match_indices(['(', ')'])
            .map(move |found| (line, found))
    })
    .filter_map(move |(line, (position, bracket))| {
        if bracket == ")" {
            depth = depth.saturating_sub(1);
            return None;
        }
        depth += 1;
        let kind = line.get(position + 1..)?;
        let end = kind.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        (depth == 1).then(|| kind.get(..end.unwrap_or(kind.len())))?
    })
}

/// Whether a header is C++: both languages share the extension.
fn is_cpp(text: &str) -> bool {
    const SIGNS: [&str; 6] = [
        "class ",
        "namespace ",
        "template",
        "using ",
        "public:",
        "private:",
    ];
    text.lines()
        .take(2000)
        .any(|line| SIGNS.iter().any(|sign| line.trim_start().starts_with(sign)))
}
