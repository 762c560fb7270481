//! Tests that take their time: the nextest profile `ci` picks them.

mod answer;
mod example;
mod orphan;
mod process;
mod tools;
mod trouble;
mod world;
