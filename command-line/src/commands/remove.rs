//! `remove`: deletes series from a file or a data set.

use std::cell::RefCell;

use clap::Args;
use tables::Target;

use crate::command_line::candidates;
use crate::commands::status::label;
use crate::endpoint_names;
use crate::failure::{Failure, Result, quoted};
use crate::log::Log;
use crate::param_options::Params;
use crate::program::program;
use crate::progress::counted;
use crate::requested_series::stored_value;

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
    #[command(flatten)]
    params: Params,
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
            let is_removed =
                (endpoints.is_empty() || endpoints.iter().any(|one| one == endpoint)) && self.matches(endpoint, params);
            if is_removed {
                removed.borrow_mut().push(label(endpoint, params.iter().cloned()));
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
            let help = format!("`{} status {}` lists the series", program().name, quoted(&self.path));
            return Err(Failure::usage(format!("{}: no such series", self.path)).help(help));
        }
        let what = if self.dry_run { "would remove" } else { "removed" };
        for label in &removed {
            log.remark(&format!("{what} {label}"));
        }
        if !self.dry_run {
            let written = if files == 0 { String::new() } else { format!("{} written; ", counted(files, "file")) };
            log.remark(&format!("{}: {written}`backfill` fetches the series again if a job has it", self.path));
        }
        Ok(())
    }

    /// Returns whether a series has the params of the options.
    fn matches(&self, endpoint: &str, params: &[(String, String)]) -> bool {
        let info = |name: &str| endpoint_names::find(endpoint).ok()?.param(name);
        let stored = |name: &str, value: &str| info(name).map_or(value.to_owned(), |info| stored_value(info, value));
        let has = |name: &str, value: &str| {
            let own = params.iter().find(|(other, _)| other == name).map_or("", |(_, own)| own);
            own == value
        };
        let has_one =
            |(name, values): &(String, Vec<String>)| values.iter().any(|value| has(name, &stored(name, value)));
        self.params.known.iter().all(has_one) && self.params.passed_on.iter().all(|(name, value)| has(name, value))
    }
}
