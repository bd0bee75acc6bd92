//! Resolves response bodies: the records, which are either inline or referred to by name, and the time field.

use super::records::form;
use super::types::Records;
use super::{Invalid, Resolved, Resolver};
use crate::diagnostic::Location;
use crate::model::{Body, Field, Range, Record, RecordLayout, RecordRef, TimeForm, Type};
use crate::names;
use crate::spanned::Text;
use crate::spec::{self, Fields, Known};

impl<'a> Resolver<'a> {
    /// Resolves the body of an endpoint. For a body that lists fields, also returns a new record.
    pub(super) fn body(
        &mut self,
        records: &Records<'a>,
        endpoint: &'a spec::Endpoint,
        type_ident: &str,
    ) -> Resolved<(Body, Option<Record>)> {
        let body = match &endpoint.body {
            Known::Unknown => return Ok((Body::Unknown, None)),
            Known::Known(body) => body,
        };
        let evidence = self.evidence("the body", body.evidence, endpoint.evidence, endpoint.name.at());
        let own = |fields, form| {
            let what = if form == RecordLayout::Value { "The body" } else { "One record" };
            let (ident, summary) = (names::record(type_ident), format!("{what} of {}.", endpoint.name));
            let reference = RecordRef { module: records.module.map(str::to_owned), ident: ident.clone() };
            (reference, Some(Record { ident, summary, evidence, fields, form }))
        };
        let (fields, is_series) = match (&body.series, &body.object, &body.ty) {
            (Some(Known::Known(fields)), ..) => (fields, true),
            (Some(Known::Unknown), ..) => return Ok((self.series(body, None, evidence), None)),
            (None, Some(Known::Known(fields)), _) => (fields, false),
            (None, None, Some(ty)) => {
                let ty = self.type_of(records, ty)?;
                let (reference, record) = own(vec![whole(ty, evidence)], RecordLayout::Value);
                return Ok((Body::Object { record: reference, evidence }, record));
            }
            // Any other combination breaks a rule of the format, and `load` has already reported it.
            (None, ..) => return Err(Invalid(())),
        };
        let (reference, record) = match fields {
            Fields::Record(name) => {
                let (reference, record) = self.body_record(records, name)?;
                if let Some(positional) = &body.positional {
                    let (message, help) =
                        ("`positional` belongs to the record, not to the body", "move it to the record");
                    return Err(self.error("body-positional", positional.at(), message, help));
                }
                if is_series {
                    self.no_unit(body)?;
                    self.time_of(record, body, name.at())?;
                }
                (reference, None)
            }
            Fields::Inline(listed) => {
                let fields = self.listed(records, listed, body, evidence)?;
                own(fields, form(is_positional(body)))
            }
        };
        let body = if is_series {
            self.series(body, Some(reference), evidence)
        } else {
            Body::Object { record: reference, evidence }
        };
        Ok((body, record))
    }

    fn series(&self, body: &spec::Body, record: Option<RecordRef>, evidence: spec::Evidence) -> Body {
        let time = body.time.as_ref().or(self.service.envelope_time().map(|time| &time.name));
        let time = time.filter(|time| time.as_str() != "none").map(ToString::to_string);
        let time_form = time_form(body).filter(|_| record.is_none());
        let data = body.data.as_deref().cloned();
        Body::Series { record, data, time, time_form, evidence }
    }

    /// Resolves the fields that a body lists. In a series, the time field of the envelope is added as the first field,
    /// unless the series declares another time field.
    fn listed(
        &mut self,
        records: &Records<'a>,
        listed: &'a [spec::Field],
        body: &'a spec::Body,
        evidence: spec::Evidence,
    ) -> Resolved<Vec<Field>> {
        let shared = self.service.envelope_time().filter(|_| body.series.is_some());
        // A positional record must list its time field itself, because the index of the field matters. So the time
        // field of the envelope is not added.
        let (envelope, positioned) = if is_positional(body) { (None, shared) } else { (shared, None) };
        let own = body.time.as_ref().filter(|time| envelope.is_none_or(|envelope| envelope.name != ***time));
        let positioned = positioned.zip(body.positional.as_ref()).filter(|_| own.is_none());
        let fields = self.fields(records, listed, evidence, envelope.filter(|_| own.is_none()));
        if own.is_some() || envelope.is_none() {
            self.no_unit(body)?;
        }
        if let Some(own) = own {
            self.time(listed, own, own.at())?;
            return fields;
        }
        if let Some((time, positional)) = positioned {
            self.time(listed, &time.name, positional.at())?;
        }
        let time = self.time.clone().filter(|_| envelope.is_some());
        let time = time.map(|time| time.timed_in(time_form(body)));
        Ok(time.into_iter().chain(fields?).collect())
    }

    /// Rejects a unit or format on a body whose record lists the time field, because the catalogue must declare them on
    /// that field.
    fn no_unit(&mut self, body: &spec::Body) -> Resolved<()> {
        let unit = body.unit.as_ref().map(|unit| ("unit", unit.at()));
        let declared = unit.or(body.format.as_ref().map(|format| ("format", format.at())));
        let Some((key, at)) = declared.filter(|_| body.series.is_some()) else { return Ok(()) };
        Err(self.error(
            "time-unit",
            at,
            format!("`{key}` belongs to the time field of the record, not to the body"),
            format!("move `{key}` to that field"),
        ))
    }

    /// Checks that a named record has the time field of its series.
    fn time_of(&mut self, record: &spec::Record, body: &'a spec::Body, at: &Location) -> Resolved<()> {
        match (&body.time, self.service.envelope_time()) {
            (Some(time), _) => self.time(&record.fields, time, time.at()),
            (None, Some(time)) => self.time(&record.fields, &time.name, at),
            (None, None) => Ok(()),
        }
    }

    /// Checks that the time field of a series exists and is a timestamp.
    fn time(&mut self, fields: &[spec::Field], time: &Text, at: &Location) -> Resolved<()> {
        // A record without fields is a placeholder for an invalid record, which has already been reported.
        if time.as_str() == "none" || fields.is_empty() {
            return Ok(());
        }
        let (rule, message, help) = match fields.iter().find(|field| field.name == **time) {
            Some(field) if field.ty.as_str() == "timestamp" => return Ok(()),
            Some(field) => (
                "time-type",
                format!("the time field `{time}` has the type `{}`, not `timestamp`", field.ty),
                "change the type to `timestamp`, or set `time` to another field",
            ),
            None => (
                "unknown-field",
                format!("the record has no field `{time}` for its time"),
                "add the field, set `time` to the name of another field, or write `time: none`",
            ),
        };
        Err(self.error(rule, at, message, help))
    }
}

/// Returns the time format that a body declares.
fn time_form(body: &spec::Body) -> Option<TimeForm> {
    TimeForm::of(body.unit.as_deref().copied(), body.format.as_deref().copied())
}

/// Returns `true` if a body declares `positional: true`.
fn is_positional(body: &spec::Body) -> bool {
    body.positional.as_deref().is_some_and(|positional| *positional)
}

/// Creates the single field of the record for a body that is a single value.
fn whole(ty: Type, evidence: spec::Evidence) -> Field {
    Field {
        ident: "value".to_owned(),
        wire_name: "value".to_owned(),
        ty,
        quoted: false,
        optional: false,
        is_envelope_time: false,
        range: Range::default(),
        example: None,
        unit: String::new(),
        summary: "The entire body.".to_owned(),
        notes: String::new(),
        unknown: Vec::new(),
        evidence,
    }
}
