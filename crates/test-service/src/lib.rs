//! An invented service, so that the runtime and the crates on it are tested without a catalogue.
//!
//! [`invented`] is written like generated code, and [`scripted`] is a transport that responds by a script.
//! [`ClosedPort`] is the address of a server that cannot be reached.

mod closed_port;
pub mod invented;
pub mod scripted;

pub use closed_port::ClosedPort;
