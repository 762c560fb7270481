//! Which folder is the project, seen from the folder somebody works in.

use std::path::Path;

use mk_types::AbsPath;

/// What marks a project's root. A `.roo` folder does not: it also stands in people's homes.
const MARKS: [&str; 4] = [".git", ".roomodes", ".kilocodemodes", ".bob"];

/// The nearest folder upwards that looks like a project; `folder` itself if none does.
///
/// The home folder counts only if somebody works right in it: dotfiles under version control are not a project.
pub fn find_root(folder: &AbsPath, home: Option<&Path>) -> AbsPath {
    folder
        .as_path()
        .ancestors()
        .take_while(|ancestor| Some(*ancestor) != home)
        .find(|ancestor| MARKS.iter().any(|mark| ancestor.join(mark).exists()))
        .and_then(AbsPath::new)
        .unwrap_or_else(|| folder.clone())
}
