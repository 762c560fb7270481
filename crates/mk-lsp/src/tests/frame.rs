//! Messages on a pipe, in whatever pieces they come.

use std::io::{BufReader, Read};

use proptest::prelude::{Strategy as _, any, proptest};

use crate::frame::{Frames, frame};

/// Hands out a few bytes at a time.
struct Drops<'a>(&'a [u8], usize);

impl Read for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let size = self.1.min(buffer.len()).min(self.0.len());
        let (now, later) = self.0.split_at(size);
        buffer[..size].copy_from_slice(now);
        self.0 = later;
        Ok(size)
    }
}

#[track_caller]
fn check(stream: &[u8], expected: &[&str]) {
    for size in [1, 3, 4096] {
        let mut frames = Frames::new(BufReader::new(Drops(stream, size)));
        let mut read = Vec::new();
        loop {
            match frames.next() {
                Ok(Some(body)) => read.push(String::from_utf8(body).expect("a text")),
                Ok(None) => break,
                Err(error) => {
                    read.push(error.to_string());
                    break;
                }
            }
        }
        assert_eq!(read, expected, "in pieces of {size}");
    }
}

#[test]
fn messages_are_read_one_after_the_other() {
    let stream = [frame(b"{}"), frame(b""), frame("{\"é\":1}".as_bytes())].concat();
    check(&stream, &["{}", "", "{\"é\":1}"]);
}

#[test]
fn headers_may_be_written_in_other_ways() {
    check(
        b"content-length:2\nContent-Type: application/json\n\n{}",
        &["{}"],
    );
}

#[test]
fn a_stream_that_ends_early_is_an_error() {
    let cut = "its output ended in the middle of a message";
    check(b"Content-Length: 5\r\n\r\n{}", &[cut]);
    check(b"Content-Length: 5\r\n", &[cut]);
    check(b"", &[]);
}

#[test]
fn a_length_that_is_none_is_an_error() {
    check(
        b"Content-Length: -1\r\n\r\n{}",
        &["it announced a message of `-1` bytes"],
    );
    check(
        b"Content-Length: 99999999999\r\n\r\n{}",
        &["it announced a message of 99999999999 bytes"],
    );
}

proptest! {
    #[test]
    fn anything_can_be_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut frames = Frames::new(&*bytes);
        while let Ok(Some(_)) = frames.next() {}
    }

    #[test]
    fn what_is_framed_is_read(bodies in proptest::collection::vec(".{0,40}".prop_map(String::into_bytes), 0..5)) {
        let stream: Vec<u8> = bodies.iter().flat_map(|body| frame(body)).collect();
        let mut frames = Frames::new(&*stream);
        for body in &bodies {
            assert_eq!(frames.next().expect("a frame").as_ref(), Some(body));
        }
        assert_eq!(frames.next().expect("the end"), None);
    }
}
