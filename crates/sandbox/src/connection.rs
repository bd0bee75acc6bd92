//! The state of a connection, which a fault can end. Every request has access to the state of its connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// The way in which a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// With a FIN, as usual.
    Closed = 1,
    /// With a RST, as when a server crashes.
    Reset = 2,
}

/// The way in which a connection has to end, and the number of its requests so far. Clones share these values.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConnectionState {
    ending: Arc<AtomicU8>,
    requests: Arc<AtomicU64>,
}

impl ConnectionState {
    /// Stops all writing, and sets how the connection ends when the server drops it.
    pub(crate) fn end(&self, ending: Ending) {
        self.ending.store(ending as u8, Ordering::Relaxed);
    }

    /// Counts a request, and returns `true` if it is not the first of the connection.
    pub(crate) fn is_reused(&self) -> bool {
        self.requests.fetch_add(1, Ordering::Relaxed) > 0
    }

    pub(crate) fn is_ended(&self) -> bool {
        self.ending.load(Ordering::Relaxed) != 0
    }

    pub(crate) fn is_reset(&self) -> bool {
        self.ending.load(Ordering::Relaxed) == Ending::Reset as u8
    }
}
