//! Our backfill, with a client whose transport makes the responses.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dataset::{Backfill, BackfillEvent, Partition, SeriesRequest, Summary, Target};
use runtime::record::{Record, UnknownFields};
use runtime::registry::{
    BodyInfo, EndpointInfo, EnvelopeInfo, Evidence, FieldInfo, HistoryInfo, ParamInfo, RecordInfo, ServiceInfo, Step,
    TimeUnit, TypeInfo, ValueInfo, ValueType,
};
use runtime::transport::{Headers, HttpRequest, HttpResponse, from_fn};
use runtime::{RateLimit, Timestamp};

use crate::responses::{END, MINUTE, MINUTES_OF_A_YEAR, Shape, param, requested_minutes};

const DOCUMENTED: Evidence = Evidence::Documented;
const HOUR: i64 = 60 * MINUTE;

static SERVICE: ServiceInfo = ServiceInfo {
    env_prefix: "BENCH",
    base_url_suffix: "/v1",
    envelope: Some(EnvelopeInfo { data: "data", metadata: Some("metadata"), time: Some("openDate") }),
    history: Some(HistoryInfo {
        from: "startTime",
        to: "endTime",
        limit: "limit",
        step: "timeframe",
        every: None,
        anchor: None,
        oldest: None,
        time_is_end: false,
        includes_start: false,
        evidence: DOCUMENTED,
        sort: None,
    }),
    ..ServiceInfo::new("A service that is made in the same process")
};

runtime::define_client!(crate "backfill", env "BENCH", service SERVICE, metadata Metadata);

/// Metadata of a response, without fields.
#[derive(Clone)]
pub(crate) struct Metadata {
    unknown_fields: UnknownFields,
}

impl Metadata {
    #[allow(clippy::unused_self)] // `define_client!` calls it as a method.
    pub(crate) fn unsupported(&self) -> Vec<String> {
        Vec::new()
    }
}

impl Record for Metadata {
    const INFO: &'static RecordInfo = &RecordInfo::new("Metadata", &[]);
}

runtime::fields!(Metadata);

static TIMEFRAMES: TypeInfo = TypeInfo::new(
    "Timeframe",
    &[
        ValueInfo { step: Some(Step::seconds(60)), ..ValueInfo::new("1m", "", DOCUMENTED) },
        ValueInfo { step: Some(Step::seconds(3600)), ..ValueInfo::new("1h", "", DOCUMENTED) },
    ],
);

const PARAMS: &[ParamInfo] = &[
    ParamInfo::new("coin", "coin", ValueType::String, DOCUMENTED),
    ParamInfo {
        required: Some(DOCUMENTED),
        ..ParamInfo::new("timeframe", "timeframe", ValueType::Named(&TIMEFRAMES), DOCUMENTED)
    },
    // A page has up to two records outside of its range.
    ParamInfo { allowed_values: &["1002"], ..ParamInfo::new("limit", "limit", ValueType::Count, DOCUMENTED) },
    ParamInfo::new("start_time", "startTime", ValueType::Timestamp(TimeUnit::Seconds), DOCUMENTED),
    ParamInfo::new("end_time", "endTime", ValueType::Timestamp(TimeUnit::Seconds), DOCUMENTED),
];

/// Returns the endpoint whose records have this number of fields.
fn endpoint(fields: usize) -> &'static EndpointInfo {
    let time = FieldInfo::new("open_date", "openDate", ValueType::Timestamp(TimeUnit::Seconds), DOCUMENTED);
    let mut all = vec![time];
    for index in 0..fields {
        let name: &'static str = Box::leak(format!("f{index}").into_boxed_str());
        all.push(FieldInfo::new(name, name, ValueType::Number, DOCUMENTED).optional(true));
    }
    let record = Box::leak(Box::new(RecordInfo::new("Bench", Box::leak(all.into_boxed_slice()))));
    Box::leak(Box::new(EndpointInfo {
        path: Some("/records"),
        param_lists: Some(&[PARAMS]),
        body: BodyInfo::Series { record: Some(record), time: Some("openDate"), evidence: DOCUMENTED },
        ..EndpointInfo::new("bench", "records", "Records")
    }))
}

/// Returns a client of a service with a record for each interval, and the number of its requests.
fn client(shape: Shape, interval: i64) -> (Client, Arc<AtomicU64>) {
    let sent = Arc::new(AtomicU64::new(0));
    let count = sent.clone();
    let transport = from_fn(move |request: HttpRequest| {
        count.fetch_add(1, Ordering::Relaxed);
        let body = if interval == MINUTE { shape.body(requested_minutes(&request.url)) } else { hours(&request.url) };
        async move { Ok(HttpResponse::new(200, Headers::new(), body)) }
    });
    let builder = Client::builder("https://example.invalid/v1").transport(transport).rate_limit(RateLimit::none());
    (builder.build().expect("a client"), sent)
}

/// Returns the response to a request for hours. The values are ratios with six decimals, and differ between coins.
fn hours(url: &str) -> String {
    let from = param(url, "startTime=").unwrap_or_default();
    let to = param(url, "endTime=").unwrap_or_default();
    let coin = param(url, "coin=C").unwrap_or_default();
    let mut records = Vec::new();
    for hour in (from + HOUR - 1) / HOUR..=to / HOUR {
        let millionths = scattered(hour * 1_000 + coin) % 1_000_000;
        records.push(format!(r#"{{"openDate":{},"f0":0.{millionths:06}}}"#, hour * HOUR));
    }
    format!(r#"{{"data":[{}]}}"#, records.join(","))
}

/// Returns a number without a visible pattern, by the finalizer of SplitMix64.
fn scattered(number: i64) -> u64 {
    let mut bits = number.unsigned_abs().wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

fn times(minutes: i64) -> std::ops::Range<Timestamp> {
    Timestamp::from_unix_seconds((END - minutes) * MINUTE)..Timestamp::from_unix_seconds(END * MINUTE)
}

async fn run(job: &Backfill) -> Summary {
    job.run(|_: &BackfillEvent| {}, std::future::pending()).await.expect("a complete run")
}

/// Writes the records to a file.
pub(crate) async fn backfill(shape: Shape, folder: &Path) {
    let (client, _) = client(shape, MINUTE);
    write_minutes(&client, shape.fields, shape.records(), &folder.join("ours.parquet")).await;
}

/// Downloads a year of minutes from a server into a file.
pub(crate) async fn download(url: &str, fields: usize, file: &Path) {
    let client = Client::builder(url).rate_limit(RateLimit::none()).build().expect("a client");
    write_minutes(&client, fields, MINUTES_OF_A_YEAR, file).await;
}

async fn write_minutes(client: &Client, fields: usize, minutes: i64, file: &Path) {
    let request = client.endpoint(endpoint(fields)).query("coin", "BTC").query("timeframe", "1m");
    let series = vec![SeriesRequest::new(request).expect("a series")];
    let target = Target::parse(file.to_str().expect("a path")).expect("a target");
    let summary = run(&Backfill::new(series, times(minutes), target)).await;
    assert_eq!(i64::try_from(summary.records), Ok(minutes));
}

/// Writes a year of hours of this many series to a file.
pub(crate) async fn write_series(count: usize, file: &Path) {
    let (client, _) = client(Shape { fields: 1, percent: 100 }, HOUR);
    let target = Target::parse(file.to_str().expect("a path")).expect("a target");
    run(&Backfill::new(series(&client, count), times(MINUTES_OF_A_YEAR), target)).await;
}

/// Returns requests for the hours of this many coins.
fn series(client: &Client, count: usize) -> Vec<SeriesRequest> {
    let endpoint = endpoint(1);
    let mut series = Vec::new();
    for index in 0..count {
        let request = client.endpoint(endpoint).query("coin", format!("C{index}")).query("timeframe", "1h");
        series.push(SeriesRequest::new(request).expect("a series"));
    }
    series
}

/// Prints the requests of the plan, and those that were sent.
pub(crate) async fn requests(folder: &Path) {
    let (client, sent) = client(Shape { fields: 1, percent: 100 }, HOUR);
    let target = Target::parse(&format!("{}/data/", folder.display())).expect("a target");
    let mut job = Backfill::new(series(&client, 300), times(32 * 24 * 60), target);
    job.partition = Some(Partition::Day);
    // As for many more series, the journal is merged several times.
    job.journal_files = 2;
    let plan = job.plan().await.expect("a plan").requests();
    run(&job).await;
    println!("{plan} {}", sent.load(Ordering::Relaxed));
}
