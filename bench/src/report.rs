//! Prints the table of results and writes it to `bench/RESULTS.md`.
//!
//! A new result of a row replaces the lines of that row. Other rows, and the text below the marker, stay unchanged.

use std::fs;
use std::process::Command;

use crate::command::output;
use crate::rows::ROWS;
use crate::scratch::Scratch;

/// One line of the table.
pub(crate) struct Measurement {
    /// The number of the requirement, which is printed in the first column.
    pub(crate) number: &'static str,
    /// A description of the comparison.
    pub(crate) what: String,
    /// The allowed maximum and the goal, as text.
    pub(crate) bounds: (&'static str, &'static str),
    /// The result, in the unit of the maximum.
    pub(crate) measured: String,
    /// The figures that the result is computed from.
    pub(crate) detail: String,
}

/// The heading of the table.
const COLUMNS: &str =
    "| # | what | max | goal | measured | details | date | row |\n|---|---|---|---|---|---|---|---|\n";

const MARKER: &str = "<!-- Written by hand from here. -->";

/// Writes the results of a row into the table; other rows are unchanged.
pub(crate) fn record(scratch: &Scratch, row: &str, measurements: &[Measurement]) -> Result<(), String> {
    let date = output(Command::new("date").args(["-u", "+%Y-%m-%d"]))?.0;
    let line = |measurement: &Measurement| {
        let Measurement { number, what, bounds: (must, hope), measured, detail } = measurement;
        format!("| {number} | {what} | {must} | {hope} | {measured} | {detail} | {} | {row} |\n", date.trim())
    };
    let lines: String = measurements.iter().map(line).collect();
    print!("{lines}");
    let path = scratch.own().join("RESULTS.md");
    let old = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let new = page(&old, &machine(), row, &lines);
    fs::write(&path, new).map_err(|error| format!("{}: {error}", path.display()))
}

/// The new text of `RESULTS.md`: `lines` replaces the old lines of the row with the name `measured`. The text
/// below the marker is copied.
fn page(old: &str, machine: &str, measured: &str, lines: &str) -> String {
    let (table, by_hand) = old.split_once(MARKER).unwrap_or((old, "\n"));
    let of_row = |name: &str| -> String {
        let of_row = table.lines().filter(|line| row_of(line) == Some(name));
        let mut lines = String::new();
        for line in of_row {
            lines.push_str(line);
            lines.push('\n');
        }
        lines
    };
    let rows = ROWS.iter().map(|row| if row.name == measured { lines.to_owned() } else { of_row(row.name) });
    format!(
        "# Benchmarks\n\n\
         Written by `cargo xtask bench`. Every row compares the project with a peer in one run on one machine.\n\
         `cargo xtask bench ROW` measures again the rows with this name. Figures are ratios unless they have a unit; \"max\" is the\n\
         allowed maximum.\n\n\
         {machine}\n{COLUMNS}{}\n{MARKER}{by_hand}",
        rows.collect::<String>()
    )
}

/// The last cell of a line of the table, which is the name of the measured row.
fn row_of(line: &str) -> Option<&str> {
    let cells = line.strip_prefix("| ")?.strip_suffix(" |")?;
    Some(cells.rsplit_once(" | ")?.1)
}

/// A line that describes the machine and the compiler of the measurement.
fn machine() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let rustc = output(Command::new("rustc").arg("--version")).map(|(stdout, _)| stdout).unwrap_or_default();
    let model = model.map_or("an unknown processor", |(_, model)| model.trim());
    format!("Machine of the newest row: {cores} cores of {model}, {}, {}.\n", std::env::consts::OS, rustc.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_replaces_its_own_lines_only() {
        let line = |measured: &str, row: &str| format!("| 1 | a b | 0.3 |  | {measured} |  | 2026-01-01 | {row} |\n");
        let old = format!("# Old\n\n{COLUMNS}{}{}\n{MARKER}\n\nBy hand.\n", line("2", "size"), line("3", "check"));
        let (new, again) = (line("4", "check"), line("5", "lines"));
        let page = page(&page(&old, "One.\n", "check", &new.repeat(2)), "Two.\n", "lines", &again);
        let table = format!("\nTwo.\n\n{COLUMNS}{again}{}{}\n{MARKER}\n\nBy hand.\n", line("2", "size"), new.repeat(2));
        assert!(page.starts_with("# Benchmarks\n") && page.ends_with(&table), "{page}");
    }
}
