//! One rate limit for all processes that use an API key: on one machine in a file, on several machines in Redis or Valkey.
//!
//! A service counts all requests with an API key, whichever process sends them, but the built-in rate limiter of a client
//! counts only the requests of its own process. With a [`SharedRateLimiter`] as the rate limiter of every process, all
//! processes together stay within the limit.
//!
//! On one machine, a single call is enough, and no server is needed. The program `derivs` and its Python module do the same:
//!
//! ```no_run
//! # use test_service::invented::Client;
//! # fn demo() -> Result<(), Box<dyn std::error::Error>> {
//! use generated_client_shared_rate_limit::shared_on_this_machine;
//!
//! let client = shared_on_this_machine(Client::builder("https://example.com/v2").api_key("key")).build()?;
//! # Ok(()) }
//! ```
//!
//! On several machines, every process uses the same server:
//!
//! ```no_run
//! # use test_service::invented::Client;
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
//! - In any rolling window, measured by the store's clock, all processes together never send more requests than the
//!   limit, and never have more in flight than it allows. Windows, even pace, priorities, and the margin learned from
//!   429s work as in the built-in rate limiter.
//! - A 429 in one process pauses all processes.
//! - Processes with waiting requests take turns, and share the slots evenly.
//! - If a process has another limit than the others, it applies its own limit to the requests of all processes. A change
//!   of the limit does not block requests.
//!
//! Processes share a file if they belong to one user on one machine, and have the same API key and host. They share the
//! state on a server if they have the same URL and name. The module [`several_machines`] lists what happens if a process
//! is killed or suspended, and if the data is lost. While a server cannot be used, each attempt of a request fails after 30
//! seconds, or after [`fail_after`](SharedRateLimiterBuilder::fail_after).
//!
//! # How it works
//!
//! The shared state is a text with a version, in a file or under one key of the server. A process computes the next shared
//! state from the last state that it knows, and sends the next state to the store. If another process has changed the
//! state in the meantime, the store rejects the next state and returns the current one. The same Rust code as in the
//! built-in rate limiter decides which requests are admitted. A process admits requests slightly before they may be sent,
//! so that the exchange with the store does not delay them.
//!
//! A process with requests in flight or waiting has a lease in the shared state, which reserves a slot for each request in
//! flight. A separate thread renews the lease, however long a request takes.
//!
//! A window that counts only the requests of some endpoints has a separate shared state, under the name `NAME/NUMBER`.
//!
//! ## The file
//!
//! The file is in `$XDG_STATE_HOME` or `~/.local/state`, in a folder `shared-rate-limit-UID` that only the user can read.
//! Its name is a digest of API key and host, with a random key that is in the same folder, so it reveals neither. Processes
//! with another `$XDG_STATE_HOME`, in containers with other home folders, or of a version that writes another format, do
//! not share the limit.
//!
//! The clock is the time since the boot, which counts suspended time and is never set. Each boot of each machine uses other
//! files, so a home folder on a network file system does no harm. A process keeps a small file locked while it lives, from
//! which the others detect its end. Files that nobody uses are removed.
//!
//! The file is used on Linux. On other systems, the limit applies to each process.
//!
//! ## The server
//!
//! A script of a few lines does the compare-and-set and reads the server's clock; it is the only code that the server
//! executes. After the server was restarted or replaced, earlier requests are unknown, so nothing is sent for the duration
//! of the longest window. The same applies to the first use of a name.
//!
//! An exchange of messages with the server takes one round trip, and the server processes one exchange after the other.
//! Keep the server near: with a round-trip time of a millisecond, hundreds of processes share a limit of ten requests
//! per second.
//!
//! The rate limiter needs Redis from version 5, or Valkey, without cluster mode, and permission for `EVAL`, `EVALSHA`,
//! `TIME`, `HMGET`, `HSET` and `PEXPIRE`. If `INFO` is permitted too, the rate limiter detects that the server was restarted
//! with an older state. The server's clock may be adjusted gradually, but must not be set forward while the rate limiter is
//! in use.
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

// The modules, lowest layer first.
mod failure;

mod clock;

mod event;

mod lease;

mod status;

mod queue;

mod participant;

mod shared_state;

mod proposal;

mod state_store;

mod known_state;

mod outage;

mod worker;

mod shared_rate_limiter;

mod parts;

mod redis_store;

mod builder;

#[cfg(target_os = "linux")]
mod file_store;

#[cfg(not(target_os = "linux"))]
#[path = "no_file_store.rs"]
mod file_store;

mod machine_limit;

#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzz;

#[cfg(test)]
mod tests;

pub use builder::SharedRateLimiterBuilder;
pub use machine_limit::shared_on_this_machine;
pub use shared_rate_limiter::SharedRateLimiter;
pub use status::{Process, Status};
