//! A project's symbols: an index of all files at once, and language servers where exactness matters.
