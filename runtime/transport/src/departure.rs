//! When a request leaves.
//!
//! A [`Departure`] comes in with a request; the transport calls it at the moment at which the request is written to a
//! connection. The gate counts it then; this module does not.

use std::fmt;
use std::sync::Arc;

/// Is told when a request leaves, which may be long after it was handed to a transport: a connection is made first.
///
/// ```
/// # use generated_client_transport::Departure;
/// let departure = Departure::new(|| println!("the request leaves"));
/// departure.tell();
/// ```
#[derive(Clone, Default)]
pub struct Departure(Option<Arc<dyn Fn() + Send + Sync>>);

impl Departure {
    /// Calls `told` when a request leaves; for testing a transport.
    pub fn new(told: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(told)))
    }

    /// Says that the request leaves now, from any thread. Only the first call counts.
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
