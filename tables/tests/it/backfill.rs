//! Backfills into every kind of target: requests, written files, and errors.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use flate2::read::GzDecoder;
use runtime::Timestamp;
use tables::{BackfillEvent, Error, Partition, SeriesRequest, Target, status};

use crate::support::service::{COUNT, Client, DELTA, LEVELS, NOTES, RATIO, TEXT, WIDE};
use crate::support::{DAY, END, HOUR, batches, body, client, client_of, files, hours, job, read, run};

const TARGETS: [&str; 3] = ["out.csv", "out.parquet", "data/"];

fn coins(client: &Client, coins: &[&str]) -> Vec<SeriesRequest> {
    coins.iter().map(|coin| hours(client, &RATIO, coin)).collect()
}

/// The value at a time; `None` for no record.
type Script = fn(i64) -> Option<String>;

/// A client of a service whose values are computed by a function that may change.
fn scripted(value: Script) -> (Client, Arc<Mutex<Script>>) {
    let script = Arc::new(Mutex::new(value));
    let shared = script.clone();
    let client = client_of(move |_, from, to| (200, body(from, to, *shared.lock().unwrap())));
    (client.build().unwrap(), script)
}

#[tokio::test(start_paused = true)]
async fn rows_are_identified_whatever_params_are_set() {
    let (client, dir) = (client(), tempfile::tempdir().unwrap());
    for (name, params) in [("plain.csv", None), ("set.csv", Some("binance_spot"))] {
        let path = dir.path().join(name);
        let mut request = client.endpoint(&RATIO).query("coin", "BTC").query("timeframe", "1h");
        if let Some(exchange) = params {
            request = request.query("exchange", exchange);
        }
        let summary = run(&job(vec![SeriesRequest::new(request).unwrap()], END - DAY, END, &path)).await;
        assert!(summary.is_complete && summary.records == 24, "{summary:?}");
        let text = fs::read_to_string(&path).unwrap();
        let names = text.lines().next().unwrap();
        assert_eq!(names, "endpoint,exchange,coin,timeframe,openDate,volumeRatio,unknown_fields");
        let row = text.lines().nth(1).unwrap();
        let exchange = params.unwrap_or_default();
        assert!(row.starts_with(&format!("orderflow.volume_ratio,{exchange},BTC,1h,2024-06-14T00:00:00Z,0.")), "{row}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_data_set_has_a_folder_for_every_param() {
    let (client, dir) = (client(), tempfile::tempdir().unwrap());
    let path = dir.path().join("data/");
    let request = || client.endpoint(&RATIO).query("coin", "BTC").query("timeframe", "1h");
    for request in [request(), request().query("exchange", "binance_spot")] {
        let whole = job(vec![SeriesRequest::new(request).unwrap()], END - DAY, END, &path);
        assert!(run(&whole).await.is_complete && run(&whole).await.records == 0);
    }
    let expected = ["", "binance_spot"].map(|exchange| {
        format!("orderflow.volume_ratio/exchange={exchange}/coin=BTC/timeframe=1h/year=2024/data.parquet")
    });
    assert_eq!(files(&path), expected);
    let status = status(&Target::parse(path.to_str().unwrap()).unwrap()).await.unwrap();
    assert_eq!(status.series[0].path, "orderflow.volume_ratio/coin=BTC/timeframe=1h");
    let other = SeriesRequest::new(request().query("side", "buy")).unwrap();
    let error = job(vec![other], END - DAY, END, &path).plan().await.unwrap_err().to_string();
    assert!(error.contains("exchange, coin, timeframe, without `side`"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_data_set_has_one_file_for_each_partition() {
    let (client, dir) = (client(), tempfile::tempdir().unwrap());
    let series = "orderflow.volume_ratio/exchange=binance_perp_stable/coin=BTC/timeframe=1h";
    for (partition, expected) in [
        (None, vec!["year=2023", "year=2024"]),
        (Some(Partition::Month), vec!["month=2023-12", "month=2024-01", "month=2024-02"]),
    ] {
        let folder = dir.path().join(expected[0]);
        let (from, to) = (1_703_980_800, 1_706_745_600 + HOUR);
        let mut whole = job(coins(&client, &["BTC"]), from, to, &folder);
        if let Some(partition) = partition {
            whole = whole.partition(partition);
        }
        assert_eq!(run(&whole).await.records, 32 * 24 + 1);
        let expected: Vec<_> = expected.iter().map(|name| format!("{series}/{name}/data.parquet")).collect();
        assert_eq!(files(&folder), expected);
        assert_eq!(read(&folder).len(), 32 * 24 + 1);
        let error = whole.partition(Partition::Day).plan().await.unwrap_err().to_string();
        assert!(error.contains("the data set is divided by"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn later_and_earlier_ranges_and_other_series_are_added() {
    let (client, dir) = (client(), tempfile::tempdir().unwrap());
    for name in TARGETS {
        let path = dir.path().join(name);
        let grown = |from: i64, to: i64, names: &[&str]| job(coins(&client, names), from, to, &path);
        assert_eq!(run(&grown(END - 20 * DAY, END - 10 * DAY, &["ETH"])).await.records, 240);
        let summary = run(&grown(END - 40 * DAY, END, &["BTC", "ETH"])).await;
        assert!(summary.is_complete && summary.records == 1680, "{name}: {summary:?}");
        // The newest records may have changed since, so one page of each series is requested again.
        let plan = grown(END - 40 * DAY, END, &["BTC", "ETH"]).plan().await.unwrap();
        assert_eq!(plan.requests(), 2, "{name}");
        let again = run(&grown(END - 40 * DAY, END, &["BTC", "ETH"])).await;
        assert!(again.is_complete && again.records == 0 && again.series[1].revised == 0, "{name}: {again:?}");
        let delta = client_of(|_, from, to| (200, body(from, to, |_| Some("1".to_owned())).replace("Ratio", "Delta")));
        let delta = hours(&delta.build().unwrap(), &DELTA, "BTC");
        assert_eq!(run(&job(vec![delta], END - DAY, END, &path)).await.records, 24);
        assert_eq!(read(&path).len(), 2 * 960 + 24, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn compressed_text_is_continued() {
    let (client, dir) = (client(), tempfile::tempdir().unwrap());
    let path = dir.path().join("OUT.CSV.GZ");
    let days = |days: i64| job(coins(&client, &["BTC"]), END - 40 * DAY, END - 40 * DAY + days * DAY, &path);
    assert_eq!(run(&days(20)).await.records, 480);
    assert_eq!(run(&days(40)).await.records, 480);
    assert_eq!(read(&path).len(), 960);
    let lines = dir.path().join("out.jsonl.gz");
    assert_eq!(run(&job(coins(&client, &["BTC"]), END - DAY, END, &lines)).await.records, 24);
    let mut text = String::new();
    GzDecoder::new(fs::File::open(&lines).unwrap()).read_to_string(&mut text).unwrap();
    assert!(text.lines().count() == 24 && text.starts_with(r#"{"endpoint":"orderflow.volume_ratio""#), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_deleted_text_file_is_written_again_without_a_request() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.csv");
    run(&job(coins(&client(), &["BTC"]), END - 20 * DAY, END, &path)).await;
    let text = fs::read_to_string(&path).unwrap();
    fs::remove_file(&path).unwrap();
    // The last records of this range are older than the refetch time.
    let settled = run(&job(coins(&client(), &["BTC"]), END - 20 * DAY, END - 10 * DAY, &path)).await;
    assert!(settled.is_complete && settled.requests == 0, "{settled:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[tokio::test(start_paused = true)]
async fn refetch_gaps_fills_old_holes() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let hole = |time: i64| (time != END - 50 * DAY).then(|| "0.5".to_owned());
        let (client, script) = scripted(hole);
        let whole = job(coins(&client, &["BTC"]), END - 60 * DAY, END, &dir.path().join(name));
        let first = run(&whole).await;
        assert!(first.is_complete && first.series[0].holes == 1, "{first:?}");
        *script.lock().unwrap() = |_| Some("0.5".to_owned());
        assert_eq!(run(&whole).await.series[0].holes, 1);
        let repaired = run(&whole.clone().refetch_gaps()).await;
        assert_eq!((repaired.series[0].filled, repaired.series[0].holes), (1, 0), "{name}");
        assert_eq!(read(&dir.path().join(name)).len(), 60 * 24);
    }
}

#[tokio::test(start_paused = true)]
async fn one_invalid_value_costs_one_value_unless_strict() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (client, _) = scripted(|time| Some(if time == END - DAY { "\"n/a\"" } else { "0.5" }.to_owned()));
        let whole = job(coins(&client, &["BTC"]), END - 3 * DAY, END, &path);
        let strict = run(&whole.clone().strict()).await;
        assert!(!strict.is_complete && strict.failed_pages == 1, "{strict:?}");
        let summary = run(&whole).await;
        assert!(summary.is_complete && summary.records == 72 && summary.series[0].invalid == 1, "{summary:?}");
        let rows = read(&path);
        let invalid: Vec<_> = rows.iter().filter(|row| !row.contains_key("volumeRatio")).collect();
        assert_eq!((rows.len(), invalid.len()), (72, 1));
        assert_eq!(invalid[0]["unknown_fields"], r#"{"volumeRatio":"n/a"}"#);
        assert_eq!(run(&whole).await.series[0].invalid, 0, "it is reported once");
        let status = status(&Target::parse(path.to_str().unwrap()).unwrap()).await.unwrap();
        assert_eq!((status.series[0].invalid, status.series[0].rows), (1, 72));
    }
}

#[tokio::test(start_paused = true)]
async fn a_record_without_a_valid_time_is_dropped_and_reported_once() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let fixed = Arc::new(Mutex::new(false));
        let shared = fixed.clone();
        let client = client_of(move |_, from, to| {
            let body = body(from, to, |_| Some("0.5".to_owned()));
            let (time, is_fixed) = ((END - DAY).to_string(), *shared.lock().unwrap());
            (200, if is_fixed { body } else { body.replace(&time, r#""yesterday""#) })
        });
        let whole = job(coins(&client.build().unwrap(), &["BTC"]), END - 3 * DAY, END, &dir.path().join(name));
        let first = run(&whole).await;
        assert!(first.is_complete && (first.series[0].dropped, first.series[0].holes) == (1, 1), "{first:?}");
        for _ in 0..2 {
            let again = run(&whole).await;
            assert_eq!((again.series[0].dropped, again.series[0].holes), (0, 1), "{name}");
        }
        *fixed.lock().unwrap() = true;
        let last = run(&whole).await;
        assert_eq!((last.series[0].filled, last.series[0].holes), (1, 0), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_first_run_that_is_cancelled_keeps_its_pages() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        // A day of minutes is two pages; after the first, no record is 24 hours older than the newest.
        let request = client_of(|_, from, to| {
            let times = ((from + 60) / 60 * 60..=to).step_by(60).take(1000);
            let records: Vec<_> = times.map(|time| format!(r#"{{"openDate":{time},"volumeRatio":1}}"#)).collect();
            (200, format!(r#"{{"data":[{}],"metadata":{{}}}}"#, records.join(",")))
        });
        let request = request.build().unwrap().endpoint(&RATIO).query("coin", "BTC").query("timeframe", "1m");
        let whole = job(vec![SeriesRequest::new(request).unwrap()], END - DAY, END, &path);
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let mut stop = Some(stop);
        let first = whole.run(|_| drop(stop.take()), async { drop(stopped.await) }).await.unwrap();
        assert!(first.is_cancelled && first.series[0].last.is_some(), "{name}: {first:?}");
        let kept = files(dir.path()).iter().filter(|name| name.ends_with("/data.parquet")).count();
        assert_eq!(kept, 1, "{name}");
        assert!(run(&whole).await.is_complete);
        assert_eq!(read(&path).len(), 1440, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_series_without_a_record_is_not_a_success() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let (client, script) = scripted(|_| None);
        let whole = job(coins(&client, &["BTC"]), END - DAY, END, &dir.path().join(name));
        let summary = run(&whole).await;
        assert!(!summary.is_complete && summary.series[0].is_empty() && summary.failed.is_empty(), "{summary:?}");
        assert!(run(&whole.clone().allow_empty()).await.is_complete);
        *script.lock().unwrap() = |_| Some("0.5".to_owned());
        assert!(run(&whole).await.is_complete);
    }
}

#[tokio::test(start_paused = true)]
async fn a_service_that_does_not_respond_ends_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let client = runtime::transport::from_fn(|_| std::future::pending());
    let contact = tables::Contact::new();
    let builder = Client::builder("https://example.invalid/v2").api_key("any").transport(client);
    let client = builder.observer(contact.clone()).build().unwrap();
    let whole = job(coins(&client, &["BTC", "ETH"]), END - DAY, END, &dir.path().join("data/")).contact(contact);
    let (begun, mut trouble) = (tokio::time::Instant::now(), 0);
    let watch = |event: &BackfillEvent| trouble += u32::from(matches!(event, BackfillEvent::Trouble { .. }));
    let summary = whole.run(watch, std::future::pending()).await.unwrap();
    assert!(summary.is_unreachable && !summary.is_complete, "{summary:?}");
    assert_eq!(trouble, 1);
    assert!(begun.elapsed() < Duration::from_secs(200), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn rejected_credentials_end_the_job_and_keep_what_was_fetched() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let requests = Arc::new(Mutex::new(0));
        let client = client_of(move |_, from, to| {
            let mut requests = requests.lock().unwrap();
            *requests += 1;
            if *requests > 3 { (403, String::new()) } else { (200, body(from, to, |_| Some("0.5".to_owned()))) }
        });
        let whole = job(coins(&client.build().unwrap(), &["BTC"]), END - 400 * DAY, END, &dir.path().join(name));
        let planned = whole.plan().await.unwrap().requests();
        let error = whole.run(|_| {}, std::future::pending()).await.unwrap_err();
        assert!(matches!(&error, Error::Request(error) if error.is_auth()), "{error}");
        assert_eq!(whole.plan().await.unwrap().requests(), planned - 3, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn damage_is_named_and_never_merged() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let whole = job(coins(&client(), &["BTC"]), END - 60 * DAY, END, &path);
        run(&whole).await;
        let target = Target::parse(path.to_str().unwrap()).unwrap();
        assert_eq!(status(&target).await.unwrap().damaged, [""; 0]);
        let file = files(dir.path()).into_iter().find(|name| name.ends_with(".parquet")).unwrap();
        let file = dir.path().join(file);
        let mut bytes = fs::read(&file).unwrap();
        bytes[300..306].iter_mut().for_each(|byte| *byte ^= 0x55);
        fs::write(&file, &bytes).unwrap();
        let error = whole.run(|_| {}, std::future::pending()).await.unwrap_err().to_string();
        assert!(error.contains(file.to_str().unwrap()) && error.contains("checksum"), "{name}: {error}");
        let damaged = status(&target).await.unwrap().damaged;
        assert!(damaged.len() == 1 && damaged[0].contains("delete it"), "{damaged:?}");
        fs::write(&file, &bytes[..bytes.len() - 20]).unwrap();
        let error = whole.run(|_| {}, std::future::pending()).await.unwrap_err().to_string();
        assert!(error.contains("truncated"), "{error}");
        fs::remove_file(&file).unwrap();
        if name == "out.csv" {
            fs::remove_file(&path).unwrap();
        }
        assert!(run(&whole).await.is_complete);
        assert_eq!(read(&path).len(), 60 * 24, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn status_lists_holes_and_how_far_a_series_is_behind() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (client, _) = scripted(|time| (time / HOUR % 24 != 7).then(|| "0.5".to_owned()));
        run(&job(coins(&client, &["BTC"]), END - 3 * DAY, END, &path)).await;
        let status = status(&Target::parse(path.to_str().unwrap()).unwrap()).await.unwrap();
        let [series] = &status.series[..] else { panic!("{status:?}") };
        assert_eq!((series.rows, series.holes.len(), series.missing), (69, 3, 3));
        assert_eq!(series.last, Some(Timestamp::from(END - HOUR)));
        let behind = [0, 1, 3].map(|hours| series.behind(Timestamp::from(END + hours * HOUR)));
        assert_eq!(behind, [Some(0), Some(1), Some(3)]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_changed_catalogue_is_cast_or_rejected_before_a_request() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (client, _) = scripted(|_| Some("7".to_owned()));
        let with = |endpoint| job(vec![hours(&client, endpoint, "BTC")], END - 3 * DAY, END, &path);
        assert!(run(&with(&COUNT)).await.is_complete);
        assert!(run(&with(&RATIO)).await.is_complete);
        assert_eq!(read(&path).len(), 72, "{name}");
        let error = with(&TEXT).plan().await.unwrap_err().to_string();
        let expected = "`volumeRatio` is Float64 there, and Utf8 in the catalogue; to rebuild, move it away";
        assert!(error.contains(expected), "{name}: {error}");
        // What the message proposes.
        let (location, _) = error.split_once(": ").unwrap();
        fs::rename(location, dir.path().join("away")).unwrap();
        assert_eq!(run(&with(&TEXT)).await.records, 72, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn endpoints_with_other_types_do_not_share_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let client = client_of(|_, _, _| panic!("a request was sent")).build().unwrap();
    let both = || vec![hours(&client, &RATIO, "BTC"), hours(&client, &NOTES, "BTC")];
    let error = job(both(), END - DAY, END, &dir.path().join("out.parquet")).plan().await.unwrap_err().to_string();
    assert!(error.contains("`volumeRatio` is Float64 there, and Utf8") && error.contains("to a folder"), "{error}");
    assert!(job(both(), END - DAY, END, &dir.path().join("data/")).plan().await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn files_of_a_data_set_have_the_columns_of_a_changed_catalogue() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let (client, _) = scripted(|_| Some("7".to_owned()));
    let with = |endpoint, from| job(vec![hours(&client, endpoint, "BTC")], from, END, &path).partition(Partition::Day);
    assert!(run(&with(&COUNT, END - 3 * DAY)).await.is_complete);
    assert!(run(&with(&WIDE, END - 3 * DAY)).await.is_complete);
    for file in files(&path) {
        let schema = batches(&path.join(file)).next().unwrap().schema();
        let names: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        assert_eq!(names, ["endpoint", "openDate", "volumeRatio", "share", "unknown_fields"]);
        assert_eq!(schema.field(2).data_type().to_string(), "Float64");
    }
}

#[tokio::test(start_paused = true)]
async fn inferred_columns_do_not_depend_on_other_endpoints_of_the_file() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        assert!(run(&job(coins(&client(), &["BTC"]), END - DAY, END, &path)).await.is_complete);
        let client =
            client_of(|_, from, to| (200, body(from, to, |_| Some("7".to_owned())).replace("volumeRatio", "size")));
        let client = client.build().unwrap();
        for coin in ["BTC", "ETH"] {
            assert_eq!(run(&job(vec![hours(&client, &LEVELS, coin)], END - DAY, END, &path)).await.records, 24);
        }
        let sizes = read(&path).iter().filter(|row| row.get("size").is_some_and(|size| size == "7.0")).count();
        assert_eq!(sizes, 48, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn records_without_a_table_keep_the_columns_of_the_first_run() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (client, script) = scripted(|_| Some("7".to_owned()));
        let whole = job(vec![hours(&client, &LEVELS, "BTC")], END - 3 * DAY, END, &path);
        assert!(run(&whole).await.is_complete);
        *script.lock().unwrap() = |_| Some(r#""seven","new":1"#.to_owned());
        assert!(run(&whole).await.is_complete);
        let rows = read(&path);
        assert_eq!(rows.len(), 72);
        let unknown: runtime::Value = serde_json::from_str(&rows[71]["unknown_fields"]).unwrap();
        assert_eq!((&unknown["volumeRatio"], &unknown["new"]), (&"seven".into(), &1.into()), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn files_of_the_first_version_are_rejected_before_a_request() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let client = client_of(|_, _, _| panic!("a request was sent")).build().unwrap();
    for name in ["one.parquet", "two.parquet", "out.csv", "data"] {
        let whole = job(coins(&client, &["BTC"]), 1_794_268_800, 1_794_268_800 + 4 * DAY, &fixtures.join(name));
        let error = whole.plan().await.unwrap_err().to_string();
        assert!(error.contains("version") && error.contains(name), "{error}");
        assert!(error.contains("; to rebuild, move") && error.ends_with("run the same command again"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn rows_of_two_origins_never_mix() {
    let (client, dir) = (client(), tempfile::tempdir().unwrap());
    for name in TARGETS {
        let days = |days: i64| job(coins(&client, &["BTC"]), END - days * DAY, END, &dir.path().join(name));
        assert!(run(&days(2).source_label("lab")).await.is_complete);
        let error = days(3).plan().await.unwrap_err().to_string();
        let expected =
            "the rows there are from `lab`, and those of this job from `service`; name another file or folder";
        assert!(error.ends_with(expected), "{error}");
        assert_eq!(run(&days(3).source_label("lab")).await.records, 24);
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_is_continued() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let whole = job(coins(&client(), &["BTC", "ETH"]), END - 400 * DAY, END, &path);
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let mut stop = Some(stop);
        let summary = whole.run(|_| drop(stop.take()), async { drop(stopped.await) }).await.unwrap();
        assert!(summary.is_cancelled && !summary.is_complete);
        assert!(run(&whole).await.is_complete);
        assert_eq!(read(&path).len(), 2 * 400 * 24, "{name}");
    }
}

#[tokio::test]
async fn a_second_run_of_the_same_series_is_an_error_and_of_others_is_not() {
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
            let other = job(coins(&client(), &["ETH"]), END - DAY, END, &path);
            let other = other.run(|_| {}, std::future::pending()).await;
            assert_eq!(other.is_ok_and(|summary| summary.is_complete), name == "data/");
            drop(enough);
        });
        assert!(first.unwrap().is_cancelled);
    }
    let hidden = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(hidden.filter(|name| name.starts_with('.')).collect::<Vec<_>>(), [""; 0]);
}
