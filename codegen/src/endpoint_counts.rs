//! Counts the endpoints of each group by the facts that are known: path, fields, layout of the body.

use crate::count_table::CountTable;
use crate::model::{Api, Body, Endpoint};

const HEADING: &[&str] = &["group", "endpoints", "with path", "typed", "untyped", "body unknown", "by name only"];

/// The conditions of the columns. The columns `typed`, `untyped` and `body unknown` add up to the column `with path`.
const KINDS: &[fn(&&Endpoint) -> bool] = &[
    |_| true,
    |endpoint| endpoint.path.is_some(),
    |endpoint| endpoint.path.is_some() && endpoint.body.record().is_some(),
    |endpoint| endpoint.path.is_some() && matches!(endpoint.body, Body::Series { record: None, .. }),
    |endpoint| endpoint.path.is_some() && matches!(endpoint.body, Body::Unknown),
    |endpoint| endpoint.path.is_none(),
];

/// Counts the endpoints of each group, with the total in the last row.
pub fn endpoint_counts(api: &Api) -> CountTable {
    let of_group = |group: &'_ crate::model::Group| {
        CountTable::row(&group.ident, &group.endpoints.iter().collect::<Vec<_>>(), KINDS)
    };
    let mut rows: Vec<_> = api.groups.iter().map(of_group).collect();
    rows.push(CountTable::row("total", &api.endpoints().collect::<Vec<_>>(), KINDS));
    CountTable { heading: HEADING, rows }
}
