//! `acknowledge`: ends the marks of a file or a data set.

use clap::Args;
use dataset::{Target, quoted};

use crate::failure::{Failure, Result};
use crate::log::Log;

/// End the messages about fields that the service no longer sends, and about rows that were lost
#[derive(Args, Debug)]
pub(crate) struct Acknowledge {
    /// A file or data set written by `backfill`
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    path: String,
    /// Only the messages about this field
    #[arg(long, value_name = "NAME")]
    field: Option<String>,
}

impl Acknowledge {
    pub(crate) async fn run(&self, log: Log) -> Result<()> {
        let target = Target::parse(&self.path)?;
        if dataset::status(&target).await?.series.is_empty() {
            return Err(Failure::nothing_at(&self.path));
        }
        let ended = dataset::acknowledge(&target, self.field.as_deref()).await?;
        for field in &ended.fields {
            log.remark(&format!("acknowledged: no `{}`", field.replace(' ', "` of `")));
        }
        for file in &ended.files {
            log.remark(&format!("acknowledged: the lost rows of {}", quoted(file)));
        }
        if ended.fields.is_empty() && ended.files.is_empty() {
            log.remark(&format!("{}: nothing to acknowledge", quoted(&self.path)));
        }
        Ok(())
    }
}
