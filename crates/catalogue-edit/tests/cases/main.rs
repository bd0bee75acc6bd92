//! A test for each file of `diffs/` and each folder of `import/` and `learn/`, named `diffs::FILE`, `import::FOLDER`
//! and `learn::FOLDER`.

#![allow(clippy::expect_used)] // Clippy allows `expect` in functions with `#[test]`, but not in helpers.

mod diffs;
mod import;
mod learn;
#[path = "../../../../codegen/tests/recorded/mod.rs"]
#[allow(dead_code)] // The tests of the generator use the other items.
mod recorded;
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
