//! What comes back where all is well: the records of a series, or one object.

use codegen::model::{TimeFormat, TimeUnit};
use serde_yaml::Value;

use super::Reader;
use super::composition::Collected;
use super::document::{entries, evidence_of, text};
use super::plan::{PlannedBody, Ty};
use super::schema::is_nullable;

const RESPONSE_KEYS: &str = "content description x-body x-evidence x-time x-time-format x-time-unit";

/// What a good reply holds, and what is said of it.
#[derive(Debug, Default)]
pub(super) struct Reply {
    pub(super) body: PlannedBody,
    pub(super) evidence: Option<String>,
    /// The unit of a series' time where no field says it.
    pub(super) time_unit: Option<String>,
    /// The same of its format.
    pub(super) time_format: Option<String>,
}

impl<'d> Reader<'d> {
    pub(super) fn reply(&mut self, operation: &'d Value, name: &str, place: &str) -> Reply {
        let responses = operation.get("responses").unwrap_or(&Value::Null);
        let all: Vec<_> = entries(operation, "responses").filter(|(status, _)| status.starts_with('2')).collect();
        let good = all.iter().find(|(status, _)| *status == "200").or(all.first());
        let Some((chosen, response)) = good else {
            if responses.get("default").is_some() {
                self.notes
                    .missing("a `default` response alone, which may be a failure, so that the body is unknown", place);
            }
            return Reply::default();
        };
        for (status, _) in all.iter().filter(|(status, _)| status != chosen) {
            self.notes.missing(format!("the response `{status}` beside `{chosen}`"), place);
        }
        let Some((target, reference)) = self.document.follow(response) else {
            self.notes.missing("a response that leads nowhere", place);
            return Reply::default();
        };
        let place = format!("{place}/responses/{chosen}");
        if reference.is_some() {
            self.sweep(response, "$ref", &place);
        }
        let (response, place) = (target, reference.unwrap_or(&place));
        self.sweep(response, RESPONSE_KEYS, place);
        self.untold(response, "description", "a reply", place);
        let evidence = evidence_of(response).map(str::to_owned);
        let json = entries(response, "content").find(|(kind, _)| is_json(kind));
        if entries(response, "content").count() > 1 {
            self.notes.aside("further kinds of content", place);
        }
        if let Some((kind, content)) = json {
            self.sweep(content, "schema", &format!("{place}/{kind}"));
        }
        let Some(schema) = json.and_then(|(_, content)| content.get("schema")) else {
            if response.get("content").is_some() {
                self.notes.missing("a body that is not JSON, or has no schema, which is unknown", place);
            }
            return Reply::default();
        };
        let time = text(response, "x-time").map(str::to_owned);
        if text(response, "x-body") == Some("unknown") {
            return Reply::default();
        }
        let at = format!("{place}/schema");
        if self.default_of(schema).is_some() {
            self.notes.add("`default` of a body", &at);
        }
        let is_value = text(response, "x-body") == Some("type");
        let series = if is_value { None } else { self.series(schema, name, time.clone(), &at) };
        let body = series.unwrap_or_else(|| self.whole(schema, name, time, is_value, &at));
        let unit = text(response, "x-time-unit").filter(|unit| TimeUnit::of(unit).is_some());
        let format = text(response, "x-time-format").filter(|format| TimeFormat::of(format).is_some());
        Reply { body, evidence, time_unit: unit.map(str::to_owned), time_format: format.map(str::to_owned) }
    }

    /// A body in the envelope of the service.
    fn series(&mut self, schema: &'d Value, name: &str, time: Option<String>, place: &str) -> Option<PlannedBody> {
        let envelope = self.envelope.clone()?;
        let (target, reference) = self.document.follow(schema)?;
        let at = reference.unwrap_or(place);
        let mut parts = Collected::default();
        if target.get("properties").is_some() || target.get("allOf").is_some() {
            self.sweep(target, super::schema::KEYS, at);
            self.collect(target, at, &mut parts, 0);
        }
        let (_, data, data_at) = parts.properties.iter().find(|(key, ..)| *key == envelope.data)?;
        let (list, reference) = self.document.follow(data)?;
        let list_at = reference.unwrap_or(data_at);
        if self.type_of(list, list_at) != "array" {
            return None;
        }
        self.sweep(list, super::schema::KEYS, list_at);
        if is_nullable(target) || is_nullable(list) {
            self.notes.add("records that can be `null` as a whole", list_at);
        }
        for (key, property, at) in &parts.properties {
            if Some(key) == envelope.metadata.as_ref() {
                self.metadata(property, at);
            } else if *key != envelope.data {
                self.notes.aside(format!("`{key}` beside the records, which the client keeps"), place);
            }
        }
        let Some(item) = list.get("items") else { return Some(PlannedBody::Series(None, time)) };
        let value = self.value(item, &format!("{name} Item"), &format!("{list_at}/items"));
        if value.nullable {
            self.notes.add("records that can be `null`", list_at);
        }
        let record = match value.ty {
            Ty::Record(index) => Some(index),
            Ty::Builtin("any") => None,
            _ => {
                self.notes.missing("records that are not objects, which are unknown", place);
                None
            }
        };
        Some(PlannedBody::Series(record, time))
    }

    /// A body without an envelope.
    fn whole(
        &mut self,
        schema: &'d Value,
        name: &str,
        time: Option<String>,
        is_value: bool,
        place: &str,
    ) -> PlannedBody {
        let has_envelope = self.envelope.is_some();
        let value = self.value(schema, &format!("{name} Body"), place);
        if value.nullable {
            self.notes.add("a body that can be `null`", place);
        }
        let body = match value.ty {
            ty if is_value => PlannedBody::Value(ty),
            Ty::Record(index) => PlannedBody::Object(index),
            Ty::List(item) if !has_envelope && matches!(*item, Ty::Record(_) | Ty::Builtin("any")) => {
                PlannedBody::Series(item.record(), time)
            }
            Ty::Builtin("any") => PlannedBody::Unknown,
            ty => PlannedBody::Value(ty),
        };
        // What a type names has to have a name.
        if let PlannedBody::Value(ty) = &body
            && let Some(record) = ty.record()
        {
            self.plan.records[record].uses += 1;
        }
        body
    }
}

/// Whether a kind of content is one JSON value, unlike the lines of `application/x-ndjson`.
fn is_json(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(kind.as_str(), "application/json" | "text/json" | "application/*" | "*/*") || kind.ends_with("+json")
}
