//! Measures decoding: instructions compared with plain `serde` derives, exactness, and allocations.

use std::process::Command;

use super::ratio;
use crate::callgrind::instructions;
use crate::command::output;
use crate::report::Outcome;
use crate::scratch::Scratch;

/// The bodies to decode: for each, the argument of the program `decode`, and a description.
pub(crate) const BODIES: [(&str, &str); 3] = [
    ("narrow", "two numbers in a record"),
    ("wide", "twelve fields of many types"),
    ("grown", "strings, nulls and two unknown fields; plain derives ignore unknown fields"),
];

/// Returns the instructions of our decoder and of plain derives for one body.
pub(crate) fn counted(scratch: &Scratch, body: &str) -> Result<(f64, f64), String> {
    let program = scratch.build(scratch.ours()?, "decode")?;
    // A run with `none` only generates the body. The instructions of this run are subtracted from the counts of both
    // decoders.
    let none = instructions(&program, &[body, "none"])?;
    Ok((instructions(&program, &[body, "ours"])? - none, instructions(&program, &[body, "strict"])? - none))
}

pub(crate) fn decode(scratch: &Scratch) -> Result<Vec<Outcome>, String> {
    let program = scratch.build(scratch.ours()?, "decode")?;
    let outcome = |(body, records): (&str, &str)| {
        let (ours, strict) = counted(scratch, body)?;
        let (times, _) = output(Command::new(&program).args([body, "time"]))?;
        let times: Vec<f64> = times.split_whitespace().filter_map(|time| time.parse().ok()).collect();
        let time = if let [ours, strict] = times[..] { ratio(ours, strict) } else { "?".to_owned() };
        let what = format!("instructions to decode 10,000 records / of plain derives with float_roundtrip: {records}");
        let detail = format!("{:.0} / {:.0} per record; time {time}", ours / 10_000.0, strict / 10_000.0);
        Ok(Outcome { number: "8", what, bounds: ("1.15", "0.80"), measured: ratio(ours, strict), detail })
    };
    BODIES.into_iter().map(outcome).collect()
}

pub(crate) fn floats(scratch: &Scratch) -> Result<Vec<Outcome>, String> {
    let program = scratch.build(scratch.ours()?, "floats")?;
    let (stdout, _) = output(&mut Command::new(program))?;
    let (count, misread) = stdout.trim().split_once(' ').ok_or("the program printed nothing")?;
    let what = "wrongly decoded floats: random and edge values, with 17 digits and in the shortest form".to_owned();
    let detail = format!("of {count}");
    Ok(vec![Outcome { number: "9", what, bounds: ("0", ""), measured: misread.to_owned(), detail }])
}

pub(crate) fn allocations(scratch: &Scratch) -> Result<Vec<Outcome>, String> {
    let program = scratch.build(scratch.ours()?, "allocations")?;
    let (stdout, _) = output(&mut Command::new(program))?;
    let counts: Vec<u64> = stdout.split_whitespace().filter_map(|count| count.parse().ok()).collect();
    let [few, many] = counts[..] else { return Err(format!("the program printed {stdout:?}")) };
    let what = "additional allocations for 65,536 records of numbers instead of 1,024".to_owned();
    let detail = format!("{many} and {few}; the capacity of the list doubles six times");
    Ok(vec![Outcome { number: "10", what, bounds: ("6", ""), measured: (many - few).to_string(), detail }])
}
