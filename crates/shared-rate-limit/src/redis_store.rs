//! A shared state in Redis or Valkey: a hash under one key, and one script.
//!
//! All exchanges use one connection, which is replaced after a failure. The worker decides when to try again. Errors
//! contain neither password nor user.

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, RedisError, Script};
use std::time::Duration;
use tokio::sync::Mutex;

use crate::failure::Failure;
use crate::state_store::{Offer, Response, StateStore, Stored};

/// Timeout of a response, after which the server counts as unreachable.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Lifetime of a shared state on the server after the last write.
const LIFETIME: Duration = Duration::from_secs(30 * 24 * 60 * 60);

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
        Ok(Self {
            client: Client::open(url)?,
            key: format!("shared-rate-limit:{{{name}}}"),
            script: Script::new(include_str!("compare_and_set.lua")),
            connection: Mutex::new(None),
        })
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
        let nothing = Stored { version: String::new(), text: String::new() };
        let next = offer.next.unwrap_or(nothing);
        let mut call = self.script.key(&self.key);
        call.arg(offer.known).arg(next.version).arg(next.text).arg(1000 * LIFETIME.as_secs());
        let returned = call.invoke_async(&mut connection).await?;
        // A failed connection is not reused.
        *kept = Some(connection);
        Ok(returned)
    }
}

impl StateStore for RedisStore {
    const RENEWAL: Duration = Duration::from_secs(1);
    const IS_PRIVATE: bool = false;
    const NAME: &'static str = "the server";

    async fn exchange(&self, offer: Offer) -> Result<Response, Failure> {
        let (seconds, micros, run, version, text) = self.call(offer).await.map_err(failure)?;
        let now = Duration::from_secs(seconds).saturating_add(Duration::from_micros(micros.into()));
        let text = Some(text).filter(|text| !text.is_empty());
        // The server may have lost its data just before this exchange.
        Ok(Response { now, unused_since: now, run, version, text })
    }
}

/// Classifies an error: an error that the server would return again is permanent, and any other error may be transient.
fn failure(error: RedisError) -> Failure {
    let accepts_no_writes = matches!(error.code(), Some("OOM" | "MISCONF" | "READONLY" | "NOREPLICAS"));
    let is_rejected = matches!(error.code(), Some("NOAUTH" | "NOPERM" | "WRONGPASS" | "WRONGTYPE"))
        || matches!(error.kind(), redis::ErrorKind::AuthenticationFailed | redis::ErrorKind::UnexpectedReturnType);
    let failure = if accepts_no_writes {
        Failure::permanent("the server of the shared rate limit accepts no writes")
    } else if is_rejected {
        Failure::permanent("the server of the shared rate limit rejects the commands of the rate limiter")
    } else {
        Failure::transient("cannot reach the server of the shared rate limit")
    };
    failure.with_source(error)
}
