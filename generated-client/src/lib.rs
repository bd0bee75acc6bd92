//! Derivatives-market analytics for Rust: order flow, open interest, funding, liquidations, positioning and options
//! of crypto markets, by venue, coin and interval, from a read-only HTTP service.
//!
//! Every endpoint that has a known path is a method, grouped by metric; its records are typed where they are known.
//! You bring the base URL and an API key. [`recipes`] has a program for each job.
//!
//! ```no_run
//! use generated_client::{Client, Timeframe};
//!
//! # async fn demo() -> Result<(), generated_client::Error> {
//! let client = Client::from_env()?;
//! let ratio = client
//!     .orderflow()
//!     .volume_ratio()
//!     .coin("BTC")
//!     .timeframe(Timeframe::H1)
//!     .limit(100)
//!     .await?;
//! for point in &ratio {
//!     println!("{} {:+.3}", point.open_date, point.volume_ratio);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! `Client::from_env` reads `MARKET_ANALYTICS_BASE_URL`, `MARKET_ANALYTICS_API_KEY` and, where the service asks for
//! tokens, `MARKET_ANALYTICS_CLIENT_ID` and `MARKET_ANALYTICS_CLIENT_SECRET`.
//!
//! A request is a value: build it, print it, compare it in a test, clone it, and `.await` it inside a Tokio runtime.
//!
//! # Long time ranges
//!
//! A reply has at most `limit` records and does not tell whether there are more. [`Request::history`] gives every record
//! of a range, without its end, in order of time and each once:
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
//! It fetches windows of time that hold no more records than a page, side by side within the limits, and gives them in
//! order; a slow consumer stops the fetching. It checks every reply, and asks again in parts where one looks cut. Gaps,
//! bad records, failures and the metadata are told beside the records ([`history::Findings`]). Each page has a
//! [`Checkpoint`](history::Checkpoint), from which a job that was killed continues. [`Together`](history::Together)
//! walks several series at once and makes a table of them. An endpoint without the params for it has no history, and the
//! compiler says so.
//!
//! # Files and the command line
//!
//! The crate `tables` of this project writes whole histories as Parquet, CSV and JSON Lines, and continues what is there;
//! its command line, `derivs`, lists, downloads, follows and plots every endpoint without a program.
//!
//! # Many requests at once
//!
//! Spawn, join or buffer as many as you like: a request is a task of its own from its first poll on and waits in one line
//! with the others, which no timeout counts but [`Builder::gate_timeout`]. Tokens go first in that line, then retries.
//! The limits are used as far as they go, in even steps where the line is long. An [`Observer`] hears of each attempt
//! and wait, and how each request ended and what it cost ([`Event`]); a [`Gate`] of your own hears what
//! kind of request enters, when it leaves and how it ends. Machines that share an API key share its limit with a gate of the
//! crate `generated-client-shared-gate`.
//!
//! # Limits and failures
//!
//! Requests are held back at a gate so that the service's limits are kept ([`RateLimit`]), sent again where that helps
//! ([`Retry`]), and given up in time. An [`Error`] says which request failed, how often it was sent, what came back and
//! what to do; its [`ErrorKind`] is for programs.
//!
//! # How facts are known
//!
//! What the interface document states stands without a mark. All else says how it is known ([`registry::Evidence`]):
//!
//! | mark | who says so | what the client makes of it |
//! |---|---|---|
//! | | the interface document | held to: a required param is an argument, a field is there |
//! | published | the provider's public documentation of this version | the same for params; a field is an `Option` |
//! | reported | public clients that ran against the service | documented, and left to the service |
//! | from the former version | the provider's description of the version before | the same; the name of a field may have changed |
//!
//! A field of the former version that has another name today is `None`, and what came is in `unknown_fields`. What
//! nobody knows is never a guess: such a body is a [`Value`], and what the catalogue does not know is within reach:
//! [`Request::query`] sends any param, [`Client::raw`] asks any path.
//!
//! # Before you adopt it
//!
//! | question | answer |
//! |---|---|
//! | Rust | 1.85, and a Tokio runtime; the feature `blocking` brings its own |
//! | TLS | rustls with *ring*, which a C compiler builds; bundled root certificates, or those of the system by a feature |
//! | size | 52 crates; a stripped program of 3.3 MiB |
//! | unsafe code | forbidden in this crate, its runtime and its transport |
//! | the token flow | off, unless a client id and secret are set |
//! | an endpoint that is missing | [`Client::raw`] today; a few lines of data in the catalogue for good |
//!
//! # What to do with a reply
//!
//! Records, series and values are written by serde as they stand on the wire. A series goes by [`column`](Series::column)
//! and by [`times`](Series::times) as well, also where the fields of its records are unknown, and a record gives its
//! values [by name](Record::value). A [`Timestamp`] is subtracted from another, and rounded down to a step with
//! [`floor`](Timestamp::floor) and [`Timeframe::duration`]. A value that does not fit its field makes the whole reply an
//! error, unless the request [leaves out](Request::skip_bad_records) the records that are bad. In tests of your own, records have a `Default`, a
//! series comes of a `Vec`, and a transport of a closure ([`transport::from_fn`]).
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
//! [`Builder`] has those of a client, all with defaults: timeouts, rules for another attempt, limits, a user agent, headers,
//! root certificates, a certificate of the client's own, and whoever is told what happens. A request has its own
//! timeouts, rules and headers where it sets them:
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
//! | `proxy` | | proxies, from the environment or by `Builder::proxy` |
//! | `reqwest` | | `transport::ReqwestTransport`, for a `reqwest::Client` of yours |
//! | `settings` | | `ClientSettings`, which serde reads, and `Builder::from_file` |
//! | `system-roots` | | `Builder::system_roots`, which trusts the system's root certificates instead of bundled ones |
//! | `tracing` | | a span for each request and an event for whatever happens in it |
//!
//! Without `proxy`, `HTTPS_PROXY` and the like are not looked at. A root certificate of your own takes no
//! feature: [`Builder::root_certificate`].

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
