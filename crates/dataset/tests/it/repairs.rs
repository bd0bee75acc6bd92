//! Tests of the commands that rebuild, repair and retire: what they could not do is reported, and nothing known is lost.

use std::fs;
use std::future::pending;
use std::path::Path;

use dataset::{BackfillEvent, Error, StoredTables, status};

use crate::support::service::{RATIO, STRIKES, WIDE};
use crate::support::{
    DAY, END, HOUR, Script, all_files, client, client_of, client_with, coins, data_of, files, hours, job, read, run,
    run_cancelled, scripted, state_of, target_of, with,
};

/// Changes a byte of the rows, or the length of a file.
fn damage(file: &Path, is_footer: bool) {
    let mut bytes = fs::read(file).unwrap();
    if is_footer {
        bytes.truncate(bytes.len() - 20);
    } else {
        bytes[300..306].iter_mut().for_each(|byte| *byte ^= 0x55);
    }
    fs::write(file, bytes).unwrap();
}

/// The state is not needed to know that a series is retired: it may be lost, or the folder copied without it.
#[tokio::test(start_paused = true)]
async fn a_retired_series_stays_retired_without_the_state() {
    for name in ["out.parquet", "data/"] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let target = target_of(&path);
        let both = job(coins(&client(), &["BTC", "ETH"]), END - 300 * DAY, END, &path);
        run(&both).await;
        let is_eth = |path: &str| path.contains("coin=ETH");
        for is_retired in [true, false, true] {
            let retired = dataset::retire(&target, is_eth, is_retired).await.unwrap();
            assert!(retired.series.len() == 1 && retired.failed.is_empty(), "{name}: {retired:?}");
            let state = state_of(&path).await;
            assert_eq!(state.damaged, [""; 0], "{name}");
            for folder in [".backfill", "../out.parquet.parts"] {
                let _ = fs::remove_dir_all(path.join(folder));
            }
            let _ = fs::remove_dir_all(dir.path().join("out.parquet.parts"));
            if name == "data/" {
                assert_eq!(dataset::adopt(&target).await.unwrap().series.len(), 2);
            }
            let found: Vec<_> = state_of(&path).await.series.iter().map(|one| (one.is_retired, one.rows)).collect();
            assert_eq!(found, [(false, 300 * 24), (is_retired, 300 * 24)], "{name}");
        }
    }
}

/// A run without a record of a series ends with an error, unless nobody wants the series any more.
#[tokio::test(start_paused = true)]
async fn a_retired_series_without_rows_is_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let client = client_of(|url, from, to| {
        let is_empty = url.contains("coin=NONE");
        (200, crate::support::body(from, to, |_| (!is_empty).then(|| "0.5".to_owned())))
    });
    let client = client.build().unwrap();
    let both = job(coins(&client, &["BTC", "NONE"]), END - 3 * DAY, END, &path);
    assert!(!run(&both).await.is_complete);
    let retired = dataset::retire(&target_of(&path), |path| path.contains("coin=NONE"), true).await.unwrap();
    assert_eq!(retired.series.len(), 1);
    let summary = run(&both).await;
    assert!(summary.is_complete, "{summary:?}");
    fs::remove_dir_all(path.join(".backfill")).unwrap();
    dataset::adopt(&target_of(&path)).await.unwrap();
    assert!(run(&both).await.is_complete, "the files list retired series that have no rows");
}

#[tokio::test(start_paused = true)]
async fn a_damaged_file_does_not_keep_a_data_set_from_being_adopted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let client = client();
    let series = vec![hours(&client, &RATIO, "BTC"), hours(&client, &STRIKES, "BTC")];
    let all = job(series, END - 300 * DAY, END, &path);
    run(&all).await;
    fs::remove_dir_all(path.join(".backfill")).unwrap();
    let file = path.join("orderflow.volume_ratio/1h-2023.parquet");
    damage(&file, true);
    assert!(matches!(status(&target_of(&path)).await, Err(Error::StateMissing { .. })));
    let adopted = dataset::adopt(&target_of(&path)).await.unwrap();
    assert_eq!((adopted.series.len(), adopted.repairs.len(), adopted.failed.len()), (2, 1, 0), "{adopted:?}");
    let state = state_of(&path).await;
    assert!(state.damaged.is_empty(), "{state:?}");
    assert!(all_files(&path).iter().any(|name| name.contains("1h-2023.parquet.damaged-")));
    let summary = run(&all).await;
    assert!(summary.is_complete, "{summary:?}");
    assert!(state_of(&path).await.series.iter().all(|one| one.rows == 300 * 24));
}

/// A state of a later version is not rebuilt, and the caller is told so.
#[tokio::test(start_paused = true)]
async fn a_state_that_cannot_be_used_is_reported_when_a_data_set_is_adopted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let series = vec![hours(&client(), &RATIO, "BTC"), hours(&client(), &STRIKES, "BTC")];
    run(&job(series, END - 3 * DAY, END, &path)).await;
    fs::remove_dir_all(path.join(".backfill/orderflow.strikes-1h")).unwrap();
    let state = path.join(".backfill/orderflow.volume_ratio-1h/state.json");
    fs::write(&state, r#"{"version":999}"#).unwrap();
    let adopted = dataset::adopt(&target_of(&path)).await.unwrap();
    assert_eq!((adopted.series.len(), adopted.failed.len()), (1, 1), "{adopted:?}");
    assert!(adopted.failed[0].to_string().contains("orderflow.volume_ratio"), "{adopted:?}");
}

/// One of two tables has lost its state. Its rows are still read, and the status names it.
#[tokio::test(start_paused = true)]
async fn a_table_without_a_state_beside_another_is_seen() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let series = || vec![hours(&client(), &RATIO, "BTC"), hours(&client(), &STRIKES, "BTC")];
    run(&job(series(), END - 3 * DAY, END, &path)).await;
    fs::remove_dir_all(path.join(".backfill/orderflow.strikes-1h")).unwrap();
    let state = state_of(&path).await;
    assert_eq!((state.series.len(), state.without_state.len()), (2, 1), "{state:?}");
    assert!(state.without_state[0].contains("orderflow.strikes"), "{state:?}");
    let adopted = dataset::adopt(&target_of(&path)).await.unwrap();
    assert_eq!(adopted.series.len(), 1, "{adopted:?}");
    assert_eq!(state_of(&path).await.without_state, [""; 0]);
}

/// A run that is killed before it has written a state leaves a journal.
#[tokio::test(start_paused = true)]
async fn the_journal_of_a_killed_first_run_is_seen() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let whole = job(coins(&client(), &["BTC"]), END - 400 * DAY, END, &path);
    run_cancelled(&whole).await;
    fs::remove_file(path.join(".backfill/orderflow.volume_ratio-1h/state.json")).unwrap();
    let state = state_of(&path).await;
    assert!(state.series.len() == 1 && state.pending > 0 && state.without_state.is_empty(), "{state:?}");
    assert!(run(&whole).await.is_complete);
    assert_eq!(read(&path).len(), 400 * 24);
}

/// A run that begins later than the lost rows cannot fetch them again, so it names them.
#[tokio::test(start_paused = true)]
async fn rows_of_a_replaced_or_deleted_file_are_not_lost_in_silence() {
    for name in ["out.csv", "out.parquet", "data/"] {
        for is_deleted in [false, true] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join(name);
            let days = |from: i64, to: i64| job(coins(&client(), &["BTC"]), END + from * DAY, END + to * DAY, &path);
            run(&days(-60, -40)).await;
            let file = files(dir.path()).into_iter().find(|name| name.ends_with(".parquet")).unwrap();
            let file = dir.path().join(file);
            let older = fs::read(&file).unwrap();
            run(&days(-60, -5)).await;
            let mut lost = 35 * 24;
            if is_deleted {
                // Without its rows, a text file could not be continued.
                let _ = fs::remove_file(dir.path().join("out.csv"));
                fs::remove_file(&file).unwrap();
                lost += 20 * 24;
            } else {
                fs::write(&file, older).unwrap();
            }
            let damaged = state_of(&path).await.damaged;
            let expected = format!("{lost} ");
            assert!(damaged.iter().any(|damage| damage.contains(&expected)), "{name}: {damaged:?}");
            let summary = run(&days(-10, 0)).await;
            assert!(summary.repairs.len() == 1 && summary.repairs[0].contains(&expected), "{name}: {summary:?}");
            let [mark] = &summary.lost_rows[..] else { panic!("{name}: {summary:?}") };
            assert!(mark.is_new && mark.series.len() == 1, "{name}: {mark:?}");
            let again = run(&days(-10, 0)).await;
            assert!(again.lost_rows.len() == 1 && !again.lost_rows[0].is_new, "{name}: {again:?}");
            let whole = run(&days(-60, 0)).await;
            assert_eq!((whole.lost_rows, read(&path).len()), (Vec::new(), 60 * 24), "{name}");
        }
    }
}

/// Another command, or a run that does not end, does not keep a complete run from naming the loss.
#[tokio::test(start_paused = true)]
async fn lost_rows_are_new_until_a_complete_run_has_named_them() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    run(&job(coins(&client(), &["BTC"]), END - 300 * DAY, END, &path)).await;
    fs::remove_file(path.join("orderflow.volume_ratio/1h-2023.parquet")).unwrap();
    dataset::retire(&target_of(&path), |_| true, false).await.unwrap();
    let recent = job(coins(&client(), &["BTC"]), END - 30 * DAY, END, &path);
    run_cancelled(&recent).await;
    for is_new in [true, false] {
        let summary = run(&recent).await;
        assert_eq!(summary.lost_rows.iter().map(|lost| lost.is_new).collect::<Vec<_>>(), [is_new], "{summary:?}");
    }
}

/// No other file has the earlier values.
#[tokio::test(start_paused = true)]
async fn damaged_earlier_values_are_found_and_those_before_the_damage_stay() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let (client, script) = scripted(|_| Some("0.5".to_owned()));
    let whole = job(coins(&client, &["BTC"]), END - 3 * DAY, END, &path);
    run(&whole).await;
    let later: [Script; 2] = [|_| Some("0.25".to_owned()), |_| Some("0.125".to_owned())];
    for value in later {
        *script.lock().unwrap() = value;
        run(&whole).await;
    }
    let file = path.join(".backfill/orderflow.volume_ratio-1h/revisions.gz");
    let mut bytes = fs::read(&file).unwrap();
    let end = bytes.len() - 20;
    bytes[end] ^= 0x55;
    fs::write(&file, bytes).unwrap();
    let damaged = state_of(&path).await.damaged;
    assert!(damaged.len() == 1 && damaged[0].contains("revisions.gz"), "{damaged:?}");
    let repaired = dataset::repair(&target_of(&path)).await.unwrap();
    assert!(repaired.repairs.len() == 1 && repaired.lost_rows[0].has_earlier_values, "{repaired:?}");
    let tables = StoredTables::open(&target_of(&path)).await.unwrap();
    let revisions = tables.rows(None, None).unwrap().revisions(|_| true).await.unwrap();
    assert!((72..144).contains(&revisions.len()), "{}", revisions.len());
    assert_eq!(state_of(&path).await.damaged, [""; 0]);
}

/// As on a full disk, no file can be written: the temporary file of each has the name of a folder.
#[tokio::test(start_paused = true)]
async fn a_repair_that_cannot_write_readable_rows_leaves_the_damaged_file() {
    let cases = [
        ("out.parquet", "out.parquet", ".out.parquet.unfinished"),
        ("out.csv", "out.csv.parts/rows.parquet", "out.csv.parts/.rows.parquet.unfinished"),
        (
            "data/",
            "data/orderflow.volume_ratio/1h-2024.parquet",
            "data/.backfill/orderflow.volume_ratio-1h/2024.parquet.unfinished",
        ),
        (
            "data/",
            "data/.backfill/orderflow.volume_ratio-1h/revisions.gz",
            "data/.backfill/orderflow.volume_ratio-1h/.revisions.gz.unfinished",
        ),
    ];
    for (name, file, temporary) in cases {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (client, script) = scripted(|_| Some("0.5".to_owned()));
        let whole = job(coins(&client, &["BTC"]), END - 300 * DAY, END, &path);
        run(&whole).await;
        *script.lock().unwrap() = |_| Some("0.25".to_owned());
        run(&whole).await;
        let file = dir.path().join(file);
        let mut bytes = fs::read(&file).unwrap();
        bytes.push(b'x');
        fs::write(&file, &bytes).unwrap();
        let temporary = dir.path().join(temporary);
        fs::create_dir_all(&temporary).unwrap();
        let failed = dataset::repair(&target_of(&path)).await.unwrap();
        assert_eq!(failed.failed.len(), 1, "{name}: {failed:?}");
        assert!(fs::read(&file).unwrap() == bytes, "{name}");
        fs::remove_dir(&temporary).unwrap();
        let repaired = dataset::repair(&target_of(&path)).await.unwrap();
        assert_eq!((repaired.repairs.len(), repaired.failed.len()), (1, 0), "{name}: {repaired:?}");
        let lost = repaired.lost_rows.iter().map(|lost| lost.series.len()).sum::<usize>();
        assert_eq!((lost, read(&path).len()), (0, 300 * 24), "{name}: {repaired:?}");
        assert_eq!(state_of(&path).await.damaged, [""; 0], "{name}");
    }
}

/// The rows of a text file are moved aside only after the text.
#[tokio::test(start_paused = true)]
async fn a_repair_that_cannot_move_the_text_aside_is_repeated() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.csv");
    let whole = job(coins(&client(), &["BTC"]), END - 30 * DAY, END, &path);
    run(&whole).await;
    damage(&dir.path().join("out.csv.parts/rows.parquet"), false);
    // The name has the day, and the test can run at midnight.
    let now = runtime::Timestamp::now();
    let days = [now, now + std::time::Duration::from_secs(86_400)]
        .map(|day| dir.path().join(format!("out.csv.damaged-{}", &day.to_string()[..10])));
    for taken in &days {
        fs::create_dir(taken).unwrap();
    }
    let failed = dataset::repair(&target_of(&path)).await.unwrap();
    assert_eq!((failed.failed.len(), read(&path).len()), (1, 30 * 24), "{failed:?}");
    for taken in &days {
        fs::remove_dir(taken).unwrap();
    }
    let repaired = dataset::repair(&target_of(&path)).await.unwrap();
    assert_eq!((repaired.repairs.len(), repaired.failed.len()), (1, 0), "{repaired:?}");
    assert!(days.iter().any(|taken| taken.is_file()));
    run(&whole).await;
    assert_eq!(read(&path).len(), 30 * 24);
}

/// A series that could not be removed keeps its marks.
#[tokio::test(start_paused = true)]
async fn a_removal_that_fails_keeps_the_marks_of_lost_rows() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let target = target_of(&path);
    run(&job(coins(&client(), &["BTC"]), END - 300 * DAY, END, &path)).await;
    fs::remove_file(path.join("orderflow.volume_ratio/1h-2023.parquet")).unwrap();
    run(&job(coins(&client(), &["BTC"]), END - 30 * DAY, END, &path)).await;
    damage(&path.join("orderflow.volume_ratio/1h-2024.parquet"), false);
    let removed = dataset::remove(&target, |_| true).await.unwrap();
    assert_eq!((removed.series.len(), removed.failed.len()), (0, 1), "{removed:?}");
    assert_eq!(state_of(&path).await.lost_rows.len(), 1);
}

/// Only a run with new rows reads the rows of a file, so a finished range needs another way to repair a file.
#[tokio::test(start_paused = true)]
async fn damaged_rows_of_a_finished_range_are_repaired() {
    for name in ["out.csv", "out.parquet", "data/"] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let whole = with(job(coins(&client(), &["BTC"]), END - 300 * DAY, END, &path), |job| {
            job.service_time = Some(runtime::Timestamp::from_unix_seconds(END + 90 * DAY));
        });
        run(&whole).await;
        let rows = read(&path);
        let file = files(dir.path()).into_iter().find(|name| name.ends_with(".parquet")).unwrap();
        damage(&dir.path().join(file), false);
        assert_eq!(state_of(&path).await.damaged.len(), 1, "{name}");
        let repaired = dataset::repair(&target_of(&path)).await.unwrap();
        assert_eq!((repaired.repairs.len(), repaired.failed.len()), (1, 0), "{name}: {repaired:?}");
        assert!(!repaired.lost_rows.is_empty(), "{name}: {repaired:?}");
        assert_eq!(state_of(&path).await.damaged, [""; 0], "{name}");
        let summary = run(&whole).await;
        assert!(summary.is_complete && summary.lost_rows.is_empty(), "{name}: {summary:?}");
        let values =
            |rows: &[crate::support::Row]| rows.iter().map(|row| row["volumeRatio"].clone()).collect::<Vec<_>>();
        assert_eq!(values(&read(&path)), values(&rows), "{name}");
        let again = dataset::repair(&target_of(&path)).await.unwrap();
        assert!(again.repairs.is_empty() && again.lost_rows.is_empty(), "{name}: {again:?}");
    }
}

/// A run that fails has no summary, so its events name what it has moved aside.
#[tokio::test(start_paused = true)]
async fn a_run_that_fails_reports_the_files_that_it_has_moved_aside() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    run(&job(coins(&client(), &["BTC"]), END - 300 * DAY, END, &path)).await;
    let file = files(dir.path()).into_iter().find(|name| name.ends_with(".parquet")).unwrap();
    damage(&dir.path().join(&file), true);
    let rejecting = client_of(|_, _, _| (401, String::new())).build().unwrap();
    let mut reported = Vec::new();
    let watch = |event: &BackfillEvent| {
        if let BackfillEvent::Repaired { repairs, .. } = event {
            reported.extend(repairs.clone());
        }
    };
    let failed = job(coins(&rejecting, &["BTC"]), END - 300 * DAY, END, &path).run(watch, pending()).await;
    assert!(matches!(&failed, Err(Error::Request(error)) if error.is_auth()), "{failed:?}");
    let name = Path::new(&file).file_name().unwrap().to_str().unwrap();
    assert!(reported.len() == 1 && reported[0].contains(name), "{reported:?}");
}

/// The rows of intact files are read, and each damaged or missing file is named.
#[tokio::test(start_paused = true)]
async fn rows_of_intact_files_are_read_beside_damaged_ones() {
    for kind in ["rows", "footer", "missing", "deleted while it is read"] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data/");
        run(&job(coins(&client(), &["BTC"]), END - 300 * DAY, END, &path)).await;
        let file = path.join("orderflow.volume_ratio/1h-2023.parquet");
        let before = StoredTables::open(&target_of(&path)).await.unwrap();
        match kind {
            "rows" => damage(&file, false),
            "footer" => damage(&file, true),
            _ => fs::remove_file(&file).unwrap(),
        }
        let tables = match kind {
            "deleted while it is read" => before,
            _ => StoredTables::open(&target_of(&path)).await.unwrap(),
        };
        let stored = tables.rows(None, None).unwrap();
        let mut count = 0;
        let each = |_: &str, batch: &dataset::RecordBatch| {
            count += batch.num_rows();
            Ok::<(), dataset::Error>(())
        };
        let left_out = stored.read(|_| true, each).await.unwrap();
        assert!(left_out.len() == 1 && left_out[0].contains("1h-2023.parquet"), "{kind}: {left_out:?}");
        assert_eq!(count, 166 * 24, "{kind}");
        let quality = dataset::quality(&tables).await.unwrap();
        assert_eq!(quality.left_out, left_out, "{kind}");
    }
}

/// A state that cannot be changed does not hide what was done in the other tables.
#[tokio::test(start_paused = true)]
async fn a_command_reports_what_it_has_done_and_what_it_could_not_do() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let target = target_of(&path);
    let both = job(vec![hours(&client(), &RATIO, "BTC"), hours(&client(), &STRIKES, "BTC")], END - 3 * DAY, END, &path);
    run(&both).await;
    let state = path.join(".backfill/orderflow.strikes-1h/state.json");
    let intact = fs::read(&state).unwrap();
    let mut bytes = intact.clone();
    bytes[100] ^= 1;
    fs::write(&state, bytes).unwrap();
    let retired = dataset::retire(&target, |_| true, true).await.unwrap();
    assert_eq!((retired.series.len(), retired.failed.len()), (1, 1), "{retired:?}");
    fs::write(&state, intact).unwrap();
    let retired = dataset::retire(&target, |_| true, true).await.unwrap();
    assert_eq!((retired.series.len(), retired.failed.len()), (1, 0), "{retired:?}");
    let removed = dataset::remove(&target, |_| true).await.unwrap();
    assert_eq!((removed.series.len(), removed.failed.len()), (2, 0), "{removed:?}");
}

/// A value that the service sends for the first time replaces nothing.
#[tokio::test(start_paused = true)]
async fn a_new_field_is_no_revision() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let (client, fields) = client_with("", |fields, _, from, to| {
        let times = ((from + HOUR) / HOUR * HOUR..=to).step_by(3600);
        let records: Vec<_> = times.map(|time| format!(r#"{{"openDate":{time},"volumeRatio":0.5{fields}}}"#)).collect();
        (200, data_of(&records))
    });
    let whole = job(vec![hours(&client, &WIDE, "BTC")], END - 3 * DAY, END, &path);
    run(&whole).await;
    let revisions = async || {
        let tables = StoredTables::open(&target_of(&path)).await.unwrap();
        let quality = dataset::quality(&tables).await.unwrap();
        let fields = &quality.series[0].fields;
        fields.iter().map(|field| (field.field.clone(), field.revisions)).collect::<Vec<_>>()
    };
    *fields.lock().unwrap() = r#","share":0.25"#;
    run(&whole).await;
    assert_eq!(revisions().await, [("share".to_owned(), 0), ("volumeRatio".to_owned(), 0)]);
    *fields.lock().unwrap() = r#","share":0.5"#;
    run(&whole).await;
    assert_eq!(revisions().await, [("share".to_owned(), 3 * 24), ("volumeRatio".to_owned(), 0)]);
}

/// A truncated file is found when its table is opened, before its rows are read.
#[tokio::test(start_paused = true)]
async fn truncated_file_of_a_data_set_is_repaired() {
    for length in [0, 9000] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data/");
        let whole = job(coins(&client(), &["BTC"]), END - 300 * DAY, END, &path);
        run(&whole).await;
        let rows = read(&path).len();
        let file = files(dir.path()).into_iter().find(|name| name.ends_with(".parquet")).unwrap();
        let file = dir.path().join(file);
        let bytes = fs::read(&file).unwrap();
        fs::write(&file, &bytes[..length]).unwrap();
        let repaired = dataset::repair(&target_of(&path)).await.unwrap();
        assert_eq!((repaired.repairs.len(), repaired.failed.len()), (1, 0), "{length}: {repaired:?}");
        assert!(run(&whole).await.is_complete, "{length}");
        assert_eq!(read(&path).len(), rows, "{length}");
    }
}

/// A copy of a file, or a file with another name, has its own rows alone.
#[tokio::test(start_paused = true)]
async fn copied_and_renamed_files_have_their_own_rows() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("first.parquet");
    run(&job(coins(&client(), &["BTC", "ETH"]), END - 3 * DAY, END, &path)).await;
    dataset::retire(&target_of(&path), |path| path.contains("coin=BTC"), true).await.unwrap();
    let copy = dir.path().join("copy.parquet");
    fs::copy(&path, &copy).unwrap();
    let renamed = dir.path().join("renamed.parquet");
    fs::rename(&path, &renamed).unwrap();
    for path in [copy, renamed] {
        let tables = StoredTables::open(&target_of(&path)).await.unwrap();
        let mut rows = 0;
        let each = |_: &str, batch: &dataset::RecordBatch| {
            rows += batch.num_rows();
            Ok::<(), dataset::Error>(())
        };
        let left_out = tables.rows(None, None).unwrap().read(|_| true, each).await.unwrap();
        assert_eq!(left_out, [""; 0], "{}", path.display());
        assert_eq!(rows, 2 * 3 * 24, "{}", path.display());
        assert_eq!(state_of(&path).await.damaged, [""; 0], "{}", path.display());
    }
}
