//! Whether a history of a year of minutes is complete, takes no longer than the limit requires and needs little memory.
//!
//! The program behind it has its own list of conditions, and prints its measurements.

use super::{Check, call};

pub(super) const CHECK: Check = Check {
    name: "history",
    shows: "a year of minutes comes whole, in time, through faults and in little memory",
    needs: &[],
    run: |_| {
        let program = ["cargo", "run", "--quiet", "--release", "--package", "sandbox", "--example", "year", "--"];
        call(&[&program[..], &["memory", "fast", "slow", "faults"]].concat())
    },
};
