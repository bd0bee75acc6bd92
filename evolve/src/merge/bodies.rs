//! Merges the bodies of endpoints, and the metadata next to the records of every series.

use codegen::names::{self, Case};
use codegen::spec::{Body, Endpoint, Evidence, Field, Fields, Known};

use super::Merger;
use crate::content::{FieldsAt, inline_mut};
use crate::rust_names::NamesInUse;

impl Merger<'_> {
    /// Returns the drafted body of an endpoint with the names of the catalogue; `None` if it is unknown. `inherited` is
    /// the evidence of the endpoint.
    pub(super) fn body(&self, new: &Endpoint, known: Option<&Body>, inherited: Evidence) -> Option<Body> {
        let mut body = new.body.known()?.clone();
        // `time: none` declares that the series has no time, so it is kept.
        if let Some(time) = known.and_then(|known| known.time.as_ref()).filter(|time| time.as_str() == "none") {
            body.time = Some(time.clone());
        }
        let mut idents = self.omit_time(&mut body);
        body.ty = body.ty.map(|ty| self.ty(&ty).into());
        match body.series.as_mut().or(body.object.as_mut()) {
            Some(Known::Known(Fields::Inline(fields))) => *fields = self.fields(fields, &mut idents),
            Some(Known::Known(Fields::Record(name))) => **name = self.ty(name),
            Some(Known::Unknown) | None => {}
        }
        body.evidence = Some(body.evidence.unwrap_or(new.evidence)).filter(|evidence| *evidence != inherited);
        Some(body)
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
        let is_open = self.known.metadata().is_some_and(|known| known.fields.is_empty());
        if is_open { &self.draft.metadata } else { &[] }
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
            let mut idents = NamesInUse::default();
            let owner = match at {
                FieldsAt::Body(at) => {
                    let body = self.editor.endpoint(at).body.known().cloned();
                    idents = self.omit_time(&mut body.unwrap_or_default());
                    None
                }
                FieldsAt::Record(at) => Some(&self.editor.records(&at.module)[at.index].name),
                FieldsAt::Metadata => self.editor.metadata().map(|metadata| &metadata.name),
            };
            let owner = owner.map(|name| format!("{name}.")).unwrap_or_default();
            let fields = self.fields(drafted, &mut idents);
            let Some(list) = self.editor.fields_mut(at) else { continue };
            let old = std::mem::replace(list, fields.clone());
            for field in fields.iter().filter(|field| old.iter().all(|known| known.name != field.name)) {
                self.editor.note(format!("`{owner}{}` is new ({})", field.name, field.ty));
            }
        }
    }
}
