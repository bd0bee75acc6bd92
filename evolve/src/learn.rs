//! Replies in, the fields of their records out, merged with what is known of them.
//!
//! What a reply shows is believed as far as it goes: types are widened where it contradicts, and what was
//! contradicted is said. What a field means no reply tells, so its summary is `unknown` until someone writes it.

mod body;
mod endpoint;
mod enums;
mod failure;
mod fields;
mod guess;
mod kind;
mod metadata;
mod rows;
mod time;
mod types;
mod widen;

use codegen::Catalogue;
use codegen::spec::BodyEntry;

use super::change::{CatalogueChange, Desk, Refusal};
use super::reply::Reply;
use endpoint::find;
pub(super) use endpoint::near;
use enums::FieldsSeen;
use fields::Topic;
use kind::BodyKind;

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
    /// Where each reply is from, for messages, and what was saved: a JSON body, alone or behind its headers.
    pub replies: Vec<(String, Vec<u8>)>,
}

/// Makes the change that replies ask for.
pub fn learn(catalogue: Catalogue, learning: &Learning) -> Result<CatalogueChange, Refusal> {
    let mut desk = Desk::open(catalogue)?;
    let mut met = FieldsSeen::default();
    for lesson in &learning.lessons {
        match desk.attempt(|desk| attend(desk, learning, lesson, &mut met)) {
            // One that cannot be learned from does not spoil the others.
            Err(Refusal::Said(why)) if learning.lessons.len() > 1 => {
                desk.say(format!("{}: nothing learned, because {why}", lesson.endpoint));
            }
            Err(Refusal::Said(why)) => return Err(Refusal::Said(format!("{}: {why}", lesson.endpoint))),
            done => done?,
        }
    }
    met.say_unmet(&mut desk, &learning.enums);
    desk.close()
}

fn attend(desk: &mut Desk, learning: &Learning, lesson: &Lesson, met: &mut FieldsSeen) -> Result<(), Refusal> {
    let found = find(desk, &lesson.endpoint)?;
    let replies = read(learning, lesson)?;
    let (module, group) = &desk.checked.groups[found.group];
    let known = group.endpoints[found.endpoint].body.known().map(BodyEntry::body);
    let warning = failure::judge(&desk.checked, found.group, known, &replies)?;
    let topic = Topic { file: format!("{module}.yaml"), endpoint: found.label, learning };
    let data = desk.checked.service.envelope.as_ref().map(|envelope| envelope.data.clone());
    let kind = known.map_or_else(|| kind::of(&replies, data.as_deref()), |body| Ok(BodyKind::known(body)))?;
    let has_data = |data: &&str| replies.iter().any(|reply| reply.at(data).is_some());
    if let (None, BodyKind::Object, Some(data)) = (known, kind, data.as_deref().filter(has_data)) {
        topic.say(desk, format!("`{data}` is no list, so the body is taken for one object and not for a series"));
    }
    let seen = match kind {
        BodyKind::Series => kind::records(&replies, data.as_deref())?,
        BodyKind::Object => kind::objects(&replies)?,
        BodyKind::Value => kind::whole(&replies),
    };
    let seen = topic.by_names(desk, found.endpoint, kind, seen)?;
    if let Some(warning) = warning {
        topic.say(desk, warning);
    }
    met.add(&seen);
    topic.body(desk, found.endpoint, kind, &seen)?;
    if kind == BodyKind::Series {
        topic.metadata(desk, &replies, met)?;
    }
    Ok(())
}

fn read(learning: &Learning, lesson: &Lesson) -> Result<Vec<Reply>, Refusal> {
    let replies = lesson.replies.iter().map(|(origin, bytes)| {
        let reply = Reply::read(origin, bytes).map_err(|why| Refusal::Said(format!("{origin}: {why}")))?;
        if reply.is_invented && !learning.accept_invented {
            return Err(Refusal::Said(format!(
                "{origin} is a reply of the sandbox, which made it up; to learn it all the same, name the catalogue with --spec"
            )));
        }
        Ok(reply)
    });
    replies.collect()
}
