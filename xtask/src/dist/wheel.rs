//! Python wheels: the binary as a script of a package without any Python, as `uv` and `ruff` are published.

use anyhow::Result;

use super::archive::{Entry, zip};
use super::{Built, digest};
use crate::workspace::Product;

const README: &str =
    "# Modekeeper\n\nKeeps AI coding agents in their mode.\n\n```sh\nuvx modekeeper init\n```\n";

/// A platform's wheel, and its file's name.
pub(super) fn wheel(product: &Product, built: &Built) -> Result<(String, Vec<u8>)> {
    let version = &product.version;
    let tag = built.platform.wheel;
    let about = format!("modekeeper-{version}.dist-info");
    let program = format!("modekeeper-{version}.data/scripts/modekeeper");
    let mut entries = vec![
        Entry::program(program, &built.binary),
        Entry::file(format!("{about}/METADATA"), metadata(product)),
        Entry::file(format!("{about}/WHEEL"), tags(tag)),
    ];
    let record = format!("{about}/RECORD");
    let mut lines: Vec<String> = entries.iter().map(line).collect();
    lines.push(format!("{record},,\n"));
    entries.push(Entry::file(record, lines.concat()));
    Ok((
        format!("modekeeper-{version}-py3-none-{tag}.whl"),
        zip(&entries, built.level)?,
    ))
}

fn metadata(product: &Product) -> String {
    let repository = product.repository.iter();
    let address: String = repository
        .map(|it| format!("Project-URL: Repository, {it}\n"))
        .collect();
    format!(
        "Metadata-Version: 2.4\nName: modekeeper\nVersion: {}\nSummary: {}\nLicense-Expression: MIT OR Apache-2.0\n\
         {address}Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n{README}",
        product.version, product.description,
    )
}

/// A file name may hold several tags at once; the file lists each by itself.
fn tags(tag: &str) -> String {
    let mut text =
        "Wheel-Version: 1.0\nGenerator: modekeeper xtask\nRoot-Is-Purelib: false\n".to_owned();
    for platform in tag.split('.') {
        text.push_str(&format!("Tag: py3-none-{platform}\n"));
    }
    text
}

fn line(entry: &Entry) -> String {
    let digest = base64_url(&digest(&entry.bytes));
    format!("{},sha256={digest},{}\n", entry.path, entry.bytes.len())
}

/// Without padding, as `RECORD` wants it.
fn base64_url(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let mut three = [0_u8; 3];
        for (to, from) in three.iter_mut().zip(chunk) {
            *to = *from;
        }
        let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
        for at in 0..=chunk.len() {
            let index = (bits >> (18 - 6 * at)) & 63;
            text.push(char::from(LETTERS[index as usize]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64_url;

    #[test]
    fn digests_are_written_without_padding() {
        assert_eq!(base64_url(b""), "");
        assert_eq!(base64_url(b"f"), "Zg");
        assert_eq!(base64_url(b"fo"), "Zm8");
        assert_eq!(base64_url(b"foo"), "Zm9v");
        assert_eq!(base64_url(&[0xfb, 0xff]), "-_8");
    }
}
