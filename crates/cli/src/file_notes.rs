//! Notes about what the series of several runs have in common in one file or folder, which a program that reads them
//! may not expect.

use std::collections::{BTreeMap, BTreeSet};

use dataset::{BackfillPlan, SeriesStatus, Target, quoted};

use crate::endpoint_names;
use crate::find_endpoint::find;
use wording::enumerated;

/// Notes, each with its endpoint, or with an empty text if it is about all.
pub(crate) type Notes = BTreeSet<(String, String)>;

/// The notes that were not true before a run with this plan has added series to those of other runs.
pub(crate) async fn notes(out: &str, target: &Target, plan: &BackfillPlan) -> Notes {
    let series = plan.series.iter();
    let is_new: BTreeMap<&str, bool> = series.map(|series| (series.path.as_str(), series.last.is_none())).collect();
    let (is_file, mut notes) = (matches!(target, Target::File { .. }), Notes::new());
    // Most runs add no series, and need not read the states of all others.
    if !is_new.values().any(|is_new| *is_new) {
        return notes;
    }
    let mut written = dataset::status(target).await.map_or_else(|_| Vec::new(), |status| status.series);
    written.retain(|series| series.last.is_some());
    // The files of a data set have one endpoint each.
    for read in written.chunk_by(|one, other| is_file || one.endpoint() == other.endpoint()) {
        let of_run = |series: &&SeriesStatus| is_new.get(series.path.as_str()).copied();
        let before: Vec<_> = read.iter().filter(|series| of_run(series) != Some(true)).collect();
        if before.iter().any(|series| of_run(series).is_none()) {
            notes.extend(&facts(out, &read.iter().collect::<Vec<_>>()) - &facts(out, &before));
        }
    }
    notes
}

/// What differs among series that are read together: endpoints, params, and the values of params.
fn facts(out: &str, all: &[&SeriesStatus]) -> Notes {
    let (out, mut facts) = (quoted(out), Notes::new());
    let endpoints: Vec<_> = all.iter().map(|series| series.endpoint()).collect::<BTreeSet<_>>().into_iter().collect();
    if endpoints.len() > 1 {
        let all = enumerated(&endpoints, "and");
        facts.insert((String::new(), format!("{out} now has the endpoints {all}; filter by the column `endpoint`")));
    }
    for endpoint in endpoints {
        let mut add = |text: String| facts.insert((endpoint.to_owned(), text));
        let name = find(endpoint).map_or_else(|_| endpoint.to_owned(), endpoint_names::name);
        let of_endpoint = all.iter().filter(|series| series.endpoint() == endpoint);
        let params: Vec<BTreeMap<_, _>> = of_endpoint.map(|series| series.params().collect()).collect();
        for param in params.iter().flat_map(BTreeMap::keys).collect::<BTreeSet<_>>() {
            let values: BTreeSet<_> = params.iter().map(|params| params.get(param)).collect();
            if values.len() > 1 {
                let without = format!("series with and without `{param}`");
                let what = if values.contains(&None) { without } else { format!("several {param}s") };
                add(format!("{out} now has {what} of {name}; filter by the column `{param}`"));
            }
        }
    }
    facts
}
