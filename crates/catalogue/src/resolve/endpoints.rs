//! Resolves groups and their endpoints, and checks names and paths.

use super::history::{TypedParam, is_count};
use super::records_of_file::RecordsOfFile;
use super::{Resolver, Unique};
use crate::diagnostic::{Diagnostic, Location};
use crate::known::Known;
use crate::load::Document;
use crate::model::{Body, Endpoint, EndpointParam, Group, Pages, Record, SharedParam};
use crate::names::{self, Case, Scope};
use crate::spanned::Text;
use crate::spec::{self, ParamEntry};
use crate::url_path;

/// The params and the body of an endpoint, and what depends on both.
#[derive(Default)]
struct EndpointParts {
    params: Option<Vec<EndpointParam>>,
    body: Body,
    /// The new record of a body that lists fields.
    record: Option<Record>,
    has_history: bool,
    pages: Option<Pages>,
}

impl<'a> Resolver<'a> {
    pub(super) fn group(&mut self, document: &'a Document<spec::Group>, shared: &[Option<SharedParam>]) -> Group {
        let module = document.module();
        let group = &document.spec;
        self.check_module_name(document);
        let suffix = self.base_url_suffix(group);
        let scope = RecordsOfFile::of(Some(module), &group.records);
        let mut records = self.records(&scope, &group.records);
        let mut idents = Unique::default();
        let mut types = Unique::default();
        for record in &group.records {
            types.insert(&record.name, record.name.at());
        }
        let handle = names::handle(module);
        self.claim_type(&handle, group.title.at(), &mut types);
        let mut endpoints = Vec::with_capacity(group.endpoints.len());
        for endpoint in &group.endpoints {
            let names = self.endpoint_names(endpoint, &mut idents, &mut types);
            let (endpoint, record) = self.endpoint(&scope, endpoint, names.unwrap_or_default(), shared, suffix);
            self.warn_about_columns(&scope, &endpoint, record.as_ref());
            records.extend(record);
            endpoints.push(endpoint);
        }
        Group {
            endpoints,
            file: document.file.name.clone(),
            ident: module.to_owned(),
            handle,
            title: group.title.to_string(),
            summary: group.summary.clone(),
            aliases: group.aliases.clone(),
            notes: group.notes.clone(),
            base_url: group.base_url.clone(),
            records,
        }
    }

    /// The end of the base URL of a group: its own, or that of the service.
    fn base_url_suffix(&mut self, group: &'a spec::Group) -> &'a str {
        let Some(base_url) = &group.base_url else { return self.service.base_url_suffix() };
        self.check_base_url(base_url);
        base_url.suffix()
    }

    /// Checks that groups with the same name of a base URL have the same suffix.
    fn check_base_url(&mut self, base_url: &'a spec::GroupBaseUrl) {
        let name = &base_url.name;
        let first = *self.base_urls.entry(name.as_str()).or_insert(base_url);
        if first.suffix() != base_url.suffix() {
            let error = Diagnostic::new("base-url-differs", name.at(), &[name]);
            self.errors.push(error.earlier(first.name.at(), "first here"));
        }
    }

    /// Checks the name of a group's file, which is the name of a module.
    fn check_module_name(&mut self, document: &Document<spec::Group>) {
        let file = &document.file.name;
        let module = document.module();
        let handle = names::handle(module);
        if !names::is_ident(module, Case::Snake) {
            self.errors.push(Diagnostic::of_file("file-name", file, &[&module]));
        } else if names::is_taken(Scope::Groups, module) {
            self.errors.push(Diagnostic::of_file("taken-name/file", file, &[&module]));
        } else if names::is_taken(Scope::Types, &handle) {
            self.errors.push(Diagnostic::of_file("taken-name/file", file, &[&handle]));
        } else if module.len() > names::MAX_FILE_NAME {
            self.errors.push(Diagnostic::of_file("long-name/file", file, &[&module]));
        }
    }

    /// Returns the names of the method and of the marker type. Also checks the name of the record, which is derived
    /// from the name of the marker type.
    fn endpoint_names(
        &mut self,
        endpoint: &spec::Endpoint,
        idents: &mut Unique,
        types: &mut Unique,
    ) -> Option<(String, String)> {
        let name = &endpoint.name;
        let at = name.at();
        let ident = self.rust_name(name, endpoint.rust_name.as_ref(), Case::Snake, Scope::Endpoints)?;
        if ident.len() > names::MAX_FILE_NAME {
            self.error("long-name/endpoint", at, &[&ident.len()]);
            return None;
        }
        if !idents.claim(&mut self.errors, "duplicate-endpoint", &ident, at, &[name, &ident]) {
            return None;
        }
        let type_ident = self.derived_name("no-rust-name/rust-name", &ident, Case::Pascal, at)?;
        let type_ident = self.free_name("taken-name/rust-name", Scope::Types, type_ident, at)?;
        self.claim_type(&names::record(&type_ident), at, types);
        self.claim_type(&type_ident, at, types);
        Some((ident, type_ident))
    }

    /// Adds a type name to `types`, the names in the group's module. Reports an error if the module or the root of the
    /// crate already has this name.
    fn claim_type(&mut self, name: &str, at: &Location, types: &mut Unique) {
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
        suffix: &str,
    ) -> (Endpoint, Option<Record>) {
        if let Some(path) = endpoint.path.known() {
            self.check_endpoint_path(path, suffix);
        }
        let parts = self.endpoint_parts(records, endpoint, &type_ident, shared);
        let EndpointParts { params, body, record, has_history, pages } = parts;
        if let (Some(by), Some(params)) = (&endpoint.weight_by, &params) {
            self.check_weights(by, params);
        }
        let endpoint = Endpoint {
            declared: spec::Endpoint { params: Known::Unknown, body: Known::Unknown, ..endpoint.clone() },
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

    /// Resolves the params and the body of an endpoint, and what depends on both.
    fn endpoint_parts(
        &mut self,
        records: &RecordsOfFile<'a>,
        endpoint: &'a spec::Endpoint,
        type_ident: &str,
        shared: &[Option<SharedParam>],
    ) -> EndpointParts {
        let entries = endpoint.params.known();
        let before = self.invalid_parts();
        let params = entries.map(|entries| self.endpoint_params(records, endpoint, entries, shared));
        let (body, record) = self.body(records, endpoint, type_ident);
        if self.invalid_parts() != before {
            // The invalid parts were reported, so what depends on them is not.
            return EndpointParts::default();
        }
        let has_history = self.endpoint_history(endpoint, params.as_deref(), &body);
        let pages = self.pages(endpoint, params.as_deref(), &body);
        EndpointParts { params, body, record, has_history, pages }
    }

    /// Checks that the weights of an endpoint depend on one of its params.
    fn check_weights(&mut self, by: &spec::WeightBy, params: &[EndpointParam]) {
        let params: Vec<_> = params.iter().map(|param| &*param.param).collect();
        let param = TypedParam { name: &by.param, fits: is_count, requirement: "" };
        self.typed_param("weight-param", &params, param);
    }

    /// The index of the param set that is the first entry of the endpoint's params; `None` if the first entry is not a
    /// set.
    fn first_set(&self, endpoint: &spec::Endpoint) -> Option<usize> {
        let Some(ParamEntry::Name(name)) = endpoint.params.known()?.first() else { return None };
        self.param_sets.get(name.as_str()).copied()
    }

    fn check_endpoint_path(&mut self, path: &Text, suffix: &str) {
        // Paths are compared by template, because a server does not distinguish paths that differ only in the names of
        // params.
        if let Some(first) = self.paths.insert(&url_path::template(path), path.at()) {
            self.errors.push(Diagnostic::new("duplicate-path", path.at(), &[path]).earlier(&first, "first here"));
        }
        self.below_base_url(path, suffix);
    }
}
