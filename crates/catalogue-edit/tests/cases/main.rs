//! A test for each archive of `diffs/`, `import/` and `learn/`, named after its folder and file.

#![allow(clippy::expect_used)] // Clippy allows `expect` in functions with `#[test]`, but not in helpers.

mod diffs;
mod import;
#[path = "../it/import_case.rs"]
mod import_case;
mod learn;
#[path = "../it/scratch.rs"]
#[allow(dead_code)] // The program `it` uses the other items.
mod scratch;
mod verdicts;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let trials = [diffs::trials(), import::trials(), learn::trials()];
    libtest_mimic::run(&Arguments::from_args(), trials.into_iter().flatten().collect()).exit_code()
}
