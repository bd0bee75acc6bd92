//! Fields that the service sends under another name: the names that the catalogue lists, and names that are probably the
//! new name of a field that vanished.

use std::collections::BTreeMap;

use catalogue::spec::{Evidence, Field};
use catalogue::type_expr::TypeExpr;
use heck::ToSnakeCase;

use super::endpoint_reader::EndpointReader;
use super::wider_builtin::wider_builtin;
use super::wider_types::with_form;
use crate::observed_values::Observed;

impl Observed {
    /// The same values, with those under other names of the fields under their main names.
    pub(super) fn by_main_names(&self, fields: &[Field]) -> Self {
        let mut seen = self.clone();
        for field in fields {
            for other in &field.also_named {
                let Some(values) = seen.fields.shift_remove(other.as_str()) else { continue };
                let main = seen.fields.entry(field.name.to_string()).or_default();
                *main = main.with(&values);
            }
        }
        seen
    }
}

impl EndpointReader<'_> {
    /// A proposal for each field that no object has, if there is a new field in its place. `inherited` is the evidence
    /// of the list. Fields of the previous version are replaced without a proposal.
    pub(super) fn renames(
        &self,
        fields: &[Field],
        inherited: Evidence,
        time: Option<&str>,
        seen: &Observed,
    ) -> Vec<String> {
        let mut new = BTreeMap::new();
        for (name, values) in &seen.fields {
            let is_known = time == Some(name.as_str()) || fields.iter().any(|field| *field.name == **name);
            if !is_known && values.times == seen.objects {
                new.insert(name.as_str(), values);
            }
        }
        let mut vanished = Vec::new();
        for field in fields {
            let is_former = field.evidence.unwrap_or(inherited) == Evidence::PreviousVersion;
            if !is_former && !seen.fields.contains_key(field.name.as_str()) {
                vanished.push(field);
            }
        }
        let mut proposals = Vec::new();
        for field in &vanished {
            let Some(name) = self.new_name_of(field, &vanished, &new) else { continue };
            proposals.push(format!(
                "{}` is missing, and `{name}` is new: if the service renamed the field, set `also_named: [{name}]` on \
                 `{}` instead of adding `{name}`; programs and stored tables then keep the name",
                field.name, field.name
            ));
        }
        proposals
    }

    /// The new name of a vanished field: one that differs only in its style, or the only one whose values fit the
    /// field, and no other vanished field.
    fn new_name_of<'n>(
        &self,
        field: &Field,
        vanished: &[&Field],
        new: &BTreeMap<&'n str, &Observed>,
    ) -> Option<&'n str> {
        let mut fitting = Vec::new();
        for (name, values) in new {
            if self.does_fit(field, values) {
                fitting.push(*name);
            }
        }
        for name in &fitting {
            if name.to_snake_case() == field.name.to_snake_case() {
                return Some(name);
            }
        }
        let [only] = fitting.as_slice() else { return None };
        let fitting_fields = vanished.iter().filter(|other| self.does_fit(other, new[only])).count();
        if fitting_fields == 1 { Some(only) } else { None }
    }

    /// `true` if a field of a built-in type decodes the values.
    fn does_fit(&self, field: &Field, values: &Observed) -> bool {
        let Some(expr) = TypeExpr::parse(&field.ty) else { return false };
        match with_form(&expr, self.form_of(field)) {
            TypeExpr::Builtin(builtin) => values.values() > 0 && wider_builtin(builtin, values).is_none(),
            _ => false,
        }
    }
}
