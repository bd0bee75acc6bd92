//! Tests of commands that use a shared rate limit.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::server::Server;
use crate::support::catalogue::metric;
use crate::support::{Service, derivs_with, run, text};

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
