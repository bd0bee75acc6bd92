//! Sentences about values that an endpoint does not support: the service computes the records without them.

use std::collections::BTreeSet;

use runtime::history::Report;

use crate::failure::{ExitKind, Failure};
use crate::progress::{listed, quotations};

/// Names these values; `None` if there are none.
pub(crate) fn sentence<'v>(values: impl IntoIterator<Item = &'v String>) -> Option<String> {
    let values: Vec<_> = values.into_iter().cloned().collect();
    if values.is_empty() {
        return None;
    }
    Some(format!("the records are without {}, which the endpoint does not support", listed(&quotations(&values))))
}

/// Names these values of a series.
pub(crate) fn sentence_of<'v>(label: &str, values: impl IntoIterator<Item = &'v String>) -> Option<String> {
    Some(format!("{label}: {}", sentence(values)?))
}

/// The values that the responses of these records name.
pub(crate) fn reported<'r, R>(records: &[R], report: &'r Report) -> BTreeSet<&'r String> {
    if records.is_empty() {
        return BTreeSet::new();
    }
    report.metadata.iter().flat_map(|metadata| &metadata.unsupported).collect()
}

/// The failure of a command that has used such records.
pub(crate) fn failure(sentence: String) -> Failure {
    Failure::new(ExitKind::Incomplete, sentence).help("request the series without these values")
}
