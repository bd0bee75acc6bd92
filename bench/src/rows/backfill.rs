//! Compares a backfill with a program as a user would write it: instructions for each row, and requests.

use std::process::Command;

use super::ratio;
use crate::callgrind::instructions;
use crate::command::output;
use crate::report::Measurement;
use crate::scratch::Scratch;

/// The records: the number of fields besides the time, and the percentage of them that is present.
const SHAPES: [(&str, &str); 5] = [("1", "100"), ("4", "100"), ("30", "100"), ("30", "33"), ("100", "100")];

/// The instructions for one row of our backfill and of the other program, without those for making the responses.
pub(crate) fn counted(scratch: &Scratch, fields: &str, percent: &str) -> Result<(f64, f64), String> {
    let program = scratch.build(scratch.ours()?, "backfill")?;
    let none = instructions(&program, &[fields, percent, "none"])?;
    let ours = instructions(&program, &[fields, percent, "ours"])? - none;
    let raw = instructions(&program, &[fields, percent, "raw"])? - none;
    let (records, _) = output(Command::new(&program).args([fields, percent, "records"]))?;
    let records: f64 = records.trim().parse().map_err(|_| format!("the program printed {records:?}"))?;
    Ok((ours / records, raw / records))
}

pub(crate) fn rows(scratch: &Scratch) -> Result<Vec<Measurement>, String> {
    let mut measurements = Vec::new();
    for (fields, percent) in SHAPES {
        let (ours, raw) = counted(scratch, fields, percent)?;
        let what = format!(
            "instructions to backfill a row / to write it with plain `serde` derives and `arrow`, without checks and \
             journal: {fields} fields, {percent} % present"
        );
        let detail = format!("{ours:.0} / {raw:.0} per row");
        measurements.push(Measurement { number: "16", what, bounds: ("", "1.50"), measured: ratio(ours, raw), detail });
    }
    Ok(measurements)
}

pub(crate) fn requests(scratch: &Scratch) -> Result<Vec<Measurement>, String> {
    let program = scratch.build(scratch.ours()?, "backfill")?;
    let (stdout, _) = output(Command::new(program).arg("requests"))?;
    let counts: Vec<f64> = stdout.split_whitespace().filter_map(|count| count.parse().ok()).collect();
    let [planned, sent] = counts[..] else { return Err(format!("the program printed {stdout:?}")) };
    let what = "requests that a run sends / that its plan states: 300 series, 32 days of hours, a file for each day";
    let detail = format!("{sent} / {planned}");
    Ok(vec![Measurement {
        number: "17",
        what: what.to_owned(),
        bounds: ("1.00", "1.00"),
        measured: ratio(sent, planned),
        detail,
    }])
}
