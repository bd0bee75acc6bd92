//! `remove`: deletes series from a file or a data set.

use std::collections::BTreeSet;

use clap::Args;
use dataset::{SeriesStatus, Target, quoted};
use serde_json::{Value, json};

use crate::failure::{self, Result};
use crate::log::Log;
use crate::program::program;
use crate::progress::{counted, listed};
use crate::selected_series::{Selection, identity_of};
use crate::series_label::label_of;
use crate::stored_target::require_series;
use crate::{stdout, time_arg};

/// Delete series from a file or a data set; `retire` keeps their rows
///
/// A series is deleted if it has one of the values of each option. `--param NAME=` selects the series without a param.
#[derive(Args, Debug)]
pub(crate) struct Remove {
    /// A file or data set written by `backfill`
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    path: String,
    /// Print the series that would be deleted, with their rows, and delete none
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object for each series, with its endpoint, params and rows
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    selection: Selection,
}

impl Remove {
    pub(crate) async fn run(&self, log: Log) -> Result<()> {
        if let Err(failure) = self.selection.check() {
            return Err(failure.help("to remove everything, delete the file or folder"));
        }
        let target = Target::parse(&self.path)?;
        let path = quoted(&self.path);
        let status = dataset::status(&target).await?;
        require_series(&status, &self.path)?;
        let series = match self.selection.of(status.series, &self.path, log) {
            Err(none) if !self.dry_run => {
                // A removal that was interrupted may have left an outdated text file.
                let finished = dataset::remove(&target, |_| false).await?;
                failure::first_of(finished.failed)?;
                if finished.files.is_empty() {
                    return Err(none);
                }
                log.remark(&format!("{path}: finished an interrupted removal"));
                return Ok(());
            }
            selected => selected?,
        };
        if self.dry_run {
            self.print(&series, log)?;
            self.warn(&series, log);
            return Ok(());
        }
        let selected: BTreeSet<_> = series.iter().map(|one| one.path.as_str()).collect();
        let removed = dataset::remove(&target, |path| selected.contains(path)).await?;
        let mut done = series.clone();
        done.retain(|one| removed.series.contains(&one.path));
        self.print(&done, log)?;
        self.warn(&done, log);
        if !done.is_empty() {
            let changed = counted(removed.files.len() as u64, "file");
            log.remark(&format!("{path}: {changed} changed; `backfill` fetches the series again if a job has it"));
        }
        for repair in &removed.repairs {
            log.warning(repair);
        }
        failure::first_of(removed.failed)
    }

    fn print(&self, series: &[SeriesStatus], log: Log) -> Result<()> {
        let what = if self.dry_run { "would remove" } else { "removed" };
        for one in series {
            if self.json {
                let mut object = identity_of(one);
                object.insert("records".to_owned(), one.rows.into());
                object.insert("first".to_owned(), json!(time_arg::exact(one.first)));
                object.insert("last".to_owned(), json!(time_arg::exact(one.last)));
                object.insert("is_final".to_owned(), is_final(one).into());
                stdout::print(format!("{}\n", Value::Object(object)))?;
            } else {
                let span = match (one.first, one.last) {
                    (Some(first), Some(last)) => format!(" {}", time_arg::span(&(first..last))),
                    _ => String::new(),
                };
                log.remark(&format!("{what} {}: {}{span}", label_of(one), counted(one.rows, "row")));
            }
        }
        Ok(())
    }

    /// Warns about series that no run can fetch again.
    fn warn(&self, series: &[SeriesStatus], log: Log) {
        let mut names = Vec::new();
        for one in series.iter().filter(|one| is_final(one)) {
            names.push(label_of(one));
        }
        if !names.is_empty() {
            let help =
                if self.dry_run { format!("; `{} retire` keeps their rows", program().name) } else { String::new() };
            log.warning(&format!("no run may be able to fetch these rows again: {}{help}", listed(&names)));
        }
    }
}

/// Whether the service has rejected a series with rows, or no job has it any more.
fn is_final(series: &SeriesStatus) -> bool {
    series.rows > 0 && (series.rejected.is_some() || series.is_retired)
}
