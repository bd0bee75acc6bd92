//! Compares the deterministic figures with `bench/budget.toml`, and reports every figure that exceeds its budget.
//!
//! The numbers of lines and crates are absolute. Instructions and bytes depend on the compiler, so these figures are
//! ratios to a peer that is measured in the same run. If valgrind is missing, the budgets of instructions are skipped
//! with a warning.

use std::fs;

use crate::command::exists;
use crate::rows::{backfill, decode, request, weight};
use crate::scratch::Scratch;

/// The maximum ratio of a figure to its budget.
const TOLERANCE: f64 = 1.03;

/// A figure that has a budget: the name in `bench/budget.toml`, and the function that measures the figure.
type Figure = (&'static str, fn(&Scratch) -> Result<f64, String>);

const ALWAYS: &[Figure] = &[
    ("lines-per-endpoint", |scratch| {
        let (lines, endpoints) = weight::lines_per_endpoint_of_fixed_catalogue(scratch)?;
        Ok(exact(lines) / exact(endpoints))
    }),
    ("dependencies", |scratch| weight::count_dependencies(&scratch.project, "generated-client", scratch).map(exact)),
    ("bytes-to-raw-transport", |scratch| {
        let workspace = scratch.ours()?;
        Ok(weight::bytes(scratch, workspace, "request-ours")? / weight::bytes(scratch, workspace, "request-raw")?)
    }),
];

/// The figures that need valgrind.
const COUNTED: &[Figure] = &[
    ("decode-narrow-to-derive", |scratch| decoded(scratch, "decode", "narrow")),
    ("decode-wide-to-derive", |scratch| decoded(scratch, "decode", "wide")),
    ("decode-grown-to-derive", |scratch| decoded(scratch, "decode", "grown")),
    ("decode-trades-to-derive", |scratch| decoded(scratch, "notations", "trades")),
    ("decode-candles-to-derive", |scratch| decoded(scratch, "notations", "candles")),
    ("decode-contracts-to-derive", |scratch| decoded(scratch, "notations", "contracts")),
    ("decode-instruments-to-derive", |scratch| decoded(scratch, "notations", "instruments")),
    ("decode-pairs-to-derive", |scratch| decoded(scratch, "notations", "pairs")),
    ("decode-tickers-to-derive", |scratch| decoded(scratch, "notations", "tickers")),
    ("backfill-4-fields-to-derive", |scratch| backfilled(scratch, "4", "100")),
    ("backfill-30-fields-to-derive", |scratch| backfilled(scratch, "30", "100")),
    ("backfill-30-sparse-fields-to-derive", |scratch| backfilled(scratch, "30", "33")),
    ("backfill-100-fields-to-derive", |scratch| backfilled(scratch, "100", "100")),
    ("request-to-raw-transport", |scratch| {
        let count = |program| request::counted(&scratch.build(scratch.ours()?, program)?);
        Ok(count("request-ours")? / count("request-raw")?)
    }),
];

/// The instructions for decoding a body of a program, as a ratio to plain derives.
fn decoded(scratch: &Scratch, program: &str, body: &str) -> Result<f64, String> {
    let (ours, strict) = decode::counted(scratch, program, body)?;
    Ok(ours / strict)
}

/// The instructions for a row of a backfill, as a ratio to a program with plain derives and `arrow`.
fn backfilled(scratch: &Scratch, fields: &str, percent: &str) -> Result<f64, String> {
    let (ours, raw) = backfill::counted(scratch, fields, percent)?;
    Ok(ours / raw)
}

/// Compares every figure with its budget. The error lists the figures that are over budget.
pub(crate) fn check(scratch: &Scratch) -> Result<(), String> {
    let path = scratch.own().join("budget.toml");
    let budget = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut figures = ALWAYS.to_vec();
    if exists("valgrind") {
        figures.extend(COUNTED);
    } else {
        eprintln!("WARNING: valgrind is missing; {} budgets of instructions are NOT checked", COUNTED.len());
    }
    let mut over = Vec::new();
    for (name, measure) in figures {
        let allowed = allowed(&budget, name).ok_or_else(|| format!("{}: missing `{name} = NUMBER`", path.display()))?;
        let measured = measure(scratch)?;
        let is_over = measured > allowed * TOLERANCE;
        println!("{name:36} {measured:8.3}, budget {allowed:8.3}{}", if is_over { "  OVER" } else { "" });
        if is_over {
            over.push(name);
        }
    }
    if over.is_empty() {
        return Ok(());
    }
    Err(format!(
        "over budget by more than 3 %: {}; reduce the figure, or raise the number in bench/budget.toml and state the reason",
        over.join(", ")
    ))
}

/// The number in the line `NAME = NUMBER` of the budget file.
fn allowed(budget: &str, name: &str) -> Option<f64> {
    let lines = budget.lines().filter_map(|line| line.split_once('='));
    lines.filter(|(known, _)| known.trim() == name).find_map(|(_, number)| number.trim().parse().ok())
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn exact(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::{ALWAYS, COUNTED, allowed};

    #[test]
    fn every_figure_has_a_budget() {
        let budget = include_str!("../budget.toml");
        for (name, _) in ALWAYS.iter().chain(COUNTED) {
            assert!(allowed(budget, name).is_some(), "{name}");
        }
    }
}
