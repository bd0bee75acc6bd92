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
        Self {
            endpoints: endpoint_counts(api),
            facts: CountTable { heading: FACTS, rows: fact_counts(api) },
            unknown: unknown_facts::unknown_facts(api),
        }
    }
}

fn fact_counts(api: &Api) -> Vec<(String, Vec<usize>)> {
    let mut paths = EvidenceCounts::default();
    let mut bodies = EvidenceCounts::default();
    let mut params = EvidenceCounts::default();
    for endpoint in api.endpoints() {
        paths.add(endpoint.path.as_ref().map(|_| endpoint.declared.evidence));
        bodies.add(endpoint.body.evidence());
        for param in endpoint.known_params() {
            params.add(Some(param.evidence));
        }
    }
    let mut fields = EvidenceCounts::default();
    for record in all_records(api) {
        for field in &record.fields {
            // In the model, the records of series have copies of the service's time field. The copies are not counted.
            if !field.is_envelope_time {
                fields.add(Some(field.evidence));
            }
        }
    }
    let mut values = EvidenceCounts::default();
    for ty in &api.types {
        for value in &ty.values {
            values.add(Some(value.evidence));
        }
    }
    let mut statuses = EvidenceCounts::default();
    for status in &api.service.declared.errors {
        statuses.add(Some(status.evidence));
    }
    vec![
        paths.row("paths"),
        bodies.row("bodies"),
        fields.row("fields"),
        params.row("params of endpoints"),
        values.row("values of types"),
        statuses.row("statuses of errors"),
    ]
}

fn all_records(api: &Api) -> Vec<&Record> {
    let mut records: Vec<_> = api.records.iter().collect();
    for group in &api.groups {
        records.extend(&group.records);
    }
    records
}

/// The numbers of facts of one kind, by their evidence.
#[derive(Default)]
struct EvidenceCounts {
    known: [usize; Evidence::ALL.len()],
    unknown: usize,
}

impl EvidenceCounts {
    /// Counts a fact; `None` is an unknown fact.
    fn add(&mut self, evidence: Option<Evidence>) {
        let Some(evidence) = evidence else {
            self.unknown += 1;
            return;
        };
        for (kind, count) in Evidence::ALL.iter().zip(&mut self.known) {
            if *kind == evidence {
                *count += 1;
            }
        }
    }

    fn row(&self, label: &str) -> (String, Vec<usize>) {
        let mut counts = self.known.to_vec();
        counts.push(self.unknown);
        (label.to_owned(), counts)
    }
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
    let mut rows = Vec::new();
    for group in &api.groups {
        rows.push((group.ident.clone(), counts_of(group.endpoints.iter())));
    }
    rows.push(("total".to_owned(), counts_of(api.endpoints())));
    CountTable { heading: ENDPOINTS, rows }
}

fn counts_of<'a>(endpoints: impl Iterator<Item = &'a Endpoint>) -> Vec<usize> {
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
}

const ENDPOINTS: &[&str] = &["group", "endpoints", "with path", "typed", "untyped", "body unknown", "by name only"];
