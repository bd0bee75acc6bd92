//! Whether the fuzzer finds a text on which a property of the client or the generator does not hold.

use std::fs;
use std::path::Path;

use super::{Check, Program, Verify, call};
use crate::paths;

pub(super) const CHECK: Check = Check {
    name: "fuzz",
    shows: "nothing that a service sends or a catalogue says breaks a property, however it is written",
    needs: &[
        Program { probe: &["cargo", "fuzz", "--version"], install: "cargo install cargo-fuzz --locked" },
        Program { probe: &["c++", "--version"], install: "apt-get install --yes g++" },
    ],
    run,
};

fn run(wanted: &Verify) -> Result<(), String> {
    let root = paths::root();
    targets(&root.join("fuzz/fuzz_targets"))?.iter().try_for_each(|target| {
        // New inputs of the fuzzer stay out of the committed ones.
        let learnt = root.join("fuzz/target/learnt").join(target);
        fs::create_dir_all(&learnt).map_err(|error| format!("cannot create {}: {error}", learnt.display()))?;
        let (learnt, kept) = (learnt.display().to_string(), format!("fuzz/corpus/{target}"));
        let limit = format!("-max_total_time={}", wanted.seconds);
        let flags = [&limit, "-dict=fuzz/words.dict", "-timeout=10", "-print_final_stats=1"];
        // The sanitizers that cargo-fuzz uses are unstable in Rust.
        let fuzz = ["env", "RUSTC_BOOTSTRAP=1", "cargo", "fuzz", "run", target, &learnt, &kept, "--"];
        call(&[&fuzz[..], &flags[..]].concat())
    })
}

/// The names of the targets, sorted.
fn targets(folder: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let names = entries.filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_str()?.to_owned()));
    let mut names: Vec<_> = names.collect();
    names.sort();
    if names.is_empty() { Err("there are no fuzz targets".to_owned()) } else { Ok(names) }
}
