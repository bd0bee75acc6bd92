//! Converts objects to records, which contain the fields of all parts of the object, with all facts about each field. Lists
//! and objects with arbitrary keys become lists and maps.

use catalogue::is_line;
use catalogue::model::{TimeForm, TimeUnit};
use catalogue::spec::{Body, Field, Range, Record};
use catalogue::type_expr::TypeExpr;
use serde_yaml::{Mapping, Value};

use super::Reader;
use super::bodies::series_of;
use super::composed_schemas::Property;
use super::document::{text, text_of};
use super::omissions::Weight;
use super::schemas::{beyond_type, type_of, wanted_name};
use crate::draft::{ANY, TIMESTAMP, innermost, is_number, or_null, record_in, record_name, telling, type_of_name};

/// The maximum number of records around a record. The client rejects bodies of more than 128 levels.
const MAX_RECORDS: usize = 64;

impl<'d> Reader<'d> {
    /// The type of an object: a map, a record, or `any` if the object lists no fields.
    pub(super) fn object(&mut self, schema: &'d Value, name: &str, pointer: &str) -> String {
        let values = schema.get("additionalProperties").filter(|values| values.is_mapping());
        let has_fields = ["properties", "allOf", "required"].iter().any(|key| schema.get(key).is_some());
        match values {
            Some(values) if !has_fields => {
                let item = self.item(values, name, &format!("{pointer}/additionalProperties"));
                self.shallow(format!("map<{item}>"), pointer)
            }
            _ => self.record(schema, name, pointer),
        }
    }

    /// The type of a list: a record if the list describes each position, otherwise a list.
    pub(super) fn list(&mut self, schema: &'d Value, name: &str, pointer: &str) -> String {
        let items = schema.get("items");
        if let Some(fields) = schema.get("prefixItems").and_then(Value::as_sequence) {
            if items.and_then(Value::as_mapping).is_none_or(Mapping::is_empty) {
                return self.positional(schema, fields, name, pointer);
            }
            self.omissions.add(Weight::Fact, "`prefixItems` next to `items`", pointer);
        }
        let item = items.map(|item| self.item(item, name, &format!("{pointer}/items")));
        self.shallow(format!("list<{}>", item.as_deref().unwrap_or(ANY)), pointer)
    }

    /// The type of the items of a list or the values of a map.
    fn item(&mut self, schema: &'d Value, name: &str, pointer: &str) -> String {
        let outside = std::mem::replace(&mut self.open_around_list, self.open.len());
        let ty = self.value(schema, &crate::rust_names::singular(name), pointer);
        self.open_around_list = outside;
        or_null(&ty, self.document.is_nullable(schema))
    }

    /// The type, or `any` if the type nests more lists and maps than the catalogue allows.
    fn shallow(&mut self, ty: String, pointer: &str) -> String {
        if TypeExpr::parse(&ty).is_some() {
            return ty;
        }
        self.omissions.add(Weight::Untyped, "lists and maps nested too deeply, which become `any`", pointer);
        ANY.to_owned()
    }

    /// The record for an object, or `any` if the object lists no fields.
    pub(super) fn record(&mut self, schema: &'d Value, name: &str, pointer: &str) -> String {
        if let Some(known) = self.known_record(pointer) {
            return known;
        }
        if self.open.len() >= MAX_RECORDS {
            let why = "a record that becomes `any`, because it is nested too deeply";
            self.omissions.add(Weight::Untyped, why, pointer);
            return ANY.to_owned();
        }
        for (layer, at) in self.document.layers(schema, pointer) {
            self.resolve(layer, &at);
        }
        let listed = self.document.properties(schema, pointer);
        if listed.is_empty() {
            return ANY.to_owned();
        }
        if schema.get("additionalProperties").and_then(Value::as_mapping).is_some_and(|values| !values.is_empty()) {
            self.omissions.add(Weight::Fact, "`additionalProperties` next to `properties`", pointer);
        }
        let (valid, invalid): (Vec<_>, Vec<_>) = listed.into_iter().partition(|(key, ..)| is_line(key));
        if !invalid.is_empty() {
            self.omissions.add(Weight::Missing, "a property with an invalid name", pointer);
        }
        record_name(self.new_record(schema, name, pointer, valid))
    }

    fn positional(&mut self, schema: &'d Value, fields: &'d [Value], name: &str, pointer: &str) -> String {
        if let Some(known) = self.known_record(pointer) {
            return if known == ANY { format!("list<{ANY}>") } else { known };
        }
        let fields = fields.iter().enumerate().map(|(index, field)| {
            let name = text(field, "title").filter(|name| is_line(name));
            let name = name.map_or_else(|| format!("value {}", index + 1), str::to_owned);
            (name, field, format!("{pointer}/prefixItems/{index}"), true)
        });
        let index = self.new_record(schema, name, pointer, fields.collect());
        self.draft.content.service.records[index].positional = true;
        record_name(index)
    }

    /// The body whose records are columns: an object with at least two lists of scalars, one of them with timestamps.
    pub(super) fn columns(&mut self, schema: &'d Value, name: &str, pointer: &str) -> Option<Body> {
        let (schema, reference) = self.document.follow(schema)?;
        let pointer = reference.unwrap_or(pointer);
        let items_of = |list: &'d Value| self.document.follow(list)?.0.get("items");
        let listed = self.document.properties(schema, pointer).into_iter();
        let (mut columns, others): (Vec<Property<'_>>, Vec<_>) =
            listed.partition(|(_, list, ..)| items_of(list).is_some());
        for (_, list, at, _) in &mut columns {
            *list = items_of(list)?;
            at.push_str("/items");
        }
        let is_scalar =
            |(_, items, ..): &Property<'_>| matches!(type_of(items), "boolean" | "integer" | "number" | "string");
        let has_time = columns.iter().any(|(name, items, ..)| self.is_timestamp(items, name));
        if columns.len() < 2 || !has_time || !columns.iter().all(is_scalar) {
            return None;
        }
        for (key, _, at, _) in others {
            self.omissions.add(Weight::Fact, format!("the key `{key}` next to the records"), &at);
        }
        // The same object may be a record elsewhere.
        let own = format!("{pointer}/columns");
        let known = self.records.get(&own).copied();
        let index = known.unwrap_or_else(|| self.new_record(schema, name, &own, columns));
        self.draft.content.service.records[index].columns = true;
        Some(series_of(Some(index)))
    }

    /// The record that was read at a path. The result is `any` if the fields of the record are still being read and no
    /// list or map is between the record and this reference to it.
    fn known_record(&mut self, pointer: &str) -> Option<String> {
        let known = *self.records.get(pointer)?;
        if !self.open.contains(&known) || self.open_around_list >= self.open.len() {
            return Some(record_name(known));
        }
        let why = "a record that becomes `any`, because it contains itself without a list or map in between";
        self.omissions.add(Weight::Untyped, why, pointer);
        Some(ANY.to_owned())
    }

    /// Adds a record with these fields, and returns its index.
    fn new_record(&mut self, schema: &'d Value, name: &str, pointer: &str, listed: Vec<Property<'d>>) -> usize {
        let summary = self.summary(schema, &["description"]);
        let record = Record { summary, evidence: self.options.evidence, ..Record::default() };
        // The record is added before its fields are read, so that a field that refers back to the record finds it.
        let index = self.draft.content.service.records.len();
        self.draft.add_record(record, wanted_name(name, pointer));
        self.records.insert(pointer.to_owned(), index);
        self.open.push(index);
        // A record is read only once, where it is found first. The nesting depth is counted from the record, so that
        // it does not depend on the schemas around this first occurrence.
        let nesting = std::mem::take(&mut self.nesting);
        let fields = listed.into_iter().map(|(key, property, at, required)| self.field(property, &key, &at, required));
        let fields = fields.collect();
        self.nesting = nesting;
        self.open.pop();
        self.draft.content.service.records[index].fields = fields;
        index
    }

    fn field(&mut self, schema: &'d Value, name: &str, pointer: &str, is_required: bool) -> Field {
        let ty = self.value(schema, name, pointer);
        if self.document.default_of(schema).is_some() {
            self.omissions.add(Weight::Fact, "the `default` of a field", pointer);
        }
        let facts = self.facts(None, schema, &ty, pointer);
        let summary = telling(facts.summary, name);
        let optional = !is_required || self.document.is_nullable(schema);
        let evidence = self.own_evidence(schema);
        let also_named = self.also_named(schema);
        Field { name: name.into(), also_named, summary, optional, evidence, ..facts }
    }

    /// A field without a name, with the facts of a schema, and of the param that contains it, if any. The nearest
    /// declaration of each fact applies: that of the param, of the schema, or of a schema to which the schema refers or
    /// that it combines.
    pub(super) fn facts(&mut self, param: Option<&'d Value>, schema: &'d Value, ty: &str, pointer: &str) -> Field {
        let (layers, levels) = (self.document.layers(schema, ""), self.document.levels(schema));
        // A named type or record declares its facts itself, so they are not repeated.
        let is_shared = type_of_name(ty).or(record_in(ty)).is_some() && innermost(ty) == ty;
        let own = layers.iter().map(|(layer, _)| *layer).take(if is_shared { 1 } else { layers.len() });
        let near: Vec<&Value> = param.into_iter().chain(own).collect();
        let mut summaries = near.iter().map(|layer| self.summary(layer, &["description"]));
        let summary = summaries.find(|summary| !summary.is_empty()).unwrap_or_default();
        let example = near.iter().find_map(|layer| example(layer.get("example").or(layer.get("examples"))?));
        let limit = |key| levels.iter().find_map(|level| level.get(key)?.as_f64().filter(|limit| limit.is_finite()));
        let range = self.range(limit("minimum"), limit("maximum"), ty, pointer);
        let format = self.document.timestamp_format(schema).filter(|_| innermost(ty) == TIMESTAMP);
        let is_other = |unit: &TimeUnit| TimeForm::Counted(*unit) != self.known.service.time_form();
        let unit = levels.iter().find_map(|level| self.document.unit_of(level)).filter(is_other);
        // Numbers whose innermost schema is a string are in quotes.
        let is_text = levels.iter().rev().map(|level| type_of(level)).find(|ty| !ty.is_empty()) == Some("string");
        let is_quoted = is_text && format.is_none() && (is_number(innermost(ty)) || innermost(ty) == TIMESTAMP);
        let (ty, range, format) = (ty.into(), range.map(Into::into), format.map(Into::into));
        let unit = unit.map(|unit| unit.word().into());
        let quoted = is_quoted.then_some(true.into());
        let facts = Field { ty, summary, range, unit, quoted, format, ..Field::default() };
        let fits = example.as_ref().is_none_or(|example| self.fits(example, &facts));
        if !fits {
            self.omissions.add(Weight::Fact, "an example that is not a value of its type", pointer);
        }
        Field { example: example.filter(|_| fits).map(Into::into), ..facts }
    }

    /// The range, unless it does not suit the type or allows no number. A minimum that the type implies is omitted.
    fn range(&mut self, min: Option<f64>, max: Option<f64>, ty: &str, pointer: &str) -> Option<Range> {
        if min.zip(max).is_some_and(|(min, max)| min > max) {
            self.omissions.add(Weight::Fact, "a `minimum` above the `maximum`", pointer);
            return None;
        }
        let min = min.filter(|min| (ty != "count" || *min != 0.0) && !beyond_type(ty, *min));
        let max = max.filter(|max| !beyond_type(ty, *max));
        let range = Range { min: min.map(Into::into), max: max.map(Into::into) };
        (is_number(ty) && range != Range::default()).then_some(range)
    }
}

/// The example of a value, or the first of several examples, if it has one line.
fn example(value: &Value) -> Option<String> {
    match value {
        Value::Sequence(several) => several.first().filter(|first| !first.is_sequence()).and_then(example),
        Value::Mapping(_) | Value::Null | Value::Tagged(_) => None,
        one => Some(text_of(one)).filter(|text| is_line(text)),
    }
}
