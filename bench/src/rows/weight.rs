//! Measures what the client adds to a user's project: lines, dependencies and bytes.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::ratio;
use crate::command::{cargo, output};
use crate::report::Measurement;
use crate::scratch::{Scratch, entries};

/// Measures lines per endpoint with a fixed catalogue, so that an edit of `spec/` does not change a budgeted figure.
pub(crate) fn lines_per_endpoint_of_fixed_catalogue(scratch: &Scratch) -> Result<(usize, usize), String> {
    let catalogue = scratch.catalogue(103)?;
    let client = catalogue.with_file_name("client-of-fixed-catalogue");
    let mut command = Command::new(scratch.xtask()?);
    output(command.args(["codegen", "--spec"]).arg(&catalogue).arg("--out").arg(&client))?;
    lines_per_endpoint(&client, &catalogue)
}

/// The number of emitted lines, excluding the lines of records, and the number of endpoints that have a path.
fn lines_per_endpoint(client: &Path, catalogue: &Path) -> Result<(usize, usize), String> {
    let lines = count_lines(&client.join("src/generated"))?;
    // In the catalogue, every endpoint that has a path has one line `path: /...`.
    let mut paths = 0;
    for file in entries(catalogue)? {
        let is_group = !file.ends_with("service.yaml") && file.extension().is_some_and(|extension| extension == "yaml");
        if is_group {
            let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
            paths += text.lines().filter(|line| line.trim_start().starts_with("path: /")).count();
        }
    }
    Ok((lines, paths))
}

fn count_lines(path: &Path) -> Result<usize, String> {
    if path.is_dir() {
        return entries(path)?.iter().map(|entry| count_lines(entry)).sum();
    }
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines: Vec<_> = text.lines().collect();
    Ok(lines.len() - lines_of_records(&lines))
}

/// The number of lines that define records: the structs with their docs, and each `impl Record`.
fn lines_of_records(lines: &[&str]) -> usize {
    let is_head = |line: &&str| line.starts_with("///") || line.starts_with("#[");
    let ends_with_record = |line: &str| {
        let name = line.strip_prefix("pub struct ").and_then(|rest| rest.strip_suffix(" {"));
        name.is_some_and(|name| lines.contains(&format!("impl Record for {name} {{").as_str()))
    };
    let begins = lines.iter().enumerate();
    let records = begins.filter(|(_, line)| line.starts_with("impl Record for ") || ends_with_record(line));
    records
        .map(|(index, _)| {
            let head = lines[..index].iter().rev().take_while(|line| is_head(line)).count();
            let body = lines[index..].iter().position(|line| *line == "}").map_or(0, |last| last + 1);
            head + body
        })
        .sum()
}

pub(crate) fn lines(scratch: &Scratch) -> Result<Vec<Measurement>, String> {
    let (client, catalogue) = (scratch.project.join("generated-client"), scratch.project.join("spec"));
    let (lines, endpoints) = lines_per_endpoint(&client, &catalogue)?;
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let measured = format!("{:.1}", lines as f64 / endpoints as f64);
    let what =
        "emitted lines per endpoint with a path, docs included; left out: records, and text for Python and for docs"
            .to_owned();
    let detail = format!("{lines} lines, {endpoints} endpoints");
    Ok(vec![Measurement { number: "13", what, bounds: ("72", "50"), measured, detail }])
}

/// The number of crates that a package depends on.
pub(crate) fn count_dependencies(folder: &Path, package: &str, scratch: &Scratch) -> Result<usize, String> {
    let arguments = ["tree", "--package", package, "--edges", "normal", "--prefix", "none", "--format", "{p}"];
    let (stdout, _) = output(&mut cargo(folder, &scratch.target(), &arguments))?;
    let mut crates: Vec<_> = stdout.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    crates.sort_unstable();
    crates.dedup();
    // The tree includes the package itself.
    Ok(crates.len() - 1)
}

pub(crate) fn dependencies(scratch: &Scratch) -> Result<Vec<Measurement>, String> {
    let ours = count_dependencies(&scratch.project, "generated-client", scratch)?;
    let peer = scratch.peers().and_then(|peers| count_dependencies(peers, "progenitor-made", scratch));
    let detail = peer.map_or_else(|problem| problem, |count| format!("progenitor's client: {count}"));
    let what = "number of normal dependencies, default features".to_owned();
    Ok(vec![Measurement { number: "5", what, bounds: ("65", "50"), measured: ours.to_string(), detail }])
}

/// The size of a stripped program, in bytes.
#[expect(clippy::cast_precision_loss, reason = "no program is that large")]
pub(crate) fn bytes(scratch: &Scratch, workspace: &Path, program: &str) -> Result<f64, String> {
    let path = scratch.build(workspace, program)?;
    fs::metadata(&path).map(|metadata| metadata.len() as f64).map_err(|error| format!("{}: {error}", path.display()))
}

pub(crate) fn size(scratch: &Scratch) -> Result<Vec<Measurement>, String> {
    let (ours, raw) =
        (bytes(scratch, scratch.ours()?, "request-ours")?, bytes(scratch, scratch.ours()?, "request-raw")?);
    let reqwest = bytes(scratch, scratch.peers()?, "request-reqwest")?;
    let progenitor = bytes(scratch, scratch.peers()?, "request-progenitor")?;
    let mib = |bytes: f64| format!("{:.2}", bytes / 1_048_576.0);
    let detail = format!(
        "MiB: ours {}, hand-written reqwest {}, progenitor {}, hand-written hyper-util {}",
        mib(ours),
        mib(reqwest),
        mib(progenitor),
        mib(raw)
    );
    let what = "stripped minimal program / the same with reqwest and its default features".to_owned();
    Ok(vec![Measurement { number: "4", what, bounds: ("0.65", "0.55"), measured: ratio(ours, reqwest), detail }])
}
