//! Merges the bodies of endpoints, and the metadata next to the records of every series.

use std::collections::HashSet;

use codegen::names::{self, Case};
use codegen::spec::{Body, Endpoint, Evidence, Field, Fields, Known};

use super::{Gap, Merger};
use crate::content::{FieldsAt, inline_mut};
use crate::draft_types::TIMESTAMP;
use crate::rust_names::NamesInUse;

impl Merger<'_> {
    /// Returns the drafted body of an endpoint with the names of the catalogue; `None` if it is unknown. `inherited` is
    /// the evidence of the endpoint.
    pub(super) fn body(&self, new: &Endpoint, known: Option<&Body>, inherited: Evidence) -> Option<Body> {
        let mut body = new.body.known()?.clone();
        if let Some(ty) = &mut body.ty {
            **ty = self.ty(ty);
        }
        // `time: none` declares that the series has no time, so it is kept.
        let has_no_time = |known: &Body| known.time.as_ref().is_some_and(|time| *time == "none".to_owned());
        if known.is_some_and(has_no_time) {
            body.time = Some("none".into());
        }
        let mut idents = self.omit_time(&mut body);
        match body.series.as_mut().or(body.object.as_mut()) {
            Some(Known::Known(Fields::Inline(fields))) => *fields = self.fields(fields, &mut idents),
            Some(Known::Known(Fields::Record(name))) => **name = self.ty(name),
            _ => {}
        }
        body.evidence = Some(body.evidence.unwrap_or(new.evidence)).filter(|evidence| *evidence != inherited);
        Some(body)
    }

    /// Copies the time of a known series to its new body. Facts that the new fields contradict are noted.
    pub(super) fn keep_time(&mut self, known: &Body, body: &mut Body, name: &str, gap: &Gap<'_>) {
        let envelope = self.editor.service.envelope_time().map(|time| time.name.clone());
        // OpenAPI has no type for numeric timestamps, so the drafted type of the time is `integer`.
        let is_time = |field: &&mut Field| Some(&field.name) == known.time.as_ref() && *field.ty == "integer";
        if let (Some(fields), None) = (inline_mut(body), &known.format)
            && let Some(field) = fields.iter_mut().find(is_time)
        {
            (field.ty, field.range) = (TIMESTAMP.into(), None);
        }
        let mut lost = Vec::new();
        if let Some(time) = &known.time {
            let fields = self.editor.fields(gap.file(), body);
            let has_time = fields.and_then(|all| all.get(time)).is_some_and(|field| *field.ty == TIMESTAMP);
            if time.as_str() == "none" || has_time || body.time.is_none() && envelope.as_ref() == Some(time) {
                body.time = Some(time.clone());
            } else {
                lost.push(format!("`time: {time}`"));
            }
        }
        let time = body.time.clone().or(envelope.clone());
        let is_shared = time.is_some() && time == envelope;
        // The unit belongs to the time field if the body lists the time field, otherwise to the body.
        let own = inline_mut(body).map(|fields| fields.iter_mut().find(|field| Some(&field.name) == time.as_ref()));
        let (unit, format) = (known.unit.as_ref(), known.format.as_ref());
        let is_kept = match own {
            Some(Some(field)) => {
                let same = (field.unit.is_none()
                    || field.unit.as_deref().map(String::as_str) == unit.map(|unit| unit.word()))
                    && (field.format.is_none() || field.format.as_ref() == format);
                if same {
                    field.unit = unit.map(|unit| unit.word().into()).or(field.unit.take());
                    field.format = format.cloned().or(field.format.take());
                }
                same
            }
            Some(None) if is_shared => {
                let same = (body.unit.is_none() || body.unit.as_ref() == unit)
                    && (body.format.is_none() || body.format.as_ref() == format);
                if same {
                    body.unit = unit.cloned().or(body.unit.take());
                    body.format = format.cloned().or(body.format.take());
                }
                same
            }
            _ => false,
        };
        if !is_kept {
            lost.extend(unit.map(|unit| format!("`unit: {}`", unit.word())));
            lost.extend(format.map(|format| format!("`format: {}`", format.word())));
        }
        if !lost.is_empty() {
            let lost = lost.join(", ");
            self.editor.note(format!("the body of `{name}` loses {lost}, because the new fields contradict it"));
        }
    }

    /// Removes the envelope's time field from the listed fields of a body, and moves its format to the body. A series
    /// with another time field, or with positional records, is not changed. The returned set contains the Rust name of
    /// the time field, because the emitted record still has the field.
    fn omit_time(&self, body: &mut Body) -> NamesInUse {
        let mut idents = NamesInUse::default();
        let Some(time) = self.editor.service.envelope_time() else { return idents };
        let Some(ident) = names::chosen(time.rust_name.as_deref(), &time.name, Case::Snake) else { return idents };
        if body.series.is_none() || body.time.is_some() || body.positional.is_some() {
            return idents;
        }
        idents.note(ident);
        if let Some(fields) = inline_mut(body)
            && let Some(index) = fields.iter().position(|field| field.name == time.name)
        {
            body.format = inline_mut(body).and_then(|fields| fields.remove(index).format);
        }
        idents
    }

    /// Returns the fields of the metadata in the draft, if the catalogue has metadata without fields.
    pub(super) fn new_metadata(&self) -> &[Field] {
        let known = self.known.service.envelope.as_ref().and_then(|envelope| envelope.metadata.as_ref());
        if known.is_some_and(|known| known.fields.is_empty()) { &self.draft.metadata } else { &[] }
    }

    /// Writes the fields of the metadata if the catalogue has none, or notes differences.
    pub(super) fn write_metadata(&mut self) {
        self.note_metadata();
        let new = self.fields(self.new_metadata(), &mut NamesInUse::default());
        if let Some(fields) = self.editor.fields_mut(&FieldsAt::Metadata) {
            fields.extend(new);
        }
    }

    /// Replaces known lists of fields with the widened lists.
    pub(super) fn write_lists(&mut self) {
        for (at, drafted) in &self.draft.lists {
            let (mut idents, owner) = match at {
                FieldsAt::Body(at) => {
                    let body = self.editor.endpoint(at).body.known().cloned();
                    (self.omit_time(&mut body.unwrap_or_default()), String::new())
                }
                FieldsAt::Record(at) => {
                    (NamesInUse::default(), format!("{}.", self.editor.records(&at.module)[at.index].name))
                }
                FieldsAt::Metadata => {
                    let metadata = self.editor.service.envelope.as_ref().and_then(|known| known.metadata.as_ref());
                    (NamesInUse::default(), metadata.map_or_else(String::new, |known| format!("{}.", known.name)))
                }
            };
            let fields = self.fields(drafted, &mut idents);
            let Some(list) = self.editor.fields_mut(at) else { continue };
            let old = std::mem::replace(list, fields.clone());
            let known: HashSet<&str> = old.iter().map(|field| field.name.as_str()).collect();
            for field in fields.iter().filter(|field| !known.contains(field.name.as_str())) {
                self.editor.note(format!("`{owner}{}` is new ({})", field.name, field.ty));
            }
        }
    }
}
