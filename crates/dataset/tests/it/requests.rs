//! The number of requests of a run is that of its plan, also if a run divides its ranges among files.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dataset::{Backfill, Partition};

use crate::support::{DAY, END, body, client_of, coins, files, job, read, run, with};

/// A job for a data set with a file for each day, whose journal is merged after a few files.
fn daily_files(job: Backfill) -> Backfill {
    with(job, |job| {
        job.partition = Some(Partition::Day);
        job.journal_files = 1;
    })
}

#[tokio::test(start_paused = true)]
async fn a_page_is_requested_once_although_its_records_belong_to_many_files() {
    let sent = Arc::new(AtomicU64::new(0));
    let count = sent.clone();
    let client = client_of(move |_, from, to| {
        count.fetch_add(1, Ordering::Relaxed);
        (200, body(from, to, |_| Some("0.5".to_owned())))
    });
    let (client, dir) = (client.build().unwrap(), tempfile::tempdir().unwrap());
    let names: Vec<String> = (0..100).map(|index| format!("C{index:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let all = daily_files(job(coins(&client, &names), END - 32 * DAY, END, dir.path()));
    let plan = all.plan().await.unwrap();
    assert_eq!(plan.requests(), 100);
    let summary = run(&all).await;
    assert_eq!((summary.records, summary.requests), (100 * 32 * 24, 100));
    assert_eq!(sent.load(Ordering::Relaxed), 100);
    assert_eq!(files(dir.path()).len(), 32);
}

#[tokio::test(start_paused = true)]
async fn pages_of_a_long_range_are_full_and_every_record_arrives() {
    let client = client_of(|_, from, to| (200, body(from, to, |time| Some(format!("{}", time / 3600)))));
    let (client, dir) = (client.build().unwrap(), tempfile::tempdir().unwrap());
    let names: Vec<String> = (0..20).map(|index| format!("C{index:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let days = 130;
    let all = daily_files(job(coins(&client, &names), END - days * DAY, END, dir.path()));
    let plan = all.plan().await.unwrap();
    let summary = run(&all).await;
    assert_eq!((plan.requests(), summary.requests), (20 * 4, 20 * 4));
    let mut rows: BTreeMap<String, i64> = BTreeMap::new();
    for row in read(dir.path()) {
        *rows.entry(row["coin"].clone()).or_default() += 1;
    }
    assert_eq!(rows.len(), names.len());
    assert!(rows.values().all(|count| *count == days * 24), "{rows:?}");
}
