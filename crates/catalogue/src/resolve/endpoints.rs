//! Resolves groups and their endpoints, and checks names and paths.

use super::history::is_count;
use super::records_of_file::RecordsOfFile;
use super::{Resolver, Unique};
use crate::diagnostic::{Diagnostic, Location};
use crate::load::Document;
use crate::model::{Endpoint, EndpointParam, Group, Record, SharedParam};
use crate::names::{self, Case, Scope};
use crate::spanned::Text;
use crate::spec::{self, ParamEntry};
use crate::url_path;

impl<'a> Resolver<'a> {
    pub(super) fn group(&mut self, document: &'a Document<spec::Group>, shared: &[Option<SharedParam>]) -> Group {
        let (module, group) = (document.module(), &document.spec);
        self.module_name(document);
        let scope = RecordsOfFile::of(Some(module), &group.records);
        let mut records = self.records(&scope, &group.records);
        let (mut idents, mut types) = (Unique::default(), Unique::default());
        for record in &group.records {
            types.insert(&record.name, record.name.at());
        }
        let handle = names::handle(module);
        self.new_type(&handle, group.title.at(), &mut types);
        let endpoints = group.endpoints.iter().map(|endpoint| {
            let names = self.endpoint_names(endpoint, &mut idents, &mut types);
            let (endpoint, record) = self.endpoint(&scope, endpoint, names.unwrap_or_default(), shared);
            records.extend(record);
            endpoint
        });
        Group {
            endpoints: endpoints.collect(),
            file: document.file.name.clone(),
            ident: module.to_owned(),
            handle,
            title: group.title.to_string(),
            summary: group.summary.clone(),
            aliases: group.aliases.clone(),
            notes: group.notes.clone(),
            records,
        }
    }

    /// Checks the name of a group's file, which is the name of a module.
    fn module_name(&mut self, document: &Document<spec::Group>) {
        let (module, handle) = (document.module(), names::handle(document.module()));
        let taken = [(Scope::Groups, module), (Scope::Types, &handle)];
        let (rule, name) = if !names::is_ident(module, Case::Snake) {
            ("file-name", module)
        } else if let Some((_, name)) = taken.into_iter().find(|(scope, name)| names::is_taken(*scope, name)) {
            ("taken-name/file", name)
        } else {
            return;
        };
        self.errors.push(Diagnostic::of_file(rule, &document.file.name, &[&name]));
    }

    /// Returns the names of the method and of the marker type. Also checks the name of the record, which is derived
    /// from the name of the marker type.
    fn endpoint_names(
        &mut self,
        endpoint: &spec::Endpoint,
        idents: &mut Unique,
        types: &mut Unique,
    ) -> Option<(String, String)> {
        let (name, at) = (&endpoint.name, endpoint.name.at());
        let ident = self.rust_name(name, endpoint.rust_name.as_ref(), Case::Snake, Scope::Endpoints)?;
        if !idents.claim(&mut self.errors, "duplicate-endpoint", &ident, at, &[name, &ident]) {
            return None;
        }
        let type_ident = self.derived_name("no-rust-name/rust-name", &ident, Case::Pascal, at)?;
        let type_ident = self.free_name("taken-name/rust-name", Scope::Types, type_ident, at)?;
        self.new_type(&names::record(&type_ident), at, types);
        self.new_type(&type_ident, at, types);
        Some((ident, type_ident))
    }

    /// Adds a type name to `types`, the names in the group's module. Reports an error if the module or the root of the
    /// crate already has this name.
    fn new_type(&mut self, name: &str, at: &Location, types: &mut Unique) {
        if let Some(first) = self.root_types.0.get(name) {
            let error = Diagnostic::new("same-rust-name/of-service", at, &[&name]);
            self.errors.push(error.earlier(first, "first here"));
        } else {
            types.claim(&mut self.errors, "same-rust-name/type", name, at, &[&name]);
        }
    }

    /// Resolves an endpoint. For a body that lists fields, also returns a new record.
    fn endpoint(
        &mut self,
        records: &RecordsOfFile<'a>,
        endpoint: &'a spec::Endpoint,
        (ident, type_ident): (String, String),
        shared: &[Option<SharedParam>],
    ) -> (Endpoint, Option<Record>) {
        if let Some(path) = endpoint.path.known() {
            self.endpoint_path(path);
        }
        let entries = endpoint.params.known();
        let resolved = self.valid(|resolver| {
            let params = entries.map(|entries| resolver.endpoint_params(records, endpoint, entries, shared));
            (params, resolver.body(records, endpoint, &type_ident))
        });
        let has_history = resolved
            .as_ref()
            .is_some_and(|(params, (body, _))| self.endpoint_history(endpoint, params.as_deref(), body));
        let pages = match &resolved {
            Some((params, (body, _))) => self.pages(endpoint, params.as_deref(), body),
            None => None,
        };
        let (params, (body, record)) = resolved.unwrap_or_default();
        if let Some((by, params)) = endpoint.weight_by.as_ref().zip(params.as_deref()) {
            self.check_weights(by, params);
        }
        let endpoint = Endpoint {
            declared: endpoint.clone(),
            ident,
            type_ident,
            path: endpoint.path.known().map(ToString::to_string),
            param_set: self.first_set(endpoint),
            params,
            body,
            has_history,
            pages,
            weight: endpoint.weight.unwrap_or(1),
        };
        (endpoint, record)
    }

    /// Checks that the weights of an endpoint depend on one of its params.
    fn check_weights(&mut self, by: &spec::WeightBy, params: &[EndpointParam]) {
        let params: Vec<_> = params.iter().map(|param| &param.param).collect();
        self.typed_param("weight-param", &params, (&by.param, is_count, ""));
    }

    /// Returns the index of the param set that is the first entry of the endpoint's params; `None` if the first entry
    /// is not a set.
    fn first_set(&self, endpoint: &spec::Endpoint) -> Option<usize> {
        let Some(ParamEntry::Name(name)) = endpoint.params.known()?.first() else { return None };
        self.sets.get(name.as_str()).copied()
    }

    fn endpoint_path(&mut self, path: &Text) {
        // Paths are compared by template, because a server does not distinguish paths that differ only in the names of
        // params.
        if let Some(first) = self.paths.insert(&url_path::template(path), path.at()) {
            self.errors.push(Diagnostic::new("duplicate-path", path.at(), &[path]).earlier(&first, "first here"));
        }
        self.below_base_url(path);
    }
}
