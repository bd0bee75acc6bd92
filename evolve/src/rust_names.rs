//! Generates Rust names by the rules of the catalogue, or a different name if such a name is invalid or in use.

use std::collections::HashSet;

use codegen::is_line;
use codegen::names::{self, Case, Scope};

use super::yaml_tree::Tree;

/// The Rust names in use in one scope.
#[derive(Clone, Debug, Default)]
pub(super) struct NamesInUse(HashSet<String>);

impl NamesInUse {
    /// Adds a name.
    pub(super) fn note(&mut self, ident: impl Into<String>) {
        self.0.insert(ident.into());
    }

    /// The `rust_name` that an entry needs for a unique name; `wanted` is the chosen name, if any.
    pub(super) fn chosen(&mut self, name: &str, wanted: Option<&str>, case: Case, scope: Scope) -> Option<String> {
        if let Some(ident) = wanted.filter(|ident| names::is_ident(ident, case) && self.is_free(ident, scope)) {
            self.note(ident);
            return Some(ident.to_owned());
        }
        match names::ident(name, case).ok().filter(|ident| self.is_free(ident, scope)) {
            Some(derived) => {
                self.note(derived);
                None
            }
            None => Some(self.claim(name, case, scope)),
        }
    }

    /// Returns whether a name is in use.
    pub(super) fn has(&self, ident: &str) -> bool {
        self.0.contains(ident)
    }

    /// Returns a free name similar to the wanted one, and marks it as in use.
    pub(super) fn claim(&mut self, name: &str, case: Case, scope: Scope) -> String {
        let ident = free_name(name, case, scope, |ident| self.has(ident));
        self.note(ident.as_str());
        ident
    }

    fn is_free(&self, ident: &str, scope: Scope) -> bool {
        !self.has(ident) && !names::is_taken(scope, ident)
    }
}

/// Returns a name similar to the wanted one that is not in use.
fn free_name(name: &str, case: Case, scope: Scope, is_in_use: impl Fn(&str) -> bool) -> String {
    let ascii: String = names::ascii(name).chars().map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' }).collect();
    let base = names::ident(&ascii, case).ok().filter(|ident| names::is_ident(ident, case));
    let base = base.or_else(|| names::ident(&format!("value {ascii}"), case).ok()).unwrap_or_default();
    let is_free = |ident: &String| names::is_ident(ident, case) && !is_in_use(ident) && !names::is_taken(scope, ident);
    std::iter::once(base.clone()).chain(numbered(&base, case)).find(is_free).unwrap_or_default()
}

/// An infinite sequence of alternatives to a name that is in use.
fn numbered(ident: &str, case: Case) -> impl Iterator<Item = String> {
    let joint = if case == Case::Pascal { "" } else { "_" };
    // The underscore that escapes a keyword is removed, since names have no two underscores in a row.
    let stem = ident.trim_end_matches('_').to_owned();
    (2..).map(move |number: u64| format!("{stem}{joint}{number}"))
}

/// The method name of an endpoint; `None` if its name cannot be converted.
pub(super) fn ident_of(endpoint: &Tree) -> Option<String> {
    let chosen = endpoint.text("rust_name").map(str::to_owned);
    names::chosen(chosen.as_ref(), endpoint.text("name")?, Case::Snake)
}

/// The method name of a new endpoint: the chosen name if it is free, otherwise one derived from its name.
pub(super) fn method_name(name: &str, chosen: Option<&str>, is_in_use: impl Fn(&str) -> bool) -> String {
    let derived = names::ident(name, Case::Snake).unwrap_or_default();
    let mut candidates =
        chosen.into_iter().map(str::to_owned).chain([derived.clone()]).chain(numbered(&derived, Case::Snake));
    let is_free = |ident: &String| {
        !names::is_taken(Scope::Endpoints, ident)
            && names::is_ident(ident, Case::Snake)
            && types_of_method(ident).iter().all(|ty| !is_in_use(ty) && !names::is_taken(Scope::Types, ty))
    };
    candidates.find(is_free).unwrap_or_default()
}

/// The type names of a method: its record and the marker type of the endpoint.
pub(super) fn types_of_method(ident: &str) -> [String; 2] {
    let ty = names::ident(ident, Case::Pascal).unwrap_or_default();
    [names::record(&ty), ty]
}

/// The name of a type: its own; if that is in use, with its owner's name as prefix, or with a number.
pub(super) fn type_name(name: &str, owner: &str, is_in_use: impl Fn(&str) -> bool) -> String {
    let longer = format!("{owner} {name}");
    let is_own_in_use = names::ident(name, Case::Pascal).is_ok_and(|ident| is_in_use(&ident));
    free_name(if is_own_in_use && owner != name { &longer } else { name }, Case::Pascal, Scope::Types, is_in_use)
}

/// The id of a shared param: its own id, or its wire name if both are the same constant; with a number if neither is
/// free. `used` contains the constants of other params.
pub(super) fn claim_id(used: &mut NamesInUse, id: &str, name: &str) -> String {
    let constant = |id: &str| names::ident(id, Case::Shouty).unwrap_or_default();
    let is_free = |id: &String| !constant(id).is_empty() && !used.has(&constant(id));
    let wanted = if constant(id) == constant(name) { [name, id] } else { [id, name] };
    let numbered = (2..).map(|number| format!("{id}_{number}"));
    let mut candidates = wanted.into_iter().map(str::to_owned).chain(numbered);
    let chosen = candidates.find(is_free).unwrap_or_default();
    used.note(constant(&chosen));
    chosen
}

/// The Rust case and scope for the values of an identifier (open) or of an enum.
pub(super) fn value_names(is_open: bool) -> (Case, Scope) {
    if is_open { (Case::Shouty, Scope::Constants) } else { (Case::Pascal, Scope::Variants) }
}

/// Returns whether a text is valid as a value of a type. Commas are invalid, since they separate values on the wire.
pub(super) fn is_value(text: &str) -> bool {
    is_line(text) && !text.contains(',')
}

/// The singular of a name: `level` for `levels`, `entry` for `entries`.
pub(super) fn singular(name: &str) -> String {
    match name.strip_suffix("ies").or_else(|| name.strip_suffix("IES")) {
        Some(stem) if stem.len() > 1 => return format!("{stem}y"),
        _ => {}
    }
    let stem =
        name.strip_suffix('s').filter(|stem| *stem == "id" || (stem.len() > 2 && !stem.ends_with(['s', 'u', 'i'])));
    stem.unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rust_name_is_written_only_if_necessary() {
        let mut used = NamesInUse::default();
        let table = [
            ("openDate", None),
            ("open_date", Some("open_date_2")),
            ("24h", None),
            ("%", Some("value")),
            ("größe", None),
            ("unknown_fields", Some("unknown_fields_2")),
            ("", Some("value_2")),
            ("123", Some("value_123")),
            ("fn", None),
            ("Fn", Some("fn_2")),
            ("self", None),
            ("Self", Some("self_2")),
        ];
        for (name, expected) in table {
            assert_eq!(used.chosen(name, None, Case::Snake, Scope::Fields).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn plural_becomes_singular() {
        for (many, one) in [
            ("levels", "level"),
            ("entries", "entry"),
            ("status", "status"),
            ("class", "class"),
            ("bus", "bus"),
            ("ids", "id"),
            ("gas", "gas"),
        ] {
            assert_eq!(singular(many), one);
        }
    }
}
