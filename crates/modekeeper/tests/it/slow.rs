//! Tests that take their time: the nextest profile `ci` picks them.

mod acp;
mod agents;
mod attacks;
mod attacks_whole;
mod authority;
mod code;
mod code_whole;
mod conformance;
mod corpus;
mod crowd;
mod half;
mod inspector;
mod kill;
mod login;
mod mutation;
mod package;
mod process;
mod schema;
mod schemathesis;
mod sdk;
mod servers;
mod symbols;
mod teams;
mod together;
mod tools;
mod torn;
#[cfg(target_os = "linux")]
mod wall;
mod web;
