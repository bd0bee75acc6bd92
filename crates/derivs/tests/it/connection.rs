//! Tests of the connection to the service: settings, proxies and errors.

#[cfg(unix)]
use std::fs;
#[cfg(unix)]
use std::io::{BufRead, BufReader, Write};
#[cfg(unix)]
use std::net::TcpListener;
#[cfg(unix)]
use std::thread;

use test_endpoints::metric;
use test_service::ClosedPort;

use crate::pipes::get;
use crate::support::{self, Service, derivs, derivs_with, run, run_output, run_with};

#[test]
fn missing_settings_are_listed_with_their_variables() {
    let output = run(&["check"]);
    assert_eq!((output.code, output.out.as_str()), (Some(3), ""));
    for word in ["MARKET_ANALYTICS_BASE_URL", "settings.toml", "--sandbox"] {
        assert!(output.err.contains(word), "{}", output.err);
    }
}

#[cfg(unix)]
#[test]
fn proxy_of_the_environment_is_used() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.toml");
    fs::write(&file, "base_url = \"https://service.invalid/v2\"\napi_key = \"any\"\nretry.max_attempts = 1\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let port = ClosedPort::occupy().unwrap();
    let proxy = port.address();
    let mut command = derivs(&["check", "--settings", support::text(&file)]);
    let output =
        run_output(&command.env("HTTPS_PROXY", format!("http://{proxy}")).env_remove("NO_PROXY").output().unwrap());
    assert_eq!(output.code, Some(4));
    assert!(output.err.contains(&format!("through the proxy `{proxy}`")), "{}", output.err);
    assert!(output.err.contains("help: check HTTPS_PROXY"), "{}", output.err);
}

#[cfg(unix)]
#[test]
fn a_settings_file_replaces_the_defaults_of_the_program() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.toml");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let settings = "api_key = \"any\"\nuser_agent = \"mine/1\"\nenv_proxy = false\nretry.max_attempts = 1\n";
    let write = |base_url: &str| {
        fs::write(&file, format!("base_url = \"{base_url}\"\n{settings}")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    };
    let check = || {
        let mut command = derivs(&["check", "--settings", support::text(&file)]);
        run_output(&command.env("HTTPS_PROXY", format!("http://{address}")).env_remove("NO_PROXY").output().unwrap())
    };

    write("https://service.invalid/v2");
    let direct = check();
    assert!(direct.code == Some(4) && !direct.err.contains("through the proxy"), "{direct:?}");

    write(&format!("http://{address}/v2"));
    let server = thread::spawn(move || {
        let mut stream = listener.accept().unwrap().0;
        let mut head = String::new();
        for line in BufReader::new(&stream).lines() {
            let line = line.unwrap();
            if line.is_empty() {
                break;
            }
            head += &format!("{line}\n");
        }
        stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").unwrap();
        head
    });
    check();
    let head = server.join().unwrap();
    assert!(head.to_lowercase().contains("user-agent: mine/1\n"), "{head}");
}

#[test]
fn wrong_key_is_reported_but_not_shown() {
    let service = Service::start();
    let output =
        run_output(&derivs_with(&service, &["check"]).env("MARKET_ANALYTICS_API_KEY", "wrong-key").output().unwrap());
    assert_eq!(output.code, Some(3));
    assert!(!output.out.contains("wrong-key") && !output.err.contains("wrong-key"), "{output:?}");
    let right = run_with(&service, &["check"]);
    assert!(right.code == Some(0) && right.out.contains("\nAPI key       accepted\n"), "{right:?}");
}

#[test]
fn metrics_of_a_poll_that_fails_report_no_complete_run() {
    let folder = tempfile::tempdir().unwrap();
    let metrics = folder.path().join("derivs.prom");
    let out = folder.path().join("a.csv");
    let service = Service::start();
    let minutes = metric().args(metric().keys[0], 60);
    let files = ["--out", support::text(&out), "--metrics-file", support::text(&metrics)];
    let args = [&["poll"], &*minutes, &["--from", "1h"], &files].concat();
    let output =
        run_output(&derivs_with(&service, &args).env("MARKET_ANALYTICS_API_KEY", "wrong-key").output().unwrap());
    assert_eq!(output.code, Some(3), "{}", output.err);
    let text = std::fs::read_to_string(&metrics).unwrap();
    assert!(text.contains("\nderivs_last_run_complete 0\n"), "{text}");
}

#[cfg(unix)]
#[test]
fn missing_folder_of_the_metrics_is_reported() {
    let minutes = metric().args(metric().keys[0], 60);
    let output = run(&[&["poll"], &*minutes, &["--metrics-file", "/missing/derivs.prom", "--sandbox"]].concat());
    let expected = "error: cannot write /missing/derivs.prom: No such file or directory\n  \
                    help: `--metrics-file` needs a file in an existing folder\n";
    assert_eq!((output.code, output.err.as_str()), (Some(1), expected));
}

#[test]
fn unreachable_service_is_reported() {
    let port = ClosedPort::occupy().unwrap();
    let mut command = derivs(&["check"]);
    let url = format!("http://{}/v2", port.address());
    command.env("MARKET_ANALYTICS_BASE_URL", url).env("MARKET_ANALYTICS_API_KEY", "key");
    let output = run_output(&command.output().unwrap());
    assert_eq!(output.code, Some(4));
    assert!(output.err.contains(" refused"), "{}", output.err);
}

#[cfg(unix)]
#[test]
fn settings_file_readable_by_others_is_an_error() {
    use std::os::unix::fs::PermissionsExt;

    let service = Service::start();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.toml");
    fs::write(&file, format!("base_url = \"{}\"\napi_key = \"right-key\"\n", service.base_url())).unwrap();
    let name = file.to_str().unwrap();
    let check = |mode: u32| {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        run(&["check", "--settings", name])
    };
    let open = check(0o644);
    let expected = format!("error: {name} is accessible to other users (mode 0644)\n  help: chmod 600 {name}\n");
    assert_eq!((open.code, open.err), (Some(3), expected));
    let closed = check(0o600);
    assert!(closed.code == Some(0) && closed.out.contains("\nAPI key       accepted\n"), "{closed:?}");
}

#[cfg(unix)]
#[test]
fn a_wrong_setting_is_named_with_its_file_line_and_key() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("my settings.toml");
    let check = || run(&["check", "--settings", support::text(&file)]);
    let name = format!("'{}'", support::text(&file));
    let missing = check();
    let expected = format!("error: cannot read the file {name}: No such file or directory\n");
    assert_eq!((missing.code, missing.err), (Some(3), expected));
    fs::write(&file, "base_url = \"https://service.invalid\"\nallow_http = \"canary\"\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let expected = format!("error: {name}:2: invalid type, expected a boolean in `allow_http`\n");
    let wrong = check();
    assert_eq!((wrong.code, wrong.err), (Some(3), expected));
}

#[test]
fn unusable_shared_rate_limit_is_an_error_before_any_request() {
    let service = Service::start();
    let port = ClosedPort::occupy().unwrap();
    let limiter = format!("redis://{}", port.address());
    let away = run_with(&service, &get(&["--shared-rate-limit", &limiter]));
    assert_eq!((away.code, away.out.as_str()), (Some(4), ""));
    let expected = "error: cannot reach the server of the shared rate limit: Connection refused\n";
    assert!(away.err.starts_with(expected) && away.err.contains("help: without `--shared-rate-limit`"), "{}", away.err);
    let mut command = derivs_with(&service, &get(&[]));
    let output =
        run_output(&command.env("MARKET_ANALYTICS_SHARED_RATE_LIMIT", "http://:canary@127.0.0.1").output().unwrap());
    assert_eq!(output.code, Some(2));
    assert!(
        output.err.starts_with("error: the URL of the shared rate limit's server cannot be used"),
        "{}",
        output.err
    );
    assert!(!output.err.contains("canary"), "{}", output.err);
}
