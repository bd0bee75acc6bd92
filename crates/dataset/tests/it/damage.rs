//! Tests of files whose bytes are damaged.

use std::fs::{self};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dataset::status;

use crate::support::service::RATIO;
use crate::support::{
    DAY, END, TARGETS, all_files, client, client_of, coins, data_of, files, job, read, run, run_cancelled, state_of,
    target_of,
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
        let target = target_of(&path);
        // Each series has so many rows that it has a row group of its own.
        let requests = Arc::new(AtomicU64::new(0));
        let minutes = |coin: &str| {
            let requests = requests.clone();
            let client = client_of(move |_, from, to| {
                requests.fetch_add(1, Ordering::Relaxed);
                let times = ((from + 60) / 60 * 60..=to).step_by(60);
                let records: Vec<_> = times.map(|time| format!(r#"{{"openDate":{time},"volumeRatio":0.5}}"#)).collect();
                (200, data_of(&records))
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

/// The footer lists which rows are those of which series, and where their bytes are.
#[tokio::test(start_paused = true)]
async fn no_changed_byte_of_a_footer_repeats_or_hides_a_row() {
    for name in ["out.parquet", "data/"] {
        let mut at = 0;
        loop {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join(name);
            let whole = job(coins(&client(), &["BTC", "ETH"]), END - 3 * DAY, END, &path);
            run(&whole).await;
            let file = files(dir.path()).into_iter().find(|name| name.ends_with(".parquet")).unwrap();
            let mut bytes = fs::read(dir.path().join(&file)).unwrap();
            let end = bytes.len() - 8;
            let length: [u8; 4] = bytes[end..end + 4].try_into().unwrap();
            let start = end - usize::try_from(u32::from_le_bytes(length)).unwrap();
            at = next_byte(&bytes, at.max(start));
            let Some(byte) = bytes.get_mut(at) else { break };
            *byte ^= 4;
            fs::write(dir.path().join(&file), &bytes).unwrap();
            let repaired = dataset::repair(&target_of(&path)).await.unwrap();
            assert_eq!((repaired.repairs.len(), repaired.failed.len()), (1, 0), "{name} {at}: {repaired:?}");
            run(&whole).await;
            assert_eq!(read(&path).len(), 2 * 3 * 24, "{name} {at}");
            let state = state_of(&path).await;
            assert_eq!((state.damaged.len(), state.series.len()), (0, 2), "{name} {at}: {state:?}");
            at += 1;
        }
    }
}

/// The next byte to change: the first of the name of each coin, and every 101st of the others.
fn next_byte(bytes: &[u8], from: usize) -> usize {
    let is_of_name = |at: &usize| bytes[..*at].ends_with(b"coin=");
    (from..bytes.len()).find(|at| at % 101 == 0 || is_of_name(at)).unwrap_or(bytes.len())
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
        let quick = status(&target_of(&path)).await.unwrap();
        for state in [quick, state_of(&path).await] {
            assert_eq!((state.series.len(), state.damaged.len()), (2, 1), "{state:?}");
            assert!(state.series.iter().all(|series| series.rows == 300 * 24), "{state:?}");
        }
        assert_eq!(until(END).plan().await.unwrap().damaged.len(), 1);
        fs::write(&file, &intact).unwrap();
    }
}
