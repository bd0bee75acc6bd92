//! The body of the reply to a request.
//!
//! The registry says what the body is; the values come from the market, or are plausible where the market
//! has nothing. Rows are written one by one, so that a long window costs no more memory than its text.

use generated_client::record::Record;
use generated_client::registry::{BodyInfo, EndpointInfo, RecordForm, ValueType};
use generated_client::{Metadata, Value};
use serde_json::json;

use crate::asked::{Asked, Strictness};
use crate::calendar::{Interval, MINUTE, block_start, to_wire, to_wire_in};
use crate::fields::{self, Field};
use crate::market::Scope;
use crate::market::noise::Seed;
use crate::measures::{self, Measure};
use crate::refusal::Refusal;
use crate::scope::{self, Venues};
use crate::snapshot::{self, Row};
use crate::window::{FIRST_MOMENT, Window};
use crate::{invented, known, plausible, whole};

/// The sources of an answer, beside the request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World {
    pub(crate) seed: Seed,
    pub(crate) strictness: Strictness,
    pub(crate) now: i64,
}

/// A body, and which parts of it are invented.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) body: Vec<u8>,
    pub(crate) invented: Option<&'static str>,
}

/// The answer to a request for an endpoint.
pub(crate) fn answer(endpoint: &'static EndpointInfo, asked: &Asked, world: World) -> Result<Answer, Refusal> {
    let venues = Venues::of(asked);
    if let (Strictness::Reported, [venue, ..]) = (world.strictness, venues.unsupported.as_slice()) {
        return Err(Refusal::unprocessable("unsupported_exchange", format!("no venue is known as \"{venue}\"")));
    }
    let scope = scope::of(asked, &venues, world.seed);
    let seed = scope.seed().name(endpoint.path.unwrap_or_default());
    match endpoint.body {
        BodyInfo::Series { record, time, .. } => {
            let fields = fields::of_series(endpoint).unwrap_or_default();
            let mut body = Body::begin(record.is_some_and(|record| record.form == RecordForm::Positional));
            match time {
                _ if scope.venues.is_empty() => {}
                Some(time) => series(&mut body, endpoint, &fields, time, &scope, Window::of(asked, world.now)),
                None => {
                    if let Some(moment) = moment(asked, world.now) {
                        snapshot(&mut body, endpoint, &fields, &scope, asked, moment);
                    }
                }
            }
            let invented = record.is_none().then_some(invented::FIELDS);
            Ok(Answer { body: body.end(&said_of(&venues, asked, &scope), invented), invented })
        }
        BodyInfo::Object { record, .. } => {
            let object = plausible::record(record, seed, &scope, block_start(world.now, MINUTE));
            Ok(Answer { body: object.to_string().into_bytes(), invented: None })
        }
        _ => {
            let mut object = whole::body(endpoint, asked, seed, world.now);
            if let Some(object) = object.as_object_mut() {
                object.insert(invented::MARK.to_owned(), invented::BODY.into());
            }
            Ok(Answer { body: object.to_string().into_bytes(), invented: Some(invented::BODY) })
        }
    }
}

/// The full minute of a snapshot, if there is data for it.
fn moment(asked: &Asked, now: i64) -> Option<i64> {
    let param = asked.params().find(|param| matches!(param.ty, ValueType::Timestamp(_)));
    let moment = param.and_then(|param| asked.moment(param)).unwrap_or(now).min(now);
    (moment >= FIRST_MOMENT).then(|| block_start(moment, MINUTE))
}

/// Where the values of a column come from.
enum Source {
    Time,
    Market(Measure),
    Plausible(Seed),
}

fn series(body: &mut Body, endpoint: &EndpointInfo, fields: &[Field], time: &str, scope: &Scope, window: Window) {
    let path = endpoint.path.unwrap_or_default();
    let seed = scope.seed().name(path);
    let sources = fields.iter().map(|field| match measures::measure(path, &field.name) {
        _ if field.name == time => Source::Time,
        Some(measure) => Source::Market(measure),
        None => Source::Plausible(seed),
    });
    let sources = sources.collect::<Vec<_>>();
    for interval in window.intervals() {
        body.row(
            fields.iter().zip(&sources).map(|(field, source)| (&*field.name, cell(field, source, scope, interval))),
        );
    }
}

fn cell(field: &Field, source: &Source, scope: &Scope, interval: Interval) -> Value {
    match source {
        Source::Time => match field.ty {
            ValueType::Timestamp(unit) => to_wire_in(interval.start, unit),
            _ => to_wire(interval.start),
        },
        Source::Market(measure) => measure(scope, interval).into(),
        Source::Plausible(seed) => plausible::value(field, *seed, scope, interval.end),
    }
}

fn snapshot(body: &mut Body, endpoint: &EndpointInfo, fields: &[Field], scope: &Scope, asked: &Asked, moment: i64) {
    let path = endpoint.path.unwrap_or_default();
    let seed = scope.seed().name(path);
    for (index, row) in snapshot::rows(path, scope, asked, moment).into_iter().enumerate() {
        let seed = seed.number(i64::try_from(index).unwrap_or(0));
        let known =
            |field: &Field, row: &Row| row.iter().find(|(name, _)| *name == field.name).map(|(_, value)| value.clone());
        body.row(fields.iter().map(|field| {
            (&*field.name, known(field, &row).unwrap_or_else(|| plausible::value(field, seed, scope, moment)))
        }));
    }
}

/// The text of a list of records, in its envelope if the service has one.
struct Body {
    text: Vec<u8>,
    empty: bool,
    /// Whether records have places instead of names.
    positional: bool,
}

impl Body {
    fn begin(positional: bool) -> Self {
        let mut body = Self { text: Vec::with_capacity(4096), empty: true, positional };
        if let Some((data, _)) = fields::envelope() {
            body.lead(data.split('.'));
        }
        body.text.push(b'[');
        body
    }

    fn row<'n>(&mut self, cells: impl Iterator<Item = (&'n str, Value)>) {
        if !std::mem::replace(&mut self.empty, false) {
            self.text.push(b',');
        }
        let [open, close] = if self.positional { *b"[]" } else { *b"{}" };
        self.text.push(open);
        for (index, (name, value)) in cells.enumerate() {
            if index > 0 {
                self.text.push(b',');
            }
            if !self.positional {
                self.name(name);
            }
            self.value(&value);
        }
        self.text.push(close);
    }

    fn end(mut self, metadata: &Value, invented: Option<&str>) -> Vec<u8> {
        self.text.push(b']');
        let Some((data, place)) = fields::envelope() else {
            return self.text;
        };
        let keys = || place.into_iter().flat_map(|place| place.split('.'));
        let shared = data.split('.').zip(keys()).take_while(|(key, other)| key == other).count();
        // The objects around the records, the innermost first.
        for level in (0..data.split('.').count()).rev() {
            if let Some(key) = keys().nth(level).filter(|_| level == shared) {
                self.text.push(b',');
                self.name(key);
                let further = keys().skip(level + 1);
                let closing = further.clone().count();
                self.lead(further);
                self.value(metadata);
                self.text.extend(std::iter::repeat_n(b'}', closing));
            }
            if let Some(what) = invented.filter(|_| level == 0) {
                self.text.push(b',');
                self.name(invented::MARK);
                self.value(&what.into());
            }
            self.text.push(b'}');
        }
        self.text
    }

    /// Opens the objects that lead to a value.
    fn lead<'n>(&mut self, keys: impl Iterator<Item = &'n str>) {
        for key in keys {
            self.text.push(b'{');
            self.name(key);
        }
    }

    fn name(&mut self, name: &str) {
        // Writing to memory does not fail.
        let _ = serde_json::to_writer(&mut self.text, name);
        self.text.push(b':');
    }

    fn value(&mut self, value: &Value) {
        let _ = serde_json::to_writer(&mut self.text, value);
    }
}

/// The metadata: the first of its lists of venues has those that the values are computed from, the next those that are
/// not supported. The latter is there if the endpoint takes several venues, as in the document; otherwise only if it is
/// not empty.
fn said_of(venues: &Venues, asked: &Asked, scope: &Scope) -> Value {
    let takes_several = asked.params().any(|param| known::is_venue(param) && scope::takes_several(param));
    let shows_unsupported = takes_several || !venues.unsupported.is_empty();
    let mut lists = [Some(json!(venues.covered)), shows_unsupported.then(|| json!(venues.unsupported))].into_iter();
    let said = Metadata::INFO.fields.iter().filter_map(|info| {
        let of_venues = matches!(info.ty, ValueType::List(ValueType::Named(named)) if !named.attributes.is_empty());
        let plausible = || plausible::value(&Field::from(info), scope.seed(), scope, FIRST_MOMENT);
        let value = if of_venues { lists.next().flatten() } else { Some(plausible()).filter(|_| !info.optional) };
        Some((info.wire_name.to_owned(), value?))
    });
    Value::Object(said.collect())
}
