//! Types that are known, against the values that came: widened where they do not fit, and never silently.

use super::fields::{Place, SERVICE, Topic};
use crate::evolve::change::{Desk, Refusal};
use crate::evolve::edit::Step;
use crate::evolve::naming::entries;
use crate::evolve::seen::Seen;
use crate::evolve::tree::Tree;
use crate::type_expr::{Builtin, TypeExpr};

impl Topic<'_> {
    /// Compares one listed field with its values, and widens its type where they do not fit.
    pub(super) fn compare(
        &self,
        desk: &mut Desk,
        place: &Place,
        at: &[Step],
        field: &Tree,
        seen: &Seen,
    ) -> Result<(), Refusal> {
        let text = |key: &str| field.get(key).and_then(Tree::as_text).unwrap_or_default();
        let (name, ty) = (text("name"), text("type"));
        if let (Some(wanted), "string") = (self.enum_for(name), ty) {
            let ty = self.enumerate(desk, &wanted, seen)?;
            return desk.replace(&place.file, &[at, &[Step::Key("type")]].concat(), ty);
        }
        self.say_range(desk, field, seen);
        let Some(expr) = TypeExpr::parse(ty) else { return Ok(()) };
        if let Some(wider) = self.widened(desk, &expr, seen)? {
            let known = field.get("evidence").and_then(Tree::as_text).unwrap_or(&place.evidence);
            desk.say(format!(
                "{}: `{name}` was {ty} (evidence: {known}), which the replies contradict; it becomes {wider}",
                self.endpoint
            ));
            desk.replace(&place.file, &[at, &[Step::Key("type")]].concat(), wider)?;
        }
        Ok(())
    }

    /// The type that also holds what was seen, if the known one does not.
    fn widened(&self, desk: &mut Desk, known: &TypeExpr<'_>, seen: &Seen) -> Result<Option<String>, Refusal> {
        if seen.kinds() == 0 {
            return Ok(None);
        }
        let only = |times: usize| seen.kinds() == 1 && times > 0;
        let numbers = only(seen.integers + seen.fractions);
        let any = || Ok(Some("any".to_owned()));
        match known {
            TypeExpr::Builtin(builtin) => Ok(widened_builtin(*builtin, seen).map(str::to_owned)),
            TypeExpr::List(item) if only(seen.lists) => {
                let Some(items) = &seen.items else { return Ok(None) };
                if items.nulls > 0 && **item != TypeExpr::Builtin(Builtin::Any) {
                    return Ok(Some("list<any>".to_owned()));
                }
                Ok(self.widened(desk, item, items)?.map(|wider| format!("list<{wider}>")))
            }
            TypeExpr::List(_) => any(),
            TypeExpr::Name(name) => {
                let service = desk.tree(SERVICE)?;
                let named = entries(&service, "types")
                    .iter()
                    .position(|ty| ty.get("name").and_then(Tree::as_text) == Some(name));
                match named {
                    Some(index) if only(seen.text_times) => self.new_values(desk, index, seen).map(|()| None),
                    None if only(seen.objects) => self.merge_record(desk, name, seen).map(|()| None),
                    _ if numbers => Ok(Some(if seen.fractions > 0 { "number" } else { "any" }.to_owned())),
                    _ => any(),
                }
            }
        }
    }

    fn say_range(&self, desk: &mut Desk, field: &Tree, seen: &Seen) {
        let bound = |key: &str| match field.get("range").and_then(|range| range.get(key)) {
            Some(Tree::Number(written)) => written.parse::<f64>().ok(),
            _ => None,
        };
        let is_outside =
            bound("min").is_some_and(|min| seen.least < min) || bound("max").is_some_and(|max| seen.most > max);
        if is_outside && seen.integers + seen.fractions > 0 {
            let name = field.get("name").and_then(Tree::as_text).unwrap_or_default();
            desk.say(format!(
                "{}: `{name}` went from {} to {}, outside its range, which stays as it is",
                self.endpoint, seen.least, seen.most
            ));
        }
    }
}

/// The type that also holds what was seen, for a type that every catalogue has.
fn widened_builtin(known: Builtin, seen: &Seen) -> Option<&'static str> {
    let is_alone = seen.kinds() == 1;
    let is_numeric = |text: &String| text.parse::<f64>().is_ok_and(f64::is_finite);
    // The client reads a number that is written as text.
    let numbers = seen.integers + seen.fractions;
    let all_numbers = (is_alone || numbers + seen.text_times == seen.times - seen.nulls)
        && numbers + seen.text_times > 0
        && seen.texts.iter().all(is_numeric);
    match known {
        Builtin::Any => None,
        Builtin::String if is_alone && seen.text_times > 0 => None,
        Builtin::Boolean if is_alone && seen.booleans > 0 => None,
        Builtin::Number if all_numbers => None,
        Builtin::Integer | Builtin::Timestamp if all_numbers && seen.fractions == 0 => None,
        Builtin::Count if all_numbers && seen.fractions == 0 && seen.least >= 0.0 => None,
        Builtin::Count if all_numbers && seen.fractions == 0 => Some("integer"),
        Builtin::Integer | Builtin::Count | Builtin::Timestamp if all_numbers => Some("number"),
        Builtin::Timestamp if is_alone && seen.text_times > 0 => Some("string"),
        _ => Some("any"),
    }
}
