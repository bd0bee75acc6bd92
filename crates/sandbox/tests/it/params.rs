//! Tests of rejected params and of time ranges.

use sandbox::{Builder, Sandbox};
use test_service::invented::REGISTRY;

use crate::catalogue;
use crate::support::{HOUR, NOW, Server};

const RATIO: &str = "/ratio?symbol=BTC&timeframe=1h";

fn builder() -> Builder {
    Sandbox::of(&REGISTRY).stop_clock_at(NOW)
}

/// Checks the code and the message of a 422 response; with `None`, expects a success.
async fn check(server: &Server, path: &str, expected: Option<(&str, &str)>) {
    let response = server.get(path).await;
    match expected {
        None => assert_eq!(response.status, 200, "{path}: {}", response.text),
        Some((code, words)) => {
            assert_eq!((response.status, response.code().as_str()), (422, code), "{path}");
            assert!(response.text.replace('\\', "").contains(words), "{path}: {}", response.text);
        }
    }
}

#[tokio::test]
async fn a_response_with_status_405_lists_the_methods() {
    let server = Server::start();
    for path in [RATIO, "/oauth2/token"] {
        let response = server.send("DELETE", path, &[("x-api-key", "key")], "").await;
        assert_eq!((response.status, response.code().as_str()), (405, "unknown_method"), "{path}");
        let methods = if path == RATIO { "GET, HEAD" } else { "POST" };
        assert_eq!(response.headers.get("allow").map(String::as_str), Some(methods), "{path}");
    }
}

/// Requests that are rejected unless the sandbox is lenient.
const REPORTED: [(&str, &str, &str); 6] = [
    ("/ratio?symbol=BTC", "missing_param", "`timeframe` is missing"),
    ("/ratio?timeframe=1h&symbol=", "missing_param", "`symbol` is missing"),
    ("/ratio?symbol=BTC&timeframe=1h&limit=7", "invalid_param", "`limit` has to be one of `5`, `50`, `500`, not \"7\""),
    ("/ratio?symbol=BTC&timeframe=1h&depth=7", "unknown_param", "the endpoint has no param `depth`"),
    (
        "/ratio?symbol=BTC&timeframe=1h&startTime=1700000000000",
        "invalid_param",
        "`startTime` is in seconds, but \"1700000000000\" looks like milliseconds",
    ),
    ("/ratio?symbol=BTC&timeframe=1h&startTime=-1700000000000", "invalid_param", "looks like milliseconds"),
];

#[tokio::test]
async fn reported_facts_are_enforced_unless_lenient() {
    let (strict, lenient) = (Server::with(builder()), Server::with(builder().lenient()));
    for (path, code, words) in REPORTED {
        check(&strict, path, Some((code, words))).await;
        check(&lenient, path, None).await;
    }
    for path in ["&exchange=west_spot", "&limit=5&exchange=north_spot,west_spot", "&startTime=0&endTime=-5&sort=asc"] {
        check(&strict, &format!("{RATIO}{path}"), None).await;
    }
}

#[tokio::test]
async fn values_of_a_wrong_type_are_rejected_even_if_lenient() {
    let (strict, lenient) = (Server::with(builder()), Server::with(builder().lenient()));
    for (query, words) in [
        ("&timeframe=2h", "is repeated"),
        ("&limit=-1", "`limit` has to be a count"),
        ("&limit=ten", "`limit` has to be a count"),
        ("&limit=", "`limit` has to be a count"),
        ("&startTime=9223372036854775808", "`startTime` has to be a timestamp"),
        ("&endTime=1.5", "`endTime` has to be a timestamp"),
        ("&symbol=ETH", "`symbol` is repeated"),
    ] {
        for server in [&strict, &lenient] {
            check(server, &format!("{RATIO}{query}"), Some(("invalid_param", words))).await;
        }
    }
    let of_closed_type = "`timeframe` has to be one of `1m`, `1h`, not \"2h\"";
    check(&lenient, "/ratio?timeframe=2h", Some(("invalid_param", of_closed_type))).await;
}

#[tokio::test]
async fn unknown_values_of_open_types_are_rejected_on_request() {
    let server = Server::with(builder().only_known_values());
    check(&server, &format!("{RATIO}&exchange=north_spot"), None).await;
    let words = "`exchange` has to be one of `north_spot`, not \"west_spot\"";
    check(&server, &format!("{RATIO}&exchange=north_spot,west_spot"), Some(("invalid_param", words))).await;
    check(&server, REPORTED[0].0, Some((REPORTED[0].1, REPORTED[0].2))).await;
}

#[tokio::test]
async fn values_of_a_path_and_rejected_values_are_checked() {
    let server = Server::with(Sandbox::of(&catalogue::registry()).only_known_values());
    for (path, status) in [
        ("/stations/north/report?level=1", 200),
        ("/stations/west/report", 422),
        ("/stations/north/report?colour=blue", 200),
        ("/stations/north/report?colour=red", 422),
        ("/stations/north/report?level=3", 422),
        ("/stations/north/report?code=north", 422),
    ] {
        let response = server.send("GET", path, &[("x-station-key", "any")], "").await;
        assert_eq!(response.status, status, "{path}: {}", response.text);
    }
}

async fn times(server: &Server, query: &str) -> Vec<i64> {
    let data = server.data(&format!("{RATIO}{query}")).await;
    data.iter().map(|row| row["openDate"].as_i64().unwrap()).collect()
}

#[tokio::test]
async fn a_range_has_the_latest_records_that_begin_in_it() {
    let server = Server::with(builder().lenient());
    let full = NOW - NOW % HOUR;
    let hours = |ago: std::ops::RangeInclusive<i64>| ago.rev().map(|ago| full - ago * HOUR).collect::<Vec<_>>();
    let table = [
        (String::new(), hours(1..=50)),
        ("&limit=3".to_owned(), hours(1..=3)),
        (format!("&limit=2&endTime={}", full - 5 * HOUR), hours(5..=6)),
        (format!("&limit=2&endTime={}", full - 5 * HOUR - 1), hours(6..=7)),
        (format!("&startTime={}", full - 2 * HOUR), hours(1..=2)),
        (format!("&startTime={}", full - 2 * HOUR + 1), hours(1..=1)),
        (format!("&startTime={}&endTime={}", full - 4 * HOUR, full - 3 * HOUR), hours(3..=4)),
        ("&limit=0".to_owned(), Vec::new()),
        ("&startTime=1700000000&endTime=1600000000".to_owned(), Vec::new()),
        // The last second before the data begins, in 2010.
        ("&endTime=1262303999".to_owned(), Vec::new()),
        (format!("&endTime={}", i64::MIN), Vec::new()),
        (format!("&startTime={}", i64::MAX), Vec::new()),
    ];
    for (query, expected) in table {
        assert_eq!(times(&server, &query).await, expected, "{query}");
    }
    assert_eq!(times(&server, "&limit=99999999999999999999").await.len(), 10_000);
}

#[tokio::test]
async fn clock_can_stop_at_any_time() {
    for time in [i64::MIN, -1, i64::MAX] {
        let server = Server::with(builder().stop_clock_at(time));
        for path in [RATIO, "/health", "/levels?symbol=BTC&timeframe=1m"] {
            assert_eq!(server.get(path).await.status, 200, "{time}: {path}");
        }
    }
}
