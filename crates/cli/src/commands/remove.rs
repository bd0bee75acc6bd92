//! `remove`: deletes series from a file or a data set.

use std::collections::{BTreeMap, BTreeSet};
use std::{iter, slice};

use clap::Args;
use dataset::{SeriesStatus, Target, quoted};
use serde_json::json;

use crate::failure::{ExitKind, Failure, Result};
use crate::find_endpoint::find;
use crate::log::Log;
use crate::param_options::{Params, endpoint_candidates, kebab};
use crate::param_values::stored_value;
use crate::program::program;
use crate::progress::counted;
use crate::series_label::label_of;
use crate::stdout;

/// Delete series from a file or a data set
///
/// A series is deleted if it has one of the values of each option. `--param NAME=` selects the series without a param.
#[derive(Args, Debug)]
pub(crate) struct Remove {
    /// A file or data set written by `backfill`
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    path: String,
    /// Only series of these endpoints
    #[arg(long = "endpoint", value_name = "ENDPOINT", value_delimiter = ',', add = endpoint_candidates())]
    endpoints: Vec<String>,
    /// Print the series that would be deleted, and delete none
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object for each series, with its endpoint and params
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    params: Params,
}

/// The values of an option. A series is selected if it has one value of each option.
struct Filter<'f> {
    option: String,
    /// `None` for the endpoint.
    param: Option<&'f str>,
    values: &'f [String],
}

impl Remove {
    pub(crate) async fn run(&self, log: Log) -> Result<()> {
        let filters = self.filters()?;
        if filters.is_empty() {
            let message = "no series is named: give `--endpoint` or a param";
            return Err(Failure::usage(message).help("to remove everything, delete the file or folder"));
        }
        let (target, path) = (Target::parse(&self.path)?, quoted(&self.path));
        let dataset::Status { mut series, damaged, .. } = dataset::status(&target).await?;
        if series.is_empty() {
            // Nothing can be removed from a target whose only table is damaged.
            let damage = damaged.into_iter().next().map(|damage| Failure::new(ExitKind::Incomplete, damage));
            return Err(damage.unwrap_or_else(|| Failure::nothing_at(&self.path)));
        }
        series.retain(|one| filters.iter().all(|filter| filter.values.iter().any(|value| filter.has(one, value))));
        if series.is_empty() {
            let help = format!("`{} status {path}` lists the series", program().name);
            return Err(Failure::usage(format!("{path}: no such series")).help(help));
        }
        for filter in &filters {
            for value in filter.values.iter().filter(|value| !series.iter().any(|one| filter.has(one, value))) {
                log.warning(&format!("`{} {value}` selects no series", filter.option));
            }
        }
        let selected: BTreeSet<_> = series.iter().map(|one| one.path.as_str()).collect();
        let is_removed = |path: &str| selected.contains(path);
        let files = if self.dry_run { Vec::new() } else { dataset::remove(&target, is_removed).await?.files };
        self.print(&series, log)?;
        if !self.dry_run {
            let changed = counted(files.len() as u64, "file");
            log.remark(&format!("{path}: {changed} changed; `backfill` fetches the series again if a job has it"));
        }
        Ok(())
    }

    fn print(&self, series: &[SeriesStatus], log: Log) -> Result<()> {
        let what = if self.dry_run { "would remove" } else { "removed" };
        for one in series {
            if self.json {
                let params: BTreeMap<_, _> = one.params().collect();
                stdout::print(format!("{}\n", json!({ "endpoint": one.endpoint(), "params": params })))?;
            } else {
                log.remark(&format!("{what} {}", label_of(one)));
            }
        }
        Ok(())
    }

    fn filters(&self) -> Result<Vec<Filter<'_>>> {
        self.endpoints.iter().try_for_each(|written| find(written).map(drop))?;
        let endpoint = Filter { option: "--endpoint".to_owned(), param: None, values: &self.endpoints };
        let of_param = |name, values| Filter { option: format!("--{}", kebab(name)), param: Some(name), values };
        let known = self.params.known.iter().map(|(name, values)| of_param(name, values.as_slice()));
        let passed_on = self.params.passed_on.iter().map(|(name, value)| of_param(name, slice::from_ref(value)));
        let all = iter::once(endpoint).chain(known).chain(passed_on);
        Ok(all.filter(|filter| !filter.values.is_empty()).collect())
    }
}

impl Filter<'_> {
    /// Returns whether a series has a value, as it is written or in the form that files have.
    fn has(&self, series: &SeriesStatus, value: &str) -> bool {
        let Some(name) = self.param else {
            return find(value).is_ok_and(|endpoint| endpoint.to_string() == series.endpoint());
        };
        // A param that is not set has an empty value.
        let own = series.params().find(|(other, _)| other == name).map_or(String::new(), |(_, own)| own);
        let info = find(series.endpoint()).ok().and_then(|endpoint| endpoint.param(name));
        own == value || info.is_some_and(|info| own == stored_value(info, value))
    }
}
