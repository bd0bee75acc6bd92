//! Downloads a year of minutes with `reqwest`, plain `serde` derives and `arrow`, twenty requests at once, and without
//! checks, journal or state: `download-reqwest URL FIELDS FROM TO FILE`. The times are Unix seconds.

use std::fs::File;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, TimestampMicrosecondArray};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use futures_util::StreamExt;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use serde::Deserialize;

/// The seconds between two records, and those of a page of 1,000.
const MINUTE: i64 = 60;
const PAGE: i64 = 1000 * MINUTE;

#[derive(Deserialize)]
struct Series<T> {
    data: Vec<T>,
}

trait Numbers: for<'d> Deserialize<'d> {
    fn time(&self) -> i64;
    fn numbers(&self) -> Vec<Option<f64>>;
}

#[derive(Deserialize)]
struct One {
    #[serde(rename = "openDate")]
    time: i64,
    f0: Option<f64>,
}

#[derive(Deserialize)]
struct Four {
    #[serde(rename = "openDate")]
    time: i64,
    f0: Option<f64>,
    f1: Option<f64>,
    f2: Option<f64>,
    f3: Option<f64>,
}

impl Numbers for One {
    fn time(&self) -> i64 {
        self.time
    }

    fn numbers(&self) -> Vec<Option<f64>> {
        vec![self.f0]
    }
}

impl Numbers for Four {
    fn time(&self) -> i64 {
        self.time
    }

    fn numbers(&self) -> Vec<Option<f64>> {
        vec![self.f0, self.f1, self.f2, self.f3]
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, fields, from, to, file] = arguments.as_slice() else {
        panic!("expected a URL, a number of fields, two times and a file");
    };
    let from: i64 = from.parse().expect("a time");
    let to: i64 = to.parse().expect("a time");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let rows = match fields.as_str() {
        "1" => runtime.block_on(download::<One>(url, from, to, 1, file)),
        "4" => runtime.block_on(download::<Four>(url, from, to, 4, file)),
        _ => panic!("the program knows records of 1 and 4 fields"),
    };
    assert_eq!(i64::try_from(rows), Ok((to - from) / MINUTE));
}

async fn download<T: Numbers>(url: &str, from: i64, to: i64, fields: usize, file: &str) -> usize {
    let time = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    let mut columns = vec![Field::new("coin", DataType::Utf8, false), Field::new("openDate", time, false)];
    columns.extend((0..fields).map(|index| Field::new(format!("f{index}"), DataType::Float64, true)));
    let schema = Arc::new(Schema::new(columns));
    let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
    let output = File::create(file).expect("a file");
    let mut writer = ArrowWriter::try_new(output, schema.clone(), Some(properties)).expect("a writer");
    let client = reqwest::Client::new();
    let pages = (from..to).step_by(usize::try_from(PAGE).expect("a length")).map(|start| {
        let end = (start + PAGE).min(to) - MINUTE;
        let url = format!("{url}/records?coin=BTC&timeframe=1m&limit=1000&startTime={start}&endTime={end}");
        let request = client.get(url);
        async move { request.send().await.expect("an answer").bytes().await.expect("a body") }
    });
    let mut bodies = futures_util::stream::iter(pages).buffered(20);
    let mut rows = 0;
    while let Some(body) = bodies.next().await {
        let records = serde_json::from_slice::<Series<T>>(&body).expect("a series").data;
        rows += records.len();
        let batch = batch(&records, fields, &schema);
        writer.write(&batch).expect("rows");
    }
    writer.close().expect("a footer");
    rows
}

fn batch<T: Numbers>(records: &[T], fields: usize, schema: &Arc<Schema>) -> RecordBatch {
    let coins = std::iter::repeat_n("BTC", records.len());
    let times = records.iter().map(|record| record.time() * 1_000_000);
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter_values(coins)),
        Arc::new(TimestampMicrosecondArray::from_iter_values(times).with_timezone("UTC")),
    ];
    let mut numbers = vec![Vec::with_capacity(records.len()); fields];
    for record in records {
        for (column, number) in numbers.iter_mut().zip(record.numbers()) {
            column.push(number);
        }
    }
    for column in numbers {
        columns.push(Arc::new(Float64Array::from(column)));
    }
    RecordBatch::try_new(schema.clone(), columns).expect("columns")
}
