//! Language servers: those that behave, and a fake one that does not.

mod edit;
mod fake;
mod frame;
mod hostile;
mod lifetime;
mod locate;
mod position;
mod table;
