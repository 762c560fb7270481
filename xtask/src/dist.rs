//! `cargo xtask dist`: everything that is published, in `dist/`. It uploads nothing.
//!
//! For each platform an archive, an npm package and a Python wheel; besides them the npm package that chooses among
//! these, an install script, a bill of materials and the checksums of all. Nothing in them depends on the time or on
//! this machine: the same binary gives the same bytes.

mod archive;
mod bill;
mod binary;
mod build;
mod extra;
mod framework;
mod npm;
mod platform;
mod wheel;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use libdeflater::CompressionLvl;
use sha2::{Digest as _, Sha256};

use crate::workspace::{self, Product};
use archive::Entry;
use binary::Identity;
use platform::Platform;

const INSTALL: &str = include_str!("dist/install.sh");
/// Next to the archives; `install.sh` reads it.
const CHECKSUMS: &str = "SHA256SUMS";
/// What a person downloads and keeps stays within these; a binary that `--binary` names may be a larger one of a test.
const LARGEST_BINARY: usize = 60_000_000;
const LARGEST_ARCHIVE: usize = 20_000_000;

/// Build what is published: archives, npm packages, wheels, a bill of materials and checksums
#[derive(Debug, Args)]
pub(crate) struct DistArgs {
    /// Platform to build for, by its Rust target, or `all` (default: this machine; repeatable)
    #[arg(long, value_name = "TARGET")]
    target: Vec<String>,
    /// Cargo profile
    #[arg(long, default_value = "dist")]
    profile: String,
    /// Pack this binary instead of building one; a Linux binary has to be static
    #[arg(long, value_name = "FILE", conflicts_with = "target")]
    binary: Option<PathBuf>,
    /// How much to compress, from 0 to 12; less takes less time
    #[arg(long, value_name = "LEVEL", default_value_t = 12, value_parser = clap::value_parser!(i32).range(0..=12))]
    compression: i32,
    /// Directory to write to
    #[arg(long, value_name = "DIR", default_value = "dist")]
    out: PathBuf,
}

/// A binary and where it runs.
#[derive(Debug)]
struct Built {
    platform: &'static Platform,
    target: String,
    binary: Vec<u8>,
    level: CompressionLvl,
}

pub(crate) fn run(args: &DistArgs) -> Result<ExitCode> {
    let product = Product::read()?;
    let version = &product.version;
    let host = Platform::host()?;
    let level = CompressionLvl::new(args.compression);
    let level = level.map_err(|error| anyhow::anyhow!("--compression: {error:?}"))?;
    let mut built = Vec::new();
    let mut runnable = None;
    if let Some(binary) = &args.binary {
        let binary = std::path::absolute(binary)?;
        let read = Built::read(&binary, level)?;
        if read.platform.target == host.target {
            runnable = Some(binary);
        }
        built.push(read);
    }
    for platform in wanted(args, host)? {
        let binary = build::build(platform, &args.profile)?;
        let read = Built::read(&binary, level)?;
        let (target, wanted) = (&read.target, platform.target);
        ensure!(target == wanted, "{target} was built, not {wanted}");
        fits(target, read.binary.len(), LARGEST_BINARY)?;
        built.push(read);
        if platform.target == host.target {
            runnable = Some(binary);
        }
    }
    let runnable = match runnable {
        Some(binary) => binary,
        None => workspace::build(&["--package", "modekeeper"])?,
    };
    let out = workspace::root().join(&args.out);
    let mut files = Vec::new();
    let extra = extra::entries(&runnable)?;
    for built in &built {
        let target = &built.target;
        let entries: Vec<Entry> = std::iter::once(Entry::program("modekeeper", &built.binary))
            .chain(extra.iter().cloned())
            .collect();
        let directory = format!("modekeeper-{version}-{target}");
        let archive = archive::tar_gz(&directory, &entries, level)?;
        if args.binary.is_none() {
            fits(&directory, archive.len(), LARGEST_ARCHIVE)?;
        }
        files.push((format!("{directory}.tar.gz"), archive));
        files.push(npm::platform_package(&product, built)?);
        files.push(wheel::wheel(&product, built)?);
    }
    files.push(npm::chooser_package(&product)?);
    files.push((
        format!("modekeeper-{version}.cdx.json"),
        bill::bill(version)?,
    ));
    files.push(("install.sh".to_owned(), INSTALL.as_bytes().to_vec()));
    write(&out, &files)?;
    for built in &built {
        println!(
            "{:>12} bytes  modekeeper for {}",
            built.binary.len(),
            built.target
        );
    }
    Ok(ExitCode::SUCCESS)
}

impl Built {
    fn read(file: &Path, level: CompressionLvl) -> Result<Self> {
        let bytes = std::fs::read(file);
        let binary = bytes.with_context(|| format!("cannot read {}", file.display()))?;
        let identity = binary::identify(&binary);
        let Identity { platform, target } =
            identity.with_context(|| format!("cannot pack {}", file.display()))?;
        Ok(Self {
            platform,
            target,
            binary,
            level,
        })
    }
}

fn fits(name: &str, size: usize, limit: usize) -> Result<()> {
    ensure!(size <= limit, "{name} has {size} bytes, more than {limit}");
    Ok(())
}

fn wanted(args: &DistArgs, host: &'static Platform) -> Result<Vec<&'static Platform>> {
    if args.binary.is_some() {
        return Ok(Vec::new());
    }
    if args.target.is_empty() {
        return Ok(vec![host]);
    }
    if args.target.iter().any(|target| target == "all") {
        return Ok(platform::ALL.iter().collect());
    }
    let named = |target: &String| {
        let found = platform::ALL.iter().find(|it| it.target == target);
        let known: Vec<&str> = platform::ALL.iter().map(|it| it.target).collect();
        match found {
            Some(platform) => Ok(platform),
            None => bail!(
                "`{target}` is not published: choose one of {}",
                known.join(", ")
            ),
        }
    };
    args.target.iter().map(named).collect()
}

/// Writes the files and their checksums, which replace those of an earlier run.
fn write(out: &Path, files: &[(String, Vec<u8>)]) -> Result<()> {
    std::fs::create_dir_all(out)?;
    let mut sums = String::new();
    for (name, bytes) in files {
        let path = out.join(name);
        std::fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        let sum = checksum(bytes);
        writeln!(sums, "{sum}  {name}")?;
        println!("{:>12} bytes  {name}", bytes.len());
    }
    std::fs::write(out.join(CHECKSUMS), sums)?;
    Ok(())
}

fn digest(bytes: &[u8]) -> Vec<u8> {
    Sha256::digest(bytes).to_vec()
}

/// SHA-256, as `sha256sum` writes it.
fn checksum(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in digest(bytes) {
        // A text can always be written to.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
