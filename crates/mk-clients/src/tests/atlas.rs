//! Names and files of the products.

use std::collections::BTreeSet;
use std::path::Path;

use crate::{ClientId, ClientToolGroup, all_tools, global_mode_files};

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

#[test]
fn every_product_is_found_by_each_of_its_names_and_by_no_other() {
    let mut seen = BTreeSet::new();
    for id in ClientId::ALL {
        let client = id.atlas();
        assert_eq!(client.id, id);
        for name in client.aliases.iter().chain([&client.slug]) {
            assert_eq!(ClientId::parse(name), Some(id), "{name}");
            assert!(seen.insert(name.to_lowercase()), "{name} stands for two");
        }
    }
    assert_eq!(ClientId::parse("emacs"), None);
}

#[test]
fn a_tool_has_one_row_in_its_product_and_one_group_in_all() {
    let mut rows = BTreeSet::new();
    let mut groups = std::collections::BTreeMap::new();
    for (client, row) in all_tools() {
        let name = row.name.to_lowercase();
        assert!(
            rows.insert((client.slug, name.clone())),
            "{} has {name} twice",
            client.slug
        );
        let group = groups.entry(name.clone()).or_insert(row.group);
        assert_eq!(*group, row.group, "{name} of {}", client.slug);
    }
}

#[test]
fn every_tool_that_edits_or_runs_something_says_where_its_target_is() {
    // They change the working tree without naming what.
    let without = ["exitworktree", "enter_worktree", "exit_worktree"];
    for (client, row) in all_tools() {
        let named = !row.paths.is_empty() || !row.patches.is_empty() || !row.commands.is_empty();
        let must = matches!(row.group, ClientToolGroup::Edit | ClientToolGroup::Command);
        let excused = without.contains(&row.name.to_lowercase().as_str());
        assert!(named || !must || excused, "{} of {}", row.name, client.slug);
    }
}
