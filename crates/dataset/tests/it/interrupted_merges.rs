//! Tests of merges that were stopped after they had written the earlier values of rows, and before they wrote the rows.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use dataset::{Backfill, StoredTables};
use runtime::Timestamp;
use runtime::registry::EndpointInfo;

use crate::stored_rows::{Records, draw, record, series, sorted_rows_of};
use crate::support::dice::Dice;
use crate::support::service::{STRIKES, TRADES};
use crate::support::{HOUR, TARGETS, all_files, job, run, run_cancelled_after, target_of};

/// The end of the range: 2024-01-01T06:00:00Z. A data set has a file of each year.
const END: i64 = 1_704_088_800;

/// Number of runs of a drawn case.
const RUNS: i64 = 7;

/// The content of each file below a folder.
type Contents = BTreeMap<String, Vec<u8>>;

fn contents(folder: &Path) -> Contents {
    let mut contents = Contents::new();
    for name in all_files(folder) {
        let content = std::fs::read(folder.join(&name)).unwrap();
        contents.insert(name, content);
    }
    contents
}

/// Restores what a run has found, except the earlier values and the first data files, which it wrote before it was
/// stopped.
fn stop_merge(folder: &Path, before: &Contents, written: usize) {
    let mut data_files = 0;
    for name in all_files(folder) {
        let is_written = if name.ends_with(".parquet") {
            data_files += 1;
            data_files <= written
        } else {
            name.ends_with("revisions.gz")
        };
        if is_written {
            continue;
        }
        match before.get(&name) {
            Some(content) => std::fs::write(folder.join(&name), content).unwrap(),
            None => std::fs::remove_file(folder.join(&name)).unwrap(),
        }
    }
    for (name, content) in before {
        if !folder.join(name).exists() {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
    }
}

/// A target, the records of its service, and what readers saw after each run.
struct Case {
    endpoint: &'static EndpointInfo,
    name: &'static str,
    seed: u64,
    dice: Dice,
    folder: tempfile::TempDir,
    records: Records,
    visible: Vec<(Timestamp, Vec<String>)>,
}

impl Case {
    fn new(endpoint: &'static EndpointInfo, name: &'static str, seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { endpoint, name, seed, dice: Dice(seed), folder, records: Records::default(), visible: Vec::new() }
    }

    fn job(&self, fetched: Timestamp) -> Backfill {
        let path = self.folder.path().join(self.name);
        let mut job = job(vec![series(self.endpoint, &self.records)], END - 20 * HOUR, END, &path);
        job.service_time = Some(fetched);
        job.refetch = Duration::from_secs(90 * 86_400);
        job
    }

    async fn tables(&self) -> StoredTables {
        let path = self.folder.path().join(self.name);
        StoredTables::open(&target_of(&path)).await.unwrap()
    }

    /// Runs a job that fetches what the service has now, and stops the merge of some runs.
    async fn run(&mut self, run_number: i64) {
        let fetched = Timestamp::from_unix_seconds(END + run_number * HOUR);
        let job = self.job(fetched);
        *self.records.lock().unwrap() = draw(&mut self.dice, END);
        if self.dice.once_in(4) {
            // The next run continues from the journal.
            run_cancelled_after(&job, 1).await;
            if self.dice.once_in(2) {
                return;
            }
            *self.records.lock().unwrap() = draw(&mut self.dice, END);
        }
        let before = contents(self.folder.path());
        run(&job).await;
        if self.dice.once_in(2) {
            // Without a journal and a state, nobody would know the data file of a first run.
            let written = if before.is_empty() { 0 } else { usize::try_from(self.dice.below(2)).unwrap() };
            stop_merge(self.folder.path(), &before, written);
            return;
        }
        let rows = sorted_rows_of(&self.tables().await, fetched).await;
        self.visible.push((fetched, rows));
    }

    /// Compares the rows as of the time of each run with those that readers saw after it.
    async fn check(&self) {
        let tables = self.tables().await;
        for (fetched, expected) in &self.visible {
            let found = sorted_rows_of(&tables, *fetched).await;
            let missing: Vec<_> = expected.iter().filter(|row| !found.contains(row)).collect();
            let unexpected: Vec<_> = found.iter().filter(|row| !expected.contains(row)).collect();
            let Self { endpoint, name, seed, .. } = self;
            let context = format!("{} {name} seed {seed} as of {fetched}: {missing:?} {unexpected:?}", endpoint.name);
            assert!(found == *expected, "{context}, {} and {} rows", found.len(), expected.len());
        }
    }
}

/// Whatever a stopped merge had to replace, the rows as of the time of a run are those that readers saw after that run.
#[tokio::test(start_paused = true)]
async fn rows_as_of_a_time_are_the_same_after_a_stopped_merge() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let first: u64 = number("STOPPED_MERGE_SEED").unwrap_or(0);
    let cases = number("STOPPED_MERGE_CASES").unwrap_or(3);
    let mut compared = 0;
    for endpoint in [&STRIKES, &TRADES] {
        for name in TARGETS {
            for seed in first..first + cases {
                let mut case = Case::new(endpoint, name, seed);
                for run_number in 0..RUNS {
                    case.run(run_number).await;
                    case.check().await;
                }
                compared += case.visible.len();
            }
        }
    }
    assert!(compared > 0);
}

/// Values that a stopped merge did not replace are not among the earlier values.
#[tokio::test(start_paused = true)]
async fn a_stopped_merge_has_no_earlier_values() {
    for name in TARGETS {
        let case = Case::new(&STRIKES, name, 0);
        let revisions = async || {
            let tables = case.tables().await;
            tables.rows(None, None).unwrap().revisions(|_| true).await.unwrap().len()
        };
        let at = |hour: i64| Timestamp::from_unix_seconds(END + hour * HOUR);
        *case.records.lock().unwrap() = vec![record(END - HOUR, "a", 1)];
        run(&case.job(at(0))).await;
        let before = contents(case.folder.path());
        *case.records.lock().unwrap() = vec![record(END - HOUR, "a", 2)];
        run(&case.job(at(1))).await;
        assert_eq!(revisions().await, 1, "{name}");
        stop_merge(case.folder.path(), &before, 0);
        assert_eq!(revisions().await, 0, "{name}");
        run(&case.job(at(2))).await;
        assert_eq!(revisions().await, 1, "{name}");
    }
}

/// The earlier values that are readable in a damaged file are written again as they were: two equal records are two.
#[tokio::test(start_paused = true)]
async fn equal_earlier_rows_are_two_after_a_repair() {
    let mut case = Case::new(&TRADES, "out.parquet", 0);
    let first = Timestamp::from_unix_seconds(END);
    *case.records.lock().unwrap() = vec![record(END - HOUR, "a", 1), record(END - HOUR, "a", 1)];
    run(&case.job(first)).await;
    case.visible.push((first, sorted_rows_of(&case.tables().await, first).await));
    for (hour, value) in [(1, 2), (2, 3)] {
        *case.records.lock().unwrap() = vec![record(END - HOUR, "a", value)];
        run(&case.job(Timestamp::from_unix_seconds(END + hour * HOUR))).await;
    }
    let file = case.folder.path().join("out.parquet.parts/revisions.gz");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes.truncate(bytes.len() - 8);
    std::fs::write(&file, bytes).unwrap();
    let target = target_of(&case.folder.path().join(case.name));
    assert_eq!(dataset::repair(&target).await.unwrap().repairs.len(), 1);
    case.check().await;
}
