//! Generates the body of the response to a request.
//!
//! The registry defines the layout of the body. Values depend on the seed, the endpoint, the params and the time of
//! their record, but never on the requested time range.

use runtime::Value;
use runtime::registry::{
    BodyInfo, EndpointInfo, ParamInfo, RecordInfo, RecordLayout, Registry, TimeUnit, TypeInfo, ValueType,
};
use serde_json::{Map, json};

use crate::fault::{RequestParams, Target};
use crate::groups;
use crate::query::Query;
use crate::record_pages;
use crate::rejection::put;
use crate::seed::Seed;
use crate::settings::Settings;
use crate::shared::Shared;
use crate::time_range::{self, DATA_START, RangeParams};
use crate::values::{self, Source};

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
    let (registry, Settings { seed, clock, .. }) = (shared.registry, &shared.settings);
    let now = clock.now();
    let params = RangeParams::of(endpoint, registry.service);
    let seed = seed_of(endpoint, query, &params, *seed);
    let source = |seed, interval, time| Source { seed, interval, time, depth: 0 };
    let last_minute = (time_range::floor(now, MINUTE), now);
    match endpoint.body {
        BodyInfo::Series { record, time, .. } => {
            let unit = registry.service.time_unit;
            let (metadata, is_covered) = metadata(registry, query, seed);
            let sources = match time {
                _ if !is_covered => Vec::new(),
                Some(_) => params.intervals(query, now).into_iter().map(|it| source(seed, it, time)).collect(),
                None => match params.from.and_then(|param| query.time(param)).unwrap_or(now).min(now) {
                    ..DATA_START => Vec::new(),
                    time => {
                        let minute = time_range::floor(time, MINUTE);
                        (0..RECORDS).map(|index| source(seed.number(index), (minute, minute), None)).collect()
                    }
                },
            };
            let (name, faults) = (name_of(endpoint), shared.faults());
            let sources = sources.into_iter().filter_map(|source| {
                let seed = faults.of_record(Target::Endpoint(endpoint), sent, source.seed, source.interval, now)?;
                Some(Source { seed, ..source })
            });
            let records = sources.enumerate().map(|(row, source)| match record {
                Some(record) => {
                    let values = with_requested(values::record(record, source), record, query, row);
                    groups::with_period(with_time(values, record, source, unit), record, source.interval.0)
                }
                None => unknown_record(name, source, unit),
            });
            let invented = record.is_none().then_some("fields");
            let mut records: Vec<_> = records.collect();
            let envelope = registry.service.envelope.as_ref();
            let path = endpoint.data.or(envelope.map(|envelope| envelope.data)).unwrap_or(".");
            let mut facts = Vec::new();
            if let Some(pages) = &endpoint.pages {
                let page = record_pages::page(pages, query, records.len(), path_and_query);
                facts = page.facts;
                records.truncate(page.records.end);
                records.drain(..page.records.start);
            }
            let (records, path) = match record {
                Some(record) if groups::has_derived(record) => groups::grouped(record, records, path),
                Some(record) if record.form == RecordLayout::Columns => (groups::columns(record, &records), path),
                _ => (Value::Array(records), path),
            };
            Body { json: in_envelope(registry, path, records, metadata, invented, facts), invented }
        }
        BodyInfo::Object { record, .. } => {
            let values = values::record(record, source(seed, last_minute, None));
            Body { json: with_requested(values, record, query, 0), invented: None }
        }
        BodyInfo::Unknown => {
            let value = values::any_number(seed, last_minute.0);
            Body { json: json!({ name_of(endpoint): value, MARK: "body" }), invented: Some("body") }
        }
    }
}

/// Returns the seed of a response, which depends on all params except the params that select records.
fn seed_of(endpoint: &EndpointInfo, query: &Query, range: &RangeParams, seed: Seed) -> Seed {
    let seed = seed.name(endpoint.path.unwrap_or_default());
    query
        .params()
        .filter(|param| !range.contains(param) && !record_pages::is_page_param(endpoint, param))
        .fold(seed, |seed, param| query.all(param).into_iter().fold(seed.name(param.wire_name), Seed::name))
}

/// Returns a name for an unknown value: the last segment of the path that is not a param.
fn name_of(endpoint: &EndpointInfo) -> &'static str {
    let mut parts = endpoint.path.unwrap_or_default().rsplit('/');
    parts.find(|part| !part.is_empty() && !part.starts_with('{')).unwrap_or("value")
}

/// Returns a record for unknown fields: one value, and the time.
fn unknown_record(name: &'static str, source: Source, unit: TimeUnit) -> Value {
    let mut fields = Map::new();
    fields.insert(name.to_owned(), values::any_number(source.seed, source.interval.1).into());
    if let Some(time) = source.time {
        fields.insert(time.to_owned(), values::timestamp(source.interval.0, unit));
    }
    Value::Object(fields)
}

/// Sets the fields that have the name of a param to the requested value. Of several requested values, each record has
/// one in turn.
fn with_requested(mut values: Value, record: &RecordInfo, query: &Query, row: usize) -> Value {
    for (index, field) in record.fields.iter().enumerate() {
        let Some(param) = query.params().find(|param| param.wire_name == field.wire_name) else { continue };
        let requested = query.all(param);
        let text = requested.get(row % requested.len().max(1));
        let slot = match (&mut values, record.form) {
            (Value::Object(fields), RecordLayout::Object | RecordLayout::Columns) => fields.get_mut(field.wire_name),
            (Value::Array(items), RecordLayout::Positional) => items.get_mut(index),
            _ => None,
        };
        if let (Some(slot), Some(value)) = (slot, text.and_then(|text| values::parsed(text, field))) {
            *slot = value;
        }
    }
    values
}

/// Adds the time of the series to a record, if it is not among the known fields.
fn with_time(mut values: Value, record: &RecordInfo, source: Source, unit: TimeUnit) -> Value {
    if let (RecordLayout::Object | RecordLayout::Columns, Some(time), Value::Object(fields)) =
        (record.form, source.time, &mut values)
        && !fields.contains_key(time)
    {
        fields.insert(time.to_owned(), values::timestamp(source.interval.0, unit));
    }
    values
}

/// Returns the body with the records, the metadata, the status and the facts about the next page.
fn in_envelope(
    registry: Registry,
    data: &str,
    records: Value,
    metadata: Value,
    invented: Option<&str>,
    facts: Vec<(&'static str, Value)>,
) -> Value {
    let envelope = registry.service.envelope.as_ref();
    if matches!(data, "" | ".") {
        return records;
    }
    let mut body = Map::new();
    put(&mut body, &data.replace('*', "all"), records);
    let error_body = &registry.service.error_body;
    if let Some((path, success)) =
        error_body.code.iter().chain(error_body.message).next().zip(error_body.success.first())
    {
        put(&mut body, path, success.parse().unwrap_or_else(|_| (*success).into()));
    }
    if let Some(path) = envelope.and_then(|envelope| envelope.metadata) {
        put(&mut body, path, metadata);
    }
    for (path, value) in facts {
        put(&mut body, path, value);
    }
    if let Some(part) = invented {
        put(&mut body, MARK, part.into());
    }
    groups::with_lists(Value::Object(body))
}

/// Returns the metadata of a series, and `true` if there is data for the request.
///
/// For a named type, the first list in the metadata contains the values that the data covers. These
/// are the known values in the request. If the request contains none, these are all known values, or only the first
/// known value if no param accepts several values. A second list of the same type contains the unknown values in the
/// request.
fn metadata(registry: Registry, query: &Query, seed: Seed) -> (Value, bool) {
    let (mut metadata, mut types, mut is_covered) = (Map::new(), Vec::new(), true);
    for field in registry.metadata.fields {
        let value = if let ValueType::List(ValueType::Named(named)) = field.ty {
            let RequestedValues { known, unknown, takes_several } = RequestedValues::of(named, query);
            if types.contains(&named.name) {
                (takes_several || !unknown.is_empty()).then(|| json!(unknown))
            } else {
                types.push(named.name);
                is_covered &= !known.is_empty() || unknown.is_empty();
                Some(json!(known))
            }
        } else {
            let source = Source { seed, interval: (DATA_START, DATA_START), time: None, depth: 0 };
            (!field.optional).then(|| values::field_value(field, source))
        };
        metadata.extend(value.map(|value| (field.wire_name.to_owned(), value)));
    }
    (Value::Object(metadata), is_covered)
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
        let is_of_type = |param: &&ParamInfo| matches!(param.ty, ValueType::Named(ty) if ty.name == named.name);
        let params = query.params().filter(is_of_type).collect::<Vec<_>>();
        let takes_several = params.iter().any(|param| param.list_setter.is_some() && param.single_value.is_none());
        let all = named.values.iter().map(|value| value.value).collect::<Vec<_>>();
        let requested = params.iter().flat_map(|param| query.all(param)).collect::<Vec<_>>();
        if requested.is_empty() {
            let count = if params.is_empty() || takes_several { all.len() } else { 1 };
            return Self { known: all.into_iter().take(count).collect(), unknown: Vec::new(), takes_several };
        }
        let (known, unknown) = requested.into_iter().partition(|value| all.is_empty() || all.contains(value));
        Self { known, unknown, takes_several }
    }
}
