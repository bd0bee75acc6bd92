//! Measures the time and the memory of the generator: in comparison with progenitor, and for catalogues of three sizes.

use std::path::Path;
use std::process::Command;

use super::ratio;
use crate::command::copied;
use crate::report::Measurement;
use crate::scratch::{ENDPOINTS, Scratch};
use crate::timing::{Turn, medians};

fn ours(scratch: &Scratch, catalogue: &Path) -> Result<Command, String> {
    let mut command = Command::new(scratch.released_xtask()?);
    // From the second run on, the files in this folder are up to date, so the measurements include no disk writes.
    command.args(["codegen", "--spec"]).arg(catalogue).arg("--out").arg(catalogue.with_extension("emitted"));
    Ok(command)
}

pub(crate) fn codegen(scratch: &Scratch) -> Result<Vec<Measurement>, String> {
    let description = scratch.description()?;
    let catalogue = scratch.catalogue(ENDPOINTS)?;
    let mut peer = Command::new(scratch.cargo_progenitor()?);
    peer.args(["progenitor", "--interface", "positional", "--name", "peer", "--version", "0.0.0", "--input"]);
    peer.arg(&description).arg("--output").arg(catalogue.with_extension("progenitor"));
    let mut library = Command::new(scratch.build(scratch.generators()?, "generate-with-progenitor")?);
    library.arg(&description).arg(catalogue.with_extension("rs"));
    let commands = [ours(scratch, &catalogue)?, peer, library];
    let took = medians(scratch.rounds.max(5), &commands.each_ref().map(turn))?;
    let took: Vec<_> = took.into_iter().map(|took| took.wall * 1e3).collect();
    let [mine, peer, library] = took[..] else { return Err("internal error: a measurement is missing".to_owned()) };
    Ok(vec![Measurement {
        number: "11",
        what: "run time of codegen / of `cargo progenitor`, 130 endpoints, release builds".to_owned(),
        bounds: ("0.20", "0.10"),
        measured: ratio(mine, peer),
        detail: format!(
            "{mine:.0} ms / {peer:.0} ms; progenitor's library with prettyplease instead of rustfmt: {library:.0} ms"
        ),
    }])
}

/// A turn that runs a command without preparation.
fn turn(command: &Command) -> Turn<'_> {
    Turn { before: Box::new(|| Ok(())), command: Box::new(|| copied(command)) }
}

pub(crate) fn growth(scratch: &Scratch) -> Result<Vec<Measurement>, String> {
    let sizes = [ENDPOINTS, ENDPOINTS * 10, ENDPOINTS * 100];
    let commands: Result<Vec<_>, String> = sizes.iter().map(|size| ours(scratch, &scratch.catalogue(*size)?)).collect();
    let commands = commands?;
    let turns: Vec<_> = commands.iter().map(turn).collect();
    let took = medians(scratch.rounds, &turns)?;
    let [small, middle, large] = &took[..] else { return Err("internal error: a measurement is missing".to_owned()) };
    let grown = |from: usize, ratio: String, times: String| Measurement {
        number: "12",
        what: format!("run time of codegen for {} endpoints / for {from} endpoints", from * 10),
        bounds: ("11", "10"),
        measured: ratio,
        detail: times,
    };
    let times = |less: f64, more: f64| format!("{more:.2} s / {less:.2} s");
    Ok(vec![
        grown(ENDPOINTS, ratio(middle.wall, small.wall), times(small.wall, middle.wall)),
        grown(ENDPOINTS * 10, ratio(large.wall, middle.wall), times(middle.wall, large.wall)),
        Measurement {
            number: "12",
            what: "peak memory of codegen for 13,000 endpoints, in MiB".to_owned(),
            bounds: ("400", "200"),
            measured: format!("{:.0}", large.memory),
            detail: format!("at 130 {:.0}, at 1,300 {:.0}", small.memory, middle.memory),
        },
    ])
}
