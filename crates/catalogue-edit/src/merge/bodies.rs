//! Merges the bodies of endpoints.

use catalogue::names::{self, Case};
use catalogue::spec::{Body, Endpoint, Evidence, Fields, Known};

use super::{Merger, own_evidence};
use crate::content::{fields_of_mut, inline_mut};
use crate::names_in_use::NamesInUse;

impl Merger<'_> {
    /// The drafted body of an endpoint with the names of the catalogue; `None` if it is unknown. `inherited` is the
    /// evidence of the endpoint.
    pub(super) fn body(&self, new: &Endpoint, known: Option<&Body>, inherited: Evidence) -> Option<Body> {
        let mut body = new.body.known()?.clone();
        // `time: none` declares that the series has no time, so it is kept.
        if let Some(time) = known.and_then(|known| known.time.as_ref())
            && time.as_str() == "none"
        {
            body.time = Some(time.clone());
        }
        let mut idents = self.omit_time(&mut body);
        body.ty = body.ty.map(|ty| self.ty(&ty).into());
        body.others = self.others(body.others.as_ref(), &mut idents);
        match fields_of_mut(&mut body) {
            Some(Known::Known(Fields::Inline(fields))) => *fields = self.fields(fields, &mut idents),
            Some(Known::Known(Fields::Record(name))) => **name = self.ty(name),
            Some(Known::Unknown) | None => {}
        }
        body.evidence = own_evidence(body.evidence.unwrap_or(new.evidence), inherited);
        Some(body)
    }

    /// Removes the envelope's time field from the listed fields of a body, and moves its format to the body. A series
    /// with another time field, or with positional records, is not changed. The returned set contains the Rust name of
    /// the time field, because the emitted record still has the field.
    pub(super) fn omit_time(&self, body: &mut Body) -> NamesInUse {
        let mut idents = NamesInUse::default();
        let Some(time) = self.editor.content.service.envelope_time() else { return idents };
        let Some(ident) = names::chosen(time.rust_name.as_deref(), &time.name, Case::Snake) else { return idents };
        if body.series.is_none() || body.time.is_some() || body.positional.is_some() {
            return idents;
        }
        idents.note(ident);
        let Some(fields) = inline_mut(body) else { return idents };
        if let Some(index) = fields.iter().position(|field| field.name == time.name) {
            body.format = fields.remove(index).format;
        }
        idents
    }
}
