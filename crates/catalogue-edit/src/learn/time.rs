//! Compares the time field that the catalogue declares with the records in responses.
//!
//! If an endpoint has another time field, the field is declared in the body of the endpoint. A different unit is only
//! reported, because the unit usually applies to the entire service and one response is not sufficient to change it.

use catalogue::model::{TimeForm, TimeUnit};
use catalogue::spec::{Body, Envelope, Evidence, Field, Fields, Known};
use catalogue::type_expr::Builtin;

use super::reader::Reader;
use super::value_types::wider_builtin;
use crate::draft::{TIMESTAMP, time_of_record};
use crate::editor::Editor;
use crate::observed_values::{Observed, shown};
use crate::unix_time::unit_of;

impl Reader<'_> {
    /// `true` if records have the envelope's time field in the format that the catalogue declares. Otherwise, adds a
    /// note.
    pub(super) fn has_time(&mut self, name: &str, body: &Body, seen: &Observed) -> bool {
        let Some(Envelope { time: Some(time), evidence, .. }) = &self.editor.service.envelope else { return false };
        let evidence = time.evidence.unwrap_or(*evidence);
        let is_optional = time.optional || evidence != Evidence::Documented;
        let declaration = format!("which `envelope.time` in service.yaml declares (evidence: {})", evidence.word());
        let own = body.unit.as_deref().copied().or(time.unit.as_ref().and_then(|unit| TimeUnit::of(unit)));
        let format = body.format.as_deref().or(time.format.as_deref()).copied();
        let form = TimeForm::of(own, format).unwrap_or_else(|| self.editor.service.time_form());
        let seen = &seen.by_main_names(std::slice::from_ref(time));
        let values = seen.fields.get(name).filter(|values| values.values() > 0);
        let Some(values) = values else {
            self.editor.note(format!("no record has `{name}`, {declaration}"));
            return false;
        };
        let (of, missing) = (seen.objects, seen.objects - values.values());
        if wider_builtin(Builtin::Timestamp(form), values).is_some() {
            let found = values.describe();
            self.editor.note(format!(
                "`{name}`, {declaration}, contains {found} instead of timestamps; the client rejects such a response"
            ));
            return false;
        }
        if missing > 0 && !is_optional {
            let (have, them) = if missing == 1 { ("has", "it") } else { ("have", "them") };
            self.editor.note(format!(
                "{missing} of {of} records {have} no `{name}`, {declaration}; the client rejects {them}"
            ));
            return false;
        }
        self.note_time(name, own, values);
        true
    }

    /// Reports values of a time field that the client accepts although they contradict the catalogue: numbers as
    /// strings, or a unit other than the declared unit. `own` is the unit that the field itself declares.
    pub(super) fn note_time(&mut self, name: &str, own: Option<TimeUnit>, seen: &Observed) {
        if seen.numeric_texts > 0 {
            let text = seen.texts.first().map_or("", String::as_str);
            self.editor.note(format!("`{name}` is a string such as {text:?}; the client parses it as a number"));
        }
        let (default, evidence) = (self.editor.service.time_form(), self.editor.service.time.evidence.word());
        let declared = own.or(default.unit());
        let Some(unit) = unit_of(seen.max).filter(|unit| Some(*unit) != declared) else { return };
        let known_unit = match own {
            Some(own) => format!("its `unit` is {}", own.word()),
            None => format!("`time.unit` in service.yaml is {} (evidence: {evidence})", default.word()),
        };
        let (max, unit) = (shown(seen.max), unit.word());
        self.editor.note(format!(
            "`{name}` has timestamps such as {max}, which are {unit}, but {known_unit}, so the client misreads them; \
             correct `time.unit` if all endpoints use {unit}; if only this endpoint does, set `unit: {unit}` on \
             `{name}`, or on the body if `{name}` is the time field of the envelope"
        ));
    }

    /// Returns `none` as the `time` of a body whose own time field is no longer a timestamp, and adds a note.
    pub(super) fn dropped_time(&mut self, list: &[Field], own: Option<&str>) -> Option<String> {
        let own = own.filter(|own| list.iter().any(|field| *field.name == *own && *field.ty != TIMESTAMP))?;
        self.editor.note(format!("`{own}` is no longer a timestamp, so the body gets `time: none`"));
        Some("none".to_owned())
    }

    /// Returns the `time` of a body that does not use the envelope's time field, and adds a note.
    pub(super) fn other_time(&mut self, list: &[Field], shared: Option<&str>) -> String {
        let is_other = |field: &&Field| *field.ty == TIMESTAMP && Some(field.name.as_str()) != shared;
        let others: Vec<_> = list.iter().filter(is_other).map(|field| format!("`{}`", field.name)).collect();
        let (time, why) = match time_of_record(list, shared) {
            Some(field) => (field.name.as_str(), String::new()),
            None if others.is_empty() => ("none", String::new()),
            None => ("none", format!("; if {} is its time, set `time` to it", others.join(" or "))),
        };
        self.editor.note(format!("the body gets `time: {time}`{why}"));
        time.to_owned()
    }

    /// The fields of a record that must remain timestamps, because a series uses them as its time; each with the
    /// reason.
    pub(super) fn times_of_record(editor: &Editor, record: &str) -> Vec<(String, &'static str)> {
        const REMEDY: &str = "it is the time of a series; set `time: none` in the body, then learn again";
        let envelope = editor.service.envelope_time().map(|time| &time.name);
        let series = editor.endpoints().filter_map(|(_, endpoint)| {
            let body = endpoint.body.known()?;
            let is_its = matches!(&body.series, Some(Known::Known(Fields::Record(name))) if name.as_str() == record);
            Some((body.time.as_ref().or(envelope)?.to_string(), REMEDY)).filter(|_| is_its)
        });
        series.collect()
    }
}
