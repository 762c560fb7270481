//! The client for language servers with real ones, as users install them. What needs no server but a fake one is tested
//! in mk-lsp.

mod answer;
mod example;
mod orphan;
mod trouble;
mod world;
