//! Settings of a client in a file, or in the program's own settings.
//!
//! Settings in any serde format, such as a TOML file, are converted to a builder. Secrets should not be in a file, but
//! be added with the builder's setters. An error contains the line number in the file, but never the value, which may
//! be an API key.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::builder::Builder;
use super::{ClientType, Core};
use crate::dispatch::Retry;
use crate::dispatch::retry::duration;
use crate::error::Error;
use crate::rate_limit::RateLimit;
use crate::registry::ServiceInfo;
use crate::secrets::Secret;
use crate::values::Value;

/// Settings of a client, as a value that serde reads; requires the feature `settings`.
///
/// | key | meaning |
/// |---|---|
/// | `base_url` | base URL of the service; required |
/// | `base_urls` | base URLs of groups on other hosts, by their names in the catalogue |
/// | `api_key`, `client_id`, `client_secret` | credentials; id and secret are set together |
/// | `api_key_file` | a file with the API key, read whenever a request is signed; instead of `api_key` |
/// | `user_agent`, `headers` | value of the header `User-Agent`; headers of every request |
/// | `connect_timeout`, `attempt_timeout`, `timeout`, `queue_timeout` | timeouts |
/// | `max_body_bytes` | maximum size of a response body |
/// | `allow_http` | whether an unencrypted base URL may name another machine |
/// | `rate_limit` | the name of a limit in the catalogue, or `requests`, `window` and `concurrent` |
/// | `retry` | `max_attempts`, `initial_backoff`, `max_backoff`, `max_retries_on_500`, `budget`, `max_retry_after` |
/// | `root_certificates` | files with additional trusted root certificates |
/// | `client_certificate` | the files `certificate` (with its intermediate certificates) and `key` |
/// | `system_roots` | whether system root certificates replace the bundled ones; requires the feature `system-roots` |
/// | `http2` | whether HTTP/2 is used with servers that offer it; requires the feature `http2` |
/// | `proxy` | the proxy's URL, or an empty string for none; `env_proxy` is then ignored; requires the feature `proxy` |
/// | `env_proxy` | whether the environment selects the proxy; requires the feature `proxy` |
///
/// Omitted settings have the defaults of `Client::builder`, whose methods describe each setting. Durations are written
/// as `"1m 30s"` or as a number of seconds; file paths are relative to the working directory.
///
/// ```toml
/// base_url = "https://example.com/v2"
/// user_agent = "mine/1.0"
/// attempt_timeout = "20s"
/// rate_limit = "A"                        # the name of a limit in the catalogue, or your own numbers:
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
/// These settings may be part of the program's own settings, in any format that serde reads:
///
/// ```
/// # extern crate generated_client_runtime as runtime;
/// # use test_service::invented::Client;
/// # use runtime::{Builder, ClientSettings};
/// let text = r#"{"base_url": "https://example.com/v2", "timeout": 90}"#;
/// let settings: ClientSettings = serde_json::from_str(text)?;
/// let client: Client = Builder::from_settings(settings)?.api_key("key").build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientSettings {
    /// Not shown in `Debug`, because a wrong base URL may contain a password.
    base_url: Secret,
    base_urls: Option<BTreeMap<String, Secret>>,
    api_key: Option<Secret>,
    api_key_file: Option<PathBuf>,
    client_id: Option<Secret>,
    client_secret: Option<Secret>,
    user_agent: Option<String>,
    headers: Option<BTreeMap<String, Secret>>,
    connect_timeout: Option<Time>,
    attempt_timeout: Option<Time>,
    timeout: Option<Time>,
    queue_timeout: Option<Time>,
    max_body_bytes: Option<usize>,
    allow_http: Option<bool>,
    rate_limit: Option<RateLimitSettings>,
    retry: Option<Retry>,
    root_certificates: Option<Vec<PathBuf>>,
    client_certificate: Option<CertificateSettings>,
    #[cfg(feature = "system-roots")]
    system_roots: Option<bool>,
    #[cfg(feature = "http2")]
    http2: Option<bool>,
    #[cfg(feature = "proxy")]
    proxy: Option<Secret>,
    #[cfg(feature = "proxy")]
    env_proxy: Option<bool>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "the name of a limit, or `requests`, `window` and `concurrent`")]
enum RateLimitSettings {
    Named(String),
    Custom { requests: u32, window: Time, concurrent: u32 },
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CertificateSettings {
    certificate: PathBuf,
    key: PathBuf,
}

/// A duration, as text or as a number of seconds.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Time(#[serde(deserialize_with = "duration")] Duration);

impl<C: ClientType> Builder<C> {
    /// Creates a builder with these settings; requires the feature `settings`.
    pub fn from_settings(settings: ClientSettings) -> Result<Self, Error> {
        settings.apply(Self::new(String::new()))
    }
}

impl ClientSettings {
    pub(super) fn apply<C: From<Core>>(self, mut builder: Builder<C>) -> Result<Builder<C>, Error> {
        self.base_url.expose().clone_into(&mut builder.settings.base_urls.service);
        for (name, url) in self.base_urls.unwrap_or_default() {
            builder = builder.base_url(name, url.expose());
        }
        builder = with_client_credentials(builder, self.client_id, self.client_secret)?;
        builder = with_api_key(builder, self.api_key, self.api_key_file)?;
        builder = with(builder, self.user_agent, Builder::user_agent);
        builder = with(builder, self.connect_timeout, |builder, time| builder.connect_timeout(time.0));
        builder = with(builder, self.attempt_timeout, |builder, time| builder.attempt_timeout(time.0));
        builder = with(builder, self.timeout, |builder, time| builder.timeout(time.0));
        builder = with(builder, self.queue_timeout, |builder, time| builder.queue_timeout(time.0));
        builder = with(builder, self.max_body_bytes, Builder::max_body_bytes);
        builder = with(builder, self.allow_http, Builder::allow_http);
        builder = with(builder, self.retry, Builder::retry);
        for (name, value) in self.headers.unwrap_or_default() {
            builder = builder.secret_header(name, value);
        }
        if let Some(settings) = self.rate_limit {
            let limit = rate_limit(settings, builder.service)?;
            builder = builder.rate_limit(limit);
        }
        for file in self.root_certificates.unwrap_or_default() {
            builder = builder.root_certificate(read(&file)?);
        }
        if let Some(CertificateSettings { certificate, key }) = self.client_certificate {
            builder = builder.client_certificate(read(&certificate)?, read(&key)?);
        }
        #[cfg(feature = "system-roots")]
        let builder = if self.system_roots == Some(true) { builder.system_roots() } else { builder };
        #[cfg(feature = "proxy")]
        let builder = with(with(builder, self.proxy, Builder::proxy), self.env_proxy, Builder::env_proxy);
        #[cfg(feature = "http2")]
        let builder = with(builder, self.http2, Builder::http2);
        Ok(builder)
    }
}

fn with_client_credentials<C: From<Core>>(
    builder: Builder<C>,
    id: Option<Secret>,
    secret: Option<Secret>,
) -> Result<Builder<C>, Error> {
    match (id, secret) {
        (Some(id), Some(secret)) => Ok(builder.client_credentials(id, secret)),
        (None, None) => Ok(builder),
        (Some(_), None) => Err(Error::build("`client_secret` is not set, although `client_id` is")),
        (None, Some(_)) => Err(Error::build("`client_id` is not set, although `client_secret` is")),
    }
}

fn with_api_key<C: From<Core>>(
    builder: Builder<C>,
    key: Option<Secret>,
    file: Option<PathBuf>,
) -> Result<Builder<C>, Error> {
    match (key, file) {
        (Some(_), Some(_)) => Err(Error::build("both `api_key` and `api_key_file` are set")),
        (Some(key), None) => Ok(builder.api_key(key)),
        (None, Some(path)) => Ok(builder.api_key_file(path)),
        (None, None) => Ok(builder),
    }
}

fn rate_limit(settings: RateLimitSettings, service: &ServiceInfo) -> Result<RateLimit, Error> {
    match settings {
        RateLimitSettings::Named(name) => RateLimit::named(&name, service.limits),
        RateLimitSettings::Custom { requests, window, concurrent } => {
            Ok(RateLimit::new(requests, window.0, concurrent))
        }
    }
}

/// Reads the settings of a TOML file.
pub(super) fn read_file(path: &Path) -> Result<ClientSettings, Error> {
    let text = read(path)?;
    toml::from_str(&text).map_err(|mut error: toml::de::Error| {
        let line = text.bytes().take(error.span().unwrap_or_default().start).filter(|byte| *byte == b'\n').count() + 1;
        // Without the text, the error has a second line that names the key, and quotes no line of the file, which may
        // contain secrets.
        error.set_input(None);
        if let Some(missing) = missing_feature(error.message()) {
            return Error::build(format!("{:?}:{line}: {missing}", path.to_string_lossy()));
        }
        let shown = error.to_string();
        let key = shown.strip_prefix(error.message()).unwrap_or_default().trim_end().replace('\n', " ");
        Error::build(format!("{:?}:{line}: {}{key}", path.to_string_lossy(), without_value(error.message())))
    })
}

/// A sentence about a setting that serde does not know because a feature is not enabled.
fn missing_feature(message: &str) -> Option<String> {
    let (setting, _) = message.strip_prefix("unknown field `")?.split_once('`')?;
    let feature = match setting {
        "proxy" | "env_proxy" => "proxy",
        "system_roots" => "system-roots",
        "http2" => "http2",
        _ => return None,
    };
    Some(format!("`{setting}` requires the feature `{feature}`"))
}

/// The message of serde without the value, which may be a secret.
fn without_value(message: &str) -> String {
    let masked = ["invalid type", "invalid value", "unknown variant"].into_iter().find_map(|what| {
        let (_, expected) = message.strip_prefix(what)?.rsplit_once(", expected ")?;
        Some(format!("{what}, expected {expected}"))
    });
    masked.unwrap_or_else(|| message.to_owned())
}

/// Calls a setter if the setting has a value.
fn with<B, V>(builder: B, value: Option<V>, set: impl FnOnce(B, V) -> B) -> B {
    match value {
        Some(value) => set(builder, value),
        None => builder,
    }
}

fn read(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path)
        .map_err(|error| Error::build(format!("cannot read the file {:?}", path.to_string_lossy())).with_source(error))
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        // The error does not repeat a value of another type, which may be the secret.
        value.as_str().map(Self::from).ok_or_else(|| D::Error::custom("expected a quoted string"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setting_of_a_feature_names_the_feature() {
        let expected = "`env_proxy` requires the feature `proxy`";
        assert_eq!(missing_feature("unknown field `env_proxy`, expected `base_url`").as_deref(), Some(expected));
        assert_eq!(missing_feature("unknown field `prox`, expected `base_url`"), None);
        assert_eq!(missing_feature("missing field `base_url`"), None);
    }
}
