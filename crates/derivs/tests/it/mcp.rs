//! Tests of `mcp` as a host runs it: JSON messages on standard input and output.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Stdio};

use serde_json::{Value, json};
use test_endpoints::{metric, option};

use crate::support::{derivs, run, text};

/// A running server.
struct Server {
    process: Child,
    answers: BufReader<ChildStdout>,
    requests: u64,
}

impl Server {
    /// Starts a server, and agrees with it on a version of the protocol.
    fn start(args: &[&str]) -> Self {
        let mut command = derivs(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        let mut server = Self { process, answers, requests: 0 };
        let client = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        let agreed = server.ask("initialize", &params);
        assert_eq!(agreed["result"]["serverInfo"]["name"], "derivs", "{agreed}");
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    fn send(&mut self, message: &Value) {
        let mut stdin = self.process.stdin.as_ref().unwrap();
        writeln!(stdin, "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.requests += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.requests, "method": method, "params": params }));
        let answer = self.receive();
        assert_eq!(answer["id"], self.requests, "{answer}");
        answer
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        line.parse().unwrap()
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))["result"].take()
    }

    /// Closes standard input, and returns the exit code and the messages.
    fn end(mut self) -> (Option<i32>, String) {
        drop(self.process.stdin.take());
        let output = self.process.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

#[test]
fn an_assistant_fetches_a_file_that_other_commands_read() {
    let folder = tempfile::tempdir().unwrap();
    let metric = metric();
    let mut server = Server::start(&["mcp", "--sandbox", text(folder.path())]);
    let tools = server.ask("tools/list", &json!({}));
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 5);
    let params = json!({ metric.key.wire_name: metric.keys[0], metric.history.step: metric.step(3600) });
    let mut call = json!({ "endpoint": metric.name, "params": params, "from": "2025-01-01", "to": "2025-01-02" });
    call["file"] = "day.csv".into();
    let fetched = server.call("fetch_records", &call);
    assert_eq!(fetched["isError"], false, "{fetched}");
    call["file"] = "../day.csv".into();
    let refused = server.call("fetch_records", &call);
    assert!(refused["isError"] == true && refused.to_string().contains("invalid file name"), "{refused}");
    let (code, messages) = server.end();
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    let file = folder.path().join("day.csv");
    let exported = run(&["export", text(&file), option(metric.key.wire_name), metric.keys[0]]);
    assert_eq!((exported.code, exported.rows().len()), (Some(0), 24), "{}", exported.err);
}

/// A call without a token gets only its answer, as the other tests show.
#[test]
fn a_call_with_a_token_gets_its_progress() {
    let folder = tempfile::tempdir().unwrap();
    let metric = metric();
    let mut server = Server::start(&["mcp", "--sandbox", text(folder.path())]);
    let params = json!({ metric.key.wire_name: metric.keys[0], metric.history.step: metric.step(3600) });
    let mut call = json!({ "endpoint": metric.name, "params": params, "from": "2025-01-01", "to": "2025-01-02" });
    call["file"] = "day.csv".into();
    let call = json!({ "name": "fetch_records", "arguments": call, "_meta": { "progressToken": "a" } });
    server.send(&json!({ "jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": call }));
    let mut count = 0;
    loop {
        let message = server.receive();
        if message["id"] == "b" {
            break;
        }
        count += 1;
        assert_eq!(message["method"], "notifications/progress", "{message}");
        let params = &message["params"];
        assert_eq!(params["progressToken"], "a");
        let [progress, total] = ["progress", "total"].map(|name| params[name].as_f64().unwrap());
        assert!(0.0 < progress && progress <= total, "{message}");
    }
    assert!(count > 0);
}

#[test]
fn a_server_without_a_folder_or_a_key_does_not_start() {
    let missing = run(&["mcp", "--sandbox", "no-such-folder"]);
    assert!(missing.code == Some(1) && missing.err.contains("cannot open no-such-folder"), "{}", missing.err);
    let without_key = run(&["mcp"]);
    assert!(without_key.code == Some(3) && without_key.err.contains("--sandbox"), "{}", without_key.err);
    let nobody = run(&["mcp", "--sandbox"]);
    assert!(nobody.code == Some(2) && nobody.err.contains("no assistant on standard input"), "{}", nobody.err);
}
