//! Backfills over a real socket: what comes is what the sandbox has, each row once, whatever was there before.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::support::{self, DAY, END, HOUR, client, data_set, files, hours, job, rows, run, sandbox};
use generated_client::{Client, RateLimit};
use runtime::gate::WindowOfSome;
use tables::{Shard, Target};

const RATIO: &str = "orderflow.volume_ratio";
const DELTA: &str = "orderflow.volume_delta";

#[tokio::test]
async fn one_file_has_everything() {
    let (sandbox, dir) = (sandbox(|builder| builder).await, tempfile::tempdir().unwrap());
    let client = client(&sandbox);
    let all = || {
        ["BTC", "ETH"]
            .map(|coin| [hours(&client, RATIO, coin), hours(&client, DELTA, coin)])
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
    };
    let mut written = Vec::new();
    for name in ["out.csv", "out.jsonl", "out.parquet"] {
        let path = dir.path().join(name);
        let job = job(all(), END - 100 * DAY, END, &path);
        let plan = job.plan().await.unwrap();
        assert_eq!((plan.records(), plan.windows()), (4 * 2400, 12));
        let summary = run(&job).await;
        assert!(summary.is_complete && summary.records == 9600, "{summary:?}");
        assert_eq!(summary.files, [path.to_str().unwrap()]);
        written.push(path);
        // There is nothing left to ask for.
        let asked = sandbox.counts().requests;
        assert_eq!(job.plan().await.unwrap().windows(), 0);
        let again = run(&job).await;
        assert!(again.is_complete && again.records == 0 && again.files.is_empty(), "{again:?}");
        assert_eq!(sandbox.counts().requests, asked);
    }
    assert_eq!(files(dir.path()).iter().filter(|name| !name.contains(".parts/")).count(), 3);
    let [csv, json, parquet] = &written[..] else { panic!() };
    let text = fs::read_to_string(csv).unwrap();
    let names = text.lines().next().unwrap();
    assert_eq!(names, "endpoint,exchange,coin,timeframe,openDate,volumeDelta,volumeRatio,unknown_fields");
    let mut lines: Vec<_> = text.lines().skip(1).map(str::to_owned).collect();
    assert!(
        lines[0].starts_with("orderflow.volume_delta,binance_perp_stable,BTC,1h,2024-03-07T00:00:00Z,"),
        "{}",
        lines[0]
    );
    assert!(lines.is_sorted());
    lines.sort();
    assert_eq!(lines, rows(std::slice::from_ref(parquet)));
    let first = fs::read_to_string(json).unwrap().lines().next().unwrap().to_owned();
    assert!(first.starts_with(r#"{"endpoint":"orderflow.volume_delta","exchange":"binance_perp_stable","coin":"BTC","timeframe":"1h","openDate":"2024-03-07T00:00:00Z","volumeDelta":"#), "{first}");
}

#[tokio::test]
async fn a_data_set_lies_in_folders() {
    let (sandbox, dir) = (sandbox(|builder| builder).await, tempfile::tempdir().unwrap());
    let client = client(&sandbox);
    let folder = dir.path().join("data");
    let job = job(vec![hours(&client, RATIO, "BTC")], END - 3 * DAY - HOUR, END - HOUR, &folder);
    let summary = run(&job).await;
    assert!(summary.is_complete && summary.records == 72);
    let series = "orderflow.volume_ratio/exchange=binance_perp_stable/coin=BTC/timeframe=1h";
    let expected = [
        "date=2024-06-11/20240611T230000Z-20240612T000000Z.parquet",
        "date=2024-06-12/20240612T000000Z-20240613T000000Z.parquet",
        "date=2024-06-13/20240613T000000Z-20240614T000000Z.parquet",
        "date=2024-06-14/20240614T000000Z-20240614T230000Z.parquet",
    ];
    assert_eq!(files(&folder), expected.map(|name| format!("{series}/{name}")));
    let all = data_set(&folder);
    assert_eq!((all.len(), all[0].split(',').next()), (72, Some("2024-06-11T23:00:00Z")));
}

/// At the new end and at an earlier beginning.
#[tokio::test]
async fn what_is_missing_is_asked_for_and_nothing_else() {
    let (sandbox, dir) = (sandbox(|builder| builder).await, tempfile::tempdir().unwrap());
    let client = client(&sandbox);
    let coins = |coins: &[&str]| coins.iter().map(|coin| hours(&client, RATIO, coin)).collect::<Vec<_>>();
    let whole = dir.path().join("whole.parquet");
    run(&job(coins(&["BTC", "ETH"]), END - 40 * DAY, END, &whole)).await;
    for name in ["grown.parquet", "grown.csv", "grown/"] {
        let path = dir.path().join(name);
        let grown = |from: i64, to: i64, names: &[&str]| job(coins(names), from, to, &path);
        assert_eq!(run(&grown(END - 20 * DAY, END - 10 * DAY, &["ETH"])).await.records, 240);
        let plan = grown(END - 40 * DAY, END, &["BTC", "ETH"]).plan().await.unwrap();
        let missing: Vec<_> = plan.series.iter().map(|series| series.missing.len()).collect();
        assert_eq!((missing, plan.records()), (vec![1, 2], 960 + 720), "{name}");
        let summary = run(&grown(END - 40 * DAY, END, &["BTC", "ETH"])).await;
        assert!(summary.is_complete && summary.records == 1680, "{name}: {summary:?}");
        let found = match name {
            "grown/" => data_set(&path),
            "grown.csv" => fs::read_to_string(&path).unwrap().lines().skip(1).map(str::to_owned).collect(),
            _ => rows(std::slice::from_ref(&path)),
        };
        let expected = rows(std::slice::from_ref(&whole));
        if name == "grown/" {
            assert_eq!(found.len(), expected.len());
        } else {
            assert_eq!(found, expected, "{name}");
        }
    }
}

/// What tells series apart in a file is in each row, whichever run has written it.
#[tokio::test]
async fn a_file_of_several_series_grows() {
    let (sandbox, dir) = (sandbox(|builder| builder).await, tempfile::tempdir().unwrap());
    let client = client(&sandbox);
    let both = |to: i64, path: &Path| {
        let series = ["BTC", "ETH"].map(|coin| hours(&client, RATIO, coin)).to_vec();
        job(series, END - 20 * DAY, to, path)
    };
    for (name, is_of_one_first) in
        [("out.parquet", false), ("out.csv", false), ("one.parquet", true), ("one.csv", true)]
    {
        let (whole, grown) = (dir.path().join(format!("whole-{name}")), dir.path().join(name));
        run(&both(END, &whole)).await;
        if is_of_one_first {
            // Nothing has to tell its rows from others until there are others, whichever come first.
            run(&job(vec![hours(&client, RATIO, "ETH")], END - 20 * DAY, END - 15 * DAY, &grown)).await;
        }
        for days in [10, 5, 0] {
            run(&both(END - days * DAY, &grown)).await;
        }
        let read = |path: &Path| match name {
            "out.csv" | "one.csv" => fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect(),
            _ => rows(&[path.to_owned()]),
        };
        assert_eq!(read(&grown), read(&whole), "{name}");
    }
}

/// Requests of another endpoint do not count in the limit of one.
#[tokio::test]
async fn the_least_time_is_that_of_the_slowest_endpoint() {
    let limit = RateLimit::of_some(const { &[WindowOfSome::of(1, 60, &["/volumeRatio"])] });
    let builder = Client::builder("https://example.invalid/v2").api_key("any").rate_limit(limit);
    let (client, dir) = (builder.build().unwrap(), tempfile::tempdir().unwrap());
    let least = |names: [(&str, &str); 3]| {
        let series = names.map(|(name, coin)| hours(&client, name, coin)).to_vec();
        let job = job(series, END - 100 * DAY, END, dir.path());
        async move { job.plan().await.unwrap().least_time.unwrap().as_secs() / 60 }
    };
    // Three requests for each series.
    assert_eq!(least([(RATIO, "BTC"), (DELTA, "BTC"), (DELTA, "ETH")]).await, 2);
    assert_eq!(least([(DELTA, "BTC"), (RATIO, "BTC"), (RATIO, "ETH")]).await, 5);
}

/// Requests of all endpoints count in a limit of all.
#[tokio::test]
async fn the_least_time_is_that_of_all_series_together() {
    let limit = RateLimit::new(1, Duration::from_secs(60), 1);
    let builder = Client::builder("https://example.invalid/v2").api_key("any").rate_limit(limit);
    let (client, dir) = (builder.build().unwrap(), tempfile::tempdir().unwrap());
    let series = [RATIO, DELTA].map(|name| hours(&client, name, "BTC")).to_vec();
    let plan = job(series, END - 100 * DAY, END, dir.path()).plan().await.unwrap();
    // Three requests for each series.
    assert_eq!(plan.least_time, Some(Duration::from_secs(5 * 60)));
}

#[tokio::test]
async fn shards_make_the_whole() {
    let (sandbox, dir) = (sandbox(|builder| builder).await, tempfile::tempdir().unwrap());
    let client = client(&sandbox);
    let all = || ["BTC", "ETH"].map(|coin| support::series(&client, RATIO, coin, "1m")).to_vec();
    let (whole, shared) = (dir.path().join("whole"), dir.path().join("shared"));
    run(&job(all(), END - 30 * DAY, END, &whole)).await;
    let mut records = 0;
    for index in 1..=3 {
        let job = job(all(), END - 30 * DAY, END, &shared).shard(Shard::new(index, 3).unwrap());
        let summary = run(&job).await;
        assert!(summary.is_complete && summary.records > 0);
        assert_eq!(run(&job).await.records, 0);
        records += summary.records;
    }
    assert_eq!(records, 2 * 30 * 1440);
    assert_eq!(data_set(&shared), data_set(&whole));
}

/// A file without a row would say nothing, and hide why there is none.
#[tokio::test]
async fn a_job_without_a_row_leaves_no_file() {
    let sandbox = sandbox(|builder| builder.fault("/volumeRatio status=422".parse().unwrap())).await;
    let (client, dir) = (client(&sandbox), tempfile::tempdir().unwrap());
    for name in ["a.parquet", "a.csv"] {
        let path = dir.path().join(name);
        let job = job(vec![hours(&client, RATIO, "BTC")], END - DAY, END, &path);
        let summary = job.run(|_| {}, std::future::pending()).await.unwrap();
        let [(0, tables::Error::Request(error))] = summary.failed.as_slice() else { panic!("{summary:?}") };
        assert_eq!(error.status(), Some(422));
        assert!(!path.exists(), "{name}");
    }
}

#[tokio::test]
async fn a_file_of_somebody_else_stays() {
    let (sandbox, dir) = (sandbox(|builder| builder).await, tempfile::tempdir().unwrap());
    let client = client(&sandbox);
    for (name, expected) in [("a.csv", "which is needed to continue it"), ("a.parquet", "not written by a backfill")] {
        let path = dir.path().join(name);
        fs::write(&path, "mine").unwrap();
        let job = job(vec![hours(&client, RATIO, "BTC")], END - DAY, END, &path);
        let error = job.run(|_| {}, std::future::pending()).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    }
    let nothing = tables::Backfill::new(Vec::new(), 0..7, Target::parse("x.csv").unwrap());
    assert_eq!(nothing.plan().await.unwrap_err().to_string(), "there is no series to ask for");
}
