//! Tests of the runtime with a mock service, in one program, which links faster than one program per module.

#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

// The same alias as in the crates that depend on the runtime.
extern crate generated_client_runtime as runtime;

mod alone;
mod bad_records;
mod base_urls;
#[cfg(feature = "blocking")]
mod blocking;
mod bot;
mod canaries;
mod cancel;
mod client_state;
mod custom_rate_limiter;
mod dead_connections;
mod dynamic;
mod encrypted;
mod error_text;
mod fields;
mod follow;
mod full_speed;
mod history;
mod history_times;
#[cfg(feature = "http2")]
mod http2;
mod jitter;
mod key_param;
#[cfg(feature = "tracing")]
mod logs;
mod loopback;
mod misbehaviour;
mod multi_history;
mod observer;
mod pages;
mod progress;
#[cfg(feature = "proxy")]
mod proxy;
mod ranges;
mod rate_limit;
mod request;
#[cfg(feature = "reqwest")]
mod reqwest;
mod response;
mod retry;
mod rotated_key;
mod secrets;
mod series;
#[cfg(feature = "settings")]
mod settings;
mod socket;
mod speed;
mod state_simulation;
mod status_in_body;
mod text_bodies;
mod tls;
mod token;
mod token_failures;
