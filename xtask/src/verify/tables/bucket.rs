//! Object storage: the library's check with a killed job, and the command line, against a server that speaks S3.
//!
//! `moto` stands in for object storage, with one empty bucket. The standard error of programs is compared.

use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};

use crate::paths;
use crate::verify::running::Process;

pub(super) fn run() -> Result<(), String> {
    let server = Server::start()?;
    let mut killed = Command::new(paths::target().join("release/examples/files"));
    let status = server.environment(killed.args(["bucket", "tables"])).status();
    let status = status.map_err(|error| format!("the check of buckets does not start: {error}"))?;
    if !status.success() {
        return Err(format!("the check of buckets ended with {status}"));
    }
    by_command_line(&server)
}

/// A job, the same again, a longer range, and invalid targets.
fn by_command_line(server: &Server) -> Result<(), String> {
    let quarter = ["--to", "2025-04-01", "--out", "s3://tables/quarter"];
    expect(server, &quarter, 0, " new records in ")?;
    expect(server, &quarter, 0, ": up to date")?;
    expect(server, &["--to", "2025-04-02", "--out", "s3://tables/quarter"], 0, ": 48 new records in 2 requests")?;
    expect(server, &["--to", "2025-04-02", "--out", "s3://tables/quarter.csv"], 2, "takes a data set, not one file")?;
    expect(server, &["--to", "2025-04-02", "--out", "s3://nobodys/quarter"], 1, "does not exist (NoSuchBucket)")
}

/// Runs a backfill on the command line, and checks exit code and message.
fn expect(server: &Server, more: &[&str], code: i32, said: &str) -> Result<(), String> {
    let series = ["backfill", "volume_ratio", "--coin", "BTC,ETH", "--timeframe", "1h", "--from", "2025-01-01"];
    let mut command = Command::new(paths::target().join("release/derivs"));
    let output = server.environment(command.args(series).arg("--sandbox").args(more)).output();
    let Output { status, stderr, .. } = output.map_err(|error| format!("`derivs` does not start: {error}"))?;
    let told = String::from_utf8_lossy(&stderr);
    if status.code() == Some(code) && told.contains(said) {
        return Ok(());
    }
    Err(format!("`derivs backfill … {}` ended with {status} and said:\n{told}", more.join(" ")))
}

/// `moto` with a bucket, until it is dropped.
struct Server {
    _process: Process,
    url: String,
}

/// Starts the server on a free port, makes the bucket and prints its address.
const SERVER: &str = "
import time, urllib.request
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address='127.0.0.1', port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
url = f'http://{host}:{port}'
urllib.request.urlopen(urllib.request.Request(f'{url}/tables', method='PUT'))
print(url, flush=True)
time.sleep(3600)
";

impl Server {
    fn start() -> Result<Self, String> {
        let mut process = Command::new("python3")
            .args(["-c", SERVER])
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("moto does not start: {error}"))?;
        let mut url = String::new();
        let said = process.stdout.take().map(|output| BufReader::new(output).read_line(&mut url));
        let server = Self { _process: Process(process), url: url.trim().to_owned() };
        if server.url.is_empty() { Err(format!("moto does not say where it is: {said:?}")) } else { Ok(server) }
    }

    /// Gives a program the server's address and the credentials.
    fn environment<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command
            .envs([("AWS_ENDPOINT", self.url.as_str()), ("AWS_ALLOW_HTTP", "true"), ("AWS_REGION", "us-east-1")])
            .envs([("AWS_ACCESS_KEY_ID", "any"), ("AWS_SECRET_ACCESS_KEY", "any")])
            .current_dir(paths::root())
    }
}
