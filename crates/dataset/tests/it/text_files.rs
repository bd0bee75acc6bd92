//! Tests of text files that are missing, changed by hand or unfinished.

use std::fs;
use std::path::Path;

use dataset::StoredTables;

use crate::support::{DAY, END, client, client_of, coins, job, read, run, state_of, target_of};

#[tokio::test(start_paused = true)]
async fn a_text_file_without_its_rows_is_not_replaced_by_a_shorter_range() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.csv");
    let days = |days: i64| job(coins(&client(), &["BTC"]), END - days * DAY, END, &path);
    run(&days(30)).await;
    fs::remove_file(dir.path().join("out.csv.parts/rows.parquet")).unwrap();
    let error = days(7).plan().await.unwrap_err().to_string();
    assert!(error.contains("move the file away and run the backfill again for its whole range"), "{error}");
    assert_eq!(state_of(&path).await.damaged, std::slice::from_ref(&error));
    assert_eq!(left_out(&path).await, [error]);
    assert_eq!(read(&path).len(), 30 * 24);
    fs::rename(&path, dir.path().join("away.csv")).unwrap();
    assert_eq!(run(&days(30)).await.records, 30 * 24);
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_renamed_with_its_folder_continues() {
    for extension in ["parquet", "csv"] {
        let dir = tempfile::tempdir().unwrap();
        let [path, renamed] = ["old", "new"].map(|name| dir.path().join(format!("{name}.{extension}")));
        run(&job(coins(&client(), &["BTC"]), END - 30 * DAY, END, &path)).await;
        fs::rename(&path, &renamed).unwrap();
        let parts = |path: &Path| format!("{}.parts", path.display());
        fs::rename(parts(&path), parts(&renamed)).unwrap();
        assert_eq!(state_of(&renamed).await.damaged, [""; 0], "{extension}");
        let later = run(&job(coins(&client(), &["BTC"]), END - DAY, END + DAY, &renamed)).await;
        assert!(later.is_complete && later.repairs.is_empty() && later.lost_rows.is_empty(), "{later:?}");
        assert_eq!(read(&renamed).len(), 31 * 24, "{extension}");
    }
}

/// What a reader of the rows is told about rows that it does not get.
async fn left_out(path: &Path) -> Vec<String> {
    let tables = StoredTables::open(&target_of(path)).await.unwrap();
    tables.rows(None, None).unwrap().read(|_| true, |_, _| Ok::<(), dataset::Error>(())).await.unwrap()
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
            let restored = run(&whole).await;
            assert!(!restored.is_restored && fs::read(&path).unwrap() == written, "{name}");
            assert!(fs::read(kept_edit(&restored.repairs)).unwrap() == *changed, "{restored:?}");
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
    forget_text(&dir.path().join("out.csv.parts/state.json"));
    fs::write(&path, "the old text\n").unwrap();
    let damaged = state_of(&path).await.damaged;
    assert!(damaged.len() == 1 && damaged[0].contains("outdated"), "{damaged:?}");
    assert!(!run(&whole).await.is_restored && fs::read(&path).unwrap() == written);
    fs::write(&path, "another text\n").unwrap();
    assert_eq!(state_of(&path).await.damaged.len(), 1);
}

/// Removes the checksum of the text from a state, as if a run had been killed while it wrote the text.
fn forget_text(state: &Path) {
    let text = fs::read_to_string(state).unwrap();
    let (start, _) = text.split_once(r#""text":""#).unwrap();
    let end = text.split_once(r#","latency""#).unwrap().1;
    let json = format!(r#"{start}"text":null,"latency"{end}"#);
    let json = json.lines().next().unwrap();
    fs::write(state, format!("{json}\n\"crc32:{:08x}\"\n", crc32fast::hash(json.as_bytes()))).unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_removal_keeps_a_text_file_that_was_changed_by_hand() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.csv");
    run(&job(coins(&client(), &["BTC", "ETH"]), END - DAY, END, &path)).await;
    fs::write(&path, "an edited text\n").unwrap();
    let removed = dataset::remove(&target_of(&path), |series| series.contains("ETH")).await.unwrap();
    assert_eq!(fs::read_to_string(kept_edit(&removed.repairs)).unwrap(), "an edited text\n");
    assert_eq!(read(&path).len(), 24);
}

#[tokio::test(start_paused = true)]
async fn a_repair_and_a_compaction_name_the_text_file_that_was_changed_by_hand() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.csv");
    let whole = job(coins(&client(), &["BTC"]), END - DAY, END, &path);
    run(&whole).await;
    fs::write(&path, "edited before a repair\n").unwrap();
    let repaired = dataset::repair(&target_of(&path)).await.unwrap();
    assert_eq!(fs::read_to_string(kept_edit(&repaired.repairs)).unwrap(), "edited before a repair\n");
    fs::write(&path, "edited before a compaction\n").unwrap();
    let repairs = whole.compact().await.unwrap();
    assert_eq!(fs::read_to_string(kept_edit(&repairs)).unwrap(), "edited before a compaction\n");
    assert!(whole.compact().await.unwrap().is_empty());
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn a_link_to_a_text_file_that_was_changed_by_hand_stays() {
    let dir = tempfile::tempdir().unwrap();
    let (path, linked) = (dir.path().join("out.csv"), dir.path().join("linked.csv"));
    std::os::unix::fs::symlink(&linked, &path).unwrap();
    let whole = job(coins(&client(), &["BTC"]), END - DAY, END, &path);
    run(&whole).await;
    let written = fs::read(&linked).unwrap();
    fs::write(&linked, "an edited text\n").unwrap();
    let restored = run(&whole).await;
    assert_eq!(fs::read_to_string(kept_edit(&restored.repairs)).unwrap(), "an edited text\n");
    assert!(path.is_symlink() && fs::read(&linked).unwrap() == written);
}

/// The name of the file to which an edited text was moved, by the only message.
fn kept_edit(repairs: &[String]) -> &str {
    let [repair] = repairs else { panic!("{repairs:?}") };
    repair.split_once("moved to ").unwrap().1
}

/// A second call finishes one that was killed, also if no series is left to retire.
#[tokio::test(start_paused = true)]
async fn an_outdated_text_is_written_when_its_series_are_retired_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.csv");
    run(&job(coins(&client(), &["BTC"]), END - 30 * DAY, END, &path)).await;
    let written = fs::read(&path).unwrap();
    let target = target_of(&path);
    dataset::retire(&target, |_| true, true).await.unwrap();
    forget_text(&dir.path().join("out.csv.parts/state.json"));
    fs::write(&path, "the old text\n").unwrap();
    let again = dataset::retire(&target, |_| true, true).await.unwrap();
    assert!(again.series.is_empty() && again.failed.is_empty() && again.is_restored, "{again:?}");
    assert_eq!(state_of(&path).await.damaged, [""; 0]);
    assert!(fs::read(&path).unwrap() == written);
    assert!(!dataset::retire(&target, |_| true, true).await.unwrap().is_restored);
}
