//! Converts the body of a successful response: a series of records, one object, or a value of another type.

use catalogue::spec::{Body, Envelope, Field, Fields, Known};
use serde_yaml::Value;

use super::Reader;
use super::document::{entries, entries_of, text};
use super::omissions::{RESPONSE, Weight};
use super::schemas::type_of;
use super::service::error_status;
use crate::draft::{ANY, Draft, TIMESTAMP, holding, innermost, item, record_in, record_name};

/// The statuses of successful responses without a body.
const WITHOUT_BODY: [&str; 2] = ["204", "205"];

impl<'d> Reader<'d> {
    /// Returns the body of a successful response; `None` if the body is unknown. Records in the body have provisional
    /// names.
    pub(super) fn body(&mut self, operation: &'d Value, name: &str, pointer: &str) -> Option<Body> {
        let responses = operation.get("responses")?;
        let body = self.successful_body(operation, responses, name, pointer);
        let is_series = body.as_ref().is_some_and(|body| body.series.is_some());
        self.note_other_responses(responses, is_series, pointer);
        body
    }

    /// Notes the responses that are not imported. A series without a body has no records, as the client reads it.
    fn note_other_responses(&mut self, responses: &Value, is_series: bool, pointer: &str) {
        let chosen = success_response(responses).map(|(status, _)| status);
        let weight = if chosen.is_none() { Weight::Missing } else { Weight::Aside };
        for (status, _) in entries_of(responses) {
            let is_read = Some(status) == chosen || is_series && WITHOUT_BODY.contains(&status);
            // Error statuses are imported as facts about the service, so they are not omissions.
            if !is_read && error_status(status).is_none() && !status.starts_with("x-") {
                self.omissions.add(weight, format!("the response `{status}`"), &format!("{pointer}/responses"));
            }
        }
    }

    fn successful_body(
        &mut self,
        operation: &'d Value,
        responses: &'d Value,
        name: &str,
        pointer: &str,
    ) -> Option<Body> {
        let (chosen, response) = success_response(responses)?;
        let pointer = format!("{pointer}/responses/{chosen}");
        let (response, reference) = self.resolve(response, &pointer)?;
        let pointer = reference.unwrap_or(&pointer);
        self.omissions.unread(response, RESPONSE, pointer);
        let json = json_of(response);
        for (kind, _) in entries(response, "content").filter(|(kind, _)| json.is_none_or(|(json, _)| json != *kind)) {
            let weight = if json.is_none() { Weight::Missing } else { Weight::Aside };
            self.omissions.add(weight, format!("a body of the media type `{kind}`"), pointer);
        }
        let (_, content) = json?;
        let (content, _) = self.resolve(content, pointer)?;
        let Some(schema) = content.get("schema") else {
            self.omissions.add(Weight::Missing, "a body without a `schema`", pointer);
            return None;
        };
        let at = format!("{pointer}/schema");
        if self.document.is_nullable(schema) {
            self.omit_type("can be null", &at);
            return None;
        }
        // Our own export has the path of the records that are not where the envelope has them.
        let own = text(operation, "x-data");
        let body = self.series(schema, own, name, &at).or_else(|| self.without_envelope(schema, name, &at))?;
        // A series without a body has no records.
        if body.series.is_none() && WITHOUT_BODY.iter().any(|status| responses.get(status).is_some()) {
            self.omit_type("can be missing (status 204)", &at);
            return None;
        }
        let data = own.filter(|_| body.series.is_some()).map(Into::into);
        Some(Body { data, ..body })
    }

    /// Notes that the type of a body is not imported, because there is no body in some responses.
    fn omit_type(&mut self, why: &str, at: &str) {
        let what = format!("the type of a body that {why}; the body is unknown, and the client returns raw JSON");
        self.omissions.add(Weight::Missing, what, at);
    }

    /// Returns a body in the envelope of the service, or one whose records are at the path `own`; `None` if the schema
    /// does not have the path.
    fn series(&mut self, schema: &'d Value, own: Option<&str>, name: &str, pointer: &str) -> Option<Body> {
        let Envelope { data, metadata, .. } = match own {
            Some(data) => Envelope { data: data.to_owned(), ..Envelope::default() },
            None => self.known.service.envelope.clone()?,
        };
        let metadata = metadata.map(|metadata| metadata.name.to_string());
        let (list, list_at) = self.schema_at(schema, pointer, &data)?;
        let (list, reference) = self.document.follow(list)?;
        let list_at = reference.unwrap_or(&list_at);
        let columns = if type_of(list) == "array" { None } else { Some(self.columns(list, name, list_at)?) };
        for (key, _, at, _) in self.document.properties(schema, pointer) {
            if data != "." && !metadata.iter().chain([&data]).any(|path| path.split('.').next() == Some(key.as_str())) {
                self.omissions.add(Weight::Fact, format!("the key `{key}` next to the records"), &at);
            }
        }
        if let Some((metadata, at)) = metadata.and_then(|metadata| self.schema_at(schema, pointer, &metadata)) {
            let ty = self.value(metadata, "Metadata", &at);
            self.add_metadata(only_record(&ty));
        }
        if columns.is_some() {
            return columns;
        }
        let Some(item) = list.get("items") else { return Some(series_of(None)) };
        let items_at = format!("{list_at}/items");
        let item = self.value(item, &format!("{name} Item"), &items_at);
        if only_record(&item).is_none() && item != ANY {
            self.omissions.add(Weight::Untyped, "records that are not objects", &items_at);
        }
        Some(series_of(only_record(&item)))
    }

    /// Adds the fields of a record to the metadata.
    fn add_metadata(&mut self, record: Option<usize>) {
        let Draft { content, metadata, .. } = &mut self.draft;
        let envelope = self.known.service.envelope.as_ref();
        let evidence = Some(self.options.evidence).filter(|own| envelope.is_none_or(|known| known.evidence != *own));
        for field in record.into_iter().flat_map(|index| &content.service.records[index].fields) {
            if metadata.iter().all(|known| known.name != field.name) {
                metadata.push(Field { evidence, ..field.clone() });
            }
        }
    }

    /// Returns the schema at a dot-separated path of keys, and its path in the description.
    fn schema_at(&self, schema: &'d Value, pointer: &str, keys: &str) -> Option<(&'d Value, String)> {
        keys.split('.').filter(|key| !key.is_empty()).try_fold(
            (schema, pointer.to_owned()),
            |(schema, pointer), key| {
                let mut fields = self.document.properties(schema, &pointer).into_iter();
                fields.find(|(name, ..)| *name == key).map(|(_, property, at, _)| (property, at))
            },
        )
    }

    /// Returns a body that does not use the envelope of the service.
    fn without_envelope(&mut self, schema: &'d Value, name: &str, pointer: &str) -> Option<Body> {
        if let Some(columns) = self.columns(schema, name, pointer) {
            return Some(columns);
        }
        let ty = self.value(schema, &format!("{name} Body"), pointer);
        if let Some(record) = only_record(&ty) {
            return Some(Body { object: Some(named(record)), ..Body::default() });
        }
        // If the catalogue has no envelope, a list of records is a series.
        let of_list = item(&ty).filter(|_| self.known.service.envelope.is_none());
        if let Some(item) = of_list.filter(|item| only_record(item).is_some() || *item == ANY) {
            return Some(series_of(only_record(item)));
        }
        if ty == ANY {
            return None;
        }
        // If the body itself is a timestamp or a list of timestamps, the catalogue has no key for their format, so
        // timestamps that are written as text stay strings.
        let is_written = innermost(&ty) == TIMESTAMP && self.document.timestamp_format(schema).is_some();
        let ty = if is_written { holding(&ty, "string") } else { ty };
        Some(Body { ty: Some(ty.into()), ..Body::default() })
    }
}

/// Returns the index of the record that a type is, not of one that it contains.
fn only_record(ty: &str) -> Option<usize> {
    record_in(ty).filter(|_| innermost(ty) == ty)
}

pub(super) fn series_of(record: Option<usize>) -> Body {
    Body { series: Some(record.map_or(Known::Unknown, named)), ..Body::default() }
}

fn named(record: usize) -> Known<Fields> {
    Known::Known(Fields::Record(record_name(record).into()))
}

/// Returns the response with status 200, or else the first response with a success status, together with the status.
pub(super) fn success_response(responses: &Value) -> Option<(&str, &Value)> {
    let good: Vec<_> = entries_of(responses).filter(|(status, _)| status.starts_with('2')).collect();
    good.iter().find(|(status, _)| *status == "200").or(good.first()).copied()
}

/// Returns the JSON body of a response with its media type. It is one JSON value, unlike `application/x-ndjson`.
pub(super) fn json_of(response: &Value) -> Option<(&str, &Value)> {
    entries(response, "content").find(|(kind, _)| {
        let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        matches!(kind.as_str(), "application/json" | "text/json" | "application/*" | "*/*") || kind.ends_with("+json")
    })
}
