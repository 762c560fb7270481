//! Compiles grammars without their parse tables, and packs the tables: as the grammars' own crates compile them, the
//! tables of these languages are a quarter of the binary.

#[path = "src/convert.rs"]
mod convert;

use std::error::Error;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use convert::Converted;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// A grammar that is large, and not of a language in which nearly everybody has files: those are asked for too often to be unpacked each time.
struct Grammar {
    package: &'static str,
    /// Where `parser.c` is in the package.
    folder: &'static str,
    /// Its function in C.
    function: &'static str,
    /// What it is called here.
    name: &'static str,
}

const GRAMMARS: [Grammar; 10] = [
    grammar("tree-sitter-c-sharp", "tree_sitter_c_sharp", "c_sharp"),
    grammar("tree-sitter-cpp", "tree_sitter_cpp", "cpp"),
    grammar("tree-sitter-dart", "tree_sitter_dart", "dart"),
    grammar("tree-sitter-elixir", "tree_sitter_elixir", "elixir"),
    grammar("tree-sitter-haskell", "tree_sitter_haskell", "haskell"),
    grammar("tree-sitter-kotlin-ng", "tree_sitter_kotlin", "kotlin"),
    Grammar {
        folder: "php/src",
        ..grammar("tree-sitter-php", "tree_sitter_php", "php")
    },
    grammar("tree-sitter-ruby", "tree_sitter_ruby", "ruby"),
    grammar("tree-sitter-scala", "tree_sitter_scala", "scala"),
    grammar("tree-sitter-swift", "tree_sitter_swift", "swift"),
];

const fn grammar(package: &'static str, function: &'static str, name: &'static str) -> Grammar {
    Grammar {
        package,
        folder: "src",
        function,
        name,
    }
}

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/convert.rs");
    // Another version of a grammar is in another folder.
    println!("cargo::rerun-if-changed=../../Cargo.lock");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("Cargo names no folder")?);
    let packages = packages()?;
    let lines: Vec<Result<String>> = thread::scope(|scope| {
        let threads = GRAMMARS.map(|grammar| {
            let (packages, out) = (&packages, &out);
            scope.spawn(move || {
                let line = pack(&grammar, packages, out);
                line.map_err(|error| format!("{}: {error}", grammar.package).into())
            })
        });
        let ended = threads.map(thread::ScopedJoinHandle::join);
        let lines = ended.map(|line| line.unwrap_or_else(|_| Err("it panicked".into())));
        lines.into_iter().collect()
    });
    let mut list = String::new();
    for line in lines {
        list.push_str(&line?);
    }
    File::create(out.join("grammars.rs"))?.write_all(list.as_bytes())?;
    Ok(())
}

/// Writes and compiles one grammar, and returns its line for `src/packed.rs`.
fn pack(grammar: &Grammar, packages: &[PathBuf], out: &Path) -> Result<String> {
    let Grammar { name, function, .. } = grammar;
    let folder = folder(grammar, packages)?;
    let prefix = format!("mk_{name}");
    let Converted {
        source,
        large,
        small,
    } = convert::convert(&fs::read_to_string(folder.join("parser.c"))?, &prefix)?;
    let generated = out.join(format!("{name}.c"));
    File::create(&generated)?.write_all(source.as_bytes())?;
    cc::Build::new()
        .std("c11")
        .include(&folder)
        .warnings(false)
        .file(generated)
        // The function of the grammar's own crate has this name; its scanner is used as it is.
        .define(function, prefix.as_str())
        .try_compile(&prefix)?;
    let mut line = format!("grammar!({}, {prefix}", name.to_uppercase());
    for (table, part) in [(large, "large"), (small, "small")] {
        let bytes = bytes(&table)?;
        let packed = miniz_oxide::deflate::compress_to_vec(&bytes, 9);
        let file = out.join(format!("{name}.{part}"));
        File::create(&file)?.write_all(&packed)?;
        write!(line, ", {prefix}_{part}: {} = {file:?}", bytes.len())?;
    }
    line.push_str(");\n");
    Ok(line)
}

/// As they are in the memory of the machine that the binary is for.
fn bytes(table: &[u16]) -> Result<Vec<u8>> {
    let order = std::env::var_os("CARGO_CFG_TARGET_ENDIAN").ok_or("Cargo names no byte order")?;
    let is_little = order == "little";
    let entry = |entry: &u16| match is_little {
        true => entry.to_le_bytes(),
        false => entry.to_be_bytes(),
    };
    Ok(table.iter().flat_map(entry).collect())
}

/// The folders of all packages of this build. Cargo tells a build script nothing about the sources of dependencies, so
/// it is asked; it answers from the lock file, as for the build itself.
fn packages() -> Result<Vec<PathBuf>> {
    let variable = |name| std::env::var_os(name).ok_or(format!("Cargo sets no {name}"));
    #[expect(
        clippy::disallowed_methods,
        reason = "it is Cargo itself, in the working directory of a build script"
    )]
    let mut cargo = Command::new(variable("CARGO")?);
    let answer = cargo
        .args(["metadata", "--format-version=1", "--locked"])
        .arg("--filter-platform")
        .arg(variable("TARGET")?)
        .output()?;
    if !answer.status.success() {
        return Err(String::from_utf8_lossy(&answer.stderr).into());
    }
    let answer = String::from_utf8(answer.stdout)?;
    let manifests = answer.split("\"manifest_path\":\"").skip(1);
    let manifests = manifests.filter_map(|rest| rest.split('"').next());
    let folders = manifests.filter_map(|path| Some(Path::new(path).parent()?.to_owned()));
    Ok(folders.collect())
}

/// Where a grammar's sources are. A package's folder has its name, and in Cargo's own cache its version too.
fn folder(grammar: &Grammar, packages: &[PathBuf]) -> Result<PathBuf> {
    let is_its_own = |folder: &&PathBuf| {
        let name = folder.file_name().and_then(|name| name.to_str());
        let rest = name.and_then(|name| name.strip_prefix(grammar.package));
        rest.is_some_and(|rest| {
            let version = rest.strip_prefix('-').unwrap_or("0");
            version.starts_with(|letter: char| letter.is_ascii_digit())
        })
    };
    let mut found = packages.iter().filter(is_its_own);
    match (found.next(), found.next()) {
        (Some(package), None) => Ok(package.join(grammar.folder)),
        (None, _) => Err("Cargo does not know where it is".into()),
        (Some(_), Some(_)) => Err("there are two versions of it".into()),
    }
}
