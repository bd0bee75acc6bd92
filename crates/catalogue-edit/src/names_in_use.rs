//! The Rust names that are in use in a scope, and free names that are similar to a wanted one.

use std::collections::{HashMap, HashSet};

use catalogue::names::{self, Case, Scope};

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
    /// The first numbered alternative to a name that is free.
    pub(super) fn first_free(&mut self, ident: &str, case: Case, is_free: impl Fn(&str) -> bool) -> String {
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
    pub(super) fn note(&mut self, ident: impl Into<String>) {
        self.idents.insert(ident.into());
    }

    /// The `rust_name` of an entry, or `None` if the entry needs none because the identifier derived from `name` is
    /// free. `wanted` is a preferred `rust_name`, if any.
    pub(super) fn chosen(&mut self, name: &str, wanted: Option<&str>, case: Case, scope: Scope) -> Option<String> {
        if let Some(wanted) = wanted
            && names::is_ident(wanted, case)
            && self.is_free(wanted, scope)
        {
            self.note(wanted);
            return Some(wanted.to_owned());
        }
        match names::ident(name, case) {
            Ok(derived) if self.is_free(&derived, scope) => {
                self.note(derived);
                None
            }
            _ => Some(self.claim(name, case, scope)),
        }
    }

    pub(super) fn has(&self, ident: &str) -> bool {
        self.idents.contains(ident)
    }

    /// A free name that is similar to `name`, which is then in use.
    pub(super) fn claim(&mut self, name: &str, case: Case, scope: Scope) -> String {
        let ident = free_name(name, case, scope, &mut self.numbers, |ident| self.idents.contains(ident));
        self.note(ident.as_str());
        ident
    }

    fn is_free(&self, ident: &str, scope: Scope) -> bool {
        !self.has(ident) && !names::is_taken(scope, ident)
    }
}

/// A name that is similar to `name` and not in use.
pub(super) fn free_name(
    name: &str,
    case: Case,
    scope: Scope,
    numbers: &mut Numbers,
    is_in_use: impl Fn(&str) -> bool,
) -> String {
    let base = similar_ident(name, case);
    if is_usable(&base, case, scope, &is_in_use) {
        return base;
    }
    numbers.first_free(&base, case, |ident| is_usable(ident, case, scope, &is_in_use))
}

/// `true` if a name is valid, and neither reserved nor in use.
pub(super) fn is_usable(ident: &str, case: Case, scope: Scope, is_in_use: impl Fn(&str) -> bool) -> bool {
    names::is_ident(ident, case) && !names::is_taken(scope, ident) && !is_in_use(ident)
}

/// An identifier that is similar to a name; a name that has none gets the prefix `value`.
fn similar_ident(name: &str, case: Case) -> String {
    let words = only_words(&names::ascii(name));
    match names::ident(&words, case) {
        Ok(ident) if names::is_ident(&ident, case) => ident,
        _ => names::ident(&format!("value {words}"), case).unwrap_or_default(),
    }
}

/// A text in which each character other than an ASCII letter or digit is a space.
pub(super) fn only_words(text: &str) -> String {
    text.replace(|letter: char| !letter.is_ascii_alphanumeric(), " ")
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
}
