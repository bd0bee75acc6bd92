//! A shared state in Redis or Valkey: a hash under one key, and one script.
//!
//! All exchanges use one connection, which is replaced after a failure. The worker decides when to try again. Errors
//! contain neither password nor user.

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, RedisError, Script};
use runtime::{Error, ErrorKind};
use std::time::Duration;
use tokio::sync::Mutex;

use crate::server_outage::Failure;
use crate::state_store::{LIFETIME, Offer, Response, StateStore, Stored};

/// Timeout of a response, after which the server counts as unreachable.
const TIMEOUT: Duration = Duration::from_secs(1);

/// The result of the script: seconds and microseconds of the clock, run id of the server, version and text.
type Returned = (u64, u32, String, String, String);

pub(crate) struct RedisStore {
    client: Client,
    key: String,
    script: Script,
    connection: Mutex<Option<MultiplexedConnection>>,
}

impl RedisStore {
    /// Creates a store for the shared state `name` on the server at `url`. It does not connect yet.
    pub(crate) fn new(url: &str, name: &str) -> Result<Self, RedisError> {
        #[cfg(feature = "tls")]
        // An error means that the process already has a TLS provider, which is used instead.
        drop(rustls::crypto::ring::default_provider().install_default());
        let script = Script::new(include_str!("compare_and_set.lua"));
        let connection = Mutex::new(None);
        Ok(Self { client: Client::open(url)?, key: format!("shared-rate-limit:{{{name}}}"), script, connection })
    }

    async fn connect(&self) -> Result<MultiplexedConnection, RedisError> {
        let config =
            AsyncConnectionConfig::new().set_connection_timeout(Some(TIMEOUT)).set_response_timeout(Some(TIMEOUT));
        self.client.get_multiplexed_async_connection_with_config(&config).await
    }

    async fn call(&self, offer: Offer) -> Result<Returned, RedisError> {
        let mut kept = self.connection.lock().await;
        let mut connection = match kept.take() {
            Some(connection) => connection,
            None => self.connect().await?,
        };
        let next = offer.next.unwrap_or_else(|| Stored { version: String::new(), text: String::new() });
        let mut call = self.script.key(&self.key);
        call.arg(offer.known).arg(next.version).arg(next.text).arg(1000 * LIFETIME.as_secs());
        let returned = call.invoke_async(&mut connection).await?;
        // A failed connection is not reused.
        *kept = Some(connection);
        Ok(returned)
    }
}

impl StateStore for RedisStore {
    async fn exchange(&self, offer: Offer) -> Result<Response, Failure> {
        let (seconds, micros, run, version, text) = self.call(offer).await.map_err(failure)?;
        let now = Duration::from_secs(seconds) + Duration::from_micros(micros.into());
        Ok(Response { now, run, version, text: Some(text).filter(|text| !text.is_empty()) })
    }
}

/// Classifies an error: an error that the server would return again is permanent, and any other error may be transient.
fn failure(error: RedisError) -> Failure {
    let is_rejected = matches!(error.code(), Some("NOAUTH" | "NOPERM" | "WRONGPASS" | "WRONGTYPE"));
    let text = error.to_string();
    // These errors have to be permanent: reads still succeed, so each read would seem to end the outage.
    let why = if ["OOM ", "MISCONF", "READONLY"].iter().any(|code| text.contains(code)) {
        "accepts no writes"
    } else if is_rejected
        || matches!(error.kind(), redis::ErrorKind::AuthenticationFailed | redis::ErrorKind::UnexpectedReturnType)
    {
        "rejects the commands of the rate limiter"
    } else {
        let message = "cannot reach the server of the shared rate limit";
        return Failure::Transient(Error::retryable(ErrorKind::Queue, message).with_source(error));
    };
    Failure::Permanent(
        Error::retryable(ErrorKind::Queue, format!("the server of the shared rate limit {why}")).with_source(error),
    )
}
