//! Series whose fields are unknown: all shards and all runs write the columns that the first page of any of them had.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use crate::support::{DAY, END, HOUR, data_set, endpoint, files, job, rows, run};
use generated_client::transport::{Headers, HttpRequest, HttpResponse, from_fn};
use generated_client::{Client, RateLimit};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use runtime::registry::{
    EndpointInfo, Evidence, FieldInfo, ParamInfo, Range, RecordInfo, TimeUnit, TypeInfo, ValueInfo, ValueType,
};
use tables::{Backfill, Series, Shard};

/// Nobody knows what its records have but a time.
const UNKNOWN: &str = "global_metrics.global_bid_ask";

/// In the later half records have a field more, and one is a text instead of a number.
const CHANGE: i64 = END - 450 * DAY;

fn service() -> Client {
    let transport = from_fn(move |request: HttpRequest| {
        let param = |name: &str| request.url.split(name).nth(1)?.split('&').next()?.parse::<i64>().ok();
        let (from, to) = (param("startTime=").unwrap(), param("endTime=").unwrap());
        let record = |time| {
            let rest = if time < CHANGE { r#""ask":2"# } else { r#""ask":"two","more":[1]"# };
            format!(r#"{{"openDate":{time},"bid":1.5,{rest}}}"#)
        };
        let records: Vec<_> = ((from + HOUR) / HOUR * HOUR..=to).step_by(3600).map(record).collect();
        let body = format!(r#"{{"data":[{}],"metadata":{{}}}}"#, records.join(","));
        async move { Ok(HttpResponse::new(200, Headers::new(), body)) }
    });
    let builder = Client::builder("https://example.invalid/v2").api_key("any").transport(transport);
    builder.rate_limit(RateLimit::none()).build().unwrap()
}

fn unknown(days: i64, target: &Path) -> Backfill {
    let request = service().endpoint(endpoint(UNKNOWN)).query("timeframe", "1h");
    job(vec![Series::new(request).unwrap()], END - days * DAY, END, target)
}

fn columns(path: &Path) -> Vec<String> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    reader.schema().fields().iter().map(|field| format!("{}: {}", field.name(), field.data_type())).collect()
}

const STEP: TypeInfo = TypeInfo::new("Step", &[ValueInfo::new("1h", "An hour.", Evidence::Document).duration(3600)]);

const fn param(name: &'static str, ty: ValueType) -> ParamInfo {
    ParamInfo::new(name, name, ty, Evidence::Document)
}

const fn field(name: &'static str, ty: ValueType) -> FieldInfo {
    FieldInfo::new(name, name, ty, Evidence::Document)
}

static RECORD: RecordInfo = RecordInfo::new(
    "Counted",
    &[
        field("openDate", ValueType::Timestamp(TimeUnit::Seconds)),
        field("closeDate", ValueType::Timestamp(TimeUnit::Seconds)).optional(),
        field("count", ValueType::Count).optional(),
    ],
);

/// An endpoint with columns of every kind beside its time.
static COUNTED: EndpointInfo = EndpointInfo::new("market", "counted", "Counted")
    .path("/counted", Evidence::Document)
    .params(
        &[],
        &[
            param("timeframe", ValueType::Named(&STEP)),
            param("limit", ValueType::Count).range(Range { min: None, max: Some(1000.0) }),
            param("startTime", ValueType::Timestamp(TimeUnit::Seconds)),
            param("endTime", ValueType::Timestamp(TimeUnit::Seconds)),
        ],
    )
    .series(Some(&RECORD), Some("openDate"), Evidence::Document);

/// The columns of other series in a file are none of those that were found in records.
#[tokio::test]
async fn a_later_run_leaves_the_columns_of_other_series_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("both.parquet");
    for days in [2, 3] {
        let client = service();
        let both = [endpoint(UNKNOWN), &COUNTED].map(|one| Series::new(client.endpoint(one).query("timeframe", "1h")));
        let both = both.into_iter().collect::<Result<_, _>>().unwrap();
        assert!(run(&job(both, END - days * DAY, END, &path)).await.is_complete);
        let columns = columns(&path);
        for of_other in [r#"closeDate: Timestamp(ms, "UTC")"#, "count: Int64"] {
            assert!(columns.iter().any(|column| column == of_other), "{columns:?}");
        }
    }
    let rows = rows(&[path]);
    assert_eq!(rows.len(), 2 * 72);
    // Only its own time stands in a row.
    assert!(rows.iter().all(|row| row.matches('Z').count() == 1), "{rows:?}");
}

const TIME: &str = r#"openDate: Timestamp(ms, "UTC")"#;

#[tokio::test]
async fn shards_write_the_same_columns() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data/");
    // Each begins in another half.
    for index in [2, 1] {
        let summary = run(&unknown(900, &data).shard(Shard::new(index, 2).unwrap())).await;
        assert!(summary.is_complete && summary.records > 0, "{summary:?}");
    }
    let all: BTreeSet<_> = files(&data).iter().map(|name| columns(&data.join(name))).collect();
    assert_eq!(all.len(), 1, "{all:?}");
    let rows = data_set(&data);
    assert_eq!(rows.len(), 900 * 24);
    for field in ["bid", "ask", "more"] {
        let is_column = all.iter().flatten().any(|column| column.starts_with(&format!("{field}: ")));
        let is_kept = rows.iter().any(|row| row.contains(&format!(r#"""{field}"":"#)));
        assert!(is_column || is_kept, "{field} is lost");
    }
    assert!(all.first().unwrap().contains(&TIME.to_owned()), "{all:?}");
}

/// Ranges that one run asks for side by side, and those that the next one adds.
#[tokio::test]
async fn a_file_keeps_its_columns() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["out.parquet", "out.csv"] {
        let path = dir.path().join(name);
        run(&unknown(400, &path)).await;
        run(&unknown(500, &path)).await;
        let lines = match name {
            "out.csv" => std::fs::read_to_string(&path).unwrap().lines().skip(1).map(str::to_owned).collect(),
            _ => rows(std::slice::from_ref(&path)),
        };
        assert_eq!(lines.len(), 500 * 24, "{name}");
        let (first, last) = (lines.first().unwrap(), lines.last().unwrap());
        assert!(first.ends_with(r#"Z,,1.5,,"{""ask"":2}""#), "{name}: {first}");
        assert!(last.ends_with("Z,two,1.5,[1],"), "{name}: {last}");
    }
}
