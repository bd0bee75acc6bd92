//! Runs one test in a separate process of this program, for tests that change the environment or record all logs.

use std::process::Command;

/// Returns true in a process that [`run_alone`] has started.
pub(crate) fn is_alone() -> bool {
    std::env::var_os("ALONE").is_some()
}

/// Runs one test, named `module::test`, in a process with these environment variables. Other variables for proxies and
/// root certificates are removed.
#[track_caller]
pub(crate) fn run_alone(test: &str, environment: &[(&str, &str)]) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    for name in ["all_proxy", "ALL_PROXY", "HTTPS_PROXY", "https_proxy", "no_proxy", "NO_PROXY", "SSL_CERT_DIR"] {
        command.env_remove(name);
    }
    command.args(["--exact", test]).env("ALONE", "1").envs(environment.iter().copied());
    let output = command.output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && printed.contains("1 passed"), "{printed}");
}
