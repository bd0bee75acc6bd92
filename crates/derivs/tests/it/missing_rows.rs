//! Tests of what a reader of a file is told about rows that the file does not have.

use std::path::Path;
use std::time::SystemTime;

use test_endpoints::{metric, other_metric};

use crate::backfill::backfill;
use crate::foreign_text::{run_at, service};
use crate::support::{RunOutput, run, text};

const DAY: [&str; 2] = ["2025-01-01", "2025-01-02"];

fn fetch(series: &[&str], range: [&str; 2], file: &Path, more: &[&str]) -> RunOutput {
    run(&backfill(series, range, file, &[&["--sandbox"], more].concat()))
}

/// A hole between two runs, and a range that begins before the first run or ends after the last one, are no complete answers.
#[test]
fn an_export_names_what_was_never_requested() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.parquet");
    for range in [DAY, ["2025-01-04", "2025-01-05"]] {
        assert_eq!(fetch(&metric().hourly(), range, &file, &[]).code, Some(0));
    }
    let table: [(&[&str], Option<[&str; 2]>); 7] = [
        (&[], Some(["2025-01-02", "2025-01-04"])),
        (&["--from", "2025-01-02", "--to", "2025-01-04"], Some(["2025-01-02", "2025-01-04"])),
        (&["--from", "2025-01-03", "--to", "2025-01-05"], Some(["2025-01-03", "2025-01-04"])),
        (&["--from", "2024-12-31", "--to", "2025-01-02"], Some(["2024-12-31", "2025-01-01"])),
        (&["--from", "2025-01-04", "--to", "2025-01-06"], Some(["2025-01-05", "2025-01-06"])),
        (&["--from", "2025-01-01", "--to", "2025-01-02"], None),
        (&["--from", "2025-01-04"], None),
    ];
    for (options, expected) in table {
        let exported = run(&[&["export", text(&file), "--json"], options].concat());
        assert_eq!(exported.code, Some(0), "{}", exported.err);
        let hint = expected.map(|[from, to]| format!(" was never requested, from {from} 00:00 to {to} 00:00;"));
        let is_named = hint.as_ref().is_none_or(|hint| exported.err.contains(hint));
        assert_eq!((is_named, exported.err.contains("never requested")), (true, hint.is_some()), "{}", exported.err);
        let object = exported.err.lines().find(|line| line.starts_with('{')).unwrap();
        let object: serde_json::Value = object.parse().unwrap();
        let parts: Vec<_> = expected.into_iter().map(|part| part.map(|day| format!("{day}T00:00:00Z"))).collect();
        assert_eq!(object["unrequested"], serde_json::json!(parts));
    }
}

#[test]
fn an_export_names_the_series_that_the_service_has_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let metric = metric();
    let rejected = metric.keys[1];
    let fault = format!("{}={rejected} status=404", metric.key.wire_name);
    assert_eq!(fetch(&metric.two_hourly(), DAY, &data, &["--fault", &fault]).code, Some(5));
    let both = run(&["export", text(&data)]);
    let warning = both.err.lines().find(|line| line.contains("the service has rejected")).unwrap_or_default();
    assert!(both.code == Some(0) && both.rows().len() == 24 && warning.contains(rejected), "{}", both.err);
    let only = run(&["export", text(&data), metric.key_option, rejected, "--json"]);
    let expected = "no row, because the service has rejected";
    assert!(only.code == Some(6) && only.err.contains(expected) && only.err.contains("404"), "{}", only.err);
    let object: serde_json::Value = only.err.lines().find(|line| line.starts_with('{')).unwrap().parse().unwrap();
    assert!(object["error"].as_str().is_some_and(|why| why.contains("404")), "{object}");
    let other = run(&["export", text(&data), metric.key_option, metric.keys[0]]);
    assert!(other.code == Some(0) && !other.err.contains("rejected"), "{}", other.err);
}

#[test]
fn an_export_as_of_a_time_before_the_first_run_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.parquet");
    assert_eq!(fetch(&metric().hourly(), DAY, &file, &[]).code, Some(0));
    let early = run(&["export", text(&file), "--as-of", "2025-01-03"]);
    let expected = ", because nothing was fetched before 20";
    assert!(early.code == Some(0) && early.rows().is_empty() && early.err.contains(expected), "{}", early.err);
    let now = run(&["export", text(&file), "--as-of", "now"]);
    assert!(now.code == Some(0) && now.rows().len() == 24 && !now.err.contains("no row"), "{}", now.err);
}

/// A misspelt value of a param is that of a series without a record.
#[test]
fn status_and_report_name_a_series_without_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.parquet");
    let [option, value] = metric().without_records();
    let recent: Vec<_> = [&*metric().hourly(), &["--from", "2d", "--out", text(&file), "--sandbox"]].concat();
    assert_eq!(run(&[&["backfill"], &*recent].concat()).code, Some(0));
    assert_eq!(run(&[&["backfill"], &*recent, &[option, value]].concat()).code, Some(6));
    let status = run(&["status", text(&file)]);
    let warning = status.err.lines().find(|line| line.contains("no record of ")).unwrap_or_default();
    assert!(status.code == Some(0) && warning.contains(value), "{}", status.err);
    let aged = run(&["status", text(&file), "--max-age", "3h", "--failed"]);
    let expected = (Some(6), 1);
    assert_eq!((aged.code, aged.rows().len()), expected, "{}{}", aged.out, aged.err);
    let report = run(&["report", text(&file)]);
    let totals = report.out.lines().next().unwrap();
    assert!(totals.contains("1 without a record (") && totals.contains(value), "{}", report.out);
}

#[test]
fn a_report_has_no_nulls_of_the_fields_of_another_endpoint() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.parquet");
    let both = [&[other_metric().name], &*metric().hourly()].concat();
    assert_eq!(fetch(&both, DAY, &file, &[]).code, Some(0));
    let report = run(&["report", text(&file)]);
    assert!(report.code == Some(0) && report.out.contains(" 0 nulls,"), "{}", report.out);
}

/// A service with thirty hourly records, which have the time and these members at each hour.
fn service_with(members: impl Fn(i64) -> String) -> String {
    let mut records = Vec::new();
    for hour in 0..30 {
        let time = 1_735_689_600 + hour * 3600; // 2025-01-01
        records.push(format!("{{\"{}\": {time}, {}}}", metric().time, members(hour)));
    }
    service("200 OK", "", &format!("{{\"data\": [{}], \"metadata\": {{}}}}", records.join(", ")))
}

/// A series that is rejected does not hide one that is empty.
#[test]
fn an_empty_series_is_named_beside_a_rejected_one() {
    let folder = tempfile::tempdir().unwrap();
    let metric = metric();
    let faults = [metric.keys[0], metric.keys[1]].map(|value| format!("{}={value}", metric.key.wire_name));
    let faults = ["--fault", &format!("{} status=404", faults[0]), "--fault", &format!("{} 100% missing", faults[1])];
    let output = fetch(&metric.two_hourly(), DAY, &folder.path().join("data"), &faults);
    let warning = format!("warning: no record of {} from 2025-01-01", metric.keys[1]);
    assert!(output.code == Some(5) && output.err.contains(&warning), "{}", output.err);
}

/// The text of a message may have a secret, so only the name of its member is printed.
#[test]
fn an_error_in_the_place_of_records_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let url = service("200 OK", "", r#"{"data": [], "reason": "plan expired"}"#);
    let file = folder.path().join("a.csv");
    let range = ["2025-01-01", "2025-01-02"];
    let got = run_at(&url, &[&["get"], &*metric().hourly()].concat());
    assert!(got.code == Some(0) && got.err.contains("no records but `reason`, which "), "{}", got.err);
    for (options, code) in [(&[][..], 6), (&["--allow-empty"], 0)] {
        let output = run_at(&url, &backfill(&metric().hourly(), range, &file, options));
        let is_named = output.err.contains("the responses had no records but `reason`, which ");
        assert!(output.code == Some(code) && is_named, "{}", output.err);
    }
}

/// What a file is told to lack, a reader of standard output is told too.
#[test]
fn fields_under_another_name_and_records_of_another_series_are_warnings() {
    let folder = tempfile::tempdir().unwrap();
    let field = metric().fields().next().unwrap();
    let key = metric().key.wire_name;
    let other_name =
        format!("no record has had `{field}`, but records had fields that are not in the catalogue: `other`");
    let other_series = format!("30 records with another `{key}` than was requested");
    let without_value = "no record has ever had a valid value; check the values of the params".to_owned();
    for (members, code, expected) in [
        ("\"other\": 1".to_owned(), 0, other_name),
        (format!("\"{key}\": \"other\""), 6, other_series),
        (format!("\"{field}\": null"), 6, without_value.clone()),
        (format!("\"{field}\": [[]]"), 6, without_value),
    ] {
        let url = service_with(|_| members.clone());
        for out in [text(&folder.path().join(key)), "-"] {
            let args = backfill(&metric().hourly(), ["2025-01-01", "2025-01-02T06:00"], Path::new(out), &["--json"]);
            let output = run_at(&url, &args);
            assert!(output.code == Some(code) && output.err.contains(&expected), "{out}: {}", output.err);
        }
        let status = run(&["status", text(&folder.path().join(key))]);
        let names_series = status.err.contains("no record has ever had a valid value: ");
        assert_eq!((status.code, names_series), (Some(0), code == 6), "{}", status.err);
        std::fs::remove_dir_all(folder.path().join(key)).unwrap();
    }
}

#[test]
fn a_field_that_is_renamed_within_a_range_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let field = metric().fields().find(|name| *name != metric().time).unwrap();
    let url = service_with(|hour| format!("\"{}\": 1", if hour < 15 { field } else { "other" }));
    for out in [text(&folder.path().join("data")), "-"] {
        let args = backfill(&metric().hourly(), ["2025-01-01", "2025-01-02T06:00"], Path::new(out), &[]);
        let output = run_at(&url, &args);
        let expected = format!("the service no longer sends `{field}`; new fields: `other`");
        assert!(output.code == Some(6) && output.err.contains(&expected), "{out}: {}", output.err);
    }
}

/// A service may send times in another unit, or no record of what it has sent before.
#[test]
fn records_that_a_later_run_cannot_read_or_does_not_receive_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data");
    let field = metric().fields().find(|name| *name != metric().time).unwrap();
    let args = [&["backfill"], &*metric().hourly(), &["--from", "12h", "--out", text(&file)]].concat();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let sent = |records: &[String]| service("200 OK", "", &format!("{{\"data\": [{}]}}", records.join(", ")));
    let record = |time: u64| format!("{{\"{}\": {time}, \"{field}\": 1}}", metric().time);
    let recent: Vec<_> = (1..12).map(|hours| record((now / 3600 - hours) * 3600)).collect();
    assert_eq!(run_at(&sent(&recent), &args).code, Some(0));
    let in_milliseconds: Vec<_> = (1..12).map(|hours| record((now / 3600 - hours) * 3_600_000)).collect();
    let unreadable = run_at(&sent(&in_milliseconds), &args);
    let expected = ", none of them with a readable time";
    assert!(unreadable.code == Some(6) && unreadable.err.contains(expected), "{}", unreadable.err);
    let empty = run_at(&sent(&[]), &args);
    assert!(empty.code == Some(0) && empty.err.contains(" again; the stored ones stay"), "{}", empty.err);
}
