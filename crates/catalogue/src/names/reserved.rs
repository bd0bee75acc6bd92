//! The names that emitted code cannot use, by scope.
//!
//! `reserved_names.txt` lists them. `reserved/tests.rs` compares the lists with the runtime and with our emitted files:
//! every name that is used must be listed, and every listed name must be used. Planned names are not used yet, so they
//! have a separate list.

use std::collections::HashSet;
use std::sync::LazyLock;

/// A scope in which every emitted crate already uses some names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Methods of `Client` that return a group, modules of the crate, and functions of the emitted tests.
    Groups,
    /// Methods of a request that set a param.
    Setters,
    /// Arguments of a method.
    Arguments,
    /// Fields of a record.
    Fields,
    /// Types at the root of the crate and in every group module.
    Types,
    /// Variants and constants of an enum.
    Variants,
    /// Methods and constants of an identifier type.
    Constants,
    /// Methods of a group's handle.
    Endpoints,
    /// Names that Rust does not allow.
    Keywords,
    /// Crates on which every emitted crate depends.
    Crates,
    /// Headers, in lower case, that a catalogue cannot use for the API key.
    Headers,
    /// Headers of the scope `Headers` that may have a fixed value.
    FixedHeaders,
}

/// The reserved names, each with its scope.
static RESERVED: LazyLock<HashSet<(&str, &str)>> = LazyLock::new(|| {
    let mut reserved = HashSet::new();
    for section in sections() {
        for scope in section.scopes.split(' ') {
            for name in &section.names {
                reserved.insert((scope, *name));
            }
        }
    }
    reserved
});

/// A section of the table of reserved names.
struct Section {
    #[cfg_attr(not(test), expect(dead_code, reason = "tests find a section by its title"))]
    title: &'static str,
    scopes: &'static str,
    names: Vec<&'static str>,
}

fn sections() -> Vec<Section> {
    let mut sections = Vec::new();
    for text in include_str!("reserved_names.txt").split("\n[") {
        sections.extend(section_of(text));
    }
    sections
}

fn section_of(text: &'static str) -> Option<Section> {
    let (head, lines) = text.split_once("]\n")?;
    let (title, scopes) = head.split_once(": ")?;
    let mut names: Vec<_> = lines.lines().collect();
    names.retain(|line| !line.is_empty() && !line.starts_with('#'));
    Some(Section { title, scopes, names })
}

/// Returns `true` if a name is reserved in a scope.
pub fn is_taken(scope: Scope, ident: &str) -> bool {
    match scope {
        // A group module imports setter traits such as `TakesLimit`, so its types cannot have such names.
        Scope::Types if ident.starts_with("Takes") => true,
        Scope::Groups if is_device(ident) => true,
        _ => RESERVED.contains(&(format!("{scope:?}").as_str(), ident)),
    }
}

/// `true` if Windows reserves a file name for a device, with any extension. Each group has files with its name.
fn is_device(name: &str) -> bool {
    match name.as_bytes() {
        [b'c', b'o', b'm', number] | [b'l', b'p', b't', number] => number.is_ascii_digit(),
        _ => ["aux", "con", "nul", "prn"].contains(&name),
    }
}

/// The names of a section.
#[cfg(test)]
pub(super) fn section(title: &str) -> Vec<&'static str> {
    let found = sections().into_iter().find(|section| section.title == title);
    found.map(|section| section.names).unwrap_or_default()
}

#[cfg(test)]
mod tests;
