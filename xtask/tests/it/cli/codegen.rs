//! Tests of `cargo xtask codegen`.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{MARKET, crate_of, project, run, text};

#[test]
fn codegen_fills_an_empty_folder_and_reports_it() {
    let (spec, out) = project("fill");
    let first = run(&["codegen"], &spec, &out);
    assert!(first.status.success(), "{}", text(&first.stderr));
    let output = text(&first.stdout);
    assert!(output.contains("market          1          1"), "{output}");
    assert!(output.contains("wrote new market.rs"), "{output}");
    let second = text(&run(&["codegen"], &spec, &out).stdout);
    assert!(second.contains("up to date"), "{second}");
}

#[test]
fn codegen_replaces_a_file_that_does_not_compile() {
    let (spec, out) = project("mend");
    run(&["codegen"], &spec, &out);
    let broken = out.join("market.rs");
    let marker = fs::read_to_string(&broken).expect("a file").lines().next().expect("a marker").to_owned();
    fs::write(&broken, format!("{marker}\nthis is not valid Rust {{")).expect("a file");
    assert!(text(&run(&["codegen"], &spec, &out).stdout).contains("rewrote market.rs"));
    assert!(run(&["codegen", "--check"], &spec, &out).status.success());
}

/// `xtask` regenerates the client, so it must build even if the client does not.
#[test]
fn no_command_needs_the_client_or_the_sandbox_to_build() {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--package", "xtask", "--edges", "all", "--prefix", "none"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let tree = text(&tree.stdout);
    assert!(tree.contains("codegen v"), "{tree}");
    assert!(!tree.contains("generated-client v") && !tree.contains("sandbox v"), "{tree}");
}

#[test]
fn check_mode_names_every_difference_and_the_command_that_fixes_it() {
    let (spec, out) = project("drift");
    run(&["codegen"], &spec, &out);
    let changed = fs::read_to_string(out.join("market.rs")).expect("a file").replace("spot", "spit");
    fs::write(out.join("market.rs"), changed).expect("a file");
    fs::remove_file(out.join("service/types.rs")).expect("a file");
    fs::write(out.join("notes.txt"), "mine").expect("a file");
    let output = run(&["codegen", "--check"], &spec, &out);
    assert_eq!(output.status.code(), Some(1));
    let output = text(&output.stderr);
    for expected in
        ["drifted: market.rs", "missing: service/types.rs", "foreign: notes.txt", "cargo xtask codegen --spec"]
    {
        assert!(output.contains(expected), "expected {expected} in\n{output}");
    }
    assert!(!out.join("service/types.rs").exists(), "--check wrote a file");
    assert_eq!(run(&["codegen"], &spec, &out).status.code(), Some(1), "a foreign file stops codegen");
    assert!(!out.join("service/types.rs").exists(), "codegen wrote next to a foreign file");
}

#[test]
fn another_catalogue_needs_a_separate_folder() {
    let (spec, out) = project("another_catalogue");
    let output = Command::new(env!("CARGO_BIN_EXE_xtask")).args(["codegen", "--spec"]).arg(&spec).output();
    let output = output.expect("xtask runs");
    assert_eq!(output.status.code(), Some(1));
    let output = text(&output.stderr);
    assert!(output.contains("is not the catalogue of the client") && output.contains("--out CRATE"), "{output}");
    // A folder with files of another crate is not changed, even if they are outdated.
    run(&["codegen"], &spec, &out);
    fs::write(crate_of(&out).join("Cargo.toml"), "[package]\nname = \"tides\"\n").expect("a file");
    let output = run(&["codegen"], &spec, &out);
    assert_eq!(output.status.code(), Some(1));
    let output = text(&output.stderr);
    assert!(output.contains("foreign: market.rs was generated for `client`"), "{output}");
    assert!(output.contains("has files of `client`: name another folder with `--out`"), "{output}");
}

#[test]
fn the_command_line_is_a_separate_crate_that_is_written_once() {
    let (spec, out) = project("with_cli");
    assert!(run(&["codegen"], &spec, &out).status.success());
    let program = crate_of(&out).join("cli/src/main.rs");
    assert!(!program.exists(), "without `--cli`");
    let output = text(&run(&["codegen", "--cli"], &spec, &out).stdout);
    assert!(output.contains("wrote cli/Cargo.toml, which you may edit"), "{output}");
    assert!(fs::read_to_string(&program).expect("a file").contains("program!(&client::REGISTRY)"));
    fs::write(&program, "mine").expect("a file");
    assert!(run(&["codegen", "--cli"], &spec, &out).status.success());
    assert_eq!(fs::read_to_string(&program).expect("a file"), "mine");
}

#[test]
fn a_folder_with_an_invalid_crate_name_is_rejected() {
    let (spec, out) = project("names_of_crates");
    for name in ["2fast", "fn", "größe", "-", "core", "tokio", "generated-client-runtime"] {
        let folder = crate_of(&out).with_file_name(name);
        let output = run(&["codegen"], &spec, &folder.join("src/generated"));
        let output = text(&output.stderr);
        assert!(
            output.contains(&format!("`{name}` is not valid as the name of an emitted crate")) && !folder.exists(),
            "{output}"
        );
    }
    let named = crate_of(&out).with_file_name("2slow");
    fs::create_dir_all(&named).expect("a folder");
    fs::write(named.join("Cargo.toml"), "[package]\nname = \"slow\"\n").expect("a file");
    assert!(run(&["codegen"], &spec, &named.join("src/generated")).status.success(), "the manifest names it");
}

/// `ulimit -f 0` makes the system end the program at the first byte that it writes to a file.
#[cfg(unix)]
#[test]
fn the_next_run_completes_an_interrupted_one() {
    let (spec, out) = project("interrupted");
    run(&["codegen"], &spec, &out);
    let before = fs::read_to_string(out.join("market.rs")).expect("a file");
    fs::write(spec.join("market.yaml"), MARKET.replace("spot", "index")).expect("a file");
    let mut command = Command::new("sh");
    command.args([
        "-c",
        "ulimit -c 0; ulimit -f 0; exec \"$@\"",
        "sh",
        env!("CARGO_BIN_EXE_xtask"),
        "codegen",
        "--spec",
    ]);
    let output = command.arg(&spec).arg("--out").arg(crate_of(&out)).output().expect("a shell");
    assert!(!output.status.success());
    assert_eq!(fs::read_to_string(out.join("market.rs")).expect("a file"), before);
    let next = run(&["codegen"], &spec, &out);
    assert!(next.status.success(), "{}", text(&next.stderr));
    assert!(run(&["codegen", "--check"], &spec, &out).status.success());
}

/// `ulimit -f 16` makes the system refuse files of more than 8 KiB.
#[cfg(unix)]
#[test]
fn nothing_is_written_if_one_file_cannot_be() {
    let (spec, out) = project("unwritable");
    fs::write(spec.join("market.yaml"), MARKET.replace("spot", &"spot ".repeat(2_000))).expect("a file");
    let script = "trap '' XFSZ; ulimit -f 16; exec \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_xtask"), "codegen", "--spec"]);
    let output = command.arg(&spec).arg("--out").arg(crate_of(&out)).output().expect("a shell");
    assert_eq!(output.status.code(), Some(1));
    let output = text(&output.stderr);
    assert!(output.contains("market.rs: ") && output.ends_with("; nothing was written\n"), "{output}");
    let files = Command::new("find").arg(crate_of(&out)).args(["-type", "f"]).output().expect("find runs");
    assert_eq!(text(&files.stdout), "");
}

#[test]
fn a_folder_of_other_files_is_rejected() {
    let (spec, out) = project("folder_of_others");
    let folder = crate_of(&out);
    fs::create_dir_all(folder.join("src")).expect("a folder");
    fs::write(folder.join("Cargo.toml"), "[package]\nname = \"mine\"\n").expect("a file");
    fs::write(folder.join("src/main.rs"), "fn main() {}\n").expect("a file");
    for (folder, expected) in [
        (folder, "is a crate without `mod generated;` in `src/lib.rs`; name another folder with `--out`"),
        (&spec, "is part of a catalogue; name another folder with `--out`"),
        (&spec.join("client"), "is part of a catalogue"),
    ] {
        let output = run(&["codegen"], &spec, &folder.join("src/generated"));
        assert_eq!(output.status.code(), Some(1));
        let output = text(&output.stderr);
        assert!(output.contains(expected), "{output}");
        assert!(!folder.join("src/generated").exists() && !folder.join("docs").exists());
    }
    fs::write(folder.join("src/lib.rs"), "mod generated;\n").expect("a file");
    assert!(run(&["codegen"], &spec, &out).status.success());
}

#[test]
fn invalid_catalogue_writes_no_file() {
    let (spec, out) = project("wrong");
    fs::write(spec.join("market.yaml"), MARKET.replace("path: /basis", "path: basis")).expect("a file");
    for (command, end) in [("codegen", "the catalogue; no files were written\n"), ("check", "in the catalogue\n")] {
        let output = run(&[command], &spec, &out);
        assert_eq!(output.status.code(), Some(1));
        let output = text(&output.stderr);
        assert!(output.contains("market.yaml:5:9") && output.ends_with(end), "{output}");
    }
    assert!(!out.exists());
}

#[test]
fn rules_of_style_are_warnings() {
    let (spec, out) = project("style");
    fs::write(spec.join("market.yaml"), MARKET.replace("Perpetual price minus spot price.", "The basis."))
        .expect("a file");
    let checked = run(&["check"], &spec, &out);
    let warnings = text(&checked.stderr);
    assert!(checked.status.success(), "{warnings}");
    assert!(warnings.contains("warning[summary-repeats-name]"), "{warnings}");
    assert!(warnings.ends_with("warning: 1 warning in the catalogue\n"), "{warnings}");

    let denied = run(&["check", "--deny-warnings"], &spec, &out);
    assert!(!denied.status.success());
    assert!(text(&denied.stderr).contains("error[summary-repeats-name]"));

    let generated = run(&["codegen"], &spec, &out);
    let line = text(&generated.stderr);
    assert!(generated.status.success(), "{line}");
    assert!(line.starts_with("warning: 1 warning about the style of the catalogue; `cargo xtask check"), "{line}");
    assert_eq!(line.lines().count(), 1, "{line}");
}

/// The folder of a new crate is often below the workspace of this project, which does not list it as a member.
#[test]
fn a_crate_in_the_folder_of_the_project_is_a_separate_workspace() {
    let (spec, out) = project("in_the_project");
    let root = spec.parent().expect("a folder");
    fs::write(root.join("Cargo.toml"), "[workspace]\nmembers = []\n").expect("a file");
    fs::create_dir_all(root.join("xtask")).expect("a folder");
    fs::write(root.join("xtask/Cargo.toml"), "").expect("a file");
    for name in ["runtime", "sandbox", "cli"] {
        fs::create_dir_all(root.join("crates").join(name).join("src")).expect("a folder");
        let manifest = format!("[package]\nname = \"generated-client-{name}\"\n[features]\ns3 = []\n[workspace]\n");
        fs::write(root.join("crates").join(name).join("Cargo.toml"), manifest).expect("a file");
        fs::write(root.join("crates").join(name).join("src/lib.rs"), "").expect("a file");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["codegen", "--cli", "--spec"]).arg(&spec).arg("--out").arg(crate_of(&out));
    let output = command.current_dir(root).output().expect("xtask runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    for manifest in ["Cargo.toml", "cli/Cargo.toml"] {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path"]);
        let output = cargo.arg(crate_of(&out).join(manifest)).output().expect("cargo runs");
        assert!(output.status.success(), "{manifest}: {}", text(&output.stderr));
    }
}

/// Checkouts that share a target folder also share the program, and a user runs it in the folder of another crate.
#[test]
fn commands_work_on_the_folder_in_which_they_are_started() {
    let (spec, out) = project("started_here");
    let project = spec.parent().expect("a folder");
    let xtask = |folder: &Path, arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command.args(arguments).current_dir(folder).output().expect("xtask runs")
    };
    let inside = project.join("client");
    fs::create_dir_all(&inside).expect("a folder");
    let checked = text(&xtask(&inside, &["check"]).stdout);
    // The path is relative if Cargo's target folder is inside the checkout.
    let line = checked.lines().find(|line| line.contains("in the catalogue in ")).expect("a line with the folder");
    assert!(line.ends_with("started_here/spec"), "{checked}");
    let unnamed = xtask(&inside, &["codegen"]);
    assert!(text(&unnamed.stderr).contains("name the crate to generate"), "{}", text(&unnamed.stderr));
    // A folder that does not exist yet, with `..` in its path.
    let first = xtask(&spec, &["codegen", "--out", "../../started_here_client"]);
    assert!(first.status.success(), "{}", text(&first.stderr));
    let client = project.with_file_name("started_here_client");
    let manifest = fs::read_to_string(client.join("Cargo.toml")).expect("a manifest");
    let runtime =
        manifest.lines().find(|line| line.starts_with("generated-client-runtime") || line.starts_with("runtime"));
    let path = runtime.and_then(|line| line.split("path = \"").nth(1)?.split('"').next()).expect("a path");
    assert!(client.join(path).join("Cargo.toml").is_file(), "{manifest}");
    // The catalogue of an emitted crate needs no `--out`.
    assert!(xtask(project, &["codegen", "--out", "."]).status.success());
    let again = xtask(&spec, &["codegen", "--check"]);
    assert!(again.status.success(), "{}", text(&again.stderr));
    let _ = (out, fs::remove_dir_all(client));
}
