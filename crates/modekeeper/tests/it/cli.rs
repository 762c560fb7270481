//! The command line as people and scripts meet it.

mod check;
mod config;
mod database;
mod help;
mod install;
mod lsp;
mod modes;
mod output;
mod playbook;
mod status;
mod symbols;
mod tasks;
