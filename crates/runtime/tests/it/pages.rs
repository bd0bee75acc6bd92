//! Tests of requests whose records are on several pages.

use std::sync::{Arc, Mutex};

use runtime::registry::{BodyInfo, EndpointInfo, HistoryInfo, HistorySource, NextPage, PagesInfo};
use runtime::registry::{Evidence, ParamInfo, Step, TimeUnit, ValueType};
use runtime::transport::HttpRequest;
use runtime::{AnyBody, Dynamic, Timestamp};
use test_service::invented::Request;
use test_service::scripted::{MockResponse, Service, reply};

use crate::ranges::{START, number, query};

const PARAMS: &[ParamInfo] = &[
    ParamInfo::new("cursor", "cursor", ValueType::String, Evidence::Documented),
    ParamInfo::new("offset", "offset", ValueType::Count, Evidence::Documented),
    ParamInfo::new("page", "page", ValueType::Count, Evidence::Documented),
    ParamInfo { allowed_values: &["2", "3"], ..ParamInfo::new("size", "size", ValueType::Count, Evidence::Documented) },
    ParamInfo::new("from", "from", ValueType::Timestamp(TimeUnit::Seconds), Evidence::Documented),
    ParamInfo::new("to", "to", ValueType::Timestamp(TimeUnit::Seconds), Evidence::Documented),
];

static HISTORY: HistoryInfo = HistoryInfo {
    from: "from",
    to: "to",
    limit: "",
    step: "",
    every: Some(Step::seconds(3600)),
    anchor: None,
    oldest: None,
    time_is_end: false,
    includes_start: false,
    sort: None,
    evidence: Evidence::Documented,
};

const fn endpoint(next: NextPage) -> EndpointInfo {
    EndpointInfo {
        path: Some("/list"),
        param_lists: Some(&[PARAMS]),
        body: BodyInfo::Series { record: None, time: Some("openDate"), evidence: Evidence::Documented },
        history_source: HistorySource::Endpoint(&HISTORY),
        pages: Some(PagesInfo { next, size: Some("size") }),
        ..EndpointInfo::new("market", "list", "List")
    }
}

static BY_CURSOR: EndpointInfo = endpoint(NextPage::Cursor { path: "meta.next", param: "cursor" });
static BY_LINK: EndpointInfo = endpoint(NextPage::Link { path: "next_url" });
static BY_OFFSET: EndpointInfo = endpoint(NextPage::Offset { param: "offset", total: Some("count") });
static BY_NUMBER: EndpointInfo = endpoint(NextPage::Number { param: "page", pages: Some("pages"), total: None });

static BY_NUMBER_OF_RECORDS: EndpointInfo =
    endpoint(NextPage::Number { param: "page", pages: None, total: Some("count") });

/// Creates the body of a page with records of these hours, and further members.
fn page(hours: std::ops::Range<i64>, rest: &str) -> MockResponse {
    let records: Vec<_> = hours.map(|hour| format!(r#"{{"openDate": {}}}"#, START + hour * 3600)).collect();
    reply(200, &[], &format!(r#"{{"data": [{}], {rest}}}"#, records.join(", ")))
}

/// A service that returns these pages in turn, and the queries of its requests.
fn service(pages: Vec<(std::ops::Range<i64>, &'static str)>) -> (Arc<Service>, Arc<Mutex<Vec<String>>>) {
    let queries = Arc::new(Mutex::new(Vec::new()));
    let seen = queries.clone();
    let service = Service::new(move |request: &HttpRequest, index| {
        let url = request.url.strip_prefix("https://example.com/v2").unwrap_or("elsewhere");
        seen.lock().unwrap().push(url.to_owned());
        let (hours, rest) = pages.get(index).cloned().unwrap_or((0..0, "\"x\": 0"));
        page(hours, rest)
    });
    (service, queries)
}

/// The result of a request for all pages.
#[derive(Debug, PartialEq)]
struct FetchedPages {
    records: usize,
    is_complete: bool,
    error: Option<String>,
}

async fn all(request: Request<Dynamic>) -> FetchedPages {
    let mut pages = request.all_pages();
    let mut bodies = Vec::new();
    let error = pages.collect_into(&mut bodies).await.err().map(|error| error.to_string());
    let mut records = 0;
    for body in &bodies {
        let AnyBody::Series(series) = body else { panic!("no series: {body:?}") };
        records += series.len();
    }
    assert_eq!(pages.account().records, records as u64);
    FetchedPages { records, is_complete: pages.account().is_complete, error }
}

async fn check(
    endpoint: &'static EndpointInfo,
    pages: Vec<(std::ops::Range<i64>, &'static str)>,
    expected: Result<usize, (usize, &str)>,
    sent: &[&str],
) {
    let (service, queries) = service(pages);
    let outcome = all(service.client().endpoint(endpoint)).await;
    match expected {
        Ok(records) => assert_eq!(outcome, FetchedPages { records, is_complete: true, error: None }),
        Err((records, message)) => {
            assert_eq!((outcome.records, outcome.is_complete), (records, false));
            let error = outcome.error.unwrap_or_default();
            assert!(error.contains(message), "{error}");
        }
    }
    assert_eq!(*queries.lock().unwrap(), sent);
}

#[tokio::test(start_paused = true)]
async fn a_cursor_leads_to_the_next_page() {
    let pages = vec![(0..2, r#""meta": {"next": "a b"}"#), (2..4, r#""meta": {"next": 7}"#), (4..5, r#""meta": {}"#)];
    let sent = ["/list?size=3", "/list?cursor=a%20b&size=3", "/list?cursor=7&size=3"];
    check(&BY_CURSOR, pages, Ok(5), &sent).await;
    let pages = vec![(0..2, r#""meta": {"next": "a"}"#), (2..2, r#""meta": {"next": ""}"#)];
    check(&BY_CURSOR, pages, Ok(2), &["/list?size=3", "/list?cursor=a&size=3"]).await;
}

#[tokio::test(start_paused = true)]
async fn a_cursor_that_repeats_is_an_error() {
    let same = r#""meta": {"next": "a"}"#;
    let sent = ["/list?size=3", "/list?cursor=a&size=3"];
    let error = Err((4, "page 2 leads to a page that was already received: \"a\""));
    check(&BY_CURSOR, vec![(0..2, same), (2..4, same)], error, &sent).await;
}

#[tokio::test(start_paused = true)]
async fn a_link_is_followed_on_the_same_host() {
    let pages = vec![
        (0..2, r#""next_url": "https://example.com/v2/list?cursor=x%3D""#),
        (2..3, r#""next_url": "/v2/list?cursor=y""#),
        (3..4, r#""next_url": null"#),
    ];
    check(&BY_LINK, pages, Ok(4), &["/list?size=3", "/list?cursor=x%3D", "/list?cursor=y"]).await;
    let elsewhere = vec![(0..2, r#""next_url": "https://example.org/v2/list?cursor=x""#)];
    let error = Err((2, "is on another host; requests and the API key are sent only to example.com"));
    check(&BY_LINK, elsewhere, error, &["/list?size=3"]).await;
}

#[tokio::test(start_paused = true)]
async fn an_offset_grows_by_the_received_records() {
    let sent = ["/list?size=3", "/list?offset=3&size=3", "/list?offset=5&size=3"];
    check(&BY_OFFSET, vec![(0..3, r#""count": 6"#), (3..5, r#""count": 6"#), (5..6, r#""count": 6"#)], Ok(6), &sent)
        .await;
    // Without a total, the page before the first empty page is the last.
    check(&BY_OFFSET, vec![(0..3, r#""x": 0"#), (3..5, r#""x": 0"#), (5..5, r#""x": 0"#)], Ok(5), &sent).await;
    let shrinks = vec![(0..3, r#""count": 6"#), (3..5, r#""count": 5"#), (5..5, r#""count": 5"#)];
    let error = Err((5, "the service announced 6 records, and returned 3 pages with 5 records"));
    check(&BY_OFFSET, shrinks, error, &sent).await;
    let ignored = vec![(0..3, r#""count": 6"#), (0..3, r#""count": 6"#)];
    let error = Err((6, "pages 1 and 2 are equal; the service seems to ignore `offset`"));
    let repeated = vec![(0..3, r#""offset": 0, "count": 6"#), (0..3, r#""offset": 3, "count": 6"#)];
    check(&BY_OFFSET, repeated, error, &sent[..2]).await;
    check(&BY_OFFSET, ignored, error, &sent[..2]).await;
}

#[tokio::test(start_paused = true)]
async fn numbered_pages_are_counted() {
    let sent = ["/list?size=3", "/list?page=2&size=3"];
    check(&BY_NUMBER, vec![(0..3, r#""pages": 2"#), (3..5, r#""pages": "2""#)], Ok(5), &sent).await;
    let shrinks = vec![(0..3, r#""pages": 3"#), (3..3, r#""pages": 2"#)];
    let error = Err((3, "the service announced 3 pages, and returned 2 pages with 3 records"));
    check(&BY_NUMBER, shrinks, error, &sent).await;
}

#[tokio::test(start_paused = true)]
async fn an_empty_page_before_an_announced_one_is_not_the_last() {
    let all = r#""pages": 3"#;
    let sent = ["/list?size=3", "/list?page=2&size=3", "/list?page=3&size=3"];
    check(&BY_NUMBER, vec![(0..3, all), (3..3, all), (3..5, all)], Ok(5), &sent).await;
}

#[tokio::test(start_paused = true)]
async fn pages_after_the_first_have_no_total() {
    let (service, queries) = service(vec![(6..8, r#""count": 8"#), (8..8, r#""count": 8"#)]);
    let outcome = all(service.client().endpoint(&BY_NUMBER_OF_RECORDS).query("page", "4")).await;
    assert_eq!(outcome, FetchedPages { records: 2, is_complete: true, error: None });
    assert_eq!(*queries.lock().unwrap(), ["/list?page=4&size=3", "/list?page=5&size=3"]);
    // The service has announced three records, and returns two.
    let pages = vec![(0..2, r#""count": 3"#), (2..2, r#""count": 3"#)];
    let error = Err((2, "the service announced 3 records, and returned 2 pages with 2 records"));
    check(&BY_NUMBER_OF_RECORDS, pages, error, &["/list?size=3", "/list?page=2&size=3"]).await;
}

#[tokio::test(start_paused = true)]
async fn a_page_that_fails_is_requested_again() {
    let service = Service::new(|request: &HttpRequest, index| match index {
        0 => page(0..2, r#""meta": {"next": "a"}"#),
        1..6 => reply(500, &[], "{}"),
        _ => {
            assert!(request.url.ends_with("cursor=a&size=3"), "{}", request.url);
            page(2..3, r#""meta": {}"#)
        }
    });
    let mut pages = service.client().endpoint(&BY_CURSOR).all_pages();
    let mut bodies = Vec::new();
    assert!(pages.collect_into(&mut bodies).await.is_err());
    assert_eq!((bodies.len(), pages.account().is_complete), (1, false));
    while pages.collect_into(&mut bodies).await.is_err() {}
    assert_eq!((pages.account().records, pages.account().pages, pages.account().is_complete), (3, 2, true));
}

#[tokio::test(start_paused = true)]
async fn the_number_of_pages_is_limited() {
    let (service, _) = service(vec![(0..1, r#""meta": {"next": "a"}"#), (1..2, r#""meta": {"next": "b"}"#)]);
    let mut pages = service.client().endpoint(&BY_CURSOR).all_pages().max_pages(2);
    let error = pages.collect_into(&mut Vec::new()).await.unwrap_err().to_string();
    assert!(error.contains("2 pages were received, and another page follows"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_without_pages_is_an_error() {
    let (service, queries) = service(vec![]);
    let outcome = all(service.client().endpoint(<test_service::invented::Ratio as runtime::Endpoint>::INFO)).await;
    assert!(outcome.error.unwrap_or_default().contains("the catalogue defines no pages"));
    assert!(queries.lock().unwrap().is_empty());
}

fn start() -> Timestamp {
    Timestamp::from_unix_seconds(START)
}

/// A service with a record for each hour, of which a page has three.
fn hours(fails_at: Option<&'static str>) -> Arc<Service> {
    Service::new(move |request: &HttpRequest, _| {
        if fails_at.is_some_and(|offset| request.url.contains(offset)) {
            return reply(500, &[], "{}");
        }
        page_of_hours(request)
    })
}

fn page_of_hours(request: &HttpRequest) -> MockResponse {
    let first = (number(request, "from") - START + 3599).div_euclid(3600);
    let last = (number(request, "to") - START).div_euclid(3600);
    let offset = query(request).get("offset").map_or(0, |offset| offset.parse().unwrap());
    let begin = first + offset;
    let end = (begin + 3).min(last + 1).max(begin);
    page(begin..end, &format!(r#""count": {}"#, last + 1 - first))
}

#[tokio::test(start_paused = true)]
async fn a_history_follows_the_pages_of_each_window() {
    let client = hours(None).client();
    let end = Timestamp::from_unix_seconds(START + 50 * 3600);
    let history = client.endpoint(&BY_OFFSET).history(start()..end);
    let all = history.await.unwrap();
    assert_eq!(all.len(), 50);
    assert!(all.report.is_complete(), "{:?}", all.report);
    assert_eq!(all.report.account.delivered, 50);
    assert_eq!(all.report.metadata.len(), 0, "facts about pages are no metadata");
}

#[tokio::test(start_paused = true)]
async fn a_page_that_is_missing_fails_its_window() {
    let client = hours(Some("offset=6")).client();
    let end = Timestamp::from_unix_seconds(START + 50 * 3600);
    let failed = client.endpoint(&BY_OFFSET).history(start()..end).await.unwrap_err();
    assert!(failed.to_string().contains("offset=6"), "{failed}");
    let report = client.endpoint(&BY_OFFSET).history(start()..end).skip_failed_pages().await.unwrap();
    assert!(!report.report.is_complete());
    assert_eq!(report.report.account.failed, 50);
}

/// After a page of the service, the page of a proxy is a passing failure. Otherwise a window with many pages never ends if
/// the proxy fails now and then.
#[tokio::test(start_paused = true)]
async fn a_further_page_is_requested_again_after_an_html_page() {
    let service = Service::new(|request: &HttpRequest, index| {
        if index % 5 == 4 {
            return reply(200, &[("content-type", "text/html")], "<html><body>Maintenance</body></html>");
        }
        page_of_hours(request)
    });
    let end = Timestamp::from_unix_seconds(START + 50 * 3600);
    let all = service.client().endpoint(&BY_OFFSET).history(start()..end).await.unwrap();
    assert_eq!(all.len(), 50);
}
