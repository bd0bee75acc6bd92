//! What comes back from an endpoint: records that it lists or names, and the field that has their time.

use super::types::Records;
use super::{Resolved, Resolver, Wrong};
use crate::diagnostic::Location;
use crate::model::{Body, Field, Record, RecordRef};
use crate::names;
use crate::spanned::Text;
use crate::spec::{self, Fields, Known};

impl<'a> Resolver<'a> {
    /// The body of an endpoint, and the record that it lists.
    pub(super) fn body(
        &mut self,
        records: &Records<'a>,
        endpoint: &'a spec::Endpoint,
        type_ident: &str,
    ) -> Resolved<(Body, Option<Record>)> {
        let Known::Known(body) = &endpoint.body else { return Ok((Body::Unknown, None)) };
        let evidence = body.evidence.unwrap_or(endpoint.evidence);
        let (fields, is_series) = match (&body.series, &body.object) {
            (Some(Known::Known(fields)), _) => (fields, true),
            (Some(Known::Unknown), _) => return Ok((self.series(body, None, evidence), None)),
            (None, Some(Known::Known(fields))) => (fields, false),
            // What neither says was found to be wrong where it was read.
            (None, _) => return Err(Wrong(())),
        };
        let (reference, record) = match fields {
            Fields::Record(name) => {
                let (reference, record) = self.body_record(records, name)?;
                if is_series {
                    self.no_unit(body)?;
                    self.time_of(record, body, name.at())?;
                }
                (reference, None)
            }
            Fields::Inline(listed) => {
                let fields = self.listed(records, listed, body, evidence)?;
                let ident = names::record(type_ident);
                let summary = format!("One record of {}.", endpoint.name);
                let reference = RecordRef { module: records.module.map(str::to_owned), ident: ident.clone() };
                (reference, Some(Record { ident, summary, evidence, fields }))
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
        let time_unit = body.unit.as_deref().copied().filter(|_| record.is_none());
        Body::Series { record, time, time_unit, evidence }
    }

    /// The fields that a body lists; those of a series stand behind the time of the envelope, unless it has its own.
    fn listed(
        &mut self,
        records: &Records<'a>,
        listed: &'a [spec::Field],
        body: &'a spec::Body,
        evidence: spec::Evidence,
    ) -> Resolved<Vec<Field>> {
        let envelope = self.service.envelope_time().filter(|_| body.series.is_some());
        let own = body.time.as_ref().filter(|time| envelope.is_none_or(|envelope| envelope.name != ***time));
        let fields = self.fields(records, listed, evidence, envelope.filter(|_| own.is_none()));
        if own.is_some() || envelope.is_none() {
            self.no_unit(body)?;
        }
        if let Some(own) = own {
            self.time(listed, own, own.at())?;
            return fields;
        }
        let time = self.time.clone().filter(|_| envelope.is_some());
        let time = time.map(|time| time.counted_in(body.unit.as_deref().copied()));
        Ok(time.into_iter().chain(fields?).collect())
    }

    /// The unit of a time that is a field of the record stands there.
    fn no_unit(&mut self, body: &spec::Body) -> Resolved<()> {
        let Some(unit) = body.unit.as_ref().filter(|_| body.series.is_some()) else { return Ok(()) };
        Err(self.wrong("time-unit", unit.at(), "the time is a field of the record", "say its `unit` there"))
    }

    /// The time of a series of named records, which have it among their fields.
    fn time_of(&mut self, record: &spec::Record, body: &'a spec::Body, at: &Location) -> Resolved<()> {
        match (&body.time, self.service.envelope_time()) {
            (Some(time), _) => self.time(&record.fields, time, time.at()),
            (None, Some(time)) => self.time(&record.fields, &time.name, at),
            (None, None) => Ok(()),
        }
    }

    /// The field that a series names as its time.
    fn time(&mut self, fields: &[spec::Field], time: &Text, at: &Location) -> Resolved<()> {
        // A record without fields stands in for one that could not be read.
        if time.as_str() == "none" || fields.is_empty() {
            return Ok(());
        }
        let (rule, message, help) = match fields.iter().find(|field| field.name == **time) {
            Some(field) if field.ty.as_str() == "timestamp" => return Ok(()),
            Some(field) => (
                "time-type",
                format!("the time field `{time}` is `{}`, not `timestamp`", field.ty),
                "make it a timestamp, or name another",
            ),
            None => (
                "unknown-field",
                format!("the record has no field `{time}` for its time"),
                "add the field, name another with `time`, or write `time: none`",
            ),
        };
        Err(self.wrong(rule, at, message, help))
    }
}
