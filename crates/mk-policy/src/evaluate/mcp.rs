//! MCP servers and tools: which of them the filters of a mode let through.
//!
//! A server's own name and the name in `mcp__server__tool` can differ, because clients replace or drop characters that
//! models may not use in names. An allowed name therefore also stands for its cleaned form, a blocked one for
//! everything it could have become.

use super::{DecidingRule, Decision, Evaluation, EvaluationCase};
use crate::group::Group;
use crate::mode_file::McpFilter;

impl EvaluationCase<'_> {
    pub(super) fn mcp(&self) -> Evaluation {
        let grants = || self.mode.grants(Group::Mcp);
        let open = McpFilter::default();
        if self.mode.mcp == open && grants().any(|grant| grant.mcp == open) {
            return self.decide(Decision::Allow, DecidingRule::Group);
        }
        let Some(call) = &self.request.call.mcp else {
            return self.deny(DecidingRule::TargetUnknown, None, None);
        };
        let passes = |filter: &McpFilter| filter.passes(&call.server, call.tool.as_deref());
        if passes(&self.mode.mcp) && grants().any(|grant| passes(&grant.mcp)) {
            return self.decide(Decision::Allow, DecidingRule::McpFilter);
        }
        let name = match &call.tool {
            Some(tool) => format!("{}/{tool}", call.server),
            None => call.server.clone(),
        };
        self.deny(DecidingRule::McpFilter, None, Some(name))
    }
}

impl McpFilter {
    /// Blocked beats allowed; a list of tools does not let other tools of an allowed server through.
    fn passes(&self, server: &str, tool: Option<&str>) -> bool {
        let blocks_server = |name: &String| could_be(name, server);
        let blocks_tool = |name: &String, tool: &str| {
            could_be(name, tool) || could_be(name, &format!("{server}/{tool}"))
        };
        if self.blocked_servers.iter().any(blocks_server)
            || tool.is_some_and(|tool| self.blocked_tools.iter().any(|it| blocks_tool(it, tool)))
        {
            return false;
        }
        let names_tool = |name: &String, tool: &str| {
            let own = name
                .strip_suffix(tool)
                .and_then(|rest| rest.strip_suffix('/'));
            names(name, tool) || own.is_some_and(|name| names(name, server))
        };
        let server_allowed = self
            .allowed_servers
            .as_ref()
            .is_none_or(|list| list.iter().any(|name| names(name, server)));
        let tool_allowed = match (&self.allowed_tools, tool) {
            (None, _) => true,
            (Some(list), Some(tool)) => list.iter().any(|name| names_tool(name, tool)),
            (Some(_), None) => false,
        };
        server_allowed && tool_allowed
    }

    /// The filter as one line; `None` if it lets everything through.
    pub(crate) fn show(&self) -> Option<String> {
        let part = |what: &str, list: &[String]| {
            let some = !list.is_empty();
            some.then(|| format!("{what} {}", list.join(", ")))
        };
        let only = |what: &str, none: &str, list: &Option<Vec<String>>| {
            let list = list.as_ref()?;
            Some(part(what, list).unwrap_or_else(|| none.to_owned()))
        };
        let parts = [
            only("servers", "no server", &self.allowed_servers),
            part("not servers", &self.blocked_servers),
            only("tools", "no tool", &self.allowed_tools),
            part("not tools", &self.blocked_tools),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

/// Whether a listed name is the given one, or what clients make of it: `my server` becomes `my_server`.
fn names(listed: &str, given: &str) -> bool {
    let clean = |letter: char| {
        if letter.is_ascii_alphanumeric() || letter == '-' {
            letter
        } else {
            '_'
        }
    };
    listed == given || listed.chars().map(clean).eq(given.chars())
}

/// Whether a client could have made the given name from the listed one by dropping or replacing characters.
fn could_be(listed: &str, given: &str) -> bool {
    let letters = |name: &str| -> String {
        let kept = name.chars().filter(char::is_ascii_alphanumeric);
        kept.map(|letter| letter.to_ascii_lowercase()).collect()
    };
    let (kept, given_letters) = (letters(listed), letters(given));
    names(listed, given) || (!kept.is_empty() && kept == given_letters)
}
