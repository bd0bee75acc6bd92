//! Resolves response bodies: the records, which are either inline or referred to by name, and the time field.

use super::records_of_file::RecordsOfFile;
use super::{Resolver, records};
use crate::diagnostic::Location;
use crate::model::{Body, Builtin, Field, FieldSource, Record, RecordLayout, RecordRef, TimeForm, TimeFormat, Type};
use crate::names::{self, Case, Scope};
use crate::spanned::{Spanned, Text};
use crate::spec::{self, Fields, Known};

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
        let own = |fields, form| {
            let what = if form == RecordLayout::Value { "The body" } else { "One record" };
            let (ident, summary) = (names::record(type_ident), format!("{what} of {}.", endpoint.name));
            let reference = RecordRef { module: records.module.map(str::to_owned), ident: ident.clone() };
            (reference, Some(Record { ident, summary, evidence, fields, form }))
        };
        let (fields, is_series) = match (&body.series, &body.object, &body.ty) {
            (Some(Known::Known(fields)), ..) => (fields, true),
            (Some(Known::Unknown), ..) => return (self.series(body, None, evidence), None),
            (None, Some(Known::Known(fields)), _) => (fields, false),
            (None, None, Some(ty)) => {
                // The record of a body that is a single value has one field.
                let [ident, wire_name] = ["value"; 2].map(str::to_owned);
                let (ty, summary) = (self.type_of(records, ty).unwrap_or_default(), "The entire body.".to_owned());
                let whole = Field { ident, wire_name, ty, summary, evidence, ..Field::default() };
                let (record, new) = own(vec![whole], RecordLayout::Value);
                return (Body::Object { record, evidence }, new);
            }
            // Any other combination breaks a rule of the format, and `load` has already reported it.
            (None, ..) => return (Body::Unknown, None),
        };
        let (record, new) = match fields {
            Fields::Record(name) => (self.body_record(records, body, name), None),
            Fields::Inline(listed) => own(self.listed(records, listed, body, evidence), layout(body)),
        };
        (if is_series { self.series(body, Some(record), evidence) } else { Body::Object { record, evidence } }, new)
    }

    /// Looks up the record to which a body refers, and checks the facts that the body declares about it.
    fn body_record(&mut self, records: &RecordsOfFile<'a>, body: &'a spec::Body, name: &'a Text) -> RecordRef {
        let Some((reference, record)) = self.record(records, name) else {
            let rules = ["unknown-record", "unknown-record/elsewhere"];
            self.unknown_record(rules, name, name.at(), "record", self.record_names(records));
            return RecordRef::shared(name);
        };
        self.key(body, &record.fields);
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
                (Some(time), _) => self.time(&record.fields, time, time.at()),
                (None, Some(time)) => self.time(&record.fields, &time.name, name.at()),
                (None, None) => {}
            }
        }
        reference
    }

    fn series(&self, body: &spec::Body, record: Option<RecordRef>, evidence: spec::Evidence) -> Body {
        let time = body.time.as_ref().or(self.service.envelope_time().map(|time| &time.name));
        let time = time.filter(|time| time.as_str() != "none").map(ToString::to_string);
        let data = body.data.as_deref().cloned();
        let shared = self.service.envelope.as_ref().is_some_and(|envelope| envelope.optional && data.is_none());
        let is_optional = body.optional.as_deref().copied().unwrap_or(shared);
        let key = body.key.iter().map(ToString::to_string).collect();
        Body::Series { record, data, is_optional, time, key, evidence }
    }

    /// Rejects a key with a field that the records do not have.
    fn key(&mut self, body: &spec::Body, fields: &[spec::Field]) {
        // A record without fields is a placeholder for an invalid record, which has already been reported.
        for name in body.key.iter().filter(|_| !fields.is_empty()) {
            if fields.iter().all(|field| field.name != **name) {
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
        self.key(body, listed);
        let shared = self.service.envelope_time().filter(|_| body.series.is_some());
        let positional = body.positional.as_ref().filter(|_| layout(body) == RecordLayout::Positional);
        let is_other = |time: &&Text| positional.is_some() || shared.is_none_or(|shared| shared.name != ***time);
        let own = body.time.as_ref().filter(is_other);
        // A positional record must list its time field itself, because the index of the field matters.
        let added = shared.filter(|_| own.is_none() && positional.is_none());
        let mut fields = self.fields(records, listed, evidence, added);
        let derived = self.derived(records, listed, body, evidence);
        let has_own_time = derived.iter().any(|field| own.is_some_and(|own| field.wire_name == **own));
        fields.extend(derived);
        if added.is_some() {
            let form = TimeForm::of(body.unit.as_deref().copied(), body.format.as_deref().copied());
            let time = self.time.clone().map(|time| time.timed_in(form));
            return time.into_iter().chain(fields).collect();
        }
        let at = own.map(Text::at).or(positional.map(Spanned::at));
        if has_own_time {
            return fields;
        }
        if let Some((time, at)) = own.or(shared.map(|time| &time.name)).zip(at).filter(|_| self.has_no_unit(body)) {
            self.time(listed, time, at);
        }
        fields
    }

    /// Returns the fields whose values are not in a record: labels, and a time of two fields.
    fn derived(
        &mut self,
        records: &RecordsOfFile<'a>,
        listed: &'a [spec::Field],
        body: &'a spec::Body,
        evidence: spec::Evidence,
    ) -> Vec<Field> {
        if let Some(first) = body.labels.first()
            && !body.data.as_ref().is_some_and(|data| data.split('.').any(|key| key == "*"))
        {
            self.error("body-labels/data", first.name.at(), &[]);
        }
        let mut derived = self.fields(records, &body.labels, evidence, None);
        for (field, label) in derived.iter_mut().zip(&body.labels) {
            let path = label.at.as_ref().unwrap_or(&label.name).to_string();
            let origin = match path.as_str() {
                "*" => "A label: the key of the group that contains the record.".to_owned(),
                path => format!("A label: `{path}` of the group that contains the record."),
            };
            if !field.notes.is_empty() {
                field.notes.push(' ');
            }
            field.notes.push_str(&origin);
            field.source = FieldSource::Group(path);
        }
        derived.extend(self.time_of_two(listed, body, evidence));
        for field in &derived {
            if listed.iter().any(|listed| *listed.name == field.wire_name) {
                let at = body.labels.iter().find(|label| *label.name == field.wire_name).map(|label| label.name.at());
                let at = at.or(body.time.as_ref().map(Text::at));
                if let Some(at) = at {
                    self.error("duplicate-field", at, &[&field.wire_name]);
                }
            }
        }
        derived
    }

    /// Returns the time field whose value is in two other fields.
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
            if listed.iter().all(|field| field.name != **name) {
                let known = listed.iter().map(|field| field.name.as_str());
                self.unknown_name("unknown-field", name, name.at(), "field", known);
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
        let unit = body.unit.as_ref().map(|unit| ("unit", unit.at()));
        let declared = unit.or(body.format.as_ref().map(|format| ("format", format.at())));
        let Some((key, at)) = declared.filter(|_| body.series.is_some()) else { return true };
        self.error("time-unit/record", at, &[&key]);
        false
    }

    /// Checks that the time field of a series exists and is a timestamp.
    fn time(&mut self, fields: &[spec::Field], time: &Text, at: &Location) {
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

/// Returns the layout of the records that a body lists.
fn layout(body: &spec::Body) -> RecordLayout {
    let [positional, columns] = [&body.positional, &body.columns].map(|key| key.as_deref() == Some(&true));
    records::layout(positional, columns)
}
