//! The interval that is not over: its record is there while it is open, and the final one takes its place.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{DAY, HOUR, data_set, files, hours, job, rows, run};
use generated_client::transport::{Headers, HttpRequest, HttpResponse, from_fn};
use generated_client::{Client, RateLimit};
use tables::Backfill;

const RATIO: &str = "orderflow.volume_ratio";

const TARGETS: [&str; 3] = ["out.csv", "out.parquet", "data/"];

/// A service that answers every hour with one value.
fn service(value: f64) -> Client {
    let transport = from_fn(move |request: HttpRequest| {
        let param = |name: &str| request.url.split(name).nth(1)?.split('&').next()?.parse::<i64>().ok();
        let (from, to) = (param("startTime=").unwrap(), param("endTime=").unwrap());
        let to = to.min(runtime::Timestamp::now().unix_seconds());
        let times = ((from + HOUR) / HOUR * HOUR..=to).step_by(3600);
        let records: Vec<_> = times.map(|time| format!(r#"{{"openDate":{time},"volumeRatio":{value}}}"#)).collect();
        let body = format!(r#"{{"data":[{}],"metadata":{{}}}}"#, records.join(","));
        async move { Ok(HttpResponse::new(200, Headers::new(), body)) }
    });
    let builder = Client::builder("https://example.invalid/v2").api_key("any").transport(transport);
    builder.rate_limit(RateLimit::none()).build().unwrap()
}

fn ratio(value: f64, from: i64, to: i64, target: &Path) -> Backfill {
    job(vec![hours(&service(value), RATIO, "BTC")], from, to, target)
}

/// Time and value of every row, in order.
fn read(target: &Path) -> Vec<(String, String)> {
    let lines = match target.extension().and_then(|ending| ending.to_str()) {
        Some("csv") => fs::read_to_string(target).unwrap().lines().skip(1).map(str::to_owned).collect(),
        Some(_) => rows(&[target.to_owned()]),
        None => data_set(target),
    };
    let cell = |line: &str, index: usize| line.split(',').nth(index).unwrap().to_owned();
    lines.iter().map(|line| (cell(line, 0), cell(line, 1))).collect()
}

fn this_hour() -> i64 {
    runtime::Timestamp::now().unix_seconds() / HOUR * HOUR
}

/// Does it again if the hour ended meanwhile.
async fn within_an_hour<F: Future<Output = ()> + Send + 'static>(test: impl Fn() -> F) {
    loop {
        let hour = this_hour();
        match tokio::spawn(test()).await {
            Err(_) if this_hour() != hour => {}
            Err(failed) => std::panic::resume_unwind(failed.into_panic()),
            Ok(()) => return,
        }
    }
}

#[tokio::test]
async fn an_open_interval_is_asked_for_anew_each_time() {
    within_an_hour(|| async {
        for name in TARGETS {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join(name);
            let from = this_hour() - 2 * DAY;
            let soon = from + 3 * DAY;
            assert_eq!(ratio(0.5, from, soon, &path).plan().await.unwrap().series[0].open, None);
            for value in [0.25, 0.5] {
                let job = ratio(value, from, soon, &path).with_open_interval();
                let open = job.plan().await.unwrap().series[0].open.clone().unwrap();
                let summary = run(&job).await;
                assert!(summary.is_complete && summary.gaps == 0 && summary.records > 0, "{summary:?}");
                let read = read(&path);
                let (time, last) = read.last().unwrap();
                assert_eq!((time, last), (&open.start.to_string(), &value.to_string()), "{name}");
                let times: std::collections::BTreeSet<_> = read.iter().map(|(time, _)| time).collect();
                assert_eq!(times.len(), read.len(), "{name}: a row is doubled");
            }
            // Whoever does not ask for it leaves it as it is.
            let before = read(&path);
            run(&ratio(0.5, from, soon, &path)).await;
            assert_eq!(read(&path), before);
        }
    })
    .await;
}

/// A target as a run leaves it that saw an interval open, with the beginnings of its range and of that interval.
async fn left_open(dir: &Path, name: &str) -> (PathBuf, i64, i64) {
    let target = dir.join(name);
    let (from, start) = (this_hour() - 2 * DAY, this_hour() - 5 * HOUR);
    run(&ratio(0.5, from, start, &target)).await;
    // The part of a closed interval, under the name of an open one.
    let other = dir.join("other/");
    run(&ratio(0.25, start, start + HOUR, &other)).await;
    let [part] = &files(&other)[..] else { panic!() };
    let name = part.rsplit('/').next().unwrap();
    let open = name.replace(".parquet", ".open.parquet");
    let folder = part.split("/date=").next().unwrap();
    let to: PathBuf = match target.extension() {
        None => target.join(part).with_file_name(open),
        Some(ending) => target.with_extension(format!("{}.parts", ending.display())).join(folder).join(open),
    };
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::rename(other.join(part), to).unwrap();
    (target, from, start)
}

#[tokio::test]
async fn the_final_record_takes_the_place_of_the_open_one() {
    within_an_hour(|| async {
        for name in TARGETS {
            let dir = tempfile::tempdir().unwrap();
            let (path, from, open) = left_open(dir.path(), name).await;
            // Nothing is missing; the files become what they would have been.
            run(&ratio(0.5, from, open, &path)).await;
            let before = read(&path);
            assert_eq!((before.len(), before[43].1.as_str()), (44, "0.25"), "{name}");
            run(&ratio(0.5, from, open + 3 * HOUR, &path)).await;
            let after = read(&path);
            assert_eq!((after.len(), after[43].0.clone()), (46, before[43].0.clone()), "{name}");
            assert!(after.iter().all(|(_, value)| value == "0.5"), "{name}: {after:?}");
            let open = files(dir.path()).into_iter().filter(|name| name.contains(".open."));
            assert_eq!(open.collect::<Vec<_>>(), [""; 0]);
        }
    })
    .await;
}

/// An earlier beginning is none of its business.
#[tokio::test]
async fn what_does_not_cover_the_interval_leaves_it_there() {
    within_an_hour(|| async {
        for name in TARGETS {
            let dir = tempfile::tempdir().unwrap();
            let (path, from, open) = left_open(dir.path(), name).await;
            run(&ratio(0.5, from - DAY, open, &path)).await;
            let found = read(&path);
            assert_eq!((found.len(), found[67].1.as_str()), (68, "0.25"), "{name}");
        }
    })
    .await;
}
