//! Possible reasons for the rejection of a request, from the catalogue.
//!
//! If the service rejects a request, the error gets hints on params that are missing, out of range or known not to
//! work. Documented constraints need no hint, because they were checked before the request was sent.

use crate::error::Error;
use crate::registry::{Evidence, ParamInfo};
use crate::request::{RequestTarget, check};

/// Adds hints on params that the service may have rejected, from the catalogue.
pub(super) fn with_hints(error: Error, target: &RequestTarget) -> Error {
    // Hints are added only for the statuses that mean a bad request in HTTP.
    if error.is_token() || !matches!(error.status(), Some(400 | 422)) {
        return error;
    }
    // Used to omit hints that repeat the message of the service.
    let message = error.to_string();
    let mut missing = Vec::new();
    let mut values = Vec::new();
    let mut ranges = Vec::new();
    for param in target.endpoint.params() {
        let name = param.wire_name;
        match (target.value(name), param.required) {
            (Some(value), _) => {
                values.extend(value_hint(param, value, &message));
                if is_out_of_range(param, value) {
                    let bounds = check::bounds(param.range);
                    ranges.push(format!("`{name}` is out of range ({bounds}, {})", known_as(param.evidence)));
                }
            }
            (None, Some(evidence)) if !message.contains(name) => {
                missing.push(format!("missing param `{name}`, {} as required", known_as(evidence)));
            }
            (None, _) => {}
        }
    }
    let mut error = error;
    for hint in [missing, values, ranges].concat() {
        error = error.with_hint(hint);
    }
    error
}

fn is_out_of_range(param: &ParamInfo, value: &str) -> bool {
    let mut numbers = separated(param, value).filter_map(|number| number.parse().ok());
    numbers.any(|number| !param.range.contains(number))
}

/// Splits the values of a list. The values of separate params are joined with commas.
fn separated<'v>(param: &ParamInfo, value: &'v str) -> std::str::Split<'v, char> {
    value.split(param.separator().unwrap_or(','))
}

/// A reason why the service may have rejected a value: the value is known to be rejected, the value is not one
/// of those that are known to work, or several values were sent although the param accepts only one. If the service's
/// message lists the accepted values, they are not repeated.
fn value_hint(param: &ParamInfo, value: &str, message: &str) -> Option<String> {
    let name = param.wire_name;
    let values: Vec<_> = if param.list_setter.is_some() { separated(param, value).collect() } else { vec![value] };
    if let (Some(known), [_, _, ..]) = (param.single_value, values.as_slice()) {
        return Some(format!("`{name}` is {} to accept one value only", known_as(known)));
    }
    let mut facts = Vec::new();
    if let Some(value) = param.rejected_values.iter().find(|rejected| values.contains(rejected)) {
        facts.push(format!("`{name}` is known to reject {value}"));
    }
    let is_closed = !param.allowed_values.is_empty();
    let known = if is_closed { param.allowed_values } else { param.tested_values };
    let only = if is_closed { " only" } else { "" };
    // The hint omits the sent value, because errors may be published.
    let is_listed = known.iter().all(|value| message.contains(value));
    if !is_listed && values.iter().any(|value| !known.contains(value)) {
        facts.push(format!("`{name}` is known to accept{only} {}", known.join(" or ")));
    }
    if facts.is_empty() { None } else { Some(facts.join(", and ")) }
}

fn known_as(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::PreviousVersion => "described for the previous version",
        other => other.as_str(),
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::error::ErrorKind;
    use crate::headers::Headers;
    use crate::registry::{EndpointInfo, ListFormat, Range, ValueType};

    const fn param(name: &'static str, ty: ValueType) -> ParamInfo {
        ParamInfo::new(name, name, ty, Evidence::Documented)
    }

    const BOOK: &EndpointInfo = &EndpointInfo {
        path: Some("/book"),
        param_lists: Some(&[&[
            ParamInfo { required: Some(Evidence::Documented), ..param("coin", ValueType::String) },
            ParamInfo { required: Some(Evidence::Reported), ..param("venue", ValueType::String) },
            ParamInfo { range: Range { min: Some(1.0), max: Some(9.0) }, ..param("depth", ValueType::Count) },
            ParamInfo {
                range: Range { min: None, max: Some(50.0) },
                evidence: Evidence::Reported,
                ..param("limit", ValueType::Count)
            },
            param("sort", ValueType::String),
        ]]),
        ..EndpointInfo::new("market", "book", "Book")
    };

    /// Params with their values.
    type Params<'a> = &'a [(&'static str, &'a str)];

    /// Returns the error message for a request with these params, given its status and the advice of the catalogue.
    fn check(status: u16, advice: &str, set: Params<'_>) -> String {
        let mut target = RequestTarget::new(BOOK);
        for (name, value) in set {
            target.set(Cow::Borrowed(name), [(*value).to_owned()]);
        }
        let error = Error::new(ErrorKind::Status, "no").with_response(status, Headers::new()).with_hint(advice);
        with_hints(error, &target).to_string()
    }

    #[test]
    fn rejection_is_explained_by_the_catalogue() {
        let limit = "`limit` is out of range (at most 50, reported)";
        let coin = "missing param `coin`, documented as required";
        let venue = "missing param `venue`, reported as required";
        let (some_coin, some_venue) = (("coin", "BTC"), ("venue", "1"));
        let table: [(u16, &str, Params<'_>, String); 8] = [
            (422, "look twice", &[], format!("no; look twice; {coin}; {venue}")),
            (400, "look twice", &[some_coin], format!("no; look twice; {venue}")),
            (400, "", &[some_venue, ("limit", "60")], format!("no; {coin}; {limit}")),
            // There is no hint on a range that contains the value, or on a param without known constraints.
            (422, "", &[some_coin, some_venue, ("depth", "9"), ("limit", "50")], "no".to_owned()),
            (422, "", &[some_coin, some_venue, ("sort", "1")], "no".to_owned()),
            // The message already contains the name of the missing param, so there is no hint on it.
            (422, "`coin` is missing", &[some_venue], "no; `coin` is missing".to_owned()),
            (404, "look twice", &[], "no; look twice".to_owned()),
            (500, "", &[], "no".to_owned()),
        ];
        for (status, advice, set, expected) in table {
            assert_eq!(check(status, advice, set), expected, "{status} {set:?}");
        }
    }

    #[test]
    fn rejected_values_of_the_catalogue_are_listed() {
        const SERVED: ParamInfo = ParamInfo {
            list_setter: Some("venues"),
            allowed_values: &["okx", "bybit"],
            ..param("venue", ValueType::String)
        };
        let accepted = ParamInfo {
            list_setter: Some("venues"),
            tested_values: &["okx"],
            rejected_values: &["binance"],
            ..param("venue", ValueType::String)
        };
        let single = ParamInfo {
            list_setter: Some("venues"),
            single_value: Some(Evidence::Reported),
            ..param("venue", ValueType::String)
        };
        for (info, value, expected) in [
            (SERVED, "okx,bybit", None),
            (SERVED, "okx,kraken", Some("`venue` is known to accept only okx or bybit")),
            (accepted, "okx", None),
            (accepted, "kraken", Some("`venue` is known to accept okx")),
            (accepted, "binance", Some("`venue` is known to reject binance, and `venue` is known to accept okx")),
            (single, "okx", None),
            (single, "okx,bybit", Some("`venue` is reported to accept one value only")),
        ] {
            assert_eq!(value_hint(&info, value, "no").as_deref(), expected, "{value}");
        }
        assert_eq!(value_hint(&SERVED, "kraken", "`venue` has to be one of bybit, okx"), None);
    }

    #[test]
    fn a_list_is_split_at_its_separator() {
        for (list_as, value) in [
            (ListFormat::Commas, "okx,bybit"),
            (ListFormat::Spaces, "okx bybit"),
            (ListFormat::Pipes, "okx|bybit"),
            (ListFormat::Repeated, "okx,bybit"),
        ] {
            let list = ParamInfo { list_setter: Some("venues"), list_as, ..param("venue", ValueType::String) };
            let known = ParamInfo { allowed_values: &["okx", "bybit"], ..list };
            assert_eq!(value_hint(&known, value, "no"), None, "{value}");
            let single = ParamInfo { single_value: Some(Evidence::Reported), ..list };
            assert!(value_hint(&single, value, "no").is_some(), "{value}");
            let numbers = value.replace("okx", "1").replace("bybit", "60");
            let limit = ParamInfo { range: Range { min: None, max: Some(50.0) }, ..list };
            assert!(is_out_of_range(&limit, &numbers), "{numbers}");
        }
    }

    #[test]
    fn unknown_rejection_has_no_explanation() {
        const PING: &EndpointInfo =
            &EndpointInfo { path: Some("/ping"), ..EndpointInfo::new("market", "ping", "Ping") };
        let error = Error::new(ErrorKind::Status, "no").with_response(422, Headers::new()).with_hint("look twice");
        assert_eq!(with_hints(error, &RequestTarget::new(PING)).to_string(), "no; look twice");
    }
}
