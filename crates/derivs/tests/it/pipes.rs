//! Tests of the program in pipes: data on standard output, messages on standard error, and exit codes.

use std::fs;
use std::io::Read;
use std::process::Stdio;

use generated_client::SERVICE;
use generated_client::registry::Evidence;
use test_endpoints::{Metric, endpoints, metric, object, option, other_metric, values};

use crate::support::{self, Service, derivs, derivs_with, run, run_output, run_with};

pub(crate) fn get<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["get"], &*metric().hourly(), more].concat()
}

/// Returns the options that request a few records from the sandbox.
fn page() -> [&'static str; 3] {
    [option(metric().history.limit), metric().page_size(), "--sandbox"]
}

fn page_size() -> usize {
    metric().page_size().parse().unwrap()
}

#[test]
fn list_ends_with_endpoints_known_by_name_only() {
    let all = run(&["list"]);
    assert_eq!((all.code, all.err.as_str()), (Some(0), ""));
    let (with_path, by_name) = all.out.split_once("\nKnown by name only, without a path\n").unwrap();
    for endpoint in endpoints() {
        let part = if endpoint.path.is_some() { with_path } else { by_name };
        assert!(part.contains(endpoint.ident), "{endpoint}");
    }
}

#[test]
fn list_searches_names_fields_and_descriptions() {
    let Metric { name, path, .. } = metric();
    let found = run(&["list", path.trim_start_matches('/')]);
    assert!(found.out.contains(&format!("\n  {name}  ")), "{}", found.out);
    let with_history = run(&["list", "--history"]);
    let expected = endpoints().filter(|endpoint| endpoint.history(&SERVICE).is_some()).count();
    assert_eq!(with_history.out.lines().filter(|line| line.starts_with("  ")).count(), expected);
    let typo = format!("{name}x");
    let none = run(&["list", &typo]);
    let expected = format!("error: no endpoint matches `{typo}`\n  help: did you mean `{name}`?\n");
    assert_eq!((none.code, none.out.as_str(), none.err), (Some(2), "", expected));
}

#[test]
fn describe_prints_a_page() {
    let page = run(&["describe", metric().path]);
    assert!(page.out.starts_with(&format!("{}\n  ", metric().endpoint.name)), "{}", page.out);
}

#[test]
fn records_are_csv_in_a_pipe() {
    let output = run(&get(&page()));
    assert_eq!((output.code, output.err.as_str()), (Some(0), ""));
    // The params that were set are between the time and the fields, also for one series.
    let header: Vec<_> = output.out.lines().next().unwrap().split(',').collect();
    let fields: Vec<_> = metric().fields().collect();
    let (first, rest) = header.split_at(header.len() - fields.len());
    assert_eq!((first[0], rest), (metric().time, &*fields));
    assert!(first.contains(&metric().key.wire_name), "{header:?}");
    assert_eq!(output.rows().len(), page_size());
}

#[test]
fn a_full_page_of_a_range_is_a_warning() {
    let Metric { name, endpoint, history, .. } = metric();
    let [from, limit] = [history.from, history.limit].map(option);
    let warning = |count: usize| format!("warning: {name}: the page is full with {count} records; the range may have");
    let full = run(&get(&[from, "7d", limit, metric().page_size(), "--sandbox"]));
    assert!(full.code == Some(0) && full.err.starts_with(&warning(page_size())), "{}", full.err);
    if let Some(default) = endpoint.param(history.limit).unwrap().default {
        let full = run(&get(&[from, "90d", "--sandbox"]));
        assert!(full.err.starts_with(&warning(default.parse().unwrap())), "{}", full.err);
    }
    // The last two hours have at most two records, so the page is not full and there is no warning.
    let partial = run(&get(&[from, "2h", limit, metric().page_size(), "--sandbox"]));
    assert_eq!((partial.code, partial.err.as_str()), (Some(0), ""));
}

#[test]
fn several_series_are_one_table_with_their_params() {
    let Metric { time, endpoint, key, keys, .. } = metric();
    let args = [&["get"], &*metric().two_hourly(), &[other_metric().name], &page()].concat();
    let output = run(&args);
    let mut fields: Vec<_> = metric().fields().collect();
    fields.extend(other_metric().fields().filter(|name| !metric().fields().any(|known| known == *name)));
    let header = output.out.lines().next().unwrap();
    assert!(header.starts_with(&format!("{time},endpoint,{},", key.wire_name)), "{header}");
    assert!(header.ends_with(&format!(",{}", fields.join(","))), "{header}");
    assert_eq!(output.rows().len(), 4 * page_size());
    assert!(output.rows()[page_size()].contains(&format!("Z,{endpoint},{},", keys[1])), "{}", output.out);
    let lines = run(&[args.as_slice(), &["--format", "jsonl"]].concat());
    let first: serde_json::Value = lines.out.lines().next().unwrap().parse().unwrap();
    assert_eq!((&first["endpoint"], &first[key.wire_name]), (&endpoint.to_string().into(), &keys[0].into()));
}

#[test]
fn body_without_a_table_is_json() {
    let output = run(&["get", object().ident, "--sandbox"]);
    let body: serde_json::Value = output.out.parse().unwrap();
    assert!(body.is_object());
    let rejected = run(&["get", object().ident, "--sandbox", "--format", "csv"]);
    assert_eq!((rejected.code, rejected.out.as_str()), (Some(2), ""));
    assert!(rejected.err.contains("use `--format jsonl`"), "{}", rejected.err);
}

#[test]
fn unknown_path_and_param_are_sent_unchanged() {
    let service = Service::start();
    let output = run_with(&service, &["get", "/nowhere", "--param", "a=1"]);
    assert_eq!(output.code, Some(5));
    assert!(output.err.contains("GET /nowhere?a=1"), "{}", output.err);
    let output = run_with(&service, &get(&["--param", "brandNew=1"]));
    assert_eq!(output.code, Some(5));
    assert!(output.err.contains("brandNew=1"), "{}", output.err);
}

#[test]
fn closed_pipe_is_not_an_error() {
    for args in [vec!["list"], get(&page())] {
        let mut child = derivs(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn a_closed_pipe_does_not_hide_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::with(|builder| builder.fault("status=501".parse().unwrap()));
    let out = folder.path().join("a.csv");
    let range = ["--from", "2025-01-01", "--to", "2025-01-02", "--json", "--out", support::text(&out)];
    let args = [&["backfill"], &*metric().hourly(), &range].concat();
    let mut child = derivs_with(&service, &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = run_output(&child.wait_with_output().unwrap());
    assert_eq!(output.code, Some(4), "{}", output.err);
    assert!(output.err.contains("error: "), "{}", output.err);
}

/// A program that has started the command can end without a signal to the command.
#[test]
fn a_command_ends_with_its_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::with(|builder| builder.fault("latency=200ms".parse().unwrap()));
    let out = folder.path().join("a.csv");
    let range = ["--from", "2024-01-01", "--to", "2025-01-01", "--end-with-stdin", "--out", support::text(&out)];
    let args = [&["backfill"], &*metric().hourly(), &range].concat();
    let mut child = derivs_with(&service, &args).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while service.requests() < 2 {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    drop(child.stdin.take());
    let output = run_output(&child.wait_with_output().unwrap());
    assert_eq!(output.code, Some(130), "{}", output.err);
    assert!(output.err.contains("error: stopped; kept the "), "{}", output.err);
}

#[cfg(unix)]
#[test]
fn an_argument_can_be_any_bytes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let output = run_output(
        &derivs(&["backfill", "--out"]).args([OsStr::from_bytes(b"a\xff"), OsStr::new("qqqqqqqq")]).output().unwrap(),
    );
    assert_eq!(output.code, Some(2), "{}", output.err);
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk_is_reported() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = run_output(&derivs(&["list"]).stdout(full).stderr(Stdio::piped()).output().unwrap());
    let expected = "error: cannot write to standard output: No space left on device\n";
    assert_eq!((output.code, output.err.as_str()), (Some(1), expected));
}

#[test]
fn usage_errors_name_the_expected_value() {
    let Metric { name, history, .. } = metric();
    let (typo, interval) = (format!("{name}s"), format!("{}r", metric().step(3600)));
    let table: [(&[&str], String); 4] = [
        (
            &["get", &typo],
            format!("unknown endpoint `{typo}`\n  help: did you mean `{name}`? `derivs list` lists all endpoints\n"),
        ),
        (
            &["get", name, option(history.step), &interval, "--sandbox"],
            format!("invalid `{}` `{interval}` for {name} (expected ", history.step),
        ),
        (
            &["plot", name, "--sandbox", "--out", "x.gif"],
            "invalid value 'x.gif' for '--out <FILE>': charts are written as .svg files\n".to_owned(),
        ),
        (
            &["poll", object().ident, "--sandbox"],
            format!(
                "{} has no known history\n  help: `derivs list --history` lists the endpoints with a history\n",
                object().ident
            ),
        ),
    ];
    for (args, expected) in table {
        let output = run(args);
        assert_eq!((output.code, output.out.as_str()), (Some(2), ""));
        assert!(output.err.starts_with(&format!("error: {expected}")), "{}", output.err);
    }
}

#[test]
fn unknown_value_of_an_open_type_is_sent_with_a_warning() {
    let param = metric().open_param();
    let known = values(param).next().unwrap();
    let (typo, option) = (format!("{known}x"), option(param.wire_name));
    let output = run(&get(&[&[option, &typo], &page()[..]].concat()));
    let expected = format!("warning: unknown value `{option} {typo}`; did you mean `{known}`? Sending it anyway\n");
    assert!(output.err.starts_with(&expected), "{}", output.err);
    let [option, value] = metric().without_records();
    let output = run(&get(&[&[option, value], &page()[..]].concat()));
    assert!(output.err.ends_with(&format!("{}: no records\n", metric().name)), "{}", output.err);
}

#[test]
fn values_are_trimmed_and_not_empty() {
    let Metric { name, key_option, keys: [first, second], history, .. } = metric();
    let (keys, interval) = (format!(" {first} , {second}"), format!("{} ", metric().step(3600)));
    let args = ["get", name, key_option, &keys, option(history.step), &interval];
    let trimmed = run(&[args.as_slice(), &page()].concat());
    assert!(trimmed.code == Some(0) && trimmed.out.contains(&format!(",{first},")), "{trimmed:?}");
    for wrong in ["", " ", &format!("{first},"), &format!(",{first}")] {
        let output = run(&["get", name, key_option, wrong, "--sandbox"]);
        let expected = "error: invalid value";
        assert!(output.code == Some(2) && output.err.starts_with(expected), "{wrong:?}: {}", output.err);
        let is_named = output.err.contains(&format!("for '{key_option} <"));
        assert!(is_named && output.err.contains("': a value is empty"), "{wrong:?}: {}", output.err);
    }
}

#[test]
fn reported_restrictions_are_shown_before_the_request() {
    let Metric { name, key, key_option, keys, history, .. } = metric();
    let step = [option(history.step), metric().step(3600)];
    let without_key = format!("warning: `{key_option}` is probably required by {name} but was not given\n");
    let accepted = metric().endpoint.param(history.limit).unwrap().allowed_values;
    let other = (1..100).map(|size| size.to_string()).find(|size| !accepted.contains(&size.as_str())).unwrap();
    let limit = option(history.limit);
    let rejected =
        format!("warning: `{limit} {other}` may be rejected; known accepted values: {}\n", accepted.join(", "));
    let range = ["--from", "2025-01-01", "--out", "never.csv"];
    let table = [
        ([&["get", name], &step[..]].concat(), &without_key),
        ([&["backfill", name], &step[..], &range].concat(), &without_key),
        (get(&[limit, &other]), &rejected),
    ];
    let is_confirmed = key.required.is_some_and(Evidence::is_enforced);
    for (args, expected) in table.iter().filter(|(_, expected)| !(is_confirmed && **expected == without_key)) {
        // Without settings, the command ends before any request.
        let output = run(args);
        assert!(output.code == Some(3) && output.err.starts_with(*expected), "{}", output.err);
    }
    let param = format!("{}={}", key.wire_name, keys[0]);
    let passed_on = run(&[&["get", name], &step[..], &["--param", &param, "--sandbox"]].concat());
    assert_eq!(passed_on.err, "");
}

#[test]
fn range_that_ends_before_its_start_is_rejected() {
    let [from, to] = [metric().history.from, metric().history.to].map(option);
    let output = run(&get(&[from, "2025-01-02", to, "2025-01-01T12:00"]));
    let expected = "error: `--to 2025-01-01 12:00` is before `--from 2025-01-02 00:00`\n";
    assert_eq!((output.code, output.out.as_str(), output.err.as_str()), (Some(2), "", expected));
}

/// Neither of two values of one param is ignored.
#[test]
fn a_param_of_the_range_is_not_set_twice() {
    let from = metric().history.from;
    let param = format!("{from}=2025-01-01");
    let output = run(&get(&["--param", &param, "--from", "2025-01-02"]));
    let expected = format!("error: `{from}` is set by its own option and by the time range\n");
    assert_eq!((output.code, output.err.as_str()), (Some(2), &*expected));
}

#[test]
fn poll_prints_closed_intervals() {
    let minutes = metric().args(metric().keys[0], 60);
    let output = run(&[&["poll"], &*minutes, &["--from", "10m", "--records", "3", "--sandbox"]].concat());
    assert_eq!((output.code, output.err.as_str()), (Some(0), ""));
    let lines: Vec<serde_json::Value> = output.out.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert!(lines.is_sorted_by_key(|line| line[metric().time].to_string()));
}

/// The interval that contains the start is requested completely, so that its record does not seem to be missing.
#[test]
fn relative_start_is_rounded_to_an_interval() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.svg");
    let days = [&*metric().args(metric().keys[0], 86_400), &["--from", "90d"]].concat();
    for more in [["plot", "--out", support::text(&file)], ["poll", "--records", "90"]] {
        let service = Service::start();
        let output = run_with(&service, &[&more[..1], &*days, &more[1..]].concat());
        assert_eq!((output.code, service.requests()), (Some(0), 1), "{more:?}: {}", output.err);
    }
}

#[test]
fn charts_are_svg_files() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.svg", "b.SVG"] {
        let file = folder.path().join(name);
        let out = ["--sandbox", "--out", file.to_str().unwrap()];
        let output = run(&[&["plot"], &*metric().two_hourly(), &out].concat());
        assert_eq!((output.code, output.out.as_str()), (Some(0), ""), "{}", output.err);
        assert!(output.err.ends_with(&format!("wrote {}\n", file.display())), "{}", output.err);
        assert!(fs::read(&file).unwrap().starts_with(b"<"), "{name}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

/// The failure of one series does not hide the others.
#[test]
fn a_chart_has_the_series_that_did_not_fail() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.svg");
    let fault = format!("{}={} status=404", metric().key.wire_name, metric().keys[1]);
    let plot = [&["plot"], &*metric().two_hourly(), &["--sandbox", "--fault", &fault]].concat();
    let output = run(&plot);
    assert!(output.code == Some(5) && output.err.contains("404"), "{}", output.err);
    assert!(output.out.contains('┤'), "{}", output.out);
    let output = run(&[&plot[..], &["--out", file.to_str().unwrap()]].concat());
    assert!(output.code == Some(5) && file.exists(), "{}", output.err);
}

#[test]
fn a_chart_in_a_pipe_has_the_width_of_the_variable() {
    let plot = [&["plot"], &*metric().two_hourly(), &["--sandbox"]].concat();
    for (columns, expected) in [("60", 60), ("200", 200), ("wide", 80)] {
        let output = support::output(support::derivs(&plot).env("COLUMNS", columns));
        let width = output.out.lines().map(|line| line.chars().count()).max().unwrap();
        assert!((expected - 1..=expected).contains(&width), "{columns}: {width}");
    }
}

#[test]
fn unwritable_folder_is_an_error() {
    let out = ["--sandbox", "--out", "/missing/folder/chart.svg"];
    let output = run(&[&["plot"], &*metric().hourly(), &out].concat());
    let expected = "error: cannot write /missing/folder/chart.svg: No such file or directory\n";
    assert_eq!((output.code, output.err.as_str()), (Some(1), expected));
}
