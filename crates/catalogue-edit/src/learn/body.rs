//! Learns the body of an endpoint: new fields become part of a draft, and known fields are widened to fit the
//! responses.

use catalogue::model::TimeForm;
use catalogue::spec::{Body, Evidence, Field, Fields, Known, Record};
use catalogue::type_expr::TypeExpr;

use super::body_kind::BodyKind;
use super::guess_type::{is_year_and_period, keys_of_data};
use super::reader::Reader;
use crate::content::{FieldsAt, known_mut, slot};
use crate::draft::{ANY, holding};
use crate::observed_values::Observed;

/// The names of the fields that together are a time.
const PERIOD: [&str; 2] = ["year", "period"];

impl Reader<'_> {
    /// Reads the body of an endpoint, and the records in it.
    pub(super) fn read(&mut self, kind: BodyKind, seen: &Observed) -> Result<(), String> {
        let known = self.editor.endpoint(&self.endpoint).body.known().cloned().unwrap_or_default();
        if kind == BodyKind::Value {
            return self.value(&known, seen);
        }
        if let Some(listed) = self.listed() {
            self.refuse_another(&listed, seen)?;
        }
        let envelope = self.editor.service.envelope_time().filter(|_| kind == BodyKind::Series);
        let shared = envelope.map(|time| time.name.to_string());
        match slot(&known).and_then(Known::known) {
            Some(Fields::Inline(_)) => self.widen_body(&known, shared.as_deref(), seen),
            Some(Fields::Record(record)) => self.known_record(record, seen),
            None => {
                let body = self.draft(&known, kind, shared.as_deref(), seen)?;
                self.add_body(body);
            }
        }
        Ok(())
    }

    /// Widens the fields that a body lists, and updates its `time`.
    fn widen_body(&mut self, known: &Body, shared: Option<&str>, seen: &Observed) {
        let own = known.time.as_ref().map(|time| time.as_str());
        let shared = shared.filter(|time| !seen.by_position && own.is_none_or(|own| own == *time));
        let has_time = shared.is_none_or(|time| self.has_time(time, known, seen));
        let fields = self.widen_list(&FieldsAt::Body(self.endpoint.clone()), shared.filter(|_| has_time), seen);
        let time = if has_time { self.dropped_time(&fields, own) } else { Some(self.other_time(&fields, shared)) };
        if let (Some(time), Some(body)) = (time, known_mut(&mut self.editor.endpoint_mut(&self.endpoint).body)) {
            body.time = Some(time.into());
        }
    }

    /// A draft of a body whose fields are unknown. Its kind may be known, and that it has no time.
    fn draft(&mut self, known: &Body, kind: BodyKind, shared: Option<&str>, seen: &Observed) -> Result<Body, String> {
        if let Some(keys) = keys_of_data(seen) {
            return Err(format!(
                "the keys of the body look like data, not field names: {keys}; write `body: unknown` to get raw JSON"
            ));
        }
        let is_timeless = known.time.is_some();
        let envelope = shared.filter(|_| !seen.by_position && !is_timeless);
        let has_time = envelope.is_some_and(|time| self.has_time(time, known, seen));
        let mut fields = self.new_fields(seen, |name| envelope.filter(|_| has_time) != Some(name));
        let has_period = kind == BodyKind::Series && !has_time && !is_timeless && is_year_and_period(seen);
        if has_period {
            for field in fields.iter_mut().filter(|field| PERIOD.contains(&field.name.as_str())) {
                *field = Field { name: field.name.clone(), ty: "string".into(), ..Field::default() };
            }
        }
        let labels = if kind == BodyKind::Series { std::mem::take(&mut self.labels) } else { Vec::new() };
        let is_positional = seen.by_position && shared.is_some_and(|time| seen.fields.contains_key(time));
        let is_known = kind == BodyKind::Object || is_positional || has_time || is_timeless;
        let time = match is_known {
            true => None,
            false if has_period => Some("time".to_owned()),
            false => Some(self.other_time(&[fields.as_slice(), &labels].concat(), shared)),
        };
        let time_of = PERIOD.iter().filter(|_| has_period).map(|name| (*name).into()).collect();
        let fields = Some(Known::Known(Fields::Inline(fields)));
        let (series, object) = if kind == BodyKind::Series { (fields, None) } else { (None, fields) };
        let positional = seen.by_position.then_some(true.into());
        let data = self.data.as_deref().filter(|_| series.is_some());
        if let Some(data) = data {
            self.editor.note(format!("the records are at `{data}`"));
        }
        let (data, time) = (data.map(Into::into), time.map(Into::into));
        Ok(Body { series, object, data, labels, positional, time, time_of, ..Body::default() })
    }

    /// Learns the type of a body that is neither a series nor one object.
    fn value(&mut self, known: &Body, seen: &Observed) -> Result<(), String> {
        if let Some(expr) = known.ty.as_ref().and_then(|ty| TypeExpr::parse(ty)) {
            let Some(wider) = self.wider("body", &expr, seen) else { return Ok(()) };
            let (found, evidence) = (seen.describe(), self.known_evidence());
            let word = evidence.word();
            self.editor.note(format!(
                "the body is {expr} (evidence: {word}), but the responses have {found}; it becomes {wider}"
            ));
            let own = self.weaker_evidence(evidence);
            if let Some(body) = known_mut(&mut self.editor.endpoint_mut(&self.endpoint).body) {
                (body.ty, body.evidence) = (Some(wider.into()), own.or(body.evidence));
            }
            return Ok(());
        }
        let (ty, form) = self.new_type(&format!("{} entry", self.owner()), seen);
        if ty == ANY {
            return Err(format!(
                "the body is {}, for which the catalogue has no type; write `body: unknown`, and the client returns \
                 raw JSON",
                seen.describe()
            ));
        }
        // A body has no key for the format of its timestamps, so timestamps become strings or integers.
        let ty = match form {
            Some(TimeForm::Written(_)) => holding(&ty, "string"),
            Some(TimeForm::Counted(_)) => holding(&ty, "integer"),
            None => ty,
        };
        self.add_body(Body { ty: Some(ty.into()), ..Body::default() });
        Ok(())
    }

    /// Adds a note with the learned type or fields of a body that was unknown.
    pub(super) fn note_learned(&mut self, seen: &Observed) {
        let Some(body) = self.editor.endpoint(&self.endpoint).body.known() else { return };
        if let Some(ty) = &body.ty {
            let note = format!("the body is a `{ty}`");
            return self.editor.note(note);
        }
        let listed = self.listed().unwrap_or_default();
        let fields = listed.fields.iter().map(|field| {
            let optional = if field.optional { ", optional" } else { "" };
            format!("{} ({}{optional})", field.name, field.ty)
        });
        let fields = fields.collect::<Vec<_>>().join(", ");
        let fields = if fields.is_empty() { "no fields" } else { &fields };
        let records = if seen.times == 1 { "1 record".to_owned() } else { format!("{} records", seen.times) };
        self.editor.note(format!("learned from {records}: {fields}"));
    }

    /// Rejects records that have none of the fields in the catalogue. Fields that are known only from the previous
    /// version do not count.
    fn refuse_another(&self, listed: &Record, seen: &Observed) -> Result<(), String> {
        let is_sure = |field: &&Field| field.evidence.unwrap_or(listed.evidence) != Evidence::PreviousVersion;
        let names: Vec<_> = listed.fields.iter().filter(is_sure).map(|field| field.name.as_str()).collect();
        let by_main_names = seen.by_main_names(&listed.fields);
        if names.is_empty() || names.iter().any(|name| by_main_names.fields.contains_key(*name)) {
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
