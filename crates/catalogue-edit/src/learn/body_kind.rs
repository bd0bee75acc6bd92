//! Determines the kind of a body (a series, one object, or another value), and collects the records of all responses,
//! with a name for each value.

use catalogue::spec::{Body, Field};
use serde_yaml::Value;

use super::guess_type::{TIME, is_record, is_symbol, name_of_index};
use super::reader::Reader;
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
    /// The kind that the catalogue declares.
    pub(super) fn known(body: Option<&Body>) -> Option<Self> {
        Some(match body? {
            Body { series: Some(_), .. } => Self::Series,
            Body { object: Some(_), .. } => Self::Object,
            _ => Self::Value,
        })
    }
}

/// Determines the kind of a body that is unknown in the catalogue, and the path of its records if that differs from the
/// path in the envelope.
pub(super) fn of(responses: &[SavedResponse], data: Option<&str>) -> Result<(BodyKind, Option<String>), String> {
    if let Some(index) = responses.iter().find_map(|response| list_index(&response.body)) {
        return Ok((BodyKind::Series, Some(index.to_string())));
    }
    // Some services send `null` instead of an empty list of records, so `null` counts as a list.
    let is_series =
        |response: &&SavedResponse| list_of(response, data).is_some_and(|list| list.is_sequence() || list.is_null());
    match (responses.iter().find(is_series), responses.iter().find(|response| !is_series(response))) {
        (Some(_), None) if are_values(responses, data) => Ok((BodyKind::Value, None)),
        (Some(_), None) => Ok((BodyKind::Series, None)),
        (Some(series), Some(other)) => Err(format!(
            "{} is a series, but {} is not; omit responses of other endpoints",
            series.origin, other.origin
        )),
        (None, _) => {
            let own = |body: &Value| if is_list(body) { Some(".".to_owned()) } else { path_of(body, 0) };
            let mut paths = responses.iter().filter_map(|response| own(&response.body));
            let has_list = |path: &String| responses.iter().all(|response| response.at(path).is_some_and(is_list));
            if let Some(path) = paths.next().filter(has_list) {
                return Ok((BodyKind::Series, Some(path)));
            }
            let bodies = all_bodies(responses);
            let is_object = bodies.objects == bodies.times && is_record(&bodies);
            Ok((if is_object { BodyKind::Object } else { BodyKind::Value }, None))
        }
    }
}

/// `true` if the bodies are lists whose items are no records: scalars, or lists of different lengths.
fn are_values(responses: &[SavedResponse], data: Option<&str>) -> bool {
    let bodies = all_bodies(responses);
    let is_value = |items: &Observed| items.objects < items.values() && !items.are_rows();
    data.is_none() && bodies.items.is_some_and(|items| items.values() > 0 && is_value(&items))
}

/// The path of the only list of objects or of lists in an object, if there is not much next to it. A key that looks
/// like data, such as the name of a market, becomes `*`.
fn path_of(body: &Value, depth: usize) -> Option<String> {
    let object = body.as_mapping()?;
    let member = |(key, value): (&Value, &Value)| {
        let key = key.as_str()?;
        let inner = if is_list(value) { String::new() } else { format!(".{}", path_of(value, depth + 1)?) };
        let key = if is_symbol(key) { "*" } else { key };
        let is_unusable = key.contains('.') || key == "*" && inner.contains('*');
        (!is_unusable).then(|| format!("{key}{inner}"))
    };
    let mut paths = object.iter().filter(|_| depth < MAX_DEPTH).filter_map(member);
    let others = object.values().filter(|value| !is_list(value));
    let has_list = object.values().any(is_list);
    let is_small = !has_list || depth == 0 || others.count() <= MAX_OTHERS;
    paths.next().filter(|_| paths.next().is_none() && is_small)
}

/// The index of the only list of records in a list that also has an object, such as `[{"page": 1}, [...]]`.
fn list_index(body: &Value) -> Option<usize> {
    let items = body.as_sequence().filter(|items| items.iter().any(Value::is_mapping))?;
    let mut lists = items.iter().enumerate().filter(|(_, item)| is_list(item));
    lists.next().filter(|_| lists.next().is_none()).map(|(index, _)| index)
}

/// The maximum number of keys in the path of records.
const MAX_DEPTH: usize = 2;
/// The maximum number of other members in the object that contains a list of records.
const MAX_OTHERS: usize = 4;

/// `true` if a value is a list of objects or of lists.
fn is_list(value: &Value) -> bool {
    let is_record = |item: &Value| item.is_mapping() || item.is_sequence();
    value.as_sequence().is_some_and(|items| !items.is_empty() && items.iter().all(is_record))
}

/// Collects the bodies of all responses.
pub(super) fn all_bodies(responses: &[SavedResponse]) -> Observed {
    Observed::of(responses.iter().map(|response| &response.body))
}

/// The value at the JSON path of the records, or the body if the service has no envelope.
fn list_of<'r>(response: &'r SavedResponse, data: Option<&str>) -> Option<&'r Value> {
    data.map_or(Some(&response.body), |data| response.at(data))
}

/// `true` if a response has no list of records, or `null` in its place.
pub(super) fn has_missing_list(responses: &[SavedResponse], data: Option<&str>) -> bool {
    responses.iter().any(|response| list_of(response, data).is_none_or(Value::is_null))
}

/// Collects the records of all responses.
pub(super) fn records(responses: &[SavedResponse], data: Option<&str>) -> Result<Observed, String> {
    let mut all = Vec::new();
    for response in responses {
        match list_of(response, data) {
            Some(Value::Sequence(records)) => all.extend(records),
            Some(Value::Null) => {}
            _ => {
                let path = data.map_or_else(|| "the body".to_owned(), |data| format!("`{data}`"));
                return Err(format!(
                    "{path} of {} is not a list of records, but the catalogue declares a series; use another response, \
                     or correct `body`",
                    response.origin
                ));
            }
        }
    }
    let seen = Observed::of(all);
    let found = seen.describe();
    let why = match seen.times {
        0 => "no records in the response; send a request that returns some".to_owned(),
        all if all == seen.objects && seen.fields.is_empty() => {
            "the records in the response have no fields; use a response whose records have fields".to_owned()
        }
        all if all == seen.objects || all == seen.lists => return Ok(seen),
        _ => format!(
            "the records are {found}, but must all be objects or all be lists; write `body: {{series: unknown}}`, and \
             the client returns raw JSON"
        ),
    };
    Err(why)
}

/// Collects the bodies of all responses, if each body is one object (or a positional list).
pub(super) fn objects(responses: &[SavedResponse]) -> Result<Observed, String> {
    let seen = all_bodies(responses);
    let all = seen.times;
    if all == seen.objects && seen.fields.is_empty() {
        return Err("no fields in the response; send a request that returns some".to_owned());
    }
    let why = "the response is not an object, but the catalogue declares one; use another response, or correct `body`";
    if all == seen.objects || all == seen.lists { Ok(seen) } else { Err(why.to_owned()) }
}

impl Reader<'_> {
    /// Converts the records of a body to objects with named fields.
    pub(super) fn by_names(&self, kind: BodyKind, seen: Observed) -> Result<Observed, String> {
        if kind == BodyKind::Value {
            return Ok(seen);
        }
        let are_lists = seen.lists > 0;
        let Some(known) = self.listed() else {
            return if are_lists { self.newly_named(kind, &seen) } else { Ok(seen) };
        };
        match (known.positional, are_lists) {
            (true, true) => Ok(named_as(&known.fields, &seen)),
            (false, false) => Ok(seen),
            (known, _) => Err(format!(
                "the records are {}, but the catalogue declares {}; use another response, or set the body to `unknown` to \
                 learn it again",
                seen.describe(),
                if known { "lists (`positional`)" } else { "objects" }
            )),
        }
    }

    /// Names the fields of positional records whose fields are unknown.
    fn newly_named(&self, kind: BodyKind, seen: &Observed) -> Result<Observed, String> {
        if !seen.are_rows() {
            return Err(format!(
                "the records are {} of different lengths, so their items cannot be named; write `body: {{series: unknown}}`, \
                 and the client returns raw JSON",
                seen.describe()
            ));
        }
        let shared = self.editor.service.envelope_time().filter(|_| kind == BodyKind::Series);
        let time = shared.map_or(TIME, |time| time.name.as_str());
        Ok(seen.named(name_of_index(seen, time)))
    }
}

/// Converts lists to objects with these fields. Values after the last field get numbered names.
pub(super) fn named_as(listed: &[Field], seen: &Observed) -> Observed {
    seen.named(|index| listed.get(index).map_or_else(|| format!("value {}", index + 1), |field| field.name.to_string()))
}
