//! Tests of the columns of files: columns that identify rows, columns of a changed catalogue, and columns of records
//! whose fields are unknown.

use std::fs::{self, File};
use std::path::Path;

use dataset::{Partition, SeriesRequest, status};
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::support::service::{COUNT, LABELLED, LEVELS, NOTES, RATIO, TEXT, WIDE};
use crate::support::{
    DAY, END, TARGETS, batches, body, client, client_of, coins, files, hours, job, read, run, scripted, state_of,
    target_of, with,
};

#[tokio::test(start_paused = true)]
async fn columns_of_a_file_do_not_depend_on_set_params() {
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
        assert_eq!(names, "endpoint,exchange,coin,timeframe,openDate,volumeRatio,unknown_fields,fetched_at");
        let row = text.lines().nth(1).unwrap();
        let exchange = params.unwrap_or_default();
        assert!(row.starts_with(&format!("orderflow.volume_ratio,{exchange},BTC,1h,2024-06-14T00:00:00Z,0.")), "{row}");
    }
}

/// The records of one endpoint have fields with the names of params. Such a field neither replaces the param of its row
/// nor the params of the other endpoint.
#[tokio::test(start_paused = true)]
async fn params_are_filled_if_records_have_fields_of_the_same_names() {
    let fields = r#""coin":7,"exchange":true,"share":2.50,"timeframe":"1h""#;
    let others = r#""coin":8,"exchange":false,"share":2.75,"timeframe":"1m","new":1.10"#;
    let client = client_of(move |url, from, to| {
        let fields = |time| match time {
            _ if time == END - DAY => format!("0.5,{others}"),
            _ => format!("0.5,{fields}"),
        };
        let ratios = body(from, to, |_| Some("0.5".to_owned()));
        let labelled = body(from, to, |time| Some(fields(time))).replace("volumeRatio", "level");
        (200, if url.contains("Ratio") { ratios } else { labelled })
    });
    let client = client.build().unwrap();
    let labelled = |coin: &str| {
        let request = client.endpoint(&LABELLED).query("coin", coin).query("timeframe", "1h").query("share", "2.5");
        SeriesRequest::new(request.query("exchange", "true")).unwrap()
    };
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let series = vec![labelled("7"), labelled("9"), hours(&client, &RATIO, "BTC")];
        let whole = job(series, END - 3 * DAY, END, &path);
        let summary = run(&whole).await;
        let invalid: Vec<_> = summary.series.iter().map(|series| series.invalid).collect();
        assert_eq!((summary.is_complete, invalid), (true, vec![0; 3]), "{name}: {summary:?}");
        let contradicted = summary.series.iter().map(|series| series.contradicted.get("coin").copied());
        assert_eq!(contradicted.collect::<Vec<_>>(), [Some(1), Some(72), None], "{name}: {summary:?}");
        let rows = read(&path);
        let count = |params: [&str; 4]| {
            let is_one = |row: &&crate::support::Row| {
                let found =
                    ["coin", "exchange", "share", "timeframe"].map(|name| row.get(name).map_or("", |cell| cell));
                found == params
            };
            rows.iter().filter(is_one).count()
        };
        let counts = [["7", "true", "2.5", "1h"], ["9", "true", "2.5", "1h"], ["BTC", "binance_perp_stable", "", "1h"]];
        assert_eq!((counts.map(count), rows.len()), ([72; 3], 216), "{name}: {rows:?}");
        let kept: std::collections::BTreeSet<_> = rows.iter().filter_map(|row| row.get("unknown_fields")).collect();
        let contradictions = r#""coin":8,"exchange":false,"share":2.75,"timeframe":"1m""#;
        let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert!(kept.iter().any(|text| parse(text)["coin"] == 7), "{name}: {kept:?}");
        let expected = parse(&format!(r#"{{{contradictions},"new":1.10,"level":0.5}}"#));
        assert!(kept.iter().any(|text| parse(text) == expected), "{name}: {kept:?}");
        assert_eq!(state_of(&path).await.series.iter().map(|series| series.invalid).collect::<Vec<_>>(), [1, 72, 0]);
        let again = run(&whole).await;
        assert!(again.series.iter().all(|series| (series.invalid, series.revised) == (0, 0)), "{name}: {again:?}");
    }
}

/// The facts of the catalogue are in the files that later runs write, and those of a changed catalogue replace them.
#[tokio::test(start_paused = true)]
async fn columns_keep_their_metadata() {
    for name in ["out.parquet", "data/"] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        for days in [3, 2, 1] {
            run(&job(coins(&client(), &["BTC"]), END - 9 * DAY, END - days * DAY, &path)).await;
            let file = files(dir.path()).into_iter().find(|name| name.ends_with(".parquet")).unwrap();
            let schema = batches(&dir.path().join(file)).next().unwrap().schema();
            let evidence = schema.field_with_name("volumeRatio").unwrap().metadata().get("evidence").cloned();
            assert_eq!(evidence.as_deref(), Some("documented"), "{name}: {schema:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn times_that_series_share_take_less_space() {
    let dir = tempfile::tempdir().unwrap();
    let mut sizes = Vec::new();
    for (name, coins_of_file, days) in [("four.parquet", &["A", "B", "C", "D"][..], 30), ("one.parquet", &["A"], 120)] {
        let path = dir.path().join(name);
        run(&job(coins(&client(), coins_of_file), END - days * DAY, END, &path)).await;
        assert_eq!(read(&path).len(), 2880, "{name}");
        sizes.push(bytes_of_column(&path, "openDate"));
    }
    assert!(sizes[0] < sizes[1] / 2, "{sizes:?}");
}

fn bytes_of_column(path: &Path, name: &str) -> i64 {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let mut bytes = 0;
    for group in reader.metadata().row_groups() {
        for column in group.columns() {
            if column.column_path().string() == name {
                bytes += column.uncompressed_size();
            }
        }
    }
    bytes
}

#[tokio::test(start_paused = true)]
async fn a_data_set_has_a_column_for_every_param() {
    let (client, dir) = (client(), tempfile::tempdir().unwrap());
    let path = dir.path().join("data/");
    let request = || client.endpoint(&RATIO).query("coin", "BTC").query("timeframe", "1h");
    let requests = [request(), request().query("exchange", "binance_spot"), request().query("side", "buy")];
    for (index, request) in requests.into_iter().enumerate() {
        let whole = job(vec![SeriesRequest::new(request).unwrap()], END - DAY, END, &path);
        assert!(run(&whole).await.is_complete && run(&whole).await.records == 0);
        assert_eq!(files(&path), ["orderflow.volume_ratio/1h-2024.parquet"]);
        let schema = batches(&path.join("orderflow.volume_ratio/1h-2024.parquet")).next().unwrap().schema();
        let names: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        let sides: &[&str] = if index == 2 { &["side"] } else { &[] };
        let params = [&["endpoint", "exchange", "coin", "timeframe"], sides].concat();
        assert_eq!(names, [&params, &["openDate", "volumeRatio", "unknown_fields", "fetched_at"][..]].concat());
    }
    let params =
        |row: &crate::support::Row| ["exchange", "side"].map(|name| row.get(name).cloned().unwrap_or_default());
    let mut found: Vec<_> = read(&path).iter().map(params).collect();
    found.dedup();
    assert_eq!(found, [["", ""], ["binance_spot", ""], ["", "buy"]]);
    let status = status(&target_of(&path)).await.unwrap();
    assert_eq!(status.series[0].path, "orderflow.volume_ratio/coin=BTC/timeframe=1h");
}

#[tokio::test(start_paused = true)]
async fn series_with_other_values_of_a_repeated_param_are_different() {
    let (client, dir) = (client(), tempfile::tempdir().unwrap());
    let path = dir.path().join("data/");
    let request = |exchanges: &[&str]| {
        let request = client.endpoint(&RATIO).query("coin", "BTC").query("timeframe", "1h");
        SeriesRequest::new(request.query_list("exchange", exchanges)).unwrap()
    };
    let whole = job(vec![request(&["a", "b"]), request(&["a", "c"]), request(&["a"])], END - DAY, END, &path);
    assert_eq!(run(&whole).await.records, 3 * 24);
    let mut found: Vec<_> = read(&path).iter().map(|row| row["exchange"].clone()).collect();
    found.dedup();
    assert_eq!(found, ["a,b", "a,c", "a"]);
}

#[tokio::test(start_paused = true)]
async fn a_data_set_of_another_format_is_rejected_before_a_request() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    run(&job(coins(&client(), &["BTC"]), END - DAY, END, &path)).await;
    let client = client_of(|_, _, _| panic!("a request was sent"));
    let state = path.join(".backfill/orderflow.volume_ratio-1h/state.json");
    let text = fs::read_to_string(&state).unwrap();
    let whole = job(coins(&client.build().unwrap(), &["BTC"]), END - 2 * DAY, END, &path);
    for (version, age) in [(4, "an older"), (7, "a newer")] {
        fs::write(&state, text.replace("\"version\":6", &format!("\"version\":{version}"))).unwrap();
        let error = whole.plan().await.unwrap_err().to_string();
        let expected = format!("{age} version wrote it, in format {version}; this version reads the formats 5 and 6");
        assert!(error.contains(&expected) && error.contains("to rebuild, move "), "{error}");
        let damaged = state_of(&path).await.damaged;
        assert!(damaged.len() == 1 && damaged[0].contains(&expected), "{damaged:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn column_of_a_changed_type_is_cast_or_rejected_before_a_request() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (client, _) = scripted(|_| Some("7".to_owned()));
        let with = |endpoint| job(vec![hours(&client, endpoint, "BTC")], END - 3 * DAY, END, &path);
        assert!(run(&with(&COUNT)).await.is_complete);
        assert!(run(&with(&RATIO)).await.is_complete);
        assert_eq!(read(&path).len(), 72, "{name}");
        let error = with(&TEXT).plan().await.unwrap_err().to_string();
        let expected = "`volumeRatio` has the type Float64, but the catalogue declares Utf8; to rebuild, move it away";
        assert!(error.contains(expected), "{name}: {error}");
        // Moves the file or folder away, as the message advises.
        let (location, _) = error.split_once(": ").unwrap();
        let location = location.replace(" and, if it exists, ", ", ").replace(" and ", ", ");
        for (index, moved) in location.split(", ").enumerate().filter(|(_, moved)| Path::new(moved).exists()) {
            fs::rename(moved, dir.path().join(format!("away{index}"))).unwrap();
        }
        assert_eq!(run(&with(&TEXT)).await.records, 72, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn endpoints_with_conflicting_types_are_rejected_for_one_file() {
    let dir = tempfile::tempdir().unwrap();
    let client = client_of(|_, _, _| panic!("a request was sent")).build().unwrap();
    let both = || vec![hours(&client, &RATIO, "BTC"), hours(&client, &NOTES, "BTC")];
    let error = job(both(), END - DAY, END, &dir.path().join("out.parquet")).plan().await.unwrap_err().to_string();
    assert!(error.contains("`volumeRatio` has the type Float64, but") && error.contains("to a folder"), "{error}");
    assert!(job(both(), END - DAY, END, &dir.path().join("data/")).plan().await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn files_of_a_data_set_have_the_columns_of_a_changed_catalogue() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let (client, _) = scripted(|_| Some("7".to_owned()));
    let days = |endpoint, from| {
        with(job(vec![hours(&client, endpoint, "BTC")], from, END, &path), |job| job.partition = Some(Partition::Day))
    };
    assert!(run(&days(&COUNT, END - 3 * DAY)).await.is_complete);
    assert!(run(&days(&WIDE, END - 3 * DAY)).await.is_complete);
    for file in files(&path) {
        let schema = batches(&path.join(file)).next().unwrap().schema();
        let names: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        assert_eq!(names[4..], ["openDate", "volumeRatio", "share", "unknown_fields", "fetched_at"]);
        assert_eq!(schema.field(5).data_type().to_string(), "Float64");
    }
}

#[tokio::test(start_paused = true)]
async fn a_record_of_unknown_fields_is_json() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        assert!(run(&job(coins(&client(), &["BTC"]), END - DAY, END, &path)).await.is_complete);
        let (client, script) = scripted(|_| Some("7".to_owned()));
        let whole = job(vec![hours(&client, &LEVELS, "BTC")], END - 3 * DAY, END, &path);
        assert_eq!(run(&whole).await.records, 72, "{name}");
        *script.lock().unwrap() = |_| Some(r#""seven","new":1"#.to_owned());
        let again = run(&whole).await;
        assert_eq!((again.series[0].revised, again.series[0].invalid), (72, 0), "{name}: {again:?}");
        let rows = read(&path);
        let records: Vec<runtime::Value> =
            rows.iter().filter_map(|row| serde_json::from_str(row.get("record")?).ok()).collect();
        assert!(records.len() == 72 && rows.len() == 96, "{name}: {rows:?}");
        assert!(records.iter().all(|record| record["volumeRatio"] == "seven" && record["new"] == 1), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn files_of_the_first_version_are_rejected_before_a_request() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let client = client_of(|_, _, _| panic!("a request was sent")).build().unwrap();
    for name in ["one.parquet", "two.parquet", "data"] {
        let whole = job(coins(&client, &["BTC"]), 1_794_268_800, 1_794_268_800 + 4 * DAY, &fixtures.join(name));
        let error = whole.plan().await.unwrap_err().to_string();
        assert!(error.contains("version") && error.contains(name), "{error}");
        assert!(error.contains("to rebuild, move") && error.ends_with("run the same command again"), "{error}");
    }
}
