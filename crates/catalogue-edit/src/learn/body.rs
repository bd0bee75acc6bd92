//! Learns the body of an endpoint: new fields become part of a draft, and known fields are widened to fit the
//! responses.

use std::collections::HashSet;

use catalogue::model::TimeForm;
use catalogue::spec::{Body, Evidence, Field, Fields, Known, Record};
use catalogue::type_expr::TypeExpr;

use super::body_kind::BodyKind;
use super::endpoint_reader::EndpointReader;
use super::key_names::keys_of_data;
use super::records::{named_as, newly_named};
use super::time_texts::is_year_and_period;
use crate::content::{FieldListPosition, fields_of, known_mut};
use crate::drafted_type::{ANY, replace_innermost};
use crate::observed_values::Observed;

/// The names of the fields that together are a time.
const PERIOD: [&str; 2] = ["year", "period"];

impl EndpointReader<'_> {
    /// Reads the body of an endpoint, and the records in it.
    pub(super) fn read(&mut self, kind: BodyKind, seen: &Observed) -> Result<(), String> {
        let known = self.editor.content.endpoint(&self.endpoint).body.known().cloned().unwrap_or_default();
        if let Some(listed) = self.listed()
            && kind != BodyKind::Value
        {
            self.reject_another_endpoint(&listed, seen)?;
        }
        let time = self.editor.content.service.envelope_time().map(|time| time.name.to_string());
        match (kind, fields_of(&known).and_then(Known::known)) {
            (BodyKind::Value, _) => self.value(&known, seen)?,
            (_, Some(Fields::Record(record))) => self.known_record(record, seen),
            (BodyKind::Series, Some(Fields::Inline(_))) => self.widen_body(&known, time.as_deref(), seen),
            (BodyKind::Series, None) => {
                let body = self.new_series(&known, time.as_deref(), seen)?;
                self.add_body(body);
            }
            (BodyKind::Object, Some(Fields::Inline(_))) => self.widen_body(&known, None, seen),
            (BodyKind::Object, None) => {
                let body = self.new_object(seen)?;
                self.add_body(body);
            }
        }
        Ok(())
    }

    /// Converts the records of a body to objects with named fields.
    pub(super) fn by_names(&self, kind: BodyKind, seen: Observed) -> Result<Observed, String> {
        if kind == BodyKind::Value {
            return Ok(seen);
        }
        let are_lists = seen.lists > 0;
        match self.listed() {
            None if are_lists => {
                let shared = self.editor.content.service.envelope_time();
                let of_series = if kind == BodyKind::Series { shared } else { None };
                newly_named(of_series.map(|time| time.name.as_str()), &seen)
            }
            Some(known) if are_lists && known.positional => Ok(named_as(&known.fields, &seen)),
            Some(known) if are_lists != known.positional => Err(format!(
                "the records are {}, but the catalogue declares {}; use another response, or set the body to `unknown` to \
                 learn it again",
                seen.describe(),
                if known.positional { "lists (`positional`)" } else { "objects" }
            )),
            _ => Ok(seen),
        }
    }

    /// Widens the fields that a body lists, and updates its `time`. `shared` is the name of the envelope's time field.
    fn widen_body(&mut self, known: &Body, shared: Option<&str>, seen: &Observed) {
        let own = known.time.as_ref().map(|time| time.as_str());
        let has_own_time = seen.by_position || own.is_some_and(|own| Some(own) != shared);
        let shared = if has_own_time { None } else { shared };
        let has_time = match shared {
            Some(time) => self.has_time(time, known, seen),
            None => true,
        };
        let at = FieldListPosition::Body(self.endpoint.clone());
        let time = if has_time {
            let fields = self.widen_list(&at, shared, seen);
            self.dropped_time(&fields, own)
        } else {
            let fields = self.widen_list(&at, None, seen);
            Some(self.other_time(&fields, shared))
        };
        if let Some(time) = time
            && let Some(body) = known_mut(&mut self.editor.content.endpoint_mut(&self.endpoint).body)
        {
            body.time = Some(time.into());
        }
    }

    /// A draft of an object.
    fn new_object(&mut self, seen: &Observed) -> Result<Body, String> {
        reject_keys_of_data(seen)?;
        let fields = self.new_fields(seen, &HashSet::new());
        let mut body = Body { object: Some(Known::Known(Fields::Inline(fields))), ..Body::default() };
        if seen.by_position {
            body.positional = Some(true.into());
        }
        Ok(body)
    }

    /// A draft of a series whose fields are unknown. That it has no time may be known. `shared` is the name of the
    /// envelope's time field.
    fn new_series(&mut self, known: &Body, shared: Option<&str>, seen: &Observed) -> Result<Body, String> {
        reject_keys_of_data(seen)?;
        let is_timeless = known.time.is_some();
        let mut time_in_envelope = None;
        if let Some(time) = shared
            && !seen.by_position
            && !is_timeless
            && self.has_time(time, known, seen)
        {
            time_in_envelope = Some(time);
        }
        let mut fields = self.new_fields(seen, &HashSet::from_iter(time_in_envelope));
        let mut body = Body { labels: std::mem::take(&mut self.labels), ..Body::default() };
        if seen.by_position {
            body.positional = Some(true.into());
        }
        if time_in_envelope.is_none() && !is_timeless {
            self.set_time(&mut body, &mut fields, shared, seen);
        }
        body.series = Some(Known::Known(Fields::Inline(fields)));
        if let Some(format) = self.format {
            self.editor.note(format!("the body is `{}`", format.word()));
            body.sent_as = Some(format.into());
        } else if let Some(data) = &self.data {
            self.editor.note(format!("the records are at `{data}`"));
            body.data = Some(data.as_str().into());
        }
        Ok(body)
    }

    /// Sets the time of a new series whose records do not have the envelope's time field, except by their position.
    fn set_time(&mut self, body: &mut Body, fields: &mut [Field], shared: Option<&str>, seen: &Observed) {
        if is_year_and_period(seen) {
            for field in fields {
                if PERIOD.contains(&field.name.as_str()) {
                    *field = Field { name: field.name.clone(), ty: "string".into(), ..Field::default() };
                }
            }
            body.time = Some("time".into());
            body.time_of = PERIOD.map(Into::into).to_vec();
            return;
        }
        let has_shared_by_position = seen.by_position && shared.is_some_and(|time| seen.fields.contains_key(time));
        if !has_shared_by_position {
            let all = [&*fields, &body.labels].concat();
            body.time = Some(self.other_time(&all, shared).into());
        }
    }

    /// Learns the type of a body that is neither a series nor one object.
    fn value(&mut self, known: &Body, seen: &Observed) -> Result<(), String> {
        match known.ty.as_ref().and_then(|ty| TypeExpr::parse(ty)) {
            Some(known) => {
                self.widen_value(&known, seen);
                Ok(())
            }
            None => self.new_value(seen),
        }
    }

    fn widen_value(&mut self, known: &TypeExpr<'_>, seen: &Observed) {
        let Some(wider) = self.wider("body", known, seen) else { return };
        let evidence = self.known_evidence();
        self.editor.note(format!(
            "the body is {known} (evidence: {}), but the responses have {}; it becomes {wider}",
            evidence.word(),
            seen.describe()
        ));
        let own = self.weaker_evidence(evidence);
        if let Some(body) = known_mut(&mut self.editor.content.endpoint_mut(&self.endpoint).body) {
            body.ty = Some(wider.into());
            body.evidence = own.or(body.evidence);
        }
    }

    fn new_value(&mut self, seen: &Observed) -> Result<(), String> {
        let learned = self.new_type(&format!("{} entry", self.owner()), seen);
        if learned.ty == ANY {
            return Err(format!(
                "the body is {}, for which the catalogue has no type; write `body: unknown`, and the client returns \
                 raw JSON",
                seen.describe()
            ));
        }
        // A body has no key for the format of its timestamps, so timestamps become strings or integers.
        let ty = match learned.form {
            Some(TimeForm::Written(_) | TimeForm::Local(_)) => replace_innermost(&learned.ty, "string"),
            Some(TimeForm::Counted(_)) => replace_innermost(&learned.ty, "integer"),
            None => learned.ty,
        };
        self.add_body(Body { ty: Some(ty.into()), ..Body::default() });
        Ok(())
    }

    /// Adds a note with the learned type or fields of a body that was unknown.
    pub(super) fn note_learned(&mut self, seen: &Observed) {
        let Some(body) = self.editor.content.endpoint(&self.endpoint).body.known() else { return };
        if let Some(ty) = &body.ty {
            let note = format!("the body is a `{ty}`");
            self.editor.note(note);
            return;
        }
        let mut fields = Vec::new();
        for field in self.listed().unwrap_or_default().fields {
            let optional = if field.optional { ", optional" } else { "" };
            fields.push(format!("{} ({}{optional})", field.name, field.ty));
        }
        let fields = if fields.is_empty() { "no fields".to_owned() } else { fields.join(", ") };
        let records = if seen.times == 1 { "1 record".to_owned() } else { format!("{} records", seen.times) };
        self.editor.note(format!("learned from {records}: {fields}"));
    }

    /// Rejects records that have none of the fields in the catalogue. Fields that are known only from the previous
    /// version do not count.
    fn reject_another_endpoint(&self, listed: &Record, seen: &Observed) -> Result<(), String> {
        let by_main_names = seen.by_main_names(&listed.fields);
        let mut names = Vec::new();
        for field in &listed.fields {
            if field.evidence.unwrap_or(listed.evidence) == Evidence::PreviousVersion {
                continue;
            }
            if by_main_names.fields.contains_key(field.name.as_str()) {
                return Ok(());
            }
            names.push(field.name.as_str());
        }
        if names.is_empty() {
            return Ok(());
        }
        let found: Vec<_> = seen.fields.keys().cloned().collect();
        Err(format!(
            "the response has none of the fields in the catalogue ({}), but has {}, so it is probably from another \
             endpoint; otherwise, set the fields to `unknown` in {}.yaml to learn them again",
            names.join(", "),
            found.join(", "),
            self.module
        ))
    }
}

/// Rejects a body whose keys are not the names of fields.
fn reject_keys_of_data(seen: &Observed) -> Result<(), String> {
    match keys_of_data(seen) {
        None => Ok(()),
        Some(keys) => Err(format!(
            "the keys of the body look like data, not field names: {keys}; write `body: unknown` to get raw JSON"
        )),
    }
}
