//! Tests of runs that write the same target at the same time.

use std::fs;

use dataset::Error;
use runtime::registry::EndpointInfo;

use crate::support::service::{self, Client};
use crate::support::{DAY, END, TARGETS, client, client_of, coins, hours, job, run, state_of, with};

#[tokio::test]
async fn concurrent_run_is_rejected_if_it_writes_the_same_files() {
    let dir = tempfile::tempdir().unwrap();
    let slow = runtime::transport::from_fn(|_| std::future::pending());
    let slow = Client::builder("https://example.invalid/v2").api_key("any").transport(slow).build().unwrap();
    for name in TARGETS {
        let path = dir.path().join(name);
        let first = job(coins(&slow, &["BTC"]), END - DAY, END, &path);
        let (begun, begins) = tokio::sync::oneshot::channel();
        let (enough, ends) = tokio::sync::oneshot::channel::<()>();
        let cancel = async {
            begun.send(()).unwrap();
            drop(ends.await);
        };
        let (first, ()) = tokio::join!(first.run(|_| {}, cancel), async {
            begins.await.unwrap();
            let same = job(coins(&client(), &["BTC"]), END - DAY, END, &path);
            let error = same.run(|_| {}, std::future::pending()).await.unwrap_err();
            assert!(matches!(error, Error::InUse { .. }), "{error}");
            // In a data set, another endpoint has other files.
            let other = job(vec![hours(&client(), &service::DELTA, "BTC")], END - DAY, END, &path);
            let other = with(other, |job| job.allow_empty = true);
            let other = other.run(|_| {}, std::future::pending()).await;
            assert_eq!(other.is_ok_and(|summary| summary.is_complete), name == "data/");
            drop(enough);
        });
        assert!(first.unwrap().is_cancelled);
    }
    let hidden = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(hidden.filter(|name| name.starts_with('.')).collect::<Vec<_>>(), [""; 0]);
}

/// A data set has one hidden file for all series, and the first run of each endpoint changes that file.
#[test]
fn concurrent_runs_of_different_endpoints_share_a_data_set() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let endpoints: Vec<&'static EndpointInfo> = (0..12)
        .map(|index| -> &'static EndpointInfo {
            let name: &'static str = Box::leak(format!("ratio_{index}").into_boxed_str());
            Box::leak(Box::new(EndpointInfo { ident: name, ..service::RATIO }))
        })
        .collect();
    for _ in 0..3 {
        std::thread::scope(|scope| {
            for endpoint in &endpoints {
                scope.spawn(|| {
                    let whole = job(vec![hours(&client(), endpoint, "BTC")], END - DAY, END, &path);
                    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                    assert!(runtime.block_on(run(&whole)).is_complete);
                });
            }
        });
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let state = runtime.block_on(state_of(&path));
    assert_eq!((state.series.len(), state.damaged), (12, Vec::new()));
}

#[tokio::test(start_paused = true)]
async fn a_data_set_keeps_the_source_of_its_first_run() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let failing = client_of(|_, _, _| (501, String::new())).build().unwrap();
        assert!(!run(&job(coins(&failing, &["BTC"]), END - DAY, END, &path)).await.is_complete);
        let other = job(coins(&client(), &["ETH"]), END - DAY, END, &path);
        let other = with(other, |job| job.source_label = "other".to_owned());
        // Two runs are allowed to write the same data set at the same time, but not the same single file.
        match other.run(|_| {}, std::future::pending()).await {
            Ok(summary) => assert!(name != "data/" && summary.is_complete, "{name}"),
            Err(error) => assert!(name == "data/" && error.to_string().contains("`service`"), "{error}"),
        }
    }
}
