//! Collects the records of all responses, with a name for each value.

use catalogue::spec::Field;
use serde_yaml::Value;

use super::guess_type::TIME;
use super::row_names::name_of_index;
use crate::observed_values::Observed;
use crate::saved_response::SavedResponse;

/// Collects the bodies of all responses.
pub(super) fn all_bodies(responses: &[SavedResponse]) -> Observed {
    Observed::of(responses.iter().map(|response| &response.body))
}

/// The value at the JSON path of the records, or the body if the service has no envelope.
pub(super) fn list_of<'r>(response: &'r SavedResponse, data: Option<&str>) -> Option<&'r Value> {
    match data {
        Some(data) => response.at(data),
        None => Some(&response.body),
    }
}

/// `true` if a response has no list of records, or `null` in its place.
pub(super) fn has_missing_list(responses: &[SavedResponse], data: Option<&str>) -> bool {
    responses.iter().any(|response| list_of(response, data).is_none_or(Value::is_null))
}

/// Collects the records of all responses. With `is_optional`, a response may have no list of records.
pub(super) fn records(responses: &[SavedResponse], data: Option<&str>, is_optional: bool) -> Result<Observed, String> {
    let mut all = Vec::new();
    for response in responses {
        match list_of(response, data) {
            Some(Value::Sequence(records)) => all.extend(records),
            Some(Value::Null) => {}
            None if is_optional => {}
            _ => {
                let path = match data {
                    Some(data) => format!("`{data}`"),
                    None => "the body".to_owned(),
                };
                return Err(format!(
                    "{path} of {} is not a list of records, but the catalogue declares a series; use another response, \
                     or correct `body`",
                    response.origin
                ));
            }
        }
    }
    let seen = Observed::of(all);
    check_records(&seen)?;
    Ok(seen)
}

fn check_records(seen: &Observed) -> Result<(), String> {
    if seen.times == 0 {
        return Err("no records in the response; send a request that returns some".to_owned());
    }
    if seen.objects == seen.times && seen.fields.is_empty() {
        return Err("the records in the response have no fields; use a response whose records have fields".to_owned());
    }
    if seen.objects == seen.times || seen.lists == seen.times {
        return Ok(());
    }
    Err(format!(
        "the records are {}, but must all be objects or all be lists; write `body: {{series: unknown}}`, and \
         the client returns raw JSON",
        seen.describe()
    ))
}

/// Collects the bodies of all responses, if each body is one object (or a positional list).
pub(super) fn objects(responses: &[SavedResponse]) -> Result<Observed, String> {
    let seen = all_bodies(responses);
    if seen.objects == seen.times && seen.fields.is_empty() {
        return Err("no fields in the response; send a request that returns some".to_owned());
    }
    if seen.objects == seen.times || seen.lists == seen.times {
        return Ok(seen);
    }
    Err("the response is not an object, but the catalogue declares one; use another response, or correct `body`"
        .to_owned())
}

/// Names the fields of positional records whose fields are unknown. `time` is the name of the time field, if the
/// catalogue declares one.
pub(super) fn newly_named(time: Option<&str>, seen: &Observed) -> Result<Observed, String> {
    if !seen.are_rows() {
        return Err(format!(
            "the records are {} of different lengths, so their items cannot be named; write `body: {{series: unknown}}`, \
             and the client returns raw JSON",
            seen.describe()
        ));
    }
    Ok(seen.named(name_of_index(seen, time.unwrap_or(TIME))))
}

/// Converts lists to objects with these fields. Values after the last field get numbered names.
pub(super) fn named_as(listed: &[Field], seen: &Observed) -> Observed {
    seen.named(|index| match listed.get(index) {
        Some(field) => field.name.to_string(),
        None => format!("value {}", index + 1),
    })
}
