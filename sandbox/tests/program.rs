//! The program: what it prints, and how it fails.

#![allow(clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Command, Stdio};

fn sandbox(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sandbox"));
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The first line that the program prints.
fn first_line(arguments: &[&str]) -> String {
    let mut program = sandbox(arguments).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
    program.kill().unwrap();
    program.wait().unwrap();
    line
}

#[test]
fn it_says_where_it_is() {
    let line = first_line(&["--port", "0", "--seed", "7"]);
    assert!(line.starts_with("sandbox: http://127.0.0.1:"), "{line}");
    assert!(line.ends_with("/v2 (any API key)\n"), "{line}");
    let line = first_line(&["--port", "0", "--api-key", "canary-key"]);
    assert!(line.ends_with("/v2 (the given API key)\n"), "{line}");
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
fn rules_and_limits_are_read() {
    let flags =
        ["--limits", "A,B", "--strict", "--latency", "1ms..2ms", "--fault", "/klines 10% cut", "--fault", "stale"];
    let line =
        first_line(&[&["--port", "0", "--token-lifetime", "1h", "--retry-after", "either"], &flags[..]].concat());
    assert!(line.starts_with("sandbox: http://"), "{line}");
    let help = String::from_utf8(sandbox(&["--help"]).output().unwrap().stdout).unwrap();
    assert!(help.contains(sandbox::Rule::GRAMMAR.trim_end()), "{help}");
}

#[test]
fn mistakes_are_shown() {
    for (arguments, expected) in [
        (
            ["--fault", "/klines statsu=503"],
            "  | /klines statsu=503\n  |         ^^^^^^^^^^\n  = help: did you mean `status`?",
        ),
        (["--latency", "soon"], "`latency` cannot be `soon`"),
        (["--limits", "C"], "there is no limit set `C`: the service names `A` and `B`"),
        (["--replay", "missing.yaml"], "missing.yaml cannot be read: "),
        (["--check-recording", "missing.yaml"], "missing.yaml cannot be read: "),
        (["--token-lifetime", "long"], "--token-lifetime"),
    ] {
        let output = sandbox(&arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.starts_with("error: ") && said.contains(expected), "{said}");
    }
}
