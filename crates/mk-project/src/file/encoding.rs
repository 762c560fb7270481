//! How text stands on disk: recognising an encoding, and writing text back in it without losing a byte.

use encoding_rs::WINDOWS_1252;

use super::FileText;
use super::state::revision_of;

pub(crate) const UTF_8: &str = "utf-8";
const UTF_8_BOM: &str = "utf-8-bom";
const UTF_16_LE: &str = "utf-16le";
const UTF_16_BE: &str = "utf-16be";
const ANSI: &str = "windows-1252";

const BOM_8: &[u8] = &[0xEF, 0xBB, 0xBF];
const BOM_LE: &[u8] = &[0xFF, 0xFE];
const BOM_BE: &[u8] = &[0xFE, 0xFF];

/// What ends the lines of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnding {
    Lf,
    CrLf,
    /// Both, or carriage returns in other places: such a text is left as it is.
    Mixed,
    /// There is only one line, without an end.
    None,
}

impl LineEnding {
    fn of(text: &str) -> Self {
        let newlines = text.bytes().filter(|byte| *byte == b'\n').count();
        let returns = text.bytes().filter(|byte| *byte == b'\r').count();
        match (newlines, returns) {
            (0, 0) => Self::None,
            (_, 0) => Self::Lf,
            (newlines, returns)
                if newlines == returns && text.matches("\r\n").count() == newlines =>
            {
                Self::CrLf
            }
            _ => Self::Mixed,
        }
    }
}

impl FileText {
    /// Reads bytes as text; `None` if they are none.
    ///
    /// 1. A byte order mark decides.
    /// 2. A NUL byte is not text.
    /// 3. What is valid UTF-8 is UTF-8.
    /// 4. The rest is Windows-1252 unless control characters speak against it. Each of its 256 bytes is a character,
    ///    so that a text in some other old encoding looks odd but is written back unharmed.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (text, encoding) = decode(bytes)?;
        Some(Self {
            line_ending: LineEnding::of(&text),
            text,
            encoding,
            revision: revision_of(bytes),
            size: bytes.len() as u64,
        })
    }
}

fn decode(bytes: &[u8]) -> Option<(String, &'static str)> {
    if let Some(units) = bytes.strip_prefix(BOM_LE) {
        return decode_units(units, u16::from_le_bytes).map(|text| (text, UTF_16_LE));
    }
    if let Some(units) = bytes.strip_prefix(BOM_BE) {
        return decode_units(units, u16::from_be_bytes).map(|text| (text, UTF_16_BE));
    }
    if bytes.contains(&0) {
        return None;
    }
    if let Some(text) = bytes.strip_prefix(BOM_8)
        && let Ok(text) = std::str::from_utf8(text)
    {
        return Some((text.to_owned(), UTF_8_BOM));
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Some((text.to_owned(), UTF_8));
    }
    if bytes.iter().any(|byte| is_control(*byte)) {
        return None;
    }
    let (text, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
    Some((text.into_owned(), ANSI))
}

fn decode_units(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
    let text = String::from_utf16(&units).ok()?;
    (rest.is_empty() && !text.contains('\0')).then_some(text)
}

/// Whether a byte speaks against text: tab, line feed, form feed, carriage return, backspace and escape do occur.
fn is_control(byte: u8) -> bool {
    (byte < 0x20 && !matches!(byte, 0x08 | 0x09 | 0x0A | 0x0C | 0x0D | 0x1B)) || byte == 0x7F
}

/// The text in an encoding, and the encoding it really has: UTF-8 where the one asked for lacks a character.
pub(crate) fn encode(text: &str, encoding: &'static str) -> (Vec<u8>, &'static str) {
    // The mark belongs to the encoding; a text that brings its own does not get two.
    let unmarked = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    match encoding {
        UTF_8_BOM => ([BOM_8, unmarked.as_bytes()].concat(), UTF_8_BOM),
        UTF_16_LE => (units(BOM_LE, unmarked, u16::to_le_bytes), UTF_16_LE),
        UTF_16_BE => (units(BOM_BE, unmarked, u16::to_be_bytes), UTF_16_BE),
        ANSI => encode_ansi(text).map_or_else(
            || (text.as_bytes().to_owned(), UTF_8),
            |bytes| (bytes, ANSI),
        ),
        _ => (text.as_bytes().to_owned(), UTF_8),
    }
}

fn units(mark: &[u8], text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let mut encoded = mark.to_owned();
    encoded.extend(text.encode_utf16().flat_map(bytes));
    encoded
}

/// `None` if a character is missing there, or if the bytes would be taken for something else when they are read again.
fn encode_ansi(text: &str) -> Option<Vec<u8>> {
    let (bytes, _, lacking) = WINDOWS_1252.encode(text);
    let reads_back = || decode(&bytes).is_some_and(|(back, _)| back == text);
    (!lacking && reads_back()).then(|| bytes.into_owned())
}
