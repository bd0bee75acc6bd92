//! Tests of texts from outside: whatever a service or a proxy responds, no output steers a terminal.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use generated_client::Timestamp;
use test_endpoints::metric;

use crate::pipes::get;
use crate::support::{RunOutput, contents, derivs, run_output, text};

/// Escape sequences, a bell, a carriage return, an 8-bit control, and changes of the direction of the text.
const EVIL: &str = "\u{1b}]0;title\u{7}\u{1b}[2J\r\u{9b}31m\u{202e}\u{2066}\u{200f}";

/// Starts a service that returns this response to every request, and returns its URL.
pub(crate) fn service(status: &str, headers: &str, body: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v2", listener.local_addr().unwrap());
    let response =
        format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A client may open a connection without sending a request.
            let response = response.clone();
            std::thread::spawn(move || respond(stream, &response));
        }
    });
    url
}

fn respond(mut stream: TcpStream, response: &str) {
    let request = BufReader::new(stream.try_clone().unwrap());
    for line in request.lines().map_while(Result::ok) {
        if line.is_empty() {
            break;
        }
    }
    // The program may have ended.
    let _ = stream.write_all(response.as_bytes());
}

pub(crate) fn run_at(url: &str, args: &[&str]) -> RunOutput {
    let mut command = derivs(args);
    command.env("MARKET_ANALYTICS_BASE_URL", url).env("MARKET_ANALYTICS_API_KEY", "key");
    run_output(&command.output().unwrap())
}

#[track_caller]
fn check(output: &RunOutput, is_data: bool) {
    // Programs get the data of the service unchanged.
    let out = if is_data { "" } else { &output.out };
    for text in [out, &output.err] {
        let steers = |character: char| {
            character.is_control() && !"\n\t".contains(character) || "\u{202e}\u{2066}\u{200f}".contains(character)
        };
        assert!(!text.contains(steers), "{text:?}");
    }
}

/// The commands that request something.
fn commands(file: &Path) -> Vec<Vec<String>> {
    let owned = |args: Vec<&str>| args.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let hourly = metric().hourly();
    let backfill = [&["backfill"], &*hourly, &["--from", "2d", "--out", text(file)]].concat();
    vec![owned(get(&[])), owned(get(&["--format", "table"])), owned(backfill), owned(vec!["check"])]
}

#[test]
fn responses_do_not_steer_a_terminal() {
    let quoted = serde_json::Value::from(EVIL).to_string();
    let message = format!("{{\"error\": {quoted}, \"message\": {quoted}, \"code\": {quoted}}}");
    let page = format!("<html><title>{EVIL}</title></html>");
    let record = format!("{{\"openDate\": 1700000000, {quoted}: {quoted}}}");
    let series = format!("{{\"data\": [{record}], \"metadata\": {{{quoted}: {quoted}}}, {quoted}: 1}}");
    let wrong = format!("{{\"data\": [{{\"openDate\": {quoted}}}]}}");
    for (status, headers, body) in [
        ("400 Bad Request", "", message.as_str()),
        ("400 Bad Request", "", EVIL),
        ("403 Forbidden", "Content-Type: text/html\r\nServer: a\u{9b}b\r\n", &page),
        ("302 Found", "Location: https://x\u{202e}y.example/\r\n", ""),
        ("200 OK", "", &message),
        ("200 OK", "", EVIL),
        ("200 OK", "", &series),
        ("200 OK", "", &wrong),
    ] {
        let url = service(status, headers, body);
        let folder = tempfile::tempdir().unwrap();
        for args in commands(&folder.path().join("a.csv")) {
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            check(&run_at(&url, &args), args == get(&[]));
        }
    }
}

/// The service has an older time, and its newest records are as old.
#[test]
fn a_clock_that_is_weeks_ahead_is_a_warning() {
    let record = r#"{"openDate": 1751328000}"#;
    let body = format!(r#"{{"data": [{record}], "metadata": {{}}}}"#);
    let url = service("200 OK", "Date: Tue, 01 Jul 2025 12:00:00 GMT\r\n", &body);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.csv");
    for out in [text(&file), "-"] {
        let args = [&["backfill"], &*metric().hourly(), &["--from", "2025-07-01", "--out", out]].concat();
        let output = run_at(&url, &args);
        let warnings = output.err.matches("the clock of this machine is ").count();
        assert!(warnings == 1 && output.err.contains(" ahead of that of the service"), "{}", output.err);
    }
}

/// The clock of this machine does not end a range before a response has shown the time of the service.
#[test]
fn a_clock_that_is_behind_ends_no_range() {
    let hour = 3600;
    let now = (SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() / hour + 3) * hour;
    let date = httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(now + 60));
    let records: Vec<_> = (1..=9).rev().map(|age| format!("{{\"openDate\": {}}}", now - age * hour)).collect();
    let body = format!("{{\"data\": [{}], \"metadata\": {{}}}}", records.join(", "));
    let url = service("200 OK", &format!("Date: {date}\r\n"), &body);
    let newest = Timestamp::from_unix_seconds((now - hour).cast_signed()).to_string();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.csv");
    for out in [text(&file), "-"] {
        let args = [&["backfill"], &*metric().two_hourly(), &["--from", "5h", "--out", out]].concat();
        let output = run_at(&url, &args);
        let written = if out == "-" { output.out } else { contents(&file) };
        assert_eq!(written.matches(&newest).count(), 2, "{out}: {written} {}", output.err);
    }
}

/// Such a header ends the connection before a status arrives. A backfill would try to reach the service for two minutes.
#[test]
fn an_invalid_header_does_not_steer_a_terminal() {
    let url = service("403 Forbidden", "Content-Type: text/html\r\nServer: a\u{1b}b\r\n", EVIL);
    for args in [get(&[]), get(&["--format", "table"]), vec!["check"]] {
        let output = run_at(&url, &args);
        assert_ne!(output.code, Some(0), "{args:?}");
        check(&output, false);
    }
}
