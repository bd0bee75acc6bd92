//! Starts the command line of a service with endpoints on two hosts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::{project_with, text};

const SERVICE: &str = "\
title: Two hosts
version: '1'
summary: A service with two hosts.
env_prefix: TWO_HOSTS
time: {unit: seconds, evidence: documented}
";

const MARKET: &str = "\
title: Market
summary: Prices.
endpoints:
- {name: Prices, path: /prices, evidence: documented, summary: The prices., params: [], body: {series: [{name: price, type: \
number, summary: The price.}]}}
";

const ORDERS: &str = "\
title: Orders
summary: Orders.
base_url: {name: broker, suffix: /v1, evidence: documented}
endpoints:
- {name: Orders, path: /orders, example: true, evidence: documented, summary: The orders., params: [], body: {series: [{name: size, type: \
number, summary: The size.}]}}
";

fn project(name: &str) -> PathBuf {
    project_with(name, &[("service.yaml", SERVICE), ("market.yaml", MARKET), ("orders.yaml", ORDERS)])
}

/// Runs the command line with the base URL of the service, at which nothing listens.
fn run(project: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_catalogue-cli"));
    command.args(arguments).current_dir(project).env("XDG_CONFIG_HOME", project);
    command.env("TWO_HOSTS_BASE_URL", "http://127.0.0.1:1").output().expect("a process")
}

#[test]
fn missing_base_url_of_a_group_is_a_missing_setting() {
    let project = project("missing_base_url");
    let commands: [&[&str]; 2] = [&["get", "orders"], &["get", "orders", "--json"]];
    for command in commands {
        let output = run(&project, command);
        let printed = text(&output.stderr);
        assert!(printed.contains("set TWO_HOSTS_BROKER_BASE_URL"), "{printed}");
        assert_eq!(output.status.code(), Some(3), "{printed}");
    }
}

#[test]
fn the_connection_is_checked_with_the_host_of_the_service() {
    let output = run(&project("check_of_two_hosts"), &["check"]);
    let printed = text(&output.stderr);
    assert!(output.status.code() == Some(4) && !printed.contains("BROKER"), "{printed}");
}

#[test]
fn a_variable_sets_the_base_url_that_a_settings_file_omits() {
    let project = project("settings_and_variable");
    let settings = project.join("settings.toml");
    fs::write(&settings, "base_url = \"http://127.0.0.1:1\"\n").expect("a file");
    restrict(&settings);
    let mut command = Command::new(env!("CARGO_BIN_EXE_catalogue-cli"));
    command.args(["get", "orders", "--settings", "settings.toml"]).current_dir(&project);
    let output = command.env("TWO_HOSTS_BROKER_BASE_URL", "http://127.0.0.1:1/v1").output().expect("a process");
    let printed = text(&output.stderr);
    assert!(!printed.contains("set TWO_HOSTS_BROKER_BASE_URL"), "{printed}");
    assert_ne!(output.status.code(), Some(3), "{printed}");
}

/// Lets only the owner read a file, as settings must be.
fn restrict(file: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(file, fs::Permissions::from_mode(0o600)).expect("a file");
    }
    #[cfg(not(unix))]
    let _ = file;
}

#[test]
fn sandbox_serves_both_hosts() {
    let project = project("sandbox_of_two_hosts");
    for (endpoint, column) in [("prices", "price"), ("orders", "size")] {
        let output = run(&project, &["get", endpoint, "--sandbox", "--format", "csv"]);
        let printed = text(&output.stdout);
        assert!(output.status.success() && printed.starts_with(column), "{printed}{}", text(&output.stderr));
    }
}

#[test]
fn pages_of_endpoints_name_the_variables() {
    let project = project("pages_of_two_hosts");
    let page = text(&run(&project, &["describe", "orders"]).stdout);
    assert!(page.contains("TWO_HOSTS_BROKER_BASE_URL"), "{page}");
    let page = text(&run(&project, &["describe", "prices"]).stdout);
    assert!(!page.contains("BASE_URL"), "{page}");
    for (endpoint, variable) in [("orders", "TWO_HOSTS_BROKER_BASE_URL"), ("prices", "TWO_HOSTS_BASE_URL")] {
        let page = text(&run(&project, &["describe", endpoint, "--json"]).stdout);
        assert!(page.contains(&format!("\"base_url_variable\":\"{variable}\"")), "{page}");
    }
}
