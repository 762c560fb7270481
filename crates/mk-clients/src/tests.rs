//! Where files are looked for.

use std::path::Path;

use crate::global_mode_files;

#[test]
#[cfg(target_os = "linux")]
fn roo_in_vs_code_comes_first_and_bob_last() {
    let files = global_mode_files(Path::new("/home/ada"));
    let expected = "/home/ada/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/custom_modes.yaml";
    assert_eq!(
        files.first().map(|file| file.to_str().unwrap()),
        Some(expected)
    );
    assert_eq!(
        files.last().map(|file| file.to_str().unwrap()),
        Some("/home/ada/.bob/settings/custom_modes.yaml")
    );
}
