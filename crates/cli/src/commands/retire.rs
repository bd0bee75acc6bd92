//! `retire`: keeps the rows of series, and requests them no more.

use std::collections::BTreeSet;

use clap::Args;
use dataset::{Target, quoted};
use serde_json::Value;

use crate::failure::{self, Result};
use crate::log::Log;
use crate::progress::counted;
use crate::selected_series::{Selection, identity_of};
use crate::series_label::label_of;
use crate::stdout;
use crate::stored_target::require_series;

/// Keep the rows of series, such as delisted coins, and request them no more
///
/// A retired series is not requested, even if a job still lists it, and `status` does not judge it. A series is selected
/// if it has one of the values of each option.
#[derive(Args, Debug)]
pub(crate) struct Retire {
    /// A file or data set written by `backfill`
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    path: String,
    /// Request the series again
    #[arg(long)]
    undo: bool,
    /// Print one JSON object for each series that has changed, with its endpoint and params
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    selection: Selection,
}

impl Retire {
    pub(crate) async fn run(&self, log: Log) -> Result<()> {
        self.selection.check()?;
        let target = Target::parse(&self.path)?;
        let status = dataset::status(&target).await?;
        require_series(&status, &self.path)?;
        let series = self.selection.of(status.series, &self.path, log)?;
        let selected: BTreeSet<_> = series.iter().map(|one| one.path.as_str()).collect();
        let retired = dataset::retire(&target, |path| selected.contains(path), !self.undo).await?;
        let changed = retired.series;
        let what = if self.undo { "no longer retired" } else { "retired" };
        for one in series.iter().filter(|one| changed.contains(&one.path)) {
            if self.json {
                stdout::print(format!("{}\n", Value::Object(identity_of(one))))?;
            } else {
                log.remark(&format!("{what}: {}, {}", label_of(one), counted(one.rows, "row")));
            }
        }
        let path = quoted(&self.path);
        if retired.is_restored {
            log.remark(&format!("{path}: was outdated, because a command was interrupted; it was written again"));
        } else if changed.is_empty() && retired.failed.is_empty() {
            log.remark(&format!("{path}: nothing has changed"));
        }
        failure::first_of(retired.failed)
    }
}
