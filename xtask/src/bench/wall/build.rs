//! Whole builds inside the wall, beside the same builds without it.

use std::cell::Cell;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use super::{Row, all_ended};
use crate::bench::report::{Budget, Spread};
use crate::peer::{Home, cpu_of_ended_children};

const MODULES: usize = 60;
const PACKAGE_FILES: usize = 900;

/// Without a journal, ext4 looks for each new file past every inode that was given up in the last five seconds. npm
/// gives up 900 in its cache, which lies elsewhere inside the wall: what the next run would pay for that is up to ten
/// times what is measured.
const SETTLED: Duration = Duration::from_secs(6);

/// A build: what it runs, and what it makes.
struct Build {
    what: &'static str,
    command: &'static [&'static str],
    made: &'static [&'static str],
}

const BUILDS: [Build; 2] = [
    Build {
        what: "cargo build of 60 modules, CPU",
        command: &["cargo", "build", "--offline", "--quiet"],
        made: &["target"],
    },
    Build {
        what: "npm install of 900 files, CPU",
        command: &[
            "npm",
            "install",
            "--offline",
            "--no-audit",
            "--no-fund",
            "--silent",
        ],
        made: &["node_modules", "package-lock.json"],
    },
];

pub(super) fn measure(binary: &Path, rounds: usize) -> Result<Vec<Row>> {
    let home = Home::new()?;
    write_project(&home.project())?;
    let mut rows = Vec::new();
    // Next to the project, on the same file system.
    let aside = tempfile::tempdir_in(home.project().parent().unwrap_or(&home.project()))?;
    let n_aside = Cell::new(0_u32);
    for build in &BUILDS {
        let run = |walled: bool| -> Result<f64> {
            std::thread::sleep(SETTLED);
            for made in build.made {
                let name = n_aside.replace(n_aside.get() + 1).to_string();
                set_aside(&home.project().join(made), &aside.path().join(name))?;
            }
            let before = cpu_of_ended_children()?;
            let mut command = command(&home, binary, build, walled);
            let output = command.output()?;
            ensure!(output.status.success(), "{output:?}");
            all_ended();
            Ok((cpu_of_ended_children()? - before).as_secs_f64() * 1000.0)
        };
        // The first of each fills caches.
        run(false)?;
        run(true)?;
        let (mut walled, mut plain) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            plain.push(run(false)?);
            walled.push(run(true)?);
        }
        rows.push(Row {
            what: build.what.to_owned(),
            unit: "ms",
            ours: Spread::of(walled),
            beside: Some(("without", Spread::of(plain))),
            budget: Budget::Times(1.05),
        });
    }
    Ok(rows)
}

fn command(home: &Home, binary: &Path, build: &Build, walled: bool) -> Command {
    let words: Vec<&str> = if walled {
        ["exec", "--"]
            .iter()
            .chain(build.command)
            .copied()
            .collect()
    } else {
        build.command.get(1..).unwrap_or_default().to_vec()
    };
    let program = build.command.first().copied().unwrap_or_default();
    let mut command = home.command(if walled { binary } else { Path::new(program) });
    command.args(words);
    // The toolchain is where it is installed.
    let of_home = |name: &str| std::env::home_dir().map(|it| it.join(name).into_os_string());
    let kept: [(&str, Option<OsString>); 3] = [
        ("RUSTUP_HOME", of_home(".rustup")),
        ("CARGO_HOME", of_home(".cargo")),
        ("RUSTUP_TOOLCHAIN", None),
    ];
    for (name, otherwise) in kept {
        if let Some(value) = std::env::var_os(name).or(otherwise) {
            command.env(name, value);
        }
    }
    command
}

fn write_project(project: &Path) -> Result<()> {
    let source = project.join("src");
    std::fs::create_dir_all(&source)?;
    let manifest =
        "[package]\nname = \"measured\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
    std::fs::write(project.join("Cargo.toml"), manifest)?;
    let mut modules = String::new();
    for number in 0..MODULES {
        modules.push_str(&format!("pub mod m{number};\n"));
        let text = format!(
            "use std::collections::BTreeMap;\npub fn count(words: &[String]) -> BTreeMap<String, usize> {{\n    \
             let mut all = BTreeMap::new();\n    for word in words {{ *all.entry(format!(\"{{word}}-{number}\")).or_insert(0) += 1; }}\n    \
             all\n}}\n"
        );
        std::fs::write(source.join(format!("m{number}.rs")), text)?;
    }
    std::fs::write(source.join("lib.rs"), modules)?;
    write_package(project)
}

/// A package as a registry would send it.
fn write_package(project: &Path) -> Result<()> {
    let package = project.join("vendor/package");
    std::fs::create_dir_all(&package)?;
    for number in 0..PACKAGE_FILES {
        let text = format!("module.exports = {number};\n");
        std::fs::write(package.join(format!("f{number}.js")), text)?;
    }
    let manifest = "{\"name\": \"measured-package\", \"version\": \"1.0.0\"}\n";
    std::fs::write(package.join("package.json"), manifest)?;
    let packed = Command::new("tar")
        .args(["-czf", "package.tgz", "package"])
        .current_dir(project.join("vendor"))
        .status()
        .context("tar is needed")?;
    ensure!(packed.success(), "tar failed");
    let manifest = "{\"name\": \"measured\", \"version\": \"1.0.0\", \"dependencies\": {\"measured-package\": \"file:vendor/package.tgz\"}}\n";
    std::fs::write(project.join("package.json"), manifest)?;
    Ok(())
}

/// Not removed: see [`SETTLED`].
fn set_aside(path: &Path, to: &Path) -> Result<()> {
    if path.symlink_metadata().is_ok() {
        std::fs::rename(path, to)?;
    }
    Ok(())
}
