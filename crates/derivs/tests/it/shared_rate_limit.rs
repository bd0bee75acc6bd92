//! Tests of commands that use a shared rate limit.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use test_endpoints::metric;
use test_redis::Server;

use crate::support::{RunOutput, Service, derivs_with, run, run_output, text};

/// For a minute after a shared limit is created, nothing is sent, because requests before the creation may still count
/// towards the limit.
#[test]
fn first_use_of_a_shared_rate_limit_explains_its_wait() {
    let (service, server) = (Service::start(), Server::start(None));
    let url = server.url("");
    let mut command = derivs_with(&service, &[&["get"], &*metric().hourly(), &["--shared-rate-limit", &url]].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.starts_with("waiting "), "{line}");
    assert!(
        line.contains(" s for the shared rate limit `default`: the shared limit is new, the server that stores it has"),
        "{line}"
    );
}

/// The window of the limit in the settings is short, so the command does not wait.
#[cfg(unix)]
#[test]
fn shared_rate_limit_uses_the_rate_limit_of_the_settings() {
    use std::os::unix::fs::PermissionsExt;

    let (service, server, folder) = (Service::start(), Server::start(None), tempfile::tempdir().unwrap());
    let file = folder.path().join("settings.toml");
    let limit = "rate_limit = { requests = 20, window = \"100ms\", concurrent = 3 }";
    std::fs::write(&file, format!("base_url = {:?}\napi_key = \"right-key\"\n{limit}\n", service.base_url())).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let checked = run(&["check", "--settings", text(&file), "--shared-rate-limit", &server.url("")]);
    assert_eq!(checked.code, Some(0), "{checked:?}");
    assert!(checked.out.contains("\nshared limit  0 programs, 0 of 3 requests in flight\n"), "{}", checked.out);
}

/// Checks the connection with the rate limit of this machine, whose file is below this folder.
fn check_on_machine(service: &Service, state: &Path, args: &[&str]) -> RunOutput {
    let mut command: Command = derivs_with(service, &[&["check"], args].concat());
    command.env_remove("MARKET_ANALYTICS_SHARED_RATE_LIMIT").env("XDG_STATE_HOME", state);
    run_output(&command.output().unwrap())
}

/// The files below a folder.
fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            files.extend(self::files(&entry.path()));
        } else {
            files.push(entry.path());
        }
    }
    files
}

#[cfg(target_os = "linux")]
#[test]
fn programs_of_a_machine_share_the_rate_limit_by_default() {
    use std::os::unix::fs::PermissionsExt;

    let service = Service::start();
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        let checked = check_on_machine(&service, folder.path(), &[]);
        assert_eq!(checked.code, Some(0), "{checked:?}");
        assert!(checked.out.contains("\nshared limit  0 programs, 0 of "), "{}", checked.out);
    }
    let files = files(folder.path());
    assert_eq!(
        files.iter().filter(|file| file.extension().is_some_and(|kind| kind == "state")).count(),
        1,
        "{files:?}"
    );
    for file in files {
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{file:?}");
        let content = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        let shown = format!("{file:?} {content}");
        assert!(!shown.contains("right-key") && !shown.contains("127.0.0.1"), "{shown}");
    }
}

/// The program works where no file can be written, for example with a read-only home folder.
#[test]
fn rate_limit_applies_to_the_process_if_the_file_cannot_be_used() {
    let service = Service::start();
    let folder = tempfile::NamedTempFile::new().unwrap();
    let checked = check_on_machine(&service, folder.path(), &[]);
    assert_eq!(checked.code, Some(0), "{checked:?}");
    assert!(checked.out.contains("\nshared limit  the rate limit applies to this process only: "), "{}", checked.out);
    assert!(!checked.out.contains("os error"), "{}", checked.out);
    assert!(!checked.err.contains("rate limit"), "{}", checked.err);
    let verbose = check_on_machine(&service, folder.path(), &["--verbose"]);
    assert!(verbose.err.contains("the rate limit applies to this process only: "), "{}", verbose.err);
}

#[test]
fn sandbox_writes_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = crate::support::derivs(&["check", "--sandbox"]);
    command.env_remove("MARKET_ANALYTICS_SHARED_RATE_LIMIT").env("XDG_STATE_HOME", folder.path());
    assert_eq!(run_output(&command.output().unwrap()).code, Some(0));
    assert_eq!(files(folder.path()), Vec::<std::path::PathBuf>::new());
}
