//! Modes and calls for tests, from the text that people would write.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use mk_types::AbsPath;
use serde_json::Value;

use crate::{Catalogue, Mode, ModeLayer, ModeSource, Policy, Request, load_modes};

pub(super) fn policy() -> &'static Policy {
    static POLICY: OnceLock<Policy> = OnceLock::new();
    POLICY.get_or_init(Policy::shipped)
}

/// The builtin of that slug, or the mode `m` with these lines: `groups: [read]`.
pub(super) fn mode(text: &str) -> Arc<Mode> {
    let keys = text.trim().replace('\n', "\n    ");
    let file =
        format!("customModes:\n  - slug: m\n    name: M\n    roleDefinition: R\n    {keys}\n");
    let is_slug = !text.contains(':');
    let (slug, files) = if is_slug {
        (text, Vec::new())
    } else {
        let layer = ModeLayer {
            source: ModeSource::Project,
            file: "f".to_owned(),
            loaded: load_modes("f", &file),
        };
        ("m", vec![layer])
    };
    let catalogue = Catalogue::build(files, policy());
    let found = catalogue.get(slug).cloned();
    found.unwrap_or_else(|| panic!("no mode in {text}: {:?}", catalogue.diagnostics()))
}

/// What a tool is called with: a target as people write it, or its arguments.
#[derive(Debug, Clone)]
pub(super) enum With {
    Nothing,
    Target(String),
    Arguments(Value),
}

impl From<()> for With {
    fn from((): ()) -> Self {
        Self::Nothing
    }
}

impl From<&str> for With {
    fn from(target: &str) -> Self {
        Self::Target(target.to_owned())
    }
}

impl From<Value> for With {
    fn from(arguments: Value) -> Self {
        Self::Arguments(arguments)
    }
}

/// A call in the project `/app`, where an ignore file hides every path with `secret` in it.
pub(super) fn request(policy: &Policy, tool: &str, with: &With) -> Request {
    let call = match with {
        With::Nothing => policy.tools.call_on(tool, None),
        With::Target(target) => policy.tools.call_on(tool, Some(target)),
        With::Arguments(arguments) => policy.tools.call(tool, arguments),
    };
    let root = AbsPath::new(Path::new("/app")).expect("an absolute path");
    let mut request = policy.lexical(call, &root);
    for target in &mut request.targets {
        target.ignored = target.raw.path.contains("secret");
    }
    request
}
