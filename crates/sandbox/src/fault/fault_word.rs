//! Parses the last word of a rule: the fault and its value.

use std::time::Duration;

use axum::http::{HeaderValue, StatusCode};

use super::delivery::{Delivery, Phase};
use super::edit::Edit;
use super::kind::{Fault, RecordFault, Replacement};

/// The names of all faults.
pub(super) const NAMES: [&str; 16] = [
    "latency",
    "status",
    "redirect",
    "malformed",
    "nulls",
    "wrong-types",
    "new-fields",
    "new-values",
    "missing",
    "late",
    "revised",
    "trickle",
    "gzip-bomb",
    "cut",
    "reset",
    "stale",
];

/// A message, and a help text.
type InvalidFault = (String, String);

/// Parses the fault.
pub(super) fn read(word: &str) -> Result<Fault, InvalidFault> {
    let (name, value) = match word.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (word, None),
    };
    match name {
        "latency" => latency(value),
        "status" => match status(value) {
            Some(status) => Ok(Fault::Replacement(Replacement::Status(status))),
            None => Err(invalid_value(name, value, "status=503")),
        },
        "redirect" => redirect(value),
        "malformed" => plain(name, value, Fault::Edit(Edit::Malformed)),
        "nulls" => plain(name, value, Fault::Edit(Edit::Nulls)),
        "wrong-types" => plain(name, value, Fault::Edit(Edit::WrongTypes)),
        "new-fields" => plain(name, value, Fault::Edit(Edit::NewFields)),
        "new-values" => plain(name, value, Fault::Edit(Edit::NewValues)),
        "missing" => plain(name, value, Fault::Record(RecordFault::Missing)),
        "late" => Ok(Fault::Record(RecordFault::Late(duration(name, value, "90s")?))),
        "revised" => Ok(Fault::Record(RecordFault::Revised(duration(name, value, "90s")?))),
        "trickle" => Ok(Fault::Delivery(Delivery::Trickle(duration(name, value, "20ms")?))),
        "gzip-bomb" => match size(value.unwrap_or("64MiB")) {
            Some(size) => Ok(Fault::Delivery(Delivery::GzipBomb(size))),
            None => Err(invalid_value(name, value, "gzip-bomb=64MiB")),
        },
        "cut" | "reset" => broken(name, value),
        "stale" => plain(name, value, Fault::Stale),
        _ => Err(unknown(name)),
    }
}

fn unknown(name: &str) -> InvalidFault {
    let similar = wording::did_you_mean(name, NAMES.iter().copied());
    let help = similar.unwrap_or_else(|| format!("known: {}", NAMES.join(", ")));
    (format!("unknown fault `{name}`"), help)
}

fn status(value: Option<&str>) -> Option<StatusCode> {
    let code = value?.parse().ok()?;
    if (200..=599).contains(&code) { StatusCode::from_u16(code).ok() } else { None }
}

fn redirect(value: Option<&str>) -> Result<Fault, InvalidFault> {
    let to = value.unwrap_or("https://elsewhere.invalid/");
    if HeaderValue::try_from(to).is_err() {
        return Err(invalid_value("redirect", value, "redirect=https://example.com/"));
    }
    Ok(Fault::Replacement(Replacement::Redirect(to.to_owned())))
}

fn plain(name: &str, value: Option<&str>, fault: Fault) -> Result<Fault, InvalidFault> {
    match value {
        None => Ok(fault),
        Some(_) => Err((format!("`{name}` does not accept a value"), format!("write `{name}`"))),
    }
}

/// Parses the duration of a fault; `default` is the duration of a fault without a value.
fn duration(name: &str, value: Option<&str>, default: &str) -> Result<Duration, InvalidFault> {
    let duration = humantime::parse_duration(value.unwrap_or(default));
    duration.map_err(|_| invalid_value(name, value, &format!("{name}={default}")))
}

fn latency(value: Option<&str>) -> Result<Fault, InvalidFault> {
    match latency_range(value.unwrap_or_default()) {
        Some((from, to)) if from <= to && to < Duration::from_secs(24 * 60 * 60) => Ok(Fault::Latency(from, to)),
        _ => Err(invalid_value("latency", value, "latency=100ms` or `latency=50ms..150ms")),
    }
}

fn latency_range(text: &str) -> Option<(Duration, Duration)> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let from = humantime::parse_duration(from).ok()?;
    let to = humantime::parse_duration(to).ok()?;
    Some((from, to))
}

fn broken(name: &str, value: Option<&str>) -> Result<Fault, InvalidFault> {
    let reset = name == "reset";
    let phase = match value.unwrap_or("body") {
        "accept" if reset => return Ok(Fault::ResetAtAccept),
        "request" => Phase::Request,
        "head" => Phase::Head,
        "body" => Phase::Body,
        _ => return Err(invalid_value(name, value, &format!("{name}=request`, `{name}=head` or `{name}=body"))),
    };
    Ok(Fault::Delivery(Delivery::Broken { phase, reset }))
}

fn invalid_value(name: &str, value: Option<&str>, example: &str) -> InvalidFault {
    let message = match value {
        None | Some("") => format!("`{name}` needs a value"),
        Some(value) => format!("invalid value `{value}` of `{name}`"),
    };
    (message, format!("write `{example}`"))
}

/// Parses a number of bytes, at most one gibibyte.
fn size(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|last: char| !last.is_ascii_digit());
    let unit = match text.get(digits.len()..)? {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    let size = digits.parse::<u64>().ok()?.checked_mul(unit)?;
    if size <= 1 << 30 { Some(size) } else { None }
}
