//! Chooses types for values: for new values a type by their name and content, for known values a wider type if the known
//! type does not fit them. Every widened type is noted.

use catalogue::model::{TimeForm, TimeUnit};
use catalogue::spec::Field;
use catalogue::type_expr::{Builtin, TypeExpr};

use super::fields::FieldList;
use super::guess_type::{Guess, TIME, are_periods, guess, name_of_index, time_format};
use super::reader::Reader;
use crate::content::is_within;
use crate::draft::{ANY, TIMESTAMP, or_null};
use crate::observed_values::{Observed, shown};

impl Reader<'_> {
    /// The type for new values, and the unit or format of timestamps if it differs from the default.
    pub(super) fn new_type(&mut self, name: &str, seen: &Observed) -> (String, Option<TimeForm>) {
        if let Some(ty) = self.enum_of(name, seen) {
            return (ty, None);
        }
        let ty = match guess(name, seen) {
            Guess::Builtin(ty) => {
                self.note_doubt(name, ty, seen);
                ty.to_owned()
            }
            Guess::Time(form) => {
                let form = Some(form).filter(|form| *form != self.editor.service.time_form());
                if let Some(unit) = form.and_then(TimeForm::unit).map(TimeUnit::word) {
                    self.editor
                        .note(format!("`{name}` looks like a timestamp in {unit}, which is not the service's unit"));
                }
                return (TIMESTAMP.to_owned(), form);
            }
            Guess::List => return self.holding(name, "list", seen.items.as_deref()),
            Guess::Map => {
                let key = seen.fields.keys().next().map_or("", String::as_str);
                self.editor.note(format!("`{name}` is a map because its key `{key}` looks like data"));
                return self.holding(name, "map", seen.under_keys.as_deref());
            }
            Guess::Rows => self.record(name, &seen.named(name_of_index(seen, TIME))),
            Guess::Record => self.record(name, seen),
        };
        (ty, None)
    }

    /// Adds a note that explains why a guessed type may be imprecise.
    pub(super) fn note_doubt(&mut self, name: &str, ty: &str, seen: &Observed) {
        let is_empty = seen.objects == seen.values() && seen.fields.is_empty();
        let doubt = match ty {
            ANY if seen.values() == 0 => "was always `null`, so its type is `any`; correct it if you know the type",
            ANY if is_empty => "was always an object without fields, so its type is `any`",
            ANY => &format!("has {}, so its type is `any`", seen.describe()),
            _ => return,
        };
        self.editor.note(format!("`{name}` {doubt}"));
    }

    /// The type for lists or maps, which contains the type of their items.
    fn holding(&mut self, name: &str, holder: &str, items: Option<&Observed>) -> (String, Option<TimeForm>) {
        let any = || (ANY.to_owned(), None);
        let (item, form) = match items {
            Some(items) if items.times == 0 => {
                self.editor.note(format!("`{name}` was always empty, so the type of its items is `any`"));
                any()
            }
            Some(items) => {
                let (ty, form) = self.new_type(name, items);
                (or_null(&ty, items.nulls > 0), form)
            }
            None => any(),
        };
        let ty = format!("{holder}<{item}>");
        if TypeExpr::parse(&ty).is_some() {
            return (ty, form);
        }
        self.editor.note(format!("`{name}` is nested more deeply than the catalogue supports, so its type is `any`"));
        any()
    }

    /// Widens the type of a field in the catalogue if its values do not fit.
    pub(super) fn widen_field(&mut self, list: &FieldList, field: &mut Field, seen: &Observed) {
        if let Some(enumerated) = self.enum_instead(&field.name, &field.ty, seen) {
            field.ty = enumerated.into();
            return;
        }
        let Some(expr) = TypeExpr::parse(&field.ty) else { return };
        let named = format!("{}{}", list.within, field.name);
        let unit = field.unit.as_ref().and_then(|unit| TimeUnit::of(unit));
        let is_time = matches!(expr.innermost(), TypeExpr::Builtin(Builtin::Timestamp(_)));
        let form = TimeForm::of(unit, field.format.as_deref().copied());
        let expr = with_form(&expr, form.unwrap_or_else(|| self.editor.service.time_form()));
        let wider = self.wider(&named, &expr, seen);
        let Some(wider) = wider else {
            self.note_range(&named, field, seen);
            if is_time {
                self.note_time(&named, unit, seen);
            }
            return;
        };
        let mut widened = Field { ty: wider.as_str().into(), ..field.clone() };
        let removed = remove_misfits(&mut widened, is_time);
        self.note_range(&named, &widened, seen);
        let (known, found) = (field.evidence.unwrap_or(list.evidence), seen.describe());
        let contradiction =
            format!("`{named}` is {} (evidence: {}), but the responses have {found}", field.ty, known.word());
        if let Some((_, why)) = list.fixed.iter().find(|(fixed, _)| *fixed == *field.name) {
            self.editor.note(format!("{contradiction}, which the client rejects; the type is kept, because {why}"));
            return;
        }
        let without =
            if removed.is_empty() { String::new() } else { format!(", without its {}", removed.join(" and ")) };
        // The new type is learned from the responses, so it has their evidence.
        let own = self.weaker_evidence(known);
        let evidence = own.map(|own| format!(" (evidence: {})", own.word())).unwrap_or_default();
        self.editor.note(format!("{contradiction}; it becomes {wider}{evidence}{without}"));
        *field = Field { evidence: own.or(field.evidence), ..widened };
    }

    /// A type for all values, if the known type does not fit them.
    pub(super) fn wider(&mut self, name: &str, known: &TypeExpr<'_>, seen: &Observed) -> Option<String> {
        if seen.values() == 0 {
            return None;
        }
        let only = |times: usize| seen.kinds() == 1 && times > 0;
        let any = || Some(ANY.to_owned());
        match known {
            TypeExpr::Builtin(builtin) => wider_builtin(*builtin, seen).map(str::to_owned),
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
                    self.new_values(ty, seen);
                    None
                } else if !is_type && only(if is_list { seen.lists } else { seen.objects }) {
                    self.known_record(ty, seen);
                    None
                } else if only(seen.numbers()) {
                    let wider = wider_builtin(Builtin::Number, seen).unwrap_or("number");
                    Some(wider.to_owned())
                } else {
                    any()
                }
            }
        }
    }

    /// If the known type of the items of a list or a map does not fit the items, returns a type that does.
    fn wider_item(&mut self, name: &str, known: &TypeExpr<'_>, seen: &Observed) -> Option<String> {
        let (item, was_nullable) = if let TypeExpr::Option(item) = known { (&**item, true) } else { (known, false) };
        let ty = self.wider(name, item, seen).unwrap_or_else(|| item.to_string());
        let wider = or_null(&ty, was_nullable || seen.nulls > 0);
        (wider != known.to_string()).then_some(wider)
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

/// Removes the facts of a field that its new type does not allow, and returns their keys.
fn remove_misfits(field: &mut Field, was_time: bool) -> Vec<&'static str> {
    fn remove<T>(fact: &mut Option<T>, is_misfit: bool) -> bool {
        is_misfit && fact.take().is_some()
    }
    let expr = TypeExpr::parse(&field.ty);
    let is_numeric = expr.as_ref().is_some_and(TypeExpr::is_numeric);
    let innermost = expr.as_ref().map(TypeExpr::innermost);
    let is_time = matches!(innermost, Some(TypeExpr::Builtin(Builtin::Timestamp(_))));
    let fits = match (&field.example, &expr) {
        (Some(example), Some(TypeExpr::Builtin(builtin))) => builtin.is_written(example),
        _ => true,
    };
    let removed = [
        ("range", remove(&mut field.range, !is_numeric)),
        ("example", remove(&mut field.example, !fits)),
        ("unit", remove(&mut field.unit, was_time && !is_numeric && !is_time)),
        ("format", remove(&mut field.format, !is_time)),
    ];
    removed.into_iter().filter(|(_, is_removed)| *is_removed).map(|(key, _)| key).collect()
}

/// A type for values that do not fit a built-in type; `None` if the client accepts the values.
pub(super) fn wider_builtin(known: Builtin, seen: &Observed) -> Option<&'static str> {
    let only = |times: usize| seen.kinds() == 1 && times > 0;
    let are_numbers = seen.are_numbers();
    let are_whole = are_numbers && seen.non_integers == 0;
    let are_exact = are_numbers && seen.inexact == 0;
    let are_counts = are_numbers && seen.non_integers == seen.large_counts && seen.min >= 0.0;
    // Whether the type fits, and the wider types with whether they fit, the narrowest first.
    let (fits, wider): (bool, &[(&'static str, bool)]) = match known {
        Builtin::Any => (true, &[]),
        Builtin::String => (seen.are_texts(), &[]),
        Builtin::Boolean => (only(seen.booleans), &[]),
        Builtin::Decimal => (are_numbers, &[]),
        Builtin::Number => (are_exact, &[("decimal", are_numbers)]),
        Builtin::Integer => {
            (are_whole, &[("count", are_counts), ("number", are_exact && seen.large == 0), ("decimal", are_numbers)])
        }
        Builtin::Count => {
            (are_counts, &[("integer", are_whole), ("number", are_exact && seen.large == 0), ("decimal", are_numbers)])
        }
        Builtin::Timestamp(TimeForm::Counted(_)) => (are_numbers, &[("string", only(seen.text_times))]),
        Builtin::Timestamp(TimeForm::Written(format)) => {
            let are_integers = only(seen.integers) && seen.fractions == 0;
            (
                time_format(seen).is_some() || are_periods(seen, format),
                &[("integer", are_integers), ("string", seen.are_texts())],
            )
        }
    };
    let wider = || wider.iter().find(|(_, fits)| *fits).map_or(ANY, |(ty, _)| ty);
    (!fits && seen.values() > 0).then(wider)
}
