//! Notes about what the series of several runs have in common in one file or folder, which a program that reads them
//! may not expect.

use std::collections::{BTreeMap, BTreeSet};

use dataset::{BackfillPlan, SeriesStatus, Target, quoted};

use crate::endpoint_names;
use crate::find_endpoint::find;
use wording::enumerated;

/// What may surprise a program that reads the series together.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Note {
    /// `None` if the note is about series of several endpoints.
    pub(crate) endpoint: Option<String>,
    pub(crate) text: String,
}

impl Note {
    pub(crate) fn is_about(&self, endpoint: &str) -> bool {
        self.endpoint.as_deref().is_none_or(|own| own == endpoint)
    }
}

/// The notes that were not true before a run with this plan has added series to those of other runs.
pub(crate) async fn notes(out: &str, target: &Target, plan: &BackfillPlan) -> BTreeSet<Note> {
    let added = added_series(plan);
    let mut notes = BTreeSet::new();
    // Most runs add no series, and need not read the states of all others.
    if added.is_empty() {
        return notes;
    }
    let of_run: BTreeSet<&str> = plan.series.iter().map(|series| series.path.as_str()).collect();
    for together in series_read_together(target).await {
        let mut before = together.clone();
        before.retain(|series| !added.contains(series.path.as_str()));
        let has_series_of_other_runs = before.iter().any(|series| !of_run.contains(series.path.as_str()));
        if has_series_of_other_runs {
            let known = notes_about(out, &before);
            notes.extend(notes_about(out, &together).into_iter().filter(|note| !known.contains(note)));
        }
    }
    notes
}

/// The paths of the series that no earlier run has fetched.
fn added_series(plan: &BackfillPlan) -> BTreeSet<&str> {
    let mut added = BTreeSet::new();
    for series in &plan.series {
        if series.last.is_none() {
            added.insert(series.path.as_str());
        }
    }
    added
}

/// The series with records, in the groups that a program reads as one table.
async fn series_read_together(target: &Target) -> Vec<Vec<SeriesStatus>> {
    let Ok(status) = dataset::status(target).await else {
        return Vec::new();
    };
    let mut written = status.series;
    written.retain(|series| series.last.is_some());
    let is_file = matches!(target, Target::File { .. });
    // The files of a data set have one endpoint each.
    let groups = written.chunk_by(|one, other| is_file || one.endpoint() == other.endpoint());
    groups.map(<[_]>::to_vec).collect()
}

/// What differs among series that are read together: endpoints, params, and the values of params.
fn notes_about(out: &str, all: &[SeriesStatus]) -> BTreeSet<Note> {
    let out = quoted(out);
    let mut notes = BTreeSet::new();
    let endpoints: BTreeSet<&str> = all.iter().map(SeriesStatus::endpoint).collect();
    if endpoints.len() > 1 {
        let names = enumerated(&Vec::from_iter(&endpoints), "and");
        let text = format!("{out} now has the endpoints {names}; filter by the column `endpoint`");
        notes.insert(Note { endpoint: None, text });
    }
    for endpoint in endpoints {
        let name = find(endpoint).map_or_else(|_| endpoint.to_owned(), endpoint_names::name);
        for (param, values) in values_of_params(endpoint, all) {
            if values.len() > 1 {
                let what = if values.contains(&None) {
                    format!("series with and without `{param}`")
                } else {
                    format!("several {param}s")
                };
                let text = format!("{out} now has {what} of {name}; filter by the column `{param}`");
                notes.insert(Note { endpoint: Some(endpoint.to_owned()), text });
            }
        }
    }
    notes
}

/// The values that each param has in the series of an endpoint; `None` where a series does not set it.
fn values_of_params(endpoint: &str, all: &[SeriesStatus]) -> BTreeMap<String, BTreeSet<Option<String>>> {
    let mut series = Vec::new();
    for one in all {
        if one.endpoint() == endpoint {
            series.push(one.params().collect::<BTreeMap<_, _>>());
        }
    }
    let mut values: BTreeMap<String, BTreeSet<_>> = BTreeMap::new();
    for name in series.iter().flat_map(BTreeMap::keys) {
        let of_param = series.iter().map(|params| params.get(name).cloned());
        values.entry(name.clone()).or_insert_with(|| of_param.collect());
    }
    values
}
