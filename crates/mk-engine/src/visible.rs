//! Text of others for a person's terminal: nothing in it can move the cursor, hide, or turn the line around.

/// The same text with control and formatting characters written out; line ends and tabs stay.
pub(crate) fn visible_text(text: &str) -> String {
    escape(text, |letter| matches!(letter, '\n' | '\t'))
}

/// The same on one line.
pub(crate) fn visible_line(text: &str) -> String {
    escape(text, |_| false)
}

fn escape(text: &str, stays: impl Fn(char) -> bool) -> String {
    let mut visible = String::with_capacity(text.len());
    for letter in text.chars() {
        if stays(letter) || !is_hidden(letter) {
            visible.push(letter);
        } else {
            visible.extend(letter.escape_default());
        }
    }
    visible
}

/// What does not show itself: controls, marks of direction, joiners, and what is no character at all.
fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_act_on_a_terminal_is_written_out() {
        let text = "a\u{1b}[2Jb\u{202e}c\r\n\td\u{200b}é";
        assert_eq!(
            visible_text(text),
            "a\\u{1b}[2Jb\\u{202e}c\\r\n\td\\u{200b}é"
        );
        assert_eq!(visible_line("one\ntwo"), "one\\ntwo");
    }
}
