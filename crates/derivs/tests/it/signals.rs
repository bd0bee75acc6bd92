//! Tests of commands that a signal ends.

use std::process::{Command, Stdio};

use test_endpoints::metric;

use crate::backfill::{backfill, one, rows};
use crate::support::{self, Service, derivs_with, run, run_output, run_with};

/// Returns a command that runs another command with SIGHUP neither ignored nor blocked, even if these tests run under
/// `nohup`.
#[cfg(target_os = "linux")]
fn with_hang_up(command: &Command) -> Command {
    let own = std::fs::read_to_string("/proc/self/status").unwrap();
    let mask = own.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    let is_ignored = u64::from_str_radix(mask.trim(), 16).unwrap() & 1 == 1;
    wrapped(if is_ignored { &["env", "--default-signal=HUP"] } else { &["env"] }, command)
}

/// Returns a command that runs the program `by` with another command as its last arguments.
fn wrapped(by: &[&str], command: &Command) -> Command {
    let mut outer = Command::new(by[0]);
    outer.args(&by[1..]).arg(command.get_program()).args(command.get_args()).stderr(Stdio::piped());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => outer.env(name, value),
            None => outer.env_remove(name),
        };
    }
    outer
}

// The test needs Linux. On other systems, the program cannot determine whether SIGHUP is ignored, so it does not handle
// the signal.
#[cfg(target_os = "linux")]
#[test]
fn a_closed_terminal_ends_a_run_that_keeps_its_records() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.csv");
    let service = Service::with(|builder| builder.fault("latency=200ms".parse().unwrap()));
    let minutes = metric().args(metric().keys[0], 60);
    let args = backfill(&minutes, ["2024-01-01", "2024-01-16"], &file, &[]);
    let run = with_hang_up(&derivs_with(&service, &args)).spawn().unwrap();
    while service.requests() < 2 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    Command::new("kill").args(["-HUP", &run.id().to_string()]).status().unwrap();
    let output = run_output(&run.wait_with_output().unwrap());
    assert_eq!(output.code, Some(129), "{}", output.err);
    assert!(output.err.contains("error: stopped; ") && output.err.contains("to continue"), "{}", output.err);
    let again = run_with(&service, &args);
    assert_eq!((again.code, rows(&file).len()), (Some(0), 15 * 24 * 60), "{}", again.err);
}

/// A program that reads only the objects must not take a stopped run for a complete one.
#[test]
fn objects_of_a_stopped_run_have_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.csv");
    let service = Service::with(|builder| builder.fault("latency=200ms".parse().unwrap()));
    let minutes = metric().args(metric().keys[0], 60);
    let args = backfill(&minutes, ["2024-01-01", "2024-03-01"], &file, &["--json"]);
    let run = derivs_with(&service, &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while service.requests() < 2 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    Command::new("kill").args(["-TERM", &run.id().to_string()]).status().unwrap();
    let output = run_output(&run.wait_with_output().unwrap());
    let object: serde_json::Value = output.out.parse().unwrap();
    assert_eq!((output.code, &object["error"]), (Some(143), &"stopped; not all records were fetched".into()));
}

#[test]
fn a_run_that_ignores_hang_ups_ends_with_all_records() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.csv");
    let service = Service::with(|builder| builder.fault("latency=100ms".parse().unwrap()));
    let args = one(&file, &[]);
    let ignoring = ["sh", "-c", "trap '' HUP; exec \"$0\" \"$@\""];
    let run = wrapped(&ignoring, &derivs_with(&service, &args)).spawn().unwrap();
    while service.requests() < 1 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    Command::new("kill").args(["-HUP", &run.id().to_string()]).status().unwrap();
    let output = run_output(&run.wait_with_output().unwrap());
    assert_eq!((output.code, rows(&file).len()), (Some(0), 90 * 24), "{}", output.err);
}

/// The time of the records is that of the service, so the test needs only those that exist when it begins.
#[test]
fn ctrl_c_ends_a_poll_that_keeps_its_records() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.csv");
    let service = Service::start();
    let minutes = metric().args(metric().keys[0], 60);
    let args = [&["poll"], &*minutes, &["--from", "3h", "--out", support::text(&file)]].concat();
    let run = derivs_with(&service, &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = std::time::Instant::now();
    while !file.exists() && begun.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap();
    let output = run_output(&run.wait_with_output().unwrap());
    assert_eq!((output.code, output.out.as_str()), (Some(130), ""), "{}", output.err);
    // A minute may end during the test.
    assert!((179..=182).contains(&rows(&file).len()), "{} rows: {}", rows(&file).len(), output.err);
}

/// A run with a later start completes nothing of the stopped run but its fetched records.
#[test]
fn the_rest_of_a_stopped_run_is_named_with_the_option_that_fetches_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.csv");
    let service = Service::with(|builder| builder.fault("latency=100ms".parse().unwrap()));
    let minutes = metric().args(metric().keys[0], 60);
    let args = backfill(&minutes, ["2024-01-01", "2024-03-01"], &file, &[]);
    let first = derivs_with(&service, &args).stderr(Stdio::piped()).spawn().unwrap();
    while service.requests() < 30 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    Command::new("kill").args(["-INT", &first.id().to_string()]).status().unwrap();
    assert_eq!(first.wait_with_output().unwrap().status.code(), Some(130));
    let status = run(&["status", support::text(&file)]);
    assert!(status.code == Some(6) && status.err.contains("the next run, or `poll`, adds "), "{}", status.err);
    let from = |text: &str| Some(text.split_once("run the backfill with `--from ")?.1.split_once('`')?.0.to_owned());
    let start = from(&status.err).unwrap();
    let later = run_with(&service, &backfill(&minutes, ["2024-03-01", "2024-03-02"], &file, &[]));
    assert!(later.err.contains(" never fetched, from ") && !later.err.contains("missing between"), "{}", later.err);
    assert_eq!((later.code, from(&later.err).as_ref()), (Some(6), Some(&start)), "{}", later.err);
    let rest = run_with(&service, &backfill(&minutes, [&*start, "2024-03-02"], &file, &[]));
    let status = run(&["status", support::text(&file)]);
    assert_eq!((rest.code, status.code, status.err.as_str()), (Some(0), Some(0), ""), "{}", rest.err);
}

#[test]
fn status_during_a_first_run_names_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::with(|builder| builder.fault("latency=300ms".parse().unwrap()));
    for name in ["a.csv", "data"] {
        let out = folder.path().join(name);
        let minutes = metric().args(metric().keys[0], 60);
        let args = backfill(&minutes, ["2024-01-01", "2024-12-01"], &out, &[]);
        let before = service.requests();
        let mut first = derivs_with(&service, &args).stderr(Stdio::null()).spawn().unwrap();
        while service.requests() < before + 2 {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let status = run(&["status", support::text(&out)]);
        let object: serde_json::Value = run(&["status", support::text(&out), "--json"]).out.parse().unwrap();
        assert_eq!(object["running"]["process"], first.id());
        let since = object["running"]["since"].as_str().unwrap();
        assert!(since.len() == "2025-01-01T00:00:00Z".len() && status.err.contains(since), "{since}: {}", status.err);
        first.kill().unwrap();
        first.wait().unwrap();
        let expected = format!("warning: {}: a run is in progress (process {}", support::text(&out), first.id());
        assert!(status.code == Some(0) && status.err.contains(&expected), "{name}: {}", status.err);
        let stopped = run(&["status", support::text(&out)]);
        assert!(stopped.code == Some(6) && stopped.err.contains("never fetched"), "{name}: {}", stopped.err);
    }
}
