//! How well the interface is known: counts by evidence, and what is worth finding out next.
//!
//! Everything is computed from the model, so it works for any catalogue.

mod wanted;

use std::fmt;

use crate::model::{Api, Body, Endpoint, Evidence, Record};
use crate::summary::Summary;
pub use wanted::Wanted;

/// What is known how well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Endpoints by how much of them is known, group by group.
    pub summary: Summary,
    /// Facts by how they are known.
    pub facts: Vec<Tally>,
    /// What is worth finding out, the most useful first.
    pub wanted: Vec<Wanted>,
}

/// Facts of one kind, counted by how they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The kind of fact, in the plural.
    pub what: String,
    /// Facts from the interface document.
    pub document: usize,
    /// Facts from the provider's public documentation.
    pub published: usize,
    /// Public clients agree.
    pub reported: usize,
    /// Facts from the provider's description of the previous version.
    pub former: usize,
    /// Known to be there, and nothing else.
    pub unknown: usize,
}

impl Coverage {
    /// Counts.
    pub fn of(api: &Api) -> Self {
        let endpoints: Vec<_> = api.endpoints().collect();
        let records = api.records.iter().chain(api.groups.iter().flat_map(|group| &group.records));
        // The envelope's time field is part of every record and counts once.
        let fields = records.flat_map(|record: &Record| &record.fields).filter(|field| !field.is_envelope_time);
        let params = endpoints.iter().flat_map(|endpoint| endpoint.params.iter().flatten());
        Self {
            summary: Summary::of(api),
            facts: vec![
                tally("paths", endpoints.iter().map(|endpoint| endpoint.path.as_ref().map(|_| endpoint.evidence))),
                tally("bodies", endpoints.iter().map(|endpoint| body(endpoint))),
                tally("fields", fields.map(|field| Some(field.evidence))),
                tally("params of endpoints", params.map(|param| Some(param.param.evidence))),
                tally("values of types", api.types.iter().flat_map(|ty| &ty.values).map(|value| Some(value.evidence))),
                tally("statuses of failures", api.service.errors.iter().map(|status| Some(status.evidence))),
            ],
            wanted: wanted::wanted(api),
        }
    }
}

/// How the fields of a body are known, if they are.
fn body(endpoint: &Endpoint) -> Option<Evidence> {
    match &endpoint.body {
        Body::Series { record: Some(_), evidence, .. } | Body::Object { evidence, .. } => Some(*evidence),
        Body::Series { record: None, .. } | Body::Unknown => None,
    }
}

fn tally(what: &str, facts: impl Iterator<Item = Option<Evidence>>) -> Tally {
    let mut tally = Tally { what: what.to_owned(), ..Tally::default() };
    for fact in facts {
        *match fact {
            Some(Evidence::Documented) => &mut tally.document,
            Some(Evidence::Published) => &mut tally.published,
            Some(Evidence::Reported) => &mut tally.reported,
            Some(Evidence::PreviousVersion) => &mut tally.former,
            None => &mut tally.unknown,
        } += 1;
    }
    tally
}

/// As `cargo xtask status` shows it.
impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.summary)?;
        let width = self.facts.iter().map(|tally| tally.what.len()).max().unwrap_or_default();
        writeln!(f, "{:width$}  documented  published  reported  former  unknown", "facts")?;
        for Tally { what, document, published, reported, former, unknown } in &self.facts {
            writeln!(f, "{what:width$}  {document:10}  {published:9}  {reported:8}  {former:6}  {unknown:7}")?;
        }
        if !self.wanted.is_empty() {
            writeln!(f, "\nworth finding out, with the number of endpoints that gain")?;
        }
        for Wanted { what, endpoints, help, .. } in &self.wanted {
            writeln!(f, "{endpoints:5}  {what}\n       {help}")?;
        }
        Ok(())
    }
}
