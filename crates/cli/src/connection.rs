//! The client of a command, built from a settings file, from the environment, or for a sandbox in this process.
//!
//! If settings are missing, an error names them. Secrets are never read from arguments, which other users of the
//! machine can see, nor from a settings file that other users can read. A key file may be a mounted secret, which a container
//! makes readable to all of its users.

use std::env;
use std::ffi::OsString;
#[cfg(unix)]
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use dataset::{Backfill, ResponseMonitor, SeriesRequest, Target, quoted};
use indicatif::HumanBytes;
use runtime::observer::{Event, Observer, RequestParams};
use runtime::{AnyClient as Client, Builder, Error, RequestKind, Timestamp};
use sandbox::{Rule, Sandbox};

use crate::failure::{ExitKind, Failure, Result};
use crate::log::Log;
use crate::metrics_file::Metrics;
use crate::notation::flag;
use crate::program::{program, service};
use crate::progress::{count_response, listed, quotations};
use crate::shared_rate_limit::{SharedRateLimit, SharedRateLimitOptions};
use crate::time_arg::Start;
use crate::trouble::FailedAttempts;

/// The options that select the service.
#[derive(Args, Debug)]
#[command(next_help_heading = "Connection")]
pub(crate) struct Connection {
    /// Use mock data; needs no key and no network
    #[arg(long)]
    pub(crate) sandbox: bool,
    /// With `--sandbox`: a failure to simulate, such as '1x status=503' or 'PARAM=VALUE status=404'
    #[arg(long, value_name = "RULE", requires = "sandbox")]
    fault: Vec<Rule>,
    /// TOML file with `base_url`, `api_key` and other settings, readable only by its owner
    #[arg(long, value_name = "FILE", conflicts_with = "sandbox", value_hint = clap::ValueHint::FilePath)]
    pub(crate) settings: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limiter: SharedRateLimitOptions,
}

/// A client, and values that must live as long as the client.
#[derive(Debug)]
pub(crate) struct Connected {
    pub(crate) client: Client,
    /// The source of the client's settings, as text.
    pub(crate) settings_source: String,
    pub(crate) rate_limit: SharedRateLimit,
    /// The observer of the client's requests, which detects that the service has stopped responding.
    pub(crate) monitor: ResponseMonitor,
    sandbox: Option<Sandbox>,
}

impl Connected {
    /// Whether the records are invented.
    #[cfg(any(feature = "mcp", test))]
    pub(crate) fn is_sandbox(&self) -> bool {
        self.sandbox.is_some()
    }

    /// Creates a backfill. Its rows are those of the service or of the sandbox, which are never mixed.
    pub(crate) fn backfill(&self, series: Vec<SeriesRequest>, from: Start, to: Timestamp, target: Target) -> Backfill {
        let start = series.iter().map(|one| from.of(one.interval())).min().unwrap_or(from.time);
        let mut job = Backfill::new(series, start..to, target);
        job.response_monitor = self.monitor.clone();
        if self.sandbox.is_some() {
            "sandbox".clone_into(&mut job.source_label);
        }
        job
    }
}

impl Connection {
    /// Builds the client; nothing is sent to the service yet.
    pub(crate) async fn open(&self, log: Log) -> Result<Connected> {
        self.connect(log, true, None, Some(FailedAttempts::default())).await
    }

    /// Builds the client of a backfill to standard output, which compares the fields of its records.
    pub(crate) async fn open_for_stream(&self, log: Log) -> Result<Connected> {
        self.connect(log, false, None, Some(FailedAttempts::default())).await
    }

    /// Builds the client of a backfill to files, which compares the fields of responses with those in its files, and warns
    /// of outages itself.
    pub(crate) async fn open_for_files(&self, log: Log, metrics: Option<Metrics>) -> Result<Connected> {
        self.connect(log, false, metrics, None).await
    }

    /// Builds the client of a follower.
    pub(crate) async fn open_to_follow(&self, log: Log, metrics: Option<Metrics>) -> Result<Connected> {
        self.connect(log, true, metrics, Some(FailedAttempts::default())).await
    }

    async fn connect(
        &self,
        log: Log,
        warns_of_missing_fields: bool,
        metrics: Option<Metrics>,
        attempts: Option<FailedAttempts>,
    ) -> Result<Connected> {
        let sandbox = self.start_sandbox()?;
        let settings = match &sandbox {
            Some(sandbox) => Settings::of_sandbox(sandbox),
            None => self.find_settings()?,
        };
        let mut builder = settings.builder;
        let rate_limit = if self.sandbox { SharedRateLimit::Off } else { self.limiter.open(&builder, log).await? };
        if let Some(limiter) = rate_limit.limiter() {
            builder = builder.rate_limiter(limiter.clone());
        }
        let monitor = ResponseMonitor::default();
        let client = builder
            .observer(Watched { monitor: monitor.clone(), log, warns_of_missing_fields, metrics, attempts })
            .build()
            .map_err(invalid)?;
        Ok(Connected { client, settings_source: settings.source, rate_limit, monitor, sandbox })
    }

    fn start_sandbox(&self) -> Result<Option<Sandbox>> {
        if !self.sandbox {
            return Ok(None);
        }
        let mut builder = Sandbox::of(program().registry);
        for rule in &self.fault {
            builder = builder.fault(rule.clone());
        }
        match builder.start() {
            Ok(sandbox) => Ok(Some(sandbox)),
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Err(Failure::usage(error.to_string())),
            Err(error) => Err(Failure::machine(error)),
        }
    }

    /// The settings of the file that an option names, else of the environment, else of the default file.
    fn find_settings(&self) -> Result<Settings> {
        if let Some(file) = &self.settings {
            return Settings::of_file(file);
        }
        let prefix = service().env_prefix;
        // The default file is used only if no variable of the service is set.
        let variables = [format!("{prefix}_BASE_URL"), format!("{prefix}_API_KEY")];
        let has_variable = variables.iter().any(|name| variable(name).is_some());
        if let Some(file) = default_file()
            && !has_variable
            && file.exists()
        {
            return Settings::of_file(&file);
        }
        match Client::builder_from_env(service()) {
            Ok(builder) => Ok(Settings { builder: with_defaults(builder), source: "the environment".to_owned() }),
            Err(error) => Err(not_in_environment(error, has_variable)),
        }
    }
}

/// A client that is not built yet, and the source of its settings as text.
struct Settings {
    builder: Builder<Client>,
    source: String,
}

impl Settings {
    fn of_file(file: &Path) -> Result<Self> {
        Ok(Self { builder: from_file(file)?, source: quoted(file) })
    }

    fn of_sandbox(sandbox: &Sandbox) -> Self {
        let mut builder = with_defaults(Client::builder(service(), sandbox.base_url())).env_proxy(false);
        for (name, url) in sandbox.base_urls() {
            builder = builder.base_url(name, url);
        }
        if has_key() {
            builder = builder.api_key("sandbox");
        }
        Self { builder, source: "the sandbox".to_owned() }
    }
}

/// The settings of every command, which a settings file can replace.
fn with_defaults(builder: Builder<Client>) -> Builder<Client> {
    builder.user_agent(format!("{}/{}", program().name, program().version)).env_proxy(true)
}

/// The value of a variable of the environment; `None` if it is empty.
fn variable(name: &str) -> Option<OsString> {
    let value = env::var_os(name)?;
    if value.is_empty() { None } else { Some(value) }
}

/// Whether requests can carry an API key.
pub(crate) fn has_key() -> bool {
    service().takes_api_key()
}

/// Prints the attempts of requests with `--verbose` and warnings about missing fields, and passes all events on.
struct Watched {
    monitor: ResponseMonitor,
    log: Log,
    warns_of_missing_fields: bool,
    metrics: Option<Metrics>,
    attempts: Option<FailedAttempts>,
}

impl Observer for Watched {
    fn observe(&self, event: &Event) {
        if let Event::Attempt { outcome: Ok(200..300), .. } = event {
            count_response();
        }
        match event {
            Event::Attempt { request, params, number, outcome, bytes, elapsed, .. } if self.log == Log::Verbose => {
                let outcome = match outcome {
                    Ok(status) => format!("status {status}"),
                    Err(kind) => format!("failed ({kind:?})"),
                };
                let series = series(*request, params);
                let time = elapsed.as_millis();
                let bytes = HumanBytes(*bytes as u64);
                self.log.remark(&format!("{series}, attempt {number}: {outcome}, {bytes} in {time} ms"));
            }
            Event::Retry { request, params, cause: Some(cause), .. }
            | Event::End { request, params, cause: Some(cause), .. }
                if self.log == Log::Verbose =>
            {
                self.log.remark(&format!("{}: {cause}", series(*request, params)));
            }
            Event::FieldMissing { request, field, new, .. } if self.warns_of_missing_fields => {
                self.log.warning(&missing_field(&request.to_string(), field, new));
            }
            _ => {}
        }
        if let Some(warning) = self.attempts.as_ref().and_then(|attempts| attempts.note(event)) {
            self.log.warning(&warning);
        }
        if let Some(metrics) = &self.metrics {
            metrics.observe(event);
        }
        self.monitor.observe(event);
    }
}

/// The name of a request, with its params.
fn series(request: RequestKind, params: &RequestParams) -> String {
    format!("{request} {params}").trim_end().to_owned()
}

/// Describes a field that earlier responses had.
fn missing_field(endpoint: &str, field: &str, new: &[String]) -> String {
    let name = program().name;
    let new = if new.is_empty() { String::new() } else { format!("; new fields: {}", listed(&quotations(new))) };
    format!(
        "{endpoint}: the service no longer sends `{field}`{new}\n  help: an update of {name} may know the new field"
    )
}

/// Reads a settings file that only its owner can read.
fn from_file(file: &Path) -> Result<Builder<Client>> {
    if file.is_dir() {
        let message = format!("the settings {} are a folder", quoted(file));
        return Err(Failure::new(ExitKind::Credentials, message).help("name a TOML file"));
    }
    // Only files on Unix have a mode. On other systems, a home folder is private by default.
    #[cfg(unix)]
    if let Ok(metadata) = fs::metadata(file)
        && let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777
        && mode & 0o077 != 0
    {
        let name = quoted(file);
        let message = format!("{name} is accessible to other users (mode {mode:04o})");
        return Err(Failure::new(ExitKind::Credentials, message).help(format!("chmod 600 {name}")));
    }
    // The file may omit the base URLs of groups.
    let defaults = with_defaults(Client::builder(service(), "")).env_base_urls().map_err(invalid)?;
    Client::builder_from_file(defaults, file).map_err(|error| {
        // The file is named as in all messages of the program.
        let name_in_error = format!("{:?}", file.to_string_lossy());
        let mut message = format!("{error:#}").replace(&name_in_error, &quoted(file));
        if !message.contains(&quoted(file)) {
            message = format!("{}: {message}", quoted(file));
        }
        Failure::new(ExitKind::Credentials, message)
    })
}

/// Creates the failure for invalid settings.
#[allow(clippy::needless_pass_by_value)] // `map_err` passes the error by value.
fn invalid(error: Error) -> Failure {
    Failure::new(ExitKind::Credentials, format!("{error:#}"))
}

/// Creates the failure for missing or invalid settings in the environment. The default file has no effect if
/// `has_variable` is true.
fn not_in_environment(error: Error, has_variable: bool) -> Failure {
    let sandbox = format!("use `{}`, which needs no settings", flag("sandbox"));
    if has_variable {
        let mut failure = invalid(error);
        if let Some(file) = default_file().filter(|file| file.exists()) {
            let prefix = service().env_prefix;
            failure = failure.help(format!("{} is not used while a variable {prefix}_… is set", quoted(file)));
        }
        return failure.help(sandbox);
    }
    let file = default_file().map_or_else(|| "a settings file".to_owned(), quoted);
    let prefix = service().env_prefix;
    let mut variables = format!("{prefix}_BASE_URL");
    let mut keys = "`base_url`".to_owned();
    if has_key() {
        variables += &format!(" and {prefix}_API_KEY");
        keys += " and `api_key`";
    }
    invalid(error).help(format!("set {variables}, or write {keys} into {file} (mode 600), or {sandbox}"))
}

/// The settings file that is read if no option names a file; `None` if the user has no home folder.
pub(crate) fn default_file() -> Option<PathBuf> {
    let name = if cfg!(windows) { "APPDATA" } else { "XDG_CONFIG_HOME" };
    let configuration = match variable(name) {
        Some(folder) => PathBuf::from(folder),
        None => env::home_dir()?.join(".config"),
    };
    Some(configuration.join(program().name).join("settings.toml"))
}
