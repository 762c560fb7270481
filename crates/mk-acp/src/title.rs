//! Titles of sessions, which agents make of the first prompt: without what we have added to it.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::message::RawObject;

/// How every text begins that follows the person's words in a prompt.
const OURS: &str = "Modekeeper ";

/// A title without our words; `None` if it has none of them, or nothing else.
fn cut(title: &str) -> Option<&str> {
    // The person's own words may speak of us; what we add begins with one of these.
    let begins = ["holds this conversation", "refused these calls"];
    let at = title.match_indices(OURS).find_map(|(at, _)| {
        let rest = title.get(at + OURS.len()..)?;
        let is_ours = begins
            .iter()
            .any(|begin| rest.starts_with(begin) || begin.starts_with(rest.trim_end_matches('…')));
        (is_ours && !rest.is_empty()).then_some(at)
    })?;
    let own = title.get(..at)?.trim_end();
    (!own.is_empty()).then_some(own)
}

/// Cuts the title of an update or of a session in a list, and tells whether there was something to cut.
pub(crate) fn cut_in(object: &mut RawObject) -> bool {
    let title = object.text("title");
    match title.as_deref().and_then(cut) {
        Some(own) => {
            object.set("title", &own);
            true
        }
        None => false,
    }
}

/// The result of `session/list` with its titles cut; `None` if it stays as it is.
pub(crate) fn cut_in_list(result: &RawValue) -> Option<RawObject> {
    let mut result = RawObject::read(Some(result))?;
    let sessions: Vec<Box<RawValue>> = serde_json::from_str(result.get("sessions")?.get()).ok()?;
    let mut has_cut = false;
    let sessions: Vec<Value> = sessions
        .iter()
        .filter_map(|session| {
            let mut session = RawObject::read(Some(session))?;
            has_cut |= cut_in(&mut session);
            serde_json::to_value(&session).ok()
        })
        .collect();
    has_cut.then(|| {
        result.set("sessions", &sessions);
        result
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(title: &str, expected: Option<&str>) {
        assert_eq!(cut(title), expected, "{title}");
    }

    #[test]
    fn a_title_has_only_the_words_of_the_person() {
        check(
            "Fix the bug\nModekeeper holds this conversation in 'ask' mode",
            Some("Fix the bug"),
        );
        check("Fix it Modekeeper holds this conv…", Some("Fix it"));
        check(
            "Go on Modekeeper refused these calls of the last turn",
            Some("Go on"),
        );
        check("Ask Modekeeper what it holds", None);
        check("Modekeeper holds this conversation in 'ask' mode", None);
        check("Explain Modekeeper ", None);
    }

    #[test]
    fn a_list_keeps_what_is_not_ours() {
        let list = |title: &str| {
            format!(
                r#"{{"sessions":[{{"sessionId":"s1","title":"{title}","n":1.50}}],"nextCursor":null}}"#
            )
        };
        let read = |text: String| RawValue::from_string(text).unwrap();
        let found = cut_in_list(&read(list("A Modekeeper holds this conversation"))).unwrap();
        let found = serde_json::to_string(&found).unwrap();
        assert!(
            found.contains(r#""title":"A""#) && found.contains("nextCursor"),
            "{found}"
        );
        assert!(cut_in_list(&read(list("A"))).is_none());
    }
}
