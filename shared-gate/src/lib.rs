//! One rate limit for all machines that use an API key, kept in Redis or Valkey.
//!
//! A service counts all requests of a key, from every machine; the built-in gate of a client counts those of one
//! process. With a [`SharedGate`] as the gate ([`Builder::rate_limiter`](runtime::Builder::rate_limiter)) of every
//! machine, all of them together stay within the limit:
//!
//! ```no_run
//! # mod invented { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/tests/it/invented/service.rs")); }
//! # use invented::Client;
//! use std::time::Duration;
//!
//! use runtime::RateLimit;
//! use generated_client_shared_gate::SharedGate;
//!
//! # fn demo() -> Result<(), Box<dyn std::error::Error>> {
//! let limit = RateLimit::new(10, Duration::from_secs(1), 20);
//! let gate = SharedGate::builder("redis://127.0.0.1:6379", limit).name("research-key").build()?;
//! let client = Client::builder("https://example.com/v2").api_key("key").rate_limiter(gate).build()?;
//! # Ok(()) }
//! ```
//!
//! - In any rolling window, all machines together never send more than the limit, and never have more requests in
//!   flight, by the server's clock. Windows, even pace, priorities, and the margin learned from rejections and response
//!   times are those of the built-in gate.
//! - A 429 on one machine pauses all.
//! - A machine with requests in flight or waiting renews its lease on its slots every second, from a separate thread,
//!   for any duration of a request. A machine that is dead or disconnected for eight seconds loses them.
//! - Machines with waiting requests take turns, and share the slots evenly.
//! - After the server has restarted, was replaced or has lost its data, nothing is sent for the longest window, because
//!   earlier requests are unknown. The first use of a name has the same effect.
//! - While the server cannot be reached, nothing is sent, and a request fails after half a minute
//!   ([`fail_after`](SharedGateBuilder::fail_after)).
//!
//! # How it works
//!
//! The shared state is one key of the server, a text with a version. A machine computes the next shared state from its
//! known one and offers it; the server accepts it if no other machine was faster, and otherwise returns the current
//! shared state. That compare-and-set and the reading of the server's clock are one script of a few lines, the only
//! code that the server executes. The same Rust code as in the built-in gate decides which requests are admitted. A
//! machine admits requests slightly ahead of time, so that the exchange does not delay them.
//!
//! A window that counts only the requests of some endpoints has a separate shared state, under the key `NAME/NUMBER`.
//!
//! An exchange is one round trip, and the exchanges of all machines are serial. Keep the server near: at a round trip
//! of a millisecond, hundreds of machines share a limit of ten requests per second.
//!
//! The module [`fleet`] describes several programs with one API key.
//!
//! Redis from version 5 or Valkey, without cluster mode, and permission for `EVAL`, `EVALSHA`, `TIME`, `HMGET`, `HSET`
//! and `PEXPIRE`; with `INFO` the gate detects a restart after which the server has an older state. All machines must
//! set the same limit. The server's clock may be slewed, but must not be set forward while the gate is in use.
//!
//! A machine that is suspended just before it sends a request may send it after its lease has ended.
//!
//! # Why `redis`
//!
//! The server's own documentation recommends it for Rust. It supports Redis and Valkey, has asynchronous connections
//! with timeouts on Tokio, and is small without its default features: no TLS, pool, cluster or connection manager. The
//! worker keeps one connection and reconnects itself, because the gate decides what happens during an outage. The
//! feature `tls` adds `rediss://` URLs.

#[doc = include_str!("../FLEET.md")]
pub mod fleet {}

mod clock;
mod queue;
mod redis_store;
mod server_outage;
mod settings;
mod shared_state;
mod state_proposal;
mod state_store;
mod status;
#[cfg(test)]
mod tests;
mod worker;

#[cfg(test)]
#[path = "../../runtime/tests/it/invented/mod.rs"]
mod invented;
#[cfg(test)]
#[path = "../../runtime/tests/it/scripted/mod.rs"]
mod scripted;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use runtime::RateLimit;
use runtime::RequestKind;
use runtime::emitted::LimitWindow;
use runtime::rate_limit::{AcquireFuture, Attempt, Permit, RateLimiter, RateLimiterError};
use tokio::time::Instant;

use queue::{Event, Queue, QueuedInAll};
pub use settings::SharedGateBuilder;
pub use status::{Machine, Status};

/// A gate that all machines with an API key share.
///
/// Cloning is cheap, and all clones act as one machine. Its worker ends after the last clone is dropped and its
/// requests in flight have ended.
#[derive(Clone)]
pub struct SharedGate(Arc<Handle>);

/// The queues of a gate, each with its shared state.
struct Handle {
    /// Queues of windows that count only some endpoints, in the order of the limit: requests join them in this order,
    /// so no two wait for each other.
    of_some: Vec<(LimitWindow, Queue)>,
    of_all: Queue,
    limit: RateLimit,
}

impl Handle {
    fn each(&self) -> impl Iterator<Item = &Queue> {
        self.of_some.iter().map(|(_, queue)| queue).chain([&self.of_all])
    }

    /// The queues that an attempt joins, one after the other.
    fn of(&self, attempt: Attempt) -> impl Iterator<Item = &Queue> {
        // Windows of some endpoints do not count token requests.
        let endpoint = if let RequestKind::Data(endpoint) = attempt.request { Some(endpoint) } else { None };
        let counts = move |window: &LimitWindow| endpoint.is_some_and(|endpoint| window.counts(endpoint));
        let of_some = self.of_some.iter().filter(move |(window, _)| counts(window));
        of_some.map(|(_, queue)| queue).chain([&self.of_all])
    }
}

impl SharedGate {
    /// Settings of a gate whose state is on the server at a URL: `redis://[user:password@]host[:port][/database]`.
    ///
    /// The gate connects with the first request.
    pub fn builder(url: impl Into<String>, limit: RateLimit) -> SharedGateBuilder {
        SharedGateBuilder::new(url.into(), limit)
    }

    /// Reads the status of all machines from the server; an error names the reason why it cannot be reached or used.
    ///
    /// Windows that count only the requests of some endpoints are not included.
    pub async fn status(&self) -> Result<Status, RateLimiterError> {
        self.0.of_all.status().await
    }

    /// Waits until the server has recorded which of this machine's requests have ended.
    ///
    /// Call it before the program exits: a request whose end is not recorded occupies its slot until the lease ends. If
    /// the server cannot be reached, it returns at once.
    pub async fn shutdown(&self) {
        for queue in self.0.each() {
            // The server records all events before it returns the status; if it cannot be reached, nothing can be
            // recorded.
            drop(queue.status().await);
        }
    }
}

impl RateLimiter for SharedGate {
    fn acquire(&self, attempt: Attempt) -> AcquireFuture<'_> {
        Box::pin(async move {
            let mut admitted = Vec::new();
            for queue in self.0.of(attempt) {
                admitted.push(queue.turn(attempt).await?);
            }
            Ok(Permit::with_observer(QueuedInAll(admitted)))
        })
    }

    fn on_rate_limited(&self, pause: Duration) {
        // The response does not name the exceeded window, so all queues pause.
        self.0.each().for_each(|queue| queue.report(Event::RateLimited(Instant::now(), pause)));
    }

    fn rate_limit(&self) -> Option<RateLimit> {
        Some(self.0.limit.clone())
    }
}

impl fmt::Debug for SharedGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedGate").field("limit", &self.0.limit).finish_non_exhaustive()
    }
}
