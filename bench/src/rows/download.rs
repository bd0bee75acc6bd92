//! Measures a download from end to end: a year of minutes from a server on loopback into a Parquet file.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::ratio;
use crate::command::copied;
use crate::python;
use crate::report::Measurement;
use crate::scratch::Scratch;
use crate::timing::{Took, Turn, medians};

/// The range, 2023-06-16T00:00:00Z to 2024-06-15T00:00:00Z, which is that of the program `backfill`.
const FROM: &str = "1686873600";
const TO: &str = "1718409600";
const MILLIONS_OF_ROWS: f64 = 0.5256;

/// A server of records, which ends when the value is dropped.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    fn start(program: &Path) -> Result<Self, String> {
        let mut process = Command::new(program)
            .arg("serve")
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let stdout = process.stdout.take().ok_or("the server has no output")?;
        let mut url = String::new();
        BufReader::new(stdout).read_line(&mut url).map_err(|error| error.to_string())?;
        Ok(Self { process, url: url.trim().to_owned() })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A server that has ended already needs nothing.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(crate) fn download(scratch: &Scratch) -> Result<Vec<Measurement>, String> {
    let ours = scratch.build(scratch.ours()?, "backfill")?;
    let reqwest = scratch.build(scratch.peers()?, "download-reqwest")?;
    let pandas = python::program(scratch, "download.py")?;
    let server = Server::start(&ours)?;
    let folder = scratch.empty_folder("download")?;
    let mut measurements = Vec::new();
    for fields in ["1", "4"] {
        let url = format!("{}/{fields}/v1", server.url);
        let our_command = || {
            let mut command = Command::new(&ours);
            command.args(["download", &url, fields]).arg(folder.join("ours.parquet"));
            command
        };
        let reqwest_command = || {
            let mut command = Command::new(&reqwest);
            command.args([&url, fields, FROM, TO]).arg(folder.join("reqwest.parquet"));
            command
        };
        let pandas_command = || {
            let mut command = copied(&pandas);
            command.args([&url, FROM, TO]).arg(folder.join("pandas.parquet"));
            command
        };
        let empty = || scratch.empty_folder("download").map(drop);
        let took = medians(
            scratch.rounds,
            &[
                Turn { before: Box::new(empty), command: Box::new(our_command) },
                Turn { before: Box::new(empty), command: Box::new(reqwest_command) },
                Turn { before: Box::new(empty), command: Box::new(pandas_command) },
            ],
        )?;
        let [ours, reqwest, pandas] = &took[..] else {
            return Err("internal error: a measurement is missing".to_owned());
        };
        measurements.push(measurement(
            fields,
            "reqwest, `serde` and `arrow` without checks and journal",
            "1.50",
            ours,
            reqwest,
        ));
        measurements.push(measurement(fields, "httpx and pandas", "0.20", ours, pandas));
    }
    Ok(measurements)
}

fn measurement(fields: &str, peer: &str, goal: &'static str, ours: &Took, theirs: &Took) -> Measurement {
    let per_million = |took: &Took| took.processor / MILLIONS_OF_ROWS;
    Measurement {
        number: "18",
        what: format!(
            "CPU seconds to download a year of minutes into a file, with fields besides the time: {fields}, / with {peer}"
        ),
        bounds: ("", goal),
        measured: ratio(ours.processor, theirs.processor),
        detail: format!(
            "{:.2} / {:.2} s for a million rows; memory {:.0} / {:.0} MiB",
            per_million(ours),
            per_million(theirs),
            ours.memory,
            theirs.memory
        ),
    }
}
