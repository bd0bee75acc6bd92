//! The names of the types and methods in the client of a catalogue.

use std::collections::{BTreeSet, HashMap};

use catalogue::names;

use crate::content::{Content, SERVICE, ident_of};
use crate::draft::WantedName;
use crate::names_in_use::LastNumbers;
use crate::rust_names::{is_free_method, method_name, type_name, types_of_method};

/// The names of the types in the client.
#[derive(Debug, Default)]
pub(crate) struct ClientNames {
    types: TypeNames,
    /// The numbers that were chosen last for names that were in use.
    numbers: LastNumbers,
}

/// The modules that have a type of each name; the module is `SERVICE` for the root of the client.
#[derive(Debug, Default)]
struct TypeNames(HashMap<String, BTreeSet<String>>);

impl ClientNames {
    /// Collects the names in a catalogue.
    pub(crate) fn of(content: &Content) -> Self {
        let mut types = TypeNames::default();
        types.add(SERVICE, "Metadata");
        for ty in &content.service.types {
            types.add(SERVICE, &ty.name);
        }
        types.add_records(content, SERVICE);
        for (module, group) in &content.groups {
            types.add_group(module);
            types.add_records(content, module);
            for endpoint in &group.endpoints {
                if let Some(ident) = ident_of(endpoint) {
                    types.add_method(module, &ident);
                }
            }
        }
        Self { types, numbers: LastNumbers::default() }
    }

    /// `true` if a new endpoint of a module can have the method name `ident`.
    pub(crate) fn is_free_method(&self, module: &str, ident: &str) -> bool {
        is_free_method(ident, |ty| self.types.has(module, ty))
    }

    /// A free method name for a new endpoint, which is then in use.
    pub(super) fn claim_method(&mut self, module: &str, name: &str, chosen: Option<&str>) -> String {
        self.types.add_group(module);
        let ident = method_name(name, chosen, self.numbers.of(module), |ty| self.types.has(module, ty));
        self.types.add_method(module, &ident);
        ident
    }

    /// A free name for a type of a module, which is then in use.
    pub(crate) fn claim_type(&mut self, module: &str, wanted: &WantedName) -> String {
        let name = type_name(wanted, self.numbers.of(module), |ty| self.types.has(module, ty));
        if module != SERVICE {
            self.types.add_group(module);
        }
        self.types.add(module, &name);
        name
    }
}

impl TypeNames {
    fn add(&mut self, module: &str, name: &str) {
        self.0.entry(name.to_owned()).or_default().insert(module.to_owned());
    }

    /// Adds the name of the type for a group, which is in the module of the group.
    fn add_group(&mut self, module: &str) {
        self.add(module, &names::handle(module));
    }

    fn add_records(&mut self, content: &Content, module: &str) {
        for record in content.records(module) {
            self.add(module, &record.name);
        }
    }

    fn add_method(&mut self, module: &str, ident: &str) {
        for name in types_of_method(ident) {
            self.add(module, &name);
        }
    }

    /// `true` if a type in a module cannot have this name: the module or the root has a type of this name, or the
    /// module is the root and a group has one.
    fn has(&self, module: &str, name: &str) -> bool {
        let Some(modules) = self.0.get(name) else { return false };
        module == SERVICE || modules.contains(module) || modules.contains(SERVICE)
    }
}
