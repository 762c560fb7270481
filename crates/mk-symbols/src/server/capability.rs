//! The handshake: what we can, and what a server says it can.

use mk_types::AbsPath;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::position::Encoding;
use super::uri;

/// What a server can do.
#[derive(Debug, Default)]
pub(crate) struct Capabilities {
    declared: Value,
    /// Methods that it added later.
    registered: Vec<String>,
}

impl Capabilities {
    /// Reads the answer to `initialize`.
    pub(crate) fn parse(result: &RawValue) -> Option<Self> {
        let mut result: Value = serde_json::from_str(result.get()).ok()?;
        Some(Self {
            declared: result.get_mut("capabilities")?.take(),
            registered: Vec::new(),
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
        for registration in registrations.into_iter().flatten().take(256) {
            if let Some(method) = registration.get("method").and_then(Value::as_str) {
                self.registered.push(method.to_owned());
            }
        }
    }

    /// Whether it answers a request.
    pub(crate) fn knows(&self, method: &str) -> bool {
        let key = match method {
            "textDocument/definition" => "definitionProvider",
            "textDocument/references" => "referencesProvider",
            "textDocument/implementation" => "implementationProvider",
            "textDocument/rename" => "renameProvider",
            "textDocument/hover" => "hoverProvider",
            "textDocument/documentSymbol" => "documentSymbolProvider",
            "textDocument/diagnostic" => "diagnosticProvider",
            "workspace/symbol" => "workspaceSymbolProvider",
            _ => return true,
        };
        let declared = self.declared.get(key);
        declared.is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)))
            || self.registered.iter().any(|known| known == method)
    }
}

/// The parameters of `initialize`.
pub(crate) fn initialize(root: &AbsPath, options: &Value) -> Value {
    let uri = uri::of_path(root.as_path());
    let kinds: Vec<u32> = (1..=26).collect();
    json!({
        // Servers end themselves when this process is gone.
        "processId": std::process::id(),
        "clientInfo": {"name": "modekeeper"},
        "rootPath": root.as_str(),
        "rootUri": uri,
        "workspaceFolders": [{"uri": uri, "name": root.as_path().file_name().map(|name| name.to_string_lossy())}],
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
