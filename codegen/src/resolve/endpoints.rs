//! Resolves groups and their endpoints, and checks names and paths.

use std::collections::hash_map::Entry;

use super::types::Records;
use super::{Resolved, Resolver, Unique, all, prose};
use crate::diagnostic::{Diagnostic, Location};
use crate::load::Document;
use crate::model::{Endpoint, Group, Record, SharedParam};
use crate::names::{self, Case, Scope};
use crate::spanned::Text;
use crate::spec::{self, ParamEntry};
use crate::url_path;

impl<'a> Resolver<'a> {
    pub(super) fn group(
        &mut self,
        document: &'a Document<spec::Group>,
        shared: &[Resolved<SharedParam>],
    ) -> Resolved<Group> {
        let (module, group) = (document.module(), &document.spec);
        let ident = self.module_name(document);
        let scope = Records::of(Some(module), &group.records);
        let records = self.records(&scope, &group.records);
        let (mut idents, mut types) = (Unique::default(), Unique::default());
        for record in &group.records {
            types.insert(&record.name, record.name.at());
        }
        let handle = names::handle(module);
        let is_new = self.new_type(&handle, group.title.at(), &mut types);
        let mut inline = Vec::new();
        let endpoints = all(group.endpoints.iter().map(|endpoint| {
            let names = self.endpoint_names(endpoint, &mut idents, &mut types);
            let (endpoint, record) = self.endpoint(&scope, endpoint, names, shared)?;
            inline.extend(record);
            Ok(endpoint)
        }));
        is_new?;
        let mut records = records?;
        records.extend(inline);
        Ok(Group {
            file: document.file.name.clone(),
            ident: ident?,
            handle,
            title: group.title.to_string(),
            summary: prose(&group.summary),
            aliases: group.aliases.clone(),
            notes: prose(&group.notes),
            records,
            endpoints: endpoints?,
        })
    }

    fn module_name(&mut self, document: &Document<spec::Group>) -> Resolved<String> {
        let (module, file) = (document.module(), &document.file.name);
        let error = if !names::is_ident(module, Case::Snake) {
            Diagnostic::of_file("file-name", file, format!("`{module}` cannot be the name of a Rust module"))
                .help("use lower-case letters, digits and `_`, and no keyword")
        } else if let Some((_, name)) = [(Scope::Groups, module), (Scope::Types, &names::handle(module))]
            .into_iter()
            .find(|(scope, name)| names::is_taken(*scope, name))
        {
            Diagnostic::of_file("taken-name", file, format!("the name `{name}` is reserved for the client"))
                .help("rename the file")
        } else {
            return Ok(module.to_owned());
        };
        Err(self.push(error))
    }

    /// Returns the names of the method and of the marker type. Also checks the name of the record, which is derived
    /// from the name of the marker type.
    fn endpoint_names(
        &mut self,
        endpoint: &spec::Endpoint,
        idents: &mut Unique,
        types: &mut Unique,
    ) -> Resolved<(String, String)> {
        let (name, at) = (&endpoint.name, endpoint.name.at());
        let ident = self.rust_name(name, endpoint.rust_name.as_ref(), Case::Snake, Scope::Endpoints)?;
        let message = format!("the endpoint `{name}` would become `{ident}`, but another endpoint has this name");
        self.unique(idents, "duplicate-endpoint", &ident, at, message)?;
        let type_ident = names::ident(&ident, Case::Pascal).map_err(|reason| {
            let message = format!("`{ident}` cannot be converted to a type name: {reason}");
            self.error("no-rust-name", at, message, "set another name with `rust_name`")
        })?;
        if names::is_taken(Scope::Types, &type_ident) {
            let message = format!("the name `{type_ident}` is reserved for the client");
            return Err(self.error("taken-name", at, message, "set another name with `rust_name`"));
        }
        let record = self.new_type(&names::record(&type_ident), at, types);
        self.new_type(&type_ident, at, types).and(record)?;
        Ok((ident, type_ident))
    }

    /// Adds a type name to `types`, the names in the group's module. Reports an error if the module or the root of the
    /// crate already has this name.
    fn new_type(&mut self, name: &str, at: &Location, types: &mut Unique) -> Resolved<()> {
        let message = format!("this entry declares the type `{name}`, which already exists");
        if let Some(first) = self.root_types.get(name) {
            let error = Diagnostic::new("same-rust-name", at, message).earlier(&first, "first here");
            return Err(self.push(error.help("choose another name for one of them")));
        }
        self.unique(types, "same-rust-name", name, at, message)
    }

    /// Resolves an endpoint. For a body that lists fields, also returns a new record.
    fn endpoint(
        &mut self,
        records: &Records<'a>,
        endpoint: &'a spec::Endpoint,
        names: Resolved<(String, String)>,
        shared: &[Resolved<SharedParam>],
    ) -> Resolved<(Endpoint, Option<Record>)> {
        let path = endpoint.path.known().map(|path| self.endpoint_path(path)).transpose();
        let params =
            endpoint.params.known().map(|entries| self.endpoint_params(records, endpoint, entries, shared)).transpose();
        let type_ident = names.as_ref().map_or("", |(_, type_ident)| type_ident);
        let body = self.body(records, endpoint, type_ident);
        let (ident, type_ident) = names?;
        let (body, record) = body?;
        let params = params?;
        let (history, has_history) = self.endpoint_history(endpoint, params.as_deref(), &body)?;
        let endpoint = Endpoint {
            name: endpoint.name.to_string(),
            ident,
            type_ident,
            aliases: endpoint.aliases.clone(),
            path: path?.map(ToString::to_string),
            evidence: endpoint.evidence,
            summary: prose(&endpoint.summary),
            notes: prose(&endpoint.notes),
            unknown: endpoint.unknown.clone(),
            deprecated: endpoint.deprecated.as_deref().map(prose),
            param_set: self.first_set(endpoint),
            params,
            body,
            history,
            has_history,
            weight: endpoint.weight.unwrap_or(1),
        };
        Ok((endpoint, record))
    }

    /// Returns the index of the param set that is the first entry of the endpoint's params; `None` if the first entry
    /// is not a set.
    fn first_set(&self, endpoint: &spec::Endpoint) -> Option<usize> {
        let Some(ParamEntry::Name(name)) = endpoint.params.known()?.first() else { return None };
        self.sets.get(name.as_str()).copied()
    }

    fn endpoint_path(&mut self, path: &'a Text) -> Resolved<&'a Text> {
        // Paths are compared by template, because a server does not distinguish paths that differ only in the names of
        // params.
        let known = self.paths.entry(url_path::template(path));
        if let Entry::Occupied(first) = &known {
            let error = Diagnostic::new("duplicate-path", path.at(), format!("duplicate path `{path}`"));
            let error = error
                .earlier(first.get(), "first here")
                .help("remove one; for several endpoints on one path, write each like `/path#name`");
            let twice = self.push(error);
            // `below_base_url` reports another error if the path also repeats the suffix of the base URL.
            return self.below_base_url(path).and(Err(twice));
        }
        known.or_insert_with(|| path.at().clone());
        self.below_base_url(path)
    }
}
