//! One rate limit for all machines that use an API key, kept in Redis or Valkey.
//!
//! A service counts all requests with an API key, whichever machine sends them, but the built-in rate limiter of a client
//! counts only the requests of its own process. With a [`SharedRateLimiter`] as the rate limiter
//! ([`Builder::rate_limiter`](runtime::Builder::rate_limiter)) of every machine, all machines together stay within the
//! limit:
//!
//! ```no_run
//! # mod invented { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/tests/it/invented/service.rs")); }
//! # use invented::Client;
//! use std::time::Duration;
//!
//! use runtime::{Error, RateLimit};
//! use generated_client_shared_rate_limit::SharedRateLimiter;
//!
//! # fn demo() -> Result<(), Box<dyn std::error::Error>> {
//! let limit = RateLimit::new(10, Duration::from_secs(1), 20);
//! let limiter = SharedRateLimiter::builder("redis://127.0.0.1:6379", limit).name("research-key").build()?;
//! let client = Client::builder("https://example.com/v2").api_key("key").rate_limiter(limiter).build()?;
//! # Ok(()) }
//! ```
//!
//! - In any rolling window, measured by the server's clock, all machines together never send more requests than the
//!   limit, and never have more in flight than it allows. Windows, even pace, priorities, and the margin learned from
//!   429s work as in the built-in rate limiter.
//! - A 429 on one machine pauses all machines.
//! - A machine with requests in flight or waiting renews its lease every second, from a separate thread, however long a
//!   request takes. The lease reserves a slot for each request in flight. A machine that is dead or disconnected for
//!   eight seconds loses its slots.
//! - Machines with waiting requests take turns, and share the slots evenly.
//! - After the server was restarted or replaced, or has lost its data, nothing is sent for the duration of the longest
//!   window, because earlier requests are unknown. The same applies to the first use of a name.
//! - While the server cannot be reached, nothing is sent, and a request fails after 30 seconds
//!   ([`fail_after`](SharedRateLimiterBuilder::fail_after)).
//!
//! # How it works
//!
//! The shared state is a text with a version, under one key of the server. A machine computes the next shared state
//! from the last state that it knows, and sends the next state to the server. If another machine has changed the state
//! in the meantime, the server rejects the next state and returns the current one. A script of a few lines does this
//! compare-and-set and reads the server's clock; it is the only code that the server executes. The same Rust code as in
//! the built-in rate limiter decides which requests are admitted. A machine admits requests slightly before they may be sent,
//! so that the round trip to the server does not delay them.
//!
//! A window that counts only the requests of some endpoints has a separate shared state, under the key `NAME/NUMBER`.
//!
//! An exchange of messages with the server takes one round trip, and the server processes one exchange after the other.
//! Keep the server near: with a round-trip time of a millisecond, hundreds of machines share a limit of ten requests
//! per second.
//!
//! The module [`several_machines`] describes several programs with one API key.
//!
//! The rate limiter needs Redis from version 5, or Valkey, without cluster mode, and permission for `EVAL`, `EVALSHA`, `TIME`,
//! `HMGET`, `HSET` and `PEXPIRE`. If `INFO` is permitted too, the rate limiter detects that the server was restarted with an
//! older state. All machines must set the same limit. The server's clock may be adjusted gradually, but must not be set
//! forward while the rate limiter is in use.
//!
//! A machine that is suspended just before it sends a request may send it after its lease has ended.
//!
//! # Why `redis`
//!
//! The server's own documentation recommends the crate `redis` for Rust. The crate supports Redis and Valkey, has
//! asynchronous connections with timeouts on Tokio, and is small without its default features: no TLS, pool, cluster or
//! connection manager. The worker needs no connection manager: it keeps one connection and reconnects itself, because
//! the rate limiter decides what happens during an outage. The feature `tls` adds `rediss://` URLs.

#[doc = include_str!("../SEVERAL-MACHINES.md")]
pub mod several_machines {}

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

use runtime::RequestKind;
use runtime::emitted::LimitWindow;
use runtime::rate_limit::{AcquireFuture, Attempt, Permit, RateLimiter};
use runtime::{Error, RateLimit};
use tokio::time::Instant;

use queue::{Event, Queue, QueuedInAll};
pub use settings::SharedRateLimiterBuilder;
pub use status::{Machine, Status};

/// A rate limiter that is shared by all machines that use an API key.
///
/// Cloning is cheap, and all clones act as one machine. The rate limiter's worker ends once the last clone is dropped and the
/// machine's requests in flight have ended.
#[derive(Clone)]
pub struct SharedRateLimiter(Arc<Handle>);

/// The queues of a rate limiter. Each has a separate shared state.
struct Handle {
    /// One queue for each window that counts only some endpoints, in the order of the limit. All requests join the
    /// queues in this order, so no two requests wait for each other.
    of_some: Vec<(LimitWindow, Queue)>,
    of_all: Queue,
    limit: RateLimit,
}

impl Handle {
    fn each(&self) -> impl Iterator<Item = &Queue> {
        self.of_some.iter().map(|(_, queue)| queue).chain([&self.of_all])
    }

    /// Returns the queues that an attempt joins, one after the other.
    fn of(&self, attempt: Attempt) -> impl Iterator<Item = &Queue> {
        // A window that is limited to certain endpoints never counts token requests.
        let endpoint = if let RequestKind::Data(endpoint) = attempt.request { Some(endpoint) } else { None };
        let counts = move |window: &LimitWindow| endpoint.is_some_and(|endpoint| window.counts(endpoint));
        let of_some = self.of_some.iter().filter(move |(window, _)| counts(window));
        of_some.map(|(_, queue)| queue).chain([&self.of_all])
    }
}

impl SharedRateLimiter {
    /// Returns the settings of a rate limiter whose state is on the server at a URL:
    /// `redis://[user:password@]host[:port][/database]`.
    ///
    /// The rate limiter connects with the first request.
    pub fn builder(url: impl Into<String>, limit: RateLimit) -> SharedRateLimiterBuilder {
        SharedRateLimiterBuilder::new(url.into(), limit)
    }

    /// Reads the status of all machines from the server; the error gives the reason why the server cannot be reached or
    /// used.
    ///
    /// The status does not include windows that count only the requests of some endpoints.
    pub async fn status(&self) -> Result<Status, Error> {
        self.0.of_all.status().await
    }

    /// Waits until the server has recorded which of this machine's requests have ended.
    ///
    /// Call this method before the program exits: a request whose end is not recorded occupies its slot until the lease
    /// ends. If the server cannot be reached, the method returns at once.
    pub async fn shutdown(&self) {
        for queue in self.0.each() {
            // The server records all events before it returns the status. An error is ignored, because an unreachable
            // server cannot record anything.
            drop(queue.status().await);
        }
    }
}

impl RateLimiter for SharedRateLimiter {
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

impl fmt::Debug for SharedRateLimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedRateLimiter").field("limit", &self.0.limit).finish_non_exhaustive()
    }
}
