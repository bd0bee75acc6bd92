//! Compares the time field that the catalogue declares with the records in responses.
//!
//! If an endpoint has another time field, the field is declared in the body of the endpoint. A different unit is only
//! reported, because the unit usually applies to the entire service and one response is not sufficient to change it.

use codegen::model::{TimeForm, TimeFormat, TimeUnit};
use codegen::spec::{Evidence, FIELD};

use super::draft::Reader;
use super::guess_type::{time_format, unit_of};
use crate::draft_types::is_time_of_record;
use crate::editor::Editor;
use crate::format_keys::SERVICE;
use crate::merge::endpoints;
use crate::observed_values::{Observed, shown};
use crate::yaml_path::YamlPath;
use crate::yaml_tree::Tree;

impl Reader<'_> {
    /// Returns `true` if records have the envelope's time field in the format that the catalogue declares. Otherwise,
    /// adds a note.
    pub(super) fn has_time(&mut self, name: &str, body: &Tree, seen: &Observed) -> bool {
        let envelope = self.editor.service.envelope.as_ref();
        let declared = envelope.and_then(|envelope| Some((envelope, envelope.time.as_ref()?)));
        let Some((envelope, time)) = declared else { return false };
        let evidence = time.evidence.unwrap_or(envelope.evidence);
        let is_optional = time.optional || evidence != Evidence::Documented;
        let declaration = format!("which `envelope.time` in {SERVICE} declares (evidence: {})", evidence.word());
        let values = seen.fields.get(name);
        let missing = seen.objects - values.map_or(0, Observed::values);
        let Some(values) = values.filter(|_| missing < seen.objects) else {
            self.editor.note(format!("no record has `{name}`, {declaration}"));
            return false;
        };
        let units = [body.text("unit"), time.unit.as_deref().map(String::as_str)];
        let formats = [body.text("format").and_then(TimeFormat::of), time.format.as_deref().copied()];
        let unit = units.into_iter().flatten().find_map(TimeUnit::of);
        let form = TimeForm::of(unit, formats.into_iter().flatten().next());
        let is_written = form.unwrap_or_else(|| self.editor.service.time_form()).format().is_some();
        let fits =
            if is_written { time_format(values).is_some() } else { values.are_numbers() && values.non_integers == 0 };
        if !fits {
            self.editor.note(format!(
                "`{name}`, {declaration}, contains {} instead of timestamps; the client rejects such a response",
                values.describe()
            ));
            return false;
        }
        if missing > 0 && !is_optional {
            let of = seen.objects;
            let (have, them) = if missing == 1 { ("has", "it") } else { ("have", "them") };
            self.editor.note(format!(
                "{missing} of {of} records {have} no `{name}`, {declaration}; the client rejects {them}"
            ));
            return false;
        }
        let own = units.into_iter().flatten().next().map(str::to_owned);
        self.note_time(name, own.as_deref(), values);
        true
    }

    /// Returns `true` if the observed records have the time field `name`, which the catalogue declares for a body whose
    /// other fields are unknown. Otherwise, adds a note.
    pub(super) fn has_own_time(&mut self, name: &str, seen: &Observed) -> bool {
        let values = seen.fields.get(name);
        let is_timestamp = values
            .is_some_and(|values| time_format(values).is_some() || values.are_numbers() && values.non_integers == 0);
        let is_shared = self.editor.service.envelope_time().is_some_and(|time| time.name.as_str() == name);
        if !is_timestamp && !is_shared && name != "none" {
            let found = values.map_or_else(|| "is missing".to_owned(), |values| format!("has {}", values.describe()));
            self.editor.note(format!("the time field `{name}` {found}"));
        }
        is_timestamp || is_shared || name == "none"
    }

    /// Reports values of a time field that the client accepts although they contradict the catalogue: numbers as
    /// strings, or a unit other than the declared unit. `own` is the unit that the field itself declares.
    pub(super) fn note_time(&mut self, name: &str, own: Option<&str>, seen: &Observed) {
        if seen.numeric_texts > 0 {
            let text = seen.texts.first().map_or("", String::as_str);
            self.editor.note(format!("`{name}` is a string such as {text:?}; the client parses it as a number"));
        }
        let time = &self.editor.service.time;
        let (declared, evidence) = (self.editor.service.time_form().word(), time.evidence.word());
        let Some(unit) = unit_of(seen.max).filter(|unit| *unit != own.unwrap_or(declared)) else { return };
        let known_unit = match own {
            Some(own) => format!("its `unit` is {own}"),
            None => format!("`time.unit` in {SERVICE} is {declared} (evidence: {evidence})"),
        };
        let max = shown(seen.max);
        self.editor.note(format!(
            "`{name}` has timestamps such as {max}, which are {unit}, but {known_unit}, so the client misreads them; \
             correct `time.unit` if all endpoints use {unit}; if only this endpoint does, set `unit: {unit}` on \
             `{name}`, or on the body if `{name}` is the time field of the envelope"
        ));
    }

    /// Sets `time: none` on a body whose time field is no longer a timestamp.
    pub(super) fn drop_time(&mut self, body: &YamlPath, list: &[Tree], own: Option<&str>) {
        let is_other = |field: &&Tree| field.text("type") != Some("timestamp");
        let own = own.filter(|own| list.iter().filter(is_other).any(|field| field.text("name") == Some(own)));
        let Some(own) = own else { return };
        self.editor.note(format!("`{own}` is no longer a timestamp, so the body gets `time: none`"));
        self.editor.set(body, "time", "none");
    }

    /// Returns the `time` of a body that does not use the envelope's time field, and adds a note.
    pub(super) fn other_time(&mut self, list: &[Tree], shared: Option<&str>) -> String {
        let timestamps = list.iter().filter(|field| field.text("type") == Some("timestamp"));
        let other = timestamps.filter_map(|field| Some((field.text("name")?, is_time_of_record(field))));
        let (names, are_times): (Vec<_>, Vec<_>) = other.filter(|(name, _)| Some(*name) != shared).unzip();
        let (time, why) = match names.as_slice() {
            [one] if are_times == [true] => (*one, String::new()),
            [] => ("none", String::new()),
            [one] => ("none", format!(", because `{one}` may be another time; if it is right, set `time: {one}`")),
            _ => (
                "none",
                format!(", because the time may be any of {}; set `time` to the right field", names.join(", ")),
            ),
        };
        self.editor.note(format!("the body gets `time: {time}`{why}"));
        time.to_owned()
    }

    /// Returns the fields of a record that must remain timestamps, because a series uses them as its time; each with
    /// the reason.
    pub(super) fn times_of_record(editor: &Editor, record: &str) -> Vec<(String, &'static str)> {
        const REMEDY: &str = "it is the time of a series; set `time: none` in the body, then learn again";
        let envelope = editor.service.envelope_time().map(|time| time.name.as_str());
        let bodies = endpoints(editor).into_iter().filter_map(|(_, endpoint)| endpoint.get("body"));
        let series = bodies.filter(|body| body.text("series") == Some(record));
        series.filter_map(|body| Some((body.text("time").or(envelope)?.to_owned(), REMEDY))).collect()
    }
}

/// Changes the type of a field to `timestamp` if `time` names the field, regardless of its values.
pub(super) fn make_time(field: &mut Tree, time: Option<&str>) {
    if time.is_some() && field.text("name") == time && field.text("type") != Some("timestamp") {
        field.remove("unit");
        field.set(&FIELD, "type", Some("timestamp"));
    }
}
