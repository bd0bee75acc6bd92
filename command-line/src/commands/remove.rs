//! `remove`: deletes series from a file or a data set.

use std::collections::BTreeMap;

use clap::Args;
use serde_json::json;
use tables::{SeriesStatus, Target, quoted};

use crate::command_line::candidates;
use crate::commands::status::label_of;
use crate::endpoint_names;
use crate::failure::{ExitKind, Failure, Result};
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

/// One value of an option.
struct Choice {
    /// The option with its value, for messages.
    option: String,
    /// `None` for the endpoint.
    param: Option<String>,
    value: String,
}

impl Remove {
    pub(crate) async fn run(&self, log: Log) -> Result<()> {
        let choices = self.choices()?;
        if choices.is_empty() {
            let message = "no series is named: give `--endpoint` or a param";
            return Err(Failure::usage(message).help("to remove everything, delete the file or folder"));
        }
        let selects = |endpoint: &str, params: &[(String, String)]| {
            choices.iter().all(|values| values.iter().any(|choice| choice.is_of(endpoint, params)))
        };
        let (target, path) = (Target::parse(&self.path)?, quoted(&self.path));
        let tables::Status { mut series, damaged, .. } = tables::status(&target).await?;
        if series.is_empty() {
            // Nothing can be removed from a target whose only table is damaged.
            let damage = damaged.into_iter().next().map(|damage| Failure::new(ExitKind::Incomplete, damage));
            return Err(damage.unwrap_or_else(|| Failure::nothing_at(&self.path)));
        }
        series.retain(|one| selects(one.endpoint(), &one.params().collect::<Vec<_>>()));
        if series.is_empty() {
            let help = format!("`{} status {path}` lists the series", program().name);
            return Err(Failure::usage(format!("{path}: no such series")).help(help));
        }
        for choice in choices.iter().flatten() {
            if !series.iter().any(|one| choice.is_of(one.endpoint(), &one.params().collect::<Vec<_>>())) {
                log.warning(&format!("`{}` selects no series", choice.option));
            }
        }
        let files = if self.dry_run { Vec::new() } else { tables::remove(&target, selects).await?.files };
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

    /// Returns the values of each option. A series is selected if it has one value of each.
    fn choices(&self) -> Result<Vec<Vec<Choice>>> {
        let of_endpoint = |written: &String| {
            let value = endpoint_names::find(written)?.to_string();
            Ok(Choice { option: format!("--endpoint {written}"), param: None, value })
        };
        let of_param = |name: &String, value: &String| Choice {
            option: format!("--{} {value}", kebab(name)),
            param: Some(name.clone()),
            value: value.clone(),
        };
        let mut all = vec![self.endpoints.iter().map(of_endpoint).collect::<Result<Vec<_>>>()?];
        for (name, values) in &self.params.known {
            all.push(values.iter().map(|value| of_param(name, value)).collect());
        }
        all.extend(self.params.passed_on.iter().map(|(name, value)| vec![of_param(name, value)]));
        all.retain(|values| !values.is_empty());
        Ok(all)
    }
}

impl Choice {
    /// Returns whether a series has the value, as it is written or in the form that files have.
    fn is_of(&self, endpoint: &str, params: &[(String, String)]) -> bool {
        let Some(name) = &self.param else { return endpoint == self.value };
        // A param that is not set has an empty value.
        let own = params.iter().find(|(other, _)| other == name).map_or("", |(_, own)| own);
        let info = endpoint_names::find(endpoint).ok().and_then(|endpoint| endpoint.param(name));
        own == self.value || info.is_some_and(|info| own == stored_value(info, &self.value))
    }
}
