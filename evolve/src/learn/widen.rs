//! Known types, compared with values: types that do not fit are widened, and every change is reported.

use codegen::model::{TimeForm, TimeFormat, TimeUnit};
use codegen::type_expr::{Builtin, TypeExpr};

use super::fields::{FieldList, Topic};
use super::guess::written_moments;
use crate::change::{Editor, Refusal};
use crate::keys::SERVICE;
use crate::place::Place;
use crate::seen::{Seen, shown};
use crate::tree::Tree;

impl Topic<'_> {
    /// Compares one listed field with its values, and widens its type if they do not fit.
    pub(super) fn compare(
        &self,
        editor: &mut Editor,
        list: &FieldList,
        at: &Place,
        field: &Tree,
        seen: &Seen,
    ) -> Result<(), Refusal> {
        let text = |key: &str| field.text(key).unwrap_or_default();
        let (name, ty) = (text("name"), text("type"));
        if let Some(enumerated) = self.enum_instead(editor, name, ty, seen) {
            editor.set(at, "type", enumerated);
            return Ok(());
        }
        let Some(expr) = TypeExpr::parse(ty) else { return Ok(()) };
        let named = format!("{}{name}", list.within);
        let form =
            TimeForm::of(field.text("unit").and_then(TimeUnit::of), field.text("format").and_then(TimeFormat::of));
        let form = form.unwrap_or_else(|| editor.checked.service.time_form());
        let wider = match form.format() {
            Some(_) if expr == TypeExpr::Builtin(Builtin::Timestamp) => widened_text(seen).map(str::to_owned),
            _ => self.widened(editor, &named, &expr, seen)?,
        };
        let is_bounded = |ty: &str| TypeExpr::parse(ty).is_some_and(|expr| expr.is_numeric());
        let loses_range = field.get("range").is_some() && wider.as_deref().is_some_and(|wider| !is_bounded(wider));
        if !loses_range {
            self.say_range(editor, list, field, seen);
        }
        let Some(wider) = wider else {
            if expr == TypeExpr::Builtin(Builtin::Timestamp) {
                self.say_moment(editor, &named, field.text("unit"), seen);
            }
            return Ok(());
        };
        let known = field.text("evidence").unwrap_or(&list.evidence);
        let contradiction = format!("`{named}` is {ty} (evidence: {known}), but the responses have {}", seen.words());
        if let Some((_, why)) = list.fixed.iter().find(|(fixed, _)| fixed == name) {
            self.note(editor, format!("{contradiction}, which the client rejects; it stays, as {why}"));
            return Ok(());
        }
        let range = if loses_range { ", without its range" } else { "" };
        // The evidence is that of the responses, as they have the new type.
        let own = self.weaker_evidence(known);
        let evidence = own.map(|own| format!(" (evidence: {own})")).unwrap_or_default();
        self.note(editor, format!("{contradiction}; it becomes {wider}{evidence}{range}"));
        if wider == "number" && seen.rounded > 0 {
            self.say_doubts(editor, &named, &wider, seen);
        }
        editor.set(at, "type", wider);
        if let Some(own) = own {
            editor.set(at, "evidence", own);
        }
        if loses_range {
            editor.remove(at, "range");
        }
        if field.get("format").is_some() {
            editor.remove(at, "format");
        }
        Ok(())
    }

    /// The wider type for values that do not fit the known one.
    pub(super) fn widened(
        &self,
        editor: &mut Editor,
        name: &str,
        known: &TypeExpr<'_>,
        seen: &Seen,
    ) -> Result<Option<String>, Refusal> {
        if seen.values() == 0 {
            return Ok(None);
        }
        let only = |times: usize| seen.kinds() == 1 && times > 0;
        let any = || Ok(Some("any".to_owned()));
        match known {
            TypeExpr::Builtin(builtin) => {
                if *builtin == Builtin::String {
                    self.say_whole_numbers(editor, name, seen);
                }
                Ok(widened_builtin(*builtin, seen).map(str::to_owned))
            }
            TypeExpr::List(item) if only(seen.lists) => {
                let Some(items) = &seen.items else { return Ok(None) };
                Ok(self.widened_item(editor, name, item, items)?.map(|wider| format!("list<{wider}>")))
            }
            TypeExpr::Map(item) if only(seen.objects) => {
                let Some(values) = &seen.under_keys else { return Ok(None) };
                Ok(self.widened_item(editor, name, item, values)?.map(|wider| format!("map<{wider}>")))
            }
            TypeExpr::List(_) | TypeExpr::Map(_) => any(),
            TypeExpr::Option(given) => self.widened(editor, name, given, seen),
            TypeExpr::Name(ty) => {
                let is_meant = |known: &Tree| known.text("name") == Some(ty);
                match editor.tree(SERVICE).entries("types").iter().position(is_meant) {
                    Some(index) if seen.are_texts() => {
                        self.say_whole_numbers(editor, name, seen);
                        let values = self.values(editor, seen);
                        self.new_values(editor, index, &values);
                        Ok(None)
                    }
                    None if only(if self.is_placed(editor, ty) { seen.lists } else { seen.objects }) => {
                        self.merge_record(editor, ty, seen).map(|()| None)
                    }
                    _ if only(seen.numbers()) => Ok(Some("number".to_owned())),
                    _ => any(),
                }
            }
        }
    }

    /// The wider type for the items of a list or a map, `null` included.
    fn widened_item(
        &self,
        editor: &mut Editor,
        name: &str,
        known: &TypeExpr<'_>,
        seen: &Seen,
    ) -> Result<Option<String>, Refusal> {
        let (given, was_optional) = match known {
            TypeExpr::Option(given) => (&**given, true),
            given => (given, *given == TypeExpr::Builtin(Builtin::Any)),
        };
        let wider = self.widened(editor, name, given, seen)?;
        let is_wider = wider.is_some() || seen.nulls > 0 && !was_optional;
        let ty = wider.unwrap_or_else(|| given.to_string());
        let mark = if ty != "any" && (seen.nulls > 0 || matches!(known, TypeExpr::Option(_))) { "?" } else { "" };
        Ok(is_wider.then(|| format!("{ty}{mark}")))
    }

    /// Reports integers instead of texts, which the client accepts.
    fn say_whole_numbers(&self, editor: &mut Editor, name: &str, seen: &Seen) {
        if seen.integers > 0 && seen.are_texts() {
            self.note(editor, format!("`{name}` has {}; the client reads whole numbers as text there", seen.words()));
        }
    }

    fn say_range(&self, editor: &mut Editor, list: &FieldList, field: &Tree, seen: &Seen) {
        let bound = |key: &str| match field.get("range").and_then(|range| range.get(key)) {
            Some(Tree::Number(written)) => written.parse::<f64>().ok(),
            _ => None,
        };
        let is_outside =
            bound("min").is_some_and(|min| seen.least < min) || bound("max").is_some_and(|max| seen.most > max);
        if is_outside && seen.numbers() + seen.numeric_texts > 0 {
            let name = field.text("name").unwrap_or_default();
            let (within, least, most) = (&list.within, shown(seen.least), shown(seen.most));
            let went = if least == most { format!("was {least}") } else { format!("went from {least} to {most}") };
            self.note(editor, format!("`{within}{name}` {went}, outside its range, which is unchanged"));
        }
    }
}

/// The wider type for a time that is written as text.
fn widened_text(seen: &Seen) -> Option<&'static str> {
    if seen.values() == 0 || written_moments(seen).is_some() {
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

/// The wider type for a built-in one; `None` for values that the client rejects.
fn widened_builtin(known: Builtin, seen: &Seen) -> Option<&'static str> {
    let is_alone = seen.kinds() == 1;
    let are_numbers = seen.are_numbers();
    let are_whole = are_numbers && seen.unwhole == 0;
    match known {
        Builtin::Any => None,
        Builtin::String if seen.are_texts() => None,
        Builtin::Boolean if is_alone && seen.booleans > 0 => None,
        Builtin::Number if are_numbers => None,
        Builtin::Integer | Builtin::Timestamp if are_whole => None,
        Builtin::Count if are_whole && seen.least >= 0.0 && seen.most < 2_f64.powi(64) => None,
        Builtin::Count if are_whole => Some("integer"),
        Builtin::Integer | Builtin::Count | Builtin::Timestamp if are_numbers => Some("number"),
        Builtin::Timestamp if is_alone && seen.text_times > 0 => Some("string"),
        _ => Some("any"),
    }
}
