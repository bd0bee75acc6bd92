//! The values of params on the command line and in job files.
//!
//! Values are checked against the registry.

use runtime::Timestamp;
use runtime::registry::{EndpointInfo, ParamInfo, Step, ValueInfo, ValueType};

use crate::endpoint_names::name;
use crate::failure::{Failure, Result};
use crate::log::Log;
use crate::offered_param::splits;
use crate::param_options::Params;
use crate::time_arg;
use wording::enumerated;

/// The value of a param.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ParamValue {
    /// One value, or several values that belong to one series.
    Text(Vec<String>),
    /// A time, or several times that belong to one series.
    Times(Vec<Timestamp>),
}

impl ParamValue {
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Text(values) => values.join("+"),
            Self::Times(times) => {
                let shown: Vec<_> = times.iter().map(|time| time_arg::shown(*time)).collect();
                shown.join("+")
            }
        }
    }

    /// The value as texts, one for each value that belongs to the series.
    pub(crate) fn texts(&self) -> Vec<String> {
        match self {
            Self::Text(values) => values.clone(),
            Self::Times(times) => times.iter().map(ToString::to_string).collect(),
        }
    }
}

/// Parses the value of a param, and checks it for an endpoint.
pub(crate) fn read(of: &EndpointInfo, info: &ParamInfo, value: &str, params: &Params, log: Log) -> Result<ParamValue> {
    if matches!(info.ty, ValueType::Timestamp(_)) {
        return times(info, value)
            .map(ParamValue::Times)
            .map_err(|error| Failure::usage(format!("invalid `{}` `{value}`: {error}", info.wire_name)));
    }
    let several = several(info, value);
    if several.iter().any(String::is_empty) {
        return Err(Failure::usage(format!("`{}` has an empty value in `{value}`", info.wire_name)));
    }
    for one in &several {
        check(of, info, one, params, log)?;
    }
    Ok(ParamValue::Text(several))
}

/// The times that one value of an option joins. `+` is also a part of a single time with an offset.
fn times(info: &ParamInfo, value: &str) -> std::result::Result<Vec<Timestamp>, String> {
    let single = time_arg::timestamp(value);
    if single.is_ok() || info.list_setter.is_none() {
        return single.map(|time| vec![time]);
    }
    value.split('+').map(|one| time_arg::timestamp(one.trim())).collect()
}

/// The values of a param that one value of an option joins, as the service writes them.
fn several(info: &ParamInfo, value: &str) -> Vec<String> {
    // `+` joins values only for a param that accepts a list.
    if info.list_setter.is_some() && splits(info) {
        return value.split('+').map(|one| as_known(info, one.trim())).collect();
    }
    vec![as_known(info, value.trim())]
}

/// The value of an option in the form that files have.
pub(crate) fn stored_value(info: &ParamInfo, value: &str) -> String {
    several(info, value).join(",")
}

/// The known value that equals this value except for upper and lower case, unless it is a length of time. An unknown value
/// in lower case is converted to upper case if all known values are in upper case.
fn as_known(info: &ParamInfo, value: &str) -> String {
    let ValueType::Named(ty) = info.ty else { return value.to_owned() };
    if ty.values.iter().any(|known| known.value == value) {
        return value.to_owned();
    }
    let mut others = ty.values.iter().filter(|known| !is_length(known));
    match others.find(|known| known.value.eq_ignore_ascii_case(value)) {
        Some(known) => known.value.to_owned(),
        None if is_upper(info) && !value.contains(char::is_uppercase) => value.to_uppercase(),
        None => value.to_owned(),
    }
}

/// `true` for a length of time, such as `1m`. In another case, its unit can be another one: `1M` is often a month.
fn is_length(known: &ValueInfo) -> bool {
    known.step.is_some() || known.value.to_ascii_lowercase().parse::<Step>().is_ok()
}

/// `true` if all known values of a param are in upper case, and none is a length of time. Values that differ only in case
/// are then the same.
pub(crate) fn is_upper(info: &ParamInfo) -> bool {
    let ValueType::Named(ty) = info.ty else { return false };
    if ty.values.iter().any(is_length) {
        return false;
    }
    let known: String = ty.values.iter().map(|known| known.value).collect();
    known.contains(char::is_uppercase) && !known.contains(char::is_lowercase)
}

/// Warns about a value that the service may reject. A value that is certainly wrong is an error: all valid values are
/// documented, or it is probably several values.
fn check(endpoint: &EndpointInfo, info: &ParamInfo, value: &str, params: &Params, log: Log) -> Result<()> {
    let name = name(endpoint);
    let param = info.wire_name;
    if !info.allowed_values.is_empty() && !info.allowed_values.contains(&value) {
        let accepted = info.allowed_values.join(", ");
        let option = params.assigned(param, value);
        log.warning(&format!("{option} may be rejected; known accepted values: {accepted}"));
    }
    let ValueType::Named(ty) = info.ty else { return Ok(()) };
    let known: Vec<&str> = ty.values.iter().map(|value| value.value).collect();
    if known.is_empty() || known.contains(&value) {
        if info.rejected_values.contains(&value) {
            log.warning(&format!("{} is probably rejected by {name}", params.assigned(param, value)));
        }
        return Ok(());
    }
    let invalid = format!("invalid `{param}` `{value}` for {name}");
    let words: Vec<_> = value.split_whitespace().collect();
    if words.len() > 1 && !known.iter().any(|known| known.contains(' ')) {
        let several = format!("commas separate values: {}", params.assigned(param, &words.join(",")));
        let failure = Failure::usage(format!("{invalid} (expected no spaces)"));
        return Err(failure.help(several).help_if(params.unchecked(param, value)));
    }
    let is_documented = info.evidence.is_enforced() && ty.values.iter().any(|value| value.evidence.is_enforced());
    let help = wording::did_you_mean(value, known.iter().copied());
    let has_other_case = known.iter().any(|known| known.eq_ignore_ascii_case(value));
    if has_other_case || !ty.open && is_documented {
        let failure = Failure::usage(format!("{invalid} (expected {})", enumerated(&known, "or")));
        return Err(failure.help_if(help).help_if(params.unchecked(param, value)));
    }
    // Almost any short text resembles one of many short values, so it gets no suggestion.
    if let Some(help) = help.filter(|_| value.len() > 5 || !ty.open) {
        let option = params.assigned(param, value);
        log.warning(&format!("unknown value {option}; {help} Sending it anyway"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use runtime::registry::{Evidence, TypeInfo};

    use super::*;

    #[test]
    fn values_are_sent_in_the_case_of_the_known_ones() {
        const fn known(value: &'static str) -> ValueInfo {
            ValueInfo::new(value, "", Evidence::Documented)
        }
        static UPPER: TypeInfo = TypeInfo::new("Key", &[known("AB"), known("1C")]);
        static MIXED: TypeInfo = TypeInfo::new("Interval", &[known("1m"), known("1M")]);
        static MINUTES: TypeInfo = TypeInfo::new("Interval", &[known("1m"), known("spot")]);
        static MONTHS: TypeInfo = TypeInfo::new("Interval", &[known("1H"), known("1M")]);
        let info = |ty| ParamInfo::new("key", "key", ValueType::Named(ty), Evidence::Documented);
        for (ty, value, expected) in [
            (&UPPER, "ab", "AB"),
            (&UPPER, "xy", "XY"),
            (&UPPER, "xY", "xY"),
            (&MIXED, "1M", "1M"),
            (&MIXED, "xy", "xy"),
            (&MINUTES, "1M", "1M"),
            (&MINUTES, "SPOT", "spot"),
            (&MONTHS, "1m", "1m"),
        ] {
            assert_eq!(as_known(&info(ty), value), expected);
        }
        assert_eq!([&UPPER, &MIXED, &MONTHS].map(|ty| is_upper(&info(ty))), [true, false, false]);
    }
}
