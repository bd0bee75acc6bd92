//! The rules that compare one place of the catalogue with another, or a value with what Rust and HTTP allow.
//!
//! A [`Catalogue`] goes in; a [`Checked`] comes out if nothing is wrong, or every finding at once.
//! Nothing is changed on the way: defaults and references are for `lower`.

mod endpoints;
mod moments;
mod params;
mod paths;
mod records;
mod service;
mod types;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Diagnostics, Location, SourceFile};
use crate::load::{Catalogue, Document};
use crate::marked::{Kind, Node};
use crate::names::{self, Case, Scope};
use crate::spec;
use crate::suggest::did_you_mean;
pub(crate) use endpoints::template;
pub(crate) use service::may_carry_key;

/// A catalogue without a finding.
#[derive(Debug)]
pub struct Checked {
    pub(crate) service: spec::Service,
    /// File stems and what the files say, sorted by stem.
    pub(crate) groups: Vec<(String, spec::Group)>,
}

/// Applies every rule.
pub fn check(catalogue: Catalogue) -> Result<Checked, Diagnostics> {
    let Catalogue { service, is_blind, groups, diagnostics, cut } = catalogue;
    let mut checker = Checker { diagnostics, is_blind, cut, ..Checker::default() };
    checker.service(&service);
    for group in &groups {
        checker.group(&service, group);
    }
    if !checker.diagnostics.is_empty() {
        return Err(checker.diagnostics.sorted());
    }
    let groups = groups.into_iter().map(|group| (stem(&group.file).to_owned(), group.spec));
    Ok(Checked { service: service.spec, groups: groups.collect() })
}

fn stem(file: &SourceFile) -> &str {
    file.name.strip_suffix(".yaml").unwrap_or(&file.name)
}

/// What the rules have seen so far.
#[derive(Default)]
struct Checker {
    diagnostics: Diagnostics,
    /// Whether `service.yaml` could not be read, so that nobody knows what it names.
    is_blind: bool,
    cut: HashSet<String>,
    /// Every path, wherever it stands.
    paths: HashMap<String, Location>,
    /// Every setter, by the trait of the endpoints that have it.
    setters: HashMap<String, (Setter, Location)>,
    /// Names at the root of the crate.
    root_types: Unique,
}

/// A setter of requests.
#[derive(PartialEq)]
struct Setter {
    ident: String,
    several: bool,
    wire_name: String,
}

impl Checker {
    fn service(&mut self, document: &Document<spec::Service>) {
        let place = Place::root(document);
        self.service_facts(&document.spec, place);
        self.types(&document.spec.types, place.at("types"));
        let records = Records { service: document, group: None };
        self.envelope(&document.spec, place.at("envelope"), &records);
        self.records(&records, &document.spec.records, place.at("records"));
        self.shared_params(&document.spec, place, &records);
    }

    fn group(&mut self, service: &Document<spec::Service>, group: &Document<spec::Group>) {
        self.module_name(&group.file);
        let records = Records { service, group: Some(group) };
        let place = Place::root(group);
        self.records(&records, &group.spec.records, place.at("records"));
        self.endpoints(&records, group, place.at("endpoints"));
    }

    fn module_name(&mut self, file: &Arc<SourceFile>) {
        let stem = stem(file);
        let handle = names::handle(stem);
        let finding = if !names::is_ident(stem, Case::Snake) {
            Diagnostic::of_file("file-name", &file.name, format!("`{stem}` cannot be the name of a Rust module"))
                .help("use lower-case letters, digits and `_`, and no keyword")
        } else if let Some((_, name)) = [(Scope::Groups, stem), (Scope::Types, &handle)]
            .into_iter()
            .find(|(scope, name)| names::is_taken(*scope, name))
        {
            Diagnostic::of_file("taken-name", &file.name, format!("the client uses the name `{name}` itself"))
                .help("rename the file")
        } else {
            return;
        };
        self.diagnostics.push(finding);
    }

    fn push(&mut self, rule: &'static str, place: Place<'_>, message: impl Into<String>, help: impl Into<String>) {
        self.diagnostics.push(Diagnostic::new(rule, place.location(), message).help(help));
    }

    /// A reference to something that is not there; silent if it is there but was cut out.
    fn unknown_name<'n>(
        &mut self,
        rule: &'static str,
        place: Place<'_>,
        what: &str,
        name: &str,
        known: impl Iterator<Item = &'n str>,
    ) {
        if self.is_blind || self.cut.contains(name) {
            return;
        }
        let mut known = known.collect::<Vec<_>>();
        let mut help = did_you_mean(name, known.iter().copied());
        if help.is_empty() && !known.is_empty() {
            known.truncate(12);
            help = format!("there is, for example, `{}`", known.join("`, `"));
        }
        self.push(rule, place, format!("there is no {what} `{name}`"), help);
    }

    /// The Rust name of an entry: its `ident` if it has one, or made from `name`.
    fn rust_name(
        &mut self,
        place: Place<'_>,
        key: &str,
        name: &str,
        ident: Option<&str>,
        case: Case,
        scope: Scope,
    ) -> Option<String> {
        let (at, result) = match ident {
            Some(ident) if names::is_ident(ident, case) => (place.at("ident"), Ok(ident.to_owned())),
            Some(ident) => (place.at("ident"), Err(format!("`{ident}` is not one as it stands"))),
            None => (place.at(key), names::ident(name, case)),
        };
        match result {
            Ok(ident) if names::is_taken(scope, &ident) => {
                self.push(
                    "taken-name",
                    at,
                    format!("the client uses the name `{ident}` itself"),
                    "say another with `ident`",
                );
                None
            }
            Ok(ident) => Some(ident),
            Err(reason) => {
                let example = match case {
                    Case::Snake => "my_name",
                    Case::Pascal => "MyName",
                    Case::Shouty => "MY_NAME",
                };
                let message = format!("`{name}` does not make a Rust name: {reason}");
                self.push("no-rust-name", at, message, format!("say one with `ident`, like `{example}`"));
                None
            }
        }
    }

    /// The name of a type that the author writes as it will stand in Rust.
    fn type_name(&mut self, place: Place<'_>, name: &str) {
        if !names::is_ident(name, Case::Pascal) {
            self.push("type-name", place, format!("`{name}` is not the name of a Rust type"), "write it like `MyType`");
        } else if names::is_taken(Scope::Types, name) {
            self.push("taken-name", place, format!("the client uses the name `{name}` itself"), "choose another");
        }
    }

    /// Whether a name stands for the first time; reports it if not.
    fn unique(
        &mut self,
        seen: &mut Unique,
        rule: &'static str,
        place: Place<'_>,
        name: &str,
        message: impl Into<String>,
    ) -> bool {
        let Some(first) = seen.insert(name, place) else {
            return true;
        };
        let finding = Diagnostic::new(rule, place.location(), message).earlier(first, "first here");
        self.diagnostics.push(finding.help("keep one of them, or give one another name"));
        false
    }
}

/// Names and where each stood first.
#[derive(Default)]
struct Unique(HashMap<String, Location>);

impl Unique {
    /// Where a name stood first.
    fn get(&self, name: &str) -> Option<Location> {
        self.0.get(name).cloned()
    }

    /// Remembers a name; returns where it stood before.
    fn insert(&mut self, name: &str, place: Place<'_>) -> Option<Location> {
        let first = self.get(name);
        if first.is_none() {
            self.0.insert(name.to_owned(), place.location());
        }
        first
    }
}

/// The records and types that a place can refer to.
struct Records<'a> {
    service: &'a Document<spec::Service>,
    group: Option<&'a Document<spec::Group>>,
}

impl<'a> Records<'a> {
    fn get(&self, name: &str) -> Option<&'a spec::Record> {
        self.all().find(|record| record.name == name)
    }

    fn all(&self) -> impl Iterator<Item = &'a spec::Record> {
        let own = self.group.map_or(&[][..], |group| &group.spec.records);
        own.iter().chain(&self.service.spec.records)
    }

    fn named_type(&self, name: &str) -> Option<&'a spec::Type> {
        self.service.spec.types.iter().find(|ty| ty.name == name)
    }
}

/// A node and its file.
#[derive(Clone, Copy)]
struct Place<'a> {
    file: &'a Arc<SourceFile>,
    node: &'a Node,
}

impl<'a> Place<'a> {
    fn root<T>(document: &'a Document<T>) -> Self {
        Self { file: &document.file, node: &document.root }
    }

    /// The value of a key, or this place if the key is not there.
    fn at(self, key: &str) -> Self {
        Self { node: self.node.get(key).unwrap_or(self.node), ..self }
    }

    /// An item of a list, or this place if there is none.
    fn item(self, index: usize) -> Self {
        let node = match &self.node.kind {
            Kind::List(items) => items.get(index).unwrap_or(self.node),
            _ => self.node,
        };
        Self { node, ..self }
    }

    fn location(self) -> Location {
        let node = match &self.node.kind {
            // A whole map or list is marked by where it begins.
            Kind::Map(entries) if !entries.is_empty() => &entries[0].0,
            Kind::List(items) if !items.is_empty() => return self.item(0).location(),
            _ => self.node,
        };
        Location::of(self.file, node)
    }
}
