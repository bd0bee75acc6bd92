//! Tests of two programs that write to the same file. The error of the second program names the first program, and a
//! killed program does not block later programs.

use std::process::Stdio;
use std::thread;
use std::time::Duration;

use test_endpoints::metric;

use crate::support::{self, Service, derivs_with, run, run_with, text};

const MONTH: [&str; 4] = ["--from", "2025-01-01", "--to", "2025-02-01"];

#[test]
fn second_program_names_the_first_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("month.csv");
    let args = [&["backfill"], &*metric().hourly(), &MONTH, &["--out", text(&file)]].concat();
    let service = Service::with(|builder| builder.fault("latency=10m".parse().unwrap()));
    let mut first = derivs_with(&service, &args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while service.requests() == 0 {
        assert!(first.try_wait().unwrap().is_none());
        thread::sleep(Duration::from_millis(10));
    }
    let second = run_with(&service, &args);
    assert_eq!(second.code, Some(1), "{second:?}");
    let process = format!("process {}", first.id());
    assert!(second.err.contains(&process), "{}", second.err);
    assert!(second.err.ends_with(
        "\n  help: wait until the other backfill has ended or, if it is a `poll`, stop it, then run the command again\n"
    ));
    // On Unix, `kill` sends SIGKILL, so the program cannot clean up.
    first.kill().unwrap();
    first.wait().unwrap();
    let third = run(&[args.as_slice(), &["--sandbox"]].concat());
    assert_eq!(third.code, Some(0), "{}", third.err);
    assert_eq!(support::contents(&file).lines().skip(1).count(), 31 * 24);
}
