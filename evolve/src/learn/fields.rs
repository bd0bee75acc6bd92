//! Compares the fields of a record in the responses with the known fields in the catalogue.

use codegen::is_line;
use codegen::model::TimeForm;
use codegen::spec::{Evidence, Field};

use super::draft::Reader;
use super::positional::named_as;
use crate::content::FieldsAt;
use crate::draft_types::{TIMESTAMP, innermost};
use crate::observed_values::Observed;

/// The facts that apply to all fields of a known list of fields.
#[derive(Default)]
pub(super) struct FieldList {
    /// The evidence that fields of the list inherit.
    pub(super) evidence: Evidence,
    /// The name of the envelope's time field, if the list does not include it.
    pub(super) time: Option<String>,
    /// The fields whose types must not change, each with the reason.
    pub(super) fixed: Vec<(String, &'static str)>,
    /// The text that precedes the name of a field in messages.
    pub(super) within: String,
    /// `true` if several bodies share this list. New fields are then optional, because other bodies may lack them.
    pub(super) is_shared: bool,
}

impl Reader<'_> {
    /// Widens a known list of fields to fit the responses, adds the new fields, and returns the result.
    pub(super) fn widen_list(&mut self, at: &FieldsAt, list: &FieldList, seen: &Observed) -> Vec<Field> {
        // The list may already have been widened by another part of the responses.
        let known = self.lists.get(at).cloned();
        let mut fields = known.unwrap_or_else(|| self.editor.fields_mut(at).cloned().unwrap_or_default());
        let is_known = |name: &str| fields.iter().any(|field| *field.name == name);
        let is_new = |name: &str| list.time.as_deref() != Some(name) && !is_known(name);
        let names: Vec<_> = seen.fields.0.iter().map(|(name, _)| name.clone()).filter(|name| is_new(name)).collect();
        let mut absent = Vec::new();
        for (index, field) in fields.iter_mut().enumerate() {
            let values = seen.fields.get(&field.name);
            if field.evidence.unwrap_or(list.evidence) == Evidence::PreviousVersion && seen.objects > 0 {
                if values.is_none() {
                    absent.push((index, field.name.to_string()));
                    continue;
                }
                // The responses confirm a field that was known only from the previous version.
                field.evidence = self.own_evidence(list);
            }
            if let Some(values) = values {
                self.widen_field(list, field, values);
            }
            let is_absent = values.is_none_or(|values| values.times < seen.objects || values.nulls > 0);
            if is_absent && seen.objects > 0 && !field.optional {
                field.optional = true;
                self.editor.note(format!("`{}{}` can be missing or null", list.within, field.name));
            }
        }
        let mut new = self.new_fields(seen, |name| names.iter().any(|new| new == name));
        for field in &mut new {
            field.optional |= list.is_shared;
            field.evidence = self.own_evidence(list);
        }
        self.replace(list, &mut fields, absent, &mut new);
        fields.extend(new);
        self.lists.insert(at.clone(), fields.clone());
        fields
    }

    /// Returns the evidence of a learned field, if it differs from the evidence of its list.
    fn own_evidence(&self, list: &FieldList) -> Option<Evidence> {
        Some(self.options.evidence).filter(|own| *own != list.evidence)
    }

    /// Replaces fields of the previous version that are missing in the responses (`absent`) with new fields, in order.
    /// If no new field is left, or if the list is shared, a missing field is kept. Each missing field is noted.
    fn replace(&mut self, list: &FieldList, fields: &mut [Field], absent: Vec<(usize, String)>, new: &mut Vec<Field>) {
        let replaced = if list.is_shared { 0 } else { new.len().min(absent.len()) };
        let mut others = new.drain(..replaced);
        for (index, name) in absent {
            let outcome = match others.next() {
                Some(other) => {
                    fields[index] = other;
                    "a new field replaces it"
                }
                None => "delete it if it no longer exists",
            };
            self.editor.note(format!("`{}{name}` of the previous version is missing; {outcome}", list.within));
        }
    }

    /// Widens a known record to fit the responses.
    pub(super) fn known_record(&mut self, name: &str, seen: &Observed) {
        let Some((at, record)) = self.editor.record(&self.module, name) else { return };
        if self.open.contains(&at) {
            // The record contains itself. Its list of fields must be complete before the inner values can widen it.
            return self.waiting.push((at.module, name.to_owned(), seen.clone()));
        }
        let list = FieldList {
            evidence: record.evidence,
            fixed: Self::times_of_record(self.editor, name),
            within: format!("{name}."),
            is_shared: true,
            ..FieldList::default()
        };
        let named = (seen.lists > 0 && record.positional).then(|| named_as(&record.fields, seen));
        // The types of a record's fields are looked up in the file of the record, which may differ from the endpoint's
        // file.
        let outer = std::mem::replace(&mut self.module, at.module.clone());
        self.open.push(at.clone());
        self.widen_list(&FieldsAt::Record(at), &list, named.as_ref().unwrap_or(seen));
        self.open.pop();
        if self.open.is_empty() {
            for (module, name, seen) in std::mem::take(&mut self.waiting) {
                self.module = module;
                self.known_record(&name, &seen);
            }
        }
        self.module = outer;
    }

    /// Returns drafts of the fields that are new.
    pub(super) fn new_fields(&mut self, seen: &Observed, is_new: impl Fn(&str) -> bool) -> Vec<Field> {
        let mut fields = Vec::new();
        for (name, values) in seen.fields.0.iter().filter(|(name, _)| is_new(name)) {
            if !is_line(name) {
                self.editor.note(format!("the field {name:?} is omitted: its name must be one line of visible text"));
                continue;
            }
            let (ty, form) = self.new_type(name, values);
            let optional = values.times < seen.objects || values.nulls > 0;
            let is_written = form.and_then(TimeForm::format).is_some();
            let can_be_quoted = matches!(innermost(&ty), "integer" | "number" | TIMESTAMP) && !is_written;
            let quoted = (can_be_quoted && values.is_quoted()).then_some(true.into());
            self.quoted += usize::from(quoted.is_some());
            let (name, ty) = (name.as_str().into(), ty.into());
            fields.push(timed(Field { name, ty, optional, quoted, ..Field::default() }, form));
        }
        fields
    }
}

/// Returns a field with the unit or format of its timestamps.
fn timed(field: Field, form: Option<TimeForm>) -> Field {
    let unit = form.and_then(TimeForm::unit).map(|unit| unit.word().into());
    Field { unit, format: form.and_then(TimeForm::format).map(Into::into), ..field }
}
