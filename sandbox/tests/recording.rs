//! Recordings are written without secrets, and played again.

#![allow(clippy::panic, clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

mod support;

use std::path::PathBuf;

use sandbox::{Builder, Sandbox, check_recording};
use support::{NOW, Server};

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn builder() -> Builder {
    Sandbox::builder().stop_clock_at(NOW)
}

const PATHS: [&str; 5] = [
    "/volumeRatio?coin=BTC&timeframe=1h&limit=3",
    "/klines?limit=ten",
    "/nothing",
    "/catalog",
    "/klines?coin=DOGE&timeframe=1d&limit=20&exchange=kraken_spot,binance_spot",
];

const KEY: &str = "canary-7f3a9c1e5b";

#[tokio::test]
async fn what_was_recorded_is_played() {
    let path = file("played.yaml");
    let recorded = Server::with(builder().record(&path).bearer_required(true).api_key(KEY)).await;
    let form = [
        ("x-api-key", KEY),
        ("authorization", "Basic Y2FuYXJ5OmNhbmFyeQ=="),
        ("content-type", "application/x-www-form-urlencoded"),
    ];
    let token = recorded.send("POST", "/oauth2/token", &form, "grant_type=client_credentials").await.json();
    let token = token["access_token"].as_str().unwrap().to_owned();
    let bearer = format!("Bearer {token}");
    let headers = [("x-api-key", KEY), ("authorization", bearer.as_str())];
    let mut replies = Vec::new();
    for asked in PATHS {
        replies.push(recorded.send("GET", asked, &headers, "").await);
    }
    assert_eq!(recorded.send("GET", "/ping", &[("x-api-key", "other")], "").await.status, 403);

    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("canary") && !text.contains(&token) && !text.contains("Y2Fu"), "{text}");
    assert_eq!(text.matches("- request: ").count(), PATHS.len(), "tokens and strangers are not recorded: {text}");
    assert!(text.lines().all(|line| line.matches("openDate").count() <= 1), "a record has a line of its own: {text}");
    check_recording(&path).unwrap();

    let played = Server::with(Sandbox::builder().replay(&path)).await;
    for (asked, reply) in PATHS.into_iter().zip(replies).rev() {
        let again = played.get(asked).await;
        assert_eq!((again.status, again.text.replace('\n', "")), (reply.status, reply.text), "{asked}");
        for header in ["content-type", "x-sandbox-invented"] {
            assert_eq!(again.headers.get(header), reply.headers.get(header), "{asked}");
        }
    }
    let unknown = played.get("/volumeRatio?coin=BTC").await;
    assert_eq!((unknown.status, unknown.code().as_str()), (404, "not_recorded"));
    assert!(unknown.text.contains("the recording has no `GET /v2/volumeRatio?coin=BTC`"), "{}", unknown.text);
    assert_eq!(played.send("GET", PATHS[0], &[], "").await.status, 403, "the key is asked for all the same");
}

#[tokio::test]
async fn a_client_plays_it_too_with_faults_and_tokens() {
    let path = file("client.yaml");
    let recorded = builder().record(&path).start().await.unwrap();
    let ask = async |sandbox: &Sandbox| {
        let client = generated_client::Client::builder(sandbox.base_url()).api_key(KEY);
        let client = client.client_credentials("id", "secret").build().unwrap();
        client.orderflow().volume_ratio().coin("BTC").limit(5).await.unwrap().data
    };
    let data = ask(&recorded).await;
    let builder = Sandbox::builder().replay(&path).bearer_required(true).fault("1x status=503".parse().unwrap());
    assert_eq!(ask(&builder.start().await.unwrap()).await, data);
}

#[tokio::test]
async fn what_is_no_recording_is_not_played() {
    let path = file("key.yaml");
    std::fs::write(&path, "- request: GET /v2/ping\n  status: 200\n  headers:\n    x-api-key: hunter2\n").unwrap();
    let error = builder().replay(&path).start().await.unwrap_err().to_string();
    let expected = "key.yaml has what looks like a key or a token, first in line 4:\n  line 4";
    assert!(error.ends_with(expected), "{error}");
    assert_eq!(check_recording(&path).unwrap_err().to_string(), error);
    let error = builder().replay(file("missing.yaml")).start().await.unwrap_err().to_string();
    assert!(error.contains("missing.yaml cannot be read: "), "{error}");
    let error = builder().record(file("no-such-folder/x.yaml")).start().await.unwrap_err().to_string();
    assert!(error.contains("x.yaml cannot be written: "), "{error}");
}

#[tokio::test]
async fn who_cannot_start_takes_no_recording_away() {
    let path = file("kept.yaml");
    let first = Server::with(builder().record(&path)).await;
    first.get(PATHS[0]).await;
    let port = first.base_url().rsplit(':').next().unwrap().trim_end_matches("/v2").parse().unwrap();
    let before = std::fs::read_to_string(&path).unwrap();
    assert!(before.contains("volumeRatio"), "{before}");
    let roundabout = file(".").join("kept.yaml");
    for (refused, expected) in [
        (builder().port(port), "cannot be used"),
        (builder().limit_set("C"), "no limit set `C`"),
        (builder().replay(file("missing.yaml")), "missing.yaml cannot be read"),
        (builder().replay(&path), "kept.yaml cannot be recorded in while it is played"),
        (builder().replay(roundabout), "kept.yaml cannot be recorded in while it is played"),
    ] {
        let error = refused.record(&path).start().await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
    }
    builder().record(&path).start().await.unwrap();
    assert!(!std::fs::read_to_string(&path).unwrap().contains("volumeRatio"), "another recording begins anew");
}
