//! Compiled instead of `built_in.rs` on WebAssembly, which has no sockets. Users of WebAssembly set their own transport.

use std::sync::Arc;

use crate::settings::invalid;
use crate::{Settings, Transport, TransportError};

/// Returns an error, because WebAssembly has no built-in transport.
pub fn built_in(_: &Settings) -> Result<Arc<dyn Transport>, TransportError> {
    Err(invalid("WebAssembly has no sockets, so no transport is built in; set your own with `transport`"))
}
