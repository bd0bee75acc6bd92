//! How a sandbox is to behave.
//!
//! [`Builder`] collects it; nothing is opened before [`Builder::start`].

use std::io;
use std::time::Duration;

use generated_client::Timestamp;

use crate::market::noise::Seed;
use crate::sandbox::Sandbox;
use crate::token::ClientCredentials;

/// What the server goes by while it runs.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) api_key: Option<String>,
    pub(crate) client_credentials: Option<ClientCredentials>,
    pub(crate) bearer_required: bool,
    pub(crate) seed: Seed,
    pub(crate) clock: Clock,
}

/// What time it is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Clock {
    Running,
    Stopped(i64),
}

impl Clock {
    pub(crate) fn now(self) -> i64 {
        match self {
            Self::Running => Timestamp::now().unix_seconds(),
            Self::Stopped(moment) => moment,
        }
    }
}

/// Settings of a [`Sandbox`]; from [`Sandbox::builder`].
#[derive(Debug)]
#[must_use]
pub struct Builder {
    port: u16,
    token_lifetime: Duration,
    seed: u64,
    settings: Settings,
}

impl Builder {
    pub(crate) fn new() -> Self {
        let settings = Settings {
            api_key: None,
            client_credentials: None,
            bearer_required: false,
            seed: Seed::new(0),
            clock: Clock::Running,
        };
        Self { port: 0, token_lifetime: Duration::from_secs(24 * 60 * 60), seed: 0, settings }
    }

    /// The port on 127.0.0.1; a free one unless set.
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// The only API key that is accepted; any one is unless set.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.settings.api_key = Some(key.into());
        self
    }

    /// The only client that gets a token; any one does unless set.
    pub fn client_credentials(mut self, id: impl Into<String>, secret: impl Into<String>) -> Self {
        self.settings.client_credentials = Some((id.into(), secret.into()));
        self
    }

    /// Whether data requests need a bearer token beside the API key; they do not unless set.
    pub fn bearer_required(mut self, required: bool) -> Self {
        self.settings.bearer_required = required;
        self
    }

    /// How long a token is valid; a day unless set.
    pub fn token_lifetime(mut self, lifetime: Duration) -> Self {
        self.token_lifetime = lifetime;
        self
    }

    /// Which of all invented markets is shown; 0 unless set.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Stops the clock at a moment, in Unix seconds: the latest record is then always the same.
    pub fn stop_clock_at(mut self, moment: i64) -> Self {
        self.settings.clock = Clock::Stopped(moment);
        self
    }

    /// Starts the server, inside a Tokio runtime.
    ///
    /// # Errors
    ///
    /// The port cannot be used; the error names it.
    pub async fn start(mut self) -> io::Result<Sandbox> {
        self.settings.seed = Seed::new(self.seed);
        Sandbox::listen(self.port, self.token_lifetime, self.settings).await
    }
}
