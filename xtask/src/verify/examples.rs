//! Whether every example runs, each against a sandbox of its own, in an empty folder.
//!
//! An example is whatever Cargo builds from a folder `examples/`, so a new one needs no line here; programs of the
//! project stand in folders `programs/`. An example fails if it ends badly, takes too long or prints nothing.

use std::fs::{self, File};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::running::{Process, Running};
use super::{Check, as_from_a_shell};
use crate::files;
use crate::paths;
use crate::terminal::say;

pub(super) const CHECK: Check = Check {
    name: "examples",
    shows: "every example runs against the sandbox and prints something",
    needs: &[],
    run: |_| run(),
};

/// The longest that an example may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// How often a process is checked.
const TICK: Duration = Duration::from_millis(20);

/// The crate whose examples ask for a Redis server.
const WITH_SERVER: &str = "shared-gate";

/// A program that Cargo has built.
#[derive(Debug, PartialEq, Eq)]
struct Program {
    name: String,
    kind: String,
    source: PathBuf,
    executable: PathBuf,
}

impl Program {
    fn is_example(&self) -> bool {
        self.kind == "example" && self.source.parent().is_some_and(|folder| folder.ends_with("examples"))
    }

    fn needs_server(&self) -> bool {
        self.source.iter().any(|part| part == WITH_SERVER)
    }
}

fn run() -> Result<(), String> {
    let programs = programs(&built()?);
    let is_sandbox = |program: &&Program| program.name == "sandbox" && program.kind == "bin";
    let sandbox = programs.iter().find(is_sandbox).ok_or("Cargo has built no sandbox")?;
    let examples: Vec<&Program> = programs.iter().filter(|program| program.is_example()).collect();
    if examples.is_empty() {
        return Err("Cargo has built no examples".to_owned());
    }
    let server = RedisServer::start()?;
    let mut failures = Vec::new();
    for example in examples {
        if example.needs_server() && server.is_none() {
            say(&format!(
                "{}: SKIPPED, as there is no redis-server; run `apt-get install redis-server`\n",
                example.name
            ));
            continue;
        }
        let begun = Instant::now();
        match run_one(example, &sandbox.executable, server.as_ref()) {
            Ok(()) => say(&format!("{}: {:.1} s\n", example.name, begun.elapsed().as_secs_f64())),
            Err(why) => failures.push(format!("the example `{}` {why}", example.name)),
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

/// Builds with the arguments of `cargo test --workspace`, so that nothing is left to build after it.
fn built() -> Result<String, String> {
    let output = as_from_a_shell(&mut Command::new("cargo"))
        .args(["build", "--workspace", "--bins", "--examples", "--message-format=json"])
        .current_dir(paths::root())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo does not start: {error}"))?;
    if !output.status.success() {
        return Err("the examples do not build".to_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The programs in Cargo's messages, a line each, by name.
fn programs(messages: &str) -> Vec<Program> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut programs: Vec<_> = messages
        .filter_map(|message| {
            let target = &message["target"];
            Some(Program {
                name: target["name"].as_str()?.to_owned(),
                kind: target["kind"][0].as_str()?.to_owned(),
                source: target["src_path"].as_str()?.into(),
                executable: message["executable"].as_str()?.into(),
            })
        })
        .collect();
    programs.sort_by(|one, other| one.name.cmp(&other.name));
    programs
}

/// Runs an example in an empty folder, with every variable that an example may read.
fn run_one(example: &Program, sandbox: &Path, server: Option<&RedisServer>) -> Result<(), String> {
    let folder = paths::target().join("verify-examples").join(&example.name);
    let fails = |error: std::io::Error| format!("has no folder: {}", files::named(&folder, error));
    files::empty(&folder).map_err(|why| format!("has no folder: {why}"))?;
    let printed = folder.join("printed.txt");
    // It enforces the service's limits, and every client needs a token.
    let sandbox = Running::start_built(sandbox, &["--limits", "A,B", "--bearer-required"])?;
    let output = File::create(&printed).map_err(fails)?;
    let mut command = Command::new(&example.executable);
    command.current_dir(&folder).stdin(Stdio::null()).stdout(output.try_clone().map_err(fails)?).stderr(output);
    command.env("MARKET_ANALYTICS_BASE_URL", &sandbox.base_url).envs([
        ("MARKET_ANALYTICS_API_KEY", "any"),
        ("MARKET_ANALYTICS_CLIENT_ID", "any"),
        ("MARKET_ANALYTICS_CLIENT_SECRET", "any"),
    ]);
    if let Some(server) = server {
        command.env("MARKET_ANALYTICS_GATE", &server.url);
    }
    let status = ended(&mut command)?;
    let printed = fs::read_to_string(&printed).map_err(fails)?;
    match status {
        None => Err(format!("has not ended after {} s; it printed\n{printed}", PATIENCE.as_secs())),
        Some(status) if !status.success() => Err(format!("ended with {status}; it printed\n{printed}")),
        Some(_) if printed.trim().is_empty() => Err("prints nothing".to_owned()),
        Some(_) => Ok(()),
    }
}

/// Waits for the end; `None` if it takes too long.
fn ended(command: &mut Command) -> Result<Option<ExitStatus>, String> {
    let mut process = Process(command.spawn().map_err(|error| format!("does not start: {error}"))?);
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if let Some(status) = process.0.try_wait().map_err(|error| error.to_string())? {
            return Ok(Some(status));
        }
        sleep(TICK);
    }
    Ok(None)
}

/// A Redis server on a free port, which keeps nothing on disk.
struct RedisServer {
    url: String,
    _process: Process,
}

impl RedisServer {
    /// `None` where it is not installed.
    fn start() -> Result<Option<Self>, String> {
        // The port is free again once the listener is dropped.
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let address = free.map_err(|error| format!("there is no free port: {error}"))?;
        let started = Command::new("redis-server")
            .args(["--port", &address.port().to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .stdout(Stdio::null())
            .spawn();
        let process = match started {
            Ok(process) => Process(process),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("redis-server does not start: {error}")),
        };
        let begun = Instant::now();
        while TcpStream::connect(address).is_err() {
            if begun.elapsed() > PATIENCE {
                return Err("redis-server does not answer".to_owned());
            }
            sleep(TICK);
        }
        Ok(Some(Self { url: format!("redis://{address}"), _process: process }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_in_what_cargo_says_and_examples_by_their_folder() {
        let messages = r#"
{"reason":"compiler-artifact","target":{"kind":["example"],"name":"series","src_path":"/p/client/examples/series.rs"},"executable":"/t/series"}
{"reason":"compiler-artifact","target":{"kind":["example"],"name":"raw","src_path":"/p/client/programs/raw.rs"},"executable":"/t/raw"}
{"reason":"compiler-artifact","target":{"kind":["lib"],"name":"client","src_path":"/p/client/src/lib.rs"},"executable":null}
{"reason":"compiler-artifact","target":{"kind":["example"],"name":"gate","src_path":"/p/shared-gate/examples/gate.rs"},"executable":"/t/gate"}
{"reason":"build-finished","success":true}
Not JSON"#;
        let programs = programs(messages);
        let told: Vec<_> = programs.iter().map(|it| (it.name.as_str(), it.is_example(), it.needs_server())).collect();
        assert_eq!(told, [("gate", true, true), ("raw", false, false), ("series", true, false)]);
    }

    #[test]
    fn how_a_process_ends_is_told() {
        let told = ended(Command::new("cargo").arg("--no-such-flag").stdout(Stdio::null()).stderr(Stdio::null()));
        assert!(told.is_ok_and(|status| status.is_some_and(|status| !status.success())));
        assert!(ended(&mut Command::new("no-such-program-anywhere")).is_err());
    }
}
