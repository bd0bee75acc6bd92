//! Tests of files that are damaged, missing, copied or changed by hand.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use dataset::{Target, quoted, remove, status};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use crate::support::service::RATIO;
use crate::support::{
    DAY, END, TARGETS, all_files, client, client_of, coins, files, job, read, run, run_cancelled, state_of,
};

/// Damages the bytes of a file.
type Change = fn(&mut Vec<u8>);

/// The damaged file stays under another name, and every row is there after the next run.
#[tokio::test(start_paused = true)]
async fn damaged_file_is_moved_aside_and_its_rows_are_fetched_again() {
    let cases: [(&str, Change); 4] = [
        ("checksum", |bytes| bytes[300..306].iter_mut().for_each(|byte| *byte ^= 0x55)),
        ("truncated", |bytes| bytes.truncate(bytes.len() - 20)),
        ("truncated", |bytes| bytes.push(b'x')),
        ("footer does not match its checksum", |bytes| {
            let at = bytes.len() - 200;
            bytes[at] ^= 1;
        }),
    ];
    for (name, (why, damage)) in TARGETS.iter().flat_map(|name| cases.map(|case| (name, case))) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let whole = job(coins(&client(), &["BTC"]), END - 60 * DAY, END, &path);
        run(&whole).await;
        assert_eq!(state_of(&path).await.damaged, [""; 0]);
        let file = files(dir.path()).into_iter().find(|name| name.ends_with(".parquet")).unwrap();
        let mut bytes = fs::read(dir.path().join(&file)).unwrap();
        damage(&mut bytes);
        fs::write(dir.path().join(&file), &bytes).unwrap();
        let found = state_of(&path).await.damaged;
        assert!(found.len() == 1 && found[0].contains(why), "{name} {why}: {found:?}");
        assert!(!found[0].contains("delete"), "{found:?}");
        // A run notices a changed byte in a row group when it merges rows; what it has lost is then fetched by the next run.
        let until = job(coins(&client(), &["BTC"]), END - 60 * DAY, END + DAY, &path);
        let first = run(&until).await;
        assert!(first.repairs.len() == 1 && first.repairs[0].contains(why), "{name} {why}: {first:?}");
        let second = run(&until).await;
        assert!(second.is_complete && second.repairs.is_empty(), "{name}: {second:?}");
        // The state of a single file is in its footer, so without it nobody knows which rows the file had.
        assert!(second.lost_rows.iter().all(|lost| lost.series.is_empty() && lost.file.ends_with("out.parquet")));
        let kept = all_files(dir.path()).into_iter().find(|name| name.contains(".parquet.damaged-")).unwrap();
        assert_eq!(fs::read(dir.path().join(kept)).unwrap(), bytes, "{name}");
        assert_eq!(read(&path).len(), 61 * 24, "{name} {why}");
        assert_eq!(state_of(&path).await.damaged, [""; 0], "{name}");
    }
}

/// The bytes of the rows are intact, so a damaged footer or further bytes cost no row.
#[tokio::test(start_paused = true)]
async fn readable_rows_of_a_damaged_file_are_salvaged_and_the_others_are_marked() {
    for name in ["out.parquet"] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let target = Target::parse(path.to_str().unwrap()).unwrap();
        // Each series has so many rows that it has a row group of its own.
        let requests = Arc::new(AtomicU64::new(0));
        let minutes = |coin: &str| {
            let requests = requests.clone();
            let client = client_of(move |_, from, to| {
                requests.fetch_add(1, Ordering::Relaxed);
                let times = ((from + 60) / 60 * 60..=to).step_by(60);
                let records: Vec<_> = times.map(|time| format!(r#"{{"openDate":{time},"volumeRatio":0.5}}"#)).collect();
                (200, format!(r#"{{"data":[{}],"metadata":{{}}}}"#, records.join(",")))
            });
            let request = client.build().unwrap().endpoint(&RATIO).query("coin", coin).query("timeframe", "1m");
            dataset::SeriesRequest::new(request).unwrap()
        };
        let days = 92;
        let both = job(vec![minutes("BTC"), minutes("ETH")], END - days * DAY, END, &path);
        run(&both).await;
        let file = files(dir.path()).into_iter().find(|name| name.ends_with(".parquet")).unwrap();
        let mut bytes = fs::read(dir.path().join(&file)).unwrap();
        bytes[300..306].iter_mut().for_each(|byte| *byte ^= 0x55);
        fs::write(dir.path().join(&file), &bytes).unwrap();
        // No job has the coin whose rows are damaged any more.
        let eth = job(vec![minutes("ETH")], END - days * DAY, END + DAY, &path);
        requests.store(0, Ordering::Relaxed);
        let summary = run(&eth).await;
        // The intact rows stay, so only the last two days are requested.
        assert!(requests.load(Ordering::Relaxed) < 10, "{name}: {requests:?}");
        let [lost] = &summary.lost_rows[..] else { panic!("{name}: {summary:?}") };
        assert!(lost.is_new && lost.series.len() == 1 && lost.series[0].path.contains("coin=BTC"), "{name}: {lost:?}");
        let rows = |coin: &str, state: &dataset::Status| {
            state.series.iter().find(|one| one.path.contains(coin)).map_or(0, |one| one.rows)
        };
        let state = state_of(&path).await;
        let kept = rows("BTC", &state);
        let missing: u64 = lost.series[0].ranges.iter().map(|range| (range.end - range.start).as_secs() / 60).sum();
        assert!(missing > 100_000, "{name}: {lost:?}");
        assert_eq!((kept + missing, rows("ETH", &state)), (132_480, 132_480 + 1440), "{name}");
        let again = run(&eth).await;
        assert!(again.is_complete && !again.lost_rows[0].is_new, "{name}: {again:?}");
        assert_eq!(state_of(&path).await.lost_rows.len(), 1, "{name}");
        dataset::acknowledge(&target, None).await.unwrap();
        assert_eq!(state_of(&path).await.lost_rows, [], "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_damaged_file_of_the_journal_is_moved_aside() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.parquet");
    let whole = |from: i64| job(coins(&client(), &["BTC"]), from, END, &path);
    run(&whole(END - 100 * DAY)).await;
    for _ in 0..2 {
        run_cancelled(&whole(END - 400 * DAY)).await;
        let part =
            files(dir.path()).into_iter().find(|name| name.contains(".rows") && !name.contains(".damaged-")).unwrap();
        let mut changed = fs::read(dir.path().join(&part)).unwrap();
        changed[300] ^= 0x55;
        fs::write(dir.path().join(&part), &changed).unwrap();
        let damaged = state_of(&path).await.damaged;
        assert!(damaged.len() == 1 && damaged[0].contains(&part) && damaged[0].contains("checksum"), "{damaged:?}");
    }
    let summary = run(&whole(END - 400 * DAY)).await;
    assert!(summary.is_complete && summary.lost_rows.is_empty(), "{summary:?}");
    assert_eq!(read(&path).len(), 400 * 24);
    assert_eq!(state_of(&path).await.damaged, [""; 0]);
}

/// The state lists which times have no record; without it, a run requests them again.
#[tokio::test(start_paused = true)]
async fn a_damaged_state_is_rebuilt_from_the_files() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let whole = job(coins(&client(), &["BTC"]), END - 60 * DAY, END, &path);
    run(&whole).await;
    let state = path.join(".backfill/orderflow.volume_ratio-1h/state.json");
    let mut bytes = fs::read(&state).unwrap();
    bytes[100] ^= 1;
    fs::write(&state, &bytes).unwrap();
    let damaged = state_of(&path).await.damaged;
    assert!(damaged.len() == 1 && damaged[0].contains("state.json"), "{damaged:?}");
    let summary = run(&whole).await;
    assert!(summary.is_complete && summary.records == 0 && summary.repairs.len() == 1, "{summary:?}");
    assert_eq!((read(&path).len(), state_of(&path).await.damaged), (60 * 24, Vec::new()));
}

/// A data set may be copied without its hidden folder.
#[tokio::test(start_paused = true)]
async fn a_data_set_without_its_state_is_adopted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let target = Target::parse(path.to_str().unwrap()).unwrap();
    let whole = job(coins(&client(), &["BTC", "ETH"]), END - 300 * DAY, END, &path);
    run(&whole).await;
    let rows = read(&path);
    fs::remove_dir_all(path.join(".backfill")).unwrap();
    let error = status(&target).await.unwrap_err().to_string();
    assert!(error.contains("the folder .backfill with the state"), "{error}");
    assert_eq!(dataset::adopt(&target).await.unwrap().series.len(), 2);
    assert_eq!(dataset::adopt(&target).await.unwrap().series.len(), 0, "no state is missing");
    let state = state_of(&path).await;
    assert!(state.damaged.is_empty() && state.series.iter().all(|one| one.rows == 300 * 24), "{state:?}");
    let again = run(&whole).await;
    assert!(again.is_complete && again.records == 0 && again.requests <= 2, "{again:?}");
    assert_eq!(read(&path), rows);
}

#[tokio::test(start_paused = true)]
async fn a_retired_series_keeps_its_rows_and_is_not_requested() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let target = Target::parse(path.to_str().unwrap()).unwrap();
        let until = |end: i64| job(coins(&client(), &["BTC", "ETH"]), END - 30 * DAY, end, &path);
        run(&until(END)).await;
        let is_eth = |path: &str| path.contains("coin=ETH");
        assert_eq!(dataset::retire(&target, is_eth, true).await.unwrap().series.len(), 1, "{name}");
        let summary = run(&until(END + DAY)).await;
        assert!(summary.is_complete && summary.records == 24 && summary.series[1].is_retired, "{name}: {summary:?}");
        let state = state_of(&path).await;
        let retired: Vec<_> = state.series.iter().map(|one| (one.is_retired, one.rows)).collect();
        assert_eq!(retired, [(false, 31 * 24), (true, 30 * 24)], "{name}");
        dataset::retire(&target, is_eth, false).await.unwrap();
        assert_eq!(run(&until(END + DAY)).await.records, 24, "{name}");
        assert_eq!(read(&path).len(), 2 * 31 * 24, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_deleted_file_of_a_data_set_is_damage() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let whole = job(coins(&client(), &["BTC"]), END - 300 * DAY, END, &path);
    run(&whole).await;
    fs::remove_file(path.join("orderflow.volume_ratio/1h-2023.parquet")).unwrap();
    let damaged = state_of(&path).await.damaged;
    assert!(damaged.len() == 1 && damaged[0].contains("1h-2023.parquet: missing"), "{damaged:?}");
    let summary = run(&whole).await;
    assert!(summary.repairs.len() == 1 && summary.lost_rows.is_empty(), "{summary:?}");
    assert_eq!(state_of(&path).await.damaged, [""; 0]);
    assert_eq!(read(&path).len(), 300 * 24);
    // The rows of a series that no job has any more are lost.
    fs::remove_file(path.join("orderflow.volume_ratio/1h-2023.parquet")).unwrap();
    let rolling = job(coins(&client(), &["BTC"]), END - 90 * DAY, END, &path);
    let summary = run(&rolling).await;
    assert!(summary.lost_rows.len() == 1 && summary.lost_rows[0].is_new, "{summary:?}");
    assert_eq!(state_of(&path).await.lost_rows.len(), 1);
    assert!(run(&whole).await.lost_rows.is_empty(), "a run has fetched them again");
}

#[tokio::test(start_paused = true)]
async fn copies_in_a_data_set_are_damage_and_are_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let whole = job(coins(&client(), &["BTC"]), END - 3 * DAY, END, &path);
    run(&whole).await;
    let endpoint = path.join("orderflow.volume_ratio");
    for copy in ["1h-2024 (copy).parquet", "data.parquet", "folder/1h-2024.parquet", "1h-2024-06.parquet"] {
        let copy = endpoint.join(copy);
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(endpoint.join("1h-2024.parquet"), &copy).unwrap();
        let error = whole.plan().await.unwrap_err().to_string();
        let name = copy.file_name().unwrap().to_str().unwrap();
        assert!(error.contains(name) && error.contains("move it"), "{error}");
        let damaged = state_of(&path).await.damaged;
        assert!(damaged.len() == 1 && damaged[0] == error, "{damaged:?}");
        fs::remove_file(&copy).unwrap();
    }
}

/// A file that was replaced by an older copy has fewer rows than the state of the data set, so they are fetched again.
#[tokio::test(start_paused = true)]
async fn rows_of_a_file_that_was_replaced_are_fetched_again() {
    for name in ["data/", "out.parquet", "out.csv"] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let days =
            |days: i64| job(coins(&client(), &["BTC", "ETH"]), END - 60 * DAY, END - 60 * DAY + days * DAY, &path);
        run(&days(20)).await;
        let file = files(dir.path()).into_iter().find(|name| name.ends_with(".parquet")).unwrap();
        let older = fs::read(dir.path().join(&file)).unwrap();
        run(&days(60)).await;
        fs::write(dir.path().join(&file), &older).unwrap();
        assert_eq!(run(&days(60)).await.records, 2 * 40 * 24, "{name}");
        assert_eq!(read(&path).len(), 2 * 60 * 24, "{name}");
        assert_eq!(state_of(&path).await.damaged, [""; 0]);
    }
}

/// Readers of the data set would read the rows of another target in it as rows of the data set.
#[tokio::test(start_paused = true)]
async fn a_path_inside_a_data_set_is_not_a_target() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    run(&job(coins(&client(), &["BTC"]), END - DAY, END, &path)).await;
    let file = state_of(&path).await.series.remove(0).files.remove(0);
    let before = all_files(&path);
    let endpoint = Path::new(&file).parent().unwrap();
    let inner = [endpoint.into(), file.clone().into(), endpoint.join("new.parquet"), endpoint.join("new/new.csv")];
    for inner in inner {
        let target = Target::parse(inner.to_str().unwrap()).unwrap();
        let into = job(coins(&client(), &["ETH"]), END - DAY, END, &inner);
        for error in [
            status(&target).await.map(drop),
            remove(&target, |_| true).await.map(drop),
            into.plan().await.map(drop),
            into.run(|_| {}, std::future::pending()).await.map(drop),
        ] {
            let data = dir.path().join("data");
            let expected = format!("{}: part of the data set {}; name that", inner.display(), data.display());
            assert_eq!(error.unwrap_err().to_string(), expected);
        }
    }
    assert_eq!(all_files(&path), before);
    // The parent folder of a file is no target either.
    for (parent, name) in [("parent", "one.parquet"), ("the second", "two.csv")] {
        let (folder, file) = (dir.path().join(parent), dir.path().join(parent).join(name));
        fs::create_dir(&folder).unwrap();
        run(&job(coins(&client(), &["BTC"]), END - DAY, END, &file)).await;
        let error = status(&Target::Folder(folder)).await.unwrap_err().to_string();
        assert!(error.ends_with(&format!("not a data set; name a file in it, such as {}", quoted(&file))), "{error}");
    }
    // The first run of another endpoint was cancelled, so its folder does not exist yet.
    fs::create_dir_all(path.join(".backfill/orderflow.volume_delta-1h")).unwrap();
    let early = path.join("orderflow.volume_delta/new.csv");
    let error = job(coins(&client(), &["ETH"]), END - DAY, END, &early).plan().await.unwrap_err();
    assert!(error.to_string().contains("part of the data set"), "{error}");
    // Beside the folders of the endpoints, and on a way through one, a file is another target.
    for name in ["data/beside.csv", "data/orderflow.volume_ratio/../../outside.parquet"] {
        assert_eq!(run(&job(coins(&client(), &["BTC"]), END - DAY, END, &dir.path().join(name))).await.records, 24);
    }
}

#[tokio::test(start_paused = true)]
async fn a_text_file_without_its_rows_is_not_replaced_by_a_shorter_range() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.csv");
    let days = |days: i64| job(coins(&client(), &["BTC"]), END - days * DAY, END, &path);
    run(&days(30)).await;
    fs::remove_file(dir.path().join("out.csv.parts/rows.parquet")).unwrap();
    let error = days(7).plan().await.unwrap_err().to_string();
    assert!(error.contains("move the file away and run the backfill again for its whole range"), "{error}");
    assert_eq!(state_of(&path).await.damaged, [error]);
    assert_eq!(read(&path).len(), 30 * 24);
    fs::rename(&path, dir.path().join("away.csv")).unwrap();
    assert_eq!(run(&days(30)).await.records, 30 * 24);
}

#[tokio::test(start_paused = true)]
async fn a_text_file_changed_by_hand_is_damage_and_is_written_again() {
    for name in ["out.csv", "out.jsonl.gz"] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let whole = job(coins(&client(), &["BTC"]), END - 30 * DAY, END - 10 * DAY, &path);
        assert!(!run(&whole).await.is_restored);
        let written = fs::read(&path).unwrap();
        let mut edited = written.clone();
        edited[100] ^= 1;
        for changed in [&written[..1000], &edited] {
            fs::write(&path, changed).unwrap();
            let damaged = state_of(&path).await.damaged;
            assert!(damaged.len() == 1 && damaged[0].contains("changed since a backfill wrote it"), "{damaged:?}");
            assert!(run(&whole).await.is_restored && fs::read(&path).unwrap() == written, "{name}");
            assert_eq!(state_of(&path).await.damaged, [""; 0]);
        }
        // Even a run whose requests all fail writes the original text again, and later changes are still detected.
        let failing = client_of(|_, _, _| (501, String::new())).build().unwrap();
        fs::write(&path, &edited).unwrap();
        assert!(!run(&job(coins(&failing, &["ETH"]), END - 30 * DAY, END, &path)).await.is_complete);
        assert!(fs::read(&path).unwrap() == written, "{name}");
        fs::write(&path, &edited).unwrap();
        assert_eq!(state_of(&path).await.damaged.len(), 1, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_killed_before_the_checksum_of_the_text_is_not_damage() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.csv");
    let whole = job(coins(&client(), &["BTC"]), END - 30 * DAY, END, &path);
    run(&whole).await;
    let written = fs::read(&path).unwrap();
    let state = dir.path().join("out.csv.parts/state.json");
    let text = fs::read_to_string(&state).unwrap();
    let (start, _) = text.split_once(r#""text":""#).unwrap();
    let end = text.split_once(r#","latency""#).unwrap().1;
    let json = format!(r#"{start}"text":null,"latency"{end}"#);
    let json = json.lines().next().unwrap();
    fs::write(&state, format!("{json}\n\"crc32:{:08x}\"\n", crc32fast::hash(json.as_bytes()))).unwrap();
    fs::write(&path, "the old text\n").unwrap();
    let damaged = state_of(&path).await.damaged;
    assert!(damaged.len() == 1 && damaged[0].contains("outdated"), "{damaged:?}");
    assert!(!run(&whole).await.is_restored && fs::read(&path).unwrap() == written);
    fs::write(&path, "another text\n").unwrap();
    assert_eq!(state_of(&path).await.damaged.len(), 1);
}

/// Only the rows of the damaged file are unknown, so the series are listed as the state describes them.
#[tokio::test(start_paused = true)]
async fn status_lists_the_series_of_a_table_with_a_damaged_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let until = |end: i64| job(coins(&client(), &["BTC", "ETH"]), END - 300 * DAY, end, &path);
    run(&until(END)).await;
    run_cancelled(&until(END + DAY)).await;
    let rows = all_files(&path).into_iter().find(|name| name.contains(".rows")).unwrap();
    for file in ["orderflow.volume_ratio/1h-2023.parquet", &rows] {
        let file = path.join(file);
        let intact = fs::read(&file).unwrap();
        fs::write(&file, &intact[..intact.len() - 10]).unwrap();
        let quick = status(&Target::parse(path.to_str().unwrap()).unwrap()).await.unwrap();
        for state in [quick, state_of(&path).await] {
            assert_eq!((state.series.len(), state.damaged.len()), (2, 1), "{state:?}");
            assert!(state.series.iter().all(|series| series.rows == 300 * 24), "{state:?}");
        }
        assert_eq!(until(END).plan().await.unwrap().damaged.len(), 1);
        fs::write(&file, &intact).unwrap();
    }
}

/// File managers and network file systems add hidden files to folders.
#[tokio::test(start_paused = true)]
async fn hidden_files_of_other_programs_are_ignored() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let until = |end: i64| job(coins(&client(), &["BTC"]), END - 30 * DAY, end, &path);
        run(&until(END)).await;
        run_cancelled(&until(END + DAY)).await;
        for folder in ["out.csv.parts", "out.parquet.parts", "data", "data/.backfill", "data/orderflow.volume_ratio"] {
            let folder = dir.path().join(folder);
            if folder.exists() {
                fs::write(folder.join(".DS_Store"), "folder").unwrap();
            }
        }
        assert_eq!(state_of(&path).await.damaged, [""; 0], "{name}");
        assert!(run(&until(END + 2 * DAY)).await.is_complete, "{name}");
        assert_eq!((read(&path).len(), state_of(&path).await.damaged), (32 * 24, Vec::new()), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_parquet_file_of_another_program_is_no_data_set() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("orderflow.volume_ratio")).unwrap();
    for name in ["copy", "1h-2024"] {
        let file = dir.path().join(format!("orderflow.volume_ratio/{name}.parquet"));
        fs::write(&file, "PAR1").unwrap();
        let whole = job(coins(&client(), &["BTC"]), END - DAY, END, dir.path());
        let error = whole.plan().await.unwrap_err().to_string();
        assert!(
            error.contains(&format!("{name}.parquet: no backfill of this version has written it; move it")),
            "{error}"
        );
        fs::remove_file(file).unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_data_file_that_another_program_has_changed_is_damage() {
    let dir = tempfile::tempdir().unwrap();
    let whole = job(coins(&client(), &["BTC"]), END - DAY, END, dir.path());
    run(&whole).await;
    let file = dir.path().join(files(dir.path()).remove(0));
    let rows = ParquetRecordBatchReaderBuilder::try_new(File::open(&file).unwrap()).unwrap().build().unwrap();
    let rows = rows.map(Result::unwrap).next().unwrap();
    let schema = Arc::new(Schema::new(rows.schema().fields().clone()));
    let rows = RecordBatch::try_new(schema.clone(), rows.columns().to_vec()).unwrap();
    let write = |state: Option<&str>| {
        let entry = |state: &str| KeyValue::new("backfill".to_owned(), state.to_owned());
        let properties = WriterProperties::builder().set_key_value_metadata(state.map(|state| vec![entry(state)]));
        let file = File::create(&file).unwrap();
        let mut writer = ArrowWriter::try_new(file, schema.clone(), Some(properties.build())).unwrap();
        writer.write(&rows).unwrap();
        writer.close().unwrap();
    };
    write(Some(r#"{"version":3}"#));
    let error = whole.plan().await.unwrap_err().to_string();
    assert!(error.contains("an older version wrote it") && error.contains("; to rebuild, move it away"), "{error}");
    write(None);
    let state = state_of(dir.path()).await;
    let [damage] = &state.damaged[..] else { panic!("{state:?}") };
    assert!(damage.contains("another program has changed it since the last run"), "{damage}");
    assert_eq!((state.series[0].rows, whole.plan().await.unwrap().damaged), (24, vec![damage.clone()]));
    assert_eq!((run(&whole).await.records, state_of(dir.path()).await.damaged), (24, Vec::new()));
}
