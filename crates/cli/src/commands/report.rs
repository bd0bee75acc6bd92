//! `report`: shows figures about the values of a file or a data set.

use clap::Args;

use crate::failure::Result;
use crate::log::Log;
use crate::quality_report::{object, table_of, totals};
use crate::stdout;
use crate::stored_target::StoredTarget;

/// Show figures about the values of a file or data set: nulls, values out of range, constant runs, the largest step
///
/// The figures are no verdicts: a rate may be constant for days.
#[derive(Args, Debug)]
pub(crate) struct Report {
    /// A file or data set written by `backfill`
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    path: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Report {
    pub(crate) async fn run(&self, log: Log) -> Result<()> {
        let target = StoredTarget::open(&self.path, log).await?;
        let quality = dataset::quality(&target.tables).await?;
        if self.json {
            stdout::print(format!("{}\n", object(&self.path, &quality)))?;
        } else {
            stdout::lines(&format!("{}\n\n", totals(&self.path, &quality)))?;
            table_of(&quality.series).print()?;
        }
        target.check_left_out(&quality.left_out, "the report", log)
    }
}
