//! Tests of `cargo xtask learn`.

use std::fs;
use std::process::Command;

use super::{MARKET, project, run, text};

/// A response of the sandbox, as `curl -i` saves it.
const MOCK_RESPONSE: &str = "HTTP/1.1 200 OK\nx-sandbox-invented: body\n\n{\"basis\": 1.5}\n";

#[test]
fn learned_fields_are_shown_and_written_only_if_confirmed() {
    let (spec, out) = project("learn");
    let reply = spec.with_file_name("reply.json");
    fs::write(&reply, MOCK_RESPONSE).expect("a file");
    let reply = reply.to_str().expect("a path");
    let asked = run(&["learn", "/basis", reply], &spec, &out);
    assert_eq!(asked.status.code(), Some(1), "not confirmed");
    assert!(text(&asked.stdout).contains("+    - {name: basis, type: number}"), "{}", text(&asked.stdout));
    assert!(text(&asked.stderr).contains("`--yes` writes without confirmation"), "{}", text(&asked.stderr));
    assert_eq!(fs::read_to_string(spec.join("market.yaml")).expect("a file"), MARKET);
    assert!(run(&["learn", "/basis", reply, "--yes"], &spec, &out).status.success());
    assert!(fs::read_to_string(spec.join("market.yaml")).expect("a file").contains("name: basis"));
    assert!(text(&run(&["learn", "/basis", reply], &spec, &out).stdout).contains("nothing to write"));
}

#[test]
fn mock_data_never_enters_our_own_catalogue() {
    let (spec, _) = project("learn_invented");
    let reply = spec.with_file_name("reply.json");
    fs::write(&reply, MOCK_RESPONSE).expect("a file");
    let xtask = env!("CARGO_BIN_EXE_xtask");
    let output = Command::new(xtask).args(["learn", "/ping", "--yes"]).arg(&reply).output().expect("xtask runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("a mock response of the sandbox"), "{}", text(&output.stderr));
}

#[test]
fn unreadable_input_is_reported_with_a_remedy() {
    let (spec, out) = project("remedies");
    for (arguments, expected) in [
        (&["learn", "/basis", "nowhere.json"][..], "pass files with responses, or request one with --live"),
        (&["learn", "/basis", "reply.json", "--param", "coin=BTC"], "cannot be used with"),
        (&["learn", "/bases", "Cargo.toml"], "did you mean `/basis`?"),
        (&["import", "nowhere.json"], "pass a file with an OpenAPI description"),
        (&["import", "Cargo.toml"], "the description cannot be read"),
    ] {
        let output = run(arguments, &spec, &out);
        assert!(!output.status.success(), "{arguments:?}");
        assert!(text(&output.stderr).contains(expected), "{arguments:?}: {}", text(&output.stderr));
    }
}

/// One process sends all requests, so that they share the rate limit and the token.
#[cfg(unix)]
#[test]
fn requested_responses_are_learned() {
    let (spec, _) = project("requested");
    let calls = spec.with_file_name("calls");
    for (status, is_learned) in [("1", false), ("0", true)] {
        let _ = fs::remove_file(&calls);
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        // A project root and a target folder that only this test uses.
        let root = spec.parent().expect("a folder");
        fs::create_dir_all(root.join("xtask")).expect("a folder");
        fs::write(root.join("xtask/Cargo.toml"), "").expect("a file");
        command.current_dir(root).env("CARGO", super::CARGO);
        command.env("CARGO_TARGET_DIR", spec.with_file_name("target"));
        command.env("FAKE_CARGO_CALLS", &calls).env("FAKE_CARGO_STATUS", status);
        command.args(["learn", "--live", "--untyped", "--param", "coin=BTC", "--yes", "--spec"]).arg(&spec);
        let output = command.output().expect("xtask runs");
        let printed = text(&output.stderr);
        assert_eq!(output.status.success(), is_learned, "{printed}");
        assert_eq!(printed.contains("no endpoint was requested"), !is_learned, "{printed}");
        let learned = fs::read_to_string(spec.join("market.yaml")).expect("a file");
        assert_eq!(learned.contains("name: basis"), is_learned);
        let calls = fs::read_to_string(&calls).expect("calls");
        assert_eq!(calls.lines().count(), 1);
        assert!(
            calls.contains("--package live-responses") && calls.ends_with(" --untyped --param coin=BTC\n"),
            "{calls}"
        );
    }
}

#[test]
fn har_file_teaches_what_response_files_teach_and_drift_compares_without_writing() {
    let body = r#"{"basis": 1.5, "venue": "a"}"#;
    let har = |body: &str| {
        let text = body.replace('"', "\\\"");
        format!(
            r#"{{"log": {{"entries": [
                {{"request": {{"method": "GET", "url": "https://a.example/v1/basis?key=secret", "headers": [{{"name": "x-api-key", "value": "secret"}}]}},
                 "response": {{"status": 200, "headers": [], "content": {{"text": "{text}"}}}}}},
                {{"request": {{"method": "GET", "url": "https://a.example/v1/other?key=secret"}}, "response": {{"status": 200, "content": {{"text": "{{}}"}}}}}}]}}}}"#
        )
    };
    let learned = |name: &str, arguments: &[&str]| {
        let (spec, out) = project(name);
        let folder = spec.parent().expect("a folder");
        fs::write(folder.join("reply.json"), body).expect("a file");
        fs::write(folder.join("reply.har"), har(body)).expect("a file");
        fs::write(folder.join("other.har"), har(&body.replace("\"a\"", "7.5"))).expect("a file");
        let path = |argument: &&str| folder.join(argument).to_str().expect("a path").to_owned();
        let arguments: Vec<String> =
            arguments.iter().map(|one| if one.contains('.') { path(one) } else { (*one).to_owned() }).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = run(&arguments, &spec, &out);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let printed = text(&output.stdout);
        assert!(!printed.contains("secret"), "{printed}");
        (fs::read_to_string(spec.join("market.yaml")).expect("a file"), printed, spec, out)
    };
    let (by_file, ..) = learned("learn_file", &["learn", "/basis", "reply.json", "--yes"]);
    let (by_har, printed, spec, out) = learned("learn_har", &["learn", "--har", "reply.har", "--yes"]);
    assert_eq!(by_har, by_file);
    assert!(printed.contains("skipped: `/v1/other`: no endpoint has this path"), "{printed}");
    let folder = spec.parent().expect("a folder");
    for (file, expected) in [("reply.har", Some(0)), ("other.har", Some(1)), ("reply.json", Some(1))] {
        let output = run(&["drift", folder.join(file).to_str().expect("a path")], &spec, &out);
        assert_eq!(output.status.code(), expected, "{file}: {}{}", text(&output.stdout), text(&output.stderr));
        assert_eq!(fs::read_to_string(spec.join("market.yaml")).expect("a file"), by_file);
    }
    fs::write(folder.join("empty.har"), r#"{"log": {"entries": []}}"#).expect("a file");
    let output = run(&["drift", folder.join("empty.har").to_str().expect("a path")], &spec, &out);
    let why = text(&output.stderr);
    assert!(why.ends_with("empty.har: no entry has a response of an endpoint in the catalogue\n"), "{why}");
    let reply = folder.join("reply.json");
    let output = run(&["drift", reply.to_str().expect("a path"), "--endpoint", "/basis"], &spec, &out);
    assert_eq!(text(&output.stdout), "no differences\n");
}
