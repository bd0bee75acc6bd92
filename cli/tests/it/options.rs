//! Tests of what users type first: names, values, ranges and options that a program of this kind usually has.

use crate::support::catalogue::{Metric, metric, object};
use crate::support::{run, text};

fn get(more: &[&'static str]) -> crate::support::RunOutput {
    run(&[&["get"], &*metric().hourly(), more, &["--sandbox"]].concat())
}

#[test]
fn the_range_of_a_response_has_the_options_of_a_history() {
    let output = get(&["--from", "2025-01-01", "--to", "2025-01-01T06:00"]);
    assert_eq!(output.code, Some(0), "{}", output.err);
    assert!(output.rows()[0].starts_with("2025-01-01T00:00:00Z"), "{}", output.out);
    assert!((6..=7).contains(&output.rows().len()), "{}", output.out);
    let none = run(&["get", object().ident, "--from", "1d", "--sandbox"]);
    assert!(none.code == Some(2) && none.err.contains("has no known time range"), "{}", none.err);
}

#[test]
fn a_known_value_may_be_written_in_any_case() {
    let Metric { key_option, keys, .. } = metric();
    let lower = keys[0].to_lowercase();
    let args: Vec<&str> = metric().hourly().into_iter().map(|arg| if arg == keys[0] { &*lower } else { arg }).collect();
    assert!(args.contains(&&*lower), "{key_option}");
    let output = run(&[&["get"], &*args, &["--sandbox", "--json"]].concat());
    assert!(output.out.contains(&format!("\"{}\"", keys[0])), "{} {}", output.out, output.err);
}

#[test]
fn a_second_value_without_a_comma_is_explained() {
    let Metric { name, key_option, keys, .. } = metric();
    let output = run(&["get", name, key_option, keys[0], keys[1]]);
    let advice = format!("commas separate values: `{key_option} {},{}`", keys[0], keys[1]);
    assert!(output.code == Some(2) && output.err.contains(&advice), "{}", output.err);
}

#[test]
fn a_file_instead_of_an_endpoint_is_explained() {
    let output = run(&["plot", "year.parquet"]);
    assert!(output.code == Some(2) && output.err.contains("`derivs status FILE`"), "{}", output.err);
}

#[test]
fn completions_are_explained() {
    let output = run(&["completions"]);
    assert!(output.code == Some(2) && output.err.contains("source <(COMPLETE=bash derivs)"), "{}", output.err);
}

#[test]
fn verbose_prints_attempts_and_color_is_chosen() {
    assert!(get(&["--verbose"]).err.contains("attempt 1: status 200"));
    assert!(!get(&[]).err.contains("attempt"));
    let coloured = |when| get(&["--format", "table", "--color", when]).out.contains('\u{1b}');
    assert_eq!(["always", "never", "auto"].map(coloured), [true, false, false]);
}

#[test]
fn a_file_with_several_intervals_is_noted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a b.parquet");
    let backfill = |seconds| {
        let range = ["--from", "2025-01-01", "--to", "2025-01-02", "--out", text(&file), "--sandbox"];
        run(&[&["backfill"], &*metric().args(metric().keys[0], seconds), &range].concat())
    };
    assert!(!backfill(3600).err.contains("now has"));
    let (hour, four, step) = (metric().step(3600), metric().step(4 * 3600), metric().history.step);
    let again = backfill(4 * 3600);
    let note = format!("now has the {step}s {hour} and {four}; filter by the column `{step}`");
    assert!(again.code == Some(0) && again.err.contains(&note), "{}", again.err);
}
