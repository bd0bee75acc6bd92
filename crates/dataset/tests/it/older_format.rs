//! Tests of targets that a program of format 5 has written, with columns of its own catalogue.
//!
//! Each has the rows of the client of these tests, of two coins and three days.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::support::{DAY, END, HOUR, TARGETS, all_files, body, client_of, coins, job, read, run, state_of};

/// The end of the rows: 2024-06-12T00:00:00Z.
const WRITTEN: i64 = END - 3 * DAY;

fn copied(dir: &Path) {
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/format5");
    for name in all_files(&source) {
        let target = dir.join(&name);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(source.join(&name), target).unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_target_of_format_5_continues_without_fetching_again() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        copied(dir.path());
        let path = dir.path().join(name);
        let before = state_of(&path).await;
        assert_eq!(before.damaged, [""; 0], "{name}");
        assert_eq!(before.series.iter().map(|series| series.rows).collect::<Vec<_>>(), [72, 72], "{name}");
        let old = read(&path);
        let earliest = Arc::new(AtomicI64::new(i64::MAX));
        let shared = earliest.clone();
        let client = client_of(move |_, from, to| {
            shared.fetch_min(from, Ordering::Relaxed);
            (200, body(from, to, |time| Some(format!("0.{}", time / HOUR % 1000 + 1))))
        });
        // The range after the refetch time is nearly a full page, so the page begins with few earlier records.
        let end = WRITTEN - DAY + 997 * HOUR;
        let whole = job(coins(&client.build().unwrap(), &["BTC", "ETH"]), WRITTEN - 3 * DAY, end, &path);
        let summary = run(&whole).await;
        assert!(summary.is_complete && summary.records == 2 * (997 - 24), "{name}: {summary:?}");
        assert!(summary.series.iter().all(|series| series.revised == 0), "{name}: {summary:?}");
        assert!(earliest.load(Ordering::Relaxed) >= WRITTEN - DAY - 3 * HOUR, "{name}: settled rows were requested");
        let new = read(&path);
        assert_eq!(new.len(), 2 * (72 + 997 - 24), "{name}");
        for row in &old {
            assert!(new.contains(row), "{name}: an old row has no time at which it was fetched: {row:?}");
        }
        assert_eq!(new.iter().filter(|row| row.contains_key("fetched_at")).count(), 2 * (997 - 24), "{name}");
        assert_eq!(state_of(&path).await.damaged, [""; 0], "{name}");
    }
}
