//! A crate's comment is nobody's doc line.

use std::fmt;

/// The most readers at once.
pub const MOST_READERS: usize = 8;
static COUNTER: u32 = 0;

/// A shelf of books.
///
/// Sorted by title.
#[derive(Debug, Clone)]
pub struct Shelf<T> {
    /// In order.
    books: Vec<T>,
    pub label: String, // trailing
}

pub enum Genre {
    Poetry,
    /// Neither.
    Other { name: String },
}

pub trait Reader {
    type Page;
    fn read(&self) -> Self::Page;
    fn close(&mut self) {}
}

impl<T: Clone> Shelf<T> {
    /// An empty shelf.
    pub fn new() -> Self {
        fn inner() {}
        let local = 1;
        Self { books: Vec::new(), label: String::new() }
    }
}

impl<T> fmt::Display for Shelf<T>
where
    T: fmt::Display,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

cfg_rt! {
    /// Waits for a task.
    pub struct JoinHandle<T> {
        raw: T,
    }

    impl<T> JoinHandle<T> {
        pub fn abort(&self) {}
    }

    cfg_unstable! {
        pub fn spawn_local() {}
    }
}

vec_of! { not items: 1, 2 }

mod declared_elsewhere;

mod tests {
    #[test]
    fn it_reads() {}
}

macro_rules! shelf {
    () => {};
}

pub type Library = Vec<Shelf<String>>;
