//! Chooses a wider type where a known type does not fit the values in responses. Every widened type is noted.

use catalogue::model::{TimeForm, TimeFormat, TimeUnit};
use catalogue::spec::{Evidence, Field};
use catalogue::type_expr::{Builtin, TypeExpr};

use super::endpoint_reader::EndpointReader;
use super::field_list::FieldList;
use super::time_texts::are_periods;
use super::wider_builtin::wider_builtin;
use crate::content::is_within;
use crate::drafted_type::{ANY, or_null};
use crate::observed_values::{Observed, shown};

impl EndpointReader<'_> {
    /// Widens the type of a field in the catalogue if its values do not fit.
    pub(super) fn widen_field(&mut self, list: &FieldList, field: &mut Field, seen: &Observed) {
        if let Some(enumerated) = self.enum_instead(&field.name, &field.ty, seen) {
            field.ty = enumerated.into();
            return;
        }
        let Some(expr) = TypeExpr::parse(&field.ty) else { return };
        let name = format!("{}{}", list.within, field.name);
        let is_one_time = matches!(expr, TypeExpr::Builtin(Builtin::Timestamp(_)));
        if is_one_time && has_other_lengths(self.form_of(field), seen) {
            self.editor.note(format!("`{name}` has periods of several lengths, so its format is `period`"));
            field.format = Some(TimeFormat::Period.into());
            return;
        }
        let expr_with_form = with_form(&expr, self.form_of(field));
        if let Some(mut wider) = self.wider(&name, &expr_with_form, seen) {
            // Numbers in quotes are texts too.
            if wider == ANY && field.quoted.is_some() && seen.are_texts() {
                "string".clone_into(&mut wider);
            }
            self.replace_type(list, field, &wider, seen);
            return;
        }
        self.note_range(&name, field, seen);
        if is_time(&expr) {
            self.note_time(&name, declared_unit(field), seen);
        }
    }

    /// The form of the timestamps of a field.
    pub(super) fn form_of(&self, field: &Field) -> TimeForm {
        let own = TimeForm::of(declared_unit(field), field.format.as_deref().copied());
        own.unwrap_or_else(|| self.editor.content.service.time_form())
    }

    /// Replaces the type of a field by a wider one, unless the client depends on the type.
    fn replace_type(&mut self, list: &FieldList, field: &mut Field, wider: &str, seen: &Observed) {
        let name = format!("{}{}", list.within, field.name);
        let mut widened = Field { ty: wider.into(), ..field.clone() };
        let removed = remove_misfits(&mut widened, &field.ty);
        self.note_range(&name, &widened, seen);
        let known = field.evidence.unwrap_or(list.evidence);
        let contradiction = format!(
            "`{name}` is {} (evidence: {}), but the responses have {}",
            field.ty,
            known.word(),
            seen.describe()
        );
        if let Some(fixed) = list.fixed.iter().find(|fixed| fixed.name == *field.name) {
            let why = fixed.why;
            self.editor.note(format!("{contradiction}, which the client rejects; the type is kept, because {why}"));
            return;
        }
        // The new type is learned from the responses, so it has their evidence.
        let own = self.weaker_evidence(known);
        let suffix = format!("{}{}", shown_evidence(own), shown_removals(&removed));
        self.editor.note(format!("{contradiction}; it becomes {wider}{suffix}"));
        *field = Field { evidence: own.or(field.evidence), ..widened };
    }

    /// A type for all values, if the known type does not fit them.
    pub(super) fn wider(&mut self, name: &str, known: &TypeExpr<'_>, seen: &Observed) -> Option<String> {
        if seen.values() == 0 {
            return None;
        }
        match known {
            TypeExpr::Builtin(builtin) => wider_builtin(*builtin, seen).map(str::to_owned),
            TypeExpr::List(item) if seen.has_only(seen.lists) => {
                let wider = self.wider_item(name, item, seen.items.as_deref()?)?;
                Some(format!("list<{wider}>"))
            }
            TypeExpr::Map(item) if seen.has_only(seen.objects) => {
                let wider = self.wider_item(name, item, seen.under_keys.as_deref()?)?;
                Some(format!("map<{wider}>"))
            }
            TypeExpr::List(_) | TypeExpr::Map(_) => Some(ANY.to_owned()),
            TypeExpr::Option(known) => self.wider(name, known, seen),
            TypeExpr::Name(name) => self.wider_than_named(name, seen).map(str::to_owned),
        }
    }

    /// A type for all values, if a known type or record does not fit them. New values and fields are added to it.
    fn wider_than_named(&mut self, name: &str, seen: &Observed) -> Option<&'static str> {
        let content = &self.editor.content;
        let is_type = content.ty(name).is_some();
        let has_records = match content.record(&self.module, name) {
            Some((_, record)) if record.positional => seen.has_only(seen.lists),
            _ => seen.has_only(seen.objects),
        };
        if is_type && seen.are_texts() {
            self.new_values(name, seen);
            None
        } else if !is_type && has_records {
            self.known_record(name, seen);
            None
        } else if seen.has_only(seen.numbers()) {
            Some(wider_builtin(Builtin::Number, seen).unwrap_or("number"))
        } else {
            Some(ANY)
        }
    }

    /// A type for the items of a list or a map, if their known type does not fit them.
    fn wider_item(&mut self, name: &str, known: &TypeExpr<'_>, seen: &Observed) -> Option<String> {
        let (item, was_nullable) = match known {
            TypeExpr::Option(item) => (&**item, true),
            item => (item, false),
        };
        let ty = self.wider(name, item, seen).unwrap_or_else(|| item.to_string());
        let wider = or_null(&ty, was_nullable || seen.nulls > 0);
        if wider == known.to_string() { None } else { Some(wider) }
    }

    /// Adds a note if a field has numbers outside its range.
    fn note_range(&mut self, name: &str, field: &Field, seen: &Observed) {
        let Some(range) = field.range.as_deref() else { return };
        let has_numbers = seen.numbers() + seen.numeric_texts > 0;
        if !has_numbers || is_within(range, seen.min) && is_within(range, seen.max) {
            return;
        }
        let min = shown(seen.min);
        let max = shown(seen.max);
        let found = if min == max { min } else { format!("{min} to {max}") };
        self.editor.note(format!("`{name}` has values outside its range ({found}); the range is unchanged"));
    }
}

/// `true` if values are periods, and not all of them in the known format, such as years and quarters.
fn has_other_lengths(known: TimeForm, seen: &Observed) -> bool {
    let TimeForm::Written(format @ (TimeFormat::Year | TimeFormat::Quarter | TimeFormat::Month | TimeFormat::Date)) =
        known
    else {
        return false;
    };
    !are_periods(seen, format) && are_periods(seen, TimeFormat::Period)
}

/// The unit that a field declares.
fn declared_unit(field: &Field) -> Option<TimeUnit> {
    TimeUnit::of(field.unit.as_ref()?)
}

fn shown_evidence(evidence: Option<Evidence>) -> String {
    match evidence {
        Some(evidence) => format!(" (evidence: {})", evidence.word()),
        None => String::new(),
    }
}

fn shown_removals(keys: &[&str]) -> String {
    if keys.is_empty() { String::new() } else { format!(", without its {}", keys.join(" and ")) }
}

/// A type in which timestamps have a form.
pub(super) fn with_form<'a>(expr: &TypeExpr<'a>, form: TimeForm) -> TypeExpr<'a> {
    match expr {
        TypeExpr::Builtin(Builtin::Timestamp(_)) => TypeExpr::Builtin(Builtin::Timestamp(form)),
        TypeExpr::Builtin(_) | TypeExpr::Name(_) => expr.clone(),
        TypeExpr::List(item) => TypeExpr::List(Box::new(with_form(item, form))),
        TypeExpr::Map(item) => TypeExpr::Map(Box::new(with_form(item, form))),
        TypeExpr::Option(inner) => TypeExpr::Option(Box::new(with_form(inner, form))),
    }
}

fn is_time(expr: &TypeExpr<'_>) -> bool {
    matches!(expr.innermost(), TypeExpr::Builtin(Builtin::Timestamp(_)))
}

/// Removes the facts of a field that its new type does not allow, and returns their keys. `old` is its former type.
fn remove_misfits(field: &mut Field, old: &str) -> Vec<&'static str> {
    let was_time = TypeExpr::parse(old).is_some_and(|expr| is_time(&expr));
    let mut is_numeric = false;
    let mut is_now_time = false;
    let mut is_example_valid = true;
    if let Some(expr) = TypeExpr::parse(&field.ty) {
        is_numeric = expr.is_numeric();
        is_now_time = is_time(&expr);
        if let (Some(example), TypeExpr::Builtin(builtin)) = (&field.example, &expr) {
            is_example_valid = builtin.is_written(example);
        }
    }
    let mut removed = Vec::new();
    if !is_numeric && field.range.take().is_some() {
        removed.push("range");
    }
    if !is_example_valid && field.example.take().is_some() {
        removed.push("example");
    }
    if was_time && !is_numeric && !is_now_time && field.unit.take().is_some() {
        removed.push("unit");
    }
    if !is_now_time && field.format.take().is_some() {
        removed.push("format");
    }
    if !is_now_time && field.zone.take().is_some() {
        removed.push("zone");
    }
    if !is_numeric && !is_now_time && field.quoted.take().is_some() {
        removed.push("quotes");
    }
    removed
}
