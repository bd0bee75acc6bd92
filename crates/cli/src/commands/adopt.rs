//! `adopt`: rebuilds the state of a data set from its files.

use clap::Args;
use dataset::{Target, quoted};

use crate::failure::{self, ExitKind, Failure, Result};
use crate::log::Log;
use crate::marks;
use crate::progress::counted;
use crate::stored_target::require_series;

/// Rebuild the state of a data set from its files, for example after it was copied without `.backfill`
///
/// The files do not list the times that were requested and have no record: the next run requests them again. A damaged
/// file is moved aside, and its readable rows are kept.
#[derive(Args, Debug)]
pub(crate) struct Adopt {
    /// The folder of a data set written by `backfill`
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    path: String,
}

impl Adopt {
    pub(crate) async fn run(&self, log: Log) -> Result<()> {
        let target = Target::parse(&self.path)?;
        let adopted = dataset::adopt(&target).await?;
        let path = quoted(&self.path);
        if !adopted.series.is_empty() {
            log.remark(&format!("{path}: adopted {} series", adopted.series.len()));
        }
        for stray_or_repair in adopted.strays.iter().chain(&adopted.repairs) {
            log.warning(stray_or_repair);
        }
        marks::warn(log, &marks::of_lost_rows(&adopted.lost_rows));
        failure::first_of(adopted.failed)?;
        if !adopted.repairs.is_empty() {
            let files = counted(adopted.repairs.len() as u64, "file");
            let message = format!("{path}: {files} damaged; a backfill of their range fetches what was not readable");
            return Err(
                Failure::new(ExitKind::Incomplete, message).help(marks::lost_rows_help(&self.path, &adopted.lost_rows))
            );
        }
        if adopted.series.is_empty() {
            require_series(&dataset::status(&target).await?, &self.path)?;
            log.remark(&format!("{path}: nothing to do; no state is missing"));
        }
        Ok(())
    }
}
