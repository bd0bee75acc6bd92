//! `cargo xtask bench [NAME]...`: compares the project with its peers.
//!
//! Each row of the results compares the project with a peer that is measured in the same run. Rows that measure time
//! run last. All generated files and builds are in `target/bench`, which is never committed.

mod budget;
mod callgrind;
mod command;
mod python;
mod report;
mod rows;
mod scratch;
mod server;
mod timing;

use std::process::ExitCode;

use clap::Parser;

use rows::{ROWS, Row};
use scratch::Scratch;

/// Measure the project and its peers
#[derive(Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench")]
struct Bench {
    /// The rows to measure; default: all
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// The number of rounds of a timed row. Each round runs every command once, and the median is reported
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Only compare the deterministic figures with `bench/budget.toml`, and fail if a figure exceeds its budget by more than
    /// 3 %
    #[arg(long)]
    budget: bool,
    /// List the rows
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    let bench = Bench::parse();
    if bench.list {
        for row in ROWS {
            println!("{:12} {}", row.name, row.shows);
        }
        return ExitCode::SUCCESS;
    }
    match bench.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

impl Bench {
    fn run(&self) -> Result<(), String> {
        let scratch = Scratch::new(self.rounds)?;
        if self.budget {
            return budget::check(&scratch);
        }
        let unknown = self.names.iter().find(|name| ROWS.iter().all(|row| row.name != name.as_str()));
        if let Some(unknown) = unknown {
            return Err(format!("unknown row `{unknown}`; `--list` shows all names"));
        }
        let chosen = |row: &&Row| self.names.is_empty() || self.names.iter().any(|name| name == row.name);
        for row in ROWS.iter().filter(chosen) {
            eprintln!("measuring {}: {}", row.name, row.shows);
            match (row.measure)(&scratch) {
                Ok(measurements) => report::record(&scratch, row.name, &measurements)?,
                // A row that fails, for example because a peer cannot be built, does not stop the others.
                Err(problem) => eprintln!("not measured: {}: {problem}", row.name),
            }
        }
        Ok(())
    }
}
