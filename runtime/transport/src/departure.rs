//! When a request leaves.
//!
//! A [`Departure`] is part of a request; the transport calls it when the request is written to a connection. The rate
//! limiter counts the request then; this module does not.

use std::fmt;
use std::sync::Arc;

/// Notified when a request is sent, which may be long after a transport received it: a connection is opened first.
///
/// ```
/// # use generated_client_transport::Departure;
/// let departure = Departure::new(|| println!("the request leaves"));
/// departure.tell();
/// ```
#[derive(Clone, Default)]
pub struct Departure(Option<Arc<dyn Fn() + Send + Sync>>);

impl Departure {
    /// Calls `told` when a request is sent; for testing a transport.
    pub fn new(told: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(told)))
    }

    /// Reports that the request is being sent, from any thread. Only the first call counts.
    pub fn tell(&self) {
        if let Some(told) = &self.0 {
            told();
        }
    }
}

impl fmt::Debug for Departure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Departure(..)")
    }
}
