//! Measures `cargo check` after one edit of the catalogue, as the catalogue grows.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::ratio;
use crate::command::{cargo, output};
use crate::report::Measurement;
use crate::scratch::{Scratch, touch};
use crate::timing::{Took, Turn, medians};

/// A client whose catalogue is edited before each check.
struct Edited {
    catalogue: PathBuf,
    workspace: PathBuf,
    package: String,
    edits: Cell<u32>,
}

impl Edited {
    fn new(endpoints: usize, scratch: &Scratch) -> Result<Self, String> {
        let workspace = scratch.ours()?.to_owned();
        let package = format!("ours-{endpoints}");
        let catalogue = scratch.catalogue(endpoints)?;
        scratch.client(&package, &catalogue, &workspace)?;
        Ok(Self { catalogue, workspace, package, edits: Cell::new(0) })
    }

    /// Changes the summary of one field, and emits the client again.
    fn edit(&self, scratch: &Scratch) -> Result<(), String> {
        let group = self.catalogue.join("group_0.yaml");
        let text = fs::read_to_string(&group).map_err(|error| format!("{}: {error}", group.display()))?;
        let edits = self.edits.get() + 1;
        let edited = text.replacen("Part 0 of", &format!("Part 0 ({edits}) of"), 1);
        if edited == text {
            return Err(format!("{}: every summary is edited already", group.display()));
        }
        self.edits.set(edits);
        fs::write(&group, edited).map_err(|error| format!("{}: {error}", group.display()))?;
        let mut command = Command::new(scratch.xtask()?);
        command.args(["codegen", "--spec"]).arg(&self.catalogue).arg("--out").arg(self.workspace.join(&self.package));
        output(&mut command).map(drop)
    }
}

/// A check of one package that reuses the results of the check before, as a user's build does.
fn incremental_check(workspace: &Path, package: &str, scratch: &Scratch) -> Command {
    let target = scratch.target().join("edits");
    let mut command = cargo(workspace, &target, &["check", "--package", package]);
    command.env("CARGO_INCREMENTAL", "1");
    command
}

/// The median of one command.
fn timed(turn: Turn<'_>, scratch: &Scratch) -> Result<Took, String> {
    medians(scratch.rounds, &[turn])?.pop().ok_or_else(|| "internal error: a measurement is missing".to_owned())
}

fn check_after_edits(endpoints: usize, scratch: &Scratch) -> Result<Took, String> {
    let client = Edited::new(endpoints, scratch)?;
    let command = || incremental_check(&client.workspace, &client.package, scratch);
    output(&mut command())?;
    timed(Turn { before: Box::new(|| client.edit(scratch)), command: Box::new(command) }, scratch)
}

fn check_of_progenitor(endpoints: usize, scratch: &Scratch) -> Result<Took, String> {
    let workspace = scratch.peers()?;
    let package = format!("progenitor-{endpoints}");
    let folder = workspace.join(&package);
    let manifest = fs::read_to_string(workspace.join("client/Cargo.toml")).map_err(|error| error.to_string())?;
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let manifest = manifest.replace("\"progenitor-made\"", &format!("\"{package}\""));
    fs::write(folder.join("Cargo.toml"), manifest).map_err(|error| error.to_string())?;
    scratch.progenitor(&scratch.catalogue(endpoints)?, &folder)?;
    let command = || incremental_check(workspace, &package, scratch);
    output(&mut command())?;
    let library = folder.join("src/lib.rs");
    timed(Turn { before: Box::new(|| touch(&library)), command: Box::new(command) }, scratch)
}

pub(crate) fn edit(scratch: &Scratch) -> Result<Vec<Measurement>, String> {
    let mut measurements = Vec::new();
    let mut ours = Vec::new();
    for endpoints in [100, 1000, 3000] {
        ours.push(check_after_edits(endpoints, scratch)?);
    }
    for (endpoints, ours) in [100, 1000].into_iter().zip(&ours) {
        let peer = check_of_progenitor(endpoints, scratch)?;
        measurements.push(Measurement {
            number: "20",
            what: format!(
                "incremental `cargo check` after one edit, {endpoints} endpoints / of progenitor's client whose file is \
                 only touched, CPU seconds"
            ),
            bounds: ("", "0.50"),
            measured: ratio(ours.processor, peer.processor),
            detail: format!("{:.2} / {:.2} s", ours.processor, peer.processor),
        });
    }
    let [_, thousand, three_thousand] = &ours[..] else {
        return Err("internal error: a measurement is missing".to_owned());
    };
    measurements.push(Measurement {
        number: "20",
        what: "the same of our client with 3,000 endpoints / with 1,000".to_owned(),
        bounds: ("", "3.00"),
        measured: ratio(three_thousand.processor, thousand.processor),
        detail: format!(
            "{:.2} / {:.2} s; memory {:.0} / {:.0} MiB",
            three_thousand.processor, thousand.processor, three_thousand.memory, thousand.memory
        ),
    });
    Ok(measurements)
}
