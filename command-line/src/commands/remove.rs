//! `remove`: deletes series from a file or a data set.

use clap::Args;
use tables::Target;

use crate::command_line::candidates;
use crate::commands::status::label;
use crate::endpoint_names;
use crate::failure::{Failure, Result, quoted};
use crate::log::Log;
use crate::param_options::Params;
use crate::program;
use crate::progress::counted;
use crate::requested_series::stored_value;

/// Delete series from a file or a data set
#[derive(Args, Debug)]
pub(crate) struct Remove {
    /// A file or data set written by `backfill`
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    path: String,
    /// Only series of these endpoints
    #[arg(long = "endpoint", value_name = "ENDPOINT", value_delimiter = ',', add = candidates())]
    endpoints: Vec<String>,
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
        let is_removed = |endpoint: &str, params: &[(String, String)]| {
            let info = |name: &str| endpoint_names::find(endpoint).ok()?.param(name);
            let stored =
                |name: &str, value: &str| info(name).map_or(value.to_owned(), |info| stored_value(info, value));
            let has = |name: &str, value: &str| params.iter().any(|(other, one)| other == name && one == value);
            (endpoints.is_empty() || endpoints.iter().any(|one| one == endpoint))
                && self
                    .params
                    .known
                    .iter()
                    .all(|(name, values)| values.iter().any(|value| has(name, &stored(name, value))))
                && self.params.passed_on.iter().all(|(name, value)| has(name, value))
        };
        let removed = tables::remove(&Target::parse(&self.path)?, is_removed).await?;
        if removed.series.is_empty() {
            let help = format!("`{} status {}` lists the series", program::name(), quoted(&self.path));
            return Err(Failure::usage(format!("{}: no such series", self.path)).help(help));
        }
        removed.series.iter().for_each(|path| log.remark(&format!("removed {}", label(path))));
        let count = removed.files.len() as u64;
        let written = if count == 0 { String::new() } else { format!("{} written; ", counted(count, "file")) };
        log.remark(&format!("{}: {written}`backfill` fetches the series again if a job has it", self.path));
        Ok(())
    }
}
