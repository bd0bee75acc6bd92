//! Compares known types with the values in responses. Types that do not fit are widened, and every change is noted.

use codegen::model::{TimeForm, TimeUnit};
use codegen::spec::Field;
use codegen::type_expr::{Builtin, TypeExpr};

use super::draft::Reader;
use super::fields::FieldList;
use super::guess_type::time_format;
use crate::draft_types::ANY;
use crate::merge::is_within;
use crate::observed_values::{Observed, shown};

impl Reader<'_> {
    /// Widens the type of a field in the catalogue if its values do not fit.
    pub(super) fn widen_field(&mut self, list: &FieldList, field: &mut Field, seen: &Observed) {
        if let Some(enumerated) = self.enum_instead(&field.name, &field.ty, seen) {
            field.ty = enumerated.into();
            return;
        }
        let (name, ty) = (field.name.to_string(), field.ty.to_string());
        let Some(expr) = TypeExpr::parse(&ty) else { return };
        let named = format!("{}{name}", list.within);
        let unit = field.unit.as_ref().and_then(|unit| TimeUnit::of(unit));
        let form = TimeForm::of(unit, field.format.as_deref().copied());
        let form = form.unwrap_or_else(|| self.editor.service.time_form());
        let is_time = matches!(expr, TypeExpr::Builtin(Builtin::Timestamp(_)));
        let wider = match form {
            TimeForm::Written(_) if is_time => wider_than_text_time(seen).map(str::to_owned),
            _ => self.wider(&named, &expr, seen),
        };
        let removed = wider.as_deref().map(|wider| misfits(field, is_time, wider)).unwrap_or_default();
        if !removed.contains(&"range") {
            self.note_range(&named, field, seen);
        }
        let Some(wider) = wider else {
            if is_time {
                self.note_time(&named, unit, seen);
            }
            return;
        };
        let known = field.evidence.unwrap_or(list.evidence);
        let contradiction =
            format!("`{named}` is {ty} (evidence: {}), but the responses have {}", known.word(), seen.describe());
        if let Some((_, why)) = list.fixed.iter().find(|(fixed, _)| *fixed == name) {
            self.editor.note(format!("{contradiction}, which the client rejects; the type is kept, because {why}"));
            return;
        }
        let without =
            if removed.is_empty() { String::new() } else { format!(", without its {}", removed.join(" and ")) };
        // The new type is learned from the responses, so it has their evidence.
        let own = self.weaker_evidence(known);
        let evidence = own.map(|own| format!(" (evidence: {})", own.word())).unwrap_or_default();
        self.editor.note(format!("{contradiction}; it becomes {wider}{evidence}{without}"));
        if wider == "number" && seen.rounded > 0 {
            self.note_doubt(&named, &wider, seen);
        }
        field.ty = wider.into();
        field.evidence = own.or(field.evidence);
        for key in removed {
            match key {
                "range" => field.range = None,
                "example" => field.example = None,
                "unit" => field.unit = None,
                _ => field.format = None,
            }
        }
    }

    /// Returns a type for all values, if the known type does not fit them.
    pub(super) fn wider(&mut self, name: &str, known: &TypeExpr<'_>, seen: &Observed) -> Option<String> {
        if seen.values() == 0 {
            return None;
        }
        let only = |times: usize| seen.kinds() == 1 && times > 0;
        let any = || Some(ANY.to_owned());
        match known {
            TypeExpr::Builtin(builtin) => {
                if *builtin == Builtin::String {
                    self.note_whole_numbers(name, seen);
                }
                wider_builtin(*builtin, seen).map(str::to_owned)
            }
            TypeExpr::List(item) if only(seen.lists) => {
                self.wider_item(name, item, seen.items.as_deref()?).map(|wider| format!("list<{wider}>"))
            }
            TypeExpr::Map(item) if only(seen.objects) => {
                self.wider_item(name, item, seen.under_keys.as_deref()?).map(|wider| format!("map<{wider}>"))
            }
            TypeExpr::List(_) | TypeExpr::Map(_) => any(),
            TypeExpr::Option(known) => self.wider(name, known, seen),
            TypeExpr::Name(ty) => {
                let is_type = self.editor.ty(ty).is_some();
                let is_list = self.editor.record(&self.module, ty).is_some_and(|(_, record)| record.positional);
                if is_type && seen.are_texts() {
                    self.note_whole_numbers(name, seen);
                    self.new_values(ty, seen);
                    None
                } else if !is_type && only(if is_list { seen.lists } else { seen.objects }) {
                    self.known_record(ty, seen);
                    None
                } else if only(seen.numbers()) {
                    Some("number".to_owned())
                } else {
                    any()
                }
            }
        }
    }

    /// If the known type of the items of a list or a map does not fit the items, returns a type that does.
    fn wider_item(&mut self, name: &str, known: &TypeExpr<'_>, seen: &Observed) -> Option<String> {
        let (item, was_optional) = match known {
            TypeExpr::Option(item) => (&**item, true),
            item => (item, *item == TypeExpr::Builtin(Builtin::Any)),
        };
        let wider = self.wider(name, item, seen);
        let is_wider = wider.is_some() || seen.nulls > 0 && !was_optional;
        let ty = wider.unwrap_or_else(|| item.to_string());
        let mark = if ty != ANY && (seen.nulls > 0 || matches!(known, TypeExpr::Option(_))) { "?" } else { "" };
        is_wider.then(|| format!("{ty}{mark}"))
    }

    /// Adds a note if a field that is declared as a string has integers. The client accepts these integers.
    fn note_whole_numbers(&mut self, name: &str, seen: &Observed) {
        if seen.integers > 0 && seen.are_texts() {
            let found = seen.describe();
            self.editor.note(format!("`{name}` has {found}; the client converts the integers to strings"));
        }
    }

    /// Adds a note if a field has numbers outside its range.
    fn note_range(&mut self, name: &str, field: &Field, seen: &Observed) {
        let Some(range) = field.range.as_deref().filter(|_| seen.numbers() + seen.numeric_texts > 0) else { return };
        if is_within(range, seen.min) && is_within(range, seen.max) {
            return;
        }
        let (min, max) = (shown(seen.min), shown(seen.max));
        let found = if min == max { min } else { format!("{min} to {max}") };
        self.editor.note(format!("`{name}` has values outside its range ({found}); the range is unchanged"));
    }
}

/// Returns the keys of a field that a wider type does not allow.
fn misfits(field: &Field, is_time: bool, wider: &str) -> Vec<&'static str> {
    let expr = TypeExpr::parse(wider);
    let is_numeric = expr.as_ref().is_some_and(TypeExpr::is_numeric);
    let has_example = match (&field.example, &expr) {
        (Some(example), Some(TypeExpr::Builtin(builtin))) => !builtin.is_written(example),
        _ => false,
    };
    let misfits = [
        ("range", field.range.is_some() && !is_numeric),
        ("example", has_example),
        ("unit", field.unit.is_some() && is_time && !is_numeric),
        ("format", field.format.is_some()),
    ];
    misfits.into_iter().filter(|(_, is_misfit)| *is_misfit).map(|(key, _)| key).collect()
}

/// Returns a type for values that do not fit a timestamp with a `format`, whose values are strings.
fn wider_than_text_time(seen: &Observed) -> Option<&'static str> {
    if seen.values() == 0 || time_format(seen).is_some() {
        return None;
    }
    let are_whole = seen.kinds() == 1 && seen.integers > 0 && seen.fractions == 0;
    Some(if are_whole {
        "integer"
    } else if seen.are_texts() {
        "string"
    } else {
        "any"
    })
}

/// Returns a type for values that do not fit a built-in type; `None` if the client accepts the values.
fn wider_builtin(known: Builtin, seen: &Observed) -> Option<&'static str> {
    let is_alone = seen.kinds() == 1;
    let are_numbers = seen.are_numbers();
    let are_whole = are_numbers && seen.non_integers == 0;
    match known {
        Builtin::Any => None,
        Builtin::String if seen.are_texts() => None,
        Builtin::Boolean if is_alone && seen.booleans > 0 => None,
        Builtin::Number | Builtin::Decimal | Builtin::Timestamp(_) if are_numbers => None,
        Builtin::Integer if are_whole => None,
        Builtin::Count if are_numbers && seen.non_integers == seen.large_counts && seen.min >= 0.0 => None,
        Builtin::Count if are_whole => Some("integer"),
        Builtin::Integer | Builtin::Count if are_numbers => Some("number"),
        Builtin::Timestamp(_) if is_alone && seen.text_times > 0 => Some("string"),
        _ => Some("any"),
    }
}
