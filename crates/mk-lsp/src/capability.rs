//! The handshake: what we can, and what a server says it can.

use std::collections::BTreeSet;
use std::path::PathBuf;

use mk_types::AbsPath;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::position::Encoding;
use crate::uri;

/// What a server can do.
#[derive(Debug, Default)]
pub(crate) struct Capabilities {
    declared: Value,
    /// Abilities that it added later.
    registered: BTreeSet<&'static str>,
}

impl Capabilities {
    /// Reads the answer to `initialize`.
    pub(crate) fn parse(result: &RawValue) -> Option<Self> {
        let mut result: Value = serde_json::from_str(result.get()).ok()?;
        Some(Self {
            declared: result.get_mut("capabilities")?.take(),
            registered: BTreeSet::new(),
        })
    }

    pub(crate) fn encoding(&self) -> Encoding {
        match self
            .declared
            .get("positionEncoding")
            .and_then(Value::as_str)
        {
            Some("utf-8") => Encoding::Utf8,
            _ => Encoding::Utf16,
        }
    }

    /// Takes in a `client/registerCapability`.
    pub(crate) fn register(&mut self, params: &RawValue) {
        let params: Value = serde_json::from_str(params.get()).unwrap_or_default();
        let registrations = params.get("registrations").and_then(Value::as_array);
        let methods = registrations.into_iter().flatten();
        let methods = methods.filter_map(|registration| registration.get("method")?.as_str());
        self.registered.extend(methods.filter_map(provider));
    }

    /// Whether it answers a request.
    pub(crate) fn knows(&self, method: &str) -> bool {
        provider(method).is_some_and(|provider| {
            let declared = self.declared.get(provider);
            declared.is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)))
                || self.registered.contains(provider)
        })
    }
}

/// What a server that answers a request calls this ability.
fn provider(method: &str) -> Option<&'static str> {
    Some(match method {
        "textDocument/definition" => "definitionProvider",
        "textDocument/references" => "referencesProvider",
        "textDocument/implementation" => "implementationProvider",
        "textDocument/rename" => "renameProvider",
        "textDocument/hover" => "hoverProvider",
        "textDocument/documentSymbol" => "documentSymbolProvider",
        "textDocument/diagnostic" => "diagnosticProvider",
        "workspace/symbol" => "workspaceSymbolProvider",
        _ => return None,
    })
}

/// The parameters of `initialize`.
///
/// `watched` is the process with which a server ends itself; none where it cannot see that process.
pub(crate) fn initialize(
    root: &AbsPath,
    workspaces: &[PathBuf],
    options: &Value,
    watched: Option<u32>,
) -> Value {
    let uri = uri::of_path(root.as_path());
    let kinds: Vec<u32> = (1..=26).collect();
    json!({
        "processId": watched,
        "clientInfo": {"name": "modekeeper"},
        "rootPath": root.as_str(),
        "rootUri": uri,
        "workspaceFolders": workspace_folders(workspaces),
        "initializationOptions": options,
        "capabilities": {
            "general": {"positionEncodings": ["utf-8", "utf-16"]},
            "window": {"workDoneProgress": true},
            "workspace": {
                "applyEdit": false,
                "configuration": true,
                "workspaceFolders": true,
                "didChangeConfiguration": {"dynamicRegistration": true},
                "didChangeWatchedFiles": {"dynamicRegistration": true},
                "symbol": {"symbolKind": {"valueSet": kinds}},
                "workspaceEdit": {
                    "documentChanges": true,
                    "resourceOperations": ["rename"],
                    "failureHandling": "abort",
                },
            },
            "textDocument": {
                "synchronization": {"dynamicRegistration": true},
                "definition": {"linkSupport": true},
                "references": {},
                "implementation": {"linkSupport": true},
                "hover": {"contentFormat": ["markdown", "plaintext"]},
                "documentSymbol": {
                    "hierarchicalDocumentSymbolSupport": true,
                    "symbolKind": {"valueSet": kinds},
                },
                "rename": {"prepareSupport": false},
                "diagnostic": {"dynamicRegistration": true},
                "publishDiagnostics": {"versionSupport": true},
            },
            "experimental": {"serverStatusNotification": true},
        },
    })
}

/// As the protocol writes them.
pub(crate) fn workspace_folders(workspaces: &[PathBuf]) -> Value {
    let folder = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy());
        json!({"uri": uri::of_path(path), "name": name.unwrap_or_default()})
    };
    workspaces.iter().map(folder).collect()
}
