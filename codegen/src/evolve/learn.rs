//! Replies in, the fields of their records out, merged with what is known of them.
//!
//! What a reply shows is believed as far as it goes: types are widened where it contradicts, and what was
//! contradicted is said. What a field means no reply tells, so its summary is `unknown` until someone writes it.

mod enums;
mod fields;
mod guess;
mod types;
mod widen;

use std::collections::BTreeSet;

use serde_yaml::Value;

use super::change::{Change, Desk, Refusal};
use super::edit::Step;
use super::reply::Reply;
use super::seen::Seen;
use super::tree::Tree;
use crate::format;
use crate::load::Catalogue;
use crate::names::{self, Case};
use crate::spec::{self, Known};
use crate::suggest::did_you_mean;
use fields::{Place, Topic};

/// What is to be learned, and how.
#[derive(Clone, Debug)]
pub struct Learning {
    /// Each endpoint with its replies.
    pub lessons: Vec<Lesson>,
    /// How what a reply shows is known: `document`, `published` or `reported`.
    pub evidence: String,
    /// Names of fields whose texts are to become an enum, each perhaps with the type's name: `side`, `side=OrderSide`.
    pub enums: Vec<String>,
    /// Whether replies are believed that say of themselves that they are made up.
    pub accept_invented: bool,
}

/// An endpoint with its replies.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// Its path (`/buyVolume`), its name in Rust with its group (`orderflow.buy_volume`), or its name.
    pub endpoint: String,
    /// Where each reply is from, for messages, and its text: a JSON body, alone or behind its headers.
    pub replies: Vec<(String, String)>,
}

/// Makes the change that replies ask for.
pub fn learn(catalogue: Catalogue, learning: &Learning) -> Result<Change, Refusal> {
    let mut desk = Desk::open(catalogue)?;
    let mut texts = BTreeSet::new();
    for lesson in &learning.lessons {
        match attend(&mut desk, learning, lesson, &mut texts) {
            // One that cannot be learned from does not spoil the others.
            Err(Refusal::Said(why)) if learning.lessons.len() > 1 => {
                desk.say(format!("{}: nothing learned, because {why}", lesson.endpoint));
            }
            Err(Refusal::Said(why)) => return Err(Refusal::Said(format!("{}: {why}", lesson.endpoint))),
            done => done?,
        }
    }
    for wanted in learning.enums.iter().filter(|wanted| !texts.iter().any(|name| enums::is_meant(wanted, name))) {
        let (field, _) = enums::parts(wanted);
        let known: Vec<_> = texts.iter().map(|name| format!("`{name}`")).collect();
        let known =
            if known.is_empty() { "there are none".to_owned() } else { format!("they are in {}", known.join(", ")) };
        desk.say(format!("no enum is made of `{field}`, as no reply has texts in a field of that name; {known}"));
    }
    desk.close()
}

fn attend(desk: &mut Desk, learning: &Learning, lesson: &Lesson, texts: &mut BTreeSet<String>) -> Result<(), Refusal> {
    let found = find(desk, &lesson.endpoint)?;
    let mut bodies = Vec::new();
    for (origin, text) in &lesson.replies {
        let reply = Reply::read(text).map_err(|why| Refusal::Said(format!("{origin}: {why}")))?;
        if reply.is_invented && !learning.accept_invented {
            return Err(Refusal::Said(format!(
                "{origin} is a reply of the sandbox, which made it up; to learn it all the same, name the catalogue with --spec"
            )));
        }
        bodies.push(reply.body);
    }
    let service = &desk.checked.service;
    let data = service.envelope.as_ref().map(|envelope| envelope.data.clone());
    let endpoint = &desk.checked.groups[found.group].1.endpoints[found.endpoint];
    let known = match &endpoint.body {
        Known::Known(spec::Body { series: Some(_), .. }) => Some(Kind::Series),
        Known::Known(_) => Some(Kind::Object),
        Known::Unknown => None,
    };
    let kind = known.map_or_else(|| kind_of(&bodies, data.as_deref()), Ok)?;
    if let (None, Some(place)) = (known, failure(service, &bodies)) {
        desk.say(format!("{}: this may be a failure, as it has a text in `{place}`", found.label));
    }
    let seen = match kind {
        Kind::Series => rows(&bodies, data.as_deref())?,
        Kind::Object => objects(&bodies)?,
    };
    seen.fields_of_texts(texts);
    let file = format!("{}.yaml", desk.checked.groups[found.group].0);
    let topic = Topic { file, endpoint: found.label, learning };
    body(desk, &topic, found.endpoint, kind, &seen)
}

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Series,
    Object,
}

impl Kind {
    fn key(self) -> &'static str {
        match self {
            Self::Series => "series",
            Self::Object => "object",
        }
    }
}

/// Where an endpoint is, and what it is called.
struct Found {
    group: usize,
    endpoint: usize,
    label: String,
}

fn find(desk: &Desk, wanted: &str) -> Result<Found, Refusal> {
    let (mut found, mut known) = (Vec::new(), Vec::new());
    for (group, (module, spec)) in desk.checked.groups.iter().enumerate() {
        for (endpoint, spec) in spec.endpoints.iter().enumerate() {
            let ident = spec.ident.clone().or_else(|| names::ident(&spec.name, Case::Snake).ok()).unwrap_or_default();
            let label = format!("{module}.{ident}");
            let path = spec.path.known().map(String::as_str);
            if path == Some(wanted) || [&label, &ident, &spec.name].contains(&&wanted.to_owned()) {
                found.push(Found { group, endpoint, label });
            } else {
                known.extend(path.map(str::to_owned).into_iter().chain([label]));
            }
        }
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(Refusal::Said(format!("the catalogue has no such endpoint; {}", near(wanted, &known)))),
        _ => {
            let labels: Vec<_> = found.iter().map(|found| format!("`{}`", found.label)).collect();
            Err(Refusal::Said(format!("several endpoints are called so: {}", labels.join(", "))))
        }
    }
}

/// What to do about an endpoint that is not there.
pub(super) fn near(wanted: &str, known: &[String]) -> String {
    let meant = did_you_mean(wanted, known.iter().map(String::as_str));
    if meant.is_empty() { "`cargo xtask add` adds one".to_owned() } else { meant }
}

/// What bodies are of which nothing is known.
fn kind_of(bodies: &[Value], data: Option<&str>) -> Result<Kind, Refusal> {
    let is_series = |body: &Value| match data {
        Some(data) => body.get(data).is_some_and(Value::is_sequence),
        None => body.is_sequence(),
    };
    if bodies.iter().all(is_series) {
        return Ok(Kind::Series);
    }
    if bodies.iter().all(Value::is_mapping) {
        return Ok(Kind::Object);
    }
    Err(Refusal::new(
        "its body is neither one object nor a series in the service's envelope, and the catalogue has no other word",
    ))
}

/// Where a body says what went wrong, if one does: saved without its status it looks like any other.
fn failure<'s>(service: &'s spec::Service, bodies: &[Value]) -> Option<&'s str> {
    let has_text = |place: &&String| {
        let text = |body: &Value| Some(place.split('.').try_fold(body, |value, key| value.get(key))?.is_string());
        bodies.iter().any(|body| text(body) == Some(true))
    };
    service.error_body.message.iter().find(has_text).map(String::as_str)
}

/// All records of all replies.
fn rows(bodies: &[Value], data: Option<&str>) -> Result<Seen, Refusal> {
    let mut seen = Seen::default();
    for body in bodies {
        let rows = data.map_or(Some(body), |data| body.get(data)).and_then(Value::as_sequence);
        let rows = rows.ok_or_else(|| no_series(data))?;
        for row in rows {
            seen.add(row);
        }
    }
    match (seen.times, seen.objects) {
        (0, _) => Err(Refusal::new("there are no records in the reply; ask for something of which it has some")),
        (all, objects) if all == objects => Ok(seen),
        _ => Err(Refusal::new("its records are not objects, and the catalogue has no word for that")),
    }
}

fn no_series(data: Option<&str>) -> Refusal {
    let place = data.map_or_else(|| "as the whole body".to_owned(), |data| format!("under `{data}`"));
    Refusal::Said(format!(
        "the catalogue says a series, and there is none in the reply; give a reply with a list {place}, or correct `body`"
    ))
}

fn objects(bodies: &[Value]) -> Result<Seen, Refusal> {
    let mut seen = Seen::default();
    for body in bodies {
        seen.add(body);
    }
    match (seen.times == seen.objects, seen.fields.0.is_empty()) {
        (true, false) => Ok(seen),
        (true, true) => Err(Refusal::new("there are no fields in the reply; ask for something of which it has some")),
        (false, _) => Err(Refusal::new(
            "the catalogue says one object, and the reply is none; give another reply, or correct `body`",
        )),
    }
}

/// Edits the body of an endpoint: lists its fields, or merges with those that are listed.
fn body(desk: &mut Desk, topic: &Topic<'_>, index: usize, kind: Kind, seen: &Seen) -> Result<(), Refusal> {
    let path = vec![Step::Key("endpoints"), Step::Item(index)];
    let entry = desk.tree(&topic.file)?;
    let entry = entry.get("endpoints").and_then(|endpoints| endpoints.item_at(index)).cloned().unwrap_or(Tree::Null);
    let known = entry.get("body").cloned().unwrap_or(Tree::Null);
    let inherited = known.get("evidence").or(entry.get("evidence")).and_then(Tree::as_text).unwrap_or_default();
    let envelope = desk.checked.service.envelope.as_ref();
    let shared = envelope.and_then(|envelope| envelope.time.as_ref()).map(|time| time.name.clone());
    let own = known.get("time").and_then(Tree::as_text).map(str::to_owned);
    let time = shared.filter(|time| kind == Kind::Series && own.as_ref().is_none_or(|own| own == time));
    match known.get(kind.key()) {
        Some(Tree::List(_)) => {
            let path = [path, vec![Step::Key("body"), Step::Key(kind.key())]].concat();
            let place = Place { file: topic.file.clone(), path, evidence: inherited.to_owned(), time };
            topic.merge(desk, &place, seen)
        }
        Some(Tree::Text(record)) if record != "unknown" => topic.merge_record(desk, record, seen),
        _ => {
            let list = topic.list(desk, seen, time.as_deref())?;
            let has_time = kind == Kind::Object || time.as_ref().is_some_and(|time| seen.fields.get(time).is_some());
            let named = if has_time || own.is_some() { own } else { Some(topic.time_of(desk, &list)) };
            say_learned(desk, topic, &list, seen);
            open(desk, topic, &path, &known, kind, list, named)
        }
    }
}

/// Puts fields where none were known.
fn open(
    desk: &mut Desk,
    topic: &Topic<'_>,
    endpoint: &[Step],
    known: &Tree,
    kind: Kind,
    list: Vec<Tree>,
    time: Option<String>,
) -> Result<(), Refusal> {
    let body = [endpoint, &[Step::Key("body")]].concat();
    let new = Tree::map()
        .with("evidence", topic.learning.evidence.as_str())
        .with_some("time", time.clone())
        .with(kind.key(), list.clone());
    if desk.replace(&topic.file, &body, new).is_ok() {
        return Ok(());
    }
    // It stands on several lines, which stay.
    desk.replace(&topic.file, &[body.as_slice(), &[Step::Key(kind.key())]].concat(), list)?;
    let evidence = topic.learning.evidence.as_str();
    match known.get("evidence") {
        Some(_) => desk.replace(&topic.file, &[body.as_slice(), &[Step::Key("evidence")]].concat(), evidence)?,
        None => desk.insert(&topic.file, &body, &format::BODY, "evidence", &evidence.into())?,
    }
    match (known.get("time"), time) {
        (None, Some(time)) => desk.insert(&topic.file, &body, &format::BODY, "time", &time.into()),
        _ => Ok(()),
    }
}

fn say_learned(desk: &mut Desk, topic: &Topic<'_>, list: &[Tree], seen: &Seen) {
    let fields = list.iter().filter_map(|field| {
        let optional = if field.get("optional").is_some() { ", optional" } else { "" };
        Some(format!("{} ({}{optional})", field.get("name")?.as_text()?, field.get("type")?.as_text()?))
    });
    let fields: Vec<_> = fields.collect();
    let records = if seen.times == 1 { "1 record".to_owned() } else { format!("{} records", seen.times) };
    desk.say(format!("{}: learned from {records}: {}", topic.endpoint, fields.join(", ")));
}
