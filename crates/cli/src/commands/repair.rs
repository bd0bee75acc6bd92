//! `repair`: moves the damaged files of a file or a data set aside.

use clap::Args;
use dataset::{Target, quoted};

use crate::failure::{self, ExitKind, Failure, Result};
use crate::log::Log;
use crate::marks;
use crate::progress::counted;
use crate::stored_target::require_series;

/// Read all rows, move damaged files aside, and keep their readable rows
///
/// Nothing is deleted, and no request is sent. A backfill of the same range fetches the rows that could not be read.
#[derive(Args, Debug)]
#[command(after_help = "Exit code 6 if rows could not be read, until a run fetches them again or `acknowledge`.")]
pub(crate) struct Repair {
    /// A file or data set written by `backfill`
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    path: String,
}

impl Repair {
    pub(crate) async fn run(&self, log: Log) -> Result<()> {
        let target = Target::parse(&self.path)?;
        let path = quoted(&self.path);
        let status = dataset::status(&target).await?;
        if status.damaged.is_empty() {
            require_series(&status, &self.path)?;
        }
        let repaired = dataset::repair(&target).await?;
        for repair in &repaired.repairs {
            log.warning(repair);
        }
        marks::warn(log, &marks::of_lost_rows(&repaired.lost_rows));
        failure::first_of(repaired.failed)?;
        if !repaired.lost_rows.is_empty() {
            let files = counted(repaired.lost_rows.len() as u64, "file");
            let failure = Failure::new(ExitKind::Incomplete, format!("{path}: {files} with lost rows"));
            return Err(failure.help(marks::lost_rows_help(&self.path, &repaired.lost_rows)));
        }
        if repaired.repairs.is_empty() {
            log.remark(&format!("{path}: no file is damaged"));
        }
        Ok(())
    }
}
