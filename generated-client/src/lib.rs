//! Typed client for a read-only HTTP API of crypto derivatives metrics: order flow, open interest, funding rates,
//! liquidations, long/short positioning, order books and options, by exchange, coin and timeframe, with their history.
//!
//! Every endpoint with a known path is a method, grouped by metric, with typed params and, where the fields are known,
//! typed records. The crate is for research, backtests and signals; it does not place orders. You need the base URL of
//! the API and an API key.
//!
//! # Quick start
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
//!     for record in &ratio {
//!         println!("{} {:+.3}", record.open_date, record.volume_ratio);
//!     }
//!     Ok(())
//! }
//! ```
//!
//! [`recipes`] has a program for each common task. A request is a value: build it, print it, compare it in a test,
//! clone it, and `.await` it inside a Tokio runtime.
//!
//! | variable | read by | content |
//! |---|---|---|
//! | `MARKET_ANALYTICS_BASE_URL` | [`Client::from_env`] | base URL |
//! | `MARKET_ANALYTICS_API_KEY` | [`Client::from_env`] | API key |
//! | `MARKET_ANALYTICS_CLIENT_ID`, `MARKET_ANALYTICS_CLIENT_SECRET` | [`Client::from_env`] | credentials of the token flow, which is off without them |
//! | `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY` | feature `proxy`, with `Builder::env_proxy` | proxies |
//! | `SSL_CERT_FILE`, `SSL_CERT_DIR` | feature `system-roots` | root certificates of the system |
//!
//! # History
//!
//! One response has at most one page of records, and does not report whether the API has more records.
//! [`Request::history`] returns every record of a time range exactly once, in time order, also if several responses have
//! it. A record that one response has twice is returned twice. The end of the range is exclusive.
//!
//! ```no_run
//! # use std::time::Duration;
//! # use generated_client::{Client, Timeframe, Timestamp};
//! # async fn demo(client: &Client) -> Result<(), generated_client::Error> {
//! let ratio = client.orderflow().volume_ratio().exchange("binance_perp_stable").coin("BTC").timeframe(Timeframe::M1);
//! let now = Timestamp::now();
//! let year = ratio.clone().history(now - Duration::from_secs(365 * 86_400)..now);
//! println!("{:?}", year.plan()?);
//! let mut pages = year.pages();
//! while let Some(page) = pages.next().await {
//!     let page = page?;
//!     println!("{} records, {:?} left", page.records.len(), pages.progress().time_left());
//!     for gap in &page.report.gaps {
//!         println!("missing: {:?}", gap.range);
//!     }
//! }
//! // From now on, each minute once it has closed.
//! let mut minutes = ratio.follow(now);
//! let next = minutes.next().await?;
//! # Ok(())
//! # }
//! ```
//!
//! - Pages are fetched concurrently within the rate limit and returned in order; a slow consumer pauses the fetching. A
//!   page that looks truncated is fetched again in smaller parts.
//! - Gaps and the metadata of responses are returned next to the records ([`history::Report`]).
//! - Invalid records and failed pages end the history with an error, unless you allow them:
//!   `request.skip_bad_records().history(from..to).skip_failed_pages()` returns them next to the records too.
//! - Each page has a [`Checkpoint`](history::Checkpoint) from which a later run resumes.
//! - `plan` estimates the number of requests and the minimum duration before you start.
//! - [`MultiHistory`](history::MultiHistory) joins several series into one table by timestamp.
//! - An endpoint without a time range has no method `history`, so a call of it does not compile; after `into_dynamic`, it
//!   is an error at run time.
//!
//! # Files and the command line
//!
//! The crate `generated-client-dataset` of this project writes complete histories to Parquet, CSV and JSON Lines, which
//! Python can read, and keeps the files up to date. The command line, `derivs`, does the same without a program; it
//! also lists and describes endpoints and plots series.
//!
//! # Concurrent requests
//!
//! Spawn, join or buffer as many requests as you like. `.await` converts a [`Request`] to a future; `tokio::spawn` and
//! `join_all` need the future itself, `request.into_future()`.
//!
//! - Each request becomes a separate task when it is first polled, and all requests wait in one queue for the rate limit.
//!   Token requests are sent first, then those of followers, then retries, then other requests, and last the further
//!   pages of histories; requests of the same kind are sent in order of arrival.
//! - Of all timeouts, only `Builder::queue_timeout` counts the time in that queue.
//! - An [`Observer`](observer::Observer) receives an event for each attempt and wait, and for the end of each request, with
//!   the params of the request ([`Event`](observer::Event)).
//! - A custom [`RateLimiter`](rate_limit::RateLimiter) can decide when requests are sent. The crate
//!   `generated-client-shared-rate-limit` shares the rate limit of an API key between processes and machines.
//!
//! # Limits and errors
//!
//! The *rate limit* is the number of requests that the API accepts, the *page size* (param `limit`) is the maximum
//! number of records in a response, and *timeouts* and *maximum sizes* are limits that the client sets.
//!
//! The client delays requests to stay within the rate limit ([`RateLimit`]; the documented ones are in [`limits`]),
//! retries transient errors ([`Retry`]), and fails after a timeout. An [`Error`] names the request, the number of
//! attempts, the response and a fix. Its [`kind`](Error::kind), [`is_retryable`](Error::is_retryable),
//! [`is_auth`](Error::is_auth) and similar methods are for programs; [`body`](Error::body) is the response body, and
//! [`json_path`](Error::json_path) the place in it that did not decode.
//!
//! By default, one invalid value of a documented field fails the whole response; [`Request::skip_bad_records`] drops only
//! that record. In a field of another source, such a value is `None`, and among the record's unknown fields.
//!
//! # Sources of the API facts
//!
//! The API is only partly documented. Every path, param and field has its source
//! ([`registry::Evidence`]):
//!
//! | label | source | in the client |
//! |---|---|---|
//! | documented | the API document | required params are arguments; fields are always present |
//! | published | the provider's public documentation of this version | required params are arguments; fields are `Option` |
//! | reported | public clients that agree | not enforced; fields are `Option` |
//! | previous version | the provider's documentation of the previous API version | not enforced; fields are `Option`, and the name may have changed |
//!
//! If the API has renamed a field since the previous version, the field is `None` and its value is in `unknown_fields`. An
//! [`Observer`](observer::Observer) receives
//!
//! - [`UnrecognizedRecords`](observer::Event::UnrecognizedRecords) if no record of a response has a known field,
//! - [`FieldMissing`](observer::Event::FieldMissing), once, if a field that had values is absent or `null` in an entire
//!   response, with the names of new fields; the feature `tracing` logs a warning.
//!
//! Anything unknown is a [`Value`], never a guess, and still usable: [`Request::query`] sends any param, [`Client::raw`]
//! requests any path, and [`Exchange`] and [`Coin`] accept any text.
//!
//! # Requirements
//!
//! | question | answer |
//! |---|---|
//! | Rust | 1.85, and a Tokio runtime; the feature `blocking` starts its own |
//! | TLS | rustls with *ring*, which needs a C compiler; bundled root certificates, or those of the system with a feature |
//! | unsafe code | forbidden in this crate and its runtime |
//! | token flow | used only if a client id and a client secret are set |
//! | platforms | tested on Linux; not tested on macOS and Windows |
//! | a missing endpoint | use [`Client::raw`], or add a few lines to the project's catalogue |
//!
//! # Records and series
//!
//! serde writes and reads records, series and values in their wire form. The record of an endpoint is in the module of its
//! group, for example [`orderflow::VolumeRatioRecord`].
//!
//! - `Series::column` and `Series::times` also work if the fields of the records are unknown. A history has the method
//!   `column` and the field `times`, and a record returns its values [by name](record::Record::value).
//! - A [`Timestamp`] is UTC. Timestamps can be subtracted, and [`floor`](Timestamp::floor) rounds them down to a step, such
//!   as a `Duration` of one hour.
//! - For your tests, records implement `Default`, a series is created from a `Vec`, and a transport from a closure
//!   ([`transport::from_fn`]).
//!
//! ```
//! # use generated_client::{Series, Value};
//! # fn demo(series: &Series<Value>) {
//! let sum: Option<f64> = series.column("volumeRatio").map(|column| column.numbers().flatten().sum());
//! let last = series.times().into_iter().flatten().max();
//! # }
//! ```
//!
//! # Settings
//!
//! [`Builder`] has the settings of a client, all with defaults: timeouts and maximum sizes, retries, the rate limit, a
//! user agent, headers, root certificates, a client certificate, and an observer. A request can set its own timeouts,
//! retries and headers:
//!
//! ```no_run
//! # use generated_client::{Client, Retry, Timeframe};
//! use std::time::Duration;
//!
//! # async fn demo() -> Result<(), generated_client::Error> {
//! let client = Client::builder("https://example.com/v2")
//!     .api_key("key")
//!     .user_agent("crowding/1.2")
//!     .header("x-team", "red")
//!     .attempt_timeout(Duration::from_secs(10))
//!     .build()?;
//! let ratio = client.orderflow().volume_ratio().exchange("binance_perp_stable").coin("BTC");
//! let request = ratio.timeframe(Timeframe::H1);
//! let ratio = request.timeout(Duration::from_secs(60)).retry(Retry::default().max_attempts(8)).await?;
//! # Ok(())
//! # }
//! ```
//!
//! With the feature `settings`, the settings of a client can be read from a TOML file
//! (`Builder::from_file("settings.toml")?.build()?`) or from any format that serde supports (`ClientSettings`, whose
//! documentation shows such a file). The `Debug` output of
//! settings and clients contains no key, secret or header.
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `chrono`, `jiff`, `time` | | conversions between [`Timestamp`] and the types of these crates: `DateTime::try_from(timestamp)?` |
//! | `gzip` | yes | compressed responses |
//! | `blocking` | | `send_blocking` on every request, and blocking iterators over histories; the client is the same [`Client`] |
//! | `http2` | | `Builder::http2`: HTTP/2 where the server offers it |
//! | `proxy` | | `Builder::proxy`, and `Builder::env_proxy` for the proxy that the environment names |
//! | `reqwest` | | `transport::ReqwestTransport`, for your own `reqwest::Client` |
//! | `rust_decimal` | | conversions between [`Decimal`] and the type of this crate |
//! | `settings` | | `ClientSettings`, which serde reads, and `Builder::from_file` |
//! | `system-roots` | | `Builder::system_roots`: root certificates of the system instead of bundled ones |
//! | `tracing` | | a span for each request and events within it |
//! | `zones` | | timestamps without an offset in the time zones that the catalogue names, of which this one names none |
//!
//! Your own root certificate needs no feature: `Builder::root_certificate`.
//!
//! # Generated code
//!
//! Methods, records and the registry ([`GROUPS`]) are generated from a YAML catalogue, `spec/` in the repository; all
//! behaviour is in a hand-written runtime. To add an endpoint, add a few lines of YAML and run `cargo xtask codegen`.
//! The generated code is part of the crate, so your build runs no generator.

#[rustfmt::skip]
mod generated;

#[cfg(feature = "settings")]
#[doc(inline)]
pub use ::runtime::ClientSettings;
#[doc(inline)]
pub use ::runtime::{
    AllPages, AnyBody, AnySeries, BadRecord, Body, Column, ConversionError, Decimal, DecodeError, Dynamic, Endpoint,
    Error, ErrorKind, PagesAccount, RateLimit, Raw, RequestKind, Response, ResponseFuture, Retry, Secret, Timestamp,
    Value, history, observer, rate_limit, record, registry, transport, wire,
};
pub use generated::*;

#[doc = include_str!("../RECIPES.md")]
pub mod recipes {}

/// Compiles the program in the README of the project.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct FrontPage;
