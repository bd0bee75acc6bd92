//! Whether a client is stable for long: many tasks, limits, faults and short-lived tokens.
//!
//! The program behind it has its own list of conditions. A release needs thirty minutes; in the first three the client
//! still learns, so refusals are only counted.

use super::{Check, Verify, call};

pub(super) const CHECK: Check = Check {
    name: "soak",
    shows: "two hundred tasks beside faults and limits: each call ends once and well, and memory stays as it is",
    needs: &[],
    run,
};

fn run(wanted: &Verify) -> Result<(), String> {
    let seconds = wanted.seconds.to_string();
    let program = ["cargo", "run", "--quiet", "--release", "--package", "sandbox", "--example", "soak", "--"];
    call(&[&program[..], &[&seconds]].concat())
}
