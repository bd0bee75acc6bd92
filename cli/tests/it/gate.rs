//! A gate that machines share, as somebody sees it who uses it first.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::server::Server;
use crate::support::{Service, asking};

const HOUR: [&str; 6] = ["get", "volume_ratio", "--coin", "BTC", "--timeframe", "1h"];

/// Nothing is sent for a minute then: what was sent before the gate was there may still count.
#[test]
fn the_first_use_of_a_gate_says_why_it_waits() {
    let (service, server) = (Service::start(), Server::start(None));
    let url = server.url("");
    let mut command = asking(&service, &[HOUR.as_slice(), &["--gate", &url]].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut said).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(said.starts_with("waiting "), "{said}");
    assert!(said.contains(" s for the shared gate `default`: it is new, or its server has restarted,"), "{said}");
}
