//! Tests of the commands as a user or CI runs them: exit codes, standard output and standard error.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SERVICE: &str = "\
title: Example
version: v1
summary: A service to try things on.
env_prefix: EXAMPLE
time: {unit: seconds, evidence: documented}
";

const MARKET: &str = "\
title: Market
summary: What the market does.
endpoints:
- name: Basis
  path: /basis
  evidence: documented
  summary: Perpetual price minus spot price.
  params: []
  body: unknown
";

/// Writes a small catalogue for one test; returns its folder and the folder for the emitted Rust files.
fn project(name: &str) -> (PathBuf, PathBuf) {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    let (spec, out) = (dir.join("spec"), dir.join("client/src/generated"));
    fs::create_dir_all(&spec).expect("a new folder");
    fs::write(spec.join("service.yaml"), SERVICE).expect("a file");
    fs::write(spec.join("market.yaml"), MARKET).expect("a file");
    (spec, out)
}

/// The folder of the crate with these emitted files.
fn crate_of(out: &Path) -> &Path {
    out.ancestors().nth(2).expect("a crate")
}

fn run(arguments: &[&str], spec: &Path, out: &Path) -> Output {
    let xtask = env!("CARGO_BIN_EXE_xtask");
    let mut command = Command::new(xtask);
    command.args(arguments).arg("--spec").arg(spec);
    if arguments[0] == "codegen" {
        command.arg("--out").arg(crate_of(out));
    }
    command.output().expect("xtask runs")
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

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

#[test]
fn invalid_catalogue_writes_no_file() {
    let (spec, out) = project("wrong");
    fs::write(spec.join("market.yaml"), MARKET.replace("path: /basis", "path: basis")).expect("a file");
    for command in ["codegen", "check"] {
        let output = run(&[command], &spec, &out);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains("market.yaml:5:9"), "{}", text(&output.stderr));
    }
    assert!(!out.exists());
}

/// A shell completes the name of a folder with a slash at the end.
#[test]
fn a_folder_with_a_slash_is_the_same_folder() {
    let (spec, out) = project("slash");
    fs::write(spec.join("market.yaml"), "title: 1\n").expect("a file");
    let output = run(&["check"], &spec.join(""), &out);
    let output = text(&output.stderr);
    assert!(output.contains("slash/spec/market.yaml:1:8"), "{output}");
}

/// `COMMAND --help` prints more detail than the list of commands.
#[test]
fn help_describes_a_command() {
    for (command, expected) in [
        ("add", "On a terminal it prompts for missing options."),
        ("import", "starts a new catalogue in a folder"),
        ("learn", "The fields are merged with the known ones"),
        ("verify", "Arguments of the scripts, such as a number of seconds"),
    ] {
        let mut xtask = Command::new(env!("CARGO_BIN_EXE_xtask"));
        let help = text(&xtask.args([command, "--help"]).output().expect("xtask runs").stdout);
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains(expected), "{help}");
    }
}

#[test]
fn a_missing_catalogue_is_an_error() {
    let (spec, out) = project("absent");
    let output = run(&["check"], &spec.join("nowhere"), &out);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cannot read the catalogue"), "{}", text(&output.stderr));
}

#[test]
fn status_reports_coverage_and_the_next_gaps() {
    let (spec, out) = project("status");
    fs::write(spec.join("market.yaml"), MARKET.replace("path: /basis", "path: unknown")).expect("a file");
    let output = text(&run(&["status"], &spec, &out).stdout);
    for expected in ["market          1          0", "paths", "the path of Basis in market"] {
        assert!(output.contains(expected), "expected {expected} in\n{output}");
    }
}

#[test]
fn openapi_prints_the_requested_version_and_format() {
    let (spec, out) = project("openapi");
    for (arguments, expected) in [
        (&["openapi"][..], "\"openapi\": \"3.1.0\""),
        (&["openapi", "--version", "3.0"], "\"openapi\": \"3.0.3\""),
        (&["openapi", "--format", "yaml"], "openapi: \"3.1.0\"\n"),
    ] {
        let output = text(&run(arguments, &spec, &out).stdout);
        assert!(output.contains(expected) && output.contains("/basis"), "{arguments:?}: {output}");
    }
}

/// A response of the sandbox, as `curl -i` saves it.
const MOCK_RESPONSE: &str = "HTTP/1.1 200 OK\nx-sandbox-invented: body\n\n{\"basis\": 1.5}\n";

#[test]
fn learned_fields_are_shown_and_written_only_if_confirmed() {
    let (spec, out) = project("learn");
    let reply = spec.with_file_name("reply.json");
    fs::write(&reply, MOCK_RESPONSE).expect("a file");
    let reply = reply.to_str().expect("a path");
    let asked = run(&["learn", "/basis", reply], &spec, &out);
    assert_eq!(asked.status.code(), Some(1), "not confirmed");
    assert!(
        text(&asked.stdout).contains("+    - {name: basis, type: number, summary: unknown}"),
        "{}",
        text(&asked.stdout)
    );
    assert!(text(&asked.stderr).contains("`--yes` writes without confirmation"), "{}", text(&asked.stderr));
    assert_eq!(fs::read_to_string(spec.join("market.yaml")).expect("a file"), MARKET);
    assert!(run(&["learn", "/basis", reply, "--yes"], &spec, &out).status.success());
    assert!(fs::read_to_string(spec.join("market.yaml")).expect("a file").contains("name: basis"));
    assert!(text(&run(&["learn", "/basis", reply], &spec, &out).stdout).contains("nothing to write"));
}

#[test]
fn mock_data_never_enters_our_own_catalogue() {
    let (spec, _) = project("learn_invented");
    let reply = spec.with_file_name("reply.json");
    fs::write(&reply, MOCK_RESPONSE).expect("a file");
    let xtask = env!("CARGO_BIN_EXE_xtask");
    let output = Command::new(xtask).args(["learn", "/ping", "--yes"]).arg(&reply).output().expect("xtask runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("a mock response of the sandbox"), "{}", text(&output.stderr));
}

#[test]
fn add_names_everything_that_is_missing() {
    let (spec, out) = project("add");
    let output = run(&["add", "/depth"], &spec, &out);
    assert_eq!(
        text(&output.stderr),
        "error: an endpoint needs more; add --group GROUP and --evidence documented|published|reported|previous_version\n"
    );
    let output = run(&["add", "/depth", "--group", "books", "--evidence", "reported", "--yes"], &spec, &out);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(run(&["check"], &spec, &out).status.success());
    assert!(spec.join("books.yaml").exists());
}

#[test]
fn import_starts_a_catalogue_in_a_folder_without_one() {
    let (spec, out) = project("import");
    for name in ["service.yaml", "market.yaml"] {
        fs::remove_file(spec.join(name)).expect("a file");
    }
    fs::write(spec.join("README.md"), "A folder for a new catalogue.").expect("a file");
    let file = spec.with_file_name("openapi.yaml");
    fs::write(&file, "openapi: 3.0.3\ninfo: {title: Shop}\npaths: {/a: {get: {}, post: {}}}\n").expect("a file");
    let output = run(&["import", file.to_str().expect("a path"), "--yes"], &spec, &out);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("not imported: `post` (at `/a`)"));
    assert!(run(&["check"], &spec, &out).status.success());
}

#[test]
fn unreadable_input_is_reported_with_a_remedy() {
    let (spec, out) = project("remedies");
    for (arguments, expected) in [
        (&["learn", "/basis", "nowhere.json"][..], "pass files with responses, or request one with --live"),
        (&["learn", "/basis", "reply.json", "--param", "coin=BTC"], "cannot be used with"),
        (&["learn", "/bases", "Cargo.toml"], "did you mean `/basis`?"),
        (&["import", "nowhere.json"], "pass a file with an OpenAPI description"),
        (&["import", "Cargo.toml"], "the description cannot be read"),
    ] {
        let output = run(arguments, &spec, &out);
        assert!(!output.status.success(), "{arguments:?}");
        assert!(text(&output.stderr).contains(expected), "{arguments:?}: {}", text(&output.stderr));
    }
}

/// A script replaces Cargo, which would build the client. The script logs each call and exits with the given code.
#[cfg(unix)]
#[test]
fn learn_fails_if_no_endpoint_responds() {
    use std::os::unix::fs::PermissionsExt;
    let (spec, _) = project("unasked");
    let more = MARKET.to_owned()
        + "- {name: More, path: /more, evidence: documented, summary: M., params: [], body: unknown}\n";
    fs::write(spec.join("market.yaml"), more).expect("a file");
    // A failure of every request is reported once; a failure of one request does not stop the next.
    for (code, asked, expected) in [(2, 1, "`GET /basis`: no way"), (1, 2, "none of 2 endpoints returned a response")] {
        let (cargo, calls) = (spec.with_file_name("cargo"), spec.with_file_name("calls"));
        let _ = fs::remove_file(&calls);
        fs::write(&cargo, format!("#!/bin/sh\necho >> {}\necho Error: no way >&2\nexit {code}\n", calls.display()))
            .expect("a file");
        fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("a program");
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        // A project root that only this test uses.
        command.env("CARGO_MANIFEST_DIR", spec.with_file_name("xtask")).env("CARGO", &cargo);
        command.args(["learn", "--live", "--untyped", "--yes", "--spec"]).arg(&spec);
        let output = command.output().expect("xtask runs");
        assert!(!output.status.success());
        assert!(text(&output.stderr).contains(expected), "{}", text(&output.stderr));
        assert_eq!(fs::read_to_string(&calls).expect("calls").lines().count(), asked);
    }
}

/// Our client sends our key to the host in the environment variable, so it must not be used for another service.
#[test]
fn no_other_catalogue_is_learned_from_our_service() {
    let (spec, out) = project("live_of_another");
    for arguments in [&["learn", "--live", "/basis"][..], &["learn", "--live", "--untyped"]] {
        let output = run(arguments, &spec, &out);
        assert!(!output.status.success());
        let output = text(&output.stderr);
        assert!(output.contains("--live uses the client and the key of this project's own catalogue"), "{output}");
    }
}

#[test]
fn diff_compares_any_catalogue_that_git_keeps() {
    let (spec, out) = project("diff");
    // The repository's root is the folder above the catalogue, as in a clone of this project.
    let root = spec.parent().expect("a folder");
    let git = |arguments: &[&str]| {
        let author = ["-c", "user.name=A", "-c", "user.email=a@a.example"];
        let output = Command::new("git").args(author).args(arguments).current_dir(root).output().expect("git runs");
        assert!(output.status.success(), "{}", text(&output.stderr));
    };
    for arguments in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "--message", "First"]] {
        git(arguments);
    }
    assert!(
        run(&["add", "/depth", "--group", "market", "--evidence", "reported", "--yes"], &spec, &out).status.success()
    );
    let output = run(&["diff"], &spec, &out);
    assert!(text(&output.stdout).contains("`client.market().depth()`"), "{}", text(&output.stderr));
    // Git returns files unchanged: with a byte order mark, and with files of other tools in the catalogue's folder.
    fs::write(spec.join("market.yaml"), ["\u{feff}", MARKET].concat()).expect("a file");
    fs::write(spec.join(".prettierrc.yaml"), "tabWidth: 2\n").expect("a file");
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "Second"]);
    let output = run(&["diff"], &spec, &out);
    assert!(text(&output.stdout).starts_with("no changes"), "{}", text(&output.stderr));
}

/// A script replaces Cargo, which would build the sandbox; the sandbox is tested in its own crate.
#[cfg(unix)]
#[test]
fn serve_starts_the_sandbox_in_the_current_folder() {
    use std::os::unix::fs::PermissionsExt;
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("serve");
    fs::create_dir_all(&dir).expect("a new folder");
    let cargo = dir.join("cargo");
    fs::write(&cargo, "#!/bin/sh\npwd -P\necho \"$$ $*\"\n").expect("a file");
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("a program");
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["serve", "--port", "0", "--spec", "mine"]).env("CARGO", &cargo).current_dir(&dir);
    let running = command.stdout(std::process::Stdio::piped()).spawn().expect("xtask runs");
    let id = running.id();
    let output = text(&running.wait_with_output().expect("it ends").stdout);
    let (folder, handed) = output.trim_end().split_once('\n').expect("two lines");
    assert_eq!(Path::new(folder), dir.canonicalize().expect("it exists"), "`mine` is relative to the caller's folder");
    assert!(handed.starts_with(&format!("{id} run ")), "ending process {id} ends the sandbox: {handed}");
    assert!(handed.ends_with(" --port 0 --spec mine"), "{handed}");
}

#[test]
fn the_checkout_is_the_one_that_cargo_runs_it_for() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("another");
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["check", "--help"]).env("CARGO_MANIFEST_DIR", folder.join("xtask"));
    let help = text(&command.output().expect("xtask runs").stdout);
    assert!(help.contains(&folder.join("spec").display().to_string()), "{help}");
}

#[test]
fn dot_files_are_not_part_of_the_catalogue() {
    let (spec, out) = project("dots");
    fs::create_dir_all(spec.join(".git")).expect("a folder");
    fs::write(spec.join(".#market.yaml"), "an editor's").expect("a file");
    assert!(run(&["check"], &spec, &out).status.success());
    fs::create_dir_all(spec.join("more")).expect("a folder");
    let refused = run(&["check"], &spec, &out);
    assert!(!refused.status.success() && text(&refused.stderr).contains("error[misplaced-file]"));
}
