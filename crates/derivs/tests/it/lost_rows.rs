//! Tests of what a user is told about rows that are no longer in a file, or were never fetched.

use std::path::Path;
use std::time::Duration;

use generated_client::Timestamp;
use test_endpoints::{metric, other_metric};

use crate::backfill::backfill;
use crate::foreign_text::{run_at, service};
use crate::support::{RunOutput, run, text};

fn range(range: [&str; 2], file: &Path, more: &[&str]) -> RunOutput {
    run(&backfill(&metric().hourly(), range, file, &[&["--sandbox"], more].concat()))
}

/// A run of a later range cannot fetch the rows of a file that was deleted, so it names them, and so does each reader.
#[test]
fn the_rows_of_a_deleted_file_do_not_vanish_in_silence() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.parquet");
    let path = text(&file);
    assert_eq!(range(["2025-01-01", "2025-01-11"], &file, &[]).code, Some(0));
    std::fs::remove_file(&file).unwrap();
    let status = run(&["status", path]);
    assert!(status.code == Some(6) && status.err.contains("missing, with its 240 rows"), "{}", status.err);
    let later = ["2025-01-09", "2025-01-12"];
    let first = range(later, &file, &[]);
    let expected = "from 2025-01-01 00:00 to 2025-01-09 00:00\n";
    assert!(first.code == Some(6) && first.err.contains("missing, with its 240 rows"), "{}", first.err);
    assert!(first.err.contains("error: ") && first.err.contains(expected), "{}", first.err);
    let again = range(later, &file, &[]);
    assert!(again.code == Some(0) && again.err.contains(expected), "{}", again.err);
    for reader in ["export", "report", "plot"] {
        let output = run(&[reader, path]);
        assert!(output.code == Some(0) && output.err.contains(expected), "{reader}: {}", output.err);
    }
    let exported = run(&["export", path, "--from", "2025-01-11", "--json"]);
    let object: serde_json::Value = exported.err.lines().find(|line| line.starts_with('{')).unwrap().parse().unwrap();
    let lost = serde_json::json!([["2025-01-01T00:00:00Z", "2025-01-09T00:00:00Z"]]);
    assert_eq!((&object["lost_rows"], &object["added"]), (&lost, &24.into()));
    assert_eq!((&object["first"], &object["last"]), (&"2025-01-11T00:00:00Z".into(), &"2025-01-11T23:00:00Z".into()));
    let failed = run(&["status", path, "--failed"]);
    assert!(failed.code == Some(6) && failed.rows().len() == 1, "{}{}", failed.out, failed.err);
    assert_eq!(run(&["acknowledge", path]).code, Some(0));
    let failed = run(&["status", path, "--failed"]);
    assert!(failed.code == Some(0) && failed.out.is_empty(), "{}{}", failed.out, failed.err);
}

/// Rows that were lost and fetched again may have been known earlier. A copy of the file has the times at which its rows were
/// fetched.
#[test]
fn an_export_as_of_a_time_before_lost_rows_were_fetched_again_fails() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.parquet");
    let copy = folder.path().join("copy.parquet");
    let path = text(&file);
    let days = ["2025-01-01", "2025-01-03"];
    assert_eq!(range(days, &file, &[]).code, Some(0));
    let early = ["export", path, "--as-of", "2025-01-02"];
    assert_eq!(run(&early).code, Some(0));
    std::fs::copy(&file, &copy).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert_eq!(run(&["repair", path]).code, Some(6));
    std::fs::copy(&copy, &file).unwrap();
    assert_eq!(range(days, &file, &[]).code, Some(0));
    assert_eq!(run(&early).code, Some(0));
    std::fs::remove_file(&file).unwrap();
    assert_eq!(range(days, &file, &[]).code, Some(0));
    let exported = run(&early);
    assert!(exported.code == Some(6) && exported.err.contains("are known only since 20"), "{}", exported.err);
    assert_eq!(run(&["export", path]).code, Some(0));
}

/// A response can have rows of several files, of which one is deleted.
#[test]
fn an_export_as_of_a_time_before_the_rows_of_one_file_were_fetched_again_fails() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let days = ["2024-12-31", "2025-01-02"];
    assert_eq!(range(days, &data, &[]).code, Some(0));
    let early = ["export", text(&data), "--as-of", "2025-01-02"];
    assert_eq!(run(&early).code, Some(0));
    let status: serde_json::Value = run(&["status", text(&data), "--json"]).out.parse().unwrap();
    std::fs::remove_file(status["series"][0]["files"][1].as_str().unwrap()).unwrap();
    assert_eq!(range(days, &data, &[]).code, Some(0));
    let exported = run(&early);
    assert!(exported.code == Some(6) && exported.err.contains("are known only since 20"), "{}", exported.err);
}

/// A copy that was put back in the place of another file is moved aside, and its rows are no rows of that file.
#[test]
fn a_file_in_the_place_of_another_one_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let path = text(&data);
    let days = ["2024-12-31", "2025-01-02"];
    let fetch = || {
        let both = [metric().name, other_metric().name];
        let range = ["--from", days[0], "--to", days[1], "--out", path, "--sandbox"];
        run(&[&["backfill"], &both[..], &metric().hourly()[1..], &range].concat())
    };
    assert_eq!(fetch().code, Some(0));
    let mut files = Vec::new();
    let status: serde_json::Value = run(&["status", path, "--json"]).out.parse().unwrap();
    for series in status["series"].as_array().unwrap() {
        let own = series["files"].as_array().unwrap();
        files.push(own.iter().map(|file| file.as_str().unwrap().to_owned()).collect::<Vec<_>>());
    }
    let count = run(&["export", path]).rows().len();
    // Of another endpoint, and of another year.
    for (from, to) in [(&files[0][0], &files[1][0]), (&files[0][1], &files[0][0])] {
        std::fs::copy(from, to).unwrap();
        let status = run(&["status", path]);
        let why = "it has the place of another file";
        assert!(status.code == Some(6) && status.err.contains(why), "{}", status.err);
        let next = fetch();
        assert!(next.code == Some(0) && next.err.contains("moved to"), "{}", next.err);
        assert_eq!(run(&["status", path, "--verify"]).code, Some(0));
        assert_eq!(run(&["export", path]).rows().len(), count);
    }
    // A file that the data set did not have.
    let year = files[0][0].replace("2024", "2020");
    std::fs::copy(&files[0][0], &year).unwrap();
    assert_eq!(run(&["status", path]).code, Some(6));
    assert_eq!(fetch().code, Some(0));
    assert_eq!(run(&["status", path]).code, Some(0));
    assert_eq!(run(&["export", path]).rows().len(), count);
}

/// A service whose records of the last day have a value of this field.
fn service_with(field: &str) -> String {
    let now = Timestamp::now().floor(Duration::from_secs(3600)).unix_seconds();
    let mut records = Vec::new();
    for hour in (1..=24).rev() {
        records.push(serde_json::json!({ metric().time: now - hour * 3600, field: 0.5 }));
    }
    service("200 OK", "", &serde_json::json!({ "data": records }).to_string())
}

/// A field that the service drops for some time is named until it is acknowledged, also after it is sent again.
#[test]
fn a_field_that_is_sent_again_is_not_called_missing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.parquet");
    let path = text(&file);
    let field = metric().fields().find(|name| *name != metric().time).unwrap();
    let backfill = [&["backfill"], &*metric().hourly(), &["--from", "12h", "--out", path]].concat();
    assert_eq!(run_at(&service_with(field), &backfill).code, Some(0));
    let dropped = run_at(&service_with("odd"), &backfill);
    let expected = format!("the service no longer sends `{field}`");
    assert!(dropped.code == Some(6) && dropped.err.contains(&expected), "{}", dropped.err);
    let again = run_at(&service_with(field), &backfill);
    let expected = format!("the service sends `{field}` again, which was missing in the run of ");
    assert!(again.code == Some(0) && again.err.contains(&expected), "{}", again.err);
    let status = run(&["status", path]);
    assert!(status.code == Some(6) && status.err.contains("1 missing field sent again, until "), "{}", status.err);
    let acknowledged = run(&["acknowledge", path]);
    assert!(acknowledged.err.contains(&format!("acknowledged: no `{field}` in ")), "{}", acknowledged.err);
    assert_eq!(run(&["status", path]).code, Some(0));
}

/// A run of another range does not fetch what an earlier run has asked for in vain.
#[test]
fn a_part_that_was_never_fetched_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.csv");
    assert_eq!(range(["2025-01-01", "2025-01-02"], &file, &[]).code, Some(0));
    let whole = range(["2025-01-01", "2025-05-01"], &file, &["--fault", "1x status=501"]);
    assert_eq!(whole.code, Some(6), "{}", whole.err);
    let later = range(["2025-04-20", "2025-05-01"], &file, &[]);
    let expected = " never fetched, from 2025-";
    assert!(later.code == Some(6) && later.err.contains(expected), "{}", later.err);
    assert_eq!(run(&["status", text(&file)]).code, Some(6));
    let warning = format!("a part of {} ", metric().name);
    let exported = run(&["export", text(&file)]);
    assert!(exported.code == Some(0) && exported.err.contains(&warning), "{}", exported.err);
    let fetched = run(&["export", text(&file), "--to", "2025-01-02"]);
    assert!(fetched.code == Some(0) && !fetched.err.contains(&warning), "{}", fetched.err);
    let mended = range(["2025-01-01", "2025-05-01"], &file, &[]);
    assert!(mended.code == Some(0) && !mended.err.contains(expected), "{}", mended.err);
}

/// The first run has written the state of its series, and no row.
#[test]
fn an_export_without_a_fetched_row_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let path = text(&data);
    assert_eq!(range(["2025-01-01", "2025-01-02"], &data, &["--fault", "status=501"]).code, Some(4));
    let exported = run(&["export", path]);
    assert!(exported.code == Some(6) && exported.err.contains(" was never fetched"), "{}", exported.err);
    let report = run(&["report", path]);
    let totals = report.out.lines().next().unwrap();
    assert!(report.code == Some(0) && totals.contains("24 never fetched ("), "{}", report.out);
    assert_eq!(run(&["export", path, "--to", "2024-01-01"]).code, Some(0));
    assert_eq!(range(["2025-01-01", "2025-01-02"], &data, &[]).code, Some(0));
    assert_eq!(run(&["export", path]).rows().len(), 24);
    let outside = run(&["export", path, "--to", "2024-01-01"]);
    let expected = "no row in the range; the rows are from 2025-01-01 00:00 to 2025-01-01 23:00";
    assert!(outside.code == Some(0) && outside.err.contains(expected), "{}", outside.err);
}

#[test]
fn a_command_about_a_file_that_does_not_exist_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("none.parquet");
    let path = text(&file);
    let key = [metric().key_option, metric().keys[0]];
    for command in ["acknowledge", "export", "plot", "remove", "repair", "report", "retire", "status"] {
        let selection: &[&str] = if ["remove", "retire"].contains(&command) { &key } else { &[] };
        let output = run(&[&[command, path], selection].concat());
        let expected = format!("error: {path}: no such file or folder\n");
        assert_eq!((output.code, output.err), (Some(2), expected), "{command}");
    }
}

/// A program that reads an export finds the same columns before the first row of a series.
#[test]
fn an_export_of_a_series_without_a_row_has_the_columns_of_its_records() {
    let folder = tempfile::tempdir().unwrap();
    let [rejected, other] = ["rejected.csv", "other.csv"].map(|name| folder.path().join(name));
    let days = ["2025-01-01", "2025-01-02"];
    assert_eq!(range(days, &rejected, &["--fault", "status=404"]).code, Some(5));
    assert_eq!(range(days, &other, &[]).code, Some(0));
    let [without, with] = [&rejected, &other].map(|file| run(&["export", text(file)]));
    let columns = without.out.trim_end().split(',').collect::<Vec<_>>();
    for field in metric().fields() {
        assert!(columns.contains(&field), "{columns:?}");
    }
    let all = with.out.lines().next().unwrap().split(',').collect::<Vec<_>>();
    assert!(columns.iter().all(|column| all.contains(column)), "{columns:?} {all:?}");
}

/// A program that joins endpoints finds the fields of each, also if both are in one file, and before the first row.
#[test]
fn an_export_names_the_fields_of_the_endpoint_of_each_series() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["both.parquet", "rejected.parquet"].map(|name| folder.path().join(name));
    let faults: [&[&str]; 2] = [&[], &["--fault", "status=404"]];
    let both = [metric(), other_metric()];
    for (file, fault) in files.iter().zip(faults) {
        let range = ["--from", "2025-01-01", "--to", "2025-01-02", "--out", text(file), "--sandbox"];
        run(&[&["backfill"], &both.map(|one| one.name)[..], &metric().hourly()[1..], &range, fault].concat());
        let exported = run(&["export", text(file), "--json", "--no-rows"]);
        let lines = exported.err.lines().filter(|line| line.starts_with('{'));
        let objects = lines.map(|line| line.parse::<serde_json::Value>().unwrap()).collect::<Vec<_>>();
        for one in both {
            let object = objects.iter().find(|object| object["endpoint"] == one.endpoint.to_string()).unwrap();
            let fields = [one.time].into_iter().chain(one.fields()).collect::<Vec<_>>();
            assert_eq!(object["fields"], serde_json::json!(fields), "{object}");
        }
    }
}

#[test]
fn an_export_that_ends_before_its_start_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.parquet");
    assert_eq!(range(["2025-01-01", "2025-01-02"], &file, &[]).code, Some(0));
    for command in ["export", "plot"] {
        let output = run(&[command, text(&file), "--from", "2025-01-02", "--to", "2025-01-01"]);
        let expected = "error: the range ends at 2025-01-01T00:00:00Z, before its start 2025-01-02T00:00:00Z\n";
        assert_eq!((output.code, output.err.as_str()), (Some(2), expected), "{command}");
    }
}
