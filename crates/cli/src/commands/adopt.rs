//! `adopt`: rebuilds the state of a data set from its files.

use clap::Args;
use dataset::{Target, quoted};
use indicatif::HumanCount;

use crate::failure::{Failure, Result};
use crate::log::Log;

/// Rebuild the state of a data set from its files, for example after it was copied without `.backfill`
///
/// The files do not list the times that were requested and have no record: the next run requests them again.
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
        if !adopted.is_empty() {
            log.remark(&format!("{path}: adopted {} series", HumanCount(adopted.len() as u64)));
            return Ok(());
        }
        if dataset::status(&target).await.is_ok_and(|status| !status.series.is_empty()) {
            log.remark(&format!("{path}: nothing to do; no state is missing"));
            return Ok(());
        }
        Err(Failure::nothing_at(&self.path))
    }
}
