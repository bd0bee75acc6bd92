//! How much of the interface is known, in numbers.

use std::fmt;

use crate::model::{Api, Body, Group};

/// The numbers of a whole catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// One line a group, in the order of the catalogue.
    pub groups: Vec<GroupSummary>,
}

/// The numbers of one group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupSummary {
    /// The group's name in Rust.
    pub name: String,
    /// All endpoints.
    pub endpoints: usize,
    /// Those with a path: each is a method.
    pub with_path: usize,
    /// Those with a path whose records have known fields.
    pub typed: usize,
    /// Those with a path that are known to be a series, of unknown records.
    pub untyped_series: usize,
    /// Those with a path of whose body nothing is known.
    pub unknown_body: usize,
    /// Those known by name only.
    pub by_name_only: usize,
}

impl Summary {
    /// Counts.
    pub fn of(api: &Api) -> Self {
        Self { groups: api.groups.iter().map(GroupSummary::of).collect() }
    }

    /// All groups together.
    pub fn total(&self) -> GroupSummary {
        let sum = |number: fn(&GroupSummary) -> usize| self.groups.iter().map(number).sum();
        GroupSummary {
            name: "total".to_owned(),
            endpoints: sum(|group| group.endpoints),
            with_path: sum(|group| group.with_path),
            typed: sum(|group| group.typed),
            untyped_series: sum(|group| group.untyped_series),
            unknown_body: sum(|group| group.unknown_body),
            by_name_only: sum(|group| group.by_name_only),
        }
    }
}

impl GroupSummary {
    fn of(group: &Group) -> Self {
        let mut summary = Self { name: group.ident.clone(), endpoints: group.endpoints.len(), ..Self::default() };
        for endpoint in &group.endpoints {
            if endpoint.path.is_none() {
                summary.by_name_only += 1;
                continue;
            }
            summary.with_path += 1;
            match endpoint.body {
                Body::Series { record: Some(_), .. } | Body::Object { .. } => summary.typed += 1,
                Body::Series { record: None, .. } => summary.untyped_series += 1,
                Body::Unknown => summary.unknown_body += 1,
            }
        }
        summary
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.total();
        let width = self.groups.iter().map(|group| group.name.len()).max().unwrap_or_default().max("group".len());
        writeln!(f, "{:width$}  endpoints  with path  typed  untyped  body unknown  by name only", "group")?;
        for group in self.groups.iter().chain([&total]) {
            writeln!(
                f,
                "{:width$}  {:9}  {:9}  {:5}  {:7}  {:12}  {:12}",
                group.name,
                group.endpoints,
                group.with_path,
                group.typed,
                group.untyped_series,
                group.unknown_body,
                group.by_name_only,
            )?;
        }
        Ok(())
    }
}
