//! The label of a series that is in a file.

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
