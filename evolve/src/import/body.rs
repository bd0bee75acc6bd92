//! What comes back where all is well: the records of a series, or one object.

use codegen::model::{TimeFormat, TimeUnit};
use serde_yaml::Value;

use super::Reader;
use super::document::{entries, entries_of, evidence_of, text};
use super::plan::{PlannedBody, Ty};
use super::schema::type_of;

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
        let Some((chosen, response)) = good_reply(responses) else { return Reply::default() };
        let Some((response, reference)) = self.document.follow(response) else { return Reply::default() };
        let place = format!("{place}/responses/{chosen}");
        let place = reference.unwrap_or(&place);
        let evidence = evidence_of(response).map(str::to_owned);
        let json = entries(response, "content").find(|(kind, _)| is_json(kind));
        let Some(schema) = json.and_then(|(_, content)| content.get("schema")) else { return Reply::default() };
        let time = text(response, "x-time").map(str::to_owned);
        if text(response, "x-body") == Some("unknown") {
            return Reply::default();
        }
        let at = format!("{place}/schema");
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
        let fields = self.properties(target, at).listed;
        let (_, data, data_at) = fields.iter().find(|(key, ..)| *key == envelope.data)?;
        let (list, reference) = self.document.follow(data)?;
        let list_at = reference.unwrap_or(data_at);
        if type_of(list) != "array" {
            return None;
        }
        for (_, property, at) in fields.iter().filter(|(key, ..)| Some(*key) == envelope.metadata.as_deref()) {
            self.metadata(property, at);
        }
        let Some(item) = list.get("items") else { return Some(PlannedBody::Series(None, time)) };
        let record = self.value(item, &format!("{name} Item"), &format!("{list_at}/items")).ty;
        let record = if let Ty::Record(index) = record { Some(index) } else { None };
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
        let body = match self.value(schema, &format!("{name} Body"), place).ty {
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

/// The response where all is well, with its status.
pub(super) fn good_reply(responses: &Value) -> Option<(&str, &Value)> {
    let good: Vec<_> = entries_of(responses).filter(|(status, _)| status.starts_with('2')).collect();
    good.iter().find(|(status, _)| *status == "200").or(good.first()).copied()
}

/// Whether a kind of content is one JSON value, unlike the lines of `application/x-ndjson`.
pub(super) fn is_json(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(kind.as_str(), "application/json" | "text/json" | "application/*" | "*/*") || kind.ends_with("+json")
}
