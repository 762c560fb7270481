//! The files a patch touches: the `*** Update File:` form, moves included, and the unified form of diff and git.

/// Every path that the patch reads or writes, in order, as written.
pub(super) fn paths(patch: &str) -> Vec<String> {
    const MARKS: [&str; 5] = [
        "*** Add File:",
        "*** Delete File:",
        "*** Update File:",
        "*** Move to:",
        "*** Move File:",
    ];
    let mut paths = Vec::new();
    for line in patch.lines() {
        let marked = MARKS
            .iter()
            .find_map(|mark| line.trim_start().strip_prefix(mark));
        if let Some(path) = marked {
            paths.push(path.trim().to_owned());
        } else if let Some(path) = line
            .strip_prefix("rename to ")
            .or_else(|| line.strip_prefix("rename from "))
        {
            paths.push(path.trim().to_owned());
        } else if let Some(path) = line
            .strip_prefix("+++ ")
            .or_else(|| line.strip_prefix("--- "))
        {
            let path = path.split('\t').next().unwrap_or_default().trim();
            let path = path
                .strip_prefix("a/")
                .or_else(|| path.strip_prefix("b/"))
                .unwrap_or(path);
            if path != "/dev/null" {
                paths.push(path.to_owned());
            }
        }
    }
    paths.dedup();
    paths
}
