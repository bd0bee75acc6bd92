//! Compares the fields of a record in the responses with the known fields in the catalogue.

use std::collections::HashSet;

use catalogue::is_line;
use catalogue::model::TimeForm;
use catalogue::names::OTHERS;
use catalogue::spec::{Evidence, Field};

use super::endpoint_reader::{EndpointReader, InnerValues};
use super::field_list::FieldList;
use super::records::named_as;
use crate::content::FieldListPosition;
use crate::drafted_type::{TIMESTAMP, has_digits, innermost};
use crate::observed_values::Observed;

impl EndpointReader<'_> {
    /// Widens a known list of fields to fit the responses, adds the new fields, and returns the result. `time` is the
    /// envelope's time field, if the list does not include it.
    pub(super) fn widen_list(&mut self, at: &FieldListPosition, time: Option<&str>, seen: &Observed) -> Vec<Field> {
        let list = self.list(at);
        let mut fields = self.fields_so_far(at);
        let seen = &seen.by_main_names(&fields);
        // The positions of fields of the previous version that no object has.
        let mut gone = Vec::new();
        for (index, field) in fields.iter_mut().enumerate() {
            let is_former = field.evidence.unwrap_or(list.evidence) == Evidence::PreviousVersion;
            if is_former && seen.objects > 0 {
                if !seen.fields.contains_key(field.name.as_str()) {
                    gone.push(index);
                    continue;
                }
                // The responses confirm a field that was known only from the previous version.
                field.evidence = self.learned_evidence(&list);
            }
            self.widen_known_field(&list, field, seen);
        }
        for text in self.renames(&fields, list.evidence, time, seen) {
            self.editor.note(format!("`{}{text}", list.within));
        }
        let mut new = self.new_fields_of_list(&list, &fields, time, seen);
        for index in gone {
            self.replace_former(&list, &mut fields[index], &mut new);
        }
        fields.extend(new);
        self.draft.lists.insert(at.clone(), fields.clone());
        fields
    }

    /// The fields at a position. Another part of the responses may already have widened them.
    fn fields_so_far(&mut self, at: &FieldListPosition) -> Vec<Field> {
        if let Some(widened) = self.draft.lists.get(at) {
            return widened.clone();
        }
        self.editor.content.fields_mut(at).cloned().unwrap_or_default()
    }

    /// The evidence of a learned field, if it differs from the evidence of its list.
    fn learned_evidence(&self, list: &FieldList) -> Option<Evidence> {
        let learned = self.options.evidence;
        if learned == list.evidence { None } else { Some(learned) }
    }

    /// Widens a known field, and makes it optional if an object lacks it.
    fn widen_known_field(&mut self, list: &FieldList, field: &mut Field, seen: &Observed) {
        let values = seen.fields.get(field.name.as_str());
        if let Some(values) = values {
            self.widen_field(list, field, values);
            self.add_nulls(list, field, values);
        }
        let can_be_missing = values.is_none_or(|values| values.times < seen.objects || values.nulls > 0);
        if can_be_missing && seen.objects > 0 && !field.optional {
            field.optional = true;
            self.editor.note(format!("`{}{}` can be missing or null", list.within, field.name));
        }
    }

    /// Adds the texts that stand for a missing value to a known field, unless the service or the field lists them.
    fn add_nulls(&mut self, list: &FieldList, field: &mut Field, seen: &Observed) {
        if !has_digits(innermost(&field.ty)) {
            return;
        }
        for marker in &seen.markers {
            let of_service = &self.editor.content.service.nulls;
            let is_known = of_service.iter().chain(&field.nulls).any(|known| **known == *marker);
            if !is_known {
                field.nulls.push(marker.as_str().into());
                let name = format!("{}{}", list.within, field.name);
                self.editor.note(format!("`{name}` has {marker:?} in place of missing values"));
            }
        }
    }

    /// The fields that a list does not have yet.
    fn new_fields_of_list(
        &mut self,
        list: &FieldList,
        known: &[Field],
        time: Option<&str>,
        seen: &Observed,
    ) -> Vec<Field> {
        let others = self.of_others(list.others.as_deref(), known, seen);
        let mut omitted: HashSet<&str> = HashSet::from_iter(time);
        for field in known {
            omitted.insert(&field.name);
        }
        for name in &others {
            omitted.insert(name);
        }
        if list.others.is_some() {
            omitted.insert(OTHERS);
            if seen.fields.contains_key(OTHERS) && !others.iter().any(|name| name == OTHERS) {
                let why = "because this is the name of the field for all members that are not listed";
                self.editor.note(format!("`{}{OTHERS}` does not become a field, {why}", list.within));
            }
        }
        let mut new = self.new_fields(seen, &omitted);
        for field in &mut new {
            field.optional |= list.is_shared;
            field.evidence = self.learned_evidence(list);
        }
        new
    }

    /// Replaces a field of the previous version that is missing by a new field, unless other bodies may still have it.
    fn replace_former(&mut self, list: &FieldList, field: &mut Field, new: &mut Vec<Field>) {
        let can_be_replaced = !list.is_shared && !new.is_empty();
        let outcome = if can_be_replaced { "a new field replaces it" } else { "delete it if it no longer exists" };
        let name = format!("{}{}", list.within, field.name);
        self.editor.note(format!("`{name}` of the previous version is missing; {outcome}"));
        if can_be_replaced {
            *field = new.remove(0);
        }
    }

    /// Widens a known record to fit the responses.
    pub(super) fn known_record(&mut self, name: &str, seen: &Observed) {
        let Some((at, record)) = self.editor.content.record(&self.module, name) else { return };
        if self.open.contains(&at) {
            // The record contains itself. Its list of fields must be complete before the inner values can widen it.
            self.waiting.push(InnerValues { module: at.module, record: name.to_owned(), values: seen.clone() });
            return;
        }
        let mut named = None;
        if seen.lists > 0 && record.positional {
            named = Some(named_as(&record.fields, seen));
        }
        // The types of a record's fields are looked up in the file of the record, which may differ from the endpoint's
        // file.
        let outer = std::mem::replace(&mut self.module, at.module.clone());
        self.open.push(at.clone());
        self.widen_list(&FieldListPosition::Record(at), None, named.as_ref().unwrap_or(seen));
        self.open.pop();
        if self.open.is_empty() {
            for InnerValues { module, record, values } in std::mem::take(&mut self.waiting) {
                self.module = module;
                self.known_record(&record, &values);
            }
        }
        self.module = outer;
    }

    /// Drafts of all fields except those with the names in `omitted`.
    pub(super) fn new_fields(&mut self, seen: &Observed, omitted: &HashSet<&str>) -> Vec<Field> {
        let mut fields = Vec::new();
        for (name, values) in &seen.fields {
            if omitted.contains(name.as_str()) {
                continue;
            }
            if is_line(name) {
                let is_optional = values.times < seen.objects || values.nulls > 0;
                let field = self.new_field(name, values);
                fields.push(Field { optional: is_optional, ..field });
            } else {
                self.editor.note(format!("the field {name:?} is omitted: its name must be one line of visible text"));
            }
        }
        fields
    }

    fn new_field(&mut self, name: &str, values: &Observed) -> Field {
        let learned = self.new_type(name, values);
        let innermost = innermost(&learned.ty);
        let format = learned.form.and_then(TimeForm::format);
        let unit = learned.form.and_then(TimeForm::unit);
        let form = learned.form.unwrap_or_else(|| self.editor.content.service.time_form());
        let is_number_of_time = innermost == TIMESTAMP && form.format().is_none();
        let can_be_quoted = matches!(innermost, "integer" | "number") || is_number_of_time;
        let mut quoted = None;
        if can_be_quoted && values.is_quoted() {
            quoted = Some(true.into());
            self.quoted += 1;
        }
        let mut nulls = Vec::new();
        if has_digits(innermost) {
            for marker in &values.markers {
                nulls.push(marker.as_str().into());
            }
        }
        Field {
            name: name.into(),
            quoted,
            unit: unit.map(|unit| unit.word().into()),
            format: format.map(Into::into),
            nulls,
            ty: learned.ty.into(),
            ..Field::default()
        }
    }
}
