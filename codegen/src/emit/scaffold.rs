//! Emits the files that a new crate needs in addition to the generated ones: a manifest, a `lib.rs`, and the git
//! settings for generated files.
//!
//! These files are written only once, and the user may edit them. The caller makes sure that none of them is
//! overwritten.

use super::{File, Package, docs};
use crate::model::Api;

/// The `Cargo.toml`, the `src/lib.rs` and the `.gitattributes` of a new crate. `runtime` is the folder of the runtime
/// that the crate depends on.
pub fn scaffold(api: &Api, package: &Package, runtime: &str) -> Vec<File> {
    vec![
        File { path: "Cargo.toml".to_owned(), text: manifest(api, package, runtime) },
        File { path: "src/lib.rs".to_owned(), text: library(api) },
        File { path: ".gitattributes".to_owned(), text: ATTRIBUTES.to_owned() },
    ]
}

/// Git settings: emitted files have the same line endings on every machine, and GitHub collapses them in reviews.
const ATTRIBUTES: &str =
    "src/generated/** text eol=lf linguist-generated=true\ndocs/** text eol=lf linguist-generated=true\n";

fn manifest(api: &Api, package: &Package, runtime: &str) -> String {
    // A JSON string is also a valid TOML string.
    let description = serde_json::Value::from(format!("Typed access to {}", api.service.title));
    let runtime = serde_json::Value::from(runtime);
    let version = env!("CARGO_PKG_VERSION");
    format!(
        r#"[package]
name = "{name}"
description = {description}
version = "0.1.0"
edition = "2024"
rust-version = "1.85"

[features]
default = ["gzip"]
# Requests for callers who do not await: `send_blocking`.
blocking = ["runtime/blocking"]
# A `Timestamp` from and to the types of these crates.
chrono = ["runtime/chrono"]
jiff = ["runtime/jiff"]
time = ["runtime/time"]
# Lets the built-in transport ask for compressed replies.
gzip = ["runtime/gzip"]
# The setting `http2`: HTTP/2 where the server offers it, by ALPN.
http2 = ["runtime/http2"]
# The settings `proxy` and `env_proxy`: a proxy that is set, or that the environment selects.
proxy = ["runtime/proxy"]
# A transport for a `reqwest::Client` of the user's own.
reqwest = ["runtime/reqwest"]
# Settings as a value that serde reads, and from a TOML file.
settings = ["runtime/settings"]
# The root certificates of the system in place of the bundled ones.
system-roots = ["runtime/system-roots"]
# Spans and events for a subscriber of the user's.
tracing = ["runtime/tracing"]

[dependencies]
runtime = {{ package = "generated-client-runtime", version = "={version}", path = {runtime} }}

[dev-dependencies]
# What the emitted tests of requests are compared with.
runtime = {{ package = "generated-client-runtime", version = "={version}", path = {runtime}, features = ["__request-checks"] }}
# What the programs in the docs run on.
tokio = {{ version = "1", features = ["macros", "rt-multi-thread"] }}
"#,
        name = package.name,
    )
}

fn library(api: &Api) -> String {
    let service = &api.service;
    let mut text = String::new();
    let head = [format!("{} {}", service.title, service.version), service.summary.clone()];
    for (index, paragraph) in head.iter().filter(|paragraph| !paragraph.trim().is_empty()).enumerate() {
        if index > 0 {
            text += "//!\n";
        }
        text.extend(docs::wrap(&docs::prose(paragraph)).into_iter().map(|line| format!("//! {line}\n")));
    }
    text + REST
}

const REST: &str = r#"
#[rustfmt::skip]
mod generated;

#[doc(inline)]
pub use ::runtime::{
    AnyBody, AnySeries, BadRecord, Body, Column, DecodeError, Dynamic, Endpoint, Error, ErrorKind,
    OutOfRange, ParseTimestampError, RateLimit, Raw, RequestKind, Response, ResponseFuture, Retry, Secret, Timestamp,
    Value, history, observer, rate_limit, record, registry, transport, wire,
};
#[cfg(feature = "settings")]
#[doc(inline)]
pub use ::runtime::ClientSettings;
pub use generated::*;
"#;
