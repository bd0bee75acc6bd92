//! Fetches a year of one-minute records from the sandbox: in one call, with hand-written loops, and with progenitor's
//! client.
//!
//! Each variant runs against a separate sandbox, which enforces ten requests a second and counts requests. The allowed
//! maximum is the time for 527 pages at 98 % of ten requests a second, plus the time of one response.

use std::process::Command;

use crate::command::output;
use crate::report::Measurement;
use crate::scratch::Scratch;

/// The variants: the name in the output of the program, a description, and the number of lines of code that get the
/// records from a client.
const WAYS: [(&str, &str, u32); 4] = [
    ("history", "`history(from..to)`", 1),
    ("loop", "a plain loop with this client", 7),
    ("tasks", "ten tasks without a rate limiter; each waits a second after a 429", 25),
    ("program", "progenitor's client behind `governor`, twenty requests at once", 29),
];

pub(crate) fn history(scratch: &Scratch) -> Result<Vec<Measurement>, String> {
    let peer = scratch.build(scratch.history()?, "history-progenitor")?;
    let (stdout, _) = output(Command::new(scratch.year()?).arg("others").arg(peer))?;
    let mut measurements = Vec::new();
    for (way, words, lines) in WAYS {
        let result = stdout.lines().find_map(|line| line.strip_prefix(way)?.strip_prefix(": "));
        let result = result.ok_or_else(|| format!("no line about {way} in: {stdout}"))?;
        let seconds = result.strip_prefix("525600 records in ").and_then(|rest| rest.split_once(" s; "));
        let (seconds, requests) = seconds.ok_or_else(|| format!("unexpected number of records: {result}"))?;
        measurements.push(Measurement {
            number: "15",
            what: format!("a year of one-minute records with a response time of 300 ms, in s: {words}"),
            bounds: if way == "history" { ("54.1", "52.7") } else { ("", "") },
            measured: seconds.to_owned(),
            detail: format!("{requests}; lines of user code: {lines}"),
        });
    }
    Ok(measurements)
}
