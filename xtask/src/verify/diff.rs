//! Whether every recorded verdict on a change of the catalogue is what the compiler and cargo-semver-checks say.
//!
//! Both clients of a case are emitted beside the runtime, and the case's programs decide: one that worked and does not
//! compile or run any more makes a change major, one that works only now makes it minor. cargo-semver-checks reads the
//! same two clients; changes that it is known to miss are recorded, so that the check fails when it learns to see them.

mod cases;
mod scratch;

use std::collections::BTreeSet;

use super::{Check, Program};
use crate::terminal::say;
use cases::Case;
use scratch::Scratch;

pub(super) const CHECK: Check = Check {
    name: "diff",
    shows: "the compiler and cargo-semver-checks confirm what `cargo xtask diff` says of every kind of change",
    needs: &[Program {
        probe: &["cargo", "semver-checks", "--version"],
        install: "cargo install cargo-semver-checks --locked",
    }],
    run: |_| run(),
};

fn run() -> Result<(), String> {
    let cases = cases::all()?;
    let scratch = Scratch::new(&cases)?;
    say(&format!("{} kinds of change, {} different clients\n", cases.len(), scratch.clients()));
    let compiled = scratch.compile()?;
    scratch.document()?;
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for case in &cases {
        match judge(case, &scratch, &compiled) {
            Ok(is_seen) => seen += usize::from(is_seen),
            Err(why) => wrong.push(format!("  {}: {why}\n", case.name)),
        }
    }
    if !wrong.is_empty() {
        return Err(format!("{} verdicts are not confirmed\n{}", wrong.len(), wrong.concat()));
    }
    let all = cases.len();
    say(&format!(
        "{all} verdicts confirmed by programs, {seen} by cargo-semver-checks too, which is known not to see the others\n"
    ));
    Ok(())
}

/// Compares all verdicts on a case; returns whether cargo-semver-checks sees all of it.
fn judge(case: &Case, scratch: &Scratch, compiled: &BTreeSet<String>) -> Result<bool, String> {
    if case.ours != case.recorded {
        return Err(format!("`cargo xtask diff` says {}, and {} is recorded", case.ours, case.recorded));
    }
    let proven = proven(case, scratch, compiled)?;
    if proven != case.recorded {
        return Err(format!("its programs show that it is {proven}, and {} is recorded", case.recorded));
    }
    let told = scratch.semver_checks(case)?;
    // It looks for breaking changes and deprecations, and not for additions.
    let is_right = match (case.recorded.as_str(), &case.seen) {
        ("major", Some(seen)) => told == seen,
        ("major", None) => told == "major",
        ("minor", None) => told != "major",
        (_, None) => told == "nothing",
        (_, Some(_)) => return Err("only of a major change can less be seen".to_owned()),
    };
    if !is_right {
        let recorded = case.seen.as_ref().map_or_else(String::new, |seen| format!(", of which it is to see {seen}"));
        return Err(format!("cargo-semver-checks sees {told}; recorded is {}{recorded}", case.recorded));
    }
    Ok(case.seen.is_none())
}

/// The verdict as the case's programs show it.
fn proven(case: &Case, scratch: &Scratch, compiled: &BTreeSet<String>) -> Result<&'static str, String> {
    let works = |program: &str, side: &str| -> Result<bool, String> {
        let name = case.example(program, side);
        if !compiled.contains(&name) {
            return Ok(false);
        }
        // Running takes long, and compiling is enough for most programs.
        if case.is_run() { scratch.run(case.client(side), &name) } else { Ok(true) }
    };
    if !works("downstream", "before")? {
        return Err("`downstream.rs` does not work before".to_owned());
    }
    let breaks = !works("downstream", "after")?;
    let is_upgraded = case.programs.iter().any(|(program, _)| *program == "upgraded");
    if is_upgraded && !works("upgraded", "after")? {
        return Err("`upgraded.rs` does not work after".to_owned());
    }
    // A remedy may work before the change; a program for something new may not.
    if is_upgraded && !breaks && works("upgraded", "before")? {
        return Err("`upgraded.rs` works before, so nothing is new".to_owned());
    }
    Ok(match (breaks, is_upgraded) {
        (true, _) => "major",
        (false, true) => "minor",
        (false, false) if case.before == case.after => "none",
        (false, false) => "patch",
    })
}
