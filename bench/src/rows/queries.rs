//! Measures queries over a file of ours, and over the same rows written by pyarrow and by Polars.

use std::process::Command;

use super::ratio;
use crate::command::output;
use crate::python;
use crate::report::Measurement;
use crate::scratch::Scratch;

/// The number of series, each with a year of hours.
const SERIES: &str = "200";

pub(crate) fn queries(scratch: &Scratch) -> Result<Vec<Measurement>, String> {
    let program = scratch.build(scratch.ours()?, "backfill")?;
    let folder = scratch.empty_folder("queries")?;
    let file = folder.join("ours.parquet");
    output(Command::new(program).args(["series", SERIES]).arg(&file))?;
    let mut command = python::program(scratch, "queries.py")?;
    let rounds = (scratch.rounds.max(1) * 4).to_string();
    let (stdout, _) = output(command.arg(&file).arg(&folder).arg(rounds))?;
    stdout.lines().map(measurement).collect()
}

/// Reads a line of the program: the name of the figure, and the figures of ours, pyarrow and Polars.
fn measurement(line: &str) -> Result<Measurement, String> {
    let mut cells = line.split('\t');
    let name = cells.next().unwrap_or_default();
    let figures: Vec<f64> = cells.filter_map(|cell| cell.parse().ok()).collect();
    let [ours, pyarrow, polars] = figures[..] else { return Err(format!("the program printed {line:?}")) };
    let what = if name.starts_with("bytes") {
        format!("{name} in a file of 1,752,000 hours of 200 coins / in the best of pyarrow and Polars")
    } else {
        format!("{name}, CPU milliseconds of DuckDB / with the best file of pyarrow and Polars")
    };
    Ok(Measurement {
        number: "19",
        what,
        bounds: ("", "1.00"),
        measured: ratio(ours, pyarrow.min(polars)),
        detail: format!("{ours} / pyarrow {pyarrow}, Polars {polars}, with their default settings"),
    })
}
