//! A service that reports its status in the body of a 200, and whose records are columns.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runtime::registry::{
    BodyInfo, EndpointInfo, ErrorBodyInfo, Evidence, FieldInfo, HistoryInfo, HistorySource, ParamInfo, RecordInfo,
    RecordLayout, ServiceInfo, Step, TimeUnit, ValueType,
};
use runtime::transport::{Headers, HttpRequest, HttpResponse, from_fn};
use runtime::{AnyClient, Retry, Timestamp};
use tokio::time::Instant;

const SECONDS: ValueType = ValueType::Timestamp(TimeUnit::Seconds);
const KNOWN: Evidence = Evidence::Documented;

static SERVICE: ServiceInfo = ServiceInfo {
    error_body: ErrorBodyInfo::new(&["msg"]).code(&["code"]).success(&["0"]).rate_limited(&["50011"]),
    ..ServiceInfo::new("Columns")
};

static CANDLE: RecordInfo = RecordInfo {
    layout: RecordLayout::Columns,
    ..RecordInfo::new(
        "Candle",
        &[FieldInfo::new("t", "t", SECONDS, KNOWN), FieldInfo::new("c", "c", ValueType::Number, KNOWN)],
    )
};

static HISTORY: HistoryInfo = HistoryInfo {
    from: "from",
    to: "",
    limit: "limit",
    step: "",
    every: Some(Step::seconds(60)),
    anchor: None,
    oldest: None,
    time_is_end: false,
    includes_start: false,
    sort: None,
    evidence: KNOWN,
};

static CANDLES: EndpointInfo = EndpointInfo {
    path: Some("/candles"),
    data: Some("data"),
    param_lists: Some(&[&[
        ParamInfo::new("from", "from", SECONDS, KNOWN),
        ParamInfo::new("limit", "limit", ValueType::Count, KNOWN),
    ]]),
    body: BodyInfo::Series { record: Some(&CANDLE), time: Some("t"), evidence: KNOWN },
    history_source: HistorySource::Endpoint(&HISTORY),
    ..EndpointInfo::new("market", "candles", "Candles")
};

/// Returns at most 100 candles from the requested start.
fn candles(request: &HttpRequest) -> String {
    let from = request.url.split("from=").nth(1).and_then(|rest| rest.split('&').next()?.parse().ok());
    let first = from.unwrap_or(0_i64).max(0) / 60 * 60;
    let times: Vec<_> = (0..100).map(|index| first + 60 * index).filter(|time| *time < 60_000).collect();
    let closes: Vec<_> = times.iter().map(|time| time / 60).collect();
    format!(r#"{{"code":"0","msg":"","fee":0.10,"max":1e999,"data":{{"t":{times:?},"c":{closes:?},"s":"ok"}}}}"#)
}

/// Creates a client whose first request gets this body with `Retry-After: 7`.
fn client(body: &'static str, times: Arc<Mutex<Vec<Instant>>>) -> AnyClient {
    let sent = AtomicUsize::new(0);
    let transport = from_fn(move |request: HttpRequest| {
        times.lock().unwrap().push(Instant::now());
        let is_refused = sent.fetch_add(1, Ordering::Relaxed) == 0;
        let text = if is_refused { body.to_owned() } else { candles(&request) };
        let mut headers = Headers::new();
        if is_refused {
            headers.insert("retry-after", "7").unwrap();
        }
        async move { Ok(HttpResponse::new(200, headers, text)) }
    });
    AnyClient::builder(&SERVICE, "http://localhost/x").allow_http(true).transport(transport).build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn history_waits_after_a_rate_limit_in_a_body() {
    let times = Arc::default();
    let client = client(r#"{"code":"50011","msg":"Too many requests"}"#, Arc::clone(&times));
    let range = Timestamp::from_unix_seconds(0)..Timestamp::from_unix_seconds(60_000);
    let all = client.endpoint(&CANDLES).history(range).collect().await.unwrap();
    assert_eq!((all.records.len(), all.report.gaps.len()), (1000, 0));
    // The code is a fact about each response, not about its records. The message may be more than the status.
    let unknown: Vec<_> = all.report.metadata.iter().map(|page| page.unknown_fields.as_json()).collect();
    assert_eq!(unknown, [r#"{"msg":"","fee":0.10,"max":1e999,"data":{"s":"ok"}}"#]);
    let times = times.lock().unwrap();
    assert!(times[1] - times[0] >= Duration::from_secs(7), "{times:?}");
}

#[tokio::test(start_paused = true)]
async fn rate_limit_in_a_body_pauses_all_requests() {
    let times = Arc::default();
    let client = client(r#"{"code":"50011","msg":"Too many requests"}"#, Arc::clone(&times));
    let error = client.endpoint(&CANDLES).retry(Retry::none()).await.unwrap_err();
    assert!(error.is_rate_limited() && error.is_retryable() && error.status() == Some(200), "{error}");
    assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
    client.endpoint(&CANDLES).await.unwrap();
    let times = times.lock().unwrap();
    assert!(times[1] - times[0] >= Duration::from_secs(7), "{times:?}");
}

#[tokio::test(start_paused = true)]
async fn other_status_in_a_body_is_final() {
    let times = Arc::default();
    let client = client(r#"{"code":"51001","msg":"No such market"}"#, Arc::clone(&times));
    let error = client.endpoint(&CANDLES).await.unwrap_err();
    assert!(!error.is_rate_limited() && !error.is_retryable(), "{error}");
    assert_eq!(times.lock().unwrap().len(), 1);
}
