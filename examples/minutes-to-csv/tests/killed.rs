//! Tests that the program writes the same bytes if it is killed at random times and started again.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{fs, thread};

use generated_client::REGISTRY;
use sandbox::Sandbox;

/// Ninety days of minutes, which are more than the killed runs fetch together.
const RANGE: [&str; 2] = ["2024-03-01T00:00:00Z", "2024-05-30T00:00:00Z"];
const RECORDS: usize = 90 * 24 * 60;

const KILLS: usize = 10;

fn program(base_url: &str, file: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_minutes-to-csv"));
    command.args(["BTC", RANGE[0], RANGE[1]]).arg(file).stderr(Stdio::inherit());
    command.env("MARKET_ANALYTICS_BASE_URL", base_url).env("MARKET_ANALYTICS_API_KEY", "any");
    command
}

fn file(name: &str) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    for old in [file.clone(), file.with_extension("csv.checkpoint")] {
        let _ = fs::remove_file(old);
    }
    file
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_program_writes_the_same_bytes() {
    // Half past midnight on 2024-06-15.
    let builder = Sandbox::of(&REGISTRY).stop_clock_at(1_718_411_400).limit_set("A");
    let sandbox = builder.fault("all latency=20ms..200ms".parse().unwrap()).start().unwrap();
    let base_url = sandbox.base_url().to_owned();
    tokio::task::spawn_blocking(move || {
        let whole = file("whole.csv");
        assert!(program(&base_url, &whole).status().unwrap().success());
        let expected = fs::read(&whole).unwrap();
        assert_eq!(expected.iter().filter(|byte| **byte == b'\n').count(), 1 + RECORDS);

        let resumed = file("resumed.csv");
        let mut lengths = Vec::new();
        while lengths.len() < KILLS {
            let mut running = program(&base_url, &resumed).spawn().unwrap();
            thread::sleep(Duration::from_millis(fastrand::u64(50..1000)));
            assert!(running.try_wait().unwrap().is_none(), "the program ended before it was killed: {lengths:?}");
            // SIGKILL: the program cannot clean up.
            running.kill().unwrap();
            running.wait().unwrap();
            let bytes = fs::read(&resumed).unwrap_or_default();
            assert!(expected.starts_with(&bytes), "{lengths:?}");
            lengths.push(bytes.len());
        }
        // Several runs must have written rows before they were killed. Otherwise the test proves too little.
        assert!(lengths.iter().filter(|length| **length > 1000).count() > 3, "{lengths:?}");
        assert!(program(&base_url, &resumed).status().unwrap().success());
        assert!(fs::read(&resumed).unwrap() == expected, "{lengths:?}");
        assert!(!resumed.with_extension("csv.checkpoint").exists());
    })
    .await
    .unwrap();
}
