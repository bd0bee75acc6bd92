//! Emits the files that a new crate needs in addition to the generated files: a manifest, a `lib.rs`, the git settings
//! for generated files, and a crate with its command line.
//!
//! These files are written only once, and the user may edit them. The caller must not overwrite existing files.

use super::{File, Package, docs};
use crate::model::Api;

/// Returns the `Cargo.toml`, the `src/lib.rs` and the `.gitattributes` of a new crate. `project` is the folder of this
/// project, which contains the runtime and the sandbox on which the crate depends.
pub fn scaffold(api: &Api, package: &Package, project: &str) -> Vec<File> {
    vec![
        File { path: "Cargo.toml".to_owned(), text: manifest(api, package, project) },
        File { path: "src/lib.rs".to_owned(), text: library(api) },
        File { path: ".gitattributes".to_owned(), text: ATTRIBUTES.to_owned() },
    ]
}

/// Git settings: emitted files have the same line endings on every machine, and GitHub collapses them in reviews.
const ATTRIBUTES: &str =
    "src/generated/** text eol=lf linguist-generated=true\ndocs/** text eol=lf linguist-generated=true\n";

fn manifest(api: &Api, package: &Package, project: &str) -> String {
    // A JSON string is also a valid TOML string.
    let description = serde_json::Value::from(format!("Typed access to {}", api.service.title));
    let [runtime, sandbox] = ["runtime", "sandbox"].map(|name| serde_json::Value::from(format!("{project}/{name}")));
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
# Adds `send_blocking`, for callers without async code.
blocking = ["runtime/blocking"]
# Conversions of `Timestamp` and `Decimal` from and to the types of these crates.
chrono = ["runtime/chrono"]
jiff = ["runtime/jiff"]
rust_decimal = ["runtime/rust_decimal"]
time = ["runtime/time"]
# Lets the built-in transport request compressed responses.
gzip = ["runtime/gzip"]
# Adds the setting `http2`, which uses HTTP/2 if the server offers it by ALPN.
http2 = ["runtime/http2"]
# Adds the settings `proxy` and `env_proxy`, which send requests through a given proxy or the proxy of the environment.
proxy = ["runtime/proxy"]
# Adds a transport that uses the user's own `reqwest::Client`.
reqwest = ["runtime/reqwest"]
# Adds settings that serde can read, for example from a TOML file.
settings = ["runtime/settings"]
# Uses the root certificates of the system instead of the bundled ones.
system-roots = ["runtime/system-roots"]
# Emits spans and events for a subscriber of `tracing`.
tracing = ["runtime/tracing"]

[dependencies]
runtime = {{ package = "generated-client-runtime", version = "={version}", path = {runtime} }}

[dev-dependencies]
# The mock server, for your tests. The emitted tests of requests call its checks.
sandbox = {{ package = "generated-client-sandbox", version = "={version}", path = {sandbox} }}
# The example programs in the docs use this crate.
tokio = {{ version = "1", features = ["macros", "rt-multi-thread"] }}
"#,
        name = package.name,
    )
}

/// Returns the crate of the client's command line, in the folder `cli/` of the client. It is a separate crate, because
/// it needs a newer Rust and three times as many dependencies as the client.
pub fn scaffold_cli(api: &Api, package: &Package, project: &str) -> Vec<File> {
    vec![
        File { path: "cli/Cargo.toml".to_owned(), text: cli_manifest(api, package, project) },
        File { path: "cli/src/main.rs".to_owned(), text: cli_program(api, package) },
    ]
}

fn cli_manifest(api: &Api, package: &Package, project: &str) -> String {
    let description = serde_json::Value::from(format!("{} on the command line", api.service.title));
    // A relative path of the project begins in the folder of the client.
    let up = if project.starts_with('/') { "" } else { "../" };
    let library = serde_json::Value::from(format!("{up}{project}/command-line"));
    let (name, version) = (&package.name, env!("CARGO_PKG_VERSION"));
    format!(
        r#"[package]
name = "{name}-cli"
description = {description}
version = "0.1.0"
edition = "2024"
rust-version = "1.89"

# The program; its folder of settings and its header `User-Agent` have the same name.
[[bin]]
name = "{name}"
path = "src/main.rs"

[features]
# Data sets in S3-compatible object storage.
s3 = ["command-line/s3"]

[dependencies]
command-line = {{ package = "generated-client-command-line", version = "={version}", path = {library} }}
{name} = {{ version = "0.1.0", path = ".." }}
"#
    )
}

fn cli_program(api: &Api, package: &Package) -> String {
    let (title, library) = (docs::prose(&api.service.title), package.name.replace('-', "_"));
    format!(
        r"//! {title} on the command line.

use std::process::ExitCode;

fn main() -> ExitCode {{
    command_line::program!(&{library}::REGISTRY).main()
}}
"
    )
}

fn library(api: &Api) -> String {
    let service = &api.service;
    let head = [format!("{} {}", service.title, service.version), service.summary.clone()];
    let paragraphs = head.iter().filter(|paragraph| !paragraph.trim().is_empty()).map(|paragraph| {
        let lines = docs::wrap(&docs::prose(paragraph)).into_iter();
        lines.map(|line| format!("//! {line}\n")).collect::<Vec<_>>().concat()
    });
    paragraphs.collect::<Vec<_>>().join("//!\n") + REST
}

const REST: &str = r#"
#[rustfmt::skip]
mod generated;

#[doc(inline)]
pub use ::runtime::{
    AnyBody, AnySeries, BadRecord, Body, Column, Decimal, DecodeError, Dynamic, Endpoint, Error, ErrorKind,
    OutOfRange, ParseTimestampError, RateLimit, Raw, RequestKind, Response, ResponseFuture, Retry, Secret, Timestamp,
    Value, history, observer, rate_limit, record, registry, transport, wire,
};
#[cfg(feature = "settings")]
#[doc(inline)]
pub use ::runtime::ClientSettings;
pub use generated::*;
"#;
