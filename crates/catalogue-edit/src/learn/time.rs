//! Compares the time field that the catalogue declares with the records in responses.
//!
//! If an endpoint has another time field, the field is declared in the body of the endpoint. A different unit is only
//! reported, because the unit usually applies to the entire service and one response is not sufficient to change it.

use catalogue::model::{TimeForm, TimeUnit};
use catalogue::spec::{Body, Evidence, Field};
use catalogue::type_expr::Builtin;

use super::endpoint_reader::EndpointReader;
use super::wider_builtin::wider_builtin;
use crate::drafted_type::TIMESTAMP;
use crate::observed_values::{Observed, shown};
use crate::record_time::time_of_record;
use crate::unix_time::unit_by_magnitude;

impl EndpointReader<'_> {
    /// `true` if records have the envelope's time field in the format that the catalogue declares. Otherwise, adds a
    /// note.
    pub(super) fn has_time(&mut self, name: &str, body: &Body, seen: &Observed) -> bool {
        let Some(declared) = self.declared_time(body) else { return false };
        let declaration = &declared.declaration;
        let seen = &seen.by_main_names(std::slice::from_ref(&declared.field));
        let values = match seen.fields.get(name) {
            Some(values) if values.values() > 0 => values,
            _ => {
                self.editor.note(format!("no record has `{name}`, {declaration}"));
                return false;
            }
        };
        if wider_builtin(Builtin::Timestamp(declared.form), values).is_some() {
            let found = values.describe();
            self.editor.note(format!(
                "`{name}`, {declaration}, contains {found} instead of timestamps; the client rejects such a response"
            ));
            return false;
        }
        let missing = seen.objects - values.values();
        if missing > 0 && !declared.is_optional {
            let (have, them) = if missing == 1 { ("has", "it") } else { ("have", "them") };
            self.editor.note(format!(
                "{missing} of {} records {have} no `{name}`, {declaration}; the client rejects {them}",
                seen.objects
            ));
            return false;
        }
        self.note_time(name, declared.unit, values);
        true
    }

    /// The time field that the envelope declares, as a body has it.
    fn declared_time(&self, body: &Body) -> Option<DeclaredTime> {
        let service = &self.editor.content.service;
        let envelope = service.envelope.as_ref()?;
        let field = envelope.time.as_ref()?;
        let evidence = field.evidence.unwrap_or(envelope.evidence);
        let of_field = field.unit.as_ref().and_then(|unit| TimeUnit::of(unit));
        let unit = body.unit.as_deref().copied().or(of_field);
        let format = body.format.as_deref().or(field.format.as_deref());
        let form = TimeForm::of(unit, format.copied());
        Some(DeclaredTime {
            field: field.clone(),
            unit,
            form: form.unwrap_or_else(|| service.time_form()),
            is_optional: field.optional || evidence != Evidence::Documented,
            declaration: format!("which `envelope.time` in service.yaml declares (evidence: {})", evidence.word()),
        })
    }

    /// Reports values of a time field that the client accepts although they contradict the catalogue: numbers as
    /// strings, or a unit other than the declared unit. `own` is the unit that the field itself declares.
    pub(super) fn note_time(&mut self, name: &str, own: Option<TimeUnit>, seen: &Observed) {
        if seen.numeric_texts > 0 {
            let text = seen.texts.first().map_or("", String::as_str);
            self.editor.note(format!("`{name}` is a string such as {text:?}; the client parses it as a number"));
        }
        let Some(unit) = unit_by_magnitude(seen.max) else { return };
        let service = &self.editor.content.service;
        let default = service.time_form();
        if own.or(default.unit()) == Some(unit) {
            return;
        }
        let known_unit = if let Some(own) = own {
            format!("its `unit` is {}", own.word())
        } else {
            let evidence = service.time.evidence.word();
            format!("`time.unit` in service.yaml is {} (evidence: {evidence})", default.word())
        };
        let max = shown(seen.max);
        let unit = unit.word();
        self.editor.note(format!(
            "`{name}` has timestamps such as {max}, which are {unit}, but {known_unit}, so the client misreads them; \
             correct `time.unit` if all endpoints use {unit}; if only this endpoint does, set `unit: {unit}` on \
             `{name}`, or on the body if `{name}` is the time field of the envelope"
        ));
    }

    /// `none`, with a note, for the `time` of a body whose own time field is no longer a timestamp.
    pub(super) fn dropped_time(&mut self, list: &[Field], own: Option<&str>) -> Option<String> {
        let own = own?;
        let field = list.iter().find(|field| *field.name == *own)?;
        if *field.ty == TIMESTAMP {
            return None;
        }
        self.editor.note(format!("`{own}` is no longer a timestamp, so the body gets `time: none`"));
        Some("none".to_owned())
    }

    /// The `time` of a body that does not use the envelope's time field, with a note.
    pub(super) fn other_time(&mut self, list: &[Field], shared: Option<&str>) -> String {
        if let Some(field) = time_of_record(list, shared) {
            self.editor.note(format!("the body gets `time: {}`", field.name));
            return field.name.to_string();
        }
        let mut others = Vec::new();
        for field in list {
            if *field.ty == TIMESTAMP && Some(field.name.as_str()) != shared {
                others.push(format!("`{}`", field.name));
            }
        }
        let mut help = String::new();
        if !others.is_empty() {
            help = format!("; if {} is its time, set `time` to it", others.join(" or "));
        }
        self.editor.note(format!("the body gets `time: none`{help}"));
        "none".to_owned()
    }
}

/// The time field that the envelope declares, as a body has it.
struct DeclaredTime {
    field: Field,
    /// The unit that the body or the field declares.
    unit: Option<TimeUnit>,
    form: TimeForm,
    /// `true` if the client accepts records without the field.
    is_optional: bool,
    /// The text about the declaration in messages.
    declaration: String,
}
