//! The walk of `spec/README.md`, from a reply to a typed call, and then the same for every untyped endpoint at once.
//!
//! It runs in a copy of the project, since invented data of the sandbox must not enter our own catalogue.

use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use codegen::load;
use evolve::Question;

use super::{Check, Program};
use crate::files;
use crate::git::git;
use crate::paths;

pub(super) const CHECK: Check = Check {
    name: "learn",
    shows: "what `spec/README.md` says of learning works, and every untyped endpoint is typed by one command",
    needs: &[
        Program { probe: &["git", "--version"], install: "apt-get install git" },
        Program { probe: &["bash", "--version"], install: "apt-get install bash" },
    ],
    run: |_| run(),
};

/// Ends the sandbox with the script, however it ends: with `-m` a job is a group, so what it started ends too.
const PRELUDE: &str = "set -eum\ntrap 'for job in $(jobs -p); do kill -- -$job 2>/dev/null || true; done' EXIT\n";

/// Waits until the sandbox has been built and answers.
const WAIT: &str = "for try in $(seq 600); do (echo > /dev/tcp/127.0.0.1/8700) 2>/dev/null && break; sleep 0.5; done\n";

fn run() -> Result<(), String> {
    if TcpStream::connect(("127.0.0.1", 8700)).is_ok() {
        return Err("something answers at port 8700 already, and it would be taken for the sandbox".to_owned());
    }
    let copy = paths::root().join("target/verify-learn");
    copy_project(&copy)?;
    let page = files::read(&paths::spec().join("README.md"))?;
    let (walk, program) = (block(&page, "sh")?, block(&page, "rust")?);
    if walk.lines().count() > 5 {
        return Err("the walk has more than five commands".to_owned());
    }
    let examples = copy.join("generated-client/examples");
    let questions = Question::untyped(&load(&paths::spec())).map_err(|refusal| refusal.to_string())?;
    files::write(&examples.join("first_call.rs"), &program)?;
    files::write(&examples.join("every_call.rs"), &every_call(&questions))?;
    let walk = walk.replacen('\n', &format!("\n{WAIT}"), 1);
    // If nothing answers, the command has to fail and to write nothing.
    let all = "if MARKET_ANALYTICS_BASE_URL=http://127.0.0.1:1/v2 cargo xtask learn --live --untyped --spec spec --yes; \
               then exit 1; fi\n\
               cargo xtask learn --live --untyped --param coin=BTC --param exchange=binance_perp_stable --param limit=3 \
               --param endpointName=volumeRatio --spec spec --yes\ncargo xtask codegen\n\
               test \"$(git diff -U0 spec | grep -c '^-[^-]')\" -le \"$UNTYPED\"\n\
               cargo run --package generated-client --example every_call\n";
    let status = Command::new("bash")
        .arg("-c")
        .arg(format!("{PRELUDE}{walk}{all}"))
        .env("UNTYPED", questions.len().to_string())
        // The copy's programs contain its path, so they must not replace ours.
        .env("CARGO_TARGET_DIR", paths::root().join("target/verify-learn-build"))
        .current_dir(&copy)
        .status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("the walk ended with {status}, in {}", copy.display())),
        Err(error) => Err(format!("bash does not start: {error}")),
    }
}

/// A program that calls every endpoint that was untyped.
fn every_call(questions: &[Question]) -> String {
    let calls = questions.iter().map(|question| {
        let method = question.endpoint.replacen('.', "().", 1);
        format!(
            "    let reply = client.{method}().query(\"coin\", \"BTC\").query(\"exchange\", \"binance_perp_stable\")\
             .query(\"limit\", 3).query(\"endpointName\", \"volumeRatio\").await?;\n    \
             typed(&reply);\n"
        )
    });
    let calls: String = calls.collect();
    // A body that is still unknown is a JSON value, which is not one of the client's own types.
    format!(
        "//! Calls.\nuse generated_client::{{Client, Value}};\n\n\
         fn typed<T: std::any::Any + std::fmt::Debug>(reply: &T) {{\n    \
         assert!(!std::any::type_name::<T>().contains(std::any::type_name::<Value>()), \"{{reply:?}} is not typed\");\n}}\n\n\
         #[tokio::main]\nasync fn main() -> Result<(), Box<dyn std::error::Error>> {{\n    \
         let client = Client::from_env()?;\n{calls}    Ok(())\n}}\n"
    )
}

/// The first block of a language on a page.
fn block(page: &str, language: &str) -> Result<String, String> {
    let fence = format!("```{language}\n");
    let found = page.split_once(&fence).and_then(|(_, rest)| rest.split_once("```"));
    found.map(|(block, _)| block.to_owned()).ok_or_else(|| format!("spec/README.md has no block of {language}"))
}

/// The files that git knows, as they are now, in a repository of its own.
fn copy_project(to: &Path) -> Result<(), String> {
    let listed = git(paths::root(), &["ls-files", "-z", "--cached", "--others", "--exclude-standard"])?;
    files::empty(to)?;
    copy_files(listed.split('\0').filter(|file| !file.is_empty()), to).map_err(|error| files::named(to, error))?;
    git(to, &["init", "--quiet"])?;
    git(to, &["add", "--all"])?;
    Ok(())
}

fn copy_files<'a>(files: impl Iterator<Item = &'a str>, to: &Path) -> std::io::Result<()> {
    for file in files {
        let (from, to) = (paths::root().join(file), to.join(file));
        // A file that is deleted and not yet committed is listed too.
        if from.is_file() {
            fs::create_dir_all(to.parent().unwrap_or(&to))?;
            fs::copy(from, to)?;
        }
    }
    Ok(())
}
