//! Whether files of tables are read as they are by those who read such files, and survive being killed.
//!
//! A program writes them from the sandbox; pandas, Polars, DuckDB and Spark read them back, and `moto` stands in for
//! object storage.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::{Check, Program, call};
use crate::paths;

pub(super) const CHECK: Check = Check {
    name: "tables",
    shows: "files are read by pandas, Polars, DuckDB and Spark as they were meant, and a killed job loses and doubles no row",
    needs: &[
        Program {
            probe: &["python3", "-c", "import duckdb, moto.server, pandas, polars, pyarrow, pyspark"],
            install: "pip install duckdb 'moto[server]' pandas polars pyarrow pyspark",
        },
        Program { probe: &["java", "-version"], install: "apt-get install --yes default-jre-headless" },
    ],
    run: |_| run(),
};

/// Beside the checks, since they are no Rust.
const READERS: &str = "tables/programs/files/readers.py";

fn run() -> Result<(), String> {
    let folder = paths::target().join("verify-tables");
    emptied(&folder)?;
    let path = folder.display().to_string();
    let program = [
        "cargo",
        "run",
        "--quiet",
        "--release",
        "--package",
        "generated-client-tables",
        "--features",
        "s3",
        "--example",
        "files",
        "--",
    ];
    let files = |what: &[&str]| call(&[&program[..], what].concat());
    files(&["write", &path])?;
    call(&["python3", READERS, &path])?;
    emptied(&folder)?;
    files(&["killed", &path])?;
    emptied(&folder)?;
    in_bucket()?;
    emptied(&folder)?;
    files(&["million", &path])?;
    fs::remove_dir_all(&folder).map_err(|error| format!("{path}: {error}"))
}

fn emptied(folder: &Path) -> Result<(), String> {
    let fails = |error| format!("{}: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(fails)?;
    }
    fs::create_dir_all(folder).map_err(fails)
}

/// The check that is killed, against a server that speaks S3.
fn in_bucket() -> Result<(), String> {
    let server = Server::start()?;
    let status = Command::new(paths::target().join("release/examples/files"))
        .args(["bucket", "tables"])
        .envs([("AWS_ENDPOINT", server.url.as_str()), ("AWS_ALLOW_HTTP", "true"), ("AWS_REGION", "us-east-1")])
        .envs([("AWS_ACCESS_KEY_ID", "any"), ("AWS_SECRET_ACCESS_KEY", "any")])
        .current_dir(paths::root())
        .status()
        .map_err(|error| format!("the check of buckets does not start: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("the check of buckets ended with {status}")) }
}

/// `moto` with a bucket, until it is dropped.
struct Server {
    process: Child,
    url: String,
}

/// Starts the server on a free port, makes the bucket and says where it is.
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
        let server = Self { process, url: url.trim().to_owned() };
        if server.url.is_empty() { Err(format!("moto does not say where it is: {said:?}")) } else { Ok(server) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing is lost if it has ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
