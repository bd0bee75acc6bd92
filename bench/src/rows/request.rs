//! Measures one request of 50 records to a server on loopback, and the time to build a client.

use std::path::Path;
use std::process::Command;

use super::ratio;
use crate::callgrind::instructions;
use crate::command::output;
use crate::report::Measurement;
use crate::scratch::Scratch;
use crate::server;
use crate::timing::median;

/// The instructions of one request. They are computed from the difference between a run of 250 requests and a
/// run of 50 requests, so the start of the program is not counted.
pub(crate) fn counted(program: &Path) -> Result<f64, String> {
    let url = server::start()?;
    let (few, many) = (instructions(program, &[&url, "50"])?, instructions(program, &[&url, "250"])?);
    Ok((many - few) / 200.0)
}

pub(crate) fn request(scratch: &Scratch) -> Result<Vec<Measurement>, String> {
    let ours = counted(&scratch.build(scratch.ours()?, "request-ours")?)?;
    let raw = counted(&scratch.build(scratch.ours()?, "request-raw")?)?;
    let mut measurements = vec![Measurement {
        number: "6",
        what:
            "CPU instructions for one request of 50 records / those with only our transport and plain `serde` derives"
                .to_owned(),
        bounds: ("1.20", "1.00"),
        measured: ratio(ours, raw),
        detail: format!("{ours:.0} / {raw:.0}"),
    }];
    let peers = scratch.peers()?;
    let reqwest = counted(&scratch.build(peers, "request-reqwest")?)?;
    let progenitor = counted(&scratch.build(peers, "request-progenitor")?)?;
    measurements.push(Measurement {
        number: "7",
        what: "instructions for one request of 50 records / the same with progenitor's client".to_owned(),
        bounds: ("0.75", "0.65"),
        measured: ratio(ours, progenitor),
        detail: format!("{ours:.0} / {progenitor:.0}; hand-written reqwest {reqwest:.0}"),
    });
    Ok(measurements)
}

/// The median microseconds from the last byte of a response until the program has its records.
fn after_last_byte(program: &Path) -> Result<f64, String> {
    let (url, last_bytes) = server::start_with_late_last_byte()?;
    let (stdout, _) = output(Command::new(program).args([&url, "1000", "ends"]))?;
    let ends: Vec<u128> = stdout.lines().filter_map(|line| line.parse().ok()).collect();
    let written = last_bytes.lock().map_err(|error| error.to_string())?;
    // The program prints the number of records last, which is no time of a response.
    if ends.len() != written.len() + 1 {
        return Err(format!("{}: {} times of {} responses", program.display(), ends.len(), written.len()));
    }
    let mut waits = Vec::new();
    for (written, end) in written.iter().zip(&ends) {
        let nanoseconds = u32::try_from(end.saturating_sub(*written)).map_err(|error| error.to_string())?;
        waits.push(f64::from(nanoseconds) / 1000.0);
    }
    Ok(median(waits))
}

pub(crate) fn last_byte(scratch: &Scratch) -> Result<Vec<Measurement>, String> {
    let ours = scratch.build(scratch.ours()?, "request-ours")?;
    let reqwest = scratch.build(scratch.peers()?, "request-reqwest")?;
    let mut our_waits = Vec::new();
    let mut waits_of_reqwest = Vec::new();
    for _ in 0..scratch.rounds.max(1) {
        our_waits.push(after_last_byte(&ours)?);
        waits_of_reqwest.push(after_last_byte(&reqwest)?);
    }
    let ours = median(our_waits);
    let reqwest = median(waits_of_reqwest);
    Ok(vec![Measurement {
        number: "21",
        what: "time from the last byte of 50 records until `await` returns them / with reqwest and `serde`".to_owned(),
        bounds: ("", "1.09"),
        measured: ratio(ours, reqwest),
        detail: format!("{ours:.0} / {reqwest:.0} µs"),
    }])
}

pub(crate) fn client(scratch: &Scratch) -> Result<Vec<Measurement>, String> {
    let program = scratch.build(scratch.ours()?, "request-ours")?;
    let (mut first, mut next) = (Vec::new(), Vec::new());
    for _ in 0..scratch.rounds.max(1) {
        let (stdout, _) = output(Command::new(&program).arg("build"))?;
        let times: Vec<f64> = stdout.split_whitespace().filter_map(|time| time.parse().ok()).collect();
        let [cold, warm] = times[..] else { return Err(format!("the program printed {stdout:?}")) };
        first.push(cold / 1e6);
        next.push(warm / 1e6);
    }
    let what = "building the first client of a process, default features, in ms".to_owned();
    let detail = format!("each further client {:.3} ms", median(next));
    Ok(vec![Measurement {
        number: "14",
        what,
        bounds: ("1", "0.1"),
        measured: format!("{:.3}", median(first)),
        detail,
    }])
}
