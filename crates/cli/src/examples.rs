//! Examples for help, with an endpoint, params and values of the catalogue.

use runtime::registry::{EndpointInfo, ParamInfo, TypeInfo, ValueType};

use crate::endpoint_names::{self, Endpoint};
use crate::offered_param::{self, splits};
use crate::option_names::option_name;
use crate::program::{program, service};

/// The help that follows the options of `get`.
pub(crate) fn get() -> String {
    let Some(endpoint) = example() else { return String::new() };
    let mut notes = Vec::new();
    if let Some((name, both)) = several(endpoint) {
        notes.push(format!("`--{} {both}` sends one request per value", option_name(name)));
    }
    if let Some(info) = endpoint.params().find(|info| info.list_setter.is_some() && splits(info)) {
        notes.push(format!("`--{} a+b` requests one series of both", option_name(info.wire_name)));
    }
    // A request returns at most one page, so a range is an example of `backfill`.
    if endpoint_names::history(endpoint).is_some() {
        notes.push("`backfill --out -` fetches a complete range".to_owned());
    }
    let notes = if notes.is_empty() { String::new() } else { format!("{}.\n\n", notes.join("; ")) };
    let one = in_lines(&format!("{} > records.csv", line("get", endpoint, 1)));
    let two = in_lines(&line("get", endpoint, 2));
    format!("{notes}  {two}\n  {one}")
}

/// The help that follows the options of `backfill`.
pub(crate) fn backfill() -> String {
    let Some(endpoint) = example() else { return String::new() };
    let mut params = String::new();
    for option in options(endpoint, 2).split(" --") {
        if let Some((name, value)) = option.split_once(' ') {
            params.push_str(&format!("\n  {name} = [\"{}\"]", value.replace(',', "\", \"")));
        }
    }
    let command = format!("{} --from 2025-01-01 --out data/", line("backfill", endpoint, 2));
    format!(
        "Run it again to continue, to add new records and to fetch what failed, for example once a day:\n  {}\n\
         A job file has the same settings in TOML, and a series can have its own from and to:\n  from = 2025-01-01\n  out = \"data/\"\n  [[series]]\n  \
         endpoints = [\"{}\"]{params}",
        in_lines(&command),
        endpoint_names::name(endpoint),
    )
}

/// The help that follows the options of `poll`.
pub(crate) fn poll() -> String {
    let Some(line) = example().map(|endpoint| line("poll", endpoint, 2)) else { return String::new() };
    let stored = in_lines(&format!("{line} --from 7d --out data/"));
    let printed = in_lines(&format!("{line} --from 1h --format csv > today.csv"));
    format!("  {}\n  {stored}\n  {printed}", in_lines(&line))
}

/// The help that follows the options of `plot`.
pub(crate) fn plot() -> String {
    let Some(endpoint) = example() else { return String::new() };
    let drawn = in_lines(&format!("{} --from 30d", line("plot", endpoint, 2)));
    let written = in_lines(&format!("{} --from 90d --out quarter.svg", line("plot", endpoint, 1)));
    format!("  {drawn}\n  {written}")
}

/// The characters of a line of a command, without its indentation and the backslash at its end.
const LINE_WIDTH: usize = 74;

/// A command in lines that fit a terminal with 80 columns. A backslash continues each line, so that a user can copy the
/// command; help would wrap a longer line without one.
fn in_lines(command: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for part in parts(command) {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + part.len() <= LINE_WIDTH => line.push_str(&format!(" {part}")),
            _ => lines.push(part),
        }
    }
    lines.join(" \\\n    ")
}

/// The command without its options, each option with its value, and a redirection.
fn parts(command: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for word in command.split(' ') {
        let begins = word.starts_with("--") || word == ">";
        match parts.last_mut() {
            Some(part) if !begins => part.push_str(&format!(" {word}")),
            _ => parts.push(word.to_owned()),
        }
    }
    parts
}

/// A command with an endpoint and the params of its example; one of them has this many values.
pub(crate) fn line(command: &str, endpoint: &EndpointInfo, values: usize) -> String {
    format!("{} {command} {}{}", program().name, endpoint_names::name(endpoint), options(endpoint, values))
}

/// The params of an endpoint's example as options with their values; one of them has this many values.
pub(crate) fn options(endpoint: &EndpointInfo, values: usize) -> String {
    let several = several(endpoint).filter(|_| values > 1);
    let mut options = String::new();
    for info in in_examples(endpoint) {
        let value = match &several {
            Some((name, both)) if *name == info.wire_name => Some(both.as_str()),
            _ => value(info),
        };
        if let Some(value) = value {
            options.push_str(&format!(" --{} {value}", option_name(info.wire_name)));
        }
    }
    options
}

/// The required param whose values are most likely to be combined, an open set, with two of its values.
fn several(endpoint: &EndpointInfo) -> Option<(&'static str, String)> {
    required(endpoint).find_map(|info| {
        let ValueType::Named(TypeInfo { open: true, values: [one, two, ..], .. }) = info.ty else { return None };
        Some((info.wire_name, format!("{},{}", one.value, two.value)))
    })
}

fn required(endpoint: &EndpointInfo) -> impl Iterator<Item = &'static ParamInfo> + use<> {
    endpoint.params().filter(|info| offered_param::required(info).is_some())
}

/// The params that an example sets: the required ones, and the optional ones that the catalogue marks for examples.
fn in_examples(endpoint: &EndpointInfo) -> impl Iterator<Item = &'static ParamInfo> + use<> {
    endpoint.params().filter(|info| info.in_examples || offered_param::required(info).is_some())
}

/// The example of a param, or else a value that is known and not known to be rejected.
fn value(info: &ParamInfo) -> Option<&'static str> {
    if info.example.is_some() {
        return info.example;
    }
    let mut known = [info.allowed_values, info.tested_values].concat();
    if let ValueType::Named(ty) = info.ty {
        known.extend(ty.values.iter().map(|value| value.value));
    }
    known.into_iter().find(|value| !info.rejected_values.contains(value))
}

/// Whether a value is known for each required param.
pub(crate) fn is_complete(endpoint: &EndpointInfo) -> bool {
    required(endpoint).all(|info| value(info).is_some())
}

/// An endpoint whose required params have known values: preferably one on the host of the service, whose base URL is
/// always set, then the one that the catalogue marks as the example, then one with a history, then one with the best
/// evidence.
pub(crate) fn example() -> Option<Endpoint> {
    let complete = endpoint_names::with_path().filter(|endpoint| is_complete(endpoint));
    complete.min_by_key(|endpoint| {
        let has_history = endpoint_names::history(endpoint).is_some();
        let is_on_other_host = service().base_url_of(endpoint).is_some();
        (is_on_other_host, !endpoint.is_example, !has_history, endpoint.evidence)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_command_continues_after_a_backslash() {
        let short = "tides get levels --station a --from 7d";
        assert_eq!(in_lines(short), short);
        let command =
            "tides get levels --station a-station-with-a-name --datum the-mean-of-all-levels --from 7d > week.csv";
        let lines = "tides get levels --station a-station-with-a-name \\\n    --datum the-mean-of-all-levels --from 7d > week.csv";
        assert_eq!(in_lines(command), lines);
    }
}
