//! The program: what it prints, and how it fails.

#![allow(clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn sandbox(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sandbox"));
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The program while it runs on a free port; it is ended when this is dropped.
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

    /// Host and port.
    fn address(&self) -> &str {
        self.first_line.split("http://").nth(1).unwrap().split('/').next().unwrap()
    }

    /// The whole reply to a request with an API key.
    fn get(&self, path: &str) -> String {
        self.send(&format!("GET /v2{path}"), "", "")
    }

    fn send(&self, what: &str, headers: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        let length = body.len();
        let headers =
            format!("host: x\r\nx-api-key: key\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}");
        let request = format!("{what} HTTP/1.1\r\n{headers}\r\n{body}");
        stream.write_all(request.as_bytes()).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        reply
    }

    fn status(&self, path: &str) -> u16 {
        self.get(path).split(' ').nth(1).unwrap().parse().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

fn first_line(arguments: &[&str]) -> String {
    Running::start(arguments).first_line.clone()
}

#[test]
fn it_says_where_it_is() {
    let line = first_line(&["--seed", "7"]);
    assert!(line.starts_with("sandbox: http://127.0.0.1:"), "{line}");
    assert!(line.ends_with("/v2 (any API key)\n"), "{line}");
    let line = first_line(&["--api-key", "canary-key", "--bearer-required"]);
    assert!(line.ends_with("/v2 (the given API key and a bearer token)\n"), "{line}");
    assert!(!line.contains("canary-key"), "{line}");
}

#[test]
fn what_cannot_be_used_is_said() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for (port, expected) in [(port.as_str(), "cannot be used"), ("70000", "70000 is not in 0..=65535")] {
        let output = sandbox(&["--port", port]).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success());
        assert!(said.starts_with("error: ") && said.contains(port) && said.contains(expected), "{said}");
    }
}

#[test]
fn help_has_the_grammar() {
    let help = String::from_utf8(sandbox(&["--help"]).output().unwrap().stdout).unwrap();
    assert!(help.contains(sandbox::Rule::GRAMMAR.trim_end()), "{help}");
}

#[test]
fn every_flag_does_what_it_says() {
    const ODD: &str = "/klines?limit=6&coin=BTC&timeframe=1d&exchange=binance_spot&endTime=1700000000";
    let as_it_is = Running::start(&[]);
    let reply = as_it_is.get(ODD);
    assert!(reply.starts_with("HTTP/1.1 200 "), "{reply}");
    let body = |reply: &str| reply.split("\r\n\r\n").nth(1).unwrap().to_owned();
    assert_ne!(body(&Running::start(&["--seed", "8"]).get(ODD)), body(&reply));
    assert_eq!(body(&Running::start(&["--seed", "0"]).get(ODD)), body(&reply));
    for (flags, status) in [
        (&["--strict"] as &[_], 422),
        (&["--api-key", "other"], 403),
        (&["--bearer-required"], 401),
        (&["--fault", "/klines status=502", "--fault", "/ping status=503"], 502),
        (&["--fault", "/ping status=503"], 200),
        (&["--limits", "none"], 200),
    ] {
        assert_eq!(Running::start(flags).status(ODD), status, "{flags:?}");
    }
    let form = "authorization: Basic aWQ6c2VjcmV0\r\ncontent-type: application/x-www-form-urlencoded\r\n";
    let lasting = Running::start(&["--token-lifetime", "1h"]);
    let token = lasting.send("POST /v2/oauth2/token", form, "grant_type=client_credentials");
    assert!(token.contains("\"expires_in\":3600"), "{token}");
    let start = Instant::now();
    assert_eq!(Running::start(&["--latency", "50ms..60ms"]).status("/ping"), 200);
    assert!(start.elapsed() >= Duration::from_millis(50));
}

#[test]
fn limits_are_kept_and_refusals_dated() {
    let limited = Running::start(&["--limits", "A,B", "--retry-after", "date"]);
    // Set A is met after ten, should they fit in a second, and set B after six hundred at the latest.
    let refused = (0..=600).map(|_| limited.get("/ping")).find(|reply| reply.starts_with("HTTP/1.1 429 ")).unwrap();
    assert!(refused.contains("\r\nretry-after: ") && refused.contains(" GMT\r\n"), "{refused}");
}

#[test]
fn a_recording_is_written_checked_and_played() {
    let file = concat!(env!("CARGO_TARGET_TMPDIR"), "/program.yaml");
    let recorded = Running::start(&["--record", file]).get("/klines?limit=2");
    let played = Running::start(&["--replay", file]);
    let rows = |reply: &str| reply.split("\r\n\r\n").nth(1).unwrap().replace('\n', "");
    assert_eq!(rows(&played.get("/klines?limit=2")), rows(&recorded));
    assert_eq!(played.status("/ping"), 404);
    let check = || sandbox(&["--check-recording", file]).output().unwrap();
    assert!(check().status.success());
    let text = std::fs::read_to_string(file).unwrap();
    std::fs::write(file, format!("{text}# sent with x-api-key: hunter2\n")).unwrap();
    let output = check();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains("has what looks like a key or a token"), "{said}");
    assert!(!said.contains("hunter2"), "{said}");
}

#[cfg(unix)]
#[test]
fn it_ends_when_told_whatever_is_in_flight() {
    for signal in ["-INT", "-TERM"] {
        let mut running = Running::start(&["--latency", "1h"]);
        let mut waiting = TcpStream::connect(running.address()).unwrap();
        waiting.write_all(b"GET /v2/ping HTTP/1.1\r\nhost: x\r\nx-api-key: key\r\n\r\n").unwrap();
        let pid = running.program.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
        assert!(running.program.wait().unwrap().success(), "{signal}");
        assert!(TcpStream::connect(running.address()).is_err(), "{signal}: nobody listens any more");
    }
}

#[test]
fn mistakes_are_shown() {
    for (arguments, expected) in [
        (
            ["--fault", "/klines statsu=503"],
            "  | /klines statsu=503\n  |         ^^^^^^^^^^\n  = help: did you mean `status`?",
        ),
        (["--latency", "soon"], "`latency` cannot be `soon`"),
        (["--limits", "C"], "invalid value 'C' for '--limits <SETS>'\n  [possible values: A, B, none]"),
        (["--limits", "A,"], "[possible values: A, B, none]"),
        (["--limits", "A,none"], "`--limits A,none` has both `none` and a limit set: leave one out"),
        (["--api-key", ""], "a value is required for '--api-key <KEY>'"),
        (["--replay", "missing.yaml"], "missing.yaml cannot be read: "),
        (["--check-recording", "missing.yaml"], "missing.yaml cannot be read: "),
        (["--token-lifetime", "long"], "--token-lifetime"),
    ] {
        let output = sandbox(&arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.starts_with("error: ") && said.contains(expected), "{said}");
    }
}
