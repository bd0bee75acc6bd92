//! Tests of `backfill`, which is run once or repeatedly.

use std::path::Path;
#[cfg(unix)]
use std::process::{Command, Stdio};

use test_endpoints::{Metric, metric, option};

use crate::support::{self, RunOutput, Service, derivs, derivs_with, run, run_output, run_with};

const QUARTER: [&str; 2] = ["2025-01-01", "2025-04-01"];

/// Returns the arguments of a run that writes one hourly series of a quarter.
pub(crate) fn one<'a>(out: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    backfill(&metric().hourly(), QUARTER, out, more)
}

/// Returns the arguments of a run that writes two hourly series of a quarter.
pub(crate) fn two<'a>(out: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    backfill(&metric().two_hourly(), QUARTER, out, more)
}

pub(crate) fn backfill<'a>(
    series: &[&'a str],
    [from, to]: [&'a str; 2],
    out: &'a Path,
    more: &[&'a str],
) -> Vec<&'a str> {
    [&["backfill"], series, &["--from", from, "--to", to, "--out", support::text(out)], more].concat()
}

/// Returns the number of requests for one hourly series of a quarter.
fn requests() -> u64 {
    metric().requests("2025-01-01T00:00:00Z", "2025-04-01T00:00:00Z")
}

/// Returns the rows of a file, without the header.
pub(crate) fn rows(file: &Path) -> Vec<String> {
    support::contents(file).lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn every_record_of_a_range_is_written_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("quarter.csv");
    let output = run(&two(&file, &["--sandbox"]));
    assert_eq!((output.code, output.out.as_str()), (Some(0), ""), "{}", output.err);
    assert!(
        output.err.contains("2 series from 2025-01-01 00:00 to 2025-04-01 00:00 UTC: up to 4,320 records in "),
        "{}",
        output.err
    );
    let all = format!("4,320 new records ({} requests", 2 * requests());
    assert!(output.err.contains(&all), "{}", output.err);
    let mut written = rows(&file);
    assert_eq!(written.len(), 2 * 90 * 24);
    written.sort();
    written.dedup();
    assert_eq!(written.len(), 2 * 90 * 24);
}

#[test]
fn second_run_requests_only_new_records() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("quarter.parquet");
    let first = run(&one(&file, &["--sandbox"]));
    assert!(first.err.contains(&format!("2,160 new records ({} requests", requests())), "{}", first.err);
    let again = run(&one(&file, &["--sandbox"]));
    assert!(again.code == Some(0) && again.err.contains("no request needed"), "{}", again.err);
    let longer = run(&backfill(&metric().hourly(), ["2025-01-01", "2025-04-02"], &file, &["--sandbox"]));
    assert!(longer.err.contains("24 new records (1 request"), "{}", longer.err);
}

/// In the sandbox, the current interval has no record yet. The missing record does not count as a gap.
#[test]
fn include_partial_requests_the_current_interval() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("now.csv");
    let days = metric().args(metric().keys[0], 86_400);
    let output = run(&backfill(&days, ["5d", "now"], &file, &["--include-partial", "--sandbox"]));
    assert!(output.code == Some(0) && !output.err.contains("warning"), "{}", output.err);
    assert!(rows(&file).len() >= 5, "{:?}", rows(&file));
    let service = Service::start();
    let requests = [&[][..], &["--include-partial"]].map(|more| {
        let before = service.requests();
        let output = run_with(&service, &backfill(&days, ["5d", "now"], Path::new("-"), more));
        assert_eq!(output.code, Some(0), "{}", output.err);
        service.requests() - before
    });
    assert!(requests[0] < requests[1], "{requests:?}");
}

#[test]
fn dry_run_lists_missing_ranges_without_a_request() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start();
    let output = run_with(&service, &two(&folder.path().join("data"), &["--dry-run"]));
    let rows = metric().keys.map(|key| format!("{key},2025-01-01T00:00:00Z,2025-04-01T00:00:00Z,new or recent\n"));
    let plan = format!("series,from,to,reason\n{}", rows.concat());
    let size = format!("up to 4,320 records in {} requests", 2 * requests());
    let expected = format!("2 series from 2025-01-01 00:00 to 2025-04-01 00:00 UTC: {size}\nat most ");
    assert_eq!((output.code, output.out), (Some(0), plan));
    assert!(output.err.starts_with(&expected) && output.err.lines().count() == 2, "{}", output.err);
    assert!(!folder.path().join("data").exists());
}

/// The interval that contains the start is requested completely, so that no record seems to be missing.
#[test]
fn relative_start_sends_the_planned_requests() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.csv");
    let days = metric().args(metric().keys[0], 86_400);
    let output = run(&backfill(&days, ["90d", "now"], &file, &["--sandbox"]));
    assert!(output.err.contains("records in 1 request\n"), "{}", output.err);
    assert!(output.err.contains("new records, last record "), "{}", output.err);
}

#[test]
fn sandbox_rows_and_real_rows_do_not_mix() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start();
    for name in ["a.parquet", "a.csv", "data"] {
        let target = folder.path().join(name);
        let mock = run(&one(&target, &["--sandbox"]));
        assert_eq!(mock.code, Some(0), "{}", mock.err);
        for more in [[].as_slice(), &["--dry-run"]] {
            let output = run_with(&service, &two(&target, more));
            assert!(output.code == Some(2) && output.err.contains("sandbox"), "{}", output.err);
        }
        // Conversely, a target with real rows rejects rows of the sandbox.
        let target = folder.path().join(format!("real-{name}"));
        let real = run_with(&service, &one(&target, &[]));
        assert_eq!(real.code, Some(0), "{}", real.err);
        let output = run(&one(&target, &["--sandbox"]));
        assert!(output.code == Some(2) && output.err.contains("service"), "{}", output.err);
    }
}

#[test]
fn job_file_is_equivalent_to_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let (job, file) = (folder.path().join("job.toml"), folder.path().join("quarter.csv"));
    let range = format!("from = 2025-01-01\nto = 2025-04-01\nout = {:?}\n", support::text(&file));
    let Metric { name, key, key_option, keys, history, .. } = metric();
    let (step, hour, key) = (history.step, metric().step(3600), key.wire_name);
    let group = format!("[[series]]\nendpoints = {name:?}\n{step} = {hour:?}\n{key} = {keys:?}\n");
    // In a job file, commas separate values as on the command line.
    let joined = format!("[[series]]\nendpoints = {name:?}\n{step} = {hour:?}\n{key} = {:?}\n", keys.join(","));
    std::fs::write(&job, format!("{range}{joined}")).unwrap();
    let of_file = |more: &[&str]| run(&[&["backfill", "--job", support::text(&job), "--sandbox"], more].concat());
    let planned = of_file(&["--dry-run"]);
    assert_eq!(planned.out, run(&two(&file, &["--sandbox", "--dry-run"])).out);
    std::fs::write(&job, format!("{range}{group}")).unwrap();
    assert_eq!(planned.out, of_file(&["--dry-run"]).out);
    let output = of_file(&[]);
    assert_eq!((output.code, rows(&file).len()), (Some(0), 2 * 90 * 24), "{}", output.err);
    let both = of_file(&[key_option, keys[0]]);
    assert!(both.code == Some(2) && both.err.contains("`--job` cannot be used with params"), "{}", both.err);
    std::fs::write(&job, range.replace("2025-01-01", "\"2025\"") + &group).unwrap();
    let wrong = of_file(&[]);
    let position = format!("error: {}:1:8: invalid `from` `2025`: as Unix seconds", support::text(&job));
    assert!(wrong.code == Some(2) && wrong.err.starts_with(&position), "{}", wrong.err);
}

/// A series that vanishes from a job file is no longer judged, so the run that retires it says so, once.
#[test]
fn a_run_names_the_series_that_its_job_file_no_longer_lists() {
    let folder = tempfile::tempdir().unwrap();
    let (job, out) = (folder.path().join("job.toml"), folder.path().join("data"));
    let Metric { name, key, keys, history, .. } = metric();
    let run_until = |day: &str, listed: &[&str]| {
        let range = format!("from = 2025-01-01\nto = {day}\nout = {:?}\n", support::text(&out));
        let step = format!("{} = {:?}", history.step, metric().step(3600));
        let group = format!("[[series]]\nendpoints = {name:?}\n{step}\n{} = {listed:?}\n", key.wire_name);
        std::fs::write(&job, range + &group).unwrap();
        let output = run(&["backfill", "--job", support::text(&job), "--sandbox"]);
        assert_eq!(output.code, Some(0), "{}", output.err);
        output.err
    };
    assert!(!run_until("2025-01-02", keys).contains("retired"));
    let first = run_until("2025-01-03", &keys[..1]);
    assert!(first.contains("1 series that ") && first.contains(" no longer lists is retired: "), "{first}");
    assert!(first.contains(keys[1]), "{first}");
    assert!(!run_until("2025-01-04", &keys[..1]).contains("retired"));
}

/// A job file has keys, and no options.
#[test]
fn a_warning_about_a_job_file_names_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let (job, out) = (folder.path().join("job.toml"), folder.path().join("a.csv"));
    let Metric { name, key, history, .. } = metric();
    let step = format!("{} = {:?}", history.step, metric().step(3600));
    let group = format!("[[series]]\nendpoints = {name:?}\n{step}\n");
    std::fs::write(&job, format!("from = 2025-01-01\nto = 2025-01-02\nout = {:?}\n{group}", support::text(&out)))
        .unwrap();
    let output = run(&["backfill", "--job", support::text(&job), "--dry-run", "--sandbox"]);
    let key = key.wire_name;
    let expected = if output.code == Some(0) {
        format!("warning: `{key}` is probably required by {name} but was not given\n")
    } else {
        format!("missing required param `{key}` of {name}\n")
    };
    assert!(output.err.contains(&expected) && !output.err.contains("--"), "{}", output.err);
}

#[test]
fn records_stream_to_standard_output() {
    let output = run(&two(Path::new("-"), &["--sandbox"]));
    assert_eq!((output.code, output.err.as_str()), (Some(0), ""));
    let mut lines = output.out.lines();
    assert!(lines.next().unwrap().starts_with("endpoint,"), "{}", output.err);
    assert_eq!(lines.count(), 2 * 90 * 24);
    let service = Service::with(|builder| builder.fault(format!("{} status=501", metric().path).parse().unwrap()));
    let failed = run_with(&service, &one(Path::new("-"), &[]));
    assert_eq!((failed.code, failed.out.lines().count()), (Some(4), 1), "{}", failed.err);
    let service = Service::with(|builder| builder.fault(format!("{} malformed", metric().path).parse().unwrap()));
    let unreadable = run_with(&service, &one(Path::new("-"), &[]));
    assert_eq!(unreadable.code, Some(5), "{}", unreadable.err);
}

#[test]
fn help_fits_two_screens() {
    for more in [&[][..], &[metric().name]] {
        let help = run(&[&["backfill", "--help"], more].concat());
        assert!(help.out.lines().count() <= 80, "{}", help.out);
    }
}

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

/// A run that is announced with more records than there are says why.
#[test]
fn the_begin_of_the_data_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.csv");
    let args = backfill(&metric().hourly(), ["2000-01-01", "2010-02-01"], &file, &["--sandbox"]);
    let output = run(&args);
    let expected = "the first record is of 2010-01-01";
    assert!(output.code == Some(0) && output.err.contains(expected), "{}", output.err);
    assert!(!run(&args).err.contains("the first record is of"));
}

/// A misspelt exchange has no records. `--allow-empty` accepts series without records, for example of coins that are
/// not listed yet.
#[test]
fn a_series_without_any_record_is_incomplete() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("quarter.csv");
    let [option, value] = metric().without_records();
    let typo = one(&file, &["--sandbox", option, value]);
    let output = run(&typo);
    assert_eq!(output.code, Some(6), "{}", output.err);
    let expected = format!("error: no record of {} from 2025-01-01 00:00 to 2025-04-01 00:00\n", metric().name);
    assert!(output.err.contains(&expected), "{}", output.err);
    let allowed = run(&[typo.as_slice(), &["--allow-empty"]].concat());
    assert_eq!(allowed.code, Some(0), "{}", allowed.err);
    let streamed = run(&one(Path::new("-"), &["--sandbox", option, value]));
    assert_eq!(streamed.code, Some(6), "{}", streamed.err);
    assert!(streamed.err.contains(&expected), "{}", streamed.err);
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
    let script = format!("trap '' XFSZ; ulimit -f 8; exec {} {args}", support::PROGRAM);
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).env("HOME", support::nowhere());
    let output = run_output(&shell.output().unwrap());
    assert_eq!(output.code, Some(1), "{}", output.err);
    assert!(output.err.contains("File too large"), "{}", output.err);
    let objects: Vec<serde_json::Value> = output.out.lines().map(|line| line.parse().unwrap()).collect();
    let is_explained = |object: &serde_json::Value| object["error"].as_str().unwrap().contains("File too large");
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

    // The listener is dropped at once, so the port is closed.
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
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
fn a_stream_has_the_columns_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("quarter.csv");
    let written = run(&one(&file, &["--sandbox"]));
    assert_eq!(written.code, Some(0), "{}", written.err);
    let streamed = run(&one(Path::new("-"), &["--sandbox"]));
    // A file also has the time at which each row was fetched.
    let columns = support::contents(&file).lines().next().unwrap().to_owned();
    assert_eq!(columns.strip_suffix(",fetched_at"), streamed.out.lines().next());
    assert_eq!(rows(&file).len(), streamed.rows().len());
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

/// The number of open files does not depend on the number of series.
#[cfg(unix)]
#[test]
fn many_series_need_few_open_files() {
    let folder = tempfile::tempdir().unwrap();
    let keys: Vec<_> = (0..100).map(|index| format!("C{index}")).collect();
    let (data, keys) = (folder.path().join("data"), keys.join(","));
    let Metric { name, key_option, history, .. } = metric();
    let series = [*name, *key_option, &*keys, option(history.step), metric().step(3600)];
    let args = backfill(&series, ["2025-01-01", "2025-01-02"], &data, &["--sandbox"]);
    let script = format!("ulimit -n 64; exec {} \"$@\"", support::PROGRAM);
    let output = run_output(&Command::new("sh").args(["-c", &script, "sh"]).args(&args).output().unwrap());
    assert_eq!(output.code, Some(0), "{}", output.err);
}
