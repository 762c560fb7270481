//! What a binary really is, from its own header: the platform it runs on, and that it brings everything with it.
//!
//! A file's name is a promise. A Linux binary that loads a C library runs only where that library is new enough, so it
//! is not packed at all.

use anyhow::{Context as _, Result, bail};
use object::read::elf::{ElfFile64, ProgramHeader as _};
use object::{Architecture, BinaryFormat, Object as _, elf};

use super::platform::{self, Platform};

/// A binary's platform, and the Rust target that it was built for.
#[derive(Debug)]
pub(super) struct Identity {
    pub(super) platform: &'static Platform,
    pub(super) target: String,
}

pub(super) fn identify(bytes: &[u8]) -> Result<Identity> {
    let file = object::File::parse(bytes).context("this is not a program")?;
    let system = match file.format() {
        BinaryFormat::Elf => "linux",
        BinaryFormat::MachO => "darwin",
        other => bail!("nothing is published in the format {other:?}"),
    };
    let processor = match file.architecture() {
        Architecture::X86_64 => "x64",
        Architecture::Aarch64 => "arm64",
        other => bail!("nothing is published for {other:?}"),
    };
    let mut platforms = platform::ALL.iter();
    let platform = platforms
        .find(|it| it.node == (system, processor))
        .with_context(|| format!("nothing is published for {system} on {processor}"))?;
    let mut target = platform.target.to_owned();
    if let BinaryFormat::Elf = file.format()
        && library(bytes)? == Library::Gnu
    {
        target = target.replace("-musl", "-gnu");
    }
    Ok(Identity { platform, target })
}

/// The C library inside a static binary.
#[derive(Debug, PartialEq, Eq)]
enum Library {
    Musl,
    Gnu,
}

/// Only glibc leaves a note about the oldest kernel it runs on.
fn library(bytes: &[u8]) -> Result<Library> {
    let file: ElfFile64<'_> = ElfFile64::parse(bytes)?;
    let endian = file.endian();
    let mut library = Library::Musl;
    for header in file.elf_program_headers() {
        if let Some(interpreter) = header.interpreter(endian, bytes)? {
            bail!(
                "this program is not static, it needs {}: build one with `cargo xtask dist`, or with `--config .cargo/static.toml`",
                String::from_utf8_lossy(interpreter)
            );
        }
        let Some(mut notes) = header.notes(endian, bytes)? else {
            continue;
        };
        while let Some(note) = notes.next()? {
            if note.name() == elf::ELF_NOTE_GNU && note.n_type(endian) == elf::NT_GNU_ABI_TAG {
                library = Library::Gnu;
            }
        }
    }
    Ok(library)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use super::identify;

    /// A program that does nothing, for this machine.
    fn program(directory: &Path, flags: &[&str]) -> Vec<u8> {
        let source = directory.join("program.rs");
        std::fs::write(&source, "fn main() {}").unwrap();
        let program = directory.join("program");
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let mut command = Command::new(rustc);
        command.args(flags).arg(&source).arg("-o").arg(&program);
        let output = command.current_dir(directory).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        std::fs::read(program).unwrap()
    }

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn a_static_binary_has_the_name_of_its_c_library() {
        let directory = tempfile::tempdir().unwrap();
        let flags = [
            "-Ctarget-feature=+crt-static",
            "-Crelocation-model=static",
            "-Cstrip=symbols",
        ];
        let identity = identify(&program(directory.path(), &flags)).unwrap();
        assert!(identity.target.ends_with("-linux-gnu"), "{identity:?}");
        assert_eq!(identity.platform.node.0, "linux");
    }

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn a_binary_that_loads_a_c_library_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let wrong = identify(&program(directory.path(), &[])).unwrap_err();
        assert!(wrong.to_string().contains("is not static"), "{wrong:#}");
    }

    #[test]
    fn what_is_no_program_is_refused() {
        identify(b"#!/bin/sh\n").unwrap_err();
        identify(b"").unwrap_err();
    }
}
