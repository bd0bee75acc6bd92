//! Tests of faults on demand, as they appear on the wire. The tests of the client's behaviour at each fault are in the
//! client's crate.

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use sandbox::{Rule, Sandbox};
use test_service::invented::REGISTRY;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{NOW, Server};

/// Starts a sandbox with a stopped clock and these rules.
fn server(rules: &[&str]) -> Server {
    let builder = Sandbox::of(&REGISTRY).stop_clock_at(NOW);
    Server::with(rules.iter().fold(builder, |builder, rule| builder.fault(rule.parse().unwrap())))
}

const PATH: &str = "/ratio?symbol=BTC&timeframe=1h&limit=5";
const LEVELS: &str = "/levels?symbol=BTC&timeframe=1h";

async fn connect(server: &Server) -> TcpStream {
    TcpStream::connect(address(server)).await.unwrap()
}

fn address(server: &Server) -> String {
    server.base_url().replace("http://", "").replace("/v2", "")
}

async fn ask(stream: &mut TcpStream) {
    let request = format!("GET /v2{PATH} HTTP/1.1\r\nhost: localhost\r\nx-api-key: key\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
}

/// Sends a request on a new connection. Returns the bytes received until the connection ends, and the error if it ends
/// with one.
async fn raw(server: &Server) -> (String, Result<(), ErrorKind>) {
    let mut stream = connect(server).await;
    ask(&mut stream).await;
    let mut seen = Vec::new();
    let mut buffer = [0; 4096];
    let ending = loop {
        match stream.read(&mut buffer).await {
            Ok(0) => break Ok(()),
            Ok(count) => seen.extend_from_slice(&buffer[..count]),
            Err(error) => break Err(error.kind()),
        }
    };
    (String::from_utf8_lossy(&seen).into_owned(), ending)
}

#[tokio::test]
async fn a_connection_ends_in_each_phase() {
    let whole = server(&[]).get(PATH).await.text;
    let half = &whole[..whole.len().div_ceil(2)];
    for (rule, head, body, ending) in [
        ("cut=request", false, "", Ok(())),
        ("cut=head", true, "", Ok(())),
        ("cut", true, half, Ok(())),
        ("reset=request", false, "", Err(ErrorKind::ConnectionReset)),
        ("reset=head", true, "", Err(ErrorKind::ConnectionReset)),
        ("reset", true, half, Err(ErrorKind::ConnectionReset)),
    ] {
        let (seen, end) = raw(&server(&[rule])).await;
        let (seen_head, seen_body) = seen.split_once("\r\n\r\n").unwrap_or_default();
        assert_eq!((!seen_head.is_empty(), seen_body, end), (head, body, ending), "{rule}: {seen}");
        if head {
            assert!(seen_head.contains(&format!("content-length: {}", whole.len())), "{rule}: {seen_head}");
        }
    }
}

#[tokio::test]
async fn new_connections_are_reset() {
    let server = server(&["2x reset=accept"]);
    for _ in 0..2 {
        // If the reset arrives early, connecting fails; otherwise writing or reading fails.
        let Ok(mut stream) = TcpStream::connect(address(&server)).await else { continue };
        let written = stream.write_all(b"GET /v2/health HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
        assert!(written.is_err() || stream.read_u8().await.is_err());
    }
    assert_eq!(server.get(PATH).await.status, 200);
    assert_eq!(server.sandbox().counts().requests, 1);
}

#[tokio::test]
async fn a_stale_connection_is_closed_when_it_is_used_again() {
    let server = server(&["stale"]);
    let mut stream = connect(&server).await;
    ask(&mut stream).await;
    let mut buffer = [0; 4096];
    assert!(stream.read(&mut buffer).await.unwrap() > 0);
    ask(&mut stream).await;
    while stream.read(&mut buffer).await.unwrap() > 0 {}
    assert_eq!(server.sandbox().counts().requests, 2);
}

#[tokio::test]
async fn a_fault_replaces_the_response() {
    let broken = server(&["1x status=503", "1x redirect", "1x redirect=/login", "1x malformed"]);
    // Only the first matching fault replaces the response, but every matching rule counts the request, so all four
    // rules are used up.
    assert_eq!((broken.get(PATH).await.status, broken.get(PATH).await.status), (503, 200));
    let broken = server(&["1x redirect"]);
    let response = broken.get(PATH).await;
    assert_eq!((response.status, response.code().as_str()), (302, "fault"));
    assert_eq!(response.headers["location"], "https://elsewhere.invalid/");
    let whole = broken.get(PATH).await.text;
    broken.sandbox().set_faults(["malformed".parse::<Rule>().unwrap()]).unwrap();
    let response = broken.get(PATH).await;
    assert_eq!((response.status, &*response.text), (200, &whole[..whole.len() * 2 / 3]));
    assert_eq!(response.headers["content-length"], response.text.len().to_string());
    let unknown = broken.sandbox().set_faults(["/nothing stale".parse().unwrap()]).unwrap_err().to_string();
    assert!(unknown.starts_with("unknown endpoint, path, group or param `/nothing`"), "{unknown}");
    assert_eq!(broken.get(PATH).await.text, response.text, "the previous rules are still active");
    broken.sandbox().set_faults([]).unwrap();
    assert_eq!(broken.get(PATH).await.text, whole);
}

#[tokio::test]
async fn faults_change_records() {
    let nulls = server(&["nulls"]).data(PATH).await;
    let one_null = |row: &serde_json::Value| row.as_object().unwrap().values().filter(|v| v.is_null()).count() == 1;
    assert!(nulls.len() == 5 && nulls.iter().all(one_null), "{nulls:?}");
    let types = server(&["wrong-types"]).data(PATH).await;
    let one_wrong = |row: &serde_json::Value| row.as_object().unwrap().values().filter(|v| !v.is_number()).count() == 1;
    assert!(types.iter().all(one_wrong), "{types:?}");
    let fields = server(&["new-fields", "new-values"]).get(PATH).await.json();
    assert!(fields["data"][4]["sandboxNewField"].is_object() && fields["sandboxNewField"].is_object());
    assert_eq!(fields["metadata"]["exchanges"].as_array().unwrap().last().unwrap(), "sandbox_new_value");
}

#[tokio::test]
async fn records_are_missing_late_or_revised() {
    const PAGE: &str = "/ratio?symbol=BTC&timeframe=1h&limit=500";
    let server = server(&["/ratio 10% missing"]);
    let times =
        |rows: &[serde_json::Value]| rows.iter().map(|row| row["openDate"].as_i64().unwrap()).collect::<Vec<_>>();
    let missing = server.data(PAGE).await;
    assert!((400..480).contains(&missing.len()), "{}", missing.len());
    let start = NOW - 50 * 3600;
    let expected = times(&missing).into_iter().filter(|time| *time >= start).collect::<Vec<_>>();
    assert_eq!(times(&server.data(&format!("{PAGE}&startTime={start}")).await), expected, "the same in every response");

    server.sandbox().set_faults([]).unwrap();
    let all = server.data(PATH).await;
    server.sandbox().set_faults(["late=2h".parse().unwrap()]).unwrap();
    assert_eq!(server.data(PATH).await, all[..3], "the latest two are late");
    server.sandbox().set_faults(["/ratio revised=2h".parse().unwrap()]).unwrap();
    let early = server.data(PATH).await;
    assert_eq!((times(&early), &early[..3]), (times(&all), &all[..3]));
    assert!(early[3..].iter().zip(&all[3..]).all(|(early, last)| early["ratio"] != last["ratio"]), "{early:?}");
}

#[tokio::test]
async fn rules_are_set_over_http() {
    let server = server(&["/ratio 10% status=500"]);
    let root = server.sandbox().page_url();
    let put = async |rules| server.exchange("PUT", format!("{root}sandbox/faults"), &[], rules).await;
    assert_eq!(server.at_root("/sandbox/faults").await.text, "/ratio 10% status=500\n");
    assert_eq!(put("symbol=NONE status=404\n\n/levels status=503\n").await.0, 204);
    for (path, status) in
        [(PATH, 200), ("/ratio?symbol=NONE&timeframe=1h", 404), ("/ratio?symbol=A,NONE", 404), (LEVELS, 503)]
    {
        assert_eq!(server.get(path).await.status, status, "{path}");
    }
    let (status, _, body) = put("late\nsymbols=NONE stale").await;
    let message = String::from_utf8(body).unwrap();
    assert!(status == 422 && message.contains("unknown endpoint, path, group or param `symbols=NONE`"), "{message}");
    assert_eq!(server.at_root("/sandbox/faults").await.text, "symbol=NONE status=404\n/levels status=503\n");
    assert_eq!(put("").await.0, 204);
    assert_eq!((server.get(LEVELS).await.status, server.sandbox().counts().requests), (200, 5));
}

#[tokio::test]
async fn gzip_bomb_is_small_until_it_is_decoded() {
    use std::io::Read;
    let server = server(&["gzip-bomb=8MiB"]);
    let (head, compressed) = server.bytes(PATH).await;
    assert_eq!(head["content-encoding"], "gzip");
    assert!(compressed.len() < 100_000, "{}", compressed.len());
    let mut text = String::new();
    flate2::read::GzDecoder::new(&*compressed).read_to_string(&mut text).unwrap();
    assert!(text.len() > 8 << 20);
    assert!(serde_json::from_str::<serde_json::Value>(&text).unwrap()["data"].is_array());
}

#[tokio::test]
async fn rules_apply_to_their_targets_only() {
    let server = server(&["/ratio status=500", "token status=502", "system status=504"]);
    for (path, status) in [(PATH, 500), (LEVELS, 200), ("/health", 504), ("/nothing", 404)] {
        assert_eq!(server.get(path).await.status, status, "{path}");
    }
    assert_eq!(server.send("POST", "/oauth2/token", &[], "").await.status, 502);
}

#[tokio::test]
async fn same_seed_selects_the_same_requests() {
    let struck = async |seed: u64| {
        let rules = ["/ratio 30% status=503", "/ratio 50% nulls"];
        let builder = Sandbox::of(&REGISTRY).stop_clock_at(NOW).seed(seed);
        let server = Server::with(rules.iter().fold(builder, |builder, rule| builder.fault(rule.parse().unwrap())));
        let mut seen = Vec::new();
        for _ in 0..40 {
            let failed = server.get(PATH).await.status == 503;
            // Requests to other endpoints in between do not change the sequence.
            assert_eq!(server.get("/health").await.status, 200);
            seen.push((failed, server.get(PATH).await.text.contains("null")));
        }
        seen
    };
    let seen = struck(3).await;
    assert_eq!(struck(3).await, seen);
    assert_ne!(struck(4).await, seen);
    let [statuses, nulls] = [seen.iter().filter(|seen| seen.0).count(), seen.iter().filter(|seen| seen.1).count()];
    assert!((4..=20).contains(&statuses) && (10..=30).contains(&nulls), "{statuses} and {nulls} of 40");
}

#[tokio::test]
async fn responses_are_delayed_and_sent_in_pieces() {
    let waiting = server(&["latency=30ms"]);
    let start = Instant::now();
    assert_eq!(waiting.get(PATH).await.status, 200);
    assert!(start.elapsed() >= Duration::from_millis(30));
    let trickling = server(&["/health trickle=1ms"]);
    let start = Instant::now();
    let response = trickling.get("/health").await;
    assert!(response.json()["health"].is_number() && start.elapsed() >= Duration::from_millis(20), "{response:?}");
}

#[tokio::test]
async fn response_is_in_flight_until_it_is_complete() {
    let server = Server::with(Sandbox::of(&REGISTRY).limit_set("B").fault("10x trickle=1h".parse().unwrap()));
    let mut streams = Vec::new();
    for _ in 0..10 {
        let mut stream = connect(&server).await;
        ask(&mut stream).await;
        // Once the headers arrive, the request occupies a slot.
        assert_eq!(stream.read_u8().await.unwrap(), b'H');
        streams.push(stream);
    }
    let response = server.get(PATH).await;
    assert_eq!((response.status, response.headers["retry-after"].as_str()), (429, "1"));
    drop(streams);
    while server.get(PATH).await.status == 429 {
        tokio::task::yield_now().await;
    }
    assert_eq!(server.sandbox().counts().peak_in_flight, 11);
}

#[test]
fn the_readme_has_the_grammar() {
    let readme = include_str!("../../README.md");
    assert!(
        readme.contains(&format!("```text\n{}```", Rule::GRAMMAR)),
        "crates/sandbox/README.md differs from `--help`"
    );
}
