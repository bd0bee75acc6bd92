//! Derivatives-market analytics for Rust: order flow, open interest, funding, liquidations, positioning and options of
//! crypto markets, by venue, coin and interval, with their history.
//!
//! A read-only HTTP service computes these metrics. Each endpoint whose path is known is a method here, grouped by metric,
//! with typed params, and typed records where their fields are known. The crate is for research, back-tests and signals; it
//! places no orders. You bring the base URL of the service and an API key.
//!
//! # One program
//!
//! ```no_run
//! use generated_client::{Client, Error, Exchange, Timeframe};
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Error> {
//!     let client = Client::from_env()?;
//!     let ratio = client
//!         .orderflow()
//!         .volume_ratio()
//!         .exchange(Exchange::BINANCE_PERP_STABLE)
//!         .coin("BTC")
//!         .timeframe(Timeframe::H1)
//!         .limit(100)
//!         .await?;
//!     for point in &ratio {
//!         println!("{} {:+.3}", point.open_date, point.volume_ratio);
//!     }
//!     Ok(())
//! }
//! ```
//!
//! [`recipes`] has a program for each job. A request is a value: build it, print it, compare it in a test, clone it, and
//! `.await` it inside a Tokio runtime.
//!
//! | variable | read by | meaning |
//! |---|---|---|
//! | `MARKET_ANALYTICS_BASE_URL` | [`Client::from_env`] | where the service is |
//! | `MARKET_ANALYTICS_API_KEY` | the same | the API key |
//! | `MARKET_ANALYTICS_CLIENT_ID`, `MARKET_ANALYTICS_CLIENT_SECRET` | the same | both turn the token flow on |
//! | `MARKET_ANALYTICS_GATE` | `derivs` | a Redis or Valkey server that keeps the rate limit of several machines |
//! | `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY` | the feature `proxy` | the way to the service |
//! | `SSL_CERT_FILE`, `SSL_CERT_DIR` | the feature `system-roots` | where the system's root certificates are |
//!
//! # History
//!
//! A reply has at most one page of records and does not tell whether there are more. [`Request::history`] gives every record
//! of a range, in order of time and each once. The end of the range is not in it.
//!
//! ```no_run
//! # use std::time::Duration;
//! # use generated_client::{Client, Timeframe, Timestamp};
//! # async fn demo(client: &Client) -> Result<(), generated_client::Error> {
//! let ratio = client.orderflow().volume_ratio().coin("BTC").timeframe(Timeframe::M1);
//! let now = Timestamp::now();
//! let year = ratio.clone().history(now - Duration::from_secs(365 * 86_400)..now);
//! println!("{:?}", year.plan()?);
//! let mut pages = year.pages();
//! while let Some(page) = pages.next().await {
//!     let page = page?;
//!     println!("{} records, {:?} left", page.records.len(), pages.progress().time_left());
//!     for gap in &page.findings.gaps {
//!         println!("missing: {:?}", gap.range);
//!     }
//! }
//! // From now on, each minute once it is over.
//! let mut minutes = ratio.follow(now);
//! let next = minutes.next().await?;
//! # Ok(())
//! # }
//! ```
//!
//! It fetches pages side by side within the rate limit and gives them in order; a slow consumer stops the fetching. Where a
//! reply looks cut, it asks again in parts. Times without a record, bad records, pages that keep failing and the metadata
//! come beside the records ([`history::Findings`]). Each page has a [`Checkpoint`](history::Checkpoint), from which a job
//! that was killed goes on. [`Together`](history::Together) walks several series at once and makes a table of them. An
//! endpoint without the params for it has no history, and the compiler says so.
//!
//! # Files and the command line
//!
//! The crate `generated-client-tables` of this project writes whole histories as Parquet, CSV and JSON Lines, and goes on with what is there;
//! Python reads them. The command line, `derivs`, does the same without a program, and lists, describes and plots.
//!
//! # Many requests at once
//!
//! Spawn, join or buffer as many as you like. From its first poll on a request is a task of its own and waits in one line
//! with the others; only [`Builder::gate_timeout`] counts the time in that line. Tokens go first, then retries, then whoever
//! came first. An [`Observer`] hears of each attempt and wait, and how each request ended and what it cost ([`Event`]). A
//! [`Gate`] of your own decides itself when requests leave. Machines that share an API key share its rate limit with the
//! gate of the crate `generated-client-shared-gate`.
//!
//! # Limits and failures
//!
//! Three words for three things: the rate limit is how many requests the service takes, the page size is how many records a
//! reply has at most (the param `limit`), and a bound is what the client allows of time or bytes.
//!
//! Requests are held back so that the rate limit is kept ([`RateLimit`]; the documented ones are in [`limits`]), sent
//! again where that helps ([`Retry`]), and given up after a time-out. An [`Error`] says which request failed, how often
//! it was sent, what came back and what to do. Programs ask its [`kind`](Error::kind),
//! [`is_retryable`](Error::is_retryable), [`is_auth`](Error::is_auth) and the like; [`body`](Error::body) has what the
//! service said.
//!
//! A value that does not fit its field makes the whole reply an error, unless the request
//! [leaves out](Request::skip_bad_records) the records that are bad.
//!
//! # How facts are known
//!
//! The service is thinly documented. What its interface document states stands here without a mark. All else says how it is
//! known ([`registry::Evidence`]):
//!
//! | mark | who says so | what the client makes of it |
//! |---|---|---|
//! | | the interface document | relied on: a required param is an argument, a field is always there |
//! | published | the provider's public documentation of this version | the same for params; a field is an `Option` |
//! | reported | public clients that agree | left to the service; a field is an `Option` |
//! | former | the provider's description of the former version | the same; a name may be another one today |
//!
//! A field that has another name today is `None`, and what came is in `unknown_fields`; an [`Observer`] is told of it with
//! [`Event::NoKnownField`]. What nobody knows is never a guess: such a body is a [`Value`]. What the crate does not know is
//! within reach: [`Request::query`] sends any param, [`Client::raw`] asks any path, and [`Exchange`] and [`Coin`] take any
//! text.
//!
//! # Before you adopt it
//!
//! | question | answer |
//! |---|---|
//! | Rust | 1.85, and a Tokio runtime; the feature `blocking` brings its own |
//! | TLS | rustls with *ring*, which a C compiler builds; bundled root certificates, or those of the system by a feature |
//! | size | 52 crates with default features; a stripped program of 3.3 MiB |
//! | unsafe code | forbidden in this crate, its runtime and its transport |
//! | token flow | off, unless a client id and a client secret are set |
//! | platforms | tested on Linux and, with a transport of yours, on [WebAssembly](recipes#in-a-browser); untried on macOS and Windows |
//! | a missing endpoint | [`Client::raw`] today; a few lines of data in the project's catalogue for good |
//!
//! # What to do with a reply
//!
//! Records, series and values are written by serde as they stand on the wire. A series goes by [`column`](Series::column)
//! and by [`times`](Series::times), also where the fields of its records are unknown, and a record gives its values
//! [by name](Record::value). A [`Timestamp`] counts in UTC, is subtracted from another, and rounded down to a step with
//! [`floor`](Timestamp::floor) and [`Timeframe::duration`]. In tests of your own, records have a `Default`, a series is made
//! from a `Vec`, and a transport from a closure ([`transport::from_fn`]).
//!
//! ```
//! # use generated_client::{Series, Value};
//! # fn demo(series: &Series<Value>) -> Option<()> {
//! let sum: f64 = series.column("volumeRatio")?.numbers().flatten().sum();
//! let last = series.times().into_iter().flatten().max();
//! # Some(()) }
//! ```
//!
//! # Settings
//!
//! [`Builder`] has those of a client, all with defaults: bounds of time and bytes, rules for another attempt, the rate limit,
//! a user agent, headers, root certificates, a certificate of the client's own, and an observer. A request has its own
//! time-outs, rules and headers where it sets them:
//!
//! ```no_run
//! # use generated_client::{Client, Retry};
//! use std::time::Duration;
//!
//! # async fn demo() -> Result<(), generated_client::Error> {
//! let client = Client::builder("https://example.com/v2")
//!     .api_key("key")
//!     .user_agent("crowding/1.2")
//!     .header("x-team", "red")
//!     .attempt_timeout(Duration::from_secs(10))
//!     .build()?;
//! let request = client.orderflow().volume_ratio().coin("BTC");
//! let ratio = request.timeout(Duration::from_secs(60)).retry(Retry::default().attempts(8)).await?;
//! # Ok(())
//! # }
//! ```
//!
//! With the feature `settings` they come from a TOML file (`Builder::from_file`) or from whatever serde reads
//! (`ClientSettings`, whose documentation shows such a file). `Debug` shows no key, secret or header of either.
//!
//! # Features
//!
//! | feature | on by default | what it adds |
//! |---|---|---|
//! | `chrono`, `jiff`, `time` | | a [`Timestamp`] from and to the types of these crates |
//! | `gzip` | yes | the built-in transport asks for compressed replies |
//! | `blocking` | | `send_blocking` on every request, and iterators over histories and what follows, for callers who do not await |
//! | `http2` | | HTTP/2 where the server offers it; otherwise it is HTTP/1.1 |
//! | `proxy` | | proxies, from the environment or by `Builder::proxy`; without it those variables are not looked at |
//! | `reqwest` | | `transport::ReqwestTransport`, for a `reqwest::Client` of yours |
//! | `settings` | | `ClientSettings`, which serde reads, and `Builder::from_file` |
//! | `system-roots` | | `Builder::system_roots`, which trusts the system's root certificates instead of bundled ones |
//! | `tracing` | | a span for each request and an event for whatever happens in it |
//!
//! A root certificate of your own takes no feature: [`Builder::root_certificate`].
//!
//! # How it is made, and how to add an endpoint
//!
//! Methods, records and the registry ([`GROUPS`]) are emitted from a catalogue in YAML, `spec/` in the repository; all
//! behaviour stands in a runtime written by hand. An endpoint is added with a few lines of YAML and
//! `cargo xtask codegen`. The crate holds what was emitted, so no generator runs where it is used.

#[rustfmt::skip]
mod generated;

#[doc(inline)]
pub use ::runtime::{
    AnyBody, AnySeries, BadRecord, BasicEncoding, Body, Builder, Column, DecodeError, Endpoint, Error, ErrorKind,
    Event, Gate, Item, Listed, Observer, OutOfRange, ParseTimestampError, RateLimit, Raw, Record, Response,
    ResponseFuture, Retry, Secret, Timestamp, Transport, UnknownFields, Value, gate, history, observer, record,
    registry, transport, wire,
};
#[cfg(feature = "settings")]
#[doc(inline)]
pub use ::runtime::{CertificateSettings, ClientSettings, RateLimitSettings, RetrySettings};
pub use generated::*;

#[doc = include_str!("../RECIPES.md")]
pub mod recipes {}

/// The front page's program compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct FrontPage;
