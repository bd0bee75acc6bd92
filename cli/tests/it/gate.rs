//! The first use of a shared rate limit.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::server::Server;
use crate::support::{Service, asking};

const HOUR: [&str; 6] = ["get", "volume_ratio", "--coin", "BTC", "--timeframe", "1h"];

/// Nothing is sent for a minute: earlier requests may still count.
#[test]
fn first_use_of_a_gate_explains_its_wait() {
    let (service, server) = (Service::start(), Server::start(None));
    let url = server.url("");
    let mut command = asking(&service, &[HOUR.as_slice(), &["--gate", &url]].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut said).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(said.starts_with("waiting "), "{said}");
    assert!(said.contains(" s for the shared rate limit `default`: it is new, its server has restarted,"), "{said}");
}
