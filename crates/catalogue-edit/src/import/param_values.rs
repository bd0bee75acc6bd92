//! Judges the fixed values, defaults and examples that a description states.

use catalogue::is_line;
use catalogue::model::TimeForm;
use catalogue::spec::{Field, TypeKind};
use catalogue::type_expr::{Builtin, TypeExpr};
use serde_yaml::Value;

use super::description_reader::DescriptionReader;
use super::omissions::Weight;
use super::param::scalar_type;
use super::tree::{items, text_of};
use crate::content::is_within;
use crate::drafted_type::type_index;

impl<'d> DescriptionReader<'d> {
    /// The only value that a param accepts, if there is only one and the type of the param allows it.
    pub(super) fn fixed_value(&mut self, schema: &'d Value, pointer: &str) -> Option<String> {
        let value = match items(schema, "enum") {
            [only] => only,
            _ => schema.get("const")?,
        };
        if !value.is_string() && !value.is_number() && !value.is_bool() {
            return None;
        }
        let value = text_of(value);
        if !is_line(&value) {
            return None;
        }
        let facts = self.facts(None, schema, scalar_type(schema), pointer);
        if self.fits(&value, &facts) { Some(value) } else { None }
    }

    /// The default of a param as text. One that is not a value of the param is noted.
    pub(super) fn usable_default(
        &mut self,
        schema: &'d Value,
        is_list: bool,
        facts: &Field,
        pointer: &str,
    ) -> Option<String> {
        let default = self.document.default_of(schema)?;
        let text = match default {
            Value::Sequence(several) if is_list => {
                let texts: Vec<String> = several.iter().map(text_of).collect();
                texts.join(",")
            }
            one => text_of(one),
        };
        let values: Vec<&str> = if is_list { text.split(',').collect() } else { vec![&text] };
        if values.iter().all(|value| self.fits(value, facts)) {
            return Some(text);
        }
        self.omissions.add(Weight::Fact, "`default`", pointer);
        None
    }

    /// `true` if a text is a valid value of a field or param: of its type, in its format and within its range.
    pub(super) fn fits(&self, text: &str, facts: &Field) -> bool {
        match TypeExpr::parse(&facts.ty) {
            Some(TypeExpr::Builtin(builtin)) => fits_builtin(text, builtin, facts),
            Some(TypeExpr::Name(name)) => self.fits_named_type(text, name),
            Some(TypeExpr::List(item)) => self.fits(text, &Field { ty: item.to_string().into(), ..facts.clone() }),
            Some(TypeExpr::Map(_) | TypeExpr::Option(_)) | None => is_line(text),
        }
    }

    /// `true` if a text is a value of a drafted type. A type of the catalogue may have any value.
    fn fits_named_type(&self, text: &str, name: &str) -> bool {
        let Some(index) = type_index(name) else { return true };
        let ty = &self.draft.content.service.types[index];
        ty.kind == TypeKind::Identifier || ty.values.iter().any(|value| value.value.as_str() == text)
    }
}

fn fits_builtin(text: &str, builtin: Builtin, facts: &Field) -> bool {
    if let (Builtin::Timestamp(_), Some(format)) = (builtin, &facts.format) {
        return TimeForm::Written(**format).is_written(text);
    }
    if !is_line(text) || !builtin.is_written(text) {
        return false;
    }
    match (&facts.range, text.parse()) {
        (Some(range), Ok(number)) => is_within(range, number),
        (Some(_), Err(_)) => false,
        (None, _) => true,
    }
}
