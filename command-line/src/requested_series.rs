//! The series to request: every endpoint with every combination of the values on the command line.
//!
//! Values are checked against the registry, and each series gets a label that distinguishes it from the others. Nothing
//! is sent here.

use std::path::Path;
use std::time::Duration;

use runtime::Timestamp;
use runtime::registry::{EndpointInfo, HistoryInfo, ParamInfo, ValueType};

use crate::endpoint_names::{self, Endpoint};
use crate::failure::{Failure, Result};
use crate::log::Log;
use crate::param_options::{Params, kebab, option, range_params, splits};
use crate::program;
use crate::suggest;
use crate::time_arg;

/// One endpoint with one value for each param.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    pub(crate) endpoint: Target,
    /// The name of each param in the API, and its value.
    pub(crate) values: Vec<(String, ParamValue)>,
}

/// The target of a request: an endpoint of the catalogue, or any other path.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) known: Option<Endpoint>,
}

/// The value of a param.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ParamValue {
    Text(String),
    /// Several values that belong to one series.
    Several(Vec<String>),
    Time(Timestamp),
}

impl Target {
    /// Finds the endpoint of a name or path. A path that is not in the catalogue is accepted.
    pub(crate) fn find(written: &str) -> Result<Self> {
        let written = written.trim();
        match endpoint_names::find_known(written) {
            Err(_) if written.starts_with('/') && !Path::new(written).exists() => {
                Ok(Self { name: written.to_owned(), known: None })
            }
            found => found.map(|endpoint| Self { name: endpoint_names::name(endpoint), known: Some(endpoint) }),
        }
    }

    /// Returns the params of its history; `None` if it has none.
    pub(crate) fn history(&self) -> Option<&'static HistoryInfo> {
        self.known.and_then(endpoint_names::history)
    }
}

impl PartialEq for Target {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl ParamValue {
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Several(values) => values.join("+"),
            Self::Time(time) => time_arg::shown(*time),
        }
    }
}

impl Series {
    pub(crate) fn value(&self, wire_name: &str) -> Option<&ParamValue> {
        self.values.iter().find(|(name, _)| name == wire_name).map(|(_, value)| value)
    }
}

/// Returns every endpoint with every combination of values, in the given order.
pub(crate) fn combine(targets: &[Target], params: &Params, log: Log) -> Result<Vec<Series>> {
    every_param_is_accepted(targets, params)?;
    if let Some(twice) = targets.iter().enumerate().find(|(index, target)| targets[..*index].contains(target)) {
        return Err(Failure::usage(format!("`{}` is listed twice", twice.1.name)));
    }
    let mut all = Vec::new();
    for target in targets {
        let mut of_target = vec![Series { endpoint: target.clone(), values: Vec::new() }];
        for (name, values) in &params.known {
            let info = target.known.and_then(|endpoint| endpoint.param(name));
            let given = match (target.known, info) {
                (Some(endpoint), Some(info)) => {
                    values.iter().map(|value| read(endpoint, info, value, log)).collect::<Result<Vec<_>>>()?
                }
                (Some(_), None) => continue,
                (None, _) => values.iter().cloned().map(ParamValue::Text).collect(),
            };
            if let Some(twice) = given.iter().enumerate().find(|(index, value)| given[..*index].contains(value)) {
                return Err(Failure::usage(format!("`{}` is listed twice for `{name}`", twice.1.shown())));
            }
            of_target = times(&of_target, name, &given);
        }
        for (name, value) in &params.passed_on {
            of_target = times(&of_target, name, &[ParamValue::Text(value.clone())]);
        }
        all.append(&mut of_target);
    }
    all.iter().try_for_each(ends_after_its_start)?;
    warn_of_missing_params(targets, params, log);
    Ok(all)
}

/// Returns a copy of every series for each of these values.
fn times(series: &[Series], name: &str, values: &[ParamValue]) -> Vec<Series> {
    let with = |one: &Series, value: &ParamValue| {
        let mut one = one.clone();
        // A later value replaces an earlier value, so `--param` overrides the option of the same param.
        one.values.retain(|(other, _)| other != name);
        one.values.push((name.to_owned(), value.clone()));
        one
    };
    series.iter().flat_map(|one| values.iter().map(move |value| with(one, value))).collect()
}

/// Rejects a param that none of the endpoints accepts. A param that some endpoints accept is set on those endpoints.
fn every_param_is_accepted(targets: &[Target], params: &Params) -> Result<()> {
    let accepts = |target: &Target, name: &str| target.known.is_none_or(|endpoint| endpoint.param(name).is_some());
    for (name, _) in &params.known {
        if targets.iter().any(|target| accepts(target, name)) {
            continue;
        }
        let names: Vec<_> = targets.iter().map(|target| target.name.as_str()).collect();
        let options = |endpoint: Endpoint| {
            endpoint.params.unwrap_or_default().iter().map(|info| option(endpoint, info.wire_name))
        };
        let mut known: Vec<_> = targets.iter().filter_map(|target| target.known).flat_map(options).collect();
        known.dedup();
        let accepted = if known.is_empty() { "no params".to_owned() } else { known.join(", ") };
        return Err(Failure::usage(format!("`--{}` is not a param of {}", kebab(name), alternatives(&names)))
            .help(format!("accepted: {accepted}"))
            .help(format!("`--param {name}=VALUE` sends it anyway")));
    }
    Ok(())
}

/// Warns about missing params that are probably required. A missing param is not an error, because the service decides
/// whether to reject the request.
fn warn_of_missing_params(targets: &[Target], params: &Params, log: Log) {
    for endpoint in targets.iter().filter_map(|target| target.known) {
        for info in endpoint.params.unwrap_or_default().iter() {
            let is_omitted = info.const_value.is_none() && info.default.is_none() && !params.has(info.wire_name);
            if info.required.is_some_and(|evidence| is_omitted && !evidence.is_enforced()) {
                let (name, option) = (endpoint_names::name(endpoint), kebab(info.wire_name));
                log.warning(&format!("`--{option}` is probably required by {name} but was not given"));
            }
        }
    }
}

/// Rejects a range that ends before its start, because the service would return no records and no error.
fn ends_after_its_start(series: &Series) -> Result<()> {
    let Some(info) = series.endpoint.history().or(program::service().history.as_ref()) else { return Ok(()) };
    match (series.value(info.from), series.value(info.to)) {
        (Some(ParamValue::Time(from)), Some(ParamValue::Time(to))) if to < from => {
            let [from, to] = [from, to].map(|time| time_arg::shown(*time));
            Err(Failure::usage(format!("`--to {to}` is before `--from {from}`")))
        }
        _ => Ok(()),
    }
}

/// Parses the value of a param, and checks it for an endpoint.
fn read(endpoint: &EndpointInfo, info: &ParamInfo, value: &str, log: Log) -> Result<ParamValue> {
    if matches!(info.ty, ValueType::Timestamp(_)) {
        let time = time_arg::timestamp(value)
            .map_err(|error| Failure::usage(format!("invalid `{}` `{value}`: {error}", info.wire_name)))?;
        return Ok(ParamValue::Time(time));
    }
    let several = several(info, value);
    if several.contains(&"") {
        return Err(Failure::usage(format!("`{}` has an empty value in `{value}`", info.wire_name)));
    }
    for one in &several {
        check(endpoint, info, one, log)?;
    }
    Ok(match several.as_slice() {
        [one] => ParamValue::Text((*one).to_owned()),
        _ => ParamValue::Several(several.into_iter().map(str::to_owned).collect()),
    })
}

/// Returns the values of a param that one value of an option joins, as the service writes them.
fn several<'v>(info: &ParamInfo, value: &'v str) -> Vec<&'v str> {
    // `+` joins values only for a param that accepts a list.
    let joins = info.list_setter.is_some() && splits(info);
    let all = if joins { value.split('+').collect() } else { vec![value] };
    all.into_iter().map(|one| as_known(info, one.trim())).collect()
}

/// Returns the value of an option in the form that files have.
pub(crate) fn stored_value(info: &ParamInfo, value: &str) -> String {
    several(info, value).join(",")
}

/// Returns the known value that equals this value except for upper and lower case, or else the value.
fn as_known<'v>(info: &ParamInfo, value: &'v str) -> &'v str {
    let ValueType::Named(ty) = info.ty else { return value };
    let known = || ty.values.iter().map(|known| known.value);
    if known().any(|known| known == value) {
        return value;
    }
    known().find(|known| known.eq_ignore_ascii_case(value)).unwrap_or(value)
}

/// Warns about a value that the service may reject. If all valid values are documented, any other value is an error.
fn check(endpoint: &EndpointInfo, info: &ParamInfo, value: &str, log: Log) -> Result<()> {
    let (name, param) = (endpoint_names::name(endpoint), info.wire_name);
    let option = || format!("`--{} {value}`", kebab(param));
    if !info.allowed_values.is_empty() && !info.allowed_values.contains(&value) {
        let accepted = info.allowed_values.join(", ");
        log.warning(&format!("{} may be rejected; known accepted values: {accepted}; sending it anyway", option()));
    }
    let ValueType::Named(ty) = info.ty else { return Ok(()) };
    let known: Vec<&str> = ty.values.iter().map(|value| value.value).collect();
    if known.is_empty() || known.contains(&value) {
        if info.rejected_values.contains(&value) {
            log.warning(&format!("{} is probably rejected by {name}", option()));
        }
        return Ok(());
    }
    let is_documented = info.evidence.is_enforced() && ty.values.iter().any(|value| value.evidence.is_enforced());
    let help = suggest::help(value, known.iter().copied());
    if !ty.open && is_documented {
        let expected = alternatives(&known);
        return Err(Failure::usage(format!("invalid `{param}` `{value}` for {name} (expected {expected})"))
            .help_if(help)
            .help(format!("`--param {param}={value}` sends it anyway")));
    }
    // Almost any short text resembles one of many short values, so it gets no suggestion.
    if let Some(help) = help.filter(|_| value.len() > 5 || !ty.open) {
        log.warning(&format!("unknown value {}; {help} Sending it anyway", option()));
    }
    Ok(())
}

/// Formats a list such as `a, b or c`.
fn alternatives(all: &[impl AsRef<str>]) -> String {
    let words: Vec<&str> = all.iter().map(AsRef::as_ref).collect();
    match words.as_slice() {
        [before @ .., last] if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        _ => words.concat(),
    }
}

/// Returns a short label for each series, with the values in which the series differ.
pub(crate) fn labels(series: &[Series]) -> Vec<String> {
    let names = differing(series);
    let several = series.iter().any(|one| one.endpoint != series[0].endpoint);
    let label = |one: &Series| {
        let mut words: Vec<String> = Vec::new();
        if several || names.is_empty() {
            words.push(one.endpoint.name.clone());
        }
        words.extend(names.iter().filter_map(|name| one.value(name)).map(ParamValue::shown));
        words.join(" ")
    };
    series.iter().map(label).collect()
}

/// Returns the names of the params whose values differ among the series. The order is that of the values in a series.
pub(crate) fn differing(series: &[Series]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, value) in series.iter().flat_map(|one| &one.values) {
        if !names.contains(name) && series.iter().any(|one| one.value(name).is_some_and(|other| other != value)) {
            names.push(name.clone());
        }
    }
    names
}

/// Returns every endpoint with every combination of values, if all of them have a history, which sets the range.
pub(crate) fn of_histories(endpoints: &[String], params: &Params, log: Log) -> Result<Vec<Series>> {
    if let Some(name) = program::service().history.iter().flat_map(range_params).find(|name| params.has(name)) {
        let message = format!("the command sets `{name}` for every page");
        return Err(Failure::usage(message).help("use `--from` and `--to`"));
    }
    let targets = endpoints.iter().map(|name| must_have_history(name)).collect::<Result<Vec<_>>>()?;
    combine(&targets, params, log)
}

/// Finds an endpoint by name or path. Returns an error if it has no history.
pub(crate) fn must_have_history(written: &str) -> Result<Target> {
    let target = Target::find(written)?;
    if target.history().is_some() {
        return Ok(target);
    }
    let failure = Failure::usage(format!("{} has no known history", target.name));
    Err(failure.help(format!("`{} list --history` lists the endpoints with a history", program::name())))
}

/// Notes the endpoints that have no records as old as the start of a range.
pub(crate) fn note_oldest(series: &[Series], from: Timestamp, log: Log) {
    let mut targets: Vec<&Target> = series.iter().map(|one| &one.endpoint).collect();
    targets.dedup();
    for target in targets {
        let oldest = target.history().and_then(|info| info.oldest);
        if let Some(begin) = oldest.map(|oldest| Timestamp::now() - oldest).filter(|begin| from < *begin) {
            let begin = begin.floor(Duration::from_secs(60));
            log.remark(&format!("{}: the service has no records before {}", target.name, time_arg::shown(begin)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{Metric, metric, object, other_metric, values};

    fn check(targets: &[&str], known: &[(&str, &[&str])], passed_on: &[(&str, &str)]) -> Vec<String> {
        let targets: Result<Vec<_>> = targets.iter().map(|name| Target::find(name)).collect();
        let owned = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
        let params = Params {
            known: known.iter().map(|(name, values)| ((*name).to_owned(), owned(values))).collect(),
            passed_on: passed_on.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        };
        let combined = targets.and_then(|targets| combine(&targets, &params, Log::Nothing));
        combined.map_or_else(|failure| vec![failure.to_string()], |series| labels(&series))
    }

    #[test]
    fn every_combination_is_one_series() {
        let (Metric { name, key, keys, history, .. }, other) = (metric(), other_metric().name);
        let two: (&str, &[&str]) = (key.wire_name, keys);
        assert_eq!(check(&[name], &[two], &[]), *keys);
        assert_eq!(check(&[name], &[(key.wire_name, &keys[..1])], &[]), [*name]);
        let four = check(&[name, other], &[two, (history.step, &[metric().step(3600)])], &[]);
        let labels = [name, other].map(|name| keys.map(|key| format!("{name} {key}")));
        assert_eq!(four, labels.concat());
        let known: Vec<_> = values(metric().open_param()).take(3).collect();
        let several = [known[0].to_owned(), known[1..].join("+")];
        let both = check(&[name], &[(metric().open_param().wire_name, &[&*several[0], &*several[1]])], &[]);
        assert_eq!(both, several);
        assert_eq!(check(&["/new"], &[two], &[("a", "1,2")]), *keys);
    }

    #[test]
    fn invalid_values_name_the_expected_ones() {
        let (Metric { name, key, keys, history, .. }, object) = (metric(), object().ident);
        let begins = |messages: &[String], begin: &str| assert!(messages[0].starts_with(begin), "{messages:?}");
        let (step, typo) = (history.step, format!("{}r", metric().step(3600)));
        let interval = check(&[name], &[(step, &[&*typo])], &[]);
        begins(&interval, &format!("invalid `{step}` `{typo}` for {name} (expected "));
        assert!(interval[0].ends_with(&format!("`--param {step}={typo}` sends it anyway")), "{interval:?}");
        let foreign = check(&[object], &[(key.wire_name, &keys[..1])], &[]);
        begins(&foreign, &format!("`{}` is not a param of {object}\n  help: accepted: ", metric().key_option));
        // A param that only some of the endpoints accept is set on those endpoints.
        assert_eq!(check(&[object, name], &[(key.wire_name, &keys[..1])], &[]), [object, name]);
    }
}
