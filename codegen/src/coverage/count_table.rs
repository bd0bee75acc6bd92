//! Tables of counts, as text for a terminal: the endpoints of each group by the facts that are known.

use std::fmt;

use crate::model::{Api, Body, Endpoint};

/// Rows of counts, each with a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountTable {
    /// The headings: one for the label column and one for each count column.
    pub(super) heading: &'static [&'static str],
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
        let mut counts = vec![0; HEADING.len() - 1];
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
    CountTable { heading: HEADING, rows }
}

const HEADING: &[&str] = &["group", "endpoints", "with path", "typed", "untyped", "body unknown", "by name only"];
