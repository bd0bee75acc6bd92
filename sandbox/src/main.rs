//! The sandbox as a program: flags come in, the base URL and the page's go out, Ctrl-C or SIGTERM ends it.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser};
use clap::{Parser, ValueEnum};
use generated_client::SERVICE;
use sandbox::{Builder, RetryAfter, Rule, RuleError, Sandbox};

/// A server that answers as the catalogue says, with invented data
#[derive(Parser)]
#[command(name = "sandbox", bin_name = "cargo xtask serve", version, after_help = Rule::GRAMMAR)]
struct Cli {
    /// The port on 127.0.0.1; 0 takes a free one
    #[arg(long, default_value_t = 8700)]
    port: u16,
    /// The only API key that is accepted; any one is if left out
    #[arg(long, value_name = "KEY", value_parser = NonEmptyStringValueParser::new())]
    api_key: Option<String>,
    /// Ask for a bearer token beside the API key; the token endpoint gives one to any client
    #[arg(long)]
    bearer_required: bool,
    /// How long a token is valid
    #[arg(long, value_name = "TIME", default_value = "1day", value_parser = humantime::parse_duration)]
    token_lifetime: Duration,
    /// Which of all invented markets is shown
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// The limit sets to enforce, with commas between; `none` stands alone
    #[arg(long, value_name = "SETS", default_value = NO_LIMITS, value_delimiter = ',', value_parser = limit_sets())]
    limits: Vec<String>,
    /// Also refuse what is only reported to be refused, with 422: params that an endpoint does not take, values of
    /// `limit` that are not served, venues that are not known, and requests without `coin` or `timeframe`
    #[arg(long)]
    strict: bool,
    /// How long every reply waits: `100ms`, or `50ms..150ms`
    #[arg(long, value_name = "TIME", value_parser = latency)]
    latency: Option<Rule>,
    /// A fault on demand; may be given several times. The grammar of rules is below
    #[arg(long = "fault", value_name = "RULE")]
    faults: Vec<Rule>,
    /// Record requests and replies in this file, in place of its content, without credentials
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Answer from a recording alone
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Only check that a recording can be played and has nothing that looks like a key
    #[arg(long, value_name = "FILE", exclusive = true)]
    check_recording: Option<PathBuf>,
    /// How a refusal for too many requests writes `Retry-After`
    #[arg(long, value_name = "FORM", value_enum, default_value = "seconds")]
    retry_after: RetryAfterForm,
}

#[derive(Clone, Copy, ValueEnum)]
enum RetryAfterForm {
    Seconds,
    Date,
    Either,
}

/// The word for no limit set.
const NO_LIMITS: &str = "none";

/// The limit sets of the service and the word for none, so that `--help` and errors list them.
fn limit_sets() -> PossibleValuesParser {
    PossibleValuesParser::new(SERVICE.limits.iter().map(|limit| limit.name).chain([NO_LIMITS]))
}

fn latency(text: &str) -> Result<Rule, RuleError> {
    format!("latency={text}").parse()
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Cli::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // An error here cannot be reported anywhere.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: Cli) -> io::Result<()> {
    if let Some(file) = &cli.check_recording {
        sandbox::check_recording(file).map_err(io::Error::other)?;
        return writeln!(io::stdout(), "{}: can be played, and nothing in it looks like a key", file.display());
    }
    let key = if cli.api_key.is_some() { "the given API key" } else { "any API key" };
    let token = if cli.bearer_required { " and a bearer token" } else { "" };
    let sandbox = cli.into_builder()?.start().await?;
    // Before the first output: a program that reads it may end this one at once.
    let told_to_end = told_to_end()?;
    // In one piece, as a program may read the first line and then close the pipe.
    let said = format!("sandbox: {} ({key}{token})\npage: {}\n", sandbox.base_url(), sandbox.page_url());
    io::stdout().write_all(said.as_bytes())?;
    told_to_end.await
}

/// Listens from now on for signals that end the program.
#[cfg(unix)]
fn told_to_end() -> io::Result<impl Future<Output = io::Result<()>>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    // Without a handler, the first process of a container ignores it.
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => Ok(()),
            _ = terminate.recv() => Ok(()),
        }
    })
}

/// Listens for Ctrl-C, from when it is awaited on.
#[cfg(not(unix))]
fn told_to_end() -> io::Result<impl Future<Output = io::Result<()>>> {
    Ok(tokio::signal::ctrl_c())
}

impl Cli {
    fn into_builder(self) -> io::Result<Builder> {
        let mut builder = Sandbox::builder()
            .port(self.port)
            .seed(self.seed)
            .strict(self.strict)
            .bearer_required(self.bearer_required)
            .token_lifetime(self.token_lifetime)
            .retry_after(match self.retry_after {
                RetryAfterForm::Seconds => RetryAfter::Seconds,
                RetryAfterForm::Date => RetryAfter::Date,
                RetryAfterForm::Either => RetryAfter::Either,
            });
        builder = self.record.into_iter().fold(builder, Builder::record);
        builder = self.replay.into_iter().fold(builder, Builder::replay);
        builder = self.latency.into_iter().chain(self.faults).fold(builder, Builder::fault);
        if let Some(key) = self.api_key {
            builder = builder.api_key(key);
        }
        match self.limits.as_slice() {
            [only] if only == NO_LIMITS => Ok(builder),
            sets if sets.iter().any(|set| set == NO_LIMITS) => Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("`--limits {}` has both `{NO_LIMITS}` and a limit set: leave one out", sets.join(",")),
            )),
            _ => Ok(self.limits.into_iter().fold(builder, Builder::limit_set)),
        }
    }
}
