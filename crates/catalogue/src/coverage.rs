//! The coverage of the API: counts of facts by evidence (the source that confirms a fact), and the most useful unknown
//! facts.
//!
//! All counts are computed from the model, so they are available for any catalogue.

mod unknown_facts;

use std::fmt;

use crate::model::{Api, Body, Endpoint, Evidence, Record};
use unknown_facts::UnknownFact;

/// Counts of known and unknown facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    endpoints: CountTable,
    /// The number of facts: one row for each kind of fact, one column for each kind of evidence.
    facts: CountTable,
    /// The unknown facts, the most useful first.
    unknown: Vec<UnknownFact>,
}

const FACTS: &[&str] = &["facts", "documented", "published", "reported", "previous", "unknown"];

impl Coverage {
    /// Computes the coverage of a client model.
    pub fn of(api: &Api) -> Self {
        let endpoints: Vec<_> = api.endpoints().collect();
        let records = api.records.iter().chain(api.groups.iter().flat_map(|group| &group.records));
        // In the model, the records of series have copies of the service's time field. The copies are not counted.
        let fields = records.flat_map(|record: &Record| &record.fields).filter(|field| !field.is_envelope_time);
        let params = endpoints.iter().flat_map(|endpoint| endpoint.known_params());
        let facts = vec![
            row("paths", endpoints.iter().map(|endpoint| endpoint.path.as_ref().map(|_| endpoint.evidence))),
            row("bodies", endpoints.iter().map(|endpoint| endpoint.body.evidence())),
            row("fields", fields.map(|field| Some(field.evidence))),
            row("params of endpoints", params.map(|param| Some(param.evidence))),
            row("values of types", api.types.iter().flat_map(|ty| &ty.values).map(|value| Some(value.evidence))),
            row("statuses of errors", api.service.errors.iter().map(|status| Some(status.evidence))),
        ];
        Self {
            endpoints: endpoint_counts(api),
            facts: CountTable { heading: FACTS, rows: facts },
            unknown: unknown_facts::unknown_facts(api),
        }
    }
}

fn row(label: &str, facts: impl Iterator<Item = Option<Evidence>>) -> (String, Vec<usize>) {
    let facts: Vec<_> = facts.collect();
    let kinds = Evidence::ALL.iter().copied().map(Some).chain([None]);
    (label.to_owned(), kinds.map(|kind| facts.iter().filter(|fact| **fact == kind).count()).collect())
}

/// Formats the output of `cargo xtask status`.
impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.endpoints, self.facts)?;
        if !self.unknown.is_empty() {
            writeln!(f, "\nunknown facts to find out first, each with the number of endpoints it affects")?;
        }
        for UnknownFact { what, endpoints, help, .. } in &self.unknown {
            writeln!(f, "{endpoints:5}  {what}\n       {help}")?;
        }
        Ok(())
    }
}

/// Rows of counts, each with a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountTable {
    /// The headings: one for the label column and one for each count column.
    heading: &'static [&'static str],
    /// The rows: a label, and one count per column.
    pub rows: Vec<(String, Vec<usize>)>,
}

impl fmt::Display for CountTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, columns @ ..] = self.heading else { return Ok(()) };
        let width = self.rows.iter().map(|(label, _)| label.len()).max().unwrap_or_default().max(first.len());
        writeln!(f, "{first:width$}  {}", columns.join("  "))?;
        for (label, counts) in &self.rows {
            write!(f, "{label:width$}")?;
            for (column, count) in columns.iter().zip(counts) {
                write!(f, "  {count:width$}", width = column.len())?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Counts the endpoints of each group by the facts that are known, with the total in the last row. The columns `typed`,
/// `untyped` and `body unknown` add up to the column `with path`.
pub fn endpoint_counts(api: &Api) -> CountTable {
    let counts = |endpoints: &mut dyn Iterator<Item = &Endpoint>| {
        let mut counts = vec![0; ENDPOINTS.len() - 1];
        for endpoint in endpoints {
            let column = match (&endpoint.path, &endpoint.body) {
                (None, _) => 5,
                (Some(_), Body::Unknown) => 4,
                (Some(_), Body::Series { record: None, .. }) => 3,
                (Some(_), Body::Series { .. } | Body::Object { .. }) => 2,
            };
            counts[0] += 1;
            counts[1] += usize::from(endpoint.path.is_some());
            counts[column] += 1;
        }
        counts
    };
    let groups = api.groups.iter().map(|group| (group.ident.clone(), counts(&mut group.endpoints.iter())));
    let rows = groups.chain([("total".to_owned(), counts(&mut api.endpoints()))]).collect();
    CountTable { heading: ENDPOINTS, rows }
}

const ENDPOINTS: &[&str] = &["group", "endpoints", "with path", "typed", "untyped", "body unknown", "by name only"];
