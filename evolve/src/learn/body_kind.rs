//! Determines the kind of a body (a series, one object, or another value), and collects the records of all responses.

use codegen::spec::Body;
use serde_yaml::Value;

use super::guess_type::keys_of_data;
use crate::editor::Refusal;
use crate::observed_values::Observed;
use crate::saved_response::SavedResponse;

/// The kind of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BodyKind {
    Series,
    Object,
    /// A value of any other type.
    Value,
}

impl BodyKind {
    /// Returns the kind that the catalogue declares.
    pub(super) fn known(body: Option<&Body>) -> Option<Self> {
        Some(match body? {
            Body { series: Some(_), .. } => Self::Series,
            Body { object: Some(_), .. } => Self::Object,
            _ => Self::Value,
        })
    }
}

/// Determines the kind of a body that is unknown in the catalogue.
pub(super) fn of(responses: &[SavedResponse], data: Option<&str>) -> Result<BodyKind, Refusal> {
    // Some services send `null` instead of an empty list of records, so `null` counts as a list.
    let is_series =
        |response: &&SavedResponse| list_of(response, data).is_some_and(|list| list.is_sequence() || list.is_null());
    match (responses.iter().find(is_series), responses.iter().find(|response| !is_series(response))) {
        (Some(_), None) => Ok(BodyKind::Series),
        (Some(series), Some(other)) => Err(Refusal::Message(format!(
            "{} is a series, but {} is not; omit responses of other endpoints",
            series.origin, other.origin
        ))),
        (None, _) => {
            let bodies = all_bodies(responses);
            let is_object = bodies.objects == bodies.times && keys_of_data(&bodies).is_none();
            Ok(if is_object { BodyKind::Object } else { BodyKind::Value })
        }
    }
}

/// Collects the bodies of all responses.
pub(super) fn all_bodies(responses: &[SavedResponse]) -> Observed {
    Observed::of(responses.iter().map(|response| &response.body))
}

/// Returns the value at the JSON path of the records, or the body if the service has no envelope.
fn list_of<'r>(response: &'r SavedResponse, data: Option<&str>) -> Option<&'r Value> {
    data.map_or(Some(&response.body), |data| response.at(data))
}

/// Collects the records of all responses.
pub(super) fn records(responses: &[SavedResponse], data: Option<&str>) -> Result<Observed, Refusal> {
    let mut seen = Observed::default();
    for response in responses {
        let records = match list_of(response, data) {
            Some(Value::Sequence(records)) => records.as_slice(),
            Some(Value::Null) => &[],
            _ => {
                let path = data.map_or_else(|| "the body".to_owned(), |data| format!("`{data}`"));
                return Err(Refusal::Message(format!(
                    "{path} of {} is not a list of records, but the catalogue declares a series; use another response, \
                     or correct `body`",
                    response.origin
                )));
            }
        };
        for record in records {
            seen.add(record);
        }
    }
    match seen.times {
        0 => Err(Refusal::new("no records in the response; send a request that returns some")),
        all if all == seen.objects && seen.fields.0.is_empty() => {
            Err(Refusal::new("the records in the response have no fields; use a response whose records have fields"))
        }
        all if all == seen.objects || all == seen.lists => Ok(seen),
        _ => Err(Refusal::Message(format!(
            "the records are {}, but must all be objects or all be lists; leave the records `unknown`, and \
             the client returns raw JSON",
            seen.describe()
        ))),
    }
}

/// Collects the bodies of all responses, if each body is one object (or a positional list).
pub(super) fn objects(responses: &[SavedResponse]) -> Result<Observed, Refusal> {
    let seen = all_bodies(responses);
    match seen.times {
        all if all == seen.objects && seen.fields.0.is_empty() => {
            Err(Refusal::new("no fields in the response; send a request that returns some"))
        }
        all if all == seen.objects || all == seen.lists => Ok(seen),
        _ => Err(Refusal::new(
            "the response is not an object, but the catalogue declares one; use another response, or correct `body`",
        )),
    }
}
