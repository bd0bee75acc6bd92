//! Measures build times: of the client alone, of a program that calls every endpoint, and of a build from scratch.

use std::path::{Path, PathBuf};

use super::ratio;
use crate::command::{cargo, output};
use crate::report::Measurement;
use crate::scratch::{Scratch, touch};
use crate::timing::{Took, Turn, medians};

/// A package to build, and the file whose modification time is changed so that Cargo builds the package again.
struct Package {
    workspace: PathBuf,
    name: &'static str,
    touched: &'static str,
    /// Dependencies that are removed from the target folder, so that Cargo builds them again too.
    cleaned: &'static [&'static str],
}

impl Package {
    fn new(workspace: &Path, name: &'static str, touched: &'static str) -> Self {
        Self { workspace: workspace.to_owned(), name, touched, cleaned: &[] }
    }

    fn with(self, cleaned: &'static [&'static str]) -> Self {
        Self { cleaned, ..self }
    }

    /// Makes Cargo build the package again: removes the builds of `cleaned`, and sets the modification time of
    /// `touched` to now.
    fn outdate(&self, profile: &str, scratch: &Scratch) -> Result<(), String> {
        for package in self.cleaned {
            let target = self.target(scratch);
            output(&mut cargo(&self.workspace, &target, &["clean", "--profile", profile, "--package", package]))?;
        }
        touch(&self.workspace.join(self.touched))
    }

    fn target(&self, scratch: &Scratch) -> PathBuf {
        scratch.target().join(self.workspace.file_name().unwrap_or_default())
    }
}

/// The project's libraries that our client depends on. A change of the catalogue does not affect these libraries.
const BELOW: &[&str] = &["generated-client-runtime"];

/// The median times of building these packages again, with all other dependencies already built.
fn again(
    scratch: &Scratch,
    subcommand: &str,
    profile: &'static str,
    packages: &[Package],
) -> Result<Vec<Took>, String> {
    let command = |package: &Package| {
        let arguments = [subcommand, "--profile", profile, "--package", package.name];
        cargo(&package.workspace, &package.target(scratch), &arguments)
    };
    // A first build, which is not timed, compiles all other dependencies.
    for package in packages {
        output(&mut command(package))?;
    }
    let turns: Vec<_> = packages
        .iter()
        .map(|package| Turn {
            before: Box::new(|| package.outdate(profile, scratch)),
            command: Box::new(move || command(package)),
        })
        .collect();
    medians(scratch.rounds, &turns)
}

fn seconds(took: &Took) -> String {
    format!("{:.1} s ({:.1} s CPU)", took.wall, took.processor)
}

pub(crate) fn check(scratch: &Scratch) -> Result<Vec<Measurement>, String> {
    let mut measurements = check_synthetic(scratch)?;
    measurements.extend(check_own(scratch)?);
    Ok(measurements)
}

/// Checks the clients of a synthetic catalogue, in which every endpoint has a record of its own.
fn check_synthetic(scratch: &Scratch) -> Result<Vec<Measurement>, String> {
    let ours = scratch.ours()?;
    let peers = scratch.peers()?;
    // For the first two packages, Cargo also compiles the runtime. For the third package, Cargo compiles only the
    // client, as after a change of one endpoint.
    let packages = [
        Package::new(ours, "generated-client", "ours/src/lib.rs").with(BELOW),
        Package::new(ours, "ours-empty", "ours-empty/src/lib.rs").with(BELOW),
        Package::new(ours, "generated-client", "ours/src/lib.rs"),
        Package::new(peers, "progenitor-made", "client/src/lib.rs"),
    ];
    let took = again(scratch, "check", "dev", &packages)?;
    let [whole, empty, changed, peer] = &took[..] else {
        return Err("internal error: a measurement is missing".to_owned());
    };
    let rest = (whole.processor - empty.processor).max(0.0);
    Ok(vec![
        whole_check("with 130 endpoints", whole, peer),
        Measurement {
            number: "1",
            what: "the same, minus the time of our client without endpoints".to_owned(),
            bounds: ("0.15", "0.10"),
            measured: ratio(rest, peer.processor),
            detail: format!("without endpoints {}", seconds(empty)),
        },
        changed_check(changed, peer),
    ])
}

/// Checks the clients of the project's own catalogue, whose endpoints are of all kinds and share records.
fn check_own(scratch: &Scratch) -> Result<Vec<Measurement>, String> {
    let ours = scratch.ours()?;
    let history = scratch.history()?;
    let packages = [
        Package::new(ours, "ours-spec", "ours-spec/src/lib.rs").with(BELOW),
        Package::new(ours, "ours-spec", "ours-spec/src/lib.rs"),
        Package::new(history, "progenitor-made", "made/src/lib.rs"),
    ];
    let took = again(scratch, "check", "dev", &packages)?;
    let [whole, changed, peer] = &took[..] else {
        return Err("internal error: a measurement is missing".to_owned());
    };
    Ok(vec![whole_check("of the project's own catalogue", whole, peer), changed_check(changed, peer)])
}

fn whole_check(catalogue: &str, ours: &Took, peer: &Took) -> Measurement {
    Measurement {
        number: "1",
        what: format!("`cargo check` of our client / of progenitor's client, {catalogue}, in CPU seconds"),
        bounds: ("0.40", "0.20"),
        measured: ratio(ours.processor, peer.processor),
        detail: format!("{} / {}; elapsed {}", seconds(ours), seconds(peer), ratio(ours.wall, peer.wall)),
    }
}

fn changed_check(ours: &Took, peer: &Took) -> Measurement {
    Measurement {
        number: "1",
        what: "the same, after a change of one endpoint of our client; the runtime is not compiled again".to_owned(),
        bounds: ("0.15", "0.10"),
        measured: ratio(ours.processor, peer.processor),
        detail: format!("{} / {}; elapsed {}", seconds(ours), seconds(peer), ratio(ours.wall, peer.wall)),
    }
}

pub(crate) fn release(scratch: &Scratch) -> Result<Vec<Measurement>, String> {
    let (ours, peers) = (scratch.ours()?, scratch.peers()?);
    // Before each run, the client is made out of date, so Cargo compiles the client and the program, and links the
    // program. For the last two packages, Cargo also compiles libraries that the client depends on.
    let packages = [
        Package::new(ours, "all-ours", "ours/src/lib.rs"),
        Package::new(peers, "all-progenitor", "client/src/lib.rs"),
        Package::new(ours, "all-ours", "ours/src/lib.rs").with(BELOW),
        Package::new(peers, "all-progenitor", "client/src/lib.rs").with(&["reqwest", "progenitor-client"]),
    ];
    let took = again(scratch, "build", "release", &packages)?;
    let [whole, peer, whole_and_transport, peer_and_transport] = &took[..] else {
        return Err("internal error: a measurement is missing".to_owned());
    };
    let measurement = |what: &str, bounds, whole: &Took, peer: &Took| Measurement {
        number: "2",
        what: what.to_owned(),
        bounds,
        measured: ratio(whole.processor, peer.processor),
        detail: format!("{} / {}; elapsed {}", seconds(whole), seconds(peer), ratio(whole.wall, peer.wall)),
    };
    let what = "release build after one changed endpoint: the client and a program that calls all 130 endpoints / \
        the same with progenitor's client, CPU seconds";
    let below = "the same, including the client's libraries: our runtime / `reqwest` and `progenitor-client`";
    Ok(vec![
        measurement(what, ("0.15", "0.10"), whole, peer),
        measurement(below, ("0.40", "0.20"), whole_and_transport, peer_and_transport),
    ])
}

pub(crate) fn from_scratch(scratch: &Scratch) -> Result<Vec<Measurement>, String> {
    let packages = [(scratch.ours()?.to_owned(), "generated-client"), (scratch.peers()?.to_owned(), "progenitor-made")];
    let target = scratch.empty_folder("from-scratch")?;
    let turns: Vec<_> = packages
        .iter()
        .map(|(workspace, package)| Turn {
            before: Box::new(|| scratch.empty_folder("from-scratch").map(drop)),
            command: Box::new(|| cargo(workspace, &target, &["build", "--package", package])),
        })
        .collect();
    let took = medians(scratch.rounds, &turns)?;
    // Removes the last build, which is not needed again.
    scratch.empty_folder("from-scratch")?;
    let [whole, peer] = &took[..] else { return Err("internal error: a measurement is missing".to_owned()) };
    Ok(vec![Measurement {
        number: "3",
        what: "dev build from scratch, default features / the same with progenitor's client, CPU seconds".to_owned(),
        bounds: ("0.60", "0.50"),
        measured: ratio(whole.processor, peer.processor),
        detail: format!("{} / {}; elapsed {}", seconds(whole), seconds(peer), ratio(whole.wall, peer.wall)),
    }])
}
