//! Replacement on platforms without sockets: WebAssembly.
//!
//! Replaces `built_in.rs`; users there set their own transport.

use std::sync::Arc;

use crate::{Settings, SettingsError, Transport};

/// Fails: WebAssembly has no built-in transport.
pub fn built_in(_: &Settings) -> Result<Arc<dyn Transport>, SettingsError> {
    Err(SettingsError::new("WebAssembly has no sockets, so no transport is built in")
        .with_hint("set your own with `transport`"))
}
