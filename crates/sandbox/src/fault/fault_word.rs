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
    let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    let edit = |edit| plain(name, value, Fault::Edit(edit));
    match name {
        "latency" => latency(value),
        "status" => {
            let code = value.and_then(|value| value.parse().ok()).filter(|code| (200..=599).contains(code));
            let status = code.and_then(|code| StatusCode::from_u16(code).ok());
            let fault = |status| Fault::Replacement(Replacement::Status(status));
            status.map(fault).ok_or_else(|| wants(name, value, "status=503"))
        }
        "redirect" => {
            let to = value.unwrap_or("https://elsewhere.invalid/");
            let sendable = HeaderValue::try_from(to).is_ok();
            let redirect = Fault::Replacement(Replacement::Redirect(to.to_owned()));
            sendable.then_some(redirect).ok_or_else(|| wants(name, value, "redirect=https://example.com/"))
        }
        "malformed" => edit(Edit::Malformed),
        "nulls" => edit(Edit::Nulls),
        "wrong-types" => edit(Edit::WrongTypes),
        "new-fields" => edit(Edit::NewFields),
        "new-values" => edit(Edit::NewValues),
        "missing" => plain(name, value, Fault::Record(RecordFault::Missing)),
        "late" => duration(name, value, "90s", |delay| Fault::Record(RecordFault::Late(delay))),
        "revised" => duration(name, value, "90s", |delay| Fault::Record(RecordFault::Revised(delay))),
        "trickle" => duration(name, value, "20ms", |pause| Fault::Delivery(Delivery::Trickle(pause))),
        "gzip-bomb" => {
            let bomb = size(value.unwrap_or("64MiB")).map(|size| Fault::Delivery(Delivery::GzipBomb(size)));
            bomb.ok_or_else(|| wants(name, value, "gzip-bomb=64MiB"))
        }
        "cut" | "reset" => broken(name, value),
        "stale" => plain(name, value, Fault::Stale),
        _ => Err((
            format!("unknown fault `{name}`"),
            wording::did_you_mean(name, NAMES.iter().copied())
                .unwrap_or_else(|| format!("known: {}", NAMES.join(", "))),
        )),
    }
}

fn plain(name: &str, value: Option<&str>, fault: Fault) -> Result<Fault, InvalidFault> {
    match value {
        None => Ok(fault),
        Some(_) => Err((format!("`{name}` does not accept a value"), format!("write `{name}`"))),
    }
}

/// Parses a fault whose value is a duration; `default` is the duration of a fault without a value.
fn duration(
    name: &str,
    value: Option<&str>,
    default: &str,
    fault: impl Fn(Duration) -> Fault,
) -> Result<Fault, InvalidFault> {
    let duration = humantime::parse_duration(value.unwrap_or(default));
    duration.map(fault).map_err(|_| wants(name, value, &format!("{name}={default}")))
}

fn latency(value: Option<&str>) -> Result<Fault, InvalidFault> {
    let text = value.unwrap_or_default();
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    match [from, to].map(humantime::parse_duration) {
        [Ok(from), Ok(to)] if from <= to && to < Duration::from_secs(24 * 60 * 60) => Ok(Fault::Latency(from, to)),
        _ => Err(wants("latency", value, "latency=100ms` or `latency=50ms..150ms")),
    }
}

fn broken(name: &str, value: Option<&str>) -> Result<Fault, InvalidFault> {
    let reset = name == "reset";
    let phase = match value.unwrap_or("body") {
        "accept" if reset => return Ok(Fault::ResetAtAccept),
        "request" => Phase::Request,
        "head" => Phase::Head,
        "body" => Phase::Body,
        _ => return Err(wants(name, value, &format!("{name}=request`, `{name}=head` or `{name}=body"))),
    };
    Ok(Fault::Delivery(Delivery::Broken { phase, reset }))
}

fn wants(name: &str, value: Option<&str>, example: &str) -> InvalidFault {
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
    digits.parse::<u64>().ok()?.checked_mul(unit).filter(|size| *size <= 1 << 30)
}
