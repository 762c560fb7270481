//! Sessions that an agent knows by another name than the editor does: those that it had to begin again.

/// Names in pairs: the editor's, the agent's, each as it stands in a message.
#[derive(Debug, Default)]
pub(crate) struct Aliases(Vec<(String, String)>);

impl Aliases {
    /// From now on the agent calls the editor's session `own`.
    pub(crate) fn set(&mut self, session: &str, own: &str) {
        let quoted = |name: &str| serde_json::Value::from(name).to_string();
        let session = quoted(session);
        self.0.retain(|(editor, _)| *editor != session);
        self.0.push((session, quoted(own)));
    }

    /// The agent's name of a session.
    pub(crate) fn of(&self, session: &str) -> String {
        let quoted = serde_json::Value::from(session).to_string();
        let found = self.0.iter().find(|(editor, _)| *editor == quoted);
        let own = found.and_then(|(_, agent)| serde_json::from_str(agent).ok());
        own.unwrap_or_else(|| session.to_owned())
    }

    pub(crate) fn for_agent(&self, line: Vec<u8>) -> Vec<u8> {
        let pairs = self.0.iter().map(|(editor, agent)| (editor, agent));
        pairs.fold(line, |line, (from, to)| replaced(line, from, to))
    }

    pub(crate) fn for_editor(&self, line: Vec<u8>) -> Vec<u8> {
        let pairs = self.0.iter().map(|(editor, agent)| (agent, editor));
        pairs.fold(line, |line, (from, to)| replaced(line, from, to))
    }
}

/// Replaces whole strings only: inside another string their quotes are escaped.
fn replaced(line: Vec<u8>, from: &str, to: &str) -> Vec<u8> {
    let finder = memchr::memmem::Finder::new(from.as_bytes());
    if finder.find(&line).is_none() {
        return line;
    }
    let mut result = Vec::with_capacity(line.len());
    let mut rest = 0;
    for at in finder.find_iter(&line) {
        result.extend_from_slice(line.get(rest..at).unwrap_or_default());
        result.extend_from_slice(to.as_bytes());
        rest = at + from.len();
    }
    result.extend_from_slice(line.get(rest..).unwrap_or_default());
    result
}

#[cfg(test)]
mod tests {
    use super::Aliases;

    #[test]
    fn whole_strings_are_replaced_both_ways_and_nothing_else() {
        let mut aliases = Aliases::default();
        aliases.set("s1", "old");
        aliases.set("s1", "s-2");
        let editor = r#"{"sessionId":"s1","text":"say \"s1\" or s1","list":["s1"]}"#;
        let agent = r#"{"sessionId":"s-2","text":"say \"s1\" or s1","list":["s-2"]}"#;
        let text = |line| String::from_utf8(line).unwrap();
        assert_eq!(text(aliases.for_agent(editor.into())), agent);
        assert_eq!(text(aliases.for_editor(agent.into())), editor);
        assert_eq!([aliases.of("s1"), aliases.of("s3")], ["s-2", "s3"]);
    }
}
