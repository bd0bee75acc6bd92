//! The samples in the metrics file of an earlier command. They stay in the file until there are newer ones, because an alert
//! on a sample that disappears would end.

use std::path::Path;

/// A line of a metrics file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EarlierSample {
    /// The name without the prefix of the program.
    pub(crate) name: String,
    /// The labels in braces; empty if there are none.
    pub(crate) labels: String,
    pub(crate) value: String,
}

/// Reads the samples of a file. A file that cannot be read has none.
pub(crate) fn read(path: &Path, prefix: &str) -> Vec<EarlierSample> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().filter_map(|line| sample(line, prefix)).collect()
}

/// Reads a line; `None` for a comment and for a sample of another program.
fn sample(line: &str, prefix: &str) -> Option<EarlierSample> {
    let named = line.strip_prefix(prefix)?.strip_prefix('_')?;
    let (metric, value) = named.rsplit_once(' ')?;
    let (name, labels) = metric.split_at(metric.find('{').unwrap_or(metric.len()));
    Some(EarlierSample { name: name.to_owned(), labels: labels.to_owned(), value: value.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_program_are_samples() {
        for (line, expected) in [
            ("tides_gaps{series=\"a b\"} 3", Some(("gaps", "{series=\"a b\"}", "3"))),
            ("tides_last_run_complete 1", Some(("last_run_complete", "", "1"))),
            ("# HELP tides_gaps Ranges.", None),
            ("other_gaps 3", None),
            ("tides_gaps", None),
            ("", None),
        ] {
            let found = sample(line, "tides");
            let found = found.as_ref().map(|sample| (&*sample.name, &*sample.labels, &*sample.value));
            assert_eq!(found, expected, "{line}");
        }
    }
}
