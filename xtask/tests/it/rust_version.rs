//! Tests that no dependency of the published client needs a newer Rust version than the client declares.

use std::collections::HashMap;
use std::process::Command;

use serde_json::{Value, json};

#[test]
fn no_dependency_of_the_client_needs_a_newer_rust() {
    let output = Command::new(env!("CARGO"))
        // The command is not `--offline`, because optional dependencies may not have been downloaded yet.
        .args(["metadata", "--format-version", "1", "--locked", "--all-features", "--filter-platform", &host()])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata = serde_json::from_slice(&output.stdout).expect("JSON");
    let (looked_at, too_new) = check(&metadata);
    assert!(too_new.is_empty(), "{too_new:?}");
    for name in ["tokio", "reqwest", "tracing"] {
        assert!(looked_at.iter().any(|package| package == name), "{name} was not checked");
    }
}

/// Dependencies at any depth are checked; development dependencies are not.
#[test]
fn a_dependency_that_needs_a_newer_rust_is_named() {
    let package = |name: &str, version: &str| json!({"id": name, "name": name, "rust_version": version});
    let node = |id: &str, deps: Value| json!({"id": id, "deps": deps});
    let dependency = |name: &str, kind: Value| json!({"pkg": name, "dep_kinds": [{"kind": kind}]});
    let metadata = json!({
        "packages": [
            package("generated-client", "1.85"),
            package("near", "1.85.1"),
            package("far", "1.86"),
            package("test", "1.99"),
            {"id": "silent", "name": "silent", "rust_version": null},
        ],
        "resolve": {"nodes": [
            node("generated-client", json!([dependency("near", Value::Null), dependency("test", json!("dev"))])),
            node("near", json!([dependency("far", Value::Null), dependency("silent", Value::Null)])),
            node("far", json!([])),
            node("test", json!([])),
            node("silent", json!([])),
        ]},
    });
    let (looked_at, too_new) = check(&metadata);
    assert_eq!(looked_at, ["generated-client", "near", "silent", "far"]);
    assert_eq!(too_new, ["far needs Rust 1.86, but the client declares 1.85"]);
}

/// Returns the names of the client and its normal dependencies, and an error for each package that needs a newer Rust
/// version.
fn check(metadata: &Value) -> (Vec<String>, Vec<String>) {
    let packages: HashMap<&str, &Value> =
        list(&metadata["packages"]).iter().map(|package| (text(&package["id"]), package)).collect();
    let nodes: HashMap<&str, &Value> =
        list(&metadata["resolve"]["nodes"]).iter().map(|node| (text(&node["id"]), node)).collect();
    let client = packages.values().find(|package| package["name"] == "generated-client").expect("the client");
    let promised = version(client).expect("the client declares its Rust version");
    let mut waiting = vec![text(&client["id"])];
    let (mut seen, mut too_new) = (Vec::new(), Vec::new());
    while let Some(id) = waiting.pop() {
        if seen.contains(&id) {
            continue;
        }
        seen.push(id);
        let package = packages[id];
        if let Some((major, minor)) = version(package).filter(|needed| *needed > promised) {
            let (name, promised) = (text(&package["name"]), format!("{}.{}", promised.0, promised.1));
            too_new.push(format!("{name} needs Rust {major}.{minor}, but the client declares {promised}"));
        }
        let normal = list(&nodes[id]["deps"]).iter().filter(|dependency| is_normal(dependency));
        waiting.extend(normal.map(|dependency| text(&dependency["pkg"])));
    }
    (seen.iter().map(|id| text(&packages[id]["name"]).to_owned()).collect(), too_new)
}

fn host() -> String {
    let rustc = Command::new("rustc").arg("-vV").output().expect("rustc runs");
    let lines = String::from_utf8(rustc.stdout).expect("text");
    lines.lines().find_map(|line| line.strip_prefix("host: ")).expect("a line with the host").to_owned()
}

fn is_normal(dependency: &Value) -> bool {
    list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null())
}

/// Returns the major and minor number of the Rust version that a package declares, if any.
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
