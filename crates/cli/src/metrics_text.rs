//! The text format of Prometheus.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::earlier_metrics::EarlierSample;

/// A metric with its samples.
pub(crate) struct Metric {
    /// The name without the prefix of the program.
    name: &'static str,
    kind: &'static str,
    help: &'static str,
    samples: Vec<Sample>,
}

/// One line of a metric.
struct Sample {
    /// In braces; empty if there are none.
    labels: String,
    value: String,
}

impl Metric {
    pub(crate) fn counter(name: &'static str, help: &'static str) -> Self {
        Self { name, kind: "counter", help, samples: Vec::new() }
    }

    pub(crate) fn gauge(name: &'static str, help: &'static str) -> Self {
        Self { name, kind: "gauge", help, samples: Vec::new() }
    }

    pub(crate) fn add(&mut self, labels: &[(&'static str, &str)], value: &impl ToString) {
        self.samples.push(Sample { labels: braces(labels), value: value.to_string() });
    }

    /// Adds the earlier samples whose labels have no newer one.
    pub(crate) fn add_earlier(&mut self, earlier: &[EarlierSample]) {
        let known: BTreeSet<String> = self.samples.iter().map(|sample| sample.labels.clone()).collect();
        for EarlierSample { name, labels, value } in earlier {
            if name == self.name && !known.contains(labels) {
                self.samples.push(Sample { labels: labels.clone(), value: value.clone() });
            }
        }
    }
}

/// The start of the names of a program's metrics.
pub(crate) fn prefix(program: &str) -> String {
    program.replace(|character: char| !character.is_ascii_alphanumeric(), "_")
}

/// Formats these metrics, without those that have no sample.
pub(crate) fn format_metrics(prefix: &str, metrics: &[Metric]) -> String {
    let mut text = String::new();
    for Metric { name, kind, help, samples } in metrics {
        if samples.is_empty() {
            continue;
        }
        // Writing to a text never fails.
        let _ = write!(text, "# HELP {prefix}_{name} {help}\n# TYPE {prefix}_{name} {kind}\n");
        for Sample { labels, value } in samples {
            let _ = writeln!(text, "{prefix}_{name}{labels} {value}");
        }
    }
    text
}

/// Labels in braces, with escaped values; empty text if there are none.
pub(crate) fn braces(labels: &[(&str, &str)]) -> String {
    if labels.is_empty() {
        return String::new();
    }
    let mut quoted = Vec::new();
    for (name, value) in labels {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        quoted.push(format!("{name}=\"{value}\""));
    }
    format!("{{{}}}", quoted.join(","))
}
