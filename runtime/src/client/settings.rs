//! Settings of a client as a value, for programs that keep them in a file.
//!
//! Settings from any serde format, such as a TOML file, become a builder; its setters may add secrets, which should not
//! be in a file. An error names the path in the file and never the value, which may be a key.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::{Builder, ClientType};
use crate::auth::BasicEncoding;
use crate::dispatch::Retry;
use crate::error::Error;
use crate::rate_limit::RateLimit;
use crate::secrets::Secret;

/// Settings of a client; with the feature `settings`.
///
/// Omitted settings have the defaults of `Client::builder`, whose methods describe each setting. Durations are written
/// as `"1m 30s"` or as a number of seconds; file paths are relative to the working directory.
///
/// ```toml
/// base_url = "https://example.com/v2"
/// user_agent = "mine/1.0"
/// attempt_timeout = "20s"
/// rate_limit = "A"                        # a set of the catalogue's, or numbers of your own:
/// # rate_limit = { requests = 5, window = "1s", concurrent = 5 }
/// root_certificates = ["authority.pem"]
///
/// [retry]
/// max_attempts = 6
///
/// [headers]
/// x-team = "red"
/// ```
///
/// They may be part of the program's own settings, in any format that serde reads:
///
/// ```
/// # extern crate generated_client_runtime as runtime;
/// # mod invented { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/invented/service.rs")); }
/// # use invented::Client;
/// use generated_client_runtime::{Builder, ClientSettings};
///
/// let text = r#"{"base_url": "https://example.com/v2", "timeout": 90}"#;
/// let settings: ClientSettings = serde_json::from_str(text)?;
/// let client: Client = Builder::from_settings(settings)?.api_key("key").build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ClientSettings {
    /// Base URL of the service.
    pub base_url: String,
    /// The API key.
    pub api_key: Option<Secret>,
    /// The client id of the token flow; required if [`client_secret`](ClientSettings::client_secret) is set.
    pub client_id: Option<Secret>,
    /// The client secret of the token flow.
    pub client_secret: Option<Secret>,
    /// Encoding of client id and secret in the token request: `"plain"` or `"form"`.
    #[serde(default, deserialize_with = "encoding")]
    pub basic_encoding: BasicEncoding,
    /// The program in the header `User-Agent`.
    pub user_agent: Option<String>,
    /// Headers of every request. `Debug` shows none of their values.
    #[serde(default, deserialize_with = "headers")]
    pub headers: BTreeMap<String, Secret>,
    /// Time-out of a connection attempt.
    #[serde(default, deserialize_with = "time")]
    pub connect_timeout: Option<Duration>,
    /// Time-out of one attempt.
    #[serde(default, deserialize_with = "time")]
    pub attempt_timeout: Option<Duration>,
    /// Time-out of the entire request.
    #[serde(default, deserialize_with = "time")]
    pub timeout: Option<Duration>,
    /// Maximum time of a request in the rate-limit queue.
    #[serde(default, deserialize_with = "time")]
    pub queue_timeout: Option<Duration>,
    /// Maximum size of a response body in bytes.
    pub max_body_bytes: Option<usize>,
    /// Whether an unencrypted base URL may name another machine.
    #[serde(default)]
    pub allow_http: bool,
    /// The rate limit.
    pub rate_limit: Option<RateLimitSettings>,
    /// The retry rules.
    #[serde(default)]
    pub retry: RetrySettings,
    /// Files with additional trusted root certificates.
    #[serde(default)]
    pub root_certificates: Vec<PathBuf>,
    /// The client certificate that is presented to servers.
    pub client_certificate: Option<CertificateSettings>,
    /// Whether the root certificates of the system are trusted instead of the bundled ones.
    #[cfg(feature = "system-roots")]
    #[serde(default)]
    pub system_roots: bool,
    /// The proxy; its URL may contain a password. An empty string means no proxy.
    #[cfg(feature = "proxy")]
    pub proxy: Option<Secret>,
}

/// A rate limit in a settings file.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "the name of a limit set, or `requests`, `window` and `concurrent`")]
#[non_exhaustive]
pub enum RateLimitSettings {
    /// Name of a rate limit in the catalogue.
    Named(String),
    /// Custom numbers, as in [`RateLimit::new`].
    #[non_exhaustive]
    Own {
        /// Maximum number of requests in the window.
        requests: u32,
        /// Length of the window.
        #[serde(deserialize_with = "required_time")]
        window: Duration,
        /// Maximum number of requests in flight.
        concurrent: u32,
    },
}

/// Retry rules in a settings file; see [`Retry`].
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RetrySettings {
    /// Maximum number of attempts per request.
    pub max_attempts: Option<u32>,
    /// Upper limit of the first delay.
    #[serde(default, deserialize_with = "time")]
    pub initial_backoff: Option<Duration>,
    /// Upper limit of later delays.
    #[serde(default, deserialize_with = "time")]
    pub max_backoff: Option<Duration>,
    /// Maximum number of retries after the status 500.
    pub max_retries_on_500: Option<u32>,
    /// Number of retries that are allowed in addition to one per ten successes.
    pub budget: Option<u32>,
    /// Maximum pause that is accepted from the service's `Retry-After`.
    #[serde(default, deserialize_with = "time")]
    pub max_retry_after: Option<Duration>,
}

/// Files of a client certificate.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CertificateSettings {
    /// File with the certificate and its intermediate certificates.
    pub certificate: PathBuf,
    /// File with the private key.
    pub key: PathBuf,
}

impl<C: ClientType> Builder<C> {
    /// Creates a builder with these settings; with the feature `settings`.
    pub fn from_settings(settings: ClientSettings) -> Result<Self, Error> {
        let mut builder = Self::new(settings.base_url);
        builder = optional(builder, settings.api_key, Self::api_key);
        builder = match (settings.client_id, settings.client_secret) {
            (Some(id), Some(secret)) => builder.client_credentials(id, secret),
            (None, None) => builder,
            (Some(_), None) => return Err(Error::build("`client_secret` is not set, although `client_id` is")),
            (None, Some(_)) => return Err(Error::build("`client_id` is not set, although `client_secret` is")),
        };
        builder = builder.basic_encoding(settings.basic_encoding);
        builder = optional(builder, settings.user_agent, Self::user_agent);
        for (name, value) in settings.headers {
            builder = builder.secret_header(name, value);
        }
        builder = optional(builder, settings.connect_timeout, Self::connect_timeout);
        builder = optional(builder, settings.attempt_timeout, Self::attempt_timeout);
        builder = optional(builder, settings.timeout, Self::timeout);
        builder = optional(builder, settings.queue_timeout, Self::queue_timeout);
        builder = optional(builder, settings.max_body_bytes, Self::max_body_bytes);
        builder = builder.allow_http(settings.allow_http).retry(settings.retry.rules());
        builder = match settings.rate_limit {
            None => builder,
            Some(RateLimitSettings::Named(name)) => builder.rate_limit(RateLimit::named(&name, C::SERVICE.limits)?),
            Some(RateLimitSettings::Own { requests, window, concurrent }) => {
                builder.rate_limit(RateLimit::new(requests, window, concurrent))
            }
        };
        for file in settings.root_certificates {
            builder = builder.root_certificate(read(&file)?);
        }
        if let Some(CertificateSettings { certificate, key }) = settings.client_certificate {
            builder = builder.client_certificate(read(&certificate)?, read(&key)?);
        }
        #[cfg(feature = "system-roots")]
        let builder = if settings.system_roots { builder.system_roots() } else { builder };
        #[cfg(feature = "proxy")]
        let builder = match settings.proxy {
            None => builder,
            Some(url) => builder.proxy(url),
        };
        Ok(builder)
    }

    /// Creates a builder with the settings of a TOML file; with the feature `settings`.
    ///
    /// The file has the fields of [`ClientSettings`].
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let text = read(path)?;
        let settings = toml::from_str(&text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.map(|before| format!(":{}", before.matches('\n').count() + 1)).unwrap_or_default();
            // The rest of the parser's message quotes the line.
            let message = error.message().lines().next().unwrap_or_default();
            let error = Error::build(format!("{}{line}: {}", path.display(), without_value(message)));
            match renamed(message) {
                Some((old, new)) => error.with_hint(format!("`{old}` was renamed to `{new}`")),
                None => error,
            }
        })?;
        Self::from_settings(settings)
    }
}

impl RetrySettings {
    fn rules(&self) -> Retry {
        let mut rules = Retry::default();
        rules = optional(rules, self.max_attempts, Retry::max_attempts);
        rules = optional(rules, self.max_retries_on_500, Retry::max_retries_on_500);
        rules = optional(rules, self.budget, Retry::budget);
        rules = optional(rules, self.max_retry_after, Retry::max_retry_after);
        let (initial, max) = rules.delays();
        rules.backoff(self.initial_backoff.unwrap_or(initial), self.max_backoff.unwrap_or(max))
    }
}

/// Keys of earlier versions, with their new names.
const RENAMED: &[(&str, &str)] = &[
    ("total_timeout", "timeout"),
    ("gate_timeout", "queue_timeout"),
    ("attempts", "max_attempts"),
    ("first_delay", "initial_backoff"),
    ("longest_delay", "max_backoff"),
    ("on_500", "max_retries_on_500"),
    ("longest_pause", "max_retry_after"),
];

/// Returns the old and the new name of an unknown key, if it was renamed.
fn renamed(message: &str) -> Option<&(&'static str, &'static str)> {
    let key = message.strip_prefix("unknown field `")?.split('`').next()?;
    RENAMED.iter().find(|(old, _)| *old == key)
}

/// Returns the message of serde without the value, which may be a secret.
fn without_value(message: &str) -> Cow<'_, str> {
    let masked = ["invalid type", "invalid value", "unknown variant"].into_iter().find_map(|what| {
        let (_, expected) = message.strip_prefix(what)?.rsplit_once(", expected ")?;
        Some(format!("{what}, expected {expected}"))
    });
    masked.map_or(Cow::Borrowed(message), Cow::Owned)
}

fn optional<B, V>(builder: B, value: Option<V>, set: impl FnOnce(B, V) -> B) -> B {
    match value {
        Some(value) => set(builder, value),
        None => builder,
    }
}

fn read(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|error| {
        Error::build(format!("the file `{}` cannot be read", path.display())).with_source(Some(Arc::new(error)))
    })
}

fn headers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, Secret>, D::Error> {
    deserializer.deserialize_any(Headers)
}

/// Deserializes headers, without repeating their values in an error.
struct Headers;

impl<'de> Visitor<'de> for Headers {
    type Value = BTreeMap<String, Secret>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("names of headers with their values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut headers = BTreeMap::new();
        while let Some((name, value)) = map.next_entry()? {
            headers.insert(name, value);
        }
        Ok(headers)
    }

    fn visit_str<E: serde::de::Error>(self, _: &str) -> Result<Self::Value, E> {
        Err(E::custom("expected names of headers with their values, found a string"))
    }
}

fn encoding<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BasicEncoding, D::Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Encoding {
        Plain,
        Form,
    }
    Ok(match Encoding::deserialize(deserializer)? {
        Encoding::Plain => BasicEncoding::Plain,
        Encoding::Form => BasicEncoding::FormUrlEncoded,
    })
}

fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    required_time(deserializer).map(Some)
}

fn required_time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    /// A duration as text or as a number.
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Time {
        Text(String),
        Seconds(f64),
        Other(IgnoredAny),
    }
    let time = match Time::deserialize(deserializer)? {
        Time::Text(text) => humantime::parse_duration(&text).ok(),
        Time::Seconds(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        Time::Other(_) => None,
    };
    // The error does not repeat the value, which may be a secret.
    time.ok_or_else(|| D::Error::custom("expected a duration such as \"1m 30s\" or a number of seconds"))
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// A value of another type is not repeated in the error: it may be the secret.
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Text {
            Text(String),
            Other(IgnoredAny),
        }
        match Text::deserialize(deserializer)? {
            Text::Text(text) => Ok(text.into()),
            Text::Other(_) => Err(D::Error::custom("expected a quoted string")),
        }
    }
}
