//! A table of counts, as text for a terminal.

use std::fmt;

/// Rows of counts, each with a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountTable {
    /// The headings: one for the label column and one for each count column.
    pub(crate) heading: &'static [&'static str],
    /// The rows: a label, and one count per column.
    pub rows: Vec<(String, Vec<usize>)>,
}

impl CountTable {
    /// Returns a row that contains, for each kind, the number of facts of that kind.
    pub(crate) fn row<T>(label: &str, facts: &[T], kinds: &[fn(&T) -> bool]) -> (String, Vec<usize>) {
        let counts = kinds.iter().map(|is_so| facts.iter().filter(|fact| is_so(fact)).count());
        (label.to_owned(), counts.collect())
    }
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
