//! A length of time as people type it: `90s`, `10m`, `2h`, `7d`.

use std::time::Duration;

pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a length of time; write 90s, 10m, 2h or 7d");
    let unit = text.chars().last().ok_or_else(wrong)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 24 * 3600,
        _ => return Err(wrong()),
    };
    let number: u64 = text
        .strip_suffix(unit)
        .and_then(|number| number.parse().ok())
        .ok_or_else(wrong)?;
    let seconds = number.checked_mul(seconds).ok_or_else(wrong)?;
    Ok(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::parse;

    #[test]
    fn a_number_and_a_unit() {
        assert_eq!(parse("10m"), Ok(Duration::from_secs(600)));
        assert_eq!(parse("7d"), Ok(Duration::from_secs(7 * 86400)));
        for wrong in [
            "",
            "10",
            "m",
            "-1m",
            "1.5h",
            "99999999999999999999d",
            "1w",
            "1ü",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
