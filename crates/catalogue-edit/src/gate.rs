//! Decodes responses with a catalogue as it will be, by the decoder of the runtime. What is learned must be decoded, and its
//! numbers must keep their digits.

use indexmap::IndexMap;
use runtime::Timestamp;
use runtime::record::DecodedBody;
use runtime::registry::{
    BodyInfo, EndpointInfo, FieldInfo, HistoryInfo, ParamInfo, Range, RecordInfo, RecordLayout, Registry, ValueType,
};
use serde_yaml::{Mapping, Value};

use crate::exact_numbers;
use crate::history_params::is_named_like_a_step;
use crate::lost_digits::{exact_record, lost, untagged};
use crate::named_records::to_objects;
use crate::record_step::{SeenStep, are_enough, regular_step, step_of};
use crate::refusal::Refusal;
use crate::rounded_numbers::{RoundedNumber, first_rounded};
use crate::saved_response::SavedResponse;
use crate::sent_times::SentTimes;

/// The numbers of a field with a range.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RangeCounts {
    pub(crate) values: u64,
    pub(crate) outside: u64,
}

/// What a response shows about the params of a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HistoryFact {
    /// The response begins with the record at the start of the range.
    StartIncluded,
    /// All records are before the time in the param for the start, so it is the end of the range.
    StartIsEnd,
    /// A param sets the step of the records.
    Step(SentStep),
    /// The records are this far apart, and no param sets a step.
    Every(SeenStep),
    /// The records have no regular step.
    Irregular,
}

/// The value of a param, with the step that it denotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SentStep {
    /// The name of the param.
    pub(crate) param: String,
    pub(crate) value: String,
    pub(crate) seen: SeenStep,
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

    /// Fails with the reason why the client loses a part of a response; `label` is the group and the method of its
    /// endpoint.
    pub(crate) fn check(&self, label: &str, response: &SavedResponse) -> Result<(), String> {
        let Some(endpoint) = self.registry.endpoint(label) else { return Ok(()) };
        let at = &response.origin;
        let decoded = DecodedBody::of(self.registry.service, endpoint, &response.text)
            .map_err(|error| format!("the client cannot decode {at}: {error}"))?;
        if decoded.misfits > 0 {
            return Err(format!("the client loses {} values of {at}, which do not fit their fields", decoded.misfits));
        }
        self.check_metadata(endpoint, response)?;
        let sent = self.records(endpoint, response);
        for (index, (sent, record)) in sent.iter().zip(&decoded.records).enumerate() {
            let written = serde_json::to_string(record).map_err(|error| format!("{at}: {error}"))?;
            let written = exact_numbers::parse(&written).map_err(|error| format!("{at}: {error}"))?;
            let Some(info) = record.info() else { continue };
            if let Some(lost) = lost(&exact_record(sent, info), &written, &format!("[{index}]")) {
                return Err(format!("the client changes {at}: {lost}"));
            }
        }
        Ok(())
    }

    /// The first number of a response whose digits the client does not keep, because its type is `any`.
    pub(crate) fn rounded_number(&self, label: &str, response: &SavedResponse) -> Option<RoundedNumber> {
        let endpoint = self.registry.endpoint(label)?;
        let info = record_of(endpoint)?;
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
        let Some(info) = record_of(endpoint) else { return };
        for record in self.records(endpoint, response) {
            for field in info.fields {
                if field.range == Range::ALL {
                    continue;
                }
                let Some(number) = number_of(&record, field) else { continue };
                let counts = counts.entry(field.wire_name).or_default();
                counts.values += 1;
                counts.outside += u64::from(!field.range.contains(number));
            }
        }
    }

    /// What the times of the records show about the params of their request.
    pub(crate) fn history_facts(&self, label: &str, response: &SavedResponse, sent: &SentTimes) -> Vec<HistoryFact> {
        let mut facts = Vec::new();
        let Some(endpoint) = self.registry.endpoint(label) else { return facts };
        let Some(history) = endpoint.history(self.registry.service) else { return facts };
        let times = self.times(endpoint, response);
        facts.extend(start_of_range(endpoint, history, &times, response, sent));
        if history.every.is_none() {
            facts.extend(fact_of_step(endpoint, &times, response, sent));
        }
        facts
    }

    /// The times of the records of a response; none if the client cannot decode it.
    fn times(&self, endpoint: &EndpointInfo, response: &SavedResponse) -> Vec<Timestamp> {
        let BodyInfo::Series { time: Some(time), .. } = endpoint.body else { return Vec::new() };
        let Ok(decoded) = DecodedBody::of(self.registry.service, endpoint, &response.text) else { return Vec::new() };
        decoded.records.iter().filter_map(|record| record.value(time)?.timestamp()).collect()
    }

    /// Checks the metadata next to the records of a series.
    fn check_metadata(&self, endpoint: &EndpointInfo, response: &SavedResponse) -> Result<(), String> {
        let Some(path) = self.metadata_path(endpoint) else { return Ok(()) };
        let Some(metadata) = response.at(path) else { return Ok(()) };
        if !metadata.is_mapping() {
            return Ok(());
        }
        let text = serde_json::to_string(&untagged(metadata)).map_err(|error| error.to_string())?;
        let decoded = DecodedBody::of_record(self.registry.metadata, &text)
            .map_err(|error| format!("the client cannot decode `{path}` of {}: {error}", response.origin))?;
        if decoded.misfits > 0 {
            return Err(format!("the client loses values in `{path}` of {}", response.origin));
        }
        Ok(())
    }

    /// The path of the metadata, if the body is a series with the envelope.
    fn metadata_path(&self, endpoint: &EndpointInfo) -> Option<&'static str> {
        let is_series = matches!(endpoint.body, BodyInfo::Series { .. });
        if !is_series || endpoint.data == Some(".") {
            return None;
        }
        self.registry.service.envelope.as_ref()?.metadata
    }

    /// The records of a response as they were sent; none if the body is unknown.
    fn records(&self, endpoint: &EndpointInfo, response: &SavedResponse) -> Vec<Value> {
        match endpoint.body {
            BodyInfo::Unknown => Vec::new(),
            BodyInfo::Object { .. } => vec![response.body.clone()],
            BodyInfo::Series { .. } => self.records_of_series(endpoint, response),
        }
    }

    fn records_of_series(&self, endpoint: &EndpointInfo, response: &SavedResponse) -> Vec<Value> {
        let of_envelope = self.registry.service.envelope.as_ref().map(|envelope| envelope.data);
        let path = endpoint.data.or(of_envelope).unwrap_or(".");
        let Some(sent) = response.at(path) else { return Vec::new() };
        if let Some(info) = record_of(endpoint)
            && let RecordLayout::Named(names) = info.layout
        {
            return match to_objects(sent, response.at(names)) {
                Some(Value::Sequence(records)) => records,
                _ => Vec::new(),
            };
        }
        match sent {
            Value::Sequence(records) => records.clone(),
            Value::Mapping(columns) => records_of(columns),
            _ => Vec::new(),
        }
    }
}

/// What the times of the records show about the start of the range.
fn start_of_range(
    endpoint: &EndpointInfo,
    history: &HistoryInfo,
    times: &[Timestamp],
    response: &SavedResponse,
    sent: &SentTimes,
) -> Option<HistoryFact> {
    let start = sent_time(endpoint, history.from, response, sent)?;
    let (first, last) = (times.iter().min()?, times.iter().max()?);
    let end = sent_time(endpoint, history.to, response, sent);
    let is_before = match end {
        Some(end) => end < start && end <= *first && *last <= start,
        // A single record may be that of the interval in which the range begins.
        None => first < last && *last < start,
    };
    let is_range = *last > start || end.is_some_and(|end| end >= start);
    if is_before {
        Some(HistoryFact::StartIsEnd)
    } else if *first == start && is_range {
        Some(HistoryFact::StartIncluded)
    } else {
        None
    }
}

/// What the times of records show about their step. The step of an endpoint with a param for it depends on the param.
fn fact_of_step(
    endpoint: &EndpointInfo,
    times: &[Timestamp],
    response: &SavedResponse,
    sent: &SentTimes,
) -> Option<HistoryFact> {
    if let Some(sent) = sent_step(endpoint, times, response, sent) {
        return Some(HistoryFact::Step(sent));
    }
    let has_param = endpoint.params().any(may_be_step);
    if has_param || !are_enough(times) {
        return None;
    }
    Some(regular_step(times).map_or(HistoryFact::Irregular, HistoryFact::Every))
}

/// The first param of a request that sets the step of the records.
fn sent_step(
    endpoint: &EndpointInfo,
    times: &[Timestamp],
    response: &SavedResponse,
    sent: &SentTimes,
) -> Option<SentStep> {
    for param in endpoint.params() {
        let name = param.wire_name;
        if may_be_step(param)
            && let Some(value) = sent.text(&response.origin, name)
            && let Some(seen) = step_of(value, times)
        {
            return Some(SentStep { param: name.to_owned(), value: value.to_owned(), seen });
        }
    }
    None
}

/// `true` if a param may set the step of a series. An end of a range can have such a name too, as in `period_start`.
fn may_be_step(param: &ParamInfo) -> bool {
    is_named_like_a_step(param.wire_name) && !matches!(param.ty, ValueType::Timestamp(_))
}

/// The first time in a param of the request of a response. The value can have both ends of a range.
fn sent_time(endpoint: &EndpointInfo, param: &str, response: &SavedResponse, sent: &SentTimes) -> Option<Timestamp> {
    let param = endpoint.param(param)?;
    let ValueType::Timestamp(unit) = param.ty else { return None };
    let text = sent.text(&response.origin, param.wire_name)?;
    unit.read(text).or_else(|| unit.read(text.split(':').next()?))
}

/// The record of a body that is a series or an object.
fn record_of(endpoint: &EndpointInfo) -> Option<&'static RecordInfo> {
    match endpoint.body {
        BodyInfo::Series { record, .. } => record,
        BodyInfo::Object { record, .. } => Some(record),
        BodyInfo::Unknown => None,
    }
}

/// The number in a field of a record.
fn number_of(record: &Value, field: &FieldInfo) -> Option<f64> {
    let digits = exact_numbers::text_of(record.get(field.wire_name)?)?;
    digits.parse().ok()
}

/// The records of columns.
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
