//! Runs the sandbox for the catalogue in a folder. The program prints the base URL and the URL of the page; Ctrl-C or
//! SIGTERM ends the program.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use catalogue::Api;
use clap::builder::NonEmptyStringValueParser;
use clap::{Parser, ValueEnum};
use sandbox::{Builder, RetryAfter, Rule, RuleError, Sandbox};

/// A mock server for the API that a catalogue describes; it responds with generated data
#[derive(Parser)]
// The help has the same lines in every build and terminal, because it is also a committed file.
#[command(name = "sandbox", bin_name = "cargo xtask serve", version, after_help = Rule::GRAMMAR, term_width = 0)]
struct Cli {
    /// The folder of the catalogue
    #[arg(long, value_name = "DIR", default_value = "spec", overrides_with = "spec")]
    spec: PathBuf,
    /// The port on 127.0.0.1; 0 uses a free port
    #[arg(long, default_value_t = 8700)]
    port: u16,
    /// The accepted API key; if omitted, any key is accepted
    #[arg(long, value_name = "KEY", value_parser = NonEmptyStringValueParser::new())]
    api_key: Option<String>,
    /// Require a bearer token as well as the API key; the token endpoint issues one to any client
    #[arg(long)]
    bearer_required: bool,
    /// The lifetime of a token
    #[arg(long, value_name = "TIME", default_value = "1day", value_parser = humantime::parse_duration)]
    token_lifetime: Duration,
    /// The seed of all values
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// The limit sets of the catalogue to enforce, separated by commas
    #[arg(long, value_name = "SETS", value_delimiter = ',')]
    limits: Vec<String>,
    /// Enforce only types, ranges, and params that are documented as required; by default, facts that are only reported
    /// are enforced too
    #[arg(long)]
    lenient: bool,
    /// Also reject unknown values of open types, which are types to which the service may add values
    #[arg(long, conflicts_with = "lenient")]
    only_known_values: bool,
    /// The delay of every response: `100ms`, or `50ms..150ms`
    #[arg(long, value_name = "TIME", value_parser = latency)]
    latency: Option<Rule>,
    /// A rule for a fault on demand; repeatable. The grammar of rules is below
    #[arg(long = "fault", value_name = "RULE")]
    faults: Vec<Rule>,
    /// The format of `Retry-After` in a 429 response
    #[arg(long, value_name = "FORM", value_enum, default_value = "seconds")]
    retry_after: RetryAfterForm,
}

#[derive(Clone, Copy, ValueEnum)]
enum RetryAfterForm {
    Seconds,
    Date,
    Either,
}

fn latency(text: &str) -> Result<Rule, RuleError> {
    format!("latency={text}").parse()
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Cli::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A failed write is ignored, because it cannot be reported anywhere else.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: Cli) -> io::Result<()> {
    let token = if cli.bearer_required { " and a bearer token" } else { "" };
    let api = cli.catalogue()?;
    let key = match (api.service.api_key.is_some(), cli.api_key.is_some()) {
        (false, _) => "no API key",
        (true, true) => "the given API key",
        (true, false) => "any API key",
    };
    let sandbox = cli.into_builder(&api).start()?;
    // The handlers are installed before the first output, because a reader of the output may send a signal at once.
    let end_signal = end_signal()?;
    // Both lines are written at once, because the reader may close the pipe after the first line.
    let mut urls = format!("sandbox: {} ({key}{token})\n", sandbox.base_url());
    for (name, url) in sandbox.base_urls() {
        urls.push_str(&format!("base URL of {name}: {url}\n"));
    }
    urls.push_str(&format!("page: {}\n", sandbox.page_url()));
    io::stdout().write_all(urls.as_bytes())?;
    end_signal.await
}

/// Installs handlers for the signals that end the program.
#[cfg(unix)]
fn end_signal() -> io::Result<impl Future<Output = io::Result<()>>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    // Without a handler, the first process of a container ignores SIGTERM.
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => Ok(()),
            _ = terminate.recv() => Ok(()),
        }
    })
}

/// Listens for Ctrl-C once the future is polled.
#[cfg(not(unix))]
fn end_signal() -> io::Result<impl Future<Output = io::Result<()>>> {
    Ok(tokio::signal::ctrl_c())
}

impl Cli {
    fn catalogue(&self) -> io::Result<Api> {
        catalogue::read(&self.spec)
            .map_err(|errors| errors.render("", false))
            .map_err(|errors| io::Error::other(format!("`{}` cannot be served\n{errors}", self.spec.display())))
    }

    fn into_builder(self, api: &Api) -> Builder {
        let mut builder = Sandbox::of(&catalogue::registry(api))
            .port(self.port)
            .seed(self.seed)
            .bearer_required(self.bearer_required)
            .token_lifetime(self.token_lifetime)
            .retry_after(match self.retry_after {
                RetryAfterForm::Seconds => RetryAfter::Seconds,
                RetryAfterForm::Date => RetryAfter::Date,
                RetryAfterForm::Either => RetryAfter::Either,
            });
        if self.lenient {
            builder = builder.lenient();
        }
        if self.only_known_values {
            builder = builder.only_known_values();
        }
        if let Some(key) = self.api_key {
            builder = builder.api_key(key);
        }
        builder = self.limits.into_iter().fold(builder, Builder::limit_set);
        self.latency.into_iter().chain(self.faults).fold(builder, Builder::fault)
    }
}
