//! Where there are no sockets: on WebAssembly.
//!
//! Takes the place of `built_in.rs`; whoever sends a request there brings the transport.

use std::sync::Arc;

use crate::{Settings, SettingsError, Transport};

/// Fails: there is no built-in transport.
pub fn built_in(_: &Settings) -> Result<Arc<dyn Transport>, SettingsError> {
    Err(SettingsError::new("WebAssembly has no sockets, so no transport is built in")
        .with_hint("set one of yours by `transport`"))
}
