//! The commands of the page about several machines, as they stand there, run by a shell against a sandbox.
//!
//! Kubernetes and Slurm are not run: what they would set is set here, one part after the other.

use std::fs;
use std::io::{Read, Seek};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{self, Service, asking, output};
use parquet::file::reader::{FileReader, SerializedFileReader};

const PAGE: &str = include_str!("../../../shared-gate/FLEET.md");

/// Longer than a script takes on the slowest of machines.
const LIMIT: Duration = Duration::from_secs(300);

/// The code below a heading.
fn code(heading: &str) -> &'static str {
    let section = PAGE.split(&format!("\n## {heading}")).nth(1).unwrap();
    let block = section.split("\n```").nth(1).unwrap();
    block.split_once('\n').unwrap().1
}

/// Runs a script in a folder, where `derivs` is this program and asks a service.
fn shell(service: &Service, folder: &Path, script: &str, variables: &[(&str, &str)]) {
    let settings = asking(service, &[]);
    let mut shell = Command::new("sh");
    shell.args(["-ec", script]).current_dir(folder);
    for (name, value) in settings.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let program = Path::new(support::PROGRAM).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    shell.env("PATH", path).envs(variables.iter().copied());
    // A part that never comes to its end is tried for ever; a file takes all it says, whoever still runs.
    let mut said = tempfile::tempfile().unwrap();
    shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said.try_clone().unwrap()).process_group(0);
    let (mut shell, begun) = (shell.spawn().unwrap(), Instant::now());
    let code = loop {
        if let Some(status) = shell.try_wait().unwrap() {
            break status.code();
        }
        if begun.elapsed() > LIMIT {
            let group = format!("kill -KILL -{}", shell.id());
            Command::new("sh").args(["-c", &group]).status().unwrap();
            shell.wait().unwrap();
            break None;
        }
        thread::sleep(Duration::from_millis(20));
    };
    let mut text = String::new();
    said.rewind().unwrap();
    said.read_to_string(&mut text).unwrap();
    assert_eq!(code, Some(0), "after {:?}: {text}", begun.elapsed());
}

/// Whether a folder has all of a year, each record once.
fn has_the_year(service: &Service, folder: &Path, endpoints: &[&str]) {
    let data = folder.join("data");
    let args = ["--coin", "BTC,ETH", "--timeframe", "1h", "--from", "2024-01-01", "--to", "2025-01-01", "--out"];
    let whole = output(&mut asking(service, &[&["backfill"], endpoints, &args, &[support::text(&data)]].concat()));
    assert!(whole.code == Some(0) && whole.err.contains(": nothing is missing"), "{}", whole.err);
    assert_eq!(rows(&data), endpoints.len() * 2 * 366 * 24);
}

/// How many rows the files of a folder have.
fn rows(folder: &Path) -> usize {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let of = |path: std::path::PathBuf| match path.extension() {
        _ if path.is_dir() => rows(&path),
        Some(ending) if ending == "parquet" => {
            let file = SerializedFileReader::new(fs::File::open(&path).unwrap()).unwrap();
            usize::try_from(file.metadata().file_metadata().num_rows()).unwrap()
        }
        _ => 0,
    };
    paths.map(of).sum()
}

#[test]
fn the_loop_of_a_shell_does_all_parts() {
    let (service, folder) = (Service::start(), tempfile::tempdir().unwrap());
    shell(&service, folder.path(), code("A loop in a shell"), &[]);
    has_the_year(&service, folder.path(), &["volume_ratio"]);
}

#[test]
fn the_script_for_slurm_does_the_part_of_its_task() {
    let (service, folder) = (Service::start(), tempfile::tempdir().unwrap());
    for task in ["1", "2", "3", "4"] {
        let variables = [("SLURM_ARRAY_TASK_ID", task), ("SLURM_ARRAY_TASK_COUNT", "4")];
        shell(&service, folder.path(), code("Slurm"), &variables);
    }
    has_the_year(&service, folder.path(), &["volume_ratio", "open_interest"]);
}

/// The words of the container, whose folder `/data` is one of the test.
#[test]
fn the_container_of_an_indexed_job_does_the_part_of_its_index() {
    let (service, folder) = (Service::start(), tempfile::tempdir().unwrap());
    let manifest = code("Kubernetes");
    let block = manifest.split("- >-\n").nth(1).unwrap();
    let lines = block.lines().take_while(|line| line.starts_with("              "));
    let script = lines.map(str::trim).collect::<Vec<_>>().join(" ");
    assert!(script.ends_with(" --out /data"), "{script}");
    let script = script.replace("--out /data", "--out data");
    assert!(manifest.contains("completions: 4"));
    for index in ["0", "1", "2", "3"] {
        shell(&service, folder.path(), &script, &[("JOB_COMPLETION_INDEX", index)]);
    }
    has_the_year(&service, folder.path(), &["volume_ratio", "open_interest"]);
}
