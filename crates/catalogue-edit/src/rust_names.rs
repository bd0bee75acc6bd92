//! Chooses Rust names by the rules of the catalogue. If such a name is invalid or in use, a different name is generated.

use catalogue::names::{self, Case, Scope};

use crate::draft::WantedName;
use crate::names_in_use::{NamesInUse, Numbers, free_name, is_usable};

/// The method name of a new endpoint: the chosen name if it is free, otherwise a name that is derived from `name`.
pub(super) fn method_name(
    name: &str,
    chosen: Option<&str>,
    numbers: &mut Numbers,
    is_in_use: impl Fn(&str) -> bool,
) -> String {
    if let Some(chosen) = chosen
        && is_free_method(chosen, &is_in_use)
    {
        return chosen.to_owned();
    }
    let derived = short(names::ident(name, Case::Snake).unwrap_or_default(), name);
    if is_free_method(&derived, &is_in_use) {
        return derived;
    }
    numbers.first_free(&derived, Case::Snake, |ident| is_free_method(ident, &is_in_use))
}

/// `true` if an endpoint can have the method name `ident`. `is_in_use` decides about the names of types.
pub(super) fn is_free_method(ident: &str, is_in_use: impl Fn(&str) -> bool) -> bool {
    if names::is_taken(Scope::Endpoints, ident) || !names::is_ident(ident, Case::Snake) {
        return false;
    }
    types_of_method(ident).iter().all(|ty| !is_in_use(ty) && !names::is_taken(Scope::Types, ty))
}

/// The type names that belong to the method of an endpoint: the names of the record and of the marker type.
pub(super) fn types_of_method(ident: &str) -> [String; 2] {
    let ty = names::ident(ident, Case::Pascal).unwrap_or_default();
    [names::record(&ty), ty]
}

/// Names of members that say nothing about their content. A type never gets such a name alone.
const GENERIC: [&str; 7] = ["data", "entry", "item", "payload", "response", "result", "value"];

/// A free name for a type: its own name, or that name after the name of the member, of the endpoint, or of both, that
/// contain the type. A number is the last resort.
pub(super) fn type_name(wanted: &WantedName, numbers: &mut Numbers, is_in_use: impl Fn(&str) -> bool) -> String {
    for name in wanted_type_names(wanted) {
        if let Ok(ident) = names::ident(&name, Case::Pascal)
            && is_usable(&ident, Case::Pascal, Scope::Types, &is_in_use)
        {
            return ident;
        }
    }
    free_name(&wanted.name, Case::Pascal, Scope::Types, numbers, is_in_use)
}

/// The names that a type could have, the best first.
fn wanted_type_names(wanted: &WantedName) -> Vec<String> {
    let WantedName { name, parent, owner, .. } = wanted;
    let mut candidates = Vec::new();
    let is_generic = GENERIC.iter().any(|generic| name.eq_ignore_ascii_case(generic));
    if !is_generic || owner == name {
        candidates.push(name.clone());
    }
    if !parent.is_empty() {
        candidates.push(format!("{parent} {name}"));
    }
    if names::ident(owner, Case::Pascal) == names::ident(name, Case::Pascal) {
        candidates.push(name.clone());
        candidates.push(format!("{name} value"));
    } else {
        candidates.push(format!("{owner} {name}"));
        candidates.push(format!("{owner} {parent} {name}"));
        candidates.push(format!("{owner} {parent} {name} value"));
    }
    candidates
}

/// A free id for a shared param: its id, its wire name, or its id with a number. If the id and the wire name become the
/// same constant, the wire name is tried first. `used` contains the constants of other params.
pub(super) fn claim_id(used: &mut NamesInUse, id: &str, name: &str) -> String {
    let mut wanted = [id, name];
    if constant(id) == constant(name) {
        wanted.reverse();
    }
    for candidate in wanted {
        if claim_constant(used, candidate) {
            return candidate.to_owned();
        }
    }
    let mut number = 2;
    loop {
        let candidate = format!("{id}_{number}");
        if claim_constant(used, &candidate) {
            return candidate;
        }
        number += 1;
    }
}

/// Marks the constant of an id as in use. Returns `false` if it already is, or if the id has none.
fn claim_constant(used: &mut NamesInUse, id: &str) -> bool {
    let constant = constant(id);
    if constant.is_empty() || used.has(&constant) {
        return false;
    }
    used.note(constant);
    true
}

/// The name of the constant for an id; empty if the id cannot be converted.
fn constant(id: &str) -> String {
    names::ident(id, Case::Shouty).unwrap_or_default()
}

/// The maximum length of a new name. The catalogue allows more, for the numbers of equal names.
const MAX_NAME: usize = names::MAX_FILE_NAME - 10;

/// The length of what is kept of a longer name.
const KEPT: usize = 60;

/// The name of a group's module, and so of its files, for a tag or a segment of a path.
pub(super) fn module_name(text: &str) -> String {
    short(NamesInUse::default().claim(text, Case::Snake, Scope::Groups), text)
}

/// The module of a group on a host, if the group with the `wanted` name is on another host: `named` after the host, and with
/// a number if that group is on another host too.
pub(super) fn module_of_host(wanted: &str, host: &str, named: String, is_on_host: impl Fn(&str) -> bool) -> String {
    let mut module = named;
    let mut number = 2;
    while !is_on_host(&module) {
        module = module_name(&format!("{wanted} {host} {number}"));
        number += 1;
    }
    module
}

/// Cuts a long name, and adds a number that depends on the text from which it was derived.
fn short(ident: String, text: &str) -> String {
    if ident.len() <= MAX_NAME {
        return ident;
    }
    let mut hash = 0x811c_9dc5_u32;
    for byte in text.bytes() {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    format!("{}_{hash:08x}", ident[..KEPT].trim_end_matches('_'))
}

/// The singular of a name, such as `level` for `levels` or `entry` for `entries`.
pub(super) fn singular(name: &str) -> String {
    for ending in ["ies", "IES"] {
        if let Some(stem) = name.strip_suffix(ending)
            && stem.len() > 1
        {
            return format!("{stem}y");
        }
    }
    match name.strip_suffix('s') {
        Some("id") => "id".to_owned(),
        Some(stem) if stem.len() > 2 && !stem.ends_with(['s', 'u', 'i']) => stem.to_owned(),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn module_is_a_file_name_of_every_system() {
        for (text, expected) in
            [("Spot", "spot"), ("aux", "aux_2"), ("CON", "con_2"), ("com1", "com1_2"), ("COM", "com")]
        {
            assert_eq!(module_name(text), expected, "{text}");
        }
        let [one, other] = ["a", "b"].map(|end| module_name(&format!("{}{end}", "long ".repeat(60))));
        assert!(one != other && one.len() <= 70 && names::is_ident(&one, Case::Snake), "{one}");
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
