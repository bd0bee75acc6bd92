//! Tests of backfills with records and values that are invalid.

use crate::support::{
    DAY, END, TARGETS, body, client_of, client_with, coins, job, read, run, scripted, state_of, with,
};

#[tokio::test(start_paused = true)]
async fn invalid_value_is_null_and_fails_its_page_only_if_strict() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (client, _) = scripted(|time| Some(if time == END - DAY { "\"n/a\"" } else { "0.5" }.to_owned()));
        let whole = job(coins(&client, &["BTC"]), END - 3 * DAY, END, &path);
        let strict = run(&with(whole.clone(), |job| job.strict = true)).await;
        assert!(!strict.is_complete && strict.failed_pages == 1, "{strict:?}");
        let summary = run(&whole).await;
        assert!(summary.is_complete && summary.records == 72 && summary.series[0].invalid == 1, "{summary:?}");
        let rows = read(&path);
        let invalid: Vec<_> = rows.iter().filter(|row| !row.contains_key("volumeRatio")).collect();
        assert_eq!((rows.len(), invalid.len()), (72, 1));
        assert_eq!(invalid[0]["unknown_fields"], r#"{"volumeRatio":"n/a"}"#);
        assert_eq!(run(&whole).await.series[0].invalid, 0, "it is reported once");
        let status = state_of(&path).await;
        assert_eq!((status.series[0].invalid, status.series[0].rows), (1, 72));
    }
}

/// Either value may be the right one, but the time of the record is readable.
#[tokio::test(start_paused = true)]
async fn a_record_with_a_repeated_key_has_an_invalid_value() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let client = client_of(|_, from, to| {
            let twice = format!(r#""openDate":{},"volumeRatio":5,"#, END - DAY);
            let body = body(from, to, |_| Some("0.5".to_owned()));
            (200, body.replace(&format!(r#""openDate":{},"#, END - DAY), &twice))
        });
        let summary = run(&job(coins(&client.build().unwrap(), &["BTC"]), END - 3 * DAY, END, &path)).await;
        let report = &summary.series[0];
        assert_eq!((report.invalid, report.unreadable, report.missing), (1, 0, 0), "{name}: {report:?}");
        let rows = read(&path);
        let kept: Vec<_> = rows.iter().filter_map(|row| row.get("unknown_fields")).map(String::as_str).collect();
        assert_eq!((rows.len(), kept), (72, vec![r#"{"volumeRatio":0.5}"#]), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_invalid_value_does_not_replace_a_valid_one() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (client, script) = scripted(|_| Some("0.5".to_owned()));
        let whole = job(coins(&client, &["BTC"]), END - 3 * DAY, END, &path);
        run(&whole).await;
        *script.lock().unwrap() = |time| Some(if time == END - DAY { "\"n/a\"" } else { "0.5" }.to_owned());
        let summary = run(&whole).await;
        let report = &summary.series[0];
        assert_eq!((report.invalid, report.revised, report.completed), (1, 0, 0), "{name}: {summary:?}");
        let rows = read(&path);
        let unknown: Vec<_> = rows.iter().filter_map(|row| row.get("unknown_fields")).collect();
        assert_eq!(unknown, [r#"{"volumeRatio":"n/a"}"#], "{name}");
        assert!(rows.len() == 72 && rows.iter().all(|row| row["volumeRatio"] == "0.5"), "{name}");
        assert_eq!(state_of(&path).await.series[0].invalid, 1, "{name}");
        assert_eq!(run(&whole).await.series[0].invalid, 0, "{name}: it is reported once");
        *script.lock().unwrap() = |_| Some("0.5".to_owned());
        let again = run(&whole).await;
        let report = &again.series[0];
        assert_eq!((report.revised, report.completed), (0, 0), "{name}: the value is the same again");
        *script.lock().unwrap() = |time| Some(if time == END - DAY { "0.7" } else { "0.5" }.to_owned());
        assert_eq!(run(&whole).await.series[0].revised, 1, "{name}");
        assert_eq!(state_of(&path).await.series[0].revised, 1, "{name}: of the last run");
        run(&whole).await;
        assert_eq!(state_of(&path).await.series[0].revised, 0, "{name}: of the last run");
        assert!(read(&path).iter().all(|row| !row.contains_key("unknown_fields")), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_null_or_missing_value_does_not_replace_a_valid_one() {
    let record = |rest: &str| format!(r#"{{"openDate":{}{rest}}}"#, END - DAY);
    for (name, rest) in TARGETS.iter().flat_map(|name| [(name, r#","volumeRatio":null"#), (name, "")]) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let valid = record(r#","volumeRatio":0.5"#);
        let (client, records) = client_with([valid.clone(), valid], |[valid, sent], _, from, to| {
            (200, body(from, to, |_| Some("0.5".to_owned())).replace(valid.as_str(), sent))
        });
        let whole = job(coins(&client, &["BTC"]), END - 3 * DAY, END, &path);
        run(&whole).await;
        records.lock().unwrap()[1] = record(rest);
        let summary = run(&whole).await;
        assert_eq!((summary.series[0].invalid, state_of(&path).await.series[0].invalid), (1, 1), "{name}: {summary:?}");
        let rows = read(&path);
        assert!(rows.len() == 72 && rows.iter().all(|row| row["volumeRatio"] == "0.5"), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_record_without_a_valid_time_is_reported_once() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let (client, fixed) = client_with(false, |is_fixed, _, from, to| {
            let body = body(from, to, |_| Some("0.5".to_owned()));
            let time = (END - DAY).to_string();
            (200, if *is_fixed { body } else { body.replace(&time, r#""yesterday""#) })
        });
        let whole = job(coins(&client, &["BTC"]), END - 3 * DAY, END, &dir.path().join(name));
        let first = run(&whole).await;
        assert!(first.is_complete && (first.series[0].unreadable, first.series[0].missing) == (1, 1), "{first:?}");
        for _ in 0..2 {
            let again = run(&whole).await;
            assert_eq!((again.series[0].unreadable, again.series[0].missing), (0, 1), "{name}");
        }
        *fixed.lock().unwrap() = true;
        let last = run(&whole).await;
        assert_eq!((last.series[0].filled, last.series[0].missing), (1, 0), "{name}");
    }
}
