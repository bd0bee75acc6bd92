//! Generates the body of the response to a request.
//!
//! The registry defines the layout of the body. Values depend on the seed, the endpoint, the params and the time of
//! their record, but never on the requested time range.

use runtime::Value;
use runtime::registry::{BodyInfo, EndpointInfo, RecordInfo, RecordLayout, Registry, TimeUnit, TypeInfo, ValueType};
use serde_json::{Map, json};

use crate::fault::{FaultTarget, RequestParams};
use crate::groups;
use crate::interval::Interval;
use crate::json::put;
use crate::query::{Query, known_values};
use crate::record_pages;
use crate::seed::Seed;
use crate::shared::Shared;
use crate::time_range::{self, DATA_START, RangeParams};
use crate::values::{self, RecordInputs};

/// The header that marks a response with parts that the catalogue does not describe; its value is `fields` or `body`.
///
/// The body has a key with the same name, because a saved response may have lost its headers, and `cargo xtask learn`
/// must not treat such a response as a response of the real service.
pub(crate) const MARK: &str = "x-sandbox-invented";

/// The number of records in a list that is not a time series.
const RECORDS: i64 = 10;
const MINUTE: i64 = 60;

/// A body, and the name of the part that the catalogue does not describe: `fields`, `body` or none.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) json: Value,
    pub(crate) invented: Option<&'static str>,
}

/// Generates the body for a request at the time of the sandbox's clock.
pub(crate) fn generate(
    shared: &Shared,
    endpoint: &'static EndpointInfo,
    query: &Query,
    sent: &RequestParams,
    path_and_query: &str,
) -> Body {
    let range = RangeParams::of(endpoint, shared.registry.service);
    let seed = seed_of(endpoint, query, &range, shared.settings.seed);
    let now = shared.settings.clock.now();
    let minute = time_range::floor(now, MINUTE);
    match endpoint.body {
        BodyInfo::Series { record, time, .. } => {
            let series = SeriesBody { shared, endpoint, record, time, range, seed, now };
            series.body(query, sent, path_and_query)
        }
        BodyInfo::Object { record, .. } => {
            let interval = Interval { start: minute, end: now };
            let values = values::record(record, RecordInputs { seed, interval, time: None, depth: 0 });
            Body { json: with_requested(values, record, query, 0), invented: None }
        }
        BodyInfo::Unknown => {
            let value = values::any_number(seed, minute);
            Body { json: json!({ name_of(endpoint): value, MARK: "body" }), invented: Some("body") }
        }
    }
}

/// The seed of a response, which depends on all params except the params that select records.
fn seed_of(endpoint: &EndpointInfo, query: &Query, range: &RangeParams, seed: Seed) -> Seed {
    let mut seed = seed.name(endpoint.path.unwrap_or_default());
    for param in query.params() {
        if range.contains(param) || record_pages::is_page_param(endpoint, param) {
            continue;
        }
        seed = seed.name(param.wire_name);
        for value in query.all(param) {
            seed = seed.name(value);
        }
    }
    seed
}

/// A name for an unknown value: the last segment of the path that is not a param.
fn name_of(endpoint: &EndpointInfo) -> &'static str {
    for segment in endpoint.path.unwrap_or_default().rsplit('/') {
        if !segment.is_empty() && !segment.starts_with('{') {
            return segment;
        }
    }
    "value"
}

/// The series that a request selects.
struct SeriesBody<'a> {
    shared: &'a Shared,
    endpoint: &'static EndpointInfo,
    /// `None` if the fields are unknown.
    record: Option<&'static RecordInfo>,
    /// The name of the time field; `None` if the list is not a time series.
    time: Option<&'static str>,
    range: RangeParams,
    seed: Seed,
    now: i64,
}

impl SeriesBody<'_> {
    fn body(&self, query: &Query, sent: &RequestParams, path_and_query: &str) -> Body {
        let registry = self.shared.registry;
        let metadata = Metadata::of(registry, query, self.seed);
        let mut all = Vec::new();
        if metadata.is_covered {
            all = self.inputs_of_existing(query, sent);
        }
        let mut rows = 0..all.len();
        let mut page_facts = Vec::new();
        if let Some(pages) = &self.endpoint.pages {
            let page = record_pages::page(pages, query, all.len(), path_and_query);
            page_facts = page.facts;
            rows = page.records;
        }
        let mut records = Vec::with_capacity(rows.len());
        for row in rows {
            records.push(self.record(all[row], query, row));
        }
        let path = path_of_records(self.endpoint, registry);
        let Some(record) = self.record else {
            let invented = Some("fields");
            let records = Value::Array(records);
            return Body { json: in_envelope(registry, path, records, metadata.json, invented, page_facts), invented };
        };
        let (written, path) = groups::grouped(record, records, path);
        page_facts.extend(written.names);
        Body { json: in_envelope(registry, path, written.json, metadata.json, None, page_facts), invented: None }
    }

    /// The inputs of the records that exist now.
    fn inputs_of_existing(&self, query: &Query, sent: &RequestParams) -> Vec<RecordInputs> {
        let faults = self.shared.faults();
        let target = FaultTarget::Endpoint(self.endpoint);
        let mut existing = Vec::new();
        for inputs in self.inputs_of_records(query) {
            if let Some(seed) = faults.of_record(target, sent, inputs.seed, inputs.interval, self.now) {
                existing.push(RecordInputs { seed, ..inputs });
            }
        }
        existing
    }

    fn inputs_of_records(&self, query: &Query) -> Vec<RecordInputs> {
        let mut all = Vec::new();
        if self.time.is_some() {
            for interval in self.range.intervals(query, self.now) {
                all.push(RecordInputs { seed: self.seed, interval, time: self.time, depth: 0 });
            }
            return all;
        }
        let time = self.range.requested_from(query).unwrap_or(self.now).min(self.now);
        if time >= DATA_START {
            let interval = Interval::at(time_range::floor(time, MINUTE));
            for index in 0..RECORDS {
                all.push(RecordInputs { seed: self.seed.number(index), interval, time: None, depth: 0 });
            }
        }
        all
    }

    fn record(&self, inputs: RecordInputs, query: &Query, row: usize) -> Value {
        let unit = self.shared.registry.service.time_unit;
        let Some(record) = self.record else { return unknown_record(name_of(self.endpoint), inputs, unit) };
        let values = with_requested(values::record(record, inputs), record, query, row);
        let values = with_time(values, record, inputs, unit);
        groups::with_period(values, record, inputs.interval.start)
    }
}

/// The path of the records in a body; `.` for the body itself.
fn path_of_records(endpoint: &EndpointInfo, registry: Registry) -> &'static str {
    match (endpoint.data, &registry.service.envelope) {
        (Some(path), _) => path,
        (None, Some(envelope)) => envelope.data,
        (None, None) => ".",
    }
}

/// A record for unknown fields: one value, and the time.
fn unknown_record(name: &'static str, inputs: RecordInputs, unit: TimeUnit) -> Value {
    let mut fields = Map::new();
    fields.insert(name.to_owned(), values::any_number(inputs.seed, inputs.interval.end).into());
    if let Some(time) = inputs.time {
        fields.insert(time.to_owned(), values::timestamp(inputs.interval.start, unit));
    }
    Value::Object(fields)
}

/// Sets the fields that have the name of a param to the requested value. Of several requested values, each record has
/// one in turn.
fn with_requested(mut values: Value, record: &RecordInfo, query: &Query, row: usize) -> Value {
    for (index, field) in record.fields.iter().enumerate() {
        let Some(param) = query.params().find(|param| param.wire_name == field.wire_name) else { continue };
        let requested = query.all(param);
        let Some(text) = requested.get(row % requested.len().max(1)) else { continue };
        let slot = match (&mut values, record.layout) {
            (Value::Object(fields), RecordLayout::Object | RecordLayout::Columns | RecordLayout::Named(_)) => {
                fields.get_mut(field.wire_name)
            }
            (Value::Array(items), RecordLayout::Positional) => items.get_mut(index),
            _ => None,
        };
        if let Some(slot) = slot
            && let Some(value) = values::parsed(text, field)
        {
            *slot = value;
        }
    }
    values
}

/// Adds the time of the series to a record, if it is not among the known fields.
fn with_time(mut values: Value, record: &RecordInfo, inputs: RecordInputs, unit: TimeUnit) -> Value {
    if let (Some(time), Value::Object(fields)) = (inputs.time, &mut values)
        && record.layout != RecordLayout::Value
        && !fields.contains_key(time)
    {
        fields.insert(time.to_owned(), values::timestamp(inputs.interval.start, unit));
    }
    values
}

/// The body with the records, the metadata, the status and the facts about the next page.
fn in_envelope(
    registry: Registry,
    data: &str,
    records: Value,
    metadata: Value,
    invented: Option<&str>,
    page_facts: Vec<(&'static str, Value)>,
) -> Value {
    if matches!(data, "" | ".") {
        return records;
    }
    let mut body = Value::Null;
    put(&mut body, &data.replace('*', "all"), records);
    let error_body = &registry.service.error_body;
    let status_path = error_body.code.first().or(error_body.message.first());
    if let (Some(path), Some(success)) = (status_path, error_body.success.first()) {
        put(&mut body, path, success.parse().unwrap_or_else(|_| (*success).into()));
    }
    if let Some(envelope) = &registry.service.envelope
        && let Some(path) = envelope.metadata
    {
        put(&mut body, path, metadata);
    }
    for (path, value) in page_facts {
        put(&mut body, path, value);
    }
    if let Some(part) = invented {
        put(&mut body, MARK, part.into());
    }
    body
}

/// The metadata of a series.
struct Metadata {
    json: Value,
    /// `true` if there is data for the request.
    is_covered: bool,
}

impl Metadata {
    /// For a named type, the first list in the metadata contains the values that the data covers. These are the known
    /// values in the request. If the request contains none, these are all known values, or only the first known value
    /// if no param accepts several values. A second list of the same type contains the unknown values in the request.
    fn of(registry: Registry, query: &Query, seed: Seed) -> Self {
        let inputs = RecordInputs { seed, interval: Interval::at(DATA_START), time: None, depth: 0 };
        let mut fields = Map::new();
        let mut listed_types = Vec::new();
        let mut is_covered = true;
        for field in registry.metadata.fields {
            let name = field.wire_name.to_owned();
            let ValueType::List(ValueType::Named(named)) = field.ty else {
                if !field.optional {
                    fields.insert(name, values::field_value(field, inputs));
                }
                continue;
            };
            let RequestedValues { known, unknown, takes_several } = RequestedValues::of(named, query);
            if !listed_types.contains(&named.name) {
                listed_types.push(named.name);
                is_covered &= !known.is_empty() || unknown.is_empty();
                fields.insert(name, json!(known));
            } else if takes_several || !unknown.is_empty() {
                fields.insert(name, json!(unknown));
            }
        }
        Self { json: Value::Object(fields), is_covered }
    }
}

/// The values of a named type in a request.
struct RequestedValues<'q> {
    known: Vec<&'q str>,
    unknown: Vec<&'q str>,
    /// `true` if a param of the type accepts several values.
    takes_several: bool,
}

impl<'q> RequestedValues<'q> {
    fn of(named: &'static TypeInfo, query: &'q Query) -> Self {
        let mut requested = Vec::new();
        let mut has_param = false;
        let mut takes_several = false;
        for param in query.params() {
            if matches!(param.ty, ValueType::Named(ty) if ty.name == named.name) {
                requested.extend(query.all(param));
                has_param = true;
                takes_several |= param.list_setter.is_some() && param.single_value.is_none();
            }
        }
        let mut all: Vec<_> = known_values(named).collect();
        if requested.is_empty() {
            if has_param && !takes_several {
                all.truncate(1);
            }
            return Self { known: all, unknown: Vec::new(), takes_several };
        }
        let mut known = Vec::new();
        let mut unknown = Vec::new();
        for value in requested {
            if all.is_empty() || all.contains(&value) {
                known.push(value);
            } else {
                unknown.push(value);
            }
        }
        Self { known, unknown, takes_several }
    }
}
