//! `acknowledge`: ends the marks of a file or a data set.

use std::collections::BTreeSet;

use clap::Args;
use dataset::{Status, Target, quoted};

use crate::failure::{self, Failure, Result};
use crate::log::Log;
use crate::stored_target::require_series;
use crate::table::readable;
use crate::time_arg;

/// End the messages about fields that the service does not send, about rows that were lost, about ignored ranges, or about a
/// part that was never fetched
#[derive(Args, Debug)]
pub(crate) struct Acknowledge {
    /// A file or data set written by `backfill`
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    path: String,
    /// Only the messages about this field
    #[arg(long, value_name = "NAME")]
    field: Option<String>,
    /// Only the messages about ranges that a run has planned and no run has fetched. A later run fetches them only if it
    /// requests them again; a part between two records remains a warning
    #[arg(long, conflicts_with = "field")]
    unfetched: bool,
}

impl Acknowledge {
    pub(crate) async fn run(&self, log: Log) -> Result<()> {
        let target = Target::parse(&self.path)?;
        let status = dataset::status(&target).await?;
        require_series(&status, &self.path)?;
        if let Some(field) = &self.field {
            self.check_field(field, &status)?;
        }
        let ended = if self.unfetched {
            dataset::acknowledge_unfetched(&target).await?
        } else {
            dataset::acknowledge(&target, self.field.as_deref()).await?
        };
        for field in &ended.fields {
            let (endpoint, field) = field.split_once(' ').unwrap_or_default();
            log.remark(&format!("acknowledged: no `{field}` in {endpoint}"));
        }
        for file in &ended.files {
            log.remark(&format!("acknowledged: the lost rows of {}", quoted(file)));
        }
        for path in &ended.ignored_ranges {
            log.remark(&readable(&format!("acknowledged: the service seems to ignore the requested range of {path}")));
        }
        for (path, ranges) in &ended.unfetched {
            for range in ranges {
                log.remark(&readable(&format!("acknowledged: {path} was not fetched {}", time_arg::span(range))));
            }
        }
        let is_unmarked = ended.fields.is_empty() && ended.files.is_empty() && ended.ignored_ranges.is_empty();
        let has_ended = !(is_unmarked && ended.unfetched.is_empty());
        if !has_ended && ended.failed.is_empty() {
            log.remark(&format!("{}: nothing to acknowledge", quoted(&self.path)));
        }
        failure::first_of(ended.failed)
    }

    /// Rejects a field without a mark if other fields have one.
    fn check_field(&self, field: &str, status: &Status) -> Result<()> {
        let mut names = BTreeSet::new();
        for missing in &status.missing_fields {
            names.insert(missing.field.as_str());
        }
        for unsent in &status.unsent_fields {
            names.insert(unsent.field.as_str());
        }
        if names.is_empty() || names.contains(field) {
            return Ok(());
        }
        let message = format!("{}: no message about a field `{field}`", quoted(&self.path));
        let known = names.iter().copied().collect::<Vec<_>>().join(", ");
        let suggestion = wording::did_you_mean(field, names.iter().copied());
        let help = suggestion.unwrap_or_else(|| format!("fields with a message: {known}"));
        Err(Failure::usage(message).help(help))
    }
}
