//! Rows of two origins never get into one file or data set.

use std::fs;

use crate::support::{DAY, END, client, data_set, hours, job, run, sandbox};

const RATIO: &str = "orderflow.volume_ratio";

#[tokio::test]
async fn a_target_takes_rows_of_one_origin() {
    let (sandbox, dir) = (sandbox(|builder| builder).await, tempfile::tempdir().unwrap());
    let client = client(&sandbox);
    for name in ["out.csv", "out.parquet", "data/"] {
        let path = dir.path().join(name);
        let days = |days: i64| job(vec![hours(&client, RATIO, "BTC")], END - days * DAY, END, &path);
        assert!(run(&days(2).origin("lab")).await.is_complete);
        let asked = sandbox.counts().requests;
        let (planned, refused) =
            (days(3).plan().await.unwrap_err(), days(3).run(|_| {}, std::future::pending()).await.unwrap_err());
        assert_eq!(planned.to_string(), refused.to_string());
        let said = "the rows there come from `lab`, and those of this job from `service`; name another file or folder";
        assert!(refused.to_string().ends_with(said), "{refused}");
        assert_eq!(sandbox.counts().requests, asked);
        let again = run(&days(3).origin("lab")).await;
        assert_eq!((again.is_complete, again.records), (true, 24), "{name}");
    }
}

/// Rows beside which no origin stands were written by a job that named none.
#[tokio::test]
async fn rows_of_an_earlier_version_are_of_the_service() {
    let (sandbox, dir) = (sandbox(|builder| builder).await, tempfile::tempdir().unwrap());
    let client = client(&sandbox);
    let data = dir.path().join("data");
    let days = |days: i64| job(vec![hours(&client, RATIO, "BTC")], END - days * DAY, END, &data);
    run(&days(2)).await;
    fs::remove_file(data.join(".origin")).unwrap();
    let refused = days(3).origin("lab").plan().await.unwrap_err().to_string();
    assert!(refused.contains("come from `service`, and those of this job from `lab`"), "{refused}");
    assert_eq!(run(&days(3)).await.records, 24);
    assert_eq!(data_set(&data).len(), 72);
}

/// Files of the user's are no rows.
#[tokio::test]
async fn a_folder_with_other_files_has_no_origin() {
    let (sandbox, dir) = (sandbox(|builder| builder).await, tempfile::tempdir().unwrap());
    fs::write(dir.path().join("README.md"), "mine").unwrap();
    let whole = job(vec![hours(&client(&sandbox), RATIO, "BTC")], END - DAY, END, dir.path());
    assert!(run(&whole.clone().origin("lab")).await.is_complete);
    assert!(whole.plan().await.is_err());
}

/// What a run that was ended has left beside a file counts like the file.
#[tokio::test]
async fn parts_that_no_file_was_made_of_have_an_origin() {
    let (sandbox, dir) = (sandbox(|builder| builder).await, tempfile::tempdir().unwrap());
    let client = client(&sandbox);
    let path = dir.path().join("out.parquet");
    let days = || job(vec![hours(&client, RATIO, "BTC")], END - 200 * DAY, END, &path);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let mut stop = Some(stop);
    let watch = |_: &tables::Event| drop(stop.take());
    let summary = days().origin("lab").run(watch, async { drop(stopped.await) }).await.unwrap();
    assert!(summary.is_cancelled && !path.exists());
    let refused = days().plan().await.unwrap_err().to_string();
    assert!(refused.contains("out.parquet.parts: the rows there come from `lab`"), "{refused}");
}
