//! What bodies are, a series or one object, and all records of all of them.

use codegen::spec;
use serde_yaml::Value;

use crate::change::Refusal;
use crate::reply::Reply;
use crate::seen::Seen;

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Series,
    Object,
}

impl Kind {
    /// What the catalogue says that it is.
    pub(super) fn known(body: &spec::Body) -> Self {
        if body.series.is_some() { Self::Series } else { Self::Object }
    }

    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Series => "series",
            Self::Object => "object",
        }
    }
}

/// What bodies are of which nothing is known.
pub(super) fn of(replies: &[Reply], data: Option<&str>) -> Result<Kind, Refusal> {
    // `null` in the place of the records is how some services say that there are none.
    let is_series =
        |reply: &&Reply| list_of(&reply.body, data).is_some_and(|list| list.is_sequence() || list.is_null());
    match (replies.iter().find(is_series), replies.iter().find(|reply| !is_series(reply))) {
        (Some(_), None) => Ok(Kind::Series),
        (Some(series), Some(other)) => Err(Refusal::Said(format!(
            "{} is a series and {} is none; leave out what is no reply of this endpoint",
            series.origin, other.origin
        ))),
        (None, _) if replies.iter().all(|reply| reply.body.is_mapping()) => Ok(Kind::Object),
        (None, _) => Err(Refusal::new(
            "its body is neither one object nor a series in the service's envelope, and the catalogue has no other \
             word; leave it `unknown`, and the client hands it over as it is",
        )),
    }
}

/// Where a body has its records.
fn list_of<'b>(body: &'b Value, data: Option<&str>) -> Option<&'b Value> {
    data.map_or(Some(body), |data| body.get(data))
}

/// What messages call it.
fn place_of_list(data: Option<&str>) -> String {
    data.map_or_else(|| "the whole body".to_owned(), |data| format!("`{data}`"))
}

/// All records of all replies.
pub(super) fn records(replies: &[Reply], data: Option<&str>) -> Result<Seen, Refusal> {
    let mut seen = Seen::default();
    for reply in replies {
        let list = list_of(&reply.body, data);
        if list.is_some_and(Value::is_null) {
            let place = place_of_list(data);
            return Err(Refusal::Said(format!(
                "there are no records in {}: {place} is `null`; ask for something of which it has some",
                reply.origin
            )));
        }
        let records = list.and_then(Value::as_sequence).ok_or_else(|| no_series(&reply.origin, list, data))?;
        for record in records {
            seen.add(record);
        }
    }
    match (seen.times, seen.objects) {
        (0, _) => Err(Refusal::new("there are no records in the reply; ask for something of which it has some")),
        (all, objects) if all == objects && seen.fields.0.is_empty() => {
            Err(Refusal::new("the records of the reply have no fields; ask for something of which they have some"))
        }
        (all, objects) if all == objects => Ok(seen),
        _ => Err(Refusal::Said(format!(
            "its records are {}, and the catalogue has a word only for objects; leave them `unknown`, and the client \
             hands them over as they are",
            seen.words()
        ))),
    }
}

fn no_series(origin: &str, list: Option<&Value>, data: Option<&str>) -> Refusal {
    let place = place_of_list(data);
    let found = list.map_or_else(
        || "is not there".to_owned(),
        |value| {
            let mut seen = Seen::default();
            seen.add(value);
            format!("has {}", seen.words())
        },
    );
    Refusal::Said(format!(
        "the catalogue says a series, a list of records in {place}, which {found} in {origin}; give a reply that has \
         one, or correct `body`"
    ))
}

/// All bodies, each of which is one object.
pub(super) fn objects(replies: &[Reply]) -> Result<Seen, Refusal> {
    let mut seen = Seen::default();
    for reply in replies {
        seen.add(&reply.body);
    }
    match (seen.times == seen.objects, seen.fields.0.is_empty()) {
        (true, false) => Ok(seen),
        (true, true) => Err(Refusal::new("there are no fields in the reply; ask for something of which it has some")),
        (false, _) => Err(Refusal::new(
            "the catalogue says one object, and the reply is none; give another reply, or correct `body`",
        )),
    }
}
