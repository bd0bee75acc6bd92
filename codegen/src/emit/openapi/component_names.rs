//! Chooses a unique name for every schema, because other generators derive the names of types and files from it.

use std::collections::{HashMap, HashSet};

use catalogue::model::{Api, Body, RecordRef};
use catalogue::names::{self, Case};

/// The unique names of the schemas. Named types are not included, because their schemas have the names of the
/// catalogue.
pub(super) struct ComponentNames {
    records: HashMap<RecordRef, String>,
    /// The names of the schemas of series, by the record of the series.
    series: HashMap<RecordRef, String>,
    /// The name of the schema of error bodies.
    pub(super) error: String,
}

impl ComponentNames {
    pub(super) fn of(api: &Api) -> Self {
        let mut used = UsedNames::default();
        let mut records = HashMap::new();
        // Named types and shared records are in one Rust module, so their names are already unique.
        for ty in &api.types {
            used.claim(&ty.ident, "");
        }
        for record in &api.records {
            let reference = RecordRef::shared(&record.ident);
            records.insert(reference, used.claim(&record.ident, ""));
        }
        let error = match api.service.declared.error_body.named() {
            Some((name, _)) => used.claim(name, ""),
            None => used.claim("ServiceError", ""),
        };
        for group in &api.groups {
            let prefix = names::ident(&group.ident, Case::Pascal).unwrap_or_default();
            for record in &group.records {
                let reference = RecordRef { module: Some(group.ident.clone()), ident: record.ident.clone() };
                records.insert(reference, used.claim(&record.ident, &prefix));
            }
        }
        let mut series = HashMap::new();
        for endpoint in api.methods() {
            if let Body::Series { record: Some(record), data: None, .. } = &endpoint.body
                && !series.contains_key(record)
            {
                let name = records.get(record).unwrap_or(&record.ident);
                let stem = name.strip_suffix("Record").unwrap_or(name);
                series.insert(record.clone(), used.claim(&format!("{stem}Series"), ""));
            }
        }
        Self { records, series, error }
    }

    pub(super) fn record<'a>(&'a self, record: &'a RecordRef) -> &'a str {
        self.records.get(record).unwrap_or(&record.ident)
    }

    /// The name of the schema of a series; `None` if no method returns it.
    pub(super) fn series(&self, record: &RecordRef) -> Option<&str> {
        self.series.get(record).map(String::as_str)
    }
}

/// Used names in lower case, because some file systems ignore case.
#[derive(Default)]
struct UsedNames(HashSet<String>);

impl UsedNames {
    /// The first of these names that is free: `name`, `name` with the prefix, and `name` with the prefix and a
    /// number.
    fn claim(&mut self, name: &str, prefix: &str) -> String {
        let prefixed = format!("{prefix}{name}");
        for free in [name, &prefixed] {
            if self.insert(free) {
                return free.to_owned();
            }
        }
        let mut number = 2;
        while !self.insert(&format!("{prefixed}{number}")) {
            number += 1;
        }
        format!("{prefixed}{number}")
    }

    fn insert(&mut self, name: &str) -> bool {
        self.0.insert(name.to_ascii_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_schemas_have_one_name() {
        let mut used = UsedNames::default();
        let claims = [("Level", "A"), ("Level", "A"), ("LEVEL", "A"), ("Level", "B"), ("Other", "")];
        let names = claims.map(|(name, prefix)| used.claim(name, prefix));
        assert_eq!(names, ["Level", "ALevel", "ALEVEL2", "BLevel", "Other"]);
    }
}
