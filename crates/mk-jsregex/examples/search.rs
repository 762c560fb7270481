//! Asks a pattern that was written for JavaScript.

use mk_jsregex::{Pattern, PatternError};

pub(crate) fn main() -> Result<(), PatternError> {
    // As `new RegExp(source).test(subject)`: it searches, and `$` without flags is the end of the text.
    let markdown = Pattern::parse(r"\.(md|mdx)$")?;
    assert!(matches!(markdown.is_match("docs/plan.md"), Ok(true)));
    assert!(matches!(markdown.is_match("docs/plan.md\n"), Ok(false)));

    // `\d` has ten digits in JavaScript, and not those of every script.
    let digits = Pattern::parse(r"^\d+$")?;
    assert!(matches!(digits.is_match("\u{664}\u{662}"), Ok(false)));

    // What JavaScript rejects is rejected, and so is what cannot be answered exactly as it would.
    let wrong = Pattern::parse("(unclosed");
    assert!(matches!(wrong, Err(PatternError::NotJavaScript { .. })));
    let backwards = Pattern::parse(r"(a)\1");
    assert!(matches!(backwards, Err(PatternError::Unsupported { .. })));
    Ok(())
}
