//! The label of a series that is in a file.

use std::collections::BTreeMap;

use dataset::SeriesStatus;

use crate::endpoint_names;
use crate::find_endpoint::find;

/// Formats a series by its endpoint and the values of its params, for example as `levels dover 1h`.
pub(crate) fn label_of(series: &SeriesStatus) -> String {
    let endpoint = series.endpoint();
    // A later version of the catalogue may not have the endpoint.
    let mut words = vec![find(endpoint).map_or_else(|_| endpoint.to_owned(), endpoint_names::name)];
    for (_, value) in series.params() {
        words.push(value);
    }
    words.join(" ")
}

/// The values of the params that all series of an endpoint have.
pub(crate) fn common_values(series: &[SeriesStatus]) -> Vec<String> {
    let Some((first, others)) = series.split_first() else { return Vec::new() };
    let others: Vec<BTreeMap<String, String>> = others.iter().map(|other| other.params().collect()).collect();
    let mut values = Vec::new();
    for (name, value) in first.params() {
        if others.iter().all(|params| params.get(&name) == Some(&value)) {
            values.push(value);
        }
    }
    values
}

/// Formats a series of an endpoint by the values in which it differs from other series of the endpoint.
pub(crate) fn differing_label<'s>(series: &SeriesStatus, all: impl Iterator<Item = &'s SeriesStatus>) -> String {
    let others: Vec<BTreeMap<String, String>> = all.map(|other| other.params().collect()).collect();
    let mut words = Vec::new();
    for (name, value) in series.params() {
        if others.iter().any(|params| params.get(&name) != Some(&value)) {
            words.push(value);
        }
    }
    // The only series, or one without a param that others have.
    if words.is_empty() { label_of(series) } else { words.join(" ") }
}
