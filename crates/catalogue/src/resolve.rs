//! Resolves a [`Catalogue`] into the [`Api`] to emit, or returns all errors in the catalogue.
//!
//! To resolve means to derive Rust names, look up references and fill in defaults. Invalid references, contradictions
//! and name collisions become errors. Entries keep the order of the catalogue, and groups are sorted by name, so the
//! output does not depend on the order of a directory listing.

// The modules, lowest layer first. Those after `setters` are parts of the `Resolver` of this file.
mod used_entries;

mod records_of_file;

mod setter_facts;

mod setters;

mod cycles;

mod zones;

mod types;

mod others;

mod records;

mod bodies;

mod params;

mod endpoint_params;

mod history;

mod pages;

mod endpoints;

mod columns;

mod service;

mod unused;

use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::mem;

use crate::diagnostic::{Diagnostic, Diagnostics, Location};
use crate::load::Catalogue;
use crate::model::{Api, Field};
use crate::names::{self, Case, Scope};
use crate::spanned::Text;
use crate::spec::{self, Evidence, Service};
use records_of_file::RecordsOfFile;
pub use service::{may_be_fixed, may_carry_key};
use setter_facts::FirstSetter;
use used_entries::UsedEntries;

/// Creates the model of a client from a catalogue, and reports unused entries as errors.
pub fn check(catalogue: &Catalogue) -> Result<Api, Diagnostics> {
    let api = resolve(catalogue)?;
    if api.unused.is_empty() { Ok(api) } else { Err(api.unused) }
}

/// Creates the model of a client. A catalogue may contain what only [`check`] rejects during an edit.
pub fn resolve(catalogue: &Catalogue) -> Result<Api, Diagnostics> {
    let placeholder = Service::unknown();
    let service = catalogue.service.as_ref().map(|document| &document.spec).or(placeholder.as_ref());
    let Some(service) = service else { return Err(catalogue.diagnostics.clone()) };
    let mut resolver = Resolver::new(catalogue, service);
    let api = resolver.api();
    // A model with a placeholder is never returned, because each placeholder comes with an error.
    if resolver.errors.is_empty() { Ok(api) } else { Err(resolver.errors.sorted()) }
}

/// The values that a type of the catalogue accepts.
enum AcceptedValues<'a> {
    Listed(HashSet<&'a str>),
    /// An identifier can have values that the catalogue does not list.
    Any,
}

/// The state while a catalogue is resolved.
struct Resolver<'a> {
    catalogue: &'a Catalogue,
    service: &'a Service,
    errors: Diagnostics,
    /// The number of invalid parts that were found again after their error had been reported.
    reported: usize,
    /// The types of `service.yaml`, each with the values that it accepts.
    types: HashMap<&'a str, AcceptedValues<'a>>,
    /// The records of `service.yaml`.
    records: RecordsOfFile<'a>,
    /// The names of the records of groups, each with the module of its group.
    records_of_groups: HashMap<&'a str, &'a str>,
    /// The indices of the shared params of `service.yaml`, by their ids.
    shared_params: HashMap<&'a str, usize>,
    /// The indices of the param sets of `service.yaml`, by their names.
    param_sets: HashMap<&'a str, usize>,
    /// The base URLs of groups on other hosts by their names, each as in its first group.
    base_urls: HashMap<&'a str, &'a spec::GroupBaseUrl>,
    /// The paths of all endpoints, each with its first location.
    paths: Unique,
    /// All setters by the names of their traits, each as it is first.
    setters: HashMap<String, FirstSetter>,
    /// The names of types at the root of the crate, each with its first location.
    root_types: Unique,
    /// The constant names of shared params and param sets.
    constants: Unique,
    /// The time field of the envelope, which is added to the records of series.
    time: Option<Field>,
    used: UsedEntries<'a>,
    /// Warnings about summaries that repeat a name, evidence that repeats the inherited one, and columns that readers do
    /// not distinguish.
    warnings: Diagnostics,
    /// The number of names that were compared for suggestions so far.
    compared: usize,
}

/// The maximum number of names that are compared for suggestions. Without a maximum, the comparisons could take longer
/// than all other work.
const MAX_COMPARED: usize = 100_000;

impl<'a> Resolver<'a> {
    fn new(catalogue: &'a Catalogue, service: &'a Service) -> Self {
        let mut records_of_groups = HashMap::new();
        for group in &catalogue.groups {
            for record in &group.spec.records {
                records_of_groups.insert(record.name.as_str(), group.module());
            }
        }
        let mut types = HashMap::new();
        for ty in &service.types {
            let accepted = match ty.kind {
                spec::TypeKind::Enum => {
                    AcceptedValues::Listed(ty.values.iter().map(|value| value.value.as_str()).collect())
                }
                spec::TypeKind::Identifier => AcceptedValues::Any,
            };
            types.insert(ty.name.as_str(), accepted);
        }
        Self {
            catalogue,
            service,
            errors: catalogue.diagnostics.clone(),
            reported: 0,
            types,
            records: RecordsOfFile::of(None, &service.records),
            records_of_groups,
            shared_params: first_indices(service.params.iter().map(|param| param.id().as_str())),
            param_sets: first_indices(service.param_sets.iter().map(|set| set.name.as_str())),
            base_urls: HashMap::new(),
            paths: Unique::default(),
            setters: HashMap::new(),
            root_types: Unique::default(),
            constants: Unique::default(),
            time: None,
            used: UsedEntries::default(),
            warnings: catalogue.warnings.clone(),
            compared: 0,
        }
    }

    fn api(&mut self) -> Api {
        let service = self.service;
        let catalogue = self.catalogue;
        let types = service.types.iter().map(|ty| self.named_type(ty)).collect();
        let facts = self.service_facts();
        let records = self.shared_records();
        let shared = self.shared_params();
        let param_sets = self.param_sets();
        self.check_service_history(&shared);
        let groups: Vec<_> = catalogue.groups.iter().map(|group| self.group(group, &shared)).collect();
        let shared_params: Vec<_> = shared.into_iter().flatten().collect();
        let setters = setters::setters(&shared_params, &groups);
        let unused = self.unused();
        let warnings = mem::take(&mut self.warnings).sorted();
        Api { service: facts, types, records, shared_params, param_sets, setters, groups, unused, warnings }
    }

    /// Reports an error.
    fn error(&mut self, rule: &'static str, at: &Location, values: &[&dyn Display]) {
        self.errors.push(Diagnostic::new(rule, at, values));
    }

    /// Calls a function, and returns its result if the function finds no invalid part.
    fn valid<T>(&mut self, resolve: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let before = self.invalid_parts();
        let result = resolve(self);
        if self.invalid_parts() == before { Some(result) } else { None }
    }

    fn invalid_parts(&self) -> usize {
        self.errors.as_slice().len() + self.reported
    }

    /// The evidence of an entry: its own, or the inherited one. Own evidence that repeats the inherited one is a warning
    /// at `at`.
    fn evidence(&mut self, what: &str, own: Option<Evidence>, inherited: Evidence, at: &Location) -> Evidence {
        if own == Some(inherited) {
            self.warnings.push(Diagnostic::new("repeated-evidence", at, &[&inherited.word(), &what]));
        }
        own.unwrap_or(inherited)
    }

    /// Reports a reference to an unknown entry. An entry that `load` could not read is not reported as unknown.
    fn unknown_name<'n>(
        &mut self,
        rule: &'static str,
        name: &str,
        at: &Location,
        what: &str,
        known: impl Iterator<Item = &'n str>,
    ) {
        // If `service.yaml` cannot be read, its names are unknown.
        if self.catalogue.service.is_none() || self.catalogue.dropped.contains(name) {
            self.reported += 1;
            return;
        }
        let mut help = None;
        if self.compared < MAX_COMPARED {
            let known: Vec<_> = known.collect();
            self.compared += known.len();
            help = wording::did_you_mean(name, known.iter().copied());
            if help.is_none() && !known.is_empty() {
                help = Some(format!("known: `{}`", known[..known.len().min(12)].join("`, `")));
            }
        }
        self.errors.push(Diagnostic::new(rule, at, &[&what, &name]).suggest(help));
    }

    /// The Rust name of an entry: `ident`, which is the value of the key `rust_name`, or a name derived from `name`.
    fn rust_name(&mut self, name: &Text, ident: Option<&Text>, case: Case, scope: Scope) -> Option<String> {
        let chosen = if let Some(ident) = ident {
            self.chosen_name("no-rust-name/chosen", ident, case)?
        } else {
            self.derived_name("no-rust-name/derived", name, case, name.at())?
        };
        self.free_name("taken-name/rust-name", scope, chosen, ident.unwrap_or(name).at())
    }

    /// Derives a Rust name from a name of the catalogue.
    fn derived_name(&mut self, rule: &'static str, name: &str, case: Case, at: &Location) -> Option<String> {
        match names::ident(name, case) {
            Ok(ident) => Some(ident),
            Err(reason) => {
                self.error(rule, at, &[&name, &reason, &case.example()]);
                None
            }
        }
    }

    /// Checks that a name that the author has chosen is a valid Rust name.
    fn chosen_name(&mut self, rule: &'static str, name: &Text, case: Case) -> Option<String> {
        if names::is_ident(name, case) {
            return Some(name.to_string());
        }
        self.error(rule, name.at(), &[name, &case.example()]);
        None
    }

    /// Checks that a name is not reserved in a scope.
    fn free_name(&mut self, rule: &'static str, scope: Scope, name: String, at: &Location) -> Option<String> {
        if names::is_taken(scope, &name) {
            self.error(rule, at, &[&name]);
            return None;
        }
        Some(name)
    }

    /// Checks the name of a type, which is the same in the catalogue and in Rust.
    fn type_name(&mut self, name: &Text) -> String {
        if let Some(chosen) = self.chosen_name("type-name", name, Case::Pascal) {
            self.free_name("taken-name", Scope::Types, chosen, name.at());
        }
        name.to_string()
    }

    /// Adds the name of a type at the root of the crate, which contains the types and records of `service.yaml`.
    /// Reports a duplicate name.
    fn claim_root_type(&mut self, name: &Text) {
        self.root_types.claim(&mut self.errors, "duplicate-type", name, name.at(), &[name]);
    }
}

/// Maps each name to its index. A duplicate name is mapped to its first index.
fn first_indices<'a>(names: impl Iterator<Item = &'a str>) -> HashMap<&'a str, usize> {
    let mut indices = HashMap::new();
    for (index, name) in names.enumerate() {
        indices.entry(name).or_insert(index);
    }
    indices
}

/// A set of names, each with its first location.
#[derive(Default)]
struct Unique(HashMap<String, Location>);

impl Unique {
    /// Adds a name. If the name is a duplicate, returns its first location.
    fn insert(&mut self, name: &str, at: &Location) -> Option<Location> {
        let first = self.0.get(name).cloned();
        if first.is_none() {
            self.0.insert(name.to_owned(), at.clone());
        }
        first
    }

    /// Adds a name; a duplicate is an error with this rule and values. Returns `true` if the name is new.
    fn claim(
        &mut self,
        errors: &mut Diagnostics,
        rule: &'static str,
        name: &str,
        at: &Location,
        values: &[&dyn Display],
    ) -> bool {
        let Some(first) = self.insert(name, at) else { return true };
        errors.push(Diagnostic::new(rule, at, values).earlier(&first, "first here"));
        false
    }
}
