//! Archives whose bytes depend on their entries only: tar for people and npm, zip for wheels.

use anyhow::{Context as _, Result};
use libdeflater::{CompressionLvl, Compressor, Crc};

/// A file in an archive.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) path: String,
    pub(super) bytes: Vec<u8>,
    pub(super) mode: u32,
}

impl Entry {
    pub(super) fn file(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            bytes: bytes.into(),
            mode: 0o644,
        }
    }

    /// One that can be run.
    pub(super) fn program(path: impl Into<String>, bytes: &[u8]) -> Self {
        Self {
            mode: 0o755,
            ..Self::file(path, bytes)
        }
    }
}

/// A compressed tar with everything below one directory.
pub(super) fn tar_gz(directory: &str, entries: &[Entry], level: CompressionLvl) -> Result<Vec<u8>> {
    let mut tar = tar::Builder::new(Vec::new());
    for entry in entries {
        let mut header = tar::Header::new_ustar();
        header.set_size(entry.bytes.len() as u64);
        header.set_mode(entry.mode);
        // A field that is left empty is no number to a strict reader.
        header.set_uid(0);
        header.set_gid(0);
        // npm counts years from 1985, the one time that it gives to every file.
        header.set_mtime(499_162_500);
        let path = format!("{directory}/{}", entry.path);
        tar.append_data(&mut header, path, entry.bytes.as_slice())?;
    }
    let tar = tar.into_inner()?;
    let mut compressor = Compressor::new(level);
    let mut packed = vec![0; compressor.gzip_compress_bound(tar.len())];
    let size = compressor.gzip_compress(&tar, &mut packed)?;
    packed.truncate(size);
    Ok(packed)
}

/// 1980-01-01, the first day that a zip can name.
const FIRST_DAY: [u8; 4] = [0, 0, 0x21, 0];
const DEFLATE: u16 = 8;
const VERSION: u16 = 20;
/// Made on Unix, so that readers take the mode of a file.
const MADE_BY: u16 = (3 << 8) | VERSION;

/// A zip. Sizes are below 4 GB, and names are ASCII.
pub(super) fn zip(entries: &[Entry], level: CompressionLvl) -> Result<Vec<u8>> {
    let mut zip = Vec::new();
    let mut directory = Vec::new();
    for entry in entries {
        let mut crc = Crc::new();
        crc.update(&entry.bytes);
        let mut compressor = Compressor::new(level);
        let mut packed = vec![0; compressor.deflate_compress_bound(entry.bytes.len())];
        let packed_size = compressor.deflate_compress(&entry.bytes, &mut packed)?;
        packed.truncate(packed_size);
        let mut common = Vec::new();
        common.extend(VERSION.to_le_bytes());
        common.extend(0_u16.to_le_bytes());
        common.extend(DEFLATE.to_le_bytes());
        common.extend(FIRST_DAY);
        common.extend(crc.sum().to_le_bytes());
        common.extend(size(packed.len())?);
        common.extend(size(entry.bytes.len())?);
        common.extend(u16::try_from(entry.path.len())?.to_le_bytes());
        common.extend(0_u16.to_le_bytes());
        let offset = size(zip.len())?;
        zip.extend(b"PK\x03\x04");
        zip.extend(&common);
        zip.extend(entry.path.as_bytes());
        zip.extend(packed);
        directory.extend(b"PK\x01\x02");
        directory.extend(MADE_BY.to_le_bytes());
        directory.extend(&common);
        // No comment, the first disk, no internal attributes.
        directory.extend([0; 6]);
        let regular = 0o100_000 | entry.mode;
        directory.extend((regular << 16).to_le_bytes());
        directory.extend(offset);
        directory.extend(entry.path.as_bytes());
    }
    let count = u16::try_from(entries.len())?.to_le_bytes();
    let (start, length) = (size(zip.len())?, size(directory.len())?);
    zip.extend(directory);
    zip.extend(b"PK\x05\x06\0\0\0\0");
    zip.extend(count);
    zip.extend(count);
    zip.extend(length);
    zip.extend(start);
    zip.extend([0; 2]);
    Ok(zip)
}

fn size(length: usize) -> Result<[u8; 4]> {
    let length = u32::try_from(length).context("a file is too large for a zip")?;
    Ok(length.to_le_bytes())
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use libdeflater::{CompressionLvl, Decompressor};

    use super::{Entry, FIRST_DAY, tar_gz, zip};

    fn entries() -> Vec<Entry> {
        vec![
            Entry::program("z", b"a program"),
            Entry::file("a/b", "a file"),
        ]
    }

    /// Neither the time, nor who packs, nor the file system: only what is packed.
    #[test]
    fn a_tar_says_nothing_of_where_and_when_it_was_made() {
        let packed = tar_gz("dir", &entries(), CompressionLvl::best()).unwrap();
        // No name, no comment, no time.
        assert_eq!(packed[3..8], [0; 5]);
        let size = packed.last_chunk().copied().map(u32::from_le_bytes);
        let mut unpacked = vec![0; size.unwrap() as usize];
        let mut decompressor = Decompressor::new();
        decompressor
            .gzip_decompress(&packed, &mut unpacked)
            .unwrap();
        let mut tar = tar::Archive::new(unpacked.as_slice());
        let mut seen = Vec::new();
        for entry in tar.entries().unwrap() {
            let mut entry = entry.unwrap();
            let header = entry.header();
            let owner = (header.uid().unwrap(), header.gid().unwrap());
            assert_eq!((header.mtime().unwrap(), owner), (499_162_500, (0, 0)));
            assert_eq!(header.username_bytes(), Some(&b""[..]));
            let path = entry.path().unwrap().display().to_string();
            let mode = entry.header().mode().unwrap();
            let mut text = String::new();
            entry.read_to_string(&mut text).unwrap();
            seen.push((path, mode, text));
        }
        let program = ("dir/z".to_owned(), 0o755, "a program".to_owned());
        let file = ("dir/a/b".to_owned(), 0o644, "a file".to_owned());
        assert_eq!(seen, [program, file]);
        let again = tar_gz("dir", &entries(), CompressionLvl::best()).unwrap();
        assert_eq!(packed, again);
    }

    #[test]
    fn a_zip_says_nothing_of_where_and_when_it_was_made() {
        let packed = zip(&entries(), CompressionLvl::best()).unwrap();
        // After the signature, the version, the flags and the method of a file's own header.
        assert_eq!(packed[10..14], FIRST_DAY);
        // And of the directory's, which has one version more.
        let start = packed.windows(4).position(|four| four == b"PK\x01\x02");
        let at = start.unwrap() + 12;
        assert_eq!(packed[at..at + 4], FIRST_DAY);
        assert_eq!(packed, zip(&entries(), CompressionLvl::best()).unwrap());
    }
}
