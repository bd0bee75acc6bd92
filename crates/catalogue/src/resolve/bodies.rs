//! Resolves response bodies: the records, which are either inline or referred to by name, and the time field.

use super::records_of_file::RecordsOfFile;
use super::{Resolver, records};
use crate::diagnostic::Location;
use crate::model::{
    Body, BodyFormat, Builtin, Field, FieldSource, Record, RecordLayout, RecordRef, TimeForm, TimeFormat, Type,
};
use crate::names::{self, Case, Scope};
use crate::spanned::{Text, string_or_empty};
use crate::spec::{self, Fields, Known};
use crate::type_expr::TypeExpr;

impl<'a> Resolver<'a> {
    /// Resolves the body of an endpoint. For a body that lists fields, also returns a new record.
    pub(super) fn body(
        &mut self,
        records: &RecordsOfFile<'a>,
        endpoint: &'a spec::Endpoint,
        type_ident: &str,
    ) -> (Body, Option<Record>) {
        let Known::Known(body) = &endpoint.body else { return (Body::Unknown, None) };
        let evidence = self.evidence("the body", body.evidence, endpoint.evidence, endpoint.name.at());
        let new = NewRecord { endpoint: endpoint.name.as_str(), ident: names::record(type_ident), evidence };
        match (&body.series, &body.object, &body.ty) {
            (Some(Known::Unknown), ..) => (self.series(body, None, evidence), None),
            (Some(Known::Known(fields)), ..) => {
                let (record, new) = self.record_of_body(records, body, fields, new);
                (self.series(body, Some(record), evidence), new)
            }
            (None, Some(Known::Known(fields)), _) => {
                let (record, new) = self.record_of_body(records, body, fields, new);
                (Body::Object { record, evidence }, new)
            }
            (None, None, Some(ty)) => {
                let (record, new) = self.record_of_value(records, ty, new);
                (Body::Object { record, evidence }, Some(new))
            }
            // Any other combination breaks a rule of the format, and `load` has already reported it.
            (None, ..) => (Body::Unknown, None),
        }
    }

    /// The record of a body with fields: a record with a name, or a new one.
    fn record_of_body(
        &mut self,
        records: &RecordsOfFile<'a>,
        body: &'a spec::Body,
        fields: &'a Fields,
        new: NewRecord<'_>,
    ) -> (RecordRef, Option<Record>) {
        match fields {
            Fields::Record(name) => (self.body_record(records, body, name), None),
            Fields::Inline(listed) => {
                let mut fields = self.listed(records, listed, body, new.evidence);
                self.check_csv_values(body, listed, &fields);
                fields.extend(self.others(records, body.others.as_ref(), &fields, new.evidence));
                // The fields take most of the memory of a large model.
                fields.shrink_to_fit();
                let mut record = new.with("One record", fields, layout(body));
                record.column_names = string_or_empty(body.columns_at.as_ref());
                (reference(records, &record), Some(record))
            }
        }
    }

    /// Rejects fields of a type that a value in CSV cannot have.
    fn check_csv_values(&mut self, body: &spec::Body, listed: &[spec::Field], fields: &[Field]) {
        if !has_rows(body) {
            return;
        }
        for declared in listed {
            let Some(field) = fields.iter().find(|field| *declared.name == field.wire_name) else { continue };
            if matches!(field.ty, Type::List(_) | Type::Map(_) | Type::Record(_) | Type::Recursive(_)) {
                self.error("body-as/value", declared.ty.at(), &[&declared.ty]);
            }
        }
    }

    /// Rejects fields of a named record whose type a value in CSV cannot have.
    fn check_csv_record(&mut self, records: &RecordsOfFile<'a>, record: &'a spec::Record) {
        for field in &record.fields {
            let is_value = match TypeExpr::parse(&field.ty) {
                Some(TypeExpr::List(_) | TypeExpr::Map(_)) => false,
                Some(TypeExpr::Name(name)) => self.record(records, name).is_none(),
                _ => true,
            };
            if !is_value {
                self.error("body-as/value", field.ty.at(), &[&field.ty]);
            }
        }
    }

    /// The record of a body that is a single value, which has one field.
    fn record_of_value(
        &mut self,
        records: &RecordsOfFile<'a>,
        ty: &'a Text,
        new: NewRecord<'_>,
    ) -> (RecordRef, Record) {
        let whole = Field {
            ident: "value".to_owned(),
            wire_name: "value".to_owned(),
            ty: self.type_of(records, ty).unwrap_or_default(),
            summary: "The entire body.".to_owned(),
            evidence: new.evidence,
            ..Field::default()
        };
        let record = new.with("The body", vec![whole], RecordLayout::Value);
        (reference(records, &record), record)
    }

    /// Looks up the record to which a body refers, and checks the facts that the body declares about it.
    fn body_record(&mut self, records: &RecordsOfFile<'a>, body: &'a spec::Body, name: &'a Text) -> RecordRef {
        let Some((reference, record)) = self.record(records, name) else {
            let rules = ["unknown-record", "unknown-record/elsewhere"];
            self.unknown_record(rules, name, name.at(), "record", self.record_names(records));
            return RecordRef::shared(name);
        };
        self.check_key(body, &record.fields);
        if let Some(path) = &body.columns_at {
            self.error("columns-at/record", path.at(), &[]);
        }
        if let Some(others) = &body.others {
            self.error("others/record", others.at(), &[]);
        }
        if has_rows(body) {
            self.check_csv_record(records, record);
        }
        if let Some(format) = &body.sent_as
            && record.columns
        {
            self.error("body-as/record", format.at(), &[name]);
        }
        if let Some(positional) = &body.positional {
            self.error("body-positional/record", positional.at(), &[]);
        } else if let Some(columns) = &body.columns {
            self.error("body-columns/record", columns.at(), &[]);
        } else if let Some(label) = body.labels.first() {
            self.error("body-labels/record", label.name.at(), &[]);
        } else if record.columns && body.series.is_none() {
            self.error("columns-record", name.at(), &[name]);
        } else if body.series.is_some() && self.has_no_unit(body) {
            match (&body.time, self.service.envelope_time()) {
                (Some(time), _) => self.check_time(&record.fields, time, time.at()),
                (None, Some(time)) => self.check_time(&record.fields, &time.name, name.at()),
                (None, None) => {}
            }
        }
        reference
    }

    fn series(&self, body: &spec::Body, record: Option<RecordRef>, evidence: spec::Evidence) -> Body {
        let time = match (&body.time, self.service.envelope_time()) {
            (Some(time), _) if time.as_str() == "none" => None,
            (Some(time), _) => Some(time.to_string()),
            (None, Some(shared)) => Some(shared.name.to_string()),
            (None, None) => None,
        };
        let format = body.sent_as.as_deref().copied();
        let data = body.data_path().map(str::to_owned);
        let is_optional = self.service.can_lack_records(body);
        let key = identity(body, time.as_deref());
        Body::Series { record, format, data, is_optional, time, key, evidence }
    }

    /// Rejects a key with a field that the records do not have.
    fn check_key(&mut self, body: &spec::Body, fields: &[spec::Field]) {
        // A record without fields is a placeholder for an invalid record, which has already been reported.
        if fields.is_empty() {
            return;
        }
        for name in &body.key {
            if !has_field(fields, name) && !has_field(&body.labels, name) {
                self.error("unknown-field/key", name.at(), &[name]);
            }
        }
    }

    /// Resolves the fields that a body lists. In a series, the time field of the envelope is added as the first field,
    /// unless the series declares another time field.
    fn listed(
        &mut self,
        records: &RecordsOfFile<'a>,
        listed: &'a [spec::Field],
        body: &'a spec::Body,
        evidence: spec::Evidence,
    ) -> Vec<Field> {
        self.check_key(body, listed);
        let is_positional = layout(body) == RecordLayout::Positional;
        let shared = if body.series.is_some() { self.service.envelope_time() } else { None };
        let own = own_time(body, shared);
        // A positional record must list its time field itself, because the index of the field matters.
        let added = if own.is_none() && !is_positional { shared } else { None };
        let mut fields = self.fields(records, listed, evidence, added);
        self.check_has_names(layout(body), listed);
        let derived = self.derived(records, listed, body, evidence);
        let has_derived_time = match own {
            Some(own) => derived.iter().any(|field| field.wire_name == **own),
            None => false,
        };
        fields.extend(derived);
        if added.is_some() {
            let form = TimeForm::of(body.unit.as_deref().copied(), body.format.as_deref().copied());
            if let Some(time) = self.time.clone() {
                fields.insert(0, time.timed_in(form));
            }
            return fields;
        }
        if has_derived_time {
            return fields;
        }
        match (own, shared, &body.positional) {
            (Some(own), ..) => self.check_listed_time(listed, body, own, own.at()),
            (None, Some(shared), Some(positional)) if is_positional => {
                self.check_listed_time(listed, body, &shared.name, positional.at());
            }
            _ => {}
        }
        fields
    }

    /// Checks the time field that a body must list itself.
    fn check_listed_time(&mut self, listed: &[spec::Field], body: &spec::Body, time: &Text, at: &Location) {
        if self.has_no_unit(body) {
            self.check_time(listed, time, at);
        }
    }

    /// The fields whose values are not in a record: labels, and a time of two fields.
    fn derived(
        &mut self,
        records: &RecordsOfFile<'a>,
        listed: &'a [spec::Field],
        body: &'a spec::Body,
        evidence: spec::Evidence,
    ) -> Vec<Field> {
        if let Some(first) = body.labels.first()
            && !has_groups(body)
        {
            self.error("body-labels/data", first.name.at(), &[]);
        }
        if let Some(names) = &body.columns_at
            && let Some(data) = &body.data
            && data.ends_with('*')
            && !body.labels.is_empty()
        {
            self.error("columns-at/groups", names.at(), &[]);
        }
        let mut derived = self.fields(records, &body.labels, evidence, None);
        for (field, label) in derived.iter_mut().zip(&body.labels) {
            set_label(field, label.at.as_ref().unwrap_or(&label.name));
        }
        derived.extend(self.time_of_two(listed, body, evidence));
        for field in &derived {
            if has_field(listed, &field.wire_name)
                && let Some(at) = declared_at(body, &field.wire_name)
            {
                self.error("duplicate-field", at, &[&field.wire_name]);
            }
        }
        derived
    }

    /// The time field whose value is in two other fields.
    fn time_of_two(
        &mut self,
        listed: &'a [spec::Field],
        body: &'a spec::Body,
        evidence: spec::Evidence,
    ) -> Option<Field> {
        let [year, period] = body.time_of.as_slice() else {
            if let Some(first) = body.time_of.first() {
                self.error("body-time/of", first.at(), &[]);
            }
            return None;
        };
        for name in [year, period] {
            if !has_field(listed, name) {
                self.unknown_name("unknown-field", name, name.at(), "field", spec::names_of_fields(listed));
            }
        }
        let time = body.time.as_ref()?;
        let ident = self.rust_name(time, None, Case::Snake, Scope::Fields);
        let form = TimeForm::Written(TimeFormat::Date);
        Some(Field {
            ident: ident.unwrap_or_default(),
            wire_name: time.to_string(),
            ty: Type::Builtin(Builtin::Timestamp(form)),
            source: FieldSource::Period(year.to_string(), period.to_string()),
            optional: true,
            summary: format!("Start of the period in `{year}` and `{period}`."),
            evidence,
            ..Field::default()
        })
    }

    /// Rejects a unit or format on a body whose record lists the time field, because the catalogue must declare them on
    /// that field.
    fn has_no_unit(&mut self, body: &spec::Body) -> bool {
        if body.series.is_none() {
            return true;
        }
        let (key, at) = match (&body.unit, &body.format) {
            (Some(unit), _) => ("unit", unit.at()),
            (None, Some(format)) => ("format", format.at()),
            (None, None) => return true,
        };
        self.error("time-unit/record", at, &[&key]);
        false
    }

    /// Checks that the time field of a series exists and is a timestamp.
    fn check_time(&mut self, fields: &[spec::Field], time: &Text, at: &Location) {
        // A record without fields is a placeholder for an invalid record, which has already been reported.
        if time.as_str() == "none" || fields.is_empty() {
            return;
        }
        match fields.iter().find(|field| field.name == **time) {
            Some(field) if field.ty.as_str() == "timestamp" => {}
            Some(field) => self.error("time-type/of-series", at, &[time, &field.ty]),
            None => self.error("unknown-field/time", at, &[time]),
        }
    }
}

/// A record that an endpoint declares, without its fields.
struct NewRecord<'e> {
    endpoint: &'e str,
    ident: String,
    evidence: spec::Evidence,
}

impl NewRecord<'_> {
    fn with(self, what: &str, fields: Vec<Field>, layout: RecordLayout) -> Record {
        let summary = format!("{what} of {}.", self.endpoint);
        let column_names = String::new();
        Record { ident: self.ident, summary, evidence: self.evidence, fields, layout, column_names }
    }
}

fn reference(records: &RecordsOfFile<'_>, record: &Record) -> RecordRef {
    RecordRef { module: records.module.map(str::to_owned), ident: record.ident.clone() }
}

fn has_field(fields: &[spec::Field], name: &str) -> bool {
    fields.iter().any(|field| *field.name == name)
}

/// The fields that identify a record in addition to its time: its labels, and those of the declared key.
fn identity(body: &spec::Body, time: Option<&str>) -> Vec<String> {
    let mut names = Vec::new();
    for label in &body.labels {
        if Some(label.name.as_str()) != time {
            names.push(label.name.to_string());
        }
    }
    for name in &body.key {
        if !names.contains(&**name) {
            names.push(name.to_string());
        }
    }
    names
}

/// `true` if the records are rows of values, as in CSV.
fn has_rows(body: &spec::Body) -> bool {
    body.sent_as.as_deref().is_some_and(|format| *format != BodyFormat::Ndjson)
}

/// `true` if the records are in groups, which the path of the data selects with `*`.
fn has_groups(body: &spec::Body) -> bool {
    let Some(data) = &body.data else { return false };
    data.split('.').any(|key| key == "*")
}

/// Makes a field a label: its value is at a path in the group of the record.
fn set_label(field: &mut Field, path: &str) {
    if !field.notes.is_empty() {
        field.notes.push(' ');
    }
    field.notes += &match path {
        "*" => "A label: the key of the group that contains the record.".to_owned(),
        path => format!("A label: `{path}` of the group that contains the record."),
    };
    field.source = FieldSource::Group(path.to_owned());
}

/// The location of a label, or of the time, with this name.
fn declared_at<'b>(body: &'b spec::Body, wire_name: &str) -> Option<&'b Location> {
    for label in &body.labels {
        if *label.name == wire_name {
            return Some(label.name.at());
        }
    }
    Some(body.time.as_ref()?.at())
}

/// The time field that a body declares, unless it is the time field of the envelope, which is then added.
fn own_time<'b>(body: &'b spec::Body, shared: Option<&spec::Field>) -> Option<&'b Text> {
    let time = body.time.as_ref()?;
    match shared {
        Some(shared) if shared.name == **time && layout(body) != RecordLayout::Positional => None,
        _ => Some(time),
    }
}

/// The layout of the records that a body lists.
fn layout(body: &spec::Body) -> RecordLayout {
    if body.columns_at.is_some() {
        return RecordLayout::Named;
    }
    let positional = body.positional.as_deref() == Some(&true);
    let columns = body.columns.as_deref() == Some(&true);
    records::layout(positional, columns)
}
