//! Codingbuddy: the files in which a project keeps its own playbook.

/// Rules, agents, skills and checklists of a project, relative to its root.
pub(crate) const DIRECTORY: &str = ".codingbuddy";

/// The configuration, relative to the project's root: the first that is there counts.
pub(crate) const CONFIG_FILES: [&str; 3] = [
    "codingbuddy.config.js",
    "codingbuddy.config.mjs",
    CONFIG_JSON,
];

/// The one that a program can write.
pub(crate) const CONFIG_JSON: &str = "codingbuddy.config.json";
