//! Generates Rust names by the rules of the catalogue. If such a name is invalid or in use, a different name is
//! generated.

use std::collections::{HashMap, HashSet};

use catalogue::is_line;
use catalogue::names::{self, Case, Scope};
use catalogue::spec::{Evidence, Type, TypeKind, Value};

use crate::draft::WantedName;
use crate::editor::Editor;

/// The last number that was appended to each name in one module. A later search continues after it, so that many equal
/// names take linear time.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers(HashMap<String, u64>);

/// The last numbers by module.
#[derive(Debug, Default)]
pub(super) struct LastNumbers(HashMap<String, Numbers>);

impl LastNumbers {
    pub(super) fn of(&mut self, module: &str) -> &mut Numbers {
        self.0.entry(module.to_owned()).or_default()
    }
}

impl Numbers {
    /// Returns the first numbered alternative to a name that is free.
    fn first_free(&mut self, ident: &str, case: Case, is_free: impl Fn(&str) -> bool) -> String {
        let joint = if case == Case::Pascal { "" } else { "_" };
        // The underscore that escapes a keyword is removed, because a name never contains two underscores in a row.
        let stem = format!("{}{joint}", ident.trim_end_matches('_'));
        let last = self.0.entry(stem.clone()).or_insert(1);
        loop {
            *last += 1;
            let candidate = format!("{stem}{last}");
            if is_free(&candidate) {
                return candidate;
            }
        }
    }
}

/// The Rust names that are in use in one scope.
#[derive(Clone, Debug, Default)]
pub(super) struct NamesInUse {
    idents: HashSet<String>,
    numbers: Numbers,
}

impl NamesInUse {
    /// Adds a name.
    pub(super) fn note(&mut self, ident: impl Into<String>) {
        self.idents.insert(ident.into());
    }

    /// Returns the `rust_name` of an entry, or `None` if the entry needs none because the identifier derived from `name`
    /// is free. `wanted` is a preferred `rust_name`, if any.
    pub(super) fn chosen(&mut self, name: &str, wanted: Option<&str>, case: Case, scope: Scope) -> Option<String> {
        if let Some(ident) = wanted.filter(|ident| names::is_ident(ident, case) && self.is_free(ident, scope)) {
            self.note(ident);
            return Some(ident.to_owned());
        }
        let derived = names::ident(name, case).ok().filter(|ident| self.is_free(ident, scope));
        let Some(derived) = derived else { return Some(self.claim(name, case, scope)) };
        self.note(derived);
        None
    }

    /// Returns `true` if a name is in use.
    pub(super) fn has(&self, ident: &str) -> bool {
        self.idents.contains(ident)
    }

    /// Returns a free name that is similar to `name`, and marks it as in use.
    pub(super) fn claim(&mut self, name: &str, case: Case, scope: Scope) -> String {
        let mut numbers = std::mem::take(&mut self.numbers);
        let ident = free_name(name, case, scope, &mut numbers, |ident| self.has(ident));
        self.numbers = numbers;
        self.note(ident.as_str());
        ident
    }

    fn is_free(&self, ident: &str, scope: Scope) -> bool {
        !self.has(ident) && !names::is_taken(scope, ident)
    }
}

/// Returns a name that is similar to `name` and not in use.
fn free_name(name: &str, case: Case, scope: Scope, numbers: &mut Numbers, is_in_use: impl Fn(&str) -> bool) -> String {
    let ascii: String = names::ascii(name).chars().map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' }).collect();
    let base = names::ident(&ascii, case).ok().filter(|ident| names::is_ident(ident, case));
    let base = base.or_else(|| names::ident(&format!("value {ascii}"), case).ok()).unwrap_or_default();
    let is_free = |ident: &str| names::is_ident(ident, case) && !is_in_use(ident) && !names::is_taken(scope, ident);
    if is_free(&base) { base } else { numbers.first_free(&base, case, is_free) }
}

/// Returns the method name of a new endpoint: the chosen name if it is free, otherwise a name that is derived from
/// `name`.
pub(super) fn method_name(
    name: &str,
    chosen: Option<&str>,
    numbers: &mut Numbers,
    is_in_use: impl Fn(&str) -> bool,
) -> String {
    let derived = short(names::ident(name, Case::Snake).unwrap_or_default(), name);
    let is_free = |ident: &str| is_free_method(ident, &is_in_use);
    let wanted = chosen.into_iter().chain([derived.as_str()]).find(|ident| is_free(ident));
    wanted.map_or_else(|| numbers.first_free(&derived, Case::Snake, is_free), str::to_owned)
}

/// Returns `true` if an endpoint can have the method name `ident`. `is_in_use` decides about the names of types.
pub(super) fn is_free_method(ident: &str, is_in_use: impl Fn(&str) -> bool) -> bool {
    !names::is_taken(Scope::Endpoints, ident)
        && names::is_ident(ident, Case::Snake)
        && types_of_method(ident).iter().all(|ty| !is_in_use(ty) && !names::is_taken(Scope::Types, ty))
}

/// Returns the type names that belong to the method of an endpoint: the names of the record and of the marker type.
pub(super) fn types_of_method(ident: &str) -> [String; 2] {
    let ty = names::ident(ident, Case::Pascal).unwrap_or_default();
    [names::record(&ty), ty]
}

/// Names of members that say nothing about their content. A type never gets such a name alone.
const GENERIC: [&str; 7] = ["data", "entry", "item", "payload", "response", "result", "value"];

/// Returns a free name for a type: its own name, or that name after the name of the member, of the endpoint, or of both,
/// that contain the type. A number is the last resort.
pub(super) fn type_name(wanted: &WantedName, numbers: &mut Numbers, is_in_use: impl Fn(&str) -> bool) -> String {
    let WantedName { name, parent, owner, .. } = wanted;
    let is_generic = GENERIC.iter().any(|generic| name.eq_ignore_ascii_case(generic)) && owner != name;
    let own = Some(name.clone()).filter(|_| !is_generic);
    let with_parent = Some(format!("{parent} {name}")).filter(|_| !parent.is_empty());
    let is_same = names::ident(owner, Case::Pascal) == names::ident(name, Case::Pascal);
    let with_owner = Some(format!("{owner} {name}")).filter(|_| !is_same);
    let long = if is_same { name.clone() } else { format!("{owner} {parent} {name}") };
    let last = format!("{long} value");
    let mut candidates = [own, with_parent, with_owner, Some(long), Some(last)].into_iter().flatten();
    let is_free = |ident: &String| {
        names::is_ident(ident, Case::Pascal) && !is_in_use(ident) && !names::is_taken(Scope::Types, ident)
    };
    let free = candidates.find_map(|name| names::ident(&name, Case::Pascal).ok().filter(is_free));
    free.unwrap_or_else(|| free_name(name, Case::Pascal, Scope::Types, numbers, is_in_use))
}

/// Returns a free id for a shared param: its id, its wire name, or its id with a number. If the id and the wire name
/// become the same constant, the wire name is tried first. `used` contains the constants of other params.
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

/// The maximum length of a new name. The catalogue allows more, for the numbers of equal names.
const MAX_NAME: usize = names::MAX_FILE_NAME - 10;

/// The length of what is kept of a longer name.
const KEPT: usize = 60;

/// Returns the name of a group's module, and so of its files, for a tag or a segment of a path.
pub(super) fn module_name(text: &str) -> String {
    short(NamesInUse::default().claim(text, Case::Snake, Scope::Groups), text)
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

/// Returns the case and scope of Rust names for the values of an identifier (`is_open`) or of an enum.
pub(super) fn value_names(is_open: bool) -> (Case, Scope) {
    if is_open { (Case::Shouty, Scope::Constants) } else { (Case::Pascal, Scope::Variants) }
}

/// Returns `true` if a text is valid as a value of a type. Commas are invalid, because they separate values on the
/// wire.
pub(super) fn is_value(text: &str) -> bool {
    is_line(text) && !text.contains(',')
}

/// Returns the singular of a name, such as `level` for `levels` or `entry` for `entries`.
pub(super) fn singular(name: &str) -> String {
    if let Some(stem) = ["ies", "IES"].iter().find_map(|end| name.strip_suffix(end)).filter(|stem| stem.len() > 1) {
        return format!("{stem}y");
    }
    let stem =
        name.strip_suffix('s').filter(|stem| *stem == "id" || (stem.len() > 2 && !stem.ends_with(['s', 'u', 'i'])));
    stem.unwrap_or(name).to_owned()
}

/// Returns values of a type.
pub(crate) fn values_of(texts: impl IntoIterator<Item = String>) -> Vec<Value> {
    texts.into_iter().map(|text| Value { value: text.into(), ..Value::default() }).collect()
}

/// Adds the values that are missing in a known type, and adds a note that lists them.
pub(crate) fn add_values(editor: &mut Editor, name: &str, values: &[Value], evidence: Evidence) {
    let Some(known) = editor.service.types.iter_mut().find(|ty| *ty.name == name) else { return };
    let mut idents = NamesInUse::default();
    for value in &known.values {
        let name = value.rust_name.as_ref().unwrap_or(&value.value);
        idents.note(names::ident(name, value_names(is_identifier(known)).0).unwrap_or_default());
    }
    let lacks = |value: &&Value| known.values.iter().all(|listed| listed.value != value.value);
    let new: Vec<Value> = values.iter().filter(lacks).cloned().collect();
    let new = with_idents(&new, known, evidence, &mut idents);
    if !new.is_empty() {
        let texts: Vec<_> = new.iter().map(|value| value.value.to_string()).collect();
        known.values.extend(new);
        editor.note(format!("`{name}` gets new values: {}", texts.join(", ")));
    }
}

/// Returns values for a type, each with a `rust_name` if it needs one, and with its evidence if that differs from the
/// evidence of the type.
pub(crate) fn with_idents(values: &[Value], ty: &Type, inherited: Evidence, idents: &mut NamesInUse) -> Vec<Value> {
    let (case, scope) = value_names(is_identifier(ty));
    let named = values.iter().map(|value| {
        let wanted = value.rust_name.as_ref().map(|name| name.as_str());
        let evidence = Some(value.evidence.unwrap_or(inherited)).filter(|evidence| *evidence != ty.evidence);
        let rust_name = idents.chosen(&value.value, wanted, case, scope).map(Into::into);
        Value { rust_name, evidence, ..value.clone() }
    });
    named.collect()
}

/// Returns `true` if a type is an identifier, which may have values that it does not list.
pub(crate) fn is_identifier(ty: &Type) -> bool {
    ty.kind == TypeKind::Identifier
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
