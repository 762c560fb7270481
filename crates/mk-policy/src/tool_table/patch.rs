//! The files a patch touches: the `*** Update File:` form, moves included, and the unified form of diff and git.
//!
//! It does not check that the patch applies. The program that applies it may read a doubtful line differently, so such a line
//! makes the whole patch unreadable instead of being passed over.

/// Every path that the patch reads or writes, in order, as written; `None` if one of them cannot be told.
pub(super) fn paths(patch: &str) -> Option<Vec<String>> {
    // What follows `\r\n` as an empty line does not matter here.
    let lines = patch.split(['\n', '\r']).filter(|line| !line.is_empty());
    let lines: Vec<&str> = lines.collect();
    let mut paths = Vec::new();
    for (line_idx, line) in lines.iter().enumerate() {
        let next = lines.get(line_idx + 1);
        if let Some(path) = marked(line)? {
            paths.push(path.trim().to_owned());
        } else if let Some(names) = line.strip_prefix("diff --git ") {
            paths.extend(git_header(names)?);
        } else if let Some(path) = git_move(line) {
            paths.push(unquote(path)?);
        } else if let Some(old) = line.strip_prefix("--- ") {
            // A removed line that began with `-- ` looks the same, but no `+++` follows it.
            if let Some(new) = next.and_then(|next| next.strip_prefix("+++ ")) {
                paths.extend(unified_header(old, new)?);
            }
        } else if let Some(new) = line.strip_prefix("+++ ") {
            let before = line_idx.checked_sub(1).and_then(|before| lines.get(before));
            if before.is_none_or(|before| !before.starts_with("--- ")) {
                paths.extend(unified_header("/dev/null", new)?);
            }
        }
    }
    paths.dedup();
    Some(paths)
}

/// The path after a `*** … File:` mark. Such a line with another meaning is not understood.
fn marked(line: &str) -> Option<Option<&str>> {
    const MARKS: [&str; 5] = [
        "*** Add File:",
        "*** Delete File:",
        "*** Update File:",
        "*** Move to:",
        "*** Move File:",
    ];
    const FRAME: [&str; 3] = ["*** Begin Patch", "*** End Patch", "*** End of File"];
    let trimmed = line.trim_start();
    let path = MARKS.iter().find_map(|mark| trimmed.strip_prefix(mark));
    let is_other_mark = line.starts_with("*** ") && !FRAME.contains(&line.trim_end());
    (path.is_some() || !is_other_mark).then_some(path)
}

fn git_move(line: &str) -> Option<&str> {
    ["rename from ", "rename to ", "copy from ", "copy to "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark))
}

/// The names in `diff --git a/x b/x`: for an empty or binary file they stand nowhere else.
fn git_header(names: &str) -> Option<[String; 2]> {
    let (old, new) = if names.starts_with('"') {
        let end = names.match_indices('"').map(|(at, _)| at).find(|at| {
            let before = names.get(1..*at).unwrap_or_default();
            *at > 0 && before.bytes().rev().take_while(|it| *it == b'\\').count() % 2 == 0
        })?;
        (names.get(..=end)?, names.get(end + 1..)?.strip_prefix(' ')?)
    } else if let Some((old, _)) = names.split_once(" \"") {
        (old, names.get(old.len() + 1..)?)
    } else {
        // Names with spaces are not quoted: then only two equal halves are certain.
        let equal = |at: &usize| {
            let (old, new) = (names.get(..*at), names.get(at + 1..));
            old.and_then(|old| old.strip_prefix("a/"))
                .is_some_and(|old| new.and_then(|new| new.strip_prefix("b/")) == Some(old))
                || old == new
        };
        let spaces: Vec<usize> = names.match_indices(' ').map(|(at, _)| at).collect();
        let border = match spaces.as_slice() {
            [only] => *only,
            several => several.iter().copied().find(equal)?,
        };
        (names.get(..border)?, names.get(border + 1..)?)
    };
    let (old, new) = without_prefixes(unquote(old)?, unquote(new)?);
    Some([old, new])
}

/// The names of a `---` line and the `+++` line below it.
fn unified_header(old: &str, new: &str) -> Option<Vec<String>> {
    let name = |text: &str| unquote(text.split('\t').next().unwrap_or_default().trim());
    let (old, new) = without_prefixes(name(old)?, name(new)?);
    let named = [old, new].into_iter();
    Some(named.filter(|path| path != "/dev/null").collect())
}

/// `a/x` and `b/x` are git's way to write `x`; a folder that is called `a` has it on both sides.
fn without_prefixes(old: String, new: String) -> (String, String) {
    let strip = |path: &str, prefix: &str| match path {
        "/dev/null" => Some(path.to_owned()),
        path => path.strip_prefix(prefix).map(str::to_owned),
    };
    match (strip(&old, "a/"), strip(&new, "b/")) {
        (Some(old), Some(new)) => (old, new),
        _ => (old, new),
    }
}

/// A name in git's quotes (`"a/b\303\244"`) as it is on disk.
fn unquote(text: &str) -> Option<String> {
    let Some(quoted) = text.strip_prefix('"') else {
        return Some(text.to_owned());
    };
    let mut bytes = Vec::new();
    let mut rest = quoted.strip_suffix('"')?.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next()? {
            b'a' => 0x07,
            b'b' => 0x08,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 0x0B,
            b'f' => 0x0C,
            b'r' => b'\r',
            same @ (b'"' | b'\\') => same,
            first @ b'0'..=b'3' => {
                let mut digit = || rest.next().filter(|it| (b'0'..=b'7').contains(it));
                let (second, third) = (digit()?, digit()?);
                (first - b'0') * 64 + (second - b'0') * 8 + (third - b'0')
            }
            _ => return None,
        });
    }
    String::from_utf8(bytes).ok()
}
