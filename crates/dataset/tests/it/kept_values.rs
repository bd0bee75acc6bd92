//! Tests of values that the service no longer sends.

use std::sync::{Arc, Mutex};

use dataset::{SeriesRequest, Summary};
use runtime::Timestamp;

use crate::support::service::{OPTIONAL, RATIO, WIDE};
use crate::support::{
    DAY, END, HOUR, Row, TARGETS, body, client, client_with, data_of, hours, job, read, run, run_cancelled, state_of,
    target_of, with,
};

/// The JSON of the fields of a record at a time.
type Fields = fn(i64) -> String;

/// Creates the series of a service whose records have these fields, which the test can replace.
fn series(fields: Fields) -> (SeriesRequest, Arc<Mutex<Fields>>) {
    let (client, fields) = client_with(fields, |fields, _, from, to| {
        let times = ((from + HOUR) / HOUR * HOUR..=to).step_by(3600);
        let records: Vec<_> =
            times.map(|time| format!(r#"{{"openDate":{time},"volumeRatio":0.5{}}}"#, fields(time))).collect();
        (200, data_of(&records))
    });
    (hours(&client, &WIDE, "BTC"), fields)
}

fn shares(rows: &[Row]) -> usize {
    rows.iter().filter(|row| row.contains_key("share")).count()
}

fn missing(summary: &Summary) -> Vec<(&str, Vec<&str>, bool)> {
    let mut all = Vec::new();
    for one in &summary.missing_fields {
        let new_fields = one.new_fields.iter().map(String::as_str).collect();
        all.push((one.field.as_str(), new_fields, one.is_new));
    }
    all
}

#[tokio::test(start_paused = true)]
async fn a_field_with_invalid_values_is_not_missing() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (series, fields) = series(|_| r#","share":0.25"#.to_owned());
        let until = |days: i64| job(vec![series.clone()], END - 3 * DAY, END + days * DAY, &path);
        run(&until(0)).await;
        *fields.lock().unwrap() = |_| r#","share":"n/a""#.to_owned();
        for days in [1, 2] {
            let summary = run(&until(days)).await;
            assert_eq!(missing(&summary), [], "{name}");
            assert!(summary.series[0].invalid >= 24, "{name}: {summary:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn absence_does_not_replace_a_value_and_is_reported_once() {
    let changes: [(Fields, &[&str]); 3] = [
        (|_| r#","rate":0.25"#.to_owned(), &["rate"]),
        (|_| String::new(), &[]),
        (|_| r#","share":null"#.to_owned(), &[]),
    ];
    for (name, (change, new_fields)) in TARGETS.iter().flat_map(|name| changes.map(|change| (name, change))) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (series, fields) = series(|_| r#","share":0.25"#.to_owned());
        let until = |days: i64| job(vec![series.clone()], END - 3 * DAY, END + days * DAY, &path);
        let first = run(&until(0)).await;
        assert!(first.missing_fields.is_empty(), "{name}: {first:?}");
        *fields.lock().unwrap() = change;
        let second = run(&until(1)).await;
        assert!(second.is_complete, "{name}: {second:?}");
        assert_eq!(missing(&second), [("share", new_fields.to_vec(), true)], "{name}");
        let report = &second.series[0];
        assert!(report.no_longer_sent >= 24 && report.revised == 0, "{name}: {report:?}");
        let rows = read(&path);
        assert_eq!((rows.len(), shares(&rows)), (4 * 24, 3 * 24), "{name}");
        let third = run(&until(2)).await;
        assert_eq!(missing(&third), [("share", new_fields.to_vec(), false)], "{name}");
        // The field is sent again, and then vanishes again.
        *fields.lock().unwrap() = |_| r#","share":0.25"#.to_owned();
        let fourth = run(&until(3)).await;
        assert_eq!(missing(&fourth), [("share", new_fields.to_vec(), false)], "{name}: nobody has acknowledged it");
        assert_eq!(fourth.series[0].revised, 0, "{name}: a value that was missing is new");
        assert_eq!(state_of(&path).await.damaged, [""; 0], "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_series_whose_records_have_only_times_is_reported() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (client, _) = client_with((), |(), _, from, to| (200, body(from, to, |_| Some("null".to_owned()))));
        let whole = job(vec![hours(&client, &OPTIONAL, "BTC")], END - 60 * DAY, END, &path);
        let cancelled = run_cancelled(&whole).await;
        assert!(!cancelled.series[0].has_no_value, "{name}: {cancelled:?}");
        for _ in 0..2 {
            let summary = run(&whole).await;
            assert_eq!((summary.series[0].has_no_value, summary.is_complete), (true, false), "{name}: {summary:?}");
        }
        let allowed = with(whole, |job| job.allow_empty = true);
        assert!(run(&allowed).await.is_complete, "{name}");
    }
}

/// A state that does not know which fields its rows have is no evidence.
#[tokio::test(start_paused = true)]
async fn an_adopted_series_has_values() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let whole = job(vec![hours(&client(), &RATIO, "BTC")], END - 60 * DAY, END - 30 * DAY, &path);
    assert!(run(&whole).await.is_complete);
    std::fs::remove_dir_all(path.join(".backfill")).unwrap();
    dataset::adopt(&target_of(&path)).await.unwrap();
    let adopted = run(&whole).await;
    assert_eq!((adopted.series[0].has_no_value, adopted.is_complete), (false, true), "{adopted:?}");
}

/// A reader of the summary learns of every record that has changed a file.
#[tokio::test(start_paused = true)]
async fn a_value_in_the_place_of_null_completes_a_record() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (series, fields) = series(|_| r#","share":null"#.to_owned());
        let whole = job(vec![series.clone()], END - 20 * HOUR, END, &path);
        assert_eq!(run(&whole).await.series[0].added, 20, "{name}");
        *fields.lock().unwrap() = |_| r#","share":0.25"#.to_owned();
        let second = run(&whole).await;
        let report = &second.series[0];
        assert_eq!((report.completed, report.revised, report.added), (20, 0, 0), "{name}: {report:?}");
        assert_eq!(run(&whole).await.series[0].completed, 0, "{name}");
    }
}

/// The earlier records keep the old name, so a response with both has the field.
#[tokio::test(start_paused = true)]
async fn a_field_that_only_newer_records_have_under_another_name_is_reported_once() {
    const RENAMED: i64 = END - 5 * HOUR;
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (series, _) = series(|time| if time < RENAMED { r#","share":0.25"# } else { r#","rate":0.25"# }.to_owned());
        let until = |hours: i64| job(vec![series.clone()], END - 3 * DAY, END + hours * HOUR, &path);
        for hours in 0..5 {
            let summary = run(&until(hours)).await;
            assert!(summary.missing_fields.is_empty(), "{name}: a few rows are no evidence: {summary:?}");
        }
        assert_eq!(missing(&run(&until(6)).await), [("share", vec!["rate"], true)], "{name}");
        assert_eq!(missing(&run(&until(7)).await), [("share", vec!["rate"], false)], "{name}");
        assert_eq!(state_of(&path).await.missing_fields.len(), 1, "{name}");
        dataset::acknowledge(&target_of(&path), Some("share")).await.unwrap();
        assert!(run(&until(8)).await.missing_fields.is_empty(), "{name}: a user has acknowledged it");
    }
}

/// A field that no record has ever had may have another name. It is reported once, and is no failure.
#[tokio::test(start_paused = true)]
async fn a_field_that_was_never_sent_is_reported_beside_unknown_fields() {
    let renamed: Fields = |_| r#","rate":0.25"#.to_owned();
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (series, fields) = series(renamed);
        let until = |days: i64| job(vec![series.clone()], END - 3 * DAY, END + days * DAY, &path);
        let first = run(&until(0)).await;
        let [unsent] = &first.unsent_fields[..] else { panic!("{name}: {first:?}") };
        assert_eq!((unsent.field.as_str(), &unsent.unknown_fields), ("share", &vec!["rate".to_owned()]), "{name}");
        assert!(first.is_complete && unsent.is_new && first.missing_fields.is_empty(), "{name}: {first:?}");
        let second = run(&until(1)).await;
        assert_eq!(second.unsent_fields.len(), 1, "{name}");
        assert!(!second.unsent_fields[0].is_new, "{name}: it is reported once");
        assert_eq!(state_of(&path).await.unsent_fields.len(), 1, "{name}");
        let target = target_of(&path);
        let ended = dataset::acknowledge(&target, Some("share")).await.unwrap();
        assert_eq!(ended.fields, ["orderflow.volume_ratio share"], "{name}");
        assert!(run(&until(2)).await.unsent_fields.is_empty(), "{name}: a user has acknowledged it");
        // A service that sends the field later has lost nothing.
        *fields.lock().unwrap() = |_| r#","share":0.25"#.to_owned();
        let third = run(&until(3)).await;
        assert!(third.unsent_fields.is_empty() && third.missing_fields.is_empty(), "{name}: {third:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_field_that_is_null_is_no_news_without_unknown_fields() {
    let some: Fields = |time| if time % DAY == 0 { r#","rate":1"#.to_owned() } else { String::new() };
    let misfits: Fields = |_| r#","share":"n/a","rate":1"#.to_owned();
    let none: Fields = |_| r#","share":null"#.to_owned();
    for fields in [some, misfits, none] {
        let dir = tempfile::tempdir().unwrap();
        let (series, _) = series(fields);
        let summary = run(&job(vec![series], END - 3 * DAY - HOUR, END - HOUR, &dir.path().join("data/"))).await;
        assert!(summary.unsent_fields.is_empty() && summary.series[0].added == 72, "{summary:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn some_nulls_do_not_replace_values_and_are_not_a_missing_field() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (series, fields) = series(|_| r#","share":0.25"#.to_owned());
        let whole = job(vec![series], END - 3 * DAY, END, &path);
        run(&whole).await;
        *fields.lock().unwrap() =
            |time| if time / HOUR % 3 == 0 { r#","share":null"# } else { r#","share":0.25"# }.to_owned();
        let again = run(&whole).await;
        assert!(again.missing_fields.is_empty(), "{name}: {again:?}");
        assert!(again.series[0].no_longer_sent >= 8 && again.series[0].revised == 0, "{name}: {again:?}");
        assert_eq!(shares(&read(&path)), 3 * 24, "{name}");
    }
}

/// Before the service had a field, its records did not have it.
#[tokio::test(start_paused = true)]
async fn older_records_without_a_field_are_not_a_missing_field() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let (series, _) = series(|time| if time < END - 3 * DAY { "" } else { r#","share":0.25"# }.to_owned());
    run(&job(vec![series.clone()], END - 3 * DAY, END, &path)).await;
    let older = run(&job(vec![series], END - 300 * DAY, END, &path)).await;
    assert!(older.records > 6000 && older.missing_fields.is_empty(), "{older:?}");
}

#[tokio::test(start_paused = true)]
async fn unknown_fields_that_vanish_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.parquet");
    let (series, fields) = series(|_| r#","share":0.25,"a":1.10,"b":{"c":2}"#.to_owned());
    let whole = job(vec![series], END - 3 * DAY, END, &path);
    run(&whole).await;
    *fields.lock().unwrap() = |_| r#","share":0.25,"a":1.20"#.to_owned();
    let again = run(&whole).await;
    assert!(again.series[0].revised >= 24, "{again:?}");
    let rows = read(&path);
    let last = rows.iter().rfind(|row| row["unknown_fields"].contains("1.20")).unwrap();
    assert_eq!(last["unknown_fields"], r#"{"a":1.20,"b":{"c":2}}"#);
    let fetched = rows.iter().map(|row| row["fetched_at"].parse::<Timestamp>().unwrap());
    assert!(fetched.clone().min() <= fetched.max());
}
