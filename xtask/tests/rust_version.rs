//! The published client keeps its promise of a Rust version only if what it depends on does.

#![expect(clippy::expect_used, reason = "a test that fails may panic")]

use std::collections::HashMap;
use std::process::Command;

use serde_json::Value;

#[test]
fn no_dependency_of_the_client_needs_a_newer_rust() {
    let metadata = Command::new(env!("CARGO"))
        // What other platforms need may not have been downloaded.
        .args(["metadata", "--format-version", "1", "--offline", "--all-features", "--filter-platform", &host()])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&metadata.stdout).expect("JSON");
    let packages: HashMap<&str, &Value> =
        list(&metadata["packages"]).iter().map(|package| (text(&package["id"]), package)).collect();
    let nodes: HashMap<&str, &Value> =
        list(&metadata["resolve"]["nodes"]).iter().map(|node| (text(&node["id"]), node)).collect();
    let client = packages.values().find(|package| package["name"] == "generated-client").expect("the client");
    let promised = version(client).expect("the client states its Rust version");

    let mut waiting = vec![text(&client["id"])];
    let mut seen = Vec::new();
    while let Some(id) = waiting.pop() {
        if seen.contains(&id) {
            continue;
        }
        seen.push(id);
        let package = packages[id];
        let needed = version(package);
        assert!(needed <= Some(promised), "{} needs Rust {needed:?}, and we promise {promised:?}", package["name"]);
        let normal = list(&nodes[id]["deps"]).iter().filter(|dependency| is_normal(dependency));
        waiting.extend(normal.map(|dependency| text(&dependency["pkg"])));
    }
    assert!(seen.len() > 20, "only {} packages were looked at", seen.len());
}

fn host() -> String {
    let rustc = Command::new("rustc").arg("-vV").output().expect("rustc runs");
    let lines = String::from_utf8(rustc.stdout).expect("text");
    lines.lines().find_map(|line| line.strip_prefix("host: ")).expect("a line with the host").to_owned()
}

fn is_normal(dependency: &Value) -> bool {
    list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null())
}

/// Major and minor version, if the package states any.
fn version(package: &Value) -> Option<(u32, u32)> {
    let mut parts = package["rust_version"].as_str()?.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}
