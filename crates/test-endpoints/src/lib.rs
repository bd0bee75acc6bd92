//! Selects the endpoints, params and values that the tests of command lines use, so that the tests work with any catalogue.

#![allow(clippy::missing_panics_doc, clippy::unwrap_used, reason = "a test may panic")]

use std::sync::LazyLock;

use generated_client::registry::{
    BodyInfo, EndpointInfo, FieldInfo, HistoryInfo, ParamInfo, ParamLocation, Step, TypeInfo, ValueType,
};
use generated_client::{Client, GROUPS, REGISTRY, SERVICE, Timestamp};

/// An endpoint with a history that needs two params: the interval, and a key such as a coin.
#[derive(Debug)]
pub struct Metric {
    /// The endpoint in the registry.
    pub endpoint: &'static EndpointInfo,
    /// The name of the endpoint on the command line.
    pub name: &'static str,
    /// The path of the endpoint.
    pub path: &'static str,
    /// The field with the time of a record.
    pub time: &'static str,
    /// How the history is requested.
    pub history: &'static HistoryInfo,
    /// The param whose values select a series.
    pub key: &'static ParamInfo,
    /// The option of the key.
    pub key_option: &'static str,
    /// Two known values of the key.
    pub keys: [&'static str; 2],
    /// Both values as one argument, separated by a comma.
    pub both: &'static str,
    intervals: &'static TypeInfo,
    fields: &'static [FieldInfo],
}

static METRICS: LazyLock<Vec<Metric>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for endpoint in endpoints() {
        all.extend(Metric::of(endpoint));
    }
    // A metric with few fields is used, because a table of its records fits a terminal.
    all.sort_by_key(|metric| metric.fields.len());
    let time = all[0].time;
    let key = all[0].key.wire_name;
    let step = all[0].history.step;
    all.retain(|other| other.time == time && other.key.wire_name == key && other.history.step == step);
    all
});

/// Returns a metric whose records have few fields.
pub fn metric() -> &'static Metric {
    &METRICS[0]
}

/// Returns a metric with the same params as [`metric`].
pub fn other_metric() -> &'static Metric {
    &METRICS[1]
}

/// Returns an endpoint that has no required param, and whose response is not a table.
pub fn object() -> &'static EndpointInfo {
    endpoints().find(|endpoint| is_object(endpoint)).unwrap()
}

fn is_object(endpoint: &EndpointInfo) -> bool {
    let is_complete = endpoint.params().all(|param| param.required.is_none());
    let is_table = matches!(endpoint.body, BodyInfo::Series { .. } | BodyInfo::Object { .. });
    is_complete && !is_table && endpoint.path.is_some() && is_unique(endpoint)
}

/// Returns all endpoints of the registry.
pub fn endpoints() -> impl Iterator<Item = &'static EndpointInfo> {
    let mut all = Vec::new();
    for group in GROUPS {
        all.extend_from_slice(group.endpoints);
    }
    all.into_iter()
}

/// Returns the option of a param, for example `--start-time` for `startTime`.
pub fn option(param: &str) -> &'static str {
    let mut option = "--".to_owned();
    for character in param.chars() {
        if character == '_' || character.is_uppercase() {
            option.push('-');
        }
        if character != '_' {
            option.extend(character.to_lowercase());
        }
    }
    option.leak()
}

/// Returns the known values of a param.
pub fn values(param: &ParamInfo) -> impl Iterator<Item = &'static str> + use<> {
    let mut values = Vec::new();
    if let ValueType::Named(named) = param.ty {
        for known in named.values {
            values.push(known.value);
        }
    }
    values.into_iter()
}

/// Whether the type of a param occurs in the metadata of a response.
fn is_in_metadata(param: &ParamInfo) -> bool {
    let ValueType::Named(named) = param.ty else { return false };
    for field in REGISTRY.metadata.fields {
        if matches!(field.ty, ValueType::List(ValueType::Named(other)) if other.name == named.name) {
            return true;
        }
    }
    false
}

fn is_unique(endpoint: &EndpointInfo) -> bool {
    endpoints().filter(|other| other.ident == endpoint.ident).count() == 1
}

/// Whether other values of a param than the known ones are accepted.
fn is_open(param: &ParamInfo) -> bool {
    matches!(param.ty, ValueType::Named(named) if named.open)
}

impl Metric {
    /// The metric of an endpoint, if the endpoint has what a metric needs.
    fn of(endpoint: &'static EndpointInfo) -> Option<Self> {
        let BodyInfo::Series { record: Some(record), time: Some(time), .. } = endpoint.body else { return None };
        let history = endpoint.history(&SERVICE)?;
        let required: Vec<_> = endpoint.params().filter(|param| param.required.is_some()).collect();
        let key = match required.as_slice() {
            [key, step] if step.wire_name == history.step => *key,
            [step, key] if step.wire_name == history.step => *key,
            _ => return None,
        };
        let ValueType::Named(intervals) = endpoint.param(history.step)?.ty else { return None };
        let is_simple = endpoint.params().all(|param| param.location == ParamLocation::Query);
        let has_number = record.fields.iter().any(|field| matches!(field.ty, ValueType::Number));
        if !(is_simple && has_number && is_open(key) && is_unique(endpoint)) {
            return None;
        }
        let mut values = values(key);
        let keys = [values.next()?, values.next()?];
        Some(Self {
            endpoint,
            name: endpoint.ident,
            path: endpoint.path?,
            time,
            history,
            key,
            key_option: option(key.wire_name),
            keys,
            both: keys.join(",").leak(),
            intervals,
            fields: record.fields,
        })
    }

    /// Returns the param value for an interval of this many seconds.
    pub fn step(&self, seconds: u64) -> &'static str {
        let step = Some(Step::seconds(seconds));
        self.intervals.values.iter().find(|value| value.step == step).unwrap().value
    }

    /// Returns the arguments that request one series for each of these keys, with an interval of this many seconds.
    pub fn args(&self, keys: &'static str, seconds: u64) -> Vec<&'static str> {
        vec![self.name, self.key_option, keys, option(self.history.step), self.step(seconds)]
    }

    /// Returns the arguments of one hourly series.
    pub fn hourly(&self) -> Vec<&'static str> {
        self.args(self.keys[0], 3600)
    }

    /// Returns the arguments of two hourly series.
    pub fn two_hourly(&self) -> Vec<&'static str> {
        self.args(self.both, 3600)
    }

    /// Returns the names of the fields without the time.
    pub fn fields(&self) -> impl Iterator<Item = &'static str> {
        let mut names = Vec::new();
        for field in self.fields {
            if field.wire_name != self.time {
                names.push(field.wire_name);
            }
        }
        names.into_iter()
    }

    /// Returns an accepted page size, as an argument.
    pub fn page_size(&self) -> &'static str {
        let limit = self.endpoint.param(self.history.limit).unwrap();
        match limit.allowed_values.first() {
            Some(size) => size,
            None => "5",
        }
    }

    /// Returns the number of requests for the history of one hourly series.
    pub fn requests(&self, from: &str, to: &str) -> u64 {
        let client = Client::builder("http://localhost/v2").api_key("any").build().unwrap();
        let request = client.endpoint(self.endpoint).query(self.key.wire_name, self.keys[0]);
        let request = request.query(self.history.step, self.step(3600));
        let from: Timestamp = from.parse().unwrap();
        let to: Timestamp = to.parse().unwrap();
        request.history(from..to).plan().unwrap().requests
    }

    /// Returns an option and a value for which the sandbox has no records. The option sets a param whose type occurs in
    /// the metadata of a response.
    pub fn without_records(&self) -> [&'static str; 2] {
        [option(self.param_in_metadata().wire_name), "none"]
    }

    /// Returns the same option with two values, of which the sandbox does not support the second.
    pub fn partly_supported(&self) -> [&'static str; 2] {
        let param = self.param_in_metadata();
        [option(param.wire_name), format!("{}+none", values(param).next().unwrap()).leak()]
    }

    fn param_in_metadata(&self) -> &'static ParamInfo {
        let mut params = self.endpoint.params();
        params.find(|param| param.wire_name != self.key.wire_name && is_in_metadata(param)).unwrap()
    }

    /// Returns a param with an open type whose values are long enough for a suggestion.
    pub fn open_param(&self) -> &'static ParamInfo {
        let mut params = self.endpoint.params();
        params.find(|param| is_open(param) && matches!(values(param).next(), Some(value) if value.len() > 5)).unwrap()
    }

    /// Returns the option of a param that only other endpoints accept.
    pub fn foreign_option(&self) -> &'static str {
        let mut params = endpoints().flat_map(EndpointInfo::params);
        let foreign =
            params.find(|param| self.endpoint.param(param.wire_name).is_none() && param.const_value.is_none());
        option(foreign.unwrap().wire_name)
    }
}
