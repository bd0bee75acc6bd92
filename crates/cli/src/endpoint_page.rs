//! The page of an endpoint: all known facts about it, as text for users.
//!
//! Unknown facts are shown as unknown.

use std::fmt::Write as _;

use runtime::registry::{BodyInfo, EndpointInfo, Evidence, FieldInfo, ParamInfo, StatusInfo, TimeUnit, ValueType};
use wording::Facts;

use crate::endpoint_names;
use crate::examples;
use crate::notation::{Notation, chosen, notation};
use crate::offered_param::required;
use crate::param_options::option;
use crate::program::service;
use crate::record_columns::fields;
use crate::sections::{section, wrapped};
use crate::stdout;
use crate::time_arg;

/// The page with lines of at most this many characters. Its headings have styles.
pub(crate) fn page(endpoint: &EndpointInfo, width: usize) -> String {
    let bold = stdout::HEADING;
    let mut out = format!("{bold}{}{bold:#}\n", endpoint.name);
    out.push_str(&paragraph(endpoint.summary, width));
    if !endpoint.aliases.is_empty() {
        let _ = writeln!(out, "  Also called {}.", endpoint.aliases.join(", "));
    }
    if let Some(why) = endpoint.deprecated {
        out.push_str(&paragraph(&format!("Deprecated: {why}"), width));
    }
    let fields = fields(endpoint).map(field_row).collect();
    let errors = service().errors.iter().map(status_row).collect();
    let sections =
        [("", fact_rows(endpoint)), ("Params", param_rows(endpoint)), ("Fields", fields), ("Errors", errors)];
    for (title, rows) in sections {
        if let Some(name_width) = rows.iter().map(|[name, _]| name.len()).max() {
            section(&mut out, title, &rows, name_width, width);
        }
    }
    if !endpoint.notes.is_empty() {
        let _ = write!(out, "\n{bold}Notes{bold:#}\n{}", paragraph(endpoint.notes, width));
    }
    if !endpoint.unknown.is_empty() {
        let unknown = format!("{}.", endpoint.unknown.join("; "));
        let _ = write!(out, "\n{bold}Undocumented{bold:#}\n{}", paragraph(&unknown, width));
    }
    if notation() == Notation::Shell && endpoint.path.is_some() && examples::is_complete(endpoint) {
        let _ = writeln!(out, "\n{bold}Try{bold:#}\n  {} --sandbox", examples::line("get", endpoint, 1));
    }
    out
}

fn paragraph(text: &str, width: usize) -> String {
    wrapped(text, ["  "; 2], width.saturating_sub(2))
}

fn fact_rows(endpoint: &EndpointInfo) -> Vec<[String; 2]> {
    let path = match endpoint.path {
        Some(path) => format!("GET {path}"),
        None => "unknown".to_owned(),
    };
    let source = match endpoint.path {
        Some(_) => endpoint.evidence.to_string(),
        None => format!("name only, {}", endpoint.evidence),
    };
    let history = match endpoint_names::history(endpoint) {
        Some(info) if info.has_interval() => format!("yes, with {}", histories()),
        Some(_) => format!("yes, with {}; its records have no regular step, so gaps are not judged", histories()),
        None => "none".to_owned(),
    };
    let mut rows = vec![["name".to_owned(), endpoint.to_string()], ["path".to_owned(), path]];
    if let Some(base_url) = service().base_url_of(endpoint) {
        let variable = base_url.variable(service());
        rows.push(["host".to_owned(), format!("another one, whose base URL is in {variable}")]);
    }
    rows.push(["source".to_owned(), source]);
    rows.push(["response".to_owned(), response(&endpoint.body)]);
    rows.push(["history".to_owned(), history]);
    rows
}

/// What fetches a history.
fn histories() -> &'static str {
    chosen("`backfill` and `poll`", "`history` and `follow`", "`fetch_records`")
}

fn response(body: &BodyInfo) -> String {
    match body {
        BodyInfo::Series { record, time: Some(time), .. } => {
            let rest = if record.is_none() { "; the other fields are unknown" } else { "" };
            format!("records with a timestamp in `{time}`{rest}")
        }
        BodyInfo::Series { .. } => "a list of records".to_owned(),
        BodyInfo::Object { .. } => "one record".to_owned(),
        BodyInfo::Unknown => "unknown".to_owned(),
    }
}

fn param_rows(endpoint: &EndpointInfo) -> Vec<[String; 2]> {
    if endpoint.param_lists.is_none() {
        return vec![["unknown".to_owned(), "the params are unknown".to_owned()]];
    }
    let params = endpoint.params().filter(|param| param.const_value.is_none());
    params.map(|param| param_row(endpoint, param)).collect()
}

fn param_row(endpoint: &EndpointInfo, info: &ParamInfo) -> [String; 2] {
    let mut values = Vec::new();
    let mut is_open = false;
    if let ValueType::Named(ty) = info.ty {
        values.extend(ty.values.iter().map(|value| value.value));
        is_open = ty.open;
    }
    // The values are an example already.
    let example = if values.is_empty() { example(info) } else { None };
    let facts = Facts {
        // A timestamp is given as a date, not in its unit.
        unit: if let ValueType::Timestamp(_) = info.ty { "" } else { info.unit },
        range: [info.range.min, info.range.max],
        source: info.evidence.as_str(),
        required: required(info).map(Evidence::as_str),
        is_open,
        default: info.default,
        single_value: info.single_value.map(Evidence::as_str),
        allowed_values: info.allowed_values.to_vec(),
        tested_values: info.tested_values.to_vec(),
        rejected_values: info.rejected_values.to_vec(),
        earlier_names: info.also_named.to_vec(),
        example: example.as_deref(),
        unknown: info.unknown.to_vec(),
        values,
        ..Facts::default()
    };
    let option = option(endpoint, info.wire_name);
    // `--param` needs the name of the param in the API.
    let wire_name = if option.trim_start_matches("--") == info.wire_name {
        String::new()
    } else {
        format!("Sent as `{}`.", info.wire_name)
    };
    [option, stated(info.summary, &facts, &wire_name)]
}

/// The example of a param; that of a number of seconds has the date that it means.
fn example(info: &ParamInfo) -> Option<String> {
    let example = info.example?;
    match info.ty {
        ValueType::Timestamp(unit) if !unit.is_text() => {
            let time = unit.read(example)?;
            Some(format!("{example} ({})", time_arg::shown(time)))
        }
        _ => Some(example.to_owned()),
    }
}

fn status_row(info: &StatusInfo) -> [String; 2] {
    let label = info.label.map(|label| format!("Documented as \"{label}\". ")).unwrap_or_default();
    [info.status.to_string(), format!("{label}{} {}", info.summary, info.advice).trim().to_owned()]
}

fn field_row(info: &FieldInfo) -> [String; 2] {
    let range = [info.range.min, info.range.max];
    let also_named = info.also_named.to_vec();
    let zone = match info.ty {
        ValueType::Timestamp(TimeUnit::Local(zone)) => Some(zone),
        _ => None,
    };
    let facts = Facts { unit: info.unit, range, zone, also_named, unknown: info.unknown.to_vec(), ..Facts::default() };
    let optional = if info.optional { ", optional" } else { "" };
    [info.wire_name.to_owned(), format!("{} ({}{optional})", stated(info.summary, &facts, info.notes), info.evidence)]
}

/// The summary, the sentences about the facts, and the notes.
fn stated(summary: &str, facts: &Facts<'_>, notes: &str) -> String {
    let sentences = facts.sentences(str::to_owned, str::to_owned);
    let mut texts = vec![summary, &sentences, notes];
    texts.retain(|text| !text.is_empty());
    texts.join(" ")
}

#[cfg(test)]
mod tests {
    use runtime::registry::{Evidence, HistoryInfo, HistorySource, TimeUnit};

    use super::*;

    #[test]
    fn every_page_fits_its_width() {
        for (_, endpoint) in endpoint_names::all() {
            let page = page(endpoint, 80);
            let long = page.lines().find(|line| line.chars().count() > 80 && !line.starts_with("  derivs"));
            assert_eq!(long, None, "{endpoint}");
            assert!(page.contains(endpoint.name));
        }
    }

    #[test]
    fn history_of_events_is_only_for_rust() {
        const PARAMS: &[ParamInfo] =
            &[ParamInfo::new("after", "after", ValueType::Timestamp(TimeUnit::Seconds), Evidence::Documented)
                .example(Some("1735689600"))];
        const STRIKES: HistoryInfo = HistoryInfo {
            from: "after",
            to: "",
            limit: "",
            step: "",
            every: None,
            anchor: None,
            oldest: None,
            time_is_end: false,
            includes_start: false,
            sort: None,
            evidence: Evidence::Documented,
        };
        let body = BodyInfo::Series { record: None, time: Some("at"), evidence: Evidence::Documented };
        let events = EndpointInfo::new("sky", "strikes", "Strikes").body(body).accepts(&[PARAMS]);
        let events = events.history_source(HistorySource::Endpoint(&STRIKES));
        let page = page(&events, 200);
        assert!(page.contains("its records have no regular step"), "{page}");
        assert!(page.contains("--from  ") && page.contains("Sent as `after`."), "{page}");
        assert!(page.contains("Example: 1735689600 (2025-01-01 00:00)."), "{page}");
    }

    #[test]
    fn unknown_facts_are_shown_as_unknown() {
        let page = page(&EndpointInfo::new("market", "heavy", "Heavy"), 80);
        assert!(page.contains("path      unknown") && page.contains("name only"), "{page}");
        assert!(!page.contains("Try"), "{page}");
    }
}
