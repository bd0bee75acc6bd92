//! Tests of `backfill` with a service, a target or options that let it fail.

use std::path::Path;
#[cfg(unix)]
use std::process::{Command, Stdio};

use test_endpoints::{Metric, metric};
#[cfg(unix)]
use test_service::ClosedPort;

use crate::backfill::{backfill, one, requests, rows, two};
use crate::foreign_text::{run_at, service};
#[cfg(unix)]
use crate::support::derivs;
use crate::support::{self, RunOutput, Service, derivs_with, run, run_output, run_with};

#[test]
fn failed_pages_are_reported_and_requested_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("quarter.csv");
    // Status 501 is not retried; the retries of other failures would take seconds.
    let service = Service::with(|builder| builder.fault(format!("{} status=501", metric().path).parse().unwrap()));
    let output = run_with(&service, &one(&file, &["--quiet"]));
    let help = "help: run the same command to fetch the missing records";
    let expected = format!("\nerror: {} requests failed\n  {help}\n", requests());
    assert!(output.code == Some(4) && output.err.ends_with(&expected), "{}", output.err);
    let status = run(&["status", support::text(&file), "--json"]);
    let object: serde_json::Value = status.out.parse().unwrap();
    assert_eq!((status.code, &object["path"]), (Some(6), &support::text(&file).into()), "{}", status.err);
    assert_eq!((&object["series"][0]["records"], &object["series"][0]["missing"]), (&0.into(), &2160.into()));
    let why = format!("warning: {}: request from 2025-01-01 00:00 to 2025-", metric().name);
    assert!(output.err.starts_with(&why) && output.err.contains(" failed: status 501"), "{}", output.err);
    // Standard error is not a terminal, so the reason is not shortened.
    assert!(output.err.lines().next().unwrap().ends_with("(code fault)"), "{}", output.err);
    let once = Service::with(|builder| builder.fault("1x status=501".parse().unwrap()));
    let partial = run_with(&once, &one(&file, &["--quiet"]));
    assert!(partial.code == Some(6) && partial.err.contains("error: 1 request failed\n"), "{}", partial.err);
    let mended = run_with(&Service::start(), &one(&file, &[]));
    assert_eq!(mended.code, Some(0), "{}", mended.err);
    assert_eq!(run(&["status", support::text(&file)]).code, Some(0));
    assert_eq!(rows(&file).len(), 90 * 24);
}

/// The exit code is 5, because the service would reject the same command again. No file is written, because an empty
/// file would hide the reason.
#[test]
fn rejected_series_exits_with_its_code_and_writes_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("quarter.csv");
    let service = Service::with(|builder| builder.fault(format!("{} status=422", metric().path).parse().unwrap()));
    let output = run_with(&service, &one(&file, &[]));
    assert_eq!(output.code, Some(5), "{}", output.err);
    assert!(output.err.ends_with("error: the service rejected 1 of 1 series\n"), "{}", output.err);
    assert!(!file.exists() && !output.err.contains("keep the folder"), "{}", output.err);
    let written = run_with(&Service::start(), &one(&file, &[]));
    assert!(written.code == Some(0) && written.err.contains("keep the folder "), "{}", written.err);
    let again = run_with(&Service::start(), &one(&file, &[]));
    assert!(again.code == Some(0) && !again.err.contains("keep the folder"), "{}", again.err);
    let delisted = run_with(&service, &backfill(&metric().hourly(), ["2025-01-01", "2025-04-02"], &file, &[]));
    let advice = format!("help: `derivs retire {}` with the params of a delisted series", support::text(&file));
    assert!(delisted.code == Some(5) && delisted.err.contains(&advice), "{}", delisted.err);
}

#[test]
fn range_that_ends_before_its_start_is_an_error() {
    let range = ["2025-01-01", "2024-12-01"];
    let expected = "error: the range ends at 2024-12-01T00:00:00Z, before its start 2025-01-01T00:00:00Z\n";
    for (out, series) in [("a.csv", metric().hourly()), ("-", metric().two_hourly())] {
        let output = run(&backfill(&series, range, Path::new(out), &["--sandbox"]));
        assert_eq!((output.code, output.err.as_str()), (Some(2), expected));
    }
}

#[test]
fn options_without_an_effect_are_errors() {
    let format = "error: `--format` is only for `--out -`; the name of a file determines its format\n";
    let refetch = "error: `--refetch` and `--refetch-gaps` are only for files; `--out -` fetches every record\n";
    let partition = "error: `--partition` is only for a data set, but `--out` is not a folder or bucket\n";
    let table = [
        ("a.parquet", ["--format", "jsonl"], format),
        ("data", ["--format", "jsonl"], format),
        ("a.csv", ["--partition", "day"], partition),
        ("-", ["--partition", "day"], partition),
        ("-", ["--refetch", "1h"], refetch),
    ];
    for (out, more, expected) in table {
        let output = run(&one(Path::new(out), &[&more[..], &["--sandbox"]].concat()));
        assert_eq!((output.code, output.err.as_str()), (Some(2), expected));
    }
}

#[test]
fn wrong_key_ends_the_run_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start();
    let file = folder.path().join("a.csv");
    let args = one(&file, &[]);
    let output =
        run_output(&derivs_with(&service, &args).env("MARKET_ANALYTICS_API_KEY", "wrong-key").output().unwrap());
    assert_eq!(output.code, Some(3));
    assert!(output.err.contains("error: ") && !output.err.contains("wrong-key"), "{}", output.err);
}

#[test]
fn unwritable_target_is_an_error() {
    let code_and_error = |output: RunOutput| {
        (output.code, output.err.lines().find(|line| line.starts_with("error: ")).map(str::to_owned))
    };
    // No user, not even root, can create a file in `/proc`.
    let (code, error) = code_and_error(run(&one(Path::new("/proc/derivs.csv"), &["--sandbox"])));
    assert_eq!(code, Some(1), "{error:?}");
    assert!(error.is_some_and(|error| error.contains("write /proc/") && error.contains("derivs.csv")));
    let (code, error) = code_and_error(run(&one(Path::new("a.xlsx"), &["--sandbox"])));
    assert_eq!(code, Some(2));
    assert!(error.is_some_and(|error| error.contains(".csv, .jsonl, .csv.gz, .jsonl.gz or .parquet")));
}

#[cfg(unix)]
#[test]
fn full_disk_is_an_error_and_leaves_no_partial_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("quarter.csv");
    // The size of files is limited to a few blocks, which has the same effect as a full disk.
    let args = two(&file, &["--sandbox", "--quiet", "--json"]).join(" ");
    let script = format!("ulimit -f 8; exec {} {args}", support::PROGRAM);
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).env("HOME", support::nowhere());
    let output = run_output(&shell.output().unwrap());
    assert_eq!(output.code, Some(1), "{}", output.err);
    assert!(output.err.contains("File too large"), "{}", output.err);
    let objects: Vec<serde_json::Value> = output.out.lines().map(|line| line.parse().unwrap()).collect();
    let is_explained = |object: &serde_json::Value| object["error"].as_str().unwrap().ends_with("File too large");
    assert!(objects.len() == 2 && objects.iter().all(is_explained), "{}", output.out);
    assert_eq!((&objects[1]["endpoint"], &objects[1]["added"]), (&metric().endpoint.to_string().into(), &0.into()));
    assert!(!file.exists());
    let again = run(&two(&file, &["--sandbox"]));
    assert!(again.code == Some(0) && rows(&file).len() == 2 * 90 * 24, "{}", again.err);
}

#[cfg(unix)]
#[test]
fn warning_without_a_response_names_the_cause() {
    use std::io::{BufRead, BufReader};

    let port = ClosedPort::occupy().unwrap();
    let address = port.address();
    let folder = tempfile::tempdir().unwrap();
    let mut command = derivs(&one(&folder.path().join("a.csv"), &["--quiet"]));
    command.env("MARKET_ANALYTICS_BASE_URL", format!("http://{address}/v2")).env("MARKET_ANALYTICS_API_KEY", "key");
    let mut run = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(run.stderr.take().unwrap()).read_line(&mut line).unwrap();
    run.kill().unwrap();
    run.wait().unwrap();
    let (start, end) = ("warning: no response from the service (no connection) for ", " seconds; retrying\n");
    assert!(line.starts_with(start) && line.ends_with(end), "{line}");
}

#[test]
fn a_server_without_tls_is_the_cause_of_the_failure() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start();
    let mut command = derivs_with(&service, &one(&folder.path().join("a.csv"), &["--quiet"]));
    let url = service.base_url().replace("http://", "https://");
    let output = run_output(&command.env("MARKET_ANALYTICS_BASE_URL", url).output().unwrap());
    let error = output.err.lines().find(|line| line.starts_with("error: ")).unwrap_or_default();
    assert!(output.code == Some(4) && error.contains(" does not use TLS"), "{}", output.err);
}

/// A request would be rejected until the end of the pause, so the run ends and says how long the pause is.
#[test]
fn a_long_pause_ends_the_run_with_its_length() {
    let url = service("429 Too Many Requests", "Retry-After: 3600\r\n", "{}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.csv");
    for (out, pause) in [(support::text(&file), "asks for a pause of 60 minutes"), ("-", "retry after 3600s")] {
        let output = run_at(&url, &backfill(&metric().two_hourly(), ["2025-01-01", "2025-04-01"], Path::new(out), &[]));
        let help = "\n  help: run the same command again in 60 minutes\n";
        assert!(output.code == Some(4) && output.err.ends_with(help), "{out}: {}", output.err);
        assert!(output.err.contains(pause), "{out}: {}", output.err);
    }
}

#[test]
fn a_series_that_is_listed_twice_is_an_error() {
    let Metric { key, key_option, keys: [first, _], .. } = metric();
    let output = run(&two(Path::new("a.csv"), &["--sandbox", key_option, first]));
    let expected = format!("error: `{first}` is listed twice for `{}`\n", key.wire_name);
    assert_eq!((output.code, output.err), (Some(2), expected));
}

#[cfg(unix)]
#[test]
fn device_is_rejected_as_a_target() {
    for args in [one(Path::new("/dev/null"), &["--sandbox"]), vec!["status", "/dev/null"]] {
        let output = run(&args);
        let expected = "error: /dev/null: neither a folder nor a .csv, .jsonl or .parquet file\n";
        assert_eq!((output.code, output.err.as_str()), (Some(2), expected));
    }
}

/// The records of values that the endpoint does not support are labelled with these values, so they are no success.
#[test]
fn values_that_the_endpoint_does_not_support_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.csv");
    let series = [&*metric().hourly(), &metric().partly_supported()].concat();
    let why = "the records are without `none`, which the endpoint does not support\n";
    let help = "help: request the series without these values\n";
    let get = run(&[&["get"], &*series, &["--sandbox"]].concat());
    assert!(get.code == Some(6) && get.rows().len() > 1, "{get:?}");
    assert!(get.err.contains("error: ") && get.err.contains(why) && get.err.contains(help), "{}", get.err);
    // The second run of the file requests nothing.
    for out in [Path::new("-"), &file, &file] {
        let output = run(&backfill(&series, ["2025-01-01", "2025-01-02"], out, &["--sandbox", "--quiet"]));
        assert_eq!(output.code, Some(6), "{out:?}: {}", output.err);
        assert!(output.err.starts_with("error: ") && output.err.contains(why), "{out:?}: {}", output.err);
    }
    let json = ["--sandbox", "--quiet", "--json"];
    let output = run(&backfill(&series, ["2025-01-01", "2025-01-02"], Path::new("-"), &json));
    let object: serde_json::Value = output.err.lines().next().unwrap().parse().unwrap();
    assert!(object["notes"][0].as_str().is_some_and(|note| note.contains(why.trim_end())), "{object}");
    let status = run(&["status", support::text(&file), "--json"]);
    let object: serde_json::Value = status.out.parse().unwrap();
    assert_eq!((status.code, &object["series"][0]["unsupported"]), (Some(6), &serde_json::json!(["none"])));
    assert!(status.err.contains(why.trim_end()), "{}", status.err);
    let poll = run(&[&["poll"], &*series, &["--from", "1d", "--records", "3", "--sandbox"]].concat());
    assert!(poll.code == Some(6) && poll.out.lines().count() == 3 && poll.err.contains(why), "{poll:?}");
    let plot = run(&[&["plot"], &*series, &["--from", "1d", "--sandbox"]].concat());
    assert!(plot.code == Some(6) && !plot.out.is_empty() && plot.err.contains(why), "{plot:?}");
}
