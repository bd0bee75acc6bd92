//! Two jobs on one target at once: one of them works, and the other is told so before it asks for anything.

use std::path::Path;

use crate::support::{DAY, END, HOUR, data_set, hours, job, run};
use generated_client::transport::{Headers, HttpRequest, HttpResponse, from_fn};
use generated_client::{Client, RateLimit};
use tables::{Backfill, Error, Shard};

const RATIO: &str = "orderflow.volume_ratio";

/// A service that answers at once, or never.
fn service(answers: bool) -> Client {
    let transport = from_fn(move |request: HttpRequest| {
        let param = |name: &str| request.url.split(name).nth(1)?.split('&').next()?.parse::<i64>().ok();
        let (from, to) = (param("startTime=").unwrap(), param("endTime=").unwrap());
        let times = ((from + HOUR) / HOUR * HOUR..=to).step_by(3600);
        let records: Vec<_> = times.map(|time| format!(r#"{{"openDate":{time},"volumeRatio":0.5}}"#)).collect();
        let body = format!(r#"{{"data":[{}],"metadata":{{}}}}"#, records.join(","));
        async move {
            if !answers {
                std::future::pending::<()>().await;
            }
            Ok(HttpResponse::new(200, Headers::new(), body))
        }
    });
    let builder = Client::builder("https://example.invalid/v2").api_key("any").transport(transport);
    builder.rate_limit(RateLimit::none()).build().unwrap()
}

/// Runs a job, and another one while the first waits for its first reply; what comes of the second.
async fn beside(
    first: impl FnOnce(&Client) -> Backfill,
    second: impl FnOnce(&Client) -> Backfill,
) -> Result<(), Error> {
    let (first, second) = (first(&service(false)), second(&service(true)));
    let (begun, begins) = tokio::sync::oneshot::channel();
    let (enough, ends) = tokio::sync::oneshot::channel::<()>();
    // Whether it is cancelled is asked only once its series are claimed.
    let cancel = async {
        begun.send(()).unwrap();
        drop(ends.await);
    };
    let (first, came) = tokio::join!(first.run(|_| {}, cancel), async {
        begins.await.unwrap();
        let came = second.run(|_| {}, std::future::pending()).await;
        drop(enough);
        came
    });
    assert!(first.unwrap().is_cancelled);
    came.map(|summary| assert!(summary.is_complete))
}

fn ratio(client: &Client, coins: &[&str], target: &Path) -> Backfill {
    let series = coins.iter().map(|coin| hours(client, RATIO, coin)).collect();
    job(series, END - 100 * DAY, END, target)
}

#[tokio::test]
async fn a_second_job_on_the_same_series_is_refused() {
    for name in ["out.csv", "out.parquet", "data/"] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let both = |client: &Client| ratio(client, &["BTC", "ETH"], &path);
        let refused = beside(both, |client| ratio(client, &["ETH"], &path)).await.unwrap_err();
        assert!(matches!(refused, Error::InUse { .. }), "{refused:?}");
        let said = refused.to_string();
        let expected = format!(
            "{}: another backfill is writing these series there: process {}",
            path.display(),
            std::process::id()
        );
        assert!(said.starts_with(&expected) && said.contains(", since 20"), "{said}");
        // Now that the first has ended, it may.
        assert_eq!(run(&both(&service(true))).await.records, 2 * 2400);
        let lock = format!(".{name}.backfill.lock");
        let stays = if name == "data/" { vec![".backfill.lock", ".origin"] } else { vec![lock.as_str()] };
        assert_eq!(hidden(dir.path(), &path), stays);
    }
}

/// The names of hidden files.
fn hidden(dir: &Path, target: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for folder in [dir, target].into_iter().filter(|folder| folder.is_dir()) {
        let entries = std::fs::read_dir(folder).unwrap();
        names.extend(entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()));
    }
    names.retain(|name| name.starts_with('.'));
    names.sort();
    names
}

#[tokio::test]
async fn jobs_that_write_other_files_work_side_by_side() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data/");
    beside(|client| ratio(client, &["BTC"], &data), |client| ratio(client, &["ETH"], &data)).await.unwrap();
    let part = |index: u32, of: u32| {
        let data = data.clone();
        // Long enough for every shard to have something to do.
        move |client: &Client| {
            let series = vec![hours(client, RATIO, "SOL")];
            job(series, END - 900 * DAY, END, &data).shard(Shard::new(index, of).unwrap())
        }
    };
    let refused = [(part(1, 2), part(1, 2)), (part(1, 2), part(2, 3)), (part(1, 2), part(1, 1))];
    for (first, second) in refused {
        assert!(matches!(beside(first, second).await, Err(Error::InUse { .. })));
    }
    beside(part(2, 2), part(1, 2)).await.unwrap();
    // The first jobs had no reply.
    let written = data_set(&data).len();
    assert!(written > 2400 && written < 2400 + 900 * 24, "{written}");
}

/// What a job has left that was killed: the system has unlocked its claim.
#[tokio::test]
async fn what_a_killed_job_left_is_in_nobodys_way_and_goes() {
    for name in ["out.parquet", "data/"] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let hidden_name = if name == "data/" { "data/.backfill" } else { ".out.parquet.backfill" };
        let left = dir.path().join(format!("{hidden_name}-1-01795339000000000000-0"));
        std::fs::create_dir_all(&left).unwrap();
        let claim = r#"{"process":1,"shard":"1/1","sole":true,"series":[]}"#;
        std::fs::write(left.join("claim"), claim).unwrap();
        std::fs::write(left.join("unfinished"), "PAR1 half of a file").unwrap();
        let job = ratio(&service(true), &["BTC"], &path);
        assert_eq!(job.plan().await.unwrap().records(), 2400);
        assert!(left.exists(), "whoever only looks changes nothing");
        assert_eq!(run(&job).await.records, 2400);
        assert!(!left.exists());
    }
}
