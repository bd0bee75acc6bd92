//! Converts the body of a successful response: a series of records, one object, or a value of another type.

use catalogue::model::BodyFormat;
use catalogue::spec::{Body, Envelope, Field, Fields, Known};
use serde_yaml::Value;

use super::description_reader::DescriptionReader;
use super::omissions::{NEXT_TO_PROPERTIES, RESPONSE, Weight};
use super::responses::{readable_body, success_response};
use super::schema_facts::type_of;
use super::schema_parts::Layer;
use super::service::error_status;
use super::tree::{entries, text};
use crate::drafted_type::{ANY, TIMESTAMP, innermost, item, record_index, record_name, replace_innermost};
use crate::json_paths::entries_of;

/// The statuses of successful responses without a body.
const WITHOUT_BODY: [&str; 2] = ["204", "205"];

/// The description of a body.
struct BodySchema<'d> {
    schema: Option<Layer<'d>>,
    /// The schema of each record, which OpenAPI 3.2 states for bodies that are read record by record.
    item: Option<Layer<'d>>,
    /// `None` for JSON.
    format: Option<BodyFormat>,
}

impl<'d> DescriptionReader<'d> {
    /// The body of a successful response; `None` if the body is unknown. Records in the body have provisional names.
    pub(super) fn body(&mut self, operation: &'d Value, name: &str, pointer: &str) -> Option<Body> {
        let responses = operation.get("responses")?;
        let body = self.successful_body(operation, responses, name, pointer);
        let is_series = body.as_ref().is_some_and(|body| body.series.is_some());
        self.note_other_responses(responses, is_series, pointer);
        body
    }

    /// Notes the responses that are not imported. A series without a body has no records, as the client reads it.
    fn note_other_responses(&mut self, responses: &Value, is_series: bool, pointer: &str) {
        let mut chosen = None;
        let mut weight = Weight::Missing;
        if let Some(success) = success_response(responses) {
            chosen = Some(success.status);
            weight = Weight::Aside;
        }
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
        let BodySchema { schema, item, format } = self.body_schema(responses, pointer)?;
        if let Some(format) = format {
            let series = match (item, schema) {
                (Some(item), _) => Some(self.series_of_item(&item, name)),
                (None, Some(schema)) => self.series_of_lines(format, &schema, name),
                (None, None) => None,
            };
            return Some(self.series_in_text(format, series, pointer));
        }
        let schema = schema?;
        if self.document.is_nullable(schema.schema) {
            self.omit_type("can be null", &schema.pointer);
            return None;
        }
        // Our own export has the path of the records that are not where the envelope has them.
        let stated_data = text(operation, "x-data");
        let mut body = match self.series(&schema, stated_data, name) {
            Some(series) => series,
            None => self.body_without_envelope(&schema, name)?,
        };
        if body.series.is_some() {
            body.data = stated_data.map(Into::into);
        } else if WITHOUT_BODY.iter().any(|status| responses.get(status).is_some()) {
            self.omit_type("can be missing (status 204)", &schema.pointer);
            return None;
        }
        Some(body)
    }

    /// A series in CSV or in lines of JSON. Many descriptions state only that such a body is text.
    fn series_in_text(&mut self, format: BodyFormat, series: Option<Body>, pointer: &str) -> Body {
        let series = series.filter(|body| body.series.is_some());
        let omitted = match &series {
            None => Some("which has no schema of its records"),
            Some(body) if format != BodyFormat::Ndjson && !self.has_plain_values(body) => {
                Some("whose values are lists or objects")
            }
            Some(_) => None,
        };
        let mut body = series.unwrap_or_default();
        if let Some(why) = omitted {
            let what = format!("the fields of a body in `{}`, {why}", format.word());
            self.omissions.add(Weight::Missing, what, pointer);
            body = series_of(None);
        }
        Body { sent_as: Some(format.into()), ..body }
    }

    /// `true` if no field of a series is a list or an object, which a row cannot have.
    fn has_plain_values(&self, body: &Body) -> bool {
        let Some(Known::Known(Fields::Record(name))) = &body.series else { return true };
        let Some(index) = record_index(name) else { return true };
        let fields = &self.draft.content.service.records[index].fields;
        fields.iter().all(|field| innermost(&field.ty) == field.ty.as_str() && record_index(&field.ty).is_none())
    }

    /// A series by the schema of a list, or by that of an object, which each line of JSON is.
    fn series_of_lines(&mut self, format: BodyFormat, schema: &Layer<'d>, name: &str) -> Option<Body> {
        let is_object = self.document.follow(schema.schema).is_some_and(|resolved| type_of(resolved.value) == "object");
        if format == BodyFormat::Ndjson && is_object {
            return Some(self.series_of_item(schema, name));
        }
        self.series(schema, Some("."), name)
    }

    /// The schema of a successful response. Bodies of other media types are noted.
    fn body_schema(&mut self, responses: &'d Value, pointer: &str) -> Option<BodySchema<'d>> {
        let listed = success_response(responses)?;
        let pointer = format!("{pointer}/responses/{}", listed.status);
        let resolved = self.resolve(listed.response, &pointer)?;
        let response = resolved.value;
        let pointer = resolved.pointer(&pointer);
        self.omissions.unread(response, RESPONSE, pointer);
        let readable = readable_body(response);
        let weight = if readable.is_none() { Weight::Missing } else { Weight::Aside };
        for (media_type, _) in entries(response, "content") {
            if readable.is_none_or(|readable| readable.media_type != media_type) {
                self.omissions.add(weight, format!("a body of the media type `{media_type}`"), pointer);
            }
        }
        let readable = readable?;
        let format = readable.format;
        let content = self.resolve(readable.content, pointer)?.value;
        let layer = |key: &str| {
            let schema = content.get(key)?;
            Some(Layer { schema, pointer: format!("{pointer}/{key}") })
        };
        let schema = layer("schema");
        if schema.is_none() && format.is_none() {
            self.omissions.add(Weight::Missing, "a body without a `schema`", pointer);
        }
        Some(BodySchema { schema, item: layer("itemSchema"), format })
    }

    /// Notes that the type of a body is not imported, because there is no body in some responses.
    fn omit_type(&mut self, why: &str, pointer: &str) {
        let what = format!("the type of a body that {why}; the body is unknown, and the client returns raw JSON");
        self.omissions.add(Weight::Missing, what, pointer);
    }

    /// A body in the envelope of the service, or one whose records are at the path `stated_data`; `None` if the schema does
    /// not have the path.
    fn series(&mut self, body: &Layer<'d>, stated_data: Option<&str>, name: &str) -> Option<Body> {
        let envelope = match stated_data {
            Some(data) => Envelope { data: data.to_owned(), ..Envelope::default() },
            None => self.catalogue.service.envelope.clone()?,
        };
        let metadata = envelope.metadata.map(|metadata| metadata.name.to_string());
        let list = self.schema_at(body, &envelope.data)?;
        let resolved = self.document.follow(list.schema)?;
        let list = Layer { schema: resolved.value, pointer: resolved.pointer(&list.pointer).to_owned() };
        let mut columns = None;
        if type_of(list.schema) != "array" {
            columns = Some(self.column_body(list.schema, name, &list.pointer)?);
        }
        self.note_other_members(body, &envelope.data, metadata.as_deref());
        if let Some(path) = metadata
            && let Some(metadata) = self.schema_at(body, &path)
        {
            let ty = self.type_at(metadata.schema, "Metadata", &metadata.pointer);
            self.add_metadata(only_record(&ty), &metadata.pointer);
        }
        match columns {
            Some(columns) => Some(columns),
            None => Some(self.series_of_items(&list, name)),
        }
    }

    /// Notes the members of a body next to its records and its metadata.
    fn note_other_members(&mut self, body: &Layer<'d>, data: &str, metadata: Option<&str>) {
        if data == "." {
            return;
        }
        let mut read = vec![first_key(data)];
        read.extend(metadata.map(first_key));
        for member in self.document.properties(body.schema, &body.pointer) {
            if !read.contains(&member.name.as_str()) {
                let what = format!("the key `{}` next to the records", member.name);
                self.omissions.add(Weight::Fact, what, &member.pointer);
            }
        }
    }

    fn series_of_items(&mut self, list: &Layer<'d>, name: &str) -> Body {
        let Some(items) = list.schema.get("items") else { return series_of(None) };
        self.series_of_item(&Layer { schema: items, pointer: format!("{}/items", list.pointer) }, name)
    }

    /// A series by the schema of its records.
    fn series_of_item(&mut self, item: &Layer<'d>, name: &str) -> Body {
        let ty = self.type_at(item.schema, &format!("{name} Item"), &item.pointer);
        let record = only_record(&ty);
        if record.is_none() && ty != ANY {
            self.omissions.add(Weight::Untyped, "records that are not objects", &item.pointer);
        }
        series_of(record)
    }

    /// Adds the fields of the record at a path to the metadata. Their evidence is stated only if it is not that of the
    /// envelope. Metadata has no type for members that are not listed.
    fn add_metadata(&mut self, record: Option<usize>, pointer: &str) {
        let Some(index) = record else { return };
        if self.draft.content.service.records[index].others.is_some() {
            self.omissions.add(Weight::Fact, NEXT_TO_PROPERTIES, pointer);
        }
        let mut evidence = Some(self.options.evidence);
        if let Some(envelope) = &self.catalogue.service.envelope
            && envelope.evidence == self.options.evidence
        {
            evidence = None;
        }
        let metadata = &mut self.draft.metadata;
        for field in &self.draft.content.service.records[index].fields {
            if metadata.iter().all(|known| known.name != field.name) {
                metadata.push(Field { evidence, ..field.clone() });
            }
        }
    }

    /// The schema at a dot-separated path of keys.
    fn schema_at(&self, body: &Layer<'d>, keys: &str) -> Option<Layer<'d>> {
        let mut found = body.clone();
        for key in keys.split('.') {
            if key.is_empty() {
                continue;
            }
            let properties = self.document.properties(found.schema, &found.pointer);
            let property = properties.into_iter().find(|property| property.name == key)?;
            found = Layer { schema: property.schema, pointer: property.pointer };
        }
        Some(found)
    }

    /// A body that does not use the envelope of the service.
    fn body_without_envelope(&mut self, body: &Layer<'d>, name: &str) -> Option<Body> {
        if let Some(columns) = self.column_body(body.schema, name, &body.pointer) {
            return Some(columns);
        }
        let ty = self.type_at(body.schema, &format!("{name} Body"), &body.pointer);
        if let Some(record) = only_record(&ty) {
            return Some(Body { object: Some(named(record)), ..Body::default() });
        }
        // If the catalogue has no envelope, a list of records is a series.
        if let Some(item) = item(&ty)
            && self.catalogue.service.envelope.is_none()
        {
            let record = only_record(item);
            if record.is_some() || item == ANY {
                return Some(series_of(record));
            }
        }
        if ty == ANY {
            return None;
        }
        // If the body itself is a timestamp or a list of timestamps, the catalogue has no key for their format, so
        // timestamps that are written as text stay strings.
        let is_written = innermost(&ty) == TIMESTAMP && self.document.timestamp_format(body.schema).is_some();
        let ty = if is_written { replace_innermost(&ty, "string") } else { ty };
        Some(Body { ty: Some(ty.into()), ..Body::default() })
    }
}

/// The index of the record that a type is, not of one that it contains.
fn only_record(ty: &str) -> Option<usize> {
    if innermost(ty) == ty { record_index(ty) } else { None }
}

pub(super) fn series_of(record: Option<usize>) -> Body {
    let fields = match record {
        Some(record) => named(record),
        None => Known::Unknown,
    };
    Body { series: Some(fields), ..Body::default() }
}

fn named(record: usize) -> Known<Fields> {
    Known::Known(Fields::Record(record_name(record).into()))
}

fn first_key(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}
