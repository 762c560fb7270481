//! The platforms that are published, and what each packager calls them.

use anyhow::{Context as _, Result};

/// One of them.
#[derive(Debug)]
pub(super) struct Platform {
    /// Rust's name.
    pub(super) target: &'static str,
    /// `process.platform` and `process.arch` of Node.
    pub(super) node: (&'static str, &'static str),
    /// The tag of a wheel: the oldest systems that the binary runs on.
    pub(super) wheel: &'static str,
    /// The same for the linker, where it asks.
    pub(super) oldest_macos: Option<&'static str>,
}

/// A static binary runs with any C library, so its wheel has the tags of both.
pub(super) const ALL: [Platform; 4] = [
    Platform {
        target: "x86_64-unknown-linux-musl",
        node: ("linux", "x64"),
        wheel: "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
        oldest_macos: None,
    },
    Platform {
        target: "aarch64-unknown-linux-musl",
        node: ("linux", "arm64"),
        wheel: "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
        oldest_macos: None,
    },
    Platform {
        target: "aarch64-apple-darwin",
        node: ("darwin", "arm64"),
        wheel: "macosx_11_0_arm64",
        oldest_macos: Some("11.0"),
    },
    Platform {
        target: "x86_64-apple-darwin",
        node: ("darwin", "x64"),
        wheel: "macosx_11_0_x86_64",
        oldest_macos: Some("11.0"),
    },
];

impl Platform {
    /// What runs here.
    pub(super) fn host() -> Result<&'static Self> {
        let node = match (std::env::consts::OS, std::env::consts::ARCH) {
            ("macos", "x86_64") => ("darwin", "x64"),
            ("macos", "aarch64") => ("darwin", "arm64"),
            ("linux", "x86_64") => ("linux", "x64"),
            ("linux", "aarch64") => ("linux", "arm64"),
            other => other,
        };
        let found = ALL.iter().find(|it| it.node == node);
        found.with_context(|| format!("nothing is published for {node:?}"))
    }

    /// The npm package with its binary.
    pub(super) fn npm_package(&self) -> String {
        let (system, processor) = self.node;
        format!("modekeeper-{system}-{processor}")
    }
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn a_wheel_is_for_the_systems_that_its_binary_is_built_for() {
        for platform in &ALL {
            let oldest = platform
                .oldest_macos
                .map(|oldest| format!("macosx_{}_", oldest.replace('.', "_")));
            let is_named = |oldest: &String| platform.wheel.starts_with(oldest);
            assert_eq!(platform.node.0 == "darwin", oldest.is_some());
            assert!(oldest.iter().all(is_named), "{platform:?}");
        }
    }
}
