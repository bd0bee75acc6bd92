//! Tests of the program's output and errors.

#![allow(clippy::unwrap_used)] // Clippy allows this in functions with `#[test]`, but not in helpers.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

/// A small catalogue.
const SPEC: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../sandbox/tests/catalogue");

fn sandbox(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sandbox"));
    command.args(["--spec", SPEC]).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The program, running on a free port; it is killed on drop.
struct Running {
    program: Child,
    first_line: String,
}

impl Running {
    fn start(arguments: &[&str]) -> Self {
        let mut program = sandbox(&[&["--port", "0"], arguments].concat()).spawn().unwrap();
        let mut first_line = String::new();
        BufReader::new(program.stdout.take().unwrap()).read_line(&mut first_line).unwrap();
        Self { program, first_line }
    }

    /// Returns host and port.
    fn address(&self) -> &str {
        self.first_line.split("http://").nth(1).unwrap().split('/').next().unwrap()
    }

    /// Returns the complete response to a request with an API key.
    fn get(&self, path: &str) -> String {
        self.send(&format!("GET /v1{path}"), "", "")
    }

    fn send(&self, what: &str, headers: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        let length = body.len();
        let headers = format!(
            "host: localhost\r\nx-station-key: key\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}"
        );
        let request = format!("{what} HTTP/1.1\r\n{headers}\r\n{body}");
        stream.write_all(request.as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response
    }

    fn status(&self, path: &str) -> u16 {
        self.get(path).split(' ').nth(1).unwrap().parse().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The program may have exited already.
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

fn first_line(arguments: &[&str]) -> String {
    Running::start(arguments).first_line.clone()
}

#[test]
fn program_prints_its_address() {
    let line = first_line(&["--seed", "7"]);
    assert!(line.starts_with("sandbox: http://127.0.0.1:"), "{line}");
    assert!(line.ends_with("/v1 (any API key)\n"), "{line}");
    let line = first_line(&["--api-key", "canary-key", "--bearer-required"]);
    assert!(line.ends_with("/v1 (the given API key and a bearer token)\n"), "{line}");
    assert!(!line.contains("canary-key"), "{line}");
}

#[test]
fn invalid_arguments_are_reported() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for (port, expected) in [(port.as_str(), "cannot listen on port"), ("70000", "70000 is not in 0..=65535")] {
        let output = sandbox(&["--port", port]).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success());
        assert!(message.starts_with("error: ") && message.contains(port) && message.contains(expected), "{message}");
    }
}

#[test]
fn help_has_the_grammar() {
    let help = String::from_utf8(sandbox(&["--help"]).output().unwrap().stdout).unwrap();
    assert!(help.contains(sandbox::Rule::GRAMMAR.trim_end()), "{help}");
}

#[test]
fn every_flag_has_its_effect() {
    const RAIN: &str = "/rain?limit=6&step=1d&until=1700000000";
    let as_it_is = Running::start(&[]);
    let response = as_it_is.get(RAIN);
    assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    let body = |response: &str| response.split("\r\n\r\n").nth(1).unwrap().to_owned();
    assert_ne!(body(&Running::start(&["--seed", "8"]).get(RAIN)), body(&response));
    assert_eq!(body(&Running::start(&["--seed", "0"]).get(RAIN)), body(&response));
    for (flags, path, status) in [
        (&[] as &[_], "/rain", 422),
        (&["--lenient"], "/rain", 200),
        (&[], "/stations/west/report", 200),
        (&["--only-known-values"], "/stations/west/report", 422),
        (&["--api-key", "other"], RAIN, 403),
        (&["--bearer-required"], RAIN, 401),
        (&["--fault", "/rain status=502", "--fault", "/legend status=503"], RAIN, 502),
        (&["--fault", "/legend status=503"], RAIN, 200),
        (&["--latency", "1ms..2ms"], RAIN, 200),
    ] {
        assert_eq!(Running::start(flags).status(path), status, "{flags:?}");
    }
}

#[test]
fn limits_are_enforced_with_a_date_in_retry_after() {
    let limited = Running::start(&["--limits", "free", "--retry-after", "date"]);
    let responses = [limited.get("/legend"), limited.get("/legend"), limited.get("/legend")];
    let refused = responses.iter().find(|response| response.starts_with("HTTP/1.1 429 ")).unwrap();
    assert!(refused.contains("\r\nretry-after: ") && refused.contains(" GMT\r\n"), "{refused}");
}

#[cfg(unix)]
#[test]
fn signal_ends_the_program_with_requests_in_flight() {
    for signal in ["-INT", "-TERM"] {
        let mut running = Running::start(&["--latency", "1h"]);
        let mut waiting = TcpStream::connect(running.address()).unwrap();
        waiting.write_all(b"GET /v1/legend HTTP/1.1\r\nhost: localhost\r\nx-station-key: key\r\n\r\n").unwrap();
        let pid = running.program.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
        assert!(running.program.wait().unwrap().success(), "{signal}");
        assert!(TcpStream::connect(running.address()).is_err(), "{signal}: the port is closed");
    }
}

#[test]
fn error_marks_the_wrong_word() {
    for (arguments, expected) in [
        (
            ["--fault", "/rain statsu=503"],
            "  | /rain statsu=503\n  |       ^^^^^^^^^^\n  = help: did you mean `status`?",
        ),
        (["--fault", "/rein stale"], "unknown endpoint, path, group or param `/rein`"),
        (["--latency", "soon"], "invalid value `soon` of `latency`"),
        (["--limits", "C"], "unknown limit set `C`; the service has `free`"),
        (["--api-key", ""], "a value is required for '--api-key <KEY>'"),
        (["--token-lifetime", "long"], "--token-lifetime"),
        (["--spec", "no/folder"], "no/folder"),
    ] {
        let output = sandbox(&arguments).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && message.starts_with("error: ") && message.contains(expected), "{message}");
    }
}

/// `cargo xtask serve --help` prints the committed help, so that it does not have to build the program.
#[test]
fn committed_help_is_the_help_of_the_program() {
    let output = sandbox(&["--help"]).output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/help.txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, &help).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap();
    assert_eq!(committed, help, "run this test with UPDATE_EXPECT=1");
}
