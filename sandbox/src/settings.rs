//! Settings of a sandbox.
//!
//! [`Builder`] collects them; nothing is opened before [`Builder::start`], which reports settings that cannot be used.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};
use std::time::Duration;

use generated_client::registry::LimitInfo;
use generated_client::{SERVICE, Timestamp};

use crate::asked::Strictness;
use crate::fault::{Faults, Rule};
use crate::market::noise::Seed;
use crate::recording::{Recorder, Recording};
use crate::routes::Shared;
use crate::sandbox::Sandbox;
use crate::token::{ClientCredentials, Tokens};
use crate::traffic::Traffic;

/// The settings that the server reads while it runs.
pub(crate) struct Settings {
    pub(crate) api_key: Option<String>,
    pub(crate) client_credentials: Option<ClientCredentials>,
    pub(crate) bearer_required: bool,
    pub(crate) seed: Seed,
    pub(crate) clock: Clock,
    pub(crate) strictness: Strictness,
    pub(crate) retry_after: RetryAfter,
    pub(crate) recorder: Option<Recorder>,
    pub(crate) recording: Option<Recording>,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The key may be one that a real service accepts.
        f.debug_struct("Settings").field("clock", &self.clock).finish_non_exhaustive()
    }
}

/// How the header `Retry-After` of a 429 is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RetryAfter {
    /// As a count of seconds.
    #[default]
    Seconds,
    /// As a date, in GMT.
    Date,
    /// As one or the other, by chance from the seed.
    Either,
}

/// The last second of the year 9999.
const LAST_MOMENT: i64 = 253_402_300_799;

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
    limit_sets: Vec<String>,
    faults: Vec<Rule>,
    record: Option<PathBuf>,
    replay: Option<PathBuf>,
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
            strictness: Strictness::Documented,
            retry_after: RetryAfter::Seconds,
            recorder: None,
            recording: None,
        };
        let token_lifetime = Duration::from_secs(24 * 60 * 60);
        Self {
            port: 0,
            token_lifetime,
            seed: 0,
            limit_sets: Vec::new(),
            faults: Vec::new(),
            record: None,
            replay: None,
            settings,
        }
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
    ///
    /// There is no data before 2010, nor after the year 9999, where the clock stops at the latest.
    pub fn stop_clock_at(mut self, moment: i64) -> Self {
        self.settings.clock = Clock::Stopped(moment.clamp(0, LAST_MOMENT));
        self
    }

    /// Whether reported facts are enforced too; only documented ones are unless set.
    ///
    /// Then 422 answers params that the endpoint does not take, values of `limit` that are not served, venues that are
    /// not known, and requests without `coin` or `timeframe` where they are reported as required.
    pub fn strict(mut self, strict: bool) -> Self {
        self.settings.strictness = if strict { Strictness::Reported } else { Strictness::Documented };
        self
    }

    /// Enforces a limit set of the registry, `A` for example, beside those that were named before; none is enforced
    /// unless set.
    ///
    /// A request beyond it is answered with 429 and uses nothing up.
    pub fn limit_set(mut self, name: impl Into<String>) -> Self {
        self.limit_sets.push(name.into());
        self
    }

    /// How the header `Retry-After` of a 429 is written; as seconds unless set.
    pub fn retry_after(mut self, form: RetryAfter) -> Self {
        self.settings.retry_after = form;
        self
    }

    /// Adds a rule for a fault on demand; there is none unless added.
    ///
    /// ```
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use sandbox::Sandbox;
    ///
    /// let sandbox = Sandbox::builder().fault("/volumeRatio 1x status=503".parse()?).start().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn fault(mut self, rule: Rule) -> Self {
        self.faults.push(rule);
        self
    }

    /// Records exchanges in a file, in place of its content, without credentials; tokens are not recorded.
    pub fn record(mut self, file: impl Into<PathBuf>) -> Self {
        self.record = Some(file.into());
        self
    }

    /// Answers from a recording alone, with 404 where it has no such request.
    ///
    /// Limits, faults, API keys and tokens are as without it.
    pub fn replay(mut self, file: impl Into<PathBuf>) -> Self {
        self.replay = Some(file.into());
        self
    }

    /// Starts the server, inside a Tokio runtime.
    ///
    /// # Errors
    ///
    /// The port cannot be used, there is no such limit set, a file cannot be written, is no recording that can
    /// be played or is to be both recorded in and played; the error names it.
    pub async fn start(mut self) -> io::Result<Sandbox> {
        self.settings.seed = Seed::new(self.seed);
        let tokens = Tokens::new(self.token_lifetime, self.settings.seed);
        let limits = self.limit_sets.iter().map(|name| limit_set(name)).collect::<io::Result<Vec<_>>>()?;
        if let (Some(record), Some(replay)) = (&self.record, &self.replay)
            && is_same_file(record, replay)
        {
            let message = format!("{} cannot be recorded in while it is played: that empties it", record.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let replayed = self.replay.as_deref().map(Recording::load).transpose();
        self.settings.recording = replayed.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        let listener = Sandbox::bind(self.port).await?;
        // Last, as it empties the file: a start that fails must not delete a recording.
        self.settings.recorder = self.record.as_deref().map(Recorder::create).transpose()?;
        let faults = RwLock::new(Faults::new(self.faults, self.settings.seed));
        let shared = Shared { settings: self.settings, tokens, traffic: Arc::new(Traffic::new(limits)), faults };
        Sandbox::serve(listener, shared)
    }
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    // A file that does not exist yet is not the same one.
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

fn limit_set(name: &str) -> io::Result<&'static LimitInfo> {
    let known = || SERVICE.limits.iter().map(|limit| limit.name).collect::<Vec<_>>().join("` and `");
    SERVICE.limits.iter().find(|limit| limit.name == name).ok_or_else(|| {
        let message = format!("there is no limit set `{name}`: the service names `{}`", known());
        io::Error::new(io::ErrorKind::InvalidInput, message)
    })
}
