//! Measures decoding: instructions compared with plain `serde` derives, exactness, and allocations.

use std::process::Command;

use super::ratio;
use crate::callgrind::instructions;
use crate::command::output;
use crate::report::Measurement;
use crate::scratch::Scratch;

/// The bodies to decode: for each, the argument of the program `decode`, and a description.
pub(crate) const BODIES: [(&str, &str); 3] = [
    ("narrow", "two numbers in a record"),
    ("wide", "twelve fields of many types"),
    ("grown", "strings, nulls and two unknown fields; plain derives ignore unknown fields"),
];

/// The bodies in the notation of services: for each, the argument of the program `notations`, and a description. The
/// notations are those of Deribit, dYdX, Bybit, OKX and Upbit.
pub(crate) const NOTATIONS: [(&str, &str); 6] = [
    ("trades", "11 fields with numbers such as `1.0`, as Deribit's trades"),
    ("candles", "13 fields with quoted numbers and times such as `16:11:00.000Z`, as dYdX's candles"),
    ("contracts", "15 fields with quoted numbers in nested records, as Bybit's instruments"),
    ("instruments", "27 fields with numbers such as `10.0`, some absent, as Deribit's instruments"),
    ("pairs", "32 fields with quoted numbers of up to 26 digits and empty texts, as OKX's instruments"),
    ("tickers", "26 fields with numbers and dates, as Upbit's tickers"),
];

/// The instructions of our decoder and of plain derives for one body of a program.
pub(crate) fn counted(scratch: &Scratch, program: &str, body: &str) -> Result<(f64, f64), String> {
    let program = scratch.build(scratch.ours()?, program)?;
    // A run with `none` only generates the body. The instructions of this run are subtracted from the counts of both
    // decoders.
    let none = instructions(&program, &[body, "none"])?;
    Ok((instructions(&program, &[body, "ours"])? - none, instructions(&program, &[body, "strict"])? - none))
}

pub(crate) fn decode(scratch: &Scratch) -> Result<Vec<Measurement>, String> {
    let program = scratch.build(scratch.ours()?, "decode")?;
    let measurement = |(body, records): (&str, &str)| {
        let (ours, strict) = counted(scratch, "decode", body)?;
        let (times, _) = output(Command::new(&program).args([body, "time"]))?;
        let times: Vec<f64> = times.split_whitespace().filter_map(|time| time.parse().ok()).collect();
        let time = if let [ours, strict] = times[..] { ratio(ours, strict) } else { "?".to_owned() };
        let what = format!("instructions to decode 10,000 records / of plain derives with float_roundtrip: {records}");
        let detail = format!("{:.0} / {:.0} per record; time {time}", ours / 10_000.0, strict / 10_000.0);
        Ok(Measurement { number: "8", what, bounds: ("1.15", "0.80"), measured: ratio(ours, strict), detail })
    };
    BODIES.into_iter().map(measurement).collect()
}

pub(crate) fn notations(scratch: &Scratch) -> Result<Vec<Measurement>, String> {
    let mut measurements = Vec::new();
    for (body, records) in NOTATIONS {
        let (ours, strict) = counted(scratch, "notations", body)?;
        let what = format!("instructions to decode 1,000 records / of plain derives with float_roundtrip: {records}");
        let detail = format!("{:.0} / {:.0} per record", ours / 1000.0, strict / 1000.0);
        measurements.push(Measurement {
            number: "8",
            what,
            bounds: ("1.10", "1.00"),
            measured: ratio(ours, strict),
            detail,
        });
    }
    Ok(measurements)
}

pub(crate) fn floats(scratch: &Scratch) -> Result<Vec<Measurement>, String> {
    let program = scratch.build(scratch.ours()?, "floats")?;
    let (stdout, _) = output(&mut Command::new(program))?;
    let (count, misread) = stdout.trim().split_once(' ').ok_or("the program printed nothing")?;
    let what = "wrongly decoded floats: random and edge values, with 17 digits and in the shortest form".to_owned();
    let detail = format!("of {count}");
    Ok(vec![Measurement { number: "9", what, bounds: ("0", ""), measured: misread.to_owned(), detail }])
}

pub(crate) fn allocations(scratch: &Scratch) -> Result<Vec<Measurement>, String> {
    let program = scratch.build(scratch.ours()?, "allocations")?;
    let (stdout, _) = output(&mut Command::new(program))?;
    let counts: Vec<u64> = stdout.split_whitespace().filter_map(|count| count.parse().ok()).collect();
    let [few, many] = counts[..] else { return Err(format!("the program printed {stdout:?}")) };
    let what = "additional allocations for 65,536 records of numbers instead of 1,024".to_owned();
    let detail = format!("{many} and {few}; the capacity of the list doubles six times");
    Ok(vec![Measurement { number: "10", what, bounds: ("6", ""), measured: (many - few).to_string(), detail }])
}
