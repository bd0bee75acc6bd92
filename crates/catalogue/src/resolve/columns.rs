//! Warns about columns of an endpoint that the readers of a file do not distinguish.

use std::collections::HashMap;

use super::Resolver;
use super::records_of_file::RecordsOfFile;
use crate::diagnostic::Diagnostic;
use crate::model::{Endpoint, Record};
use crate::spec;

impl Resolver<'_> {
    /// Warns about two columns of an endpoint whose names differ only in upper and lower case. `declared` is the record
    /// that the endpoint itself declares.
    pub(super) fn columns(&mut self, scope: &RecordsOfFile<'_>, endpoint: &Endpoint, declared: Option<&Record>) {
        // Only the records of a history are written to files.
        if !endpoint.has_history {
            return;
        }
        let mut names = self.param_columns(&endpoint.declared, endpoint);
        names.extend(self.field_columns(scope, endpoint, declared));
        let mut first_names: HashMap<String, String> = HashMap::new();
        for name in names {
            let first = first_names.entry(name.to_lowercase()).or_insert_with(|| name.clone());
            // A param takes precedence over a field of the same name, so both have one column.
            if *first != name {
                let declared = &endpoint.declared.name;
                self.warnings.push(Diagnostic::new("same-column", declared.at(), &[first, &name, declared]));
            }
        }
    }

    /// The params that are columns: those that requests set, except those that a history sets.
    fn param_columns(&self, declared: &spec::Endpoint, endpoint: &Endpoint) -> Vec<String> {
        let history = declared.history.as_ref().and_then(|own| own.known()).or(self.service.history.as_ref());
        let mut names = Vec::new();
        for param in endpoint.params.iter().flatten() {
            let param = &param.param.declared;
            if param.const_value.is_none() && !history.is_some_and(|history| sets(history, &param.name)) {
                names.push(param.name.to_string());
            }
        }
        names
    }

    /// The fields of the endpoint's records.
    fn field_columns(&self, scope: &RecordsOfFile<'_>, endpoint: &Endpoint, declared: Option<&Record>) -> Vec<String> {
        let mut names = Vec::new();
        if let Some(record) = declared {
            for field in &record.fields {
                names.push(field.wire_name.clone());
            }
            return names;
        }
        let Some(reference) = endpoint.body.record() else { return names };
        let name = reference.ident.as_str();
        let Some(record) = scope.by_name.get(name).or(self.records.by_name.get(name)) else { return names };
        for field in &record.fields {
            names.push(field.name.to_string());
        }
        names
    }
}

/// Whether a history sets the param in the request of each page. Its step distinguishes series, so it is a column.
fn sets(history: &spec::History, param: &str) -> bool {
    for name in [&history.from, &history.to, &history.limit, &history.sort].into_iter().flatten() {
        if name.as_str() == param {
            return true;
        }
    }
    false
}
