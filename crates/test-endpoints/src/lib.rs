//! Selects the endpoints, params and values that the tests of command lines use, so that the tests work with any catalogue.

#![allow(clippy::missing_panics_doc, clippy::unwrap_used, reason = "a test may panic")]

use std::sync::LazyLock;

use generated_client::registry::{
    BodyInfo, EndpointInfo, FieldInfo, HistoryInfo, ParamInfo, ParamLocation, Step, TypeInfo, ValueType,
};
use generated_client::{Client, GROUPS, REGISTRY, SERVICE};

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
    let mut all: Vec<_> = endpoints().filter_map(of_endpoint).collect();
    // A metric with few fields is used, because a table of its records fits a terminal.
    all.sort_by_key(|metric| metric.fields.len());
    let first = &all[0];
    let (time, key, step) = (first.time, first.key.wire_name, first.history.step);
    all.retain(|other| (other.time, other.key.wire_name, other.history.step) == (time, key, step));
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
    let mut all = endpoints();
    all.find(|endpoint| {
        let is_complete = endpoint.params().all(|param| param.required.is_none());
        let is_table = matches!(endpoint.body, BodyInfo::Series { .. } | BodyInfo::Object { .. });
        is_complete && !is_table && endpoint.path.is_some() && is_unique(endpoint)
    })
    .unwrap()
}

/// Returns all endpoints of the registry.
pub fn endpoints() -> impl Iterator<Item = &'static EndpointInfo> {
    GROUPS.iter().flat_map(|group| group.endpoints.iter().copied())
}

/// Returns the option of a param, for example `--start-time` for `startTime`.
pub fn option(param: &str) -> &'static str {
    let kebab = |character: char| match character {
        '_' => "-".to_owned(),
        upper if upper.is_uppercase() => format!("-{}", upper.to_lowercase()),
        other => other.to_string(),
    };
    format!("--{}", param.chars().map(kebab).collect::<String>()).leak()
}

/// Returns the known values of a param.
pub fn values(param: &ParamInfo) -> impl Iterator<Item = &'static str> + use<> {
    let named = if let ValueType::Named(named) = param.ty { named.values } else { &[] };
    named.iter().map(|value| value.value)
}

fn is_unique(endpoint: &EndpointInfo) -> bool {
    endpoints().filter(|other| other.ident == endpoint.ident).count() == 1
}

/// Returns the metric of an endpoint, if the endpoint has what a [`Metric`] needs.
fn of_endpoint(endpoint: &'static EndpointInfo) -> Option<Metric> {
    let BodyInfo::Series { record: Some(record), time: Some(time), .. } = endpoint.body else { return None };
    let (history, path) = (endpoint.history(&SERVICE)?, endpoint.path?);
    let params = || endpoint.params();
    let required: Vec<_> = params().filter(|param| param.required.is_some()).collect();
    let [key] = *required.iter().filter(|param| param.wire_name != history.step).collect::<Vec<_>>() else {
        return None;
    };
    let intervals = match endpoint.param(history.step)?.ty {
        ValueType::Named(named) if required.len() == 2 => named,
        _ => return None,
    };
    let is_number = |field: &FieldInfo| matches!(field.ty, ValueType::Number);
    let is_open = matches!(key.ty, ValueType::Named(named) if named.open);
    let is_simple = params().all(|param| param.location == ParamLocation::Query) && record.fields.iter().any(is_number);
    if !(is_simple && is_open && is_unique(endpoint)) {
        return None;
    }
    let keys = [values(key).next()?, values(key).nth(1)?];
    let (name, key_option, both) = (endpoint.ident, option(key.wire_name), keys.join(",").leak());
    Some(Metric { endpoint, name, path, time, history, key, key_option, keys, both, intervals, fields: record.fields })
}

impl Metric {
    /// Returns the param value for an interval of this many seconds.
    pub fn step(&self, seconds: u64) -> &'static str {
        let is_this = |length: std::time::Duration| length.as_secs() == seconds;
        self.intervals.values.iter().find(|value| value.step.and_then(Step::length).is_some_and(is_this)).unwrap().value
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
        self.fields.iter().map(|field| field.wire_name).filter(|name| *name != self.time)
    }

    /// Returns an accepted page size, as an argument.
    pub fn page_size(&self) -> &'static str {
        let limit = self.endpoint.param(self.history.limit).unwrap();
        limit.allowed_values.first().copied().unwrap_or("5")
    }

    /// Returns the number of requests for the history of one hourly series.
    pub fn requests(&self, from: &str, to: &str) -> u64 {
        let client = Client::builder("http://localhost/v2").api_key("any").build().unwrap();
        let request = client.endpoint(self.endpoint).query(self.key.wire_name, self.keys[0]);
        let request = request.query(self.history.step, self.step(3600));
        let [from, to] = [from, to].map(|time| time.parse::<generated_client::Timestamp>().unwrap());
        request.history(from..to).plan().unwrap().requests
    }

    /// Returns an option and a value for which the sandbox has no records. The option sets a param whose type occurs in
    /// the metadata of a response.
    pub fn without_records(&self) -> [&'static str; 2] {
        let is_in_metadata =
            |param: &&ParamInfo| match param.ty {
                ValueType::Named(named) => REGISTRY.metadata.fields.iter().any(
                    |field| matches!(field.ty, ValueType::List(ValueType::Named(other)) if other.name == named.name),
                ),
                _ => false,
            };
        let mut params = self.endpoint.params();
        let is_other = |param: &&ParamInfo| param.wire_name != self.key.wire_name;
        [option(params.find(|param| is_other(param) && is_in_metadata(param)).unwrap().wire_name), "none"]
    }

    /// Returns a param with an open type whose values are long enough for a suggestion.
    pub fn open_param(&self) -> &'static ParamInfo {
        let is_open = |param: &&ParamInfo| matches!(param.ty, ValueType::Named(named) if named.open);
        let mut params = self.endpoint.params().filter(is_open);
        params.find(|param| values(param).next().is_some_and(|value| value.len() > 5)).unwrap()
    }

    /// Returns the option of a param that only other endpoints accept.
    pub fn foreign_option(&self) -> &'static str {
        let mut params = endpoints().flat_map(EndpointInfo::params);
        let is_foreign = |param: &&ParamInfo| self.endpoint.param(param.wire_name).is_none();
        option(params.find(|param| is_foreign(param) && param.const_value.is_none()).unwrap().wire_name)
    }
}
