//! Tests of `cargo xtask serve`.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{CARGO, text};

/// Only the call is tested; the tests of the sandbox are in its own crate.
#[test]
fn serve_starts_the_sandbox_in_the_current_folder() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("serve");
    fs::create_dir_all(&dir).expect("a new folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["serve", "--port", "0", "--spec", "mine"]).env("CARGO", CARGO).current_dir(&dir);
    let running = command.stdout(Stdio::piped()).spawn().expect("xtask runs");
    let id = running.id();
    let output = text(&running.wait_with_output().expect("it ends").stdout);
    let (folder, handed) = output.trim_end().split_once('\n').expect("two lines");
    assert_eq!(Path::new(folder), dir.canonicalize().expect("it exists"), "`mine` is relative to the caller's folder");
    assert!(handed.starts_with(&format!("{id} run ")), "ending process {id} ends the sandbox: {handed}");
    assert!(handed.ends_with(" --port 0 --spec mine"), "{handed}");
}

#[test]
fn help_starts_no_build() {
    for arguments in [&["serve", "--help"][..], &["serve", "-h"], &["serve", "--port", "0", "--help"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        let output = command.args(arguments).env("CARGO", "/no/such/cargo").output().expect("xtask runs");
        assert!(output.status.success() && text(&output.stdout).contains("--port <PORT>"), "{}", text(&output.stderr));
    }
}
