//! Tests of server faults, each with its required outcome.
//!
//! Each row describes one attempt on a real socket, with its name, the server's step, the outcome, and words that the
//! error must contain. An outcome is a sum of values, or the phase of an error, with `again` if another attempt may
//! help and `too large` if the body exceeds the maximum size. No attempt may panic, hang, show the key or return a
//! number that was not sent.

use std::time::Duration;

use runtime::{Builder, Error, Retry};
use test_service::ClosedPort;
use test_service::invented::Client;
use tokio::net::TcpListener;

use crate::socket::{DATA, KEY, Server, Step, reply};

type Row = (&'static str, Step, &'static str, &'static str);

/// The maximum duration of a row. Attempts time out after 0.2 s, so a longer duration means that the client hangs.
const HANG: Duration = Duration::from_secs(5);

/// A function that sets the transport of a client.
type Through = fn(Builder<Client>) -> Builder<Client>;

/// Returns the transports with their names. Each row has the same outcome with every transport.
///
/// This requires that reqwest's features for compression are not enabled. Otherwise, reqwest decompresses bodies before
/// this crate can: the error text for a damaged body is different, and extra bytes after a compressed body are not
/// detected.
fn transports() -> Vec<(&'static str, Through)> {
    vec![
        ("built in", |builder| builder.connect_timeout(Duration::from_millis(150))),
        #[cfg(feature = "reqwest")]
        ("reqwest", |builder| {
            let client = reqwest::Client::builder().connect_timeout(Duration::from_millis(150)).no_proxy();
            builder.transport(runtime::transport::ReqwestTransport::from_builder(client).unwrap())
        }),
    ]
}

async fn ask(client: &Client) -> Result<f64, Error> {
    let series = client.market().ratio().symbol("BTC").await?;
    Ok(series.iter().map(|point| point.ratio).sum())
}

async fn outcome(base_url: &str, through: Through) -> (String, String) {
    let builder = Client::builder(base_url).api_key(KEY).allow_http(true).retry(Retry::none()).max_body_bytes(1000);
    let builder = through(builder.attempt_timeout(Duration::from_millis(500)));
    let outcome = tokio::time::timeout(HANG, ask(&builder.build().unwrap())).await;
    match outcome.unwrap() {
        Ok(sum) => (sum.to_string(), String::new()),
        Err(error) => {
            let text = format!("{error:?}");
            assert!(!text.contains("canary"), "{text}");
            assert!(text.len() < 1500, "{text}");
            assert!(!text.contains(['\n', '\r', '\u{1b}']), "{text}");
            let again = match (error.is_retryable(), error.is_body_too_large()) {
                (true, _) => " again",
                (false, true) => " too large",
                (false, false) => "",
            };
            (format!("{:?}{again}", error.kind()), text)
        }
    }
}

async fn check(rows: Vec<Row>) {
    let mut wrong = Vec::new();
    for (transport, through) in transports() {
        for (name, step, expected, words) in rows.clone() {
            let server = Server::start(vec![step]).await;
            let (actual, text) = outcome(&server.base_url, through).await;
            if actual != expected || !text.contains(words) {
                wrong.push(format!("{name}, {transport}: {actual}, not {expected} with {words:?}: {text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns a step that writes a complete response with the status 200.
fn body(body: impl AsRef<[u8]>) -> Step {
    Step::Write(reply("200 OK", body))
}

fn headed(headers: &str, body: impl AsRef<[u8]>) -> Step {
    Step::Write(reply(&format!("200 OK\r\n{headers}"), body))
}

fn status(line: &str) -> Step {
    Step::Write(reply(line, r#"{"message": "canary-key was seen"}"#))
}

fn text(bytes: &str) -> Vec<u8> {
    bytes.into()
}

/// Returns a step that writes a response with one record, whose value is this JSON text.
fn value(json: &str) -> Step {
    body(format!(r#"{{"data": [{{"openDate": 1700000000, "ratio": {json}}}]}}"#))
}

#[tokio::test]
async fn faults_of_connecting() {
    for (name, through) in transports() {
        let check_for = async |base_url: String, expected: &str| {
            assert_eq!(outcome(&base_url, through).await.0, expected, "{name}");
        };
        let check = async |base_url: String| check_for(base_url, "Connect again").await;
        let closed = ClosedPort::occupy().unwrap();
        check(format!("http://{}/v2", closed.address())).await;
        check("http://nowhere.invalid/v2".to_owned()).await;
        if name == "reqwest" {
            // The cases below are only for the built-in transport, because the user's program selects the TLS features
            // of reqwest.
            continue;
        }
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        check(format!("https://{}/v2", listener.local_addr().unwrap())).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let plain = format!("https://{}/v2", listener.local_addr().unwrap());
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::io::AsyncWriteExt::write_all(&mut stream, &reply("400 Bad Request", "")).await.unwrap();
        });
        // Another attempt would get the same response, because the server does not use TLS.
        check_for(plain, "Connect").await;
    }
}

#[tokio::test]
async fn faults_in_headers() {
    let ok = reply("200 OK", DATA);
    let after = |first: &str| Step::Write([first.as_bytes(), &ok].concat());
    let two = format!("200 OK\r\ncontent-length: {}\r\ncontent-length: 5", DATA.len());
    check(vec![
        ("closed at once", Step::Close(text("")), "Headers again", "failed before a status"),
        ("reset at once", Step::Reset(text("")), "Headers again", "failed before a status"),
        ("cut in the status line", Step::Close(text("HTTP/1.1 20")), "Headers again", ""),
        ("cut in a header", Step::Close(text("HTTP/1.1 200 OK\r\ncontent-le")), "Headers again", ""),
        ("reset in a header", Step::Reset(text("HTTP/1.1 200 OK\r\ncontent-le")), "Headers again", ""),
        (
            "another protocol",
            Step::Close(text("SSH-2.0-OpenSSH\r\n")),
            "Headers again",
            "the response is not valid HTTP: ",
        ),
        ("HTTP/2 unasked", Step::Close(text("\0\0\u{12}\u{4}\0\0\0\0\0")), "Headers again", ""),
        ("HTTP/3.7", Step::Close(text("HTTP/3.7 200 OK\r\n\r\n")), "Headers again", "the response is not valid HTTP: "),
        ("silence", Step::NoResponse, "Headers again", "no complete response within 500ms"),
        ("slow head", Step::Trickle(ok.clone()), "Headers again", "no status received"),
        ("head without end", Step::Endless(text("HTTP/1.1 200 OK\r\n"), text("a: b\r\n")), "Headers again", ""),
        ("header without end", Step::Endless(text("HTTP/1.1 200 OK\r\na: "), text("bbbb")), "Headers again", ""),
        ("a line without a colon", headed("no colon", DATA), "Headers again", "the response is not valid HTTP: "),
        ("two lengths", Step::Write(reply(&two, DATA)), "Headers again", "the response is not valid HTTP: "),
        (
            "a length that is not a number",
            Step::Write(text("HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n{}")),
            "Headers again",
            "",
        ),
        (
            "a negative length",
            Step::Write(text("HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n{}")),
            "Headers again",
            "",
        ),
        ("100 first", after("HTTP/1.1 100 Continue\r\n\r\n"), "0.25", ""),
        ("103 first", after("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n"), "0.25", ""),
        ("100 only", Step::Write(text("HTTP/1.1 100 Continue\r\n\r\n")), "Headers again", "no status received"),
        ("101", after("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n"), "Status", "status 101"),
    ])
    .await;
}

#[tokio::test]
async fn unusual_statuses() {
    let long = format!("302 Found\r\nlocation: https://{}/", "x".repeat(2000));
    let elsewhere = "302 Found\r\nlocation: https://canary-key.example.com:8443/x";
    check(vec![
        ("204", Step::Write(text("HTTP/1.1 204 No Content\r\n\r\n")), "-0", ""),
        ("201 with data", Step::Write(reply("201 Created", DATA)), "0.25", ""),
        ("another host", status(elsewhere), "Status", "redirect to the host `**********.example.com`, is not followed"),
        ("a long host", status(&long), "Status", "redirect to the host `xxx"),
        ("another path", status("301 Moved\r\nlocation: /login"), "Status", "another path of the same host"),
        ("nowhere", status("308 Permanent"), "Status", "a redirect to an unknown target"),
        ("garbage", status("307 Temporary\r\nlocation: https://["), "Status", "a redirect to an unknown target"),
        ("304", Step::Write(text("HTTP/1.1 304 Not Modified\r\n\r\n")), "Status", "status 304"),
        ("400", status("400 Bad Request"), "Status", "status 400: ********** was seen"),
        ("401", status("401 Unauthorized"), "Status", "status 401"),
        ("403", status("403 Forbidden"), "Status", "status 403"),
        ("404", status("404 Not Found"), "Status", "status 404"),
        ("422", status("422 Unprocessable"), "Status", "reported as required"),
        ("429", status("429 Too Many\r\nretry-after: 7"), "Status again", "; retry after 7s; "),
        ("500", status("500 Oops"), "Status again", "status 500"),
        ("502", status("502 Bad Gateway"), "Status again", "status 502"),
        ("503", status("503 Busy"), "Status again", "status 503"),
        ("504", status("504 Timeout"), "Status again", "status 504"),
        ("599", status("599 ?"), "Status", "status 599"),
        ("no body", Step::Write(reply("404 Not Found", "")), "Status", "status 404"),
        (
            "a page",
            Step::Write(reply("503 Busy", "<html>\n\u{1b}[31m</html>")),
            "Status again",
            "status 503 with the page; ",
        ),
        ("binary", Step::Write(reply("400 Bad", [0, 159, 146, 150])), "Status", "status 400"),
        ("cut", Step::Close(text("HTTP/1.1 500 Oops\r\ncontent-length: 9\r\n\r\n{")), "Status again", "status 500"),
        (
            "429, cut",
            Step::Close(text("HTTP/1.1 429 Slow\r\nretry-after: 7\r\ncontent-length: 9\r\n\r\n{")),
            "Status again",
            "retry after 7s",
        ),
        (
            "429, stalled",
            Step::Write(text("HTTP/1.1 429 Slow\r\nretry-after: 7\r\ncontent-length: 9\r\n\r\n{")),
            "Status again",
            "retry after 7s",
        ),
        (
            "401, too large",
            Step::Close(text("HTTP/1.1 401 No\r\ncontent-length: 99999999999\r\n\r\n{")),
            "Status",
            "status 401",
        ),
    ])
    .await;
}

#[tokio::test]
async fn faults_in_bodies() {
    let large = "x".repeat(1001);
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let known = "HTTP/1.1 200 OK\r\ncontent-length: 58\r\n\r\n{\"data\": ";
    let over = "exceeds 1000 bytes (`max_body_bytes`)";
    check(vec![
        ("reset", Step::Reset(text(known)), "Body again", "was cut off after 9 bytes"),
        ("slow", Step::Write(text(known)), "Body again", "9 bytes of the body received"),
        ("trickling", Step::Trickle([known.as_bytes(), &[b' '; 40]].concat()), "Headers again", ""),
        ("longer than its content-length", Step::Close([&reply("200 OK", DATA)[..], b"more"].concat()), "0.25", ""),
        ("as large as allowed", body(format!("{DATA:1000}")), "0.25", ""),
        ("large", body(&large), "Body too large", over),
        ("large content-length", headed("content-length: 99999999999", ""), "Headers again", ""),
        ("a body without end", Step::Close(text(&format!("HTTP/1.1 200 OK\r\n\r\n{large}"))), "Body too large", over),
        (
            "chunks without end",
            Step::Endless(text(chunked), text(&"4\r\n    \r\n".repeat(100))),
            "Body too large",
            over,
        ),
        ("a chunk of bad size", Step::Write(text(&format!("{chunked}zz\r\n"))), "Body again", "after 0 bytes"),
        ("a huge chunk", Step::Write(text(&format!("{chunked}ffffffffffffffffff\r\n"))), "Body again", ""),
        ("no last chunk", Step::Close(text(&format!("{chunked}2\r\n{{}}\r\n"))), "Body again", "after 2 bytes"),
    ])
    .await;
}

#[tokio::test]
async fn body_truncated_at_every_byte() {
    let known = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", DATA.len());
    let chunked = format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n", DATA.len());
    for end in 0..DATA.len() {
        let cut = |head: &str| Step::Close(text(&format!("{head}{}", &DATA[..end])));
        check(vec![
            ("known length", cut(&known), "Body again", "was cut off"),
            ("chunked", cut(&chunked), "Body again", "was cut off"),
            ("unknown length", cut("HTTP/1.1 200 OK\r\n\r\n"), "Body again", ""),
        ])
        .await;
    }
}

#[cfg(feature = "gzip")]
#[tokio::test]
async fn faults_in_compressed_bodies() {
    use std::io::Write;
    let gzip = |text: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    };
    let whole = gzip(DATA.as_bytes());
    let damaged = [&whole[..whole.len() - 8], &[1, 2, 3, 4, 5, 6, 7, 8]].concat();
    let encoded = "content-encoding: gzip";
    let mut rows = vec![
        ("whole", headed(encoded, &whole), "0.25", ""),
        ("damaged", headed(encoded, damaged), "Body again", "truncated or corrupt"),
        ("not compressed", headed(encoded, DATA), "0.25", ""),
        ("a bomb", headed(encoded, gzip(&[b' '; 100_000])), "Body too large", "exceeds 1000 bytes"),
        (
            "bytes after the gzip stream",
            headed(encoded, [&whole[..], b"x"].concat()),
            "Body again",
            "truncated or corrupt",
        ),
        ("nothing", headed(encoded, ""), "Decode", "an empty body"),
        ("twice", headed("content-encoding: gzip, gzip", gzip(&whole)), "0.25", ""),
        ("brotli", headed("content-encoding: br", b"\x0b\x02\x80{}\x03"), "Decode", "has the encoding `br`"),
        ("gzip without content-encoding", body(&whole), "0.25", ""),
    ];
    rows.extend(
        (1..whole.len()).map(|end| ("cut", headed(encoded, &whole[..end]), "Body again", "truncated or corrupt")),
    );
    check(rows).await;
}

#[tokio::test]
async fn faults_in_json() {
    let long = "x".repeat(2000);
    let deep = format!("{}1{}", "[".repeat(400), "]".repeat(400));
    let data = |record: &str| body(format!(r#"{{"data": [{record}]}}"#));
    check(vec![
        ("nothing", body(""), "Decode", "an empty body"),
        ("space", body(" \n "), "Decode", "an empty body"),
        ("a page", headed("content-type: text/html", " <html>"), "Decode", "XML of type `text/html` instead"),
        ("HTML declared as JSON", headed("content-type: application/json", "<!doctype>"), "Decode", "is HTML"),
        ("content-encoding: identity", headed("content-encoding: Identity", DATA), "0.25", ""),
        ("a page of a long type", headed(&format!("content-type: {long}"), "<html>"), "Decode", "XML of type"),
        ("a long encoding", headed(&format!("content-encoding: {long}"), b"\x01"), "Decode", "has the encoding `xxx"),
        ("an encoding that means nothing", headed("content-encoding: utf-8", DATA), "0.25", ""),
        ("data declared as HTML", headed("content-type: text/html", DATA), "0.25", ""),
        ("words", headed("content-type: text/plain", "OK"), "Decode", "found the string \"OK\""),
        ("not UTF-8", body(b"{\"data\": [], \"x\": \"\xff\"}"), "Decode", "not UTF-8 from byte 19 on"),
        ("more after the end", body(format!("{DATA}]")), "Decode", "expected the end of the body"),
        ("twice", body(format!("{DATA}{DATA}")), "Decode", "expected the end of the body"),
        ("deep", body(&deep), "Decode", ""),
        ("deep nesting in an unknown field", data(&format!(r#"{{"openDate": 1, "ratio": 1, "x": {deep}}}"#)), "1", ""),
        ("an error with 200", body(r#"{"message": "maintenance"}"#), "Decode", "the service reports: maintenance"),
        ("null", body("null"), "-0", ""),
        ("a list", body("[]"), "Decode", ""),
        ("data is null", body(r#"{"data": null}"#), "-0", ""),
        ("an error without data", body(r#"{"data": null, "message": "no"}"#), "Decode", "the service reports: no"),
        ("a byte order mark", body(format!("\u{feff}{DATA}")), "0.25", ""),
        ("a byte order mark in text", headed("content-type: text/json", format!("\u{feff}{DATA}")), "0.25", ""),
        ("JSON text that ends early", headed("content-type: text/json", &DATA[..30]), "Decode", "ends too early"),
        ("data is a text", body(r#"{"data": "none"}"#), "Decode", "`data`"),
        ("data twice", body(r#"{"data": [], "data": []}"#), "Decode", "`data`"),
        ("empty data", body(r#"{"data": []}"#), "-0", ""),
        ("a record is a number", data("1"), "Decode", "`data[0]`"),
        ("no time", data(r#"{"ratio": 1}"#), "Decode", "`data[0].openDate`"),
        ("no value", data(r#"{"openDate": 1}"#), "Decode", "`data[0].ratio`"),
        ("a field twice", data(r#"{"openDate": 1, "ratio": 1, "ratio": 2}"#), "Decode", "ratio"),
        ("half a surrogate", data(r#"{"openDate": 1, "ratio": "\ud800"}"#), "Decode", "ratio"),
        ("half a surrogate in an unknown field", data(r#"{"openDate": 1, "ratio": 1, "x": "\ud800"}"#), "1", ""),
        (
            "a control character in an unknown field",
            data("{\"openDate\": 1, \"x\": \"\u{1}\"}"),
            "Decode",
            "`data[0].x`",
        ),
        ("milliseconds", data(r#"{"openDate": 1700000000000, "ratio": 1}"#), "Decode", "counts milliseconds"),
        ("the time is a text", data(r#"{"openDate": "1700000000", "ratio": 1}"#), "1", ""),
        ("the time has a point", data(r#"{"openDate": 1.7e9, "ratio": 1}"#), "1", ""),
        ("the time has a fraction", data(r#"{"openDate": 1.5, "ratio": 1}"#), "1", ""),
        ("the time is huge", data(r#"{"openDate": 1e300, "ratio": 1}"#), "Decode", "`data[0].openDate`"),
        ("more fields", data(r#"{"openDate": 1, "ratio": 1, "x": {"y": [1]}}"#), "1", ""),
    ])
    .await;
}

#[tokio::test]
async fn unusual_numbers() {
    check(vec![
        ("as text", value(r#""0.25""#), "0.25", ""),
        ("seventeen digits", value("0.30000000000000004"), "0.30000000000000004", ""),
        ("an exponent", value("25E-2"), "0.25", ""),
        ("very small", value("1e-400"), "0", ""),
        ("too large", value("1e400"), "Decode", ""),
        ("too large as text", value(r#""1e400""#), "Decode", "ratio"),
        ("many digits", value(&"9".repeat(400)), "Decode", ""),
        ("NaN", value("NaN"), "Decode", ""),
        ("NaN as text", value(r#""NaN""#), "Decode", "ratio"),
        ("infinity", value("Infinity"), "Decode", ""),
        ("infinity as text", value(r#""-inf""#), "Decode", "ratio"),
        ("null", value("null"), "Decode", "ratio"),
        ("true", value("true"), "Decode", "ratio"),
        ("a list", value("[0.25]"), "Decode", "ratio"),
        ("an object", value("{}"), "Decode", "ratio"),
        ("an empty text", value(r#""""#), "Decode", "ratio"),
        ("a comma", value(r#""0,25""#), "Decode", "ratio"),
        ("hexadecimal", value("0x10"), "Decode", ""),
        ("a leading zero", value("01"), "Decode", ""),
        ("a plus", value("+1"), "Decode", ""),
        ("a bare point", value("1."), "Decode", ""),
    ])
    .await;
}
