//! The client's history over a real socket, with faults on demand: outcome and order, never how long it takes.

#![allow(clippy::panic, clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

mod support;

use generated_client::orderflow::VolumeRatioRecord;
use generated_client::{Client, Error, Exchange, RateLimit, Series, Timeframe, Timestamp, Value, limits};
use sandbox::{Builder, Sandbox};
use support::{DAY, HOUR, NOW};

const MINUTE: i64 = 60;

/// The last full minute before the sandbox's clock.
const END: i64 = NOW - NOW % MINUTE;

/// Every fault that a client can heal, and one that makes it slow.
const FAULTS: [&str; 7] = [
    "all 2% status=503",
    "all 2% cut",
    "all 2% reset",
    "all 2% stale",
    "all 2% trickle=1us",
    "all 2% malformed",
    "all 2% latency=100ms..300ms",
];

async fn sandbox(faults: &[&str], with: impl FnOnce(Builder) -> Builder) -> Sandbox {
    let builder = with(Sandbox::builder().stop_clock_at(NOW));
    faults.iter().fold(builder, |builder, fault| builder.fault(fault.parse().unwrap())).start().await.unwrap()
}

fn client(sandbox: &Sandbox, limit: RateLimit) -> Client {
    Client::builder(sandbox.base_url()).api_key("any").rate_limit(limit).build().unwrap()
}

fn ratio(client: &Client) -> generated_client::Request<generated_client::orderflow::VolumeRatio> {
    client.orderflow().volume_ratio().exchange(Exchange::BINANCE_PERP_STABLE).coin("BTC").timeframe(Timeframe::M1)
}

/// What the sandbox has, by pages so large that no history asks for them.
async fn truth(from: i64, to: i64) -> Vec<VolumeRatioRecord> {
    let sandbox = sandbox(&[], |builder| builder).await;
    let client = client(&sandbox, RateLimit::none());
    let mut all = Vec::new();
    for start in (from..to).step_by(10_000 * 60) {
        let end = to.min(start + 10_000 * MINUTE) - 1;
        let page: Result<Series<_>, Error> =
            ratio(&client).start_time(Timestamp::from(start)).end_time(Timestamp::from(end)).limit(10_000).await;
        all.extend(page.unwrap());
    }
    assert_eq!(i64::try_from(all.len()).unwrap(), (to - from) / MINUTE);
    all
}

#[tokio::test]
async fn a_range_is_what_the_sandbox_has() {
    let sandbox = sandbox(&[], |builder| builder.limit_set("A")).await;
    let history = ratio(&client(&sandbox, limits::SET_A)).history(END - 20 * DAY..END);
    let all = history.clone().collect().await.unwrap();
    assert!(all.findings.is_complete() && all.findings.refused.is_none(), "{:?}", all.findings);
    assert_eq!(all.records, truth(END - 20 * DAY, END).await);
    let counts = sandbox.counts();
    // On a machine that is busy, a request may arrive late, and into a window that is full.
    assert_eq!(counts.requests - counts.refused, history.plan().unwrap().windows);
}

#[tokio::test]
async fn what_goes_wrong_is_healed() {
    let sandbox = sandbox(&FAULTS, |builder| builder).await;
    let client = client(&sandbox, RateLimit::none());
    let all = ratio(&client).limit(50).history(END - 5 * DAY..END).collect().await.unwrap();
    assert!(all.findings.is_complete(), "{:?}", all.findings);
    assert_eq!(all.records, truth(END - 5 * DAY, END).await);
}

/// One reply with everything is what the pages together have to be: records, metadata and what else the envelope holds.
#[tokio::test]
async fn new_fields_and_values_come_as_they_were_sent() {
    for faults in [&["new-fields"][..], &["new-values"], &["new-fields", "new-values"]] {
        let sandbox = sandbox(faults, |builder| builder).await;
        let client = client(&sandbox, RateLimit::none());
        let all = ratio(&client).history(END - DAY..END).collect().await.unwrap();
        let raw = client.raw("/volumeRatio").query("exchange", "binance_perp_stable").query("coin", "BTC");
        let raw = raw.query("timeframe", "1m").query("limit", 10_000).query("startTime", END - DAY);
        let mut sent: Value = raw.query("endTime", END - 1).await.unwrap();
        let (is_field, is_value) = (faults.contains(&"new-fields"), faults.contains(&"new-values"));
        let records = serde_json::to_value(&all.records).unwrap();
        assert_eq!((all.records.len(), records), (1440, sent["data"].take()));
        assert_eq!(all.records[7].unknown_fields.get("sandboxNewField").is_some(), is_field);
        let [envelope] = all.findings.envelopes.as_slice() else { panic!("{:?}", all.findings.envelopes) };
        assert_eq!(envelope.range, (END - DAY).into()..END.into());
        assert_eq!(envelope.metadata, sent["metadata"]);
        assert_eq!(envelope.metadata["exchanges"].to_string().contains("sandbox"), is_value, "{}", envelope.metadata);
        assert_eq!(envelope.unknown_fields.get("sandboxNewField").is_some(), is_field);
    }
}

#[tokio::test]
async fn an_endpoint_whose_fields_are_unknown_has_a_history_too() {
    let sandbox = sandbox(&[], |builder| builder).await;
    let client = client(&sandbox, RateLimit::none());
    let unknown = client.global_metrics().global_bid_ask().timeframe(Timeframe::H1);
    let end = NOW - NOW % HOUR;
    let all = unknown.history(end - 90 * DAY..end).collect().await.unwrap();
    assert!(all.findings.is_complete(), "{:?}", all.findings);
    let hours: Vec<i64> = all.records.iter().filter_map(|record: &Value| record["openDate"].as_i64()).collect();
    assert_eq!(hours.len(), 90 * 24);
    assert!(hours.windows(2).all(|pair| pair[1] - pair[0] == 3600));
}

#[tokio::test]
async fn data_that_begins_later_is_told() {
    let sandbox = sandbox(&[], |builder| builder).await;
    let client = client(&sandbox, RateLimit::none());
    let days = client.orderflow().volume_ratio().exchange(Exchange::BINANCE_PERP_STABLE).coin("BTC");
    let all = days.timeframe(Timeframe::D1).history(0..NOW).collect().await.unwrap();
    let [gap] = all.findings.gaps.as_slice() else { panic!("{:?}", all.findings.gaps) };
    let begins = all.times[0];
    assert_eq!((gap.range.clone(), begins.to_string().as_str()), (0.into()..begins, "2010-01-01T00:00:00Z"));
    assert_eq!(gap.kind, generated_client::history::GapKind::Beginning);
}
