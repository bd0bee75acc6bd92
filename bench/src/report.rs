//! The table: on the terminal, and in `bench/RESULTS.md`.
//!
//! Each row remembers its last run in the scratch folder, so that measuring one leaves the others in the table.
//! What is written by hand below the marker stays.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::command::output;
use crate::rows::ROWS;
use crate::scratch::Scratch;

/// One line of the table.
pub(crate) struct Outcome {
    /// The number that the promise has.
    pub(crate) number: &'static str,
    /// What was compared with what.
    pub(crate) what: String,
    /// What has to come out at most, and what is hoped for.
    pub(crate) bounds: (&'static str, &'static str),
    /// What came out, compared as the bounds are.
    pub(crate) measured: String,
    /// What it was made of.
    pub(crate) detail: String,
}

const MARKER: &str = "<!-- What follows is written by hand. -->";

/// A row that could not be measured, in words.
pub(crate) fn skipped(name: &str, problem: &str) -> Outcome {
    eprintln!("skipping {name}: {problem}");
    let why = problem.lines().next().unwrap_or_default().to_owned();
    Outcome { number: "", what: name.to_owned(), bounds: ("", ""), measured: "not measured".to_owned(), detail: why }
}

/// Remembers what a row has come to.
pub(crate) fn record(scratch: &Scratch, row: &str, outcomes: &[Outcome]) -> Result<(), String> {
    let date = output(Command::new("date").args(["-u", "+%Y-%m-%d"]))?.0;
    let line = |outcome: &Outcome| {
        let Outcome { number, what, bounds: (must, hope), measured, detail } = outcome;
        format!("| {number} | {what} | {must} | {hope} | {measured} | {detail} | {} |\n", date.trim())
    };
    let lines: String = outcomes.iter().map(line).collect();
    print!("{lines}");
    let path = remembered(scratch, row);
    let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, lines));
    written.map_err(|error| format!("{}: {error}", path.display()))
}

fn remembered(scratch: &Scratch, row: &str) -> PathBuf {
    scratch.target().join("results").join(row)
}

/// Writes the whole table.
pub(crate) fn finish(scratch: &Scratch) -> Result<(), String> {
    let rows: String = ROWS.iter().filter_map(|row| fs::read_to_string(remembered(scratch, row.name)).ok()).collect();
    let path = scratch.own().join("RESULTS.md");
    let old = fs::read_to_string(&path).unwrap_or_default();
    let by_hand = old.split_once(MARKER).map_or("\n", |(_, by_hand)| by_hand);
    let text = format!(
        "# Beside its peers\n\n\
         Written by `cargo xtask bench`; every row is one run on one machine, side by side with what it is compared with.\n\
         Ratios unless a unit stands there; \"must\" is the most that is allowed.\n\n\
         {}\n\
         | # | what | must | hope | measured | made of | date |\n|---|---|---|---|---|---|---|\n{rows}\n{MARKER}{by_hand}",
        machine()
    );
    println!("\n{rows}");
    fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// What the figures were measured on.
fn machine() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let rustc = output(Command::new("rustc").arg("--version")).map(|(said, _)| said).unwrap_or_default();
    let model = model.map_or("an unnamed processor", |(_, model)| model.trim());
    format!("Machine: {cores} cores of {model}, {}, {}.\n", std::env::consts::OS, rustc.trim())
}
