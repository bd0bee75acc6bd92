//! Decodes responses with a catalogue as it will be, by the decoder of the runtime. What is learned must be decoded, and its
//! numbers must keep their digits.

use indexmap::IndexMap;
use runtime::record::DecodedBody;
use runtime::registry::{BodyInfo, EndpointInfo, FieldSource, Range, RecordInfo, RecordLayout, Registry, ValueType};
use serde_yaml::{Mapping, Value};

use crate::column_names::to_objects;
use crate::exact_numbers;
use crate::refusal::Refusal;
use crate::rounded_numbers::{RoundedNumber, first_rounded};
use crate::saved_response::SavedResponse;
use crate::unix_time::unit_of;

/// The numbers of a field with a range.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RangeCounts {
    pub(crate) values: u64,
    pub(crate) outside: u64,
}

/// The client of a catalogue, as far as it decodes.
pub(crate) struct Gate {
    registry: Registry,
}

impl Gate {
    /// Builds the registry of a catalogue from its files.
    pub(crate) fn of(texts: &[(&str, &str)]) -> Result<Self, Refusal> {
        let api = catalogue::resolve(&catalogue::load_texts(texts)).map_err(Refusal::Catalogue)?;
        Ok(Self { registry: catalogue::registry(&api) })
    }

    /// Returns the reason why the client loses a part of a response; `label` is the group and the method of its endpoint.
    pub(crate) fn check(&self, label: &str, response: &SavedResponse) -> Result<(), String> {
        let Some(endpoint) = self.registry.endpoint(label) else { return Ok(()) };
        let at = &response.origin;
        let decoded = DecodedBody::of(self.registry.service, endpoint, &response.json)
            .map_err(|error| format!("the client cannot decode {at}: {error}"))?;
        if decoded.misfits > 0 {
            return Err(format!("the client loses {} values of {at}, which do not fit their fields", decoded.misfits));
        }
        self.check_metadata(endpoint, response)?;
        for (index, (sent, record)) in self.records(endpoint, response).iter().zip(&decoded.records).enumerate() {
            let written = serde_json::to_string(record).map_err(|error| format!("{at}: {error}"))?;
            let written = exact_numbers::parse(&written).map_err(|error| format!("{at}: {error}"))?;
            let sent = record.info().map_or(Value::Null, |info| exact_part(sent, ValueType::Record(info)));
            if let Some(lost) = lost(&sent, &written, &format!("[{index}]")) {
                return Err(format!("the client changes {at}: {lost}"));
            }
        }
        Ok(())
    }

    /// The first number of a response whose digits the client does not keep, because its type is `any`.
    pub(crate) fn rounded_number(&self, label: &str, response: &SavedResponse) -> Option<RoundedNumber> {
        let endpoint = self.registry.endpoint(label)?;
        let (BodyInfo::Series { record: Some(info), .. } | BodyInfo::Object { record: info, .. }) = endpoint.body
        else {
            return None;
        };
        for record in self.records(endpoint, response) {
            let found = first_rounded(&record, ValueType::Record(info), "");
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Adds the numbers of each field with a range in the records of a response.
    pub(crate) fn count_out_of_range(
        &self,
        label: &str,
        response: &SavedResponse,
        counts: &mut IndexMap<&'static str, RangeCounts>,
    ) {
        let Some(endpoint) = self.registry.endpoint(label) else { return };
        let (BodyInfo::Series { record: Some(info), .. } | BodyInfo::Object { record: info, .. }) = endpoint.body
        else {
            return;
        };
        for record in self.records(endpoint, response) {
            for field in info.fields.iter().filter(|field| field.range != Range::ALL) {
                let number = record.get(field.wire_name).and_then(exact_numbers::text_of);
                let Some(number) = number.and_then(|digits| digits.parse::<f64>().ok()) else { continue };
                let counts = counts.entry(field.wire_name).or_default();
                counts.values += 1;
                counts.outside += u64::from(!field.range.contains(number));
            }
        }
    }

    /// Checks the metadata next to the records of a series.
    fn check_metadata(&self, endpoint: &EndpointInfo, response: &SavedResponse) -> Result<(), String> {
        let envelope = self.registry.service.envelope.as_ref();
        let path = envelope.and_then(|envelope| envelope.metadata);
        let is_series = matches!(endpoint.body, BodyInfo::Series { .. }) && endpoint.data != Some(".");
        let Some(path) = path.filter(|_| is_series) else { return Ok(()) };
        let Some(metadata) = response.at(path).filter(|metadata| metadata.is_mapping()) else { return Ok(()) };
        let text = serde_json::to_string(&untagged(metadata)).map_err(|error| error.to_string())?;
        let read = DecodedBody::of_record(self.registry.metadata, &text);
        let decoded =
            read.map_err(|error| format!("the client cannot decode `{path}` of {}: {error}", response.origin))?;
        if decoded.misfits > 0 {
            return Err(format!("the client loses values in `{path}` of {}", response.origin));
        }
        Ok(())
    }

    /// Returns the records of a response as they were sent; none if the body is unknown.
    fn records(&self, endpoint: &EndpointInfo, response: &SavedResponse) -> Vec<Value> {
        match endpoint.body {
            BodyInfo::Unknown => Vec::new(),
            BodyInfo::Object { .. } => vec![response.body.clone()],
            BodyInfo::Series { .. } => {
                let envelope = self.registry.service.envelope.as_ref();
                let path = endpoint.data.or(envelope.map(|envelope| envelope.data)).unwrap_or(".");
                if let BodyInfo::Series { record: Some(record), .. } = endpoint.body
                    && let RecordLayout::Named(names) = record.form
                {
                    let objects = response.at(path).and_then(|records| to_objects(records, response.at(names)));
                    return objects.and_then(|objects| objects.as_sequence().cloned()).unwrap_or_default();
                }
                match response.at(path) {
                    Some(Value::Sequence(records)) => records.clone(),
                    Some(Value::Mapping(columns)) => records_of(columns),
                    _ => Vec::new(),
                }
            }
        }
    }
}

/// Returns the part of a value whose digits the client keeps. Values of any type are raw JSON, which has the digits of an
/// `f64` and of 64 bits.
fn exact_part(sent: &Value, ty: ValueType) -> Value {
    match (ty, sent) {
        (ValueType::Any, _) => Value::Null,
        (ValueType::Option(item), _) => exact_part(sent, *item),
        (ValueType::List(item), Value::Sequence(items)) => {
            Value::Sequence(items.iter().map(|value| exact_part(value, *item)).collect())
        }
        (ValueType::Map(item), Value::Mapping(entries)) => {
            Value::Mapping(entries.iter().map(|(key, value)| (key.clone(), exact_part(value, *item))).collect())
        }
        (ValueType::Record(info), _) => exact_record(sent, info),
        _ => sent.clone(),
    }
}

fn exact_record(sent: &Value, info: &RecordInfo) -> Value {
    match (info.form, sent) {
        (RecordLayout::Value, _) => info.fields.first().map_or(Value::Null, |field| exact_part(sent, field.ty)),
        (_, Value::Mapping(entries)) => {
            let mut fields = if has_others(info) { entries.clone() } else { Mapping::new() };
            for field in info.fields {
                let other = field.also_named.iter().find_map(|name| entries.get(*name));
                if let Some(value) = entries.get(field.wire_name).or(other) {
                    fields.insert(field.wire_name.into(), exact_part(value, field.ty));
                }
            }
            Value::Mapping(fields)
        }
        (_, Value::Sequence(items)) => {
            let fields = items.iter().zip(info.fields);
            Value::Sequence(fields.map(|(value, field)| exact_part(value, field.ty)).collect())
        }
        _ => sent.clone(),
    }
}

/// `true` if a record has a field for the members that are not listed, which are written back like fields.
fn has_others(info: &RecordInfo) -> bool {
    info.fields.iter().any(|field| field.source == FieldSource::Others)
}

/// Returns the records of columns.
fn records_of(columns: &Mapping) -> Vec<Value> {
    let mut records = Vec::new();
    for (key, column) in columns {
        for (index, value) in column.as_sequence().into_iter().flatten().enumerate() {
            if records.len() <= index {
                records.push(Mapping::new());
            }
            records[index].insert(key.clone(), value.clone());
        }
    }
    records.into_iter().map(Value::Mapping).collect()
}

/// Returns a value without tagged numbers, which are numbers with more digits than the value needs here.
fn untagged(value: &Value) -> Value {
    match value {
        Value::Tagged(_) => exact_numbers::text_of(value).map_or(Value::Null, Value::String),
        Value::Sequence(items) => Value::Sequence(items.iter().map(untagged).collect()),
        Value::Mapping(entries) => {
            Value::Mapping(entries.iter().map(|(key, value)| (key.clone(), untagged(value))).collect())
        }
        other => other.clone(),
    }
}

/// Returns a description of the first value that the client writes back with other digits, or not at all. Texts are not
/// compared, because times are written in one form.
fn lost(sent: &Value, written: &Value, path: &str) -> Option<String> {
    match (sent, written) {
        (Value::Sequence(sent), Value::Sequence(written)) => {
            if sent.len() > written.len() {
                return Some(format!("`{path}` has {} of {} values", written.len(), sent.len()));
            }
            let pairs = sent.iter().zip(written).enumerate();
            pairs.into_iter().find_map(|(index, (sent, written))| lost(sent, written, &format!("{path}[{index}]")))
        }
        (Value::Mapping(sent), Value::Mapping(written)) => sent.iter().find_map(|(key, sent)| {
            let path = format!("{path}.{}", key.as_str().unwrap_or_default());
            match written.get(key) {
                Some(written) => lost(sent, written, &path),
                None if is_nothing(sent) => None,
                None => Some(format!("`{path}` is missing")),
            }
        }),
        _ => {
            let number = exact_numbers::text_of(sent)?;
            match exact_numbers::text_of(written) {
                Some(written) if exact_numbers::are_equal(&number, &written) => None,
                Some(written) if is_rounded_time(&number, &written) => None,
                Some(written) => Some(format!("`{path}` is {number} and becomes {written}")),
                // A time in quotes is written as text.
                None if written.is_string() => None,
                None => Some(format!("`{path}` is {number} and becomes nothing")),
            }
        }
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Sequence(items) => items.is_empty(),
        Value::Mapping(entries) => entries.is_empty(),
        _ => false,
    }
}

/// Returns `true` if a number is a time with a fraction. The client keeps the fraction, and writes whole units.
fn is_rounded_time(number: &str, written: &str) -> bool {
    let whole = number.split('.').next().unwrap_or_default();
    number.contains('.') && whole == written && number.parse().is_ok_and(|number| unit_of(number).is_some())
}
