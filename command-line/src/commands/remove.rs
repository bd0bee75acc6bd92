//! `remove`: deletes series from a file or a data set.

use std::cell::RefCell;
use std::collections::BTreeMap;

use clap::Args;
use serde_json::json;
use tables::Target;

use crate::command_line::candidates;
use crate::commands::status::label;
use crate::endpoint_names;
use crate::failure::{Failure, Result, quoted};
use crate::log::Log;
use crate::param_options::{Params, kebab};
use crate::program::program;
use crate::progress::counted;
use crate::requested_series::stored_value;
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
    #[arg(long = "endpoint", value_name = "ENDPOINT", value_delimiter = ',', add = candidates())]
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

/// A series as it is stored.
struct Stored {
    endpoint: String,
    params: Vec<(String, String)>,
}

impl Remove {
    pub(crate) async fn run(&self, log: Log) -> Result<()> {
        if self.endpoints.is_empty() && self.params == Params::default() {
            let message = "no series is named: give `--endpoint` or a param";
            return Err(Failure::usage(message).help("to remove everything, delete the file or folder"));
        }
        let endpoints = self.endpoints.iter().map(|name| Ok(endpoint_names::find(name)?.to_string()));
        let endpoints = endpoints.collect::<Result<Vec<String>>>()?;
        let removed = RefCell::new(Vec::new());
        let is_removed = |endpoint: &str, params: &[(String, String)]| {
            let series = Stored { endpoint: endpoint.to_owned(), params: params.to_owned() };
            let is_removed = (endpoints.is_empty() || endpoints.contains(&series.endpoint)) && self.selects(&series);
            if is_removed {
                removed.borrow_mut().push(series);
            }
            is_removed
        };
        let target = Target::parse(&self.path)?;
        let files = if self.dry_run {
            let all = tables::status(&target).await?.series;
            for series in all {
                is_removed(series.endpoint(), &series.params().collect::<Vec<_>>());
            }
            0
        } else {
            tables::remove(&target, is_removed).await?.files.len() as u64
        };
        let removed = removed.take();
        if removed.is_empty() {
            return Err(self.nothing_removed(&target).await);
        }
        for option in self.unmatched(&endpoints, &removed) {
            log.warning(&format!("`{option}` selects no series"));
        }
        let what = if self.dry_run { "would remove" } else { "removed" };
        for Stored { endpoint, params } in removed {
            if self.json {
                let params: BTreeMap<_, _> = params.into_iter().collect();
                stdout::print(format!("{}\n", json!({ "endpoint": endpoint, "params": params })))?;
            } else {
                log.remark(&format!("{what} {}", label(&endpoint, params.into_iter())));
            }
        }
        if !self.dry_run {
            let changed = if files == 0 { String::new() } else { format!("{} changed; ", counted(files, "file")) };
            log.remark(&format!("{}: {changed}`backfill` fetches the series again if a job has it", self.path));
        }
        Ok(())
    }

    /// Creates the failure for a target without any of the series.
    async fn nothing_removed(&self, target: &Target) -> Failure {
        match tables::status(target).await {
            Ok(status) if !status.series.is_empty() => {
                let help = format!("`{} status {}` lists the series", program().name, quoted(&self.path));
                Failure::usage(format!("{}: no such series", self.path)).help(help)
            }
            Ok(_) => Failure::nothing_at(&self.path),
            Err(error) => error.into(),
        }
    }

    /// Returns whether a series has the params of the options.
    fn selects(&self, series: &Stored) -> bool {
        let has_one =
            |(name, values): &(String, Vec<String>)| values.iter().any(|value| series.has_written(name, value));
        self.params.known.iter().all(has_one)
            && self.params.passed_on.iter().all(|(name, value)| series.has(name, value))
    }

    /// Returns the options with a value that none of the removed series has.
    fn unmatched(&self, endpoints: &[String], removed: &[Stored]) -> Vec<String> {
        let endpoints = self.endpoints.iter().zip(endpoints);
        let missing = endpoints.filter(|(_, name)| !removed.iter().any(|series| series.endpoint == **name));
        let options = missing.map(|(written, _)| format!("--endpoint {written}"));
        let values = self.params.known.iter().flat_map(|(name, values)| values.iter().map(move |value| (name, value)));
        let missing = values.filter(|(name, value)| !removed.iter().any(|series| series.has_written(name, value)));
        options.chain(missing.map(|(name, value)| format!("--{} {value}", kebab(name)))).collect()
    }
}

impl Stored {
    /// Returns whether a param has the value of an option.
    fn has_written(&self, name: &str, value: &str) -> bool {
        let info = endpoint_names::find(&self.endpoint).ok().and_then(|endpoint| endpoint.param(name));
        self.has(name, &info.map_or(value.to_owned(), |info| stored_value(info, value)))
    }

    /// Returns whether a param has this value; a param that is not set has an empty one.
    fn has(&self, name: &str, value: &str) -> bool {
        self.params.iter().find(|(other, _)| other == name).map_or("", |(_, own)| own) == value
    }
}
