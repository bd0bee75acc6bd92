//! Jobs that do not come to their end at once: cancelled, refused, with holes. Over a transport that makes replies up.

use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::{self, DAY, END, HOUR, data_set, hours, job, rows, run};
use generated_client::transport::{Headers, HttpRequest, HttpResponse, from_fn};
use generated_client::{Client, RateLimit, Retry};
use tables::{Event, Summary};

const RATIO: &str = "orderflow.volume_ratio";

/// What the service does with a request for a point in time: a record, none, a failure, or a refusal of the key.
#[derive(Clone, Copy, PartialEq)]
enum Has {
    Record,
    Nothing,
    Failure,
    Refused,
}

type Script = Arc<Mutex<Box<dyn Fn(i64) -> Has + Send>>>;

fn service(script: &Script, asked: &Arc<Mutex<Vec<(i64, i64)>>>) -> Client {
    settings(script, asked).rate_limit(RateLimit::none()).build().unwrap()
}

fn settings(script: &Script, asked: &Arc<Mutex<Vec<(i64, i64)>>>) -> generated_client::Builder<Client> {
    let (script, asked) = (script.clone(), asked.clone());
    let transport = from_fn(move |request: HttpRequest| {
        let param = |name: &str| request.url.split(name).nth(1)?.split('&').next()?.parse::<i64>().ok();
        let (from, to) = (param("startTime=").unwrap(), param("endTime=").unwrap());
        asked.lock().unwrap().push((from + 1, to));
        let times = ((from + HOUR) / HOUR * HOUR..=to).step_by(3600);
        let script = script.lock().unwrap();
        let any = |what| times.clone().any(|time| script(time) == what);
        let status = if any(Has::Failure) {
            503
        } else if any(Has::Refused) {
            403
        } else {
            200
        };
        let records: Vec<_> = times
            .clone()
            .filter(|time| script(*time) == Has::Record)
            .map(|time| format!(r#"{{"openDate":{time},"volumeRatio":0.{}}}"#, time / HOUR % 1000 + 1))
            .collect();
        let body = format!(r#"{{"data":[{}],"metadata":{{}}}}"#, records.join(","));
        async move { Ok(HttpResponse::new(status, Headers::new(), body)) }
    });
    Client::builder("https://example.invalid/v2").api_key("any").transport(transport).retry(Retry::none())
}

fn script(has: impl Fn(i64) -> Has + Send + 'static) -> Script {
    Arc::new(Mutex::new(Box::new(has)))
}

fn hole(from: i64, to: i64, what: Has) -> impl Fn(i64) -> Has {
    move |time| if (from..to).contains(&time) { what } else { Has::Record }
}

const TARGETS: [&str; 3] = ["out.csv", "out.parquet", "data/"];

fn count(dir: &std::path::Path, name: &str) -> usize {
    let path = dir.join(name);
    let lines = match name {
        "data/" => data_set(&path),
        "out.csv" => fs::read_to_string(&path).unwrap().lines().skip(1).map(str::to_owned).collect(),
        _ => rows(&[path]),
    };
    let times: std::collections::BTreeSet<_> = lines.iter().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(times.len(), lines.len(), "{name}: a row is doubled");
    lines.len()
}

/// Holes are believed, until somebody asks for them again.
#[tokio::test(start_paused = true)]
async fn holes_are_filled_by_a_repair() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (END - 20 * DAY, END - 12 * DAY + 7 * HOUR);
        let (script, asked) = (script(hole(from + 50 * HOUR, from + 53 * HOUR, Has::Nothing)), Arc::default());
        let client = service(&script, &asked);
        let whole = job(vec![hours(&client, RATIO, "BTC")], from, to, &dir.path().join(name));
        let first = run(&whole).await;
        assert!(first.is_complete && first.gaps == 1 && first.records == 196, "{first:?}");
        assert_eq!((count(dir.path(), name), whole.plan().await.unwrap().windows()), (196, 0));
        *script.lock().unwrap() = Box::new(hole(from + 52 * HOUR, from + 53 * HOUR, Has::Nothing));
        let repair = whole.clone().repair();
        let plan = repair.plan().await.unwrap();
        let gap = (from + 50 * HOUR).into()..(from + 53 * HOUR).into();
        assert_eq!((plan.series[0].repaired.as_slice(), plan.windows()), (&[gap][..], 1));
        asked.lock().unwrap().clear();
        let repaired = run(&repair).await;
        assert_eq!((repaired.records, count(dir.path(), name)), (2, 198), "{name}");
        assert!(
            asked.lock().unwrap().iter().all(|(start, end)| *start >= from + 50 * HOUR && *end <= from + 53 * HOUR)
        );
        // What is still missing is asked for each time, and nothing but that.
        let again = run(&repair).await;
        assert_eq!((again.records, count(dir.path(), name)), (0, 198), "{name}");
        if name == "out.csv" {
            let text = fs::read_to_string(dir.path().join(name)).unwrap();
            assert!(text.lines().skip(1).is_sorted(), "{text}");
        }
    }
}

/// What a run that is killed has written is there, also where the service is slow.
#[tokio::test(start_paused = true)]
async fn a_part_is_written_each_minute() {
    let dir = tempfile::tempdir().unwrap();
    let (script, asked) = (script(|_| Has::Record), Arc::default());
    let limit = RateLimit::new(1, Duration::from_secs(25), 1);
    let client = settings(&script, &asked).rate_limit(limit).build().unwrap();
    let whole = job(vec![hours(&client, RATIO, "BTC")], END - 8 * 999 * HOUR, END, &dir.path().join("out.csv"));
    assert_eq!(whole.plan().await.unwrap().windows(), 8);
    let mut pages = 0;
    let watch = |event: &Event| pages += usize::from(matches!(event, Event::Progress { .. }));
    // Nothing is written at the end of a future that is dropped.
    let ended = tokio::time::timeout(Duration::from_secs(160), whole.run(watch, std::future::pending())).await;
    assert!(ended.is_err());
    // The fourth page came after a minute; the next part would have ended with the eighth.
    assert_eq!((pages, whole.plan().await.unwrap().windows()), (7, 4));
}

/// A window that fails is told, and asked for by the next run.
#[tokio::test(start_paused = true)]
async fn windows_that_fail_are_asked_for_again() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (END - 400 * DAY, END - 100 * DAY);
        let (script, asked) = (script(hole(from + 1500 * HOUR, from + 1501 * HOUR, Has::Failure)), Arc::default());
        let client = service(&script, &asked);
        let whole =
            job(vec![hours(&client, RATIO, "BTC"), hours(&client, RATIO, "ETH")], from, to, &dir.path().join(name));
        let mut failures = Vec::new();
        let watch = |event: &Event| {
            if let Event::Findings { series, findings, .. } = event {
                failures.extend(findings.failures.iter().map(|failure| (*series, failure.range.clone())));
            }
        };
        let first: Summary = whole.run(watch, std::future::pending()).await.unwrap();
        assert!(!first.is_complete && first.failed_windows == 2, "{first:?}");
        failures.sort_by_key(|(series, _)| *series);
        let plan = whole.plan().await.unwrap();
        let missing: Vec<_> = plan.series.iter().map(|series| series.missing.clone()).collect();
        assert_eq!(missing, failures.iter().map(|(_, range)| vec![range.clone()]).collect::<Vec<_>>());
        *script.lock().unwrap() = Box::new(|_| Has::Record);
        let second = run(&whole).await;
        assert!(second.is_complete && second.records + first.records == 2 * 7200, "{name}: {second:?}");
        assert_eq!(whole.plan().await.unwrap().windows(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_job_is_gone_on_with() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let (script, asked) = (script(|_| Has::Record), Arc::default());
        let client = service(&script, &asked);
        let path = dir.path().join(name);
        let whole = job(vec![hours(&client, RATIO, "BTC")], END - 1000 * DAY, END - 10 * DAY, &path);
        let (tell, told) = tokio::sync::oneshot::channel::<()>();
        let mut tell = Some(tell);
        let mut pages = 0;
        let watch = |event: &Event| {
            pages += u32::from(matches!(event, Event::Progress { .. }));
            if pages == 5 {
                tell.take().map(|tell| tell.send(()));
            }
        };
        let first = whole.run(watch, async { drop(told.await) }).await.unwrap();
        assert!(first.is_cancelled && !first.is_complete && first.records == 5 * 999, "{first:?}");
        assert!(!path.is_file(), "one file is not there before it is whole");
        let second = run(&whole).await;
        assert!(second.is_complete && second.records == 990 * 24 - first.records, "{second:?}");
        assert_eq!(count(dir.path(), name), 990 * 24, "{name}");
    }
}

/// A key that is refused amid the work ends the job, and what was fetched by then is kept.
#[tokio::test(start_paused = true)]
async fn what_was_fetched_before_a_key_was_refused_is_kept() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let (script, asked) = (script(|_| Has::Record), Arc::<Mutex<Vec<_>>>::default());
        let many = asked.clone();
        *script.lock().unwrap() =
            Box::new(move |_| if many.lock().unwrap().len() > 8 { Has::Refused } else { Has::Record });
        let limit = RateLimit::new(1, Duration::from_secs(1), 1);
        let client = settings(&script, &asked).rate_limit(limit).build().unwrap();
        let series = ["BTC", "ETH"].map(|coin| hours(&client, RATIO, coin)).into();
        let whole = job(series, END - 20 * 999 * HOUR, END, &dir.path().join(name));
        assert_eq!(whole.plan().await.unwrap().windows(), 40);
        let error = whole.run(|_| {}, std::future::pending()).await.unwrap_err();
        assert!(matches!(error, tables::Error::Request(ref error) if error.is_auth()), "{error}");
        assert_eq!(whole.plan().await.unwrap().windows(), 40 - 8, "{name}");
    }
}

/// Data that is late is asked for again; a range that ended long ago without data is not.
#[tokio::test(start_paused = true)]
async fn emptiness_at_the_end_is_believed_after_a_while() {
    let dir = tempfile::tempdir().unwrap();
    let now = runtime::Timestamp::now().unix_seconds() / HOUR * HOUR;
    let (script, asked) = (script(hole(now - 5 * HOUR, now, Has::Nothing)), Arc::default());
    let client = service(&script, &asked);
    let recent = job(vec![hours(&client, RATIO, "BTC")], now - 9 * DAY, now, &dir.path().join("data/"));
    assert_eq!(run(&recent).await.records, 9 * 24 - 5);
    *script.lock().unwrap() = Box::new(|_| Has::Record);
    assert_eq!(run(&recent).await.records, 5);
    *script.lock().unwrap() = Box::new(|_| Has::Nothing);
    let old = job(vec![hours(&client, RATIO, "ETH")], now - 90 * DAY, now - 30 * DAY, &dir.path().join("data/"));
    assert!(run(&old).await.is_complete);
    assert_eq!(old.plan().await.unwrap().windows(), 0);
    assert_eq!(count(dir.path(), "data/"), 9 * 24);
}

/// The same where a part is ended because of its age.
#[tokio::test(start_paused = true)]
async fn what_is_late_is_asked_for_again_whatever_ended_the_part() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let now = runtime::Timestamp::now().unix_seconds() / HOUR * HOUR;
        let (script, asked) = (script(hole(now - 5 * HOUR, now, Has::Nothing)), Arc::default());
        let limit = RateLimit::new(1, Duration::from_secs(90), 1);
        let client = settings(&script, &asked).rate_limit(limit).build().unwrap();
        let whole = job(vec![hours(&client, RATIO, "BTC")], now - 2 * 999 * HOUR, now, &dir.path().join(name));
        assert_eq!(run(&whole).await.records, 2 * 999 - 5, "{name}");
        *script.lock().unwrap() = Box::new(|_| Has::Record);
        assert_eq!(run(&whole).await.records, 5, "{name}");
        assert_eq!(count(dir.path(), name), 2 * 999, "{name}");
    }
}

/// A part that a disk has damaged is named.
#[tokio::test(start_paused = true)]
async fn a_damaged_part_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let (script, asked) = (script(hole(END - 2 * DAY, END - DAY, Has::Failure)), Arc::default());
    let whole =
        job(vec![hours(&service(&script, &asked), RATIO, "BTC")], END - 400 * DAY, END, &dir.path().join("data/"));
    assert!(!run(&whole).await.is_complete);
    let part = support::files(dir.path()).into_iter().find(|name| name.ends_with(".parquet")).unwrap();
    fs::write(dir.path().join(&part), "PAR1").unwrap();
    let error = whole.repair().plan().await.unwrap_err().to_string();
    assert!(error.contains(&part), "{error}");
}

#[tokio::test]
async fn a_disk_that_takes_nothing_is_told() {
    let (script, asked) = (script(|_| Has::Record), Arc::default());
    let client = service(&script, &asked);
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    let job = job(vec![hours(&client, RATIO, "BTC")], END - 9 * DAY, END, &dir.path().join("file/data/"));
    let error = job.run(|_| {}, std::future::pending()).await.unwrap_err();
    assert!(error.to_string().contains("file/data") && error.io_kind().is_some(), "{error}");
}
