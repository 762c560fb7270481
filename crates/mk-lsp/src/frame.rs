//! Messages on a pipe: headers, an empty line, a body of the announced length.
//!
//! Does not look into the body. Whatever comes, memory stays bounded.

use std::io::{self, BufRead, Read as _, Write as _};

/// No server has a reason to say more at once.
pub(crate) const LONGEST_BODY: u64 = 32 * 1024 * 1024;
const LONGEST_LINE: u64 = 8 * 1024;
/// Some servers greet people before they speak the protocol; this much is overlooked.
const MOST_GARBAGE: usize = 64 * 1024;

/// Why the stream cannot be read any further.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FrameError {
    #[error("its output ended in the middle of a message")]
    Cut,
    #[error("it announced a message of {0} bytes")]
    TooLong(u64),
    #[error("it announced a message of `{0}` bytes")]
    BadLength(String),
    #[error("it wrote output that is not part of the protocol: `{0}`")]
    Garbage(String),
    #[error("its output cannot be read: {0}")]
    Read(#[from] io::Error),
}

/// Reads messages, one after the other.
#[derive(Debug)]
pub(crate) struct Frames<R> {
    reader: R,
    garbage: usize,
}

impl<R: BufRead> Frames<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader, garbage: 0 }
    }

    /// The next body; `None` at the end of the stream.
    pub(crate) fn next(&mut self) -> Result<Option<Vec<u8>>, FrameError> {
        let mut length = None;
        loop {
            let mut line = Vec::new();
            (&mut self.reader)
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut line)?;
            if line.is_empty() {
                return match length {
                    None => Ok(None),
                    Some(_) => Err(FrameError::Cut),
                };
            }
            let line = String::from_utf8_lossy(&line);
            let header = line.trim_end_matches(['\r', '\n']);
            match (header.split_once(':'), length) {
                (None, Some(length)) if header.is_empty() => return self.body(length).map(Some),
                (Some((name, value)), _) if name.eq_ignore_ascii_case("content-length") => {
                    length = Some(parse_length(value.trim())?);
                }
                (Some((name, _)), _) if name.eq_ignore_ascii_case("content-type") => {}
                _ => self.overlook(header)?,
            }
        }
    }

    fn overlook(&mut self, line: &str) -> Result<(), FrameError> {
        self.garbage += line.len() + 1;
        if self.garbage > MOST_GARBAGE {
            return Err(FrameError::Garbage(line.chars().take(80).collect()));
        }
        tracing::debug!(line, "overlooked on a language server's output");
        Ok(())
    }

    fn body(&mut self, length: u64) -> Result<Vec<u8>, FrameError> {
        // It grows with what really comes: an announcement alone takes no memory.
        let mut body = Vec::new();
        let read = (&mut self.reader).take(length).read_to_end(&mut body)?;
        if read as u64 == length {
            Ok(body)
        } else {
            Err(FrameError::Cut)
        }
    }
}

fn parse_length(value: &str) -> Result<u64, FrameError> {
    match value.parse() {
        Ok(length) if length <= LONGEST_BODY => Ok(length),
        Ok(length) => Err(FrameError::TooLong(length)),
        Err(_) => Err(FrameError::BadLength(value.chars().take(80).collect())),
    }
}

/// A body with its header.
pub(crate) fn frame(body: &[u8]) -> Vec<u8> {
    let mut framed = Vec::with_capacity(body.len() + 32);
    // Writing to memory does not fail.
    drop(write!(framed, "Content-Length: {}\r\n\r\n", body.len()));
    framed.extend_from_slice(body);
    framed
}
