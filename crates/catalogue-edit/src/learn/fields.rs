//! Compares the fields of a record in the responses with the known fields in the catalogue.

use catalogue::is_line;
use catalogue::model::TimeForm;
use catalogue::spec::{Envelope, Evidence, Field};

use super::body_kind::named_as;
use super::reader::Reader;
use crate::content::FieldsAt;
use crate::draft::{TIMESTAMP, innermost, is_number};
use crate::observed_values::Observed;

/// The facts that apply to all fields of a known list of fields.
#[derive(Default)]
pub(super) struct FieldList {
    /// The evidence that fields of the list inherit.
    pub(super) evidence: Evidence,
    /// The fields whose types must not change, each with the reason.
    pub(super) fixed: Vec<(String, &'static str)>,
    /// The text that precedes the name of a field in messages.
    pub(super) within: String,
    /// `true` if several bodies share this list. New fields are then optional, because other bodies may lack them.
    is_shared: bool,
}

impl Reader<'_> {
    /// The facts that apply to all fields at a position.
    fn list(&self, at: &FieldsAt) -> FieldList {
        let (evidence, name, fixed) = match (at, &self.editor.service.envelope) {
            (FieldsAt::Record(at), _) => {
                let record = &self.editor.records(&at.module)[at.index];
                (record.evidence, &record.name, Self::times_of_record(self.editor, &record.name))
            }
            (FieldsAt::Metadata, Some(Envelope { metadata: Some(metadata), evidence, .. })) => {
                let why = "`envelope.metadata.unsupported` declares it as a list";
                let fixed = metadata.unsupported.iter().map(|field| (field.to_string(), why));
                (*evidence, &metadata.name, fixed.collect())
            }
            _ => return FieldList { evidence: self.known_evidence(), ..FieldList::default() },
        };
        FieldList { evidence, within: format!("{name}."), fixed, is_shared: true }
    }

    /// Widens a known list of fields to fit the responses, adds the new fields, and returns the result. `time` is the
    /// envelope's time field, if the list does not include it.
    pub(super) fn widen_list(&mut self, at: &FieldsAt, time: Option<&str>, seen: &Observed) -> Vec<Field> {
        let list = self.list(at);
        let within = &list.within;
        // The list may already have been widened by another part of the responses.
        let known = self.draft.lists.get(at).cloned();
        let mut fields = known.unwrap_or_else(|| self.editor.fields_mut(at).cloned().unwrap_or_default());
        let seen = &seen.by_main_names(&fields);
        let names: Vec<_> = fields.iter().map(|field| field.name.to_string()).collect();
        // The evidence of a learned field, if it differs from the evidence of its list.
        let own_evidence = Some(self.options.evidence).filter(|own| *own != list.evidence);
        let mut absent = Vec::new();
        for (index, field) in fields.iter_mut().enumerate() {
            let values = seen.fields.get(field.name.as_str());
            if field.evidence.unwrap_or(list.evidence) == Evidence::PreviousVersion && seen.objects > 0 {
                if values.is_none() {
                    absent.push(index);
                    continue;
                }
                // The responses confirm a field that was known only from the previous version.
                field.evidence = own_evidence;
            }
            if let Some(values) = values {
                self.widen_field(&list, field, values);
                self.add_nulls(within, field, values);
            }
            let is_absent = values.is_none_or(|values| values.times < seen.objects || values.nulls > 0);
            if is_absent && seen.objects > 0 && !field.optional {
                field.optional = true;
                self.editor.note(format!("`{within}{}` can be missing or null", field.name));
            }
        }
        for text in self.renames(&fields, list.evidence, time, seen) {
            self.editor.note(format!("`{within}{text}"));
        }
        let new = self.new_fields(seen, |name| time != Some(name) && names.iter().all(|known| known != name));
        let mut new = new.into_iter().map(|field| {
            let optional = field.optional || list.is_shared;
            Field { optional, evidence: own_evidence, ..field }
        });
        // A new field of the body replaces a field of the previous version that is missing.
        for index in absent {
            let other = if list.is_shared { None } else { new.next() };
            let outcome = match other {
                Some(other) => {
                    fields[index] = other;
                    "a new field replaces it"
                }
                None => "delete it if it no longer exists",
            };
            let name = &names[index];
            self.editor.note(format!("`{within}{name}` of the previous version is missing; {outcome}"));
        }
        fields.extend(new);
        self.draft.lists.insert(at.clone(), fields.clone());
        fields
    }

    /// Adds the texts that stand for a missing value to a known field, unless the service or the field lists them.
    fn add_nulls(&mut self, within: &str, field: &mut Field, seen: &Observed) {
        for marker in seen.markers.iter().filter(|_| is_number(innermost(&field.ty))) {
            let service = &self.editor.service.nulls;
            if service.iter().chain(&field.nulls).all(|known| **known != *marker) {
                field.nulls.push(marker.as_str().into());
                self.editor.note(format!("`{within}{}` has {marker:?} in place of missing values", field.name));
            }
        }
    }

    /// Widens a known record to fit the responses.
    pub(super) fn known_record(&mut self, name: &str, seen: &Observed) {
        let Some((at, record)) = self.editor.record(&self.module, name) else { return };
        if self.open.contains(&at) {
            // The record contains itself. Its list of fields must be complete before the inner values can widen it.
            return self.waiting.push((at.module, name.to_owned(), seen.clone()));
        }
        let named = (seen.lists > 0 && record.positional).then(|| named_as(&record.fields, seen));
        // The types of a record's fields are looked up in the file of the record, which may differ from the endpoint's
        // file.
        let outer = std::mem::replace(&mut self.module, at.module.clone());
        self.open.push(at.clone());
        self.widen_list(&FieldsAt::Record(at), None, named.as_ref().unwrap_or(seen));
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
        for (name, values) in seen.fields.iter().filter(|(name, _)| is_new(name)) {
            if !is_line(name) {
                self.editor.note(format!("the field {name:?} is omitted: its name must be one line of visible text"));
                continue;
            }
            let (ty, form) = self.new_type(name, values);
            let optional = values.times < seen.objects || values.nulls > 0;
            let format = form.and_then(TimeForm::format).map(Into::into);
            let can_be_quoted = matches!(innermost(&ty), "integer" | "number" | TIMESTAMP) && format.is_none();
            let quoted = (can_be_quoted && values.is_quoted()).then_some(true.into());
            self.quoted += usize::from(quoted.is_some());
            let unit = form.and_then(TimeForm::unit).map(|unit| unit.word().into());
            let can_be_missing = is_number(innermost(&ty));
            let (name, ty) = (name.as_str().into(), ty.into());
            let nulls = values.markers.iter().filter(|_| can_be_missing).map(|marker| marker.as_str().into()).collect();
            fields.push(Field { name, ty, optional, quoted, unit, format, nulls, ..Field::default() });
        }
        fields
    }
}
