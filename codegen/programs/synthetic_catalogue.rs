//! Writes a catalogue for measurements of the generator, with a given number of endpoints, each with its own record.
//!
//! `cargo run -p codegen --example synthetic_catalogue -- 13000 /tmp/catalogue`

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

const GROUPS: usize = 13;

const SERVICE: &str = include_str!("../tests/cases/service.yaml");

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(count), Some(dir)) = (arguments.next(), arguments.next()) else {
        return Err(io::Error::other("usage: synthetic_catalogue COUNT DIR"));
    };
    let count: usize = count.parse().map_err(io::Error::other)?;
    let dir = Path::new(&dir);
    fs::create_dir_all(dir)?;
    fs::write(dir.join("service.yaml"), SERVICE)?;
    for group in 0..GROUPS {
        let endpoints = (0..count).filter(|index| index % GROUPS == group);
        fs::write(dir.join(format!("group_{group}.yaml")), file(group, endpoints))?;
    }
    Ok(())
}

fn file(group: usize, endpoints: impl Iterator<Item = usize>) -> String {
    let mut text = format!("title: Group {group}\nsummary: Metrics of the kind {group}.\nendpoints:\n");
    for index in endpoints {
        // Writing to a string cannot fail.
        let _ = endpoint(&mut text, index);
    }
    text
}

fn endpoint(text: &mut String, index: usize) -> std::fmt::Result {
    writeln!(
        text,
        "- name: Metric {index}\n  path: /metric{index}\n  evidence: documented\n  summary: What series {index} counts.\n  \
         params: [common]\n  body:\n    series:"
    )?;
    for field in 0..2 + index % 5 {
        writeln!(
            text,
            "    - {{name: value{index}Of{field}, type: number, summary: Part {field} of the metric., unit: quote currency}}"
        )?;
    }
    Ok(())
}
