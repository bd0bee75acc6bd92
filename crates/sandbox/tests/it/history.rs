//! Tests of a client's history over a real socket, with faults on demand. The tests check the records and their order,
//! but no duration.

use runtime::{RateLimit, Timestamp, Value};
use sandbox::Sandbox;
use test_service::invented::{Client, REGISTRY, Ratio, Request, Timeframe, limits};

use crate::support::{DAY, NOW};

const MINUTE: i64 = 60;

/// The end of the last full minute before the sandbox's clock.
const END: i64 = NOW - NOW % MINUTE;

/// Every fault from which a client recovers, and a fault that slows the client down.
const FAULTS: [&str; 7] = [
    "all 2% status=503",
    "all 2% cut",
    "all 2% reset",
    "all 2% stale",
    "all 2% trickle=1us",
    "all 2% malformed",
    "all 2% latency=100ms..300ms",
];

fn sandbox(faults: &[&str]) -> Sandbox {
    let builder = Sandbox::of(&REGISTRY).stop_clock_at(NOW).limit_set("A");
    faults.iter().fold(builder, |builder, fault| builder.fault(fault.parse().unwrap())).start().unwrap()
}

fn client(sandbox: &Sandbox, limit: RateLimit) -> Client {
    Client::builder(sandbox.base_url()).api_key("any").rate_limit(limit).build().unwrap()
}

fn ratio(client: &Client) -> Request<Ratio> {
    client.market().ratio().symbol("BTC").timeframe(Timeframe::M1)
}

/// Returns the records of the sandbox, fetched in pages of the maximum size.
async fn truth(from: i64) -> Value {
    let sandbox = Sandbox::of(&REGISTRY).stop_clock_at(NOW).lenient().start().unwrap();
    let client = client(&sandbox, RateLimit::none());
    let mut all = Vec::new();
    for start in (from..END).step_by(10_000 * 60) {
        let page = ratio(&client)
            .start_time(Timestamp::from_unix_seconds(start))
            .end_time(Timestamp::from_unix_seconds(END.min(start + 10_000 * MINUTE) - 1))
            .limit(10_000);
        all.extend(page.await.unwrap());
    }
    assert_eq!(i64::try_from(all.len()).unwrap(), (END - from) / MINUTE);
    serde_json::to_value(all).unwrap()
}

#[tokio::test]
async fn a_history_equals_the_records_of_the_sandbox() {
    let sandbox = sandbox(&[]);
    let history = ratio(&client(&sandbox, limits::SET_A))
        .history(Timestamp::from_unix_seconds(END - 5 * DAY)..Timestamp::from_unix_seconds(END));
    let all = history.clone().collect().await.unwrap();
    assert!(all.report.is_complete(), "{:?}", all.report);
    assert_eq!(serde_json::to_value(&all.records).unwrap(), truth(END - 5 * DAY).await);
    let counts = sandbox.counts();
    // On a busy machine, a request may arrive late, in a full window. It is then rejected and sent again, so rejected
    // requests do not count here.
    assert_eq!(counts.requests - counts.rate_limited, history.plan().unwrap().requests);
}

#[tokio::test]
async fn a_history_recovers_from_every_fault() {
    let sandbox = sandbox(&FAULTS);
    let client = client(&sandbox, limits::SET_A);
    let all = ratio(&client)
        .limit(50)
        .history(Timestamp::from_unix_seconds(END - DAY)..Timestamp::from_unix_seconds(END))
        .collect()
        .await
        .unwrap();
    assert!(all.report.is_complete(), "{:?}", all.report);
    assert_eq!(serde_json::to_value(&all.records).unwrap(), truth(END - DAY).await);
}
