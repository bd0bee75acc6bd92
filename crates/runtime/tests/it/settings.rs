//! Tests of settings from a value and from a file, and of the errors for invalid settings.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runtime::transport::{HttpRequest, HttpResponse, SendFuture, Transport};
use runtime::{Builder, ClientSettings, ErrorKind};
use test_service::invented::Client;

/// A file for one test, which is deleted when the value is dropped.
struct File(PathBuf);

impl File {
    fn new(name: &str, text: &str) -> Self {
        let path = std::env::temp_dir().join(format!("generated-client-{}-{name}", std::process::id()));
        fs::write(&path, text).unwrap();
        Self(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        fs::remove_file(&self.0).unwrap();
    }
}

/// Returns the error for a file with this text, without the file's name.
fn error_text(text: &str) -> String {
    let file = File::new("refused.toml", text);
    let error = Builder::<Client>::from_file(&file.0).and_then(Builder::build).unwrap_err();
    let seen = format!("{error} {error:#} {error:?}");
    assert!(!seen.contains("canary"), "{seen}");
    assert_eq!(error.kind(), ErrorKind::Builder);
    error.to_string().replace(&format!("{:?}", file.0.to_string_lossy()), "FILE")
}

/// A transport that stores every request and responds with 503.
#[derive(Clone, Default)]
struct Busy(Arc<Mutex<Vec<HttpRequest>>>);

impl Transport for Busy {
    fn send(&self, request: HttpRequest) -> SendFuture<'_> {
        self.0.lock().unwrap().push(request);
        Box::pin(async { Ok(HttpResponse::new(503, runtime::transport::Headers::new(), "")) })
    }
}

#[tokio::test(start_paused = true)]
async fn settings_file_has_every_builder_setting() {
    let file = File::new(
        "whole.toml",
        r#"
base_url = "https://example.com/v2"
api_key = " canary-key\n"
user_agent = "mine/1"
attempt_timeout = "1m 30s"
timeout = 900
queue_timeout = 2.5
max_body_bytes = 1000
rate_limit = { requests = 1, window = "1h", concurrent = 1 }

[retry]
max_attempts = 2
initial_backoff = 0
max_backoff = 0

[headers]
x-team = "red"
"#,
    );
    let transport = Busy::default();
    let client: Client = Builder::from_file(&file.0).unwrap().transport(transport.clone()).build().unwrap();
    let error = client.raw("/x").await.unwrap_err();
    assert!(error.to_string().contains("(`queue_timeout`)"), "{error}");
    assert_eq!((error.attempts(), error.waited()), (1, Duration::from_millis(2500)));
    let sent = transport.0.lock().unwrap();
    let header = |name| sent[0].headers.get(name);
    assert_eq!(header("x-api-key"), Some("canary-key"));
    assert_eq!((header("user-agent"), header("x-team")), (Some("mine/1"), Some("red")));
    assert_eq!(sent[0].timeout, Duration::from_secs(90));
    assert_eq!(sent[0].max_body_bytes, 1000);
}

#[tokio::test(start_paused = true)]
async fn unset_retry_settings_keep_their_defaults() {
    let file = File::new(
        "retry.toml",
        "base_url = \"https://example.com/v2\"\napi_key = \"canary-key\"\nretry = { max_attempts = 8 }\n",
    );
    let client: Client = Builder::from_file(&file.0).unwrap().transport(Busy::default()).build().unwrap();
    let error = client.raw("/x").await.unwrap_err();
    // The request has waited, so the default delays apply.
    assert!(error.attempts() > 3 && error.waited() > Duration::from_millis(100), "{error}");
}

#[test]
fn wrong_setting_is_named_with_its_line_but_not_its_value() {
    let url = "base_url = \"https://example.com/v2\"\n";
    let table = [
        (String::new(), "FILE:1: missing field `base_url`"),
        (format!("{url}api_key = canary\n"), "FILE:2: "),
        (format!("{url}api_key = \"canary\n"), "FILE:2: "),
        (format!("{url}api_key = 7e3\n"), "FILE:2: expected a quoted string in `api_key`"),
        (format!("{url}api_key = [\"canary\"]\n"), "FILE:2: expected a quoted string in `api_key`"),
        (format!("{url}headers = \"canary\"\n"), "FILE:2: invalid type, expected a map in `headers`"),
        (format!("{url}[headers]\nx-team = 17\n"), "FILE:3: expected a quoted string in `headers.x-team`"),
        (
            format!("{url}allow_http = \"canary, expected\"\n"),
            "FILE:2: invalid type, expected a boolean in `allow_http`",
        ),
        (
            format!("{url}[retry]\nmax_attempts = \"canary\"\n"),
            "FILE:3: invalid type, expected u32 in `retry.max_attempts`",
        ),
        (format!("{url}apikey = \"canary\"\n"), "FILE:2: unknown field `apikey`, expected one of "),
        (
            format!("{url}\nrate_limit = 7\n"),
            "FILE:3: the name of a limit, or `requests`, `window` and `concurrent` in `rate_limit`",
        ),
        (
            format!("{url}\ntimeout = \"soon\"\n"),
            "FILE:3: expected a duration such as \"1m 30s\" or a number of seconds in `timeout`",
        ),
        (format!("{url}timeout = -1\n"), "FILE:2: expected a duration"),
        (format!("{url}rate_limit = \"C\"\n"), "unknown limit set \"C\"; known: `A`, `B`"),
        (format!("{url}client_id = \"canary\"\n"), "`client_secret` is not set, although `client_id` is"),
        (format!("{url}client_secret = \"canary\"\n"), "`client_id` is not set, although `client_secret` is"),
        (format!("{url}root_certificates = [\"nowhere.pem\"]\n"), "cannot read the file \"nowhere.pem\""),
        (url.to_owned(), "the API key is missing; set it with `api_key`"),
    ];
    for (text, expected) in table {
        let text = error_text(&text);
        assert!(text.starts_with(expected), "{text}: {text}");
    }
    let error = Builder::<Client>::from_file("nowhere.toml").unwrap_err();
    assert_eq!(error.to_string(), "cannot read the file \"nowhere.toml\"");
}

#[test]
fn a_key_in_settings_is_not_shown() {
    let json = r#"{"base_url": "https://example.com/v2", "api_key": "canary", "headers": {"a": "canary"}}"#;
    let settings: ClientSettings = serde_json::from_str(json).unwrap();
    assert!(!format!("{settings:?} {settings:#?}").contains("canary"));
    let client: Client = Builder::from_settings(settings).unwrap().build().unwrap();
    assert!(!format!("{client:?}").contains("canary"));
}

/// The builder rejects settings of the built-in transport if a custom transport is set. The rejection proves that a
/// setting was read from the file.
#[test]
fn transport_settings_reach_the_transport() {
    let url = "base_url = \"https://example.com/v2\"\napi_key = \"key\"\n";
    let pem = File::new("any.pem", "not read before the transport is built");
    let path = pem.0.display();
    let table = [
        ("connect_timeout", "connect_timeout = 3".to_owned()),
        ("root_certificate", format!("root_certificates = ['{path}']")),
        ("client_certificate", format!("client_certificate = {{ certificate = '{path}', key = '{path}' }}")),
        #[cfg(feature = "system-roots")]
        ("system_roots", "system_roots = true".to_owned()),
        #[cfg(feature = "proxy")]
        ("proxy", "proxy = \"http://me:canary@p:1\"".to_owned()),
        #[cfg(feature = "proxy")]
        ("proxy", "proxy = \"\"".to_owned()),
    ];
    for (setting, line) in table {
        let file = File::new("transport.toml", &format!("{url}{line}\n"));
        let builder = Builder::<Client>::from_file(&file.0).unwrap().transport(Busy::default());
        let text = builder.build().unwrap_err().to_string();
        assert_eq!(
            text,
            format!("`{setting}` has no effect with a custom `transport`; set it on that transport"),
            "{line}"
        );
    }
}
