//! Fetches records with times as text, with a bearer key, from a small server, and from the sandbox with the same
//! catalogue.

mod server;

use case_times_as_text::{Client, REGISTRY, Timestamp};
use sandbox::Sandbox;
use server::Server;

const REPLIES: &[(&str, &str)] = &[
    (
        "/repos/clock/commits",
        r#"[{"sha":"a1","date":"2024-03-01T12:00:00+01:00","seen":1709290800},{"sha":"b2","date":"2024-03-02"}]"#,
    ),
    (
        "/forecast",
        r#"{"days":["2024-03-01","2024-03-02"],"highs":[7.5,null],"sunrise":{"2024-03-01":"2024-03-01T06:05"}}"#,
    ),
];

#[tokio::test]
async fn replies_of_a_server() {
    let server = Server::start(REPLIES);
    let client = Client::builder(&server.address).api_key("secret").build().unwrap();
    let day: Timestamp = "2024-03-01T00:00:00Z".parse().unwrap();
    let commits = client.forge().commits("clock").since(day).await.unwrap();
    let asked = server.asked();
    assert!(asked.starts_with("GET /repos/clock/commits?since=2024-03-01T00:00:00Z HTTP/1.1\n"), "{asked}");
    for header in ["authorization: Bearer secret", "accept: application/vnd.forge+json", "x-forge-version: 2024-03-01"] {
        assert!(asked.contains(&format!("\n{header}")), "{asked}");
    }
    let dates: Vec<_> = commits.iter().map(|commit| commit.date.to_string()).collect();
    assert_eq!(dates, ["2024-03-01T11:00:00Z", "2024-03-02T00:00:00Z"]);
    assert_eq!(commits[0].seen, Some(commits[0].date));
    let forecast = client.forge().forecast(day).hourly(["rain", "wind"]).await.unwrap();
    let target = "GET /forecast?hourly=rain&hourly=wind&timezone=UTC&start_date=2024-03-01 ";
    assert!(server.asked().starts_with(target), "{}", server.asked());
    assert_eq!((forecast.days[0], forecast.highs), (day, vec![Some(7.5), None]));
    assert_eq!(forecast.sunrise["2024-03-01"].to_string(), "2024-03-01T06:05:00Z");
    let without_key = Client::builder(&server.address).build().unwrap();
    without_key.forge().commits("clock").await.unwrap();
    assert!(!server.asked().contains("authorization"));
    let debug = format!("{client:?}");
    assert!(!debug.contains("secret"), "{debug}");
}

#[tokio::test]
async fn replies_of_the_sandbox() {
    let sandbox = Sandbox::of(&REGISTRY).start().unwrap();
    let client = Client::builder(sandbox.base_url()).api_key("any").build().unwrap();
    let commits = client.forge().commits("clock").await.unwrap();
    assert!(!commits.is_empty() && commits.is_sorted_by_key(|commit| commit.date));
    let day = Timestamp::from_unix_seconds(1_709_251_200);
    let forecast = client.forge().forecast(day).hourly(["rain", "wind"]).await.unwrap();
    assert!(!forecast.days.is_empty() && !forecast.highs.is_empty() && !forecast.sunrise.is_empty());
}
