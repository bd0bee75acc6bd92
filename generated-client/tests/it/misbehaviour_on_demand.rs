//! Tests the effect of each fault of the sandbox on the client. `misbehaviour.rs` of the runtime tests faults that the
//! sandbox cannot cause.
//!
//! Each row is a rule, the outcome of one attempt, and words that the error must contain. An outcome is the number of
//! records, or the kind of the error, with `again` if another attempt may succeed.

use std::time::Duration;

use generated_client::{Client, Error, REGISTRY, Retry, Timeframe};
use sandbox::{Rule, Sandbox};

const KEY: &str = "canary-key";

fn sandbox(rules: &[&str]) -> Sandbox {
    let builder = Sandbox::of(&REGISTRY).api_key(KEY);
    rules.iter().fold(builder, |builder, rule| builder.fault(rule.parse().unwrap())).start().unwrap()
}

async fn ask(client: &Client) -> Result<usize, Error> {
    Ok(client.orderflow().volume_ratio().coin("BTC").timeframe(Timeframe::H1).limit(5).await?.records.len())
}

fn described(outcome: Result<usize, Error>) -> (String, String) {
    match outcome {
        Ok(records) => (records.to_string(), String::new()),
        Err(error) => {
            let text = format!("{error:?}");
            assert!(!text.contains("canary"), "{text}");
            (format!("{:?}{}", error.kind(), if error.is_retryable() { " again" } else { "" }), text)
        }
    }
}

/// Returns the names of all faults of the sandbox.
fn faults() -> Vec<&'static str> {
    let lines = Rule::GRAMMAR.split("FAULT is one of\n").nth(1).unwrap().lines();
    let names = lines.map(|line| line.split([' ', '=']).find(|word| !word.is_empty()).unwrap()).collect::<Vec<_>>();
    assert!(names.len() >= 13, "{names:?}");
    names
}

#[tokio::test]
async fn each_fault_has_its_outcome_without_retries() {
    let rows = [
        ("0% status=500", "5", ""),
        ("latency=1h", "Headers again", "no status received"),
        ("latency=1ms..5ms", "5", ""),
        ("status=503", "Status again", "status 503"),
        ("status=422", "Status", "a fault rule matches the request"),
        ("redirect", "Status", "redirect to the host `elsewhere.invalid`, is not followed"),
        ("redirect=/login", "Status", "another path of the same host"),
        ("malformed", "Decode", ""),
        ("nulls", "Decode", "`data[0]."),
        ("wrong-types", "Decode", "`data[0]."),
        ("new-fields", "5", ""),
        ("new-values", "5", ""),
        ("trickle=1h", "Body again", "0 bytes of the body received"),
        ("cut=request", "Headers again", "failed before a status"),
        ("cut=head", "Body again", "was cut off after 0 bytes"),
        ("cut=body", "Body again", "was cut off after"),
        ("reset=request", "Headers again", "failed before a status"),
        ("reset=head", "Body again", "was cut off after 0 bytes"),
        ("reset=body", "Body again", "was cut off after"),
        ("stale", "5", ""),
        ("missing", "0", ""),
        ("late=1h", "4", ""),
        ("revised=1h", "5", ""),
        #[cfg(feature = "gzip")]
        ("gzip-bomb=1MiB", "Body", "exceeds 1000 bytes (`max_body_bytes`)"),
    ];
    for fault in faults() {
        let has_row = rows.iter().any(|(rule, ..)| rule.rsplit(' ').next().unwrap().starts_with(fault));
        // Without the feature, the client does not decompress bodies, so `gzip-bomb` has no row.
        assert!(has_row || fault == "gzip-bomb" && cfg!(not(feature = "gzip")), "`{fault}` has no row");
    }
    let mut wrong = Vec::new();
    for (rule, expected, words) in rows {
        let sandbox = sandbox(&[rule]);
        let builder = Client::builder(sandbox.base_url()).api_key(KEY).retry(Retry::none()).max_body_bytes(1000);
        let (actual, text) =
            described(ask(&builder.attempt_timeout(Duration::from_millis(500)).build().unwrap()).await);
        if actual != expected || !text.contains(words) {
            wrong.push(format!("{rule}: {actual}, expected {expected} with {words:?}: {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn request_succeeds_on_the_second_attempt() {
    for rule in [
        "1x status=503",
        "1x cut=request",
        "1x cut",
        // The phase of this error is random, so the table above has no row for it.
        "1x reset=accept",
        "1x reset=head",
        "1x reset=body",
        "/volumeRatio 2x status=502",
    ] {
        let sandbox = sandbox(&[rule]);
        let client = Client::builder(sandbox.base_url()).api_key(KEY).build().unwrap();
        assert_eq!(described(ask(&client).await).0, "5", "{rule}");
    }
}

#[tokio::test]
async fn unknown_values_are_kept() {
    let sandbox = sandbox(&["new-values"]);
    let client = Client::builder(sandbox.base_url()).api_key(KEY).build().unwrap();
    let ratios = client.orderflow().volume_ratio().coin("BTC").timeframe(Timeframe::H1).limit(5).await.unwrap();
    assert!(ratios.metadata.exchanges.iter().any(|venue| venue.as_str() == "sandbox_new_value"));
    assert_eq!(ratios.records.len(), 5);
}

#[tokio::test]
async fn stale_connection_is_not_reported() {
    let sandbox = sandbox(&["stale"]);
    let client = Client::builder(sandbox.base_url()).api_key(KEY).build().unwrap();
    for _ in 0..3 {
        assert_eq!(described(ask(&client).await).0, "5");
    }
}

#[tokio::test]
async fn token_request_that_fails_is_retried() {
    let rules = ["token 1x cut", "token 1x status=503"];
    let builder = rules.iter().fold(Sandbox::of(&REGISTRY), |builder, rule| builder.fault(rule.parse().unwrap()));
    let sandbox = builder.bearer_required(true).start().unwrap();
    let client = Client::builder(sandbox.base_url()).api_key(KEY).client_credentials("id", "secret").build().unwrap();
    assert_eq!(described(ask(&client).await).0, "5");
}
