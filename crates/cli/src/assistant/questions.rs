//! Twenty questions of an assistant, asked with the client of the SDK, with the size of each answer.

use clap::Parser;
use rmcp::model::{CallToolRequestParams, ContentBlock, ProgressNotificationParam};
use rmcp::service::{NotificationContext, RoleClient, RunningService};
use rmcp::{ClientHandler, ServiceExt, serve_client};
use serde_json::{Value, json};
use tempfile::TempDir;
use test_endpoints::{Metric, metric, object, other_metric};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::answer::{MAX_TOKENS, tokens};
use crate::command_line::{Command, CommandLine};
use crate::interrupt::Interrupt;
use crate::log::Log;

/// The maximum size of all descriptions.
const MAX_DESCRIPTION_TOKENS: usize = 500;

/// The host of the assistant, which receives the progress of each call.
struct Host {
    progress: UnboundedSender<ProgressNotificationParam>,
}

impl ClientHandler for Host {
    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.progress.send(progress).unwrap();
    }
}

/// A client of the server in this process, and the folder of its files.
struct Assistant {
    client: RunningService<RoleClient, Host>,
    folder: TempDir,
    progress: UnboundedReceiver<ProgressNotificationParam>,
}

/// The answer to a call.
#[derive(Debug)]
struct Answer {
    text: String,
    is_error: bool,
}

impl Assistant {
    /// Starts a server with these options, which uses a sandbox.
    async fn start(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut words = vec!["derivs", "mcp", "--sandbox", folder.path().to_str().unwrap()];
        words.extend(options);
        let Command::Mcp(mcp) = CommandLine::try_parse_from(words).unwrap().command else { unreachable!() };
        let server = mcp.server(Log::Nothing, Interrupt::listen(false).unwrap()).await.unwrap();
        let (server_side, client_side) = tokio::io::duplex(1 << 16);
        tokio::spawn(async move { Box::pin(server.serve(server_side)).await.unwrap().waiting().await.unwrap() });
        let (sender, progress) = unbounded_channel();
        let client = serve_client(Host { progress: sender }, client_side).await.unwrap();
        Self { client, folder, progress }
    }

    #[expect(clippy::print_stdout, reason = "a test shows the size of each answer")]
    async fn ask(&self, tool: &'static str, arguments: Value) -> Answer {
        let request = CallToolRequestParams::new(tool).with_arguments(arguments.as_object().unwrap().clone());
        let result = self.client.call_tool(request).await.unwrap();
        let mut text = String::new();
        for block in &result.content {
            let ContentBlock::Text(block) = block else { panic!("{block:?}") };
            text.push_str(&block.text);
        }
        // `cargo test -p generated-client-cli questions -- --nocapture` shows the size of each answer.
        println!("{:5} bytes, about {:4} tokens: {tool} {arguments}", text.len(), tokens(&text));
        assert!(tokens(&text) <= MAX_TOKENS, "{} tokens: {tool} {arguments}\n{text}", tokens(&text));
        Answer { text, is_error: result.is_error == Some(true) }
    }

    /// Asks, and expects an answer that is no error.
    async fn get(&self, tool: &'static str, arguments: Value) -> String {
        let answer = self.ask(tool, arguments).await;
        assert!(!answer.is_error, "{}", answer.text);
        answer.text
    }

    /// Asks, and expects an error.
    async fn fail(&self, tool: &'static str, arguments: Value) -> String {
        let answer = self.ask(tool, arguments).await;
        assert!(answer.is_error && answer.text.starts_with("error: "), "{}", answer.text);
        answer.text
    }
}

/// The arguments of a fetch of hourly records.
fn hourly(metric: &Metric, keys: &[&str], from: &str, to: &str, file: &str) -> Value {
    let step = metric.step(3600);
    let params = json!({ metric.key.wire_name: keys, metric.history.step: step });
    json!({ "endpoint": metric.name, "params": params, "from": from, "to": to, "file": file })
}

/// The values of a column of CSV that follows a line.
fn column(text: &str, after: &str, name: &str) -> Vec<String> {
    let start = text.find(after).unwrap() + after.len();
    let csv = text[start..].trim_start().split("\n\n").next().unwrap();
    // The last line can name the columns without a value.
    let csv = csv.split("\nno value: ").next().unwrap();
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(csv.as_bytes());
    let index = reader.headers().unwrap().iter().position(|header| header == name).unwrap();
    let mut values = Vec::new();
    for row in reader.records() {
        values.extend(row.unwrap().get(index).map(str::to_owned));
    }
    values
}

#[tokio::test]
async fn descriptions_are_short() {
    let assistant = Assistant::start(&[]).await;
    let tools = assistant.client.list_all_tools().await.unwrap();
    let text = serde_json::to_string(&tools).unwrap();
    // JSON has more signs for each token than an answer: a tokenizer counts 456 for these 1,842 bytes.
    assert!(text.len() / 4 <= MAX_DESCRIPTION_TOKENS, "{} bytes: {text}", text.len());
    assert_eq!(tools.len(), 5);
}

#[tokio::test]
async fn endpoints_are_found_and_described() {
    let assistant = Assistant::start(&[]).await;
    let metric = metric();
    // 1. Which data is there?
    assert!(assistant.get("find_endpoints", json!({})).await.contains(metric.name));
    // 2. Which endpoints are about something?
    let found = assistant.get("find_endpoints", json!({ "words": metric.name })).await;
    assert!(found.contains(metric.name));
    // 3. And if nothing is?
    let none = assistant.fail("find_endpoints", json!({ "words": "no such thing" })).await;
    assert!(none.contains("no endpoint matches `no such thing`"), "{none}");
    // 4. What does an endpoint have?
    let page = assistant.get("describe_endpoint", json!({ "endpoint": metric.name })).await;
    for field in metric.fields() {
        assert!(page.contains(field), "{page}");
    }
    assert!(!page.contains('\u{1b}'));
    // The page has the names of arguments.
    assert!(page.contains("fetch_records") && !page.contains("--"), "{page}");
    // 5. What if its name is misspelt?
    let wrong = format!("{}s", metric.name);
    let error = assistant.fail("describe_endpoint", json!({ "endpoint": wrong })).await;
    assert!(error.contains(&format!("did you mean `{}`?", metric.name)), "{error}");
    // And if it has no history?
    let request = json!({ "endpoint": object().ident, "from": "1d", "file": "day.parquet" });
    let error = assistant.fail("fetch_records", request).await;
    assert!(error.contains("`describe_endpoint` shows whether"), "{error}");
}

#[tokio::test]
async fn complete_ranges_are_fetched_into_files() {
    let assistant = Assistant::start(&[]).await;
    let metric = metric();
    let root = assistant.folder.path().canonicalize().unwrap();
    for file in ["day.csv", "day.jsonl", "day.parquet", "set/"] {
        // 6. Fetch a day of one series.
        let day = hourly(metric, &metric.keys[..1], "2025-01-01", "2025-01-02", file);
        let text = assistant.get("fetch_records", day.clone()).await;
        let path = root.join(file.trim_end_matches('/'));
        assert!(text.contains("not real data"), "{text}");
        assert!(text.contains(&format!("file {}\nrows 24\n", path.display())), "{text}");
        assert!(path.exists());
        assert_eq!(column(&text, "\nseries\n", "missing"), ["0"]);
        // 7. The same again.
        let text = assistant.get("fetch_records", day).await;
        assert!(text.contains("no request needed") && text.contains("rows 24\n"), "{text}");
        // 8. One more day of two series.
        let both = hourly(metric, &metric.keys, "2025-01-01", "2025-01-03", file);
        let text = assistant.get("fetch_records", both).await;
        assert!(text.contains("\nrows 96\n"), "{text}");
        assert_eq!(column(&text, "\nseries\n", "rows"), ["48", "48"]);
        // 9. The last rows, and the first.
        let last = assistant.get("read_rows", json!({ "file": file, "count": 1, "last": true })).await;
        assert_eq!(column(&last, "last 1 of 96 rows\n", metric.time), ["2025-01-02T23:00:00Z"]);
        let first = assistant.get("read_rows", json!({ "file": file, "count": 1 })).await;
        assert_eq!(column(&first, "first 1 of 96 rows\n", metric.time), ["2025-01-01T00:00:00Z"]);
    }
}

/// 10 to 13: figures, rows of a range and of a series, and the report.
#[tokio::test]
async fn figures_are_those_of_the_rows() {
    let assistant = Assistant::start(&[]).await;
    let metric = metric();
    let keys = &metric.keys;
    let fetched = assistant.get("fetch_records", hourly(metric, keys, "2025-01-01", "2025-01-03", "two.parquet")).await;
    let one = json!({ metric.key.wire_name: keys[1] });
    let rows = assistant.get("read_rows", json!({ "file": "two.parquet", "count": 50, "params": one.clone() })).await;
    let field = metric.fields().find(|field| column(&rows, "of 48 rows\n", field)[0].parse::<f64>().is_ok()).unwrap();
    let mut numbers = Vec::new();
    for value in column(&rows, "of 48 rows\n", field) {
        numbers.push(value.parse::<f64>().unwrap());
    }
    assert_eq!(numbers.len(), 48);
    let largest = numbers.iter().copied().reduce(f64::max).unwrap();
    let columns = column(&fetched, "\nfigures of all rows in the file\n", "column");
    let of_second = columns.iter().rposition(|column| column == field).unwrap();
    let stated: f64 = column(&fetched, "\nfigures of all rows in the file\n", "max")[of_second].parse().unwrap();
    assert!((stated - largest).abs() <= largest.abs() * 1e-6, "{stated} {largest}");
    let range = json!({ "file": "two.parquet", "params": one, "from": "2025-01-01T05", "to": "2025-01-01T08" });
    let rows = assistant.get("read_rows", range).await;
    assert_eq!(column(&rows, "first 3 of 3 rows\n", metric.key.wire_name), [keys[1]; 3]);
    let later = json!({ "file": "two.parquet", "from": "2025-02-01", "to": "2025-02-02" });
    let none = assistant.get("read_rows", later).await;
    let expected = "no row in this range; the first row is of 2025-01-01 00:00, the last of 2025-01-02 23:00\n";
    assert!(none.contains(" was never requested, from 2025-02-01") && none.ends_with(expected), "{none}");
    let report = assistant.get("report", json!({ "file": "two.parquet" })).await;
    assert!(report.contains("2 series, 96 records, 0 missing"), "{report}");
}

/// 14. A data set of two endpoints.
#[tokio::test]
async fn rows_of_one_endpoint_are_selected() {
    let assistant = Assistant::start(&[]).await;
    for metric in [metric(), other_metric()] {
        assistant.get("fetch_records", hourly(metric, &metric.keys[..1], "2025-01-01", "2025-01-02", "set")).await;
    }
    let of_one = json!({ "file": "set", "endpoint": metric().name, "count": 2 });
    let rows = assistant.get("read_rows", of_one).await;
    assert!(rows.starts_with("first 2 of 24 rows\n"), "{rows}");
}

/// 15 and 16: a large range.
#[tokio::test]
async fn a_large_range_is_confirmed_first() {
    let assistant = Assistant::start(&["--max-requests", "1"]).await;
    let metric = metric();
    let requests = 2 * metric.requests("2025-01-01", "2025-01-03");
    let mut call = hourly(metric, &metric.keys, "2025-01-01", "2025-01-03", "large.csv");
    let question = assistant.get("fetch_records", call.clone()).await;
    assert!(question.contains(&format!("with `confirm_requests` {requests}")), "{question}");
    for wrong in [0, requests - 1] {
        call["confirm_requests"] = wrong.into();
        let again = assistant.get("fetch_records", call.clone()).await;
        assert!(again.contains("not fetched yet"), "{again}");
    }
    assert!(!assistant.folder.path().join("large.csv").exists());
    for (confirmed, file) in [(requests, "exact.csv"), (requests + 1, "more.csv")] {
        call["confirm_requests"] = confirmed.into();
        call["file"] = file.into();
        let fetched = assistant.get("fetch_records", call.clone()).await;
        assert!(fetched.contains("\nrows 96\n"), "{fetched}");
    }
}

/// The client of the SDK asks for the progress of each call.
#[tokio::test]
async fn the_progress_of_a_fetch_is_sent() {
    let mut assistant = Assistant::start(&[]).await;
    let metric = metric();
    let call = hourly(metric, &metric.keys, "2025-01-01", "2025-01-03", "two.csv");
    assistant.get("fetch_records", call).await;
    let progress = assistant.progress.recv().await.unwrap();
    let requests = u32::try_from(2 * metric.requests("2025-01-01", "2025-01-03")).unwrap();
    assert_eq!(progress.total, Some(requests.into()));
    assert!(progress.progress >= 1.0 && progress.progress <= requests.into(), "{progress:?}");
    let message = progress.message.unwrap();
    assert!(message.contains("records so far, ") && message.contains(&format!("of {requests} requests done")));
    // A slow fetch has sent more than one.
    while assistant.progress.try_recv().is_ok() {}
    assistant.get("read_rows", json!({ "file": "two.csv" })).await;
    let after = assistant.progress.try_recv();
    assert!(after.is_err(), "{after:?}");
}

/// 17 to 19: mistakes, each with what is expected.
#[tokio::test]
async fn mistakes_are_explained() {
    let assistant = Assistant::start(&[]).await;
    let metric = metric();
    let valid = hourly(metric, &metric.keys[..1], "2025-01-01", "2025-01-02", "a.csv");
    let changed = |name: &str, value: Value| {
        let mut call = valid.clone();
        call[name] = value;
        call
    };
    let table = [
        (changed("file", "../a.csv".into()), "invalid file name ../a.csv"),
        (changed("file", "/tmp/a.csv".into()), "invalid file name /tmp/a.csv"),
        (changed("file", "a.txt".into()), "a file must end in .csv"),
        (changed("from", "yesterday".into()), "invalid `from` `yesterday`"),
        (changed("from", Value::Null), "the argument `from` is missing"),
        (changed("form", "2025-01-01".into()), "did you mean `from`?"),
        (changed("params", json!({ "no such": 1 })), "unknown param `no such`"),
        (changed("params", json!({})), metric.history.step),
        (changed("params", "x".into()), "expected an object"),
        (changed("endpoint", "/no/such/path".into()), "unknown endpoint"),
        (changed("confirm_requests", "many".into()), "expected a whole number"),
    ];
    for (call, expected) in table {
        let error = assistant.fail("fetch_records", call).await;
        assert!(error.contains(expected), "{expected}: {error}");
    }
    let step = valid["params"][metric.history.step].as_str().unwrap();
    let unknown = json!({ metric.key.wire_name: metric.keys[0], metric.history.step: format!("{step}r") });
    let error = assistant.fail("fetch_records", changed("params", unknown)).await;
    assert!(error.contains("expected ") && !error.contains("--"), "{error}");
    let error = assistant.fail("read_rows", json!({ "file": "missing.csv" })).await;
    assert!(error.contains("no such file or folder"), "{error}");
    let error = assistant.fail("read_rows", json!({ "file": "a.csv", "count": 51 })).await;
    assert!(error.contains("expected 1 to 50"), "{error}");
    let error = assistant.fail("no_such_tool", json!({})).await;
    assert!(error.contains("unknown tool `no_such_tool`"), "{error}");
    assert_eq!(std::fs::read_dir(assistant.folder.path()).unwrap().count(), 0);
}

/// 20. A range that the service cannot serve completely is never reported as complete.
#[tokio::test]
async fn a_failed_request_is_an_error() {
    let assistant = Assistant::start(&["--fault", "status=404"]).await;
    let metric = metric();
    let call = hourly(metric, &metric.keys[..1], "2025-01-01", "2025-01-02", "a.csv");
    let error = assistant.fail("fetch_records", call).await;
    assert!(error.contains("404") || error.contains("rejected"), "{error}");
}
