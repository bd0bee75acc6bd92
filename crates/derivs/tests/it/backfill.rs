//! Tests of `backfill`, which is run once or repeatedly.

use std::path::Path;
#[cfg(unix)]
use std::process::Command;

use test_endpoints::{Metric, metric, option};

#[cfg(unix)]
use crate::support::run_output;
use crate::support::{self, Service, run, run_with};

const QUARTER: [&str; 2] = ["2025-01-01", "2025-04-01"];

/// Returns the arguments of a run that writes one hourly series of a quarter.
pub(crate) fn one<'a>(out: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    backfill(&metric().hourly(), QUARTER, out, more)
}

/// Returns the arguments of a run that writes two hourly series of a quarter.
pub(crate) fn two<'a>(out: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    backfill(&metric().two_hourly(), QUARTER, out, more)
}

pub(crate) fn backfill<'a>(
    series: &[&'a str],
    [from, to]: [&'a str; 2],
    out: &'a Path,
    more: &[&'a str],
) -> Vec<&'a str> {
    [&["backfill"], series, &["--from", from, "--to", to, "--out", support::text(out)], more].concat()
}

/// Returns the number of requests for one hourly series of a quarter.
pub(crate) fn requests() -> u64 {
    metric().requests("2025-01-01T00:00:00Z", "2025-04-01T00:00:00Z")
}

/// Returns the rows of a file, without the header.
pub(crate) fn rows(file: &Path) -> Vec<String> {
    support::contents(file).lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn every_record_of_a_range_is_written_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("quarter.csv");
    let output = run(&two(&file, &["--sandbox"]));
    assert_eq!((output.code, output.out.as_str()), (Some(0), ""), "{}", output.err);
    assert!(
        output.err.contains("2 series from 2025-01-01 00:00 to 2025-04-01 00:00 UTC: up to 4,320 records in "),
        "{}",
        output.err
    );
    let all = format!("4,320 new records ({} requests", 2 * requests());
    assert!(output.err.contains(&all), "{}", output.err);
    let mut written = rows(&file);
    assert_eq!(written.len(), 2 * 90 * 24);
    written.sort();
    written.dedup();
    assert_eq!(written.len(), 2 * 90 * 24);
}

#[test]
fn second_run_requests_only_new_records() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("quarter.parquet");
    let first = run(&one(&file, &["--sandbox"]));
    assert!(first.err.contains(&format!("2,160 new records ({} requests", requests())), "{}", first.err);
    let again = run(&one(&file, &["--sandbox"]));
    assert!(again.code == Some(0) && again.err.contains("no request needed"), "{}", again.err);
    let longer = run(&backfill(&metric().hourly(), ["2025-01-01", "2025-04-02"], &file, &["--sandbox"]));
    assert!(longer.err.contains("24 new records (1 request"), "{}", longer.err);
}

/// In the sandbox, the current interval has no record yet. The missing record does not count as a gap.
#[test]
fn include_partial_requests_the_current_interval() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("now.csv");
    let days = metric().args(metric().keys[0], 86_400);
    let output = run(&backfill(&days, ["5d", "now"], &file, &["--include-partial", "--sandbox"]));
    assert!(output.code == Some(0) && !output.err.contains("warning"), "{}", output.err);
    assert!(rows(&file).len() >= 5, "{:?}", rows(&file));
    let service = Service::start();
    let requests = [&[][..], &["--include-partial"]].map(|more| {
        let before = service.requests();
        let output = run_with(&service, &backfill(&days, ["5d", "now"], Path::new("-"), more));
        assert_eq!(output.code, Some(0), "{}", output.err);
        service.requests() - before
    });
    assert!(requests[0] < requests[1], "{requests:?}");
}

#[test]
fn dry_run_lists_missing_ranges_without_a_request() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start();
    let output = run_with(&service, &two(&folder.path().join("data"), &["--dry-run"]));
    let rows = metric().keys.map(|key| format!("{key},2025-01-01T00:00:00Z,2025-04-01T00:00:00Z,new or recent\n"));
    let plan = format!("series,from,to,reason\n{}", rows.concat());
    let size = format!("up to 4,320 records in {} requests", 2 * requests());
    let expected = format!("2 series from 2025-01-01 00:00 to 2025-04-01 00:00 UTC: {size}\nat most ");
    assert_eq!((output.code, output.out), (Some(0), plan));
    assert!(output.err.starts_with(&expected) && output.err.lines().count() == 2, "{}", output.err);
    assert!(!folder.path().join("data").exists());
}

/// The interval that contains the start is requested completely, so that no record seems to be missing.
#[test]
fn relative_start_sends_the_planned_requests() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.csv");
    let days = metric().args(metric().keys[0], 86_400);
    let output = run(&backfill(&days, ["90d", "now"], &file, &["--sandbox"]));
    assert!(output.err.contains("records in 1 request\n"), "{}", output.err);
    assert!(output.err.contains("new records, last record "), "{}", output.err);
}

#[test]
fn sandbox_rows_and_real_rows_do_not_mix() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start();
    for name in ["a.parquet", "a.csv", "data"] {
        let target = folder.path().join(name);
        let mock = run(&one(&target, &["--sandbox"]));
        assert_eq!(mock.code, Some(0), "{}", mock.err);
        for more in [[].as_slice(), &["--dry-run"]] {
            let output = run_with(&service, &two(&target, more));
            assert!(output.code == Some(2) && output.err.contains("sandbox"), "{}", output.err);
        }
        // Conversely, a target with real rows rejects rows of the sandbox.
        let target = folder.path().join(format!("real-{name}"));
        let real = run_with(&service, &one(&target, &[]));
        assert_eq!(real.code, Some(0), "{}", real.err);
        let output = run(&one(&target, &["--sandbox"]));
        assert!(output.code == Some(2) && output.err.contains("service"), "{}", output.err);
    }
}

#[test]
fn records_stream_to_standard_output() {
    let output = run(&two(Path::new("-"), &["--sandbox"]));
    assert_eq!((output.code, output.err.as_str()), (Some(0), ""));
    let mut lines = output.out.lines();
    assert!(lines.next().unwrap().starts_with("endpoint,"), "{}", output.err);
    assert_eq!(lines.count(), 2 * 90 * 24);
    let service = Service::with(|builder| builder.fault(format!("{} status=501", metric().path).parse().unwrap()));
    let failed = run_with(&service, &one(Path::new("-"), &[]));
    assert_eq!((failed.code, failed.out.lines().count()), (Some(4), 1), "{}", failed.err);
    let service = Service::with(|builder| builder.fault(format!("{} malformed", metric().path).parse().unwrap()));
    let unreadable = run_with(&service, &one(Path::new("-"), &[]));
    assert_eq!(unreadable.code, Some(5), "{}", unreadable.err);
}

#[test]
fn help_fits_two_screens() {
    for more in [&[][..], &[metric().name]] {
        let help = run(&[&["backfill", "--help"], more].concat());
        assert!(help.out.lines().count() <= 80, "{}", help.out);
    }
}

/// A run that is announced with more records than there are says why.
#[test]
fn the_begin_of_the_data_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.csv");
    let args = backfill(&metric().hourly(), ["2000-01-01", "2010-02-01"], &file, &["--sandbox"]);
    let output = run(&args);
    let expected = "the first record is of 2010-01-01";
    assert!(output.code == Some(0) && output.err.contains(expected), "{}", output.err);
    assert!(!run(&args).err.contains("the first record is of"));
}

/// Half a series is a warning, which `--quiet` shows, in a stream as in a file.
#[test]
fn an_early_end_of_a_series_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("late.csv");
    let late = format!("{}={} late=500h", metric().key.wire_name, metric().keys[1]);
    let run_to = |out: &Path, more: &str| {
        let args = backfill(&metric().two_hourly(), ["40d", "now"], out, &["--sandbox", "--fault", &late, more]);
        run(&args)
    };
    let expected = format!("warning: {}: asked until ", metric().keys[1]);
    for out in [&file, Path::new("-")] {
        let output = run_to(out, "--quiet");
        assert!(output.code == Some(0) && output.err.starts_with(&expected), "{out:?}: {}", output.err);
        assert_eq!(output.err.lines().count(), 1, "{out:?}: {}", output.err);
    }
    let output = run_to(Path::new("-"), "--json");
    let object = output.err.lines().rfind(|line| line.starts_with('{')).unwrap();
    let object: serde_json::Value = object.parse().unwrap();
    assert!(object["notes"][0].as_str().is_some_and(|note| note.contains("the last record ends at ")), "{object}");
}

/// A misspelt exchange has no records. `--allow-empty` accepts series without records, for example of coins that are
/// not listed yet.
#[test]
fn a_series_without_any_record_is_incomplete() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("quarter.csv");
    let [option, value] = metric().without_records();
    let typo = one(&file, &["--sandbox", option, value]);
    let output = run(&typo);
    assert_eq!(output.code, Some(6), "{}", output.err);
    let expected = format!("error: no record of {} from 2025-01-01 00:00 to 2025-04-01 00:00\n", metric().name);
    assert!(output.err.contains(&expected), "{}", output.err);
    let allowed = run(&[typo.as_slice(), &["--allow-empty"]].concat());
    assert_eq!(allowed.code, Some(0), "{}", allowed.err);
    let streamed = run(&one(Path::new("-"), &["--sandbox", option, value]));
    assert_eq!(streamed.code, Some(6), "{}", streamed.err);
    assert!(streamed.err.contains(&expected), "{}", streamed.err);
}

#[test]
fn a_stream_has_the_columns_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("quarter.csv");
    let written = run(&one(&file, &["--sandbox"]));
    assert_eq!(written.code, Some(0), "{}", written.err);
    let streamed = run(&one(Path::new("-"), &["--sandbox"]));
    // A file also has the time at which each row was fetched.
    let columns = support::contents(&file).lines().next().unwrap().to_owned();
    assert_eq!(columns.strip_suffix(",fetched_at"), streamed.out.lines().next());
    assert_eq!(rows(&file).len(), streamed.rows().len());
}

/// The number of open files does not depend on the number of series.
#[cfg(unix)]
#[test]
fn many_series_need_few_open_files() {
    let folder = tempfile::tempdir().unwrap();
    let keys: Vec<_> = (0..100).map(|index| format!("C{index}")).collect();
    let (data, keys) = (folder.path().join("data"), keys.join(","));
    let Metric { name, key_option, history, .. } = metric();
    let series = [*name, *key_option, &*keys, option(history.step), metric().step(3600)];
    let args = backfill(&series, ["2025-01-01", "2025-01-02"], &data, &["--sandbox"]);
    let script = format!("ulimit -n 64; exec {} \"$@\"", support::PROGRAM);
    let output = run_output(&Command::new("sh").args(["-c", &script, "sh"]).args(&args).output().unwrap());
    assert_eq!(output.code, Some(0), "{}", output.err);
}
