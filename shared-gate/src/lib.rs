//! One rate limit for all machines that use an API key, kept in Redis or Valkey.
//!
//! A service counts what a key sends, wherever it comes from; the built-in gate of a client knows one process. A
//! [`SharedGate`] takes its place ([`Builder::rate_limiter`](runtime::Builder::rate_limiter)) on every machine, and all of them
//! together keep to the limit:
//!
//! ```no_run
//! # mod invented { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/tests/it/invented/service.rs")); }
//! # use invented::Client;
//! use std::time::Duration;
//!
//! use runtime::RateLimit;
//! use shared_gate::SharedGate;
//!
//! # fn demo() -> Result<(), Box<dyn std::error::Error>> {
//! let limit = RateLimit::new(10, Duration::from_secs(1), 20);
//! let gate = SharedGate::builder("redis://127.0.0.1:6379", limit).name("research-key").build()?;
//! let client = Client::builder("https://example.com/v2").api_key("key").rate_limiter(gate).build()?;
//! # Ok(()) }
//! ```
//!
//! # What holds
//!
//! - In no rolling window do the machines together send more than the limit, and no more are in flight at once, by the
//!   server's clock. The windows, the even pace, the margin that is learned from refusals and reply times, and what
//!   goes first are the built-in gate's.
//! - A 429 that one machine gets pauses all.
//! - A machine renews its lease on its slots every second for as long as it has requests in flight or waiting, from a
//!   thread of its own, however long a request takes. A machine that is dead or cut off for eight seconds loses
//!   them.
//! - Machines that want to send take turns, and share the slots evenly.
//! - After the server has restarted, was replaced or has lost its data, nothing is sent for the longest window, since
//!   earlier requests are unknown. The same holds at the first use of a name.
//! - While the server cannot be reached, either nothing is sent or each machine sends its share: [`OnUnreachable`].
//!
//! # How it works
//!
//! The shared state stands under one key of the server, as a text with a version. A machine proposes the next shared state from the
//! one it knows and offers it; the server takes it if no other machine was faster, and otherwise answers with the
//! shared state that it holds. That compare-and-set and the reading of the server's clock are one script of a few lines, and
//! all that the server executes. Rust code decides which requests pass, the same code as in the built-in gate, so that
//! its rules are stated once. A machine lets requests pass a little ahead of their time, so that the exchange does not
//! delay them.
//!
//! A window that counts the requests of some endpoints alone has a shared state of its own, under the key `NAME/NUMBER`.
//!
//! An exchange takes a round trip, and those of all machines follow one another. Keep the server near: at a round trip
//! of a millisecond, hundreds of machines share a limit of ten requests a second.
//!
//! A backfill on several machines is shown on a page of its own, [`fleet`].
//!
//! # What it needs
//!
//! Redis from version 5 or Valkey, without cluster mode, and the right to `EVAL`, `EVALSHA`, `TIME`, `HMGET`, `HSET`
//! and `PEXPIRE`; with `INFO` it notices a restart by which the server has gone back to an older state. All machines
//! name the same limit. The server's clock may be slewed, but must not be set forward while the gate is in use.
//!
//! A machine that is suspended while one of its requests is about to leave may send it after its lease has ended.
//!
//! # Why `redis`
//!
//! It is the client library that the server's own documentation names for Rust, speaks to Redis and Valkey, has
//! asynchronous connections with timeouts on Tokio, and is small without its default features: no TLS, pool, cluster or
//! connection manager. The worker keeps one connection and makes it anew itself, since the gate decides what happens
//! meanwhile. The feature `tls` adds `rediss://` URLs.

#[doc = include_str!("../FLEET.md")]
pub mod fleet {}

mod clock;
mod line;
mod outage;
mod proposal;
mod redis_store;
mod settings;
mod shared_state;

mod status;
mod store;
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
use runtime::rate_limit::{AcquireFuture, Attempt, Permit, RateLimiter, RateLimiterError, RequestKind, WindowOfSome};
use tokio::time::Instant;

use line::{EnteredAll, Event, Line};
pub use outage::OnUnreachable;
pub use settings::{InvalidSettings, SharedGateBuilder};
pub use status::{Machine, Status};

/// A gate that all machines with an API key share.
///
/// Cloning is cheap, and clones are the same machine. Its worker ends with the last of them, once the requests that are
/// under way have ended.
#[derive(Clone)]
pub struct SharedGate(Arc<Handle>);

struct Handle {
    lines: Lines,
    limit: RateLimit,
    name: String,
}

/// Where requests wait: each line has a shared state of its own.
struct Lines {
    /// For windows that count the requests of some endpoints alone, in the order of the limit: requests take them in
    /// one order, so no two wait for each other.
    of_some: Vec<(WindowOfSome, Arc<Line>)>,
    of_all: Arc<Line>,
}

impl Lines {
    fn each(&self) -> impl Iterator<Item = &Arc<Line>> {
        self.of_some.iter().map(|(_, line)| line).chain([&self.of_all])
    }

    /// Those in which an attempt waits, one after the other.
    fn of(&self, attempt: Attempt) -> impl Iterator<Item = &Arc<Line>> {
        // No window of some endpoints counts a token.
        let endpoint = if let RequestKind::Data(endpoint) = attempt.request { Some(endpoint) } else { None };
        let counts = move |window: &WindowOfSome| endpoint.is_some_and(|endpoint| window.counts(endpoint));
        let of_some = self.of_some.iter().filter(move |(window, _)| counts(window));
        of_some.map(|(_, line)| line).chain([&self.of_all])
    }
}

impl SharedGate {
    /// Settings of a gate that keeps a limit on the server at a URL: `redis://[user:password@]host[:port][/database]`.
    ///
    /// Nothing connects before the first request.
    pub fn builder(url: impl Into<String>, limit: RateLimit) -> SharedGateBuilder {
        SharedGateBuilder::new(url.into(), limit)
    }

    fn new(lines: Lines, limit: RateLimit, name: String) -> Self {
        Self(Arc::new(Handle { lines, limit, name }))
    }

    /// Asks the server what all machines are doing; an error says why it cannot be reached or used.
    ///
    /// Windows that count the requests of some endpoints alone are not looked at.
    pub async fn status(&self) -> Result<Status, RateLimiterError> {
        self.0.lines.of_all.ask().await
    }

    /// Waits until the server knows which of this machine's requests have ended.
    ///
    /// Call it before the program exits: a request whose end the server does not know keeps its place until the lease
    /// ends. If the server cannot be reached, it returns at once.
    pub async fn shutdown(&self) {
        for line in self.0.lines.each() {
            line.written().await;
        }
    }
}

impl RateLimiter for SharedGate {
    fn acquire(&self, attempt: Attempt) -> AcquireFuture<'_> {
        Box::pin(async move {
            let mut entered = Vec::new();
            for line in self.0.lines.of(attempt) {
                entered.push(line.turn(attempt).await?);
            }
            Ok(Permit::with_observer(EnteredAll(entered)))
        })
    }

    fn on_rate_limited(&self, pause: Duration) {
        // Nobody says which window was too full.
        self.0.lines.each().for_each(|line| line.tell([Event::Refused(Instant::now(), pause)]));
    }

    fn rate_limit(&self) -> Option<RateLimit> {
        Some(self.0.limit.clone())
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.lines.each().for_each(|line| line.close());
    }
}

impl fmt::Debug for SharedGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedGate").field("name", &self.0.name).field("limit", &self.0.limit).finish_non_exhaustive()
    }
}
