//! Warns about columns of an endpoint that the readers of a file do not distinguish.

use std::collections::HashMap;
use std::fmt::Display;

use super::Resolver;
use super::records_of_file::RecordsOfFile;
use crate::diagnostic::{Diagnostic, Location};
use crate::known::Known;
use crate::model::{Endpoint, Record};
use crate::spec;

/// A column of the files of an endpoint.
struct Column {
    name: String,
    /// The param or field in the catalogue, or the endpoint where the catalogue does not list the field.
    at: Location,
}

impl Resolver<'_> {
    /// Warns about two columns of an endpoint whose names differ only in upper and lower case. `declared` is the record
    /// that the endpoint itself declares.
    pub(super) fn warn_about_columns(
        &mut self,
        scope: &RecordsOfFile<'_>,
        endpoint: &Endpoint,
        declared: Option<&Record>,
    ) {
        // Only the records of a history are written to files.
        if !endpoint.has_history {
            return;
        }
        let mut columns = self.param_columns(&endpoint.declared, endpoint);
        columns.extend(self.field_columns(scope, endpoint, declared));
        let mut first_names: HashMap<String, String> = HashMap::new();
        for Column { name, at } in columns {
            let first = first_names.entry(name.to_lowercase()).or_insert_with(|| name.clone());
            // A param takes precedence over a field of the same name, so both have one column.
            if *first != name {
                let words: [&dyn Display; 3] = [first, &name, &endpoint.declared.name];
                self.warnings.push(Diagnostic::new("same-column", &at, &words));
            }
        }
    }

    /// The params that are columns: those that requests set, except those that a history sets.
    fn param_columns(&self, declared: &spec::Endpoint, endpoint: &Endpoint) -> Vec<Column> {
        let history = declared.history.as_ref().and_then(|own| own.known()).or(self.service.history.as_ref());
        let mut columns = Vec::new();
        for param in endpoint.params.iter().flatten() {
            let param = &param.param.declared;
            if param.const_value.is_none() && !history.is_some_and(|history| sets(history, &param.name)) {
                columns.push(Column { name: param.name.to_string(), at: param.name.at().clone() });
            }
        }
        columns
    }

    /// The fields of the endpoint's records.
    fn field_columns(&self, scope: &RecordsOfFile<'_>, endpoint: &Endpoint, declared: Option<&Record>) -> Vec<Column> {
        let mut columns = Vec::new();
        if let Some(record) = declared {
            for field in &record.fields {
                let at = place_of_field(&endpoint.declared, &field.wire_name).clone();
                columns.push(Column { name: field.wire_name.clone(), at });
            }
            return columns;
        }
        let Some(reference) = endpoint.body.record() else { return columns };
        let name = reference.ident.as_str();
        let Some(record) = scope.by_name.get(name).or(self.records.by_name.get(name)) else { return columns };
        for field in &record.fields {
            columns.push(Column { name: field.name.to_string(), at: field.name.at().clone() });
        }
        columns
    }
}

/// The place of a field or label in the body of an endpoint; that of the endpoint if the body does not list it.
fn place_of_field<'e>(endpoint: &'e spec::Endpoint, name: &str) -> &'e Location {
    let Some(body) = endpoint.body.known() else { return endpoint.name.at() };
    let mut listed = Vec::new();
    listed.extend(&body.labels);
    if let Some(Known::Known(spec::Fields::Inline(fields))) = &body.series {
        listed.extend(fields);
    }
    for field in listed {
        if *field.name == *name {
            return field.name.at();
        }
    }
    endpoint.name.at()
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
