//! `report`: shows figures about the values of a file or a data set.

use std::path::PathBuf;

use clap::Args;
use dataset::quoted;

use crate::failure::{Failure, Result};
use crate::log::Log;
use crate::quality_report::{object, table_of, totals_line};
use crate::record_columns::without_fields;
use crate::report_page;
use crate::status_check::without_step;
use crate::stdout;
use crate::stored_target::StoredTarget;

/// Show figures about the values of a file or data set: nulls, values out of range, constant runs, the largest step
///
/// The figures are no verdicts: a rate may be constant for days. The largest step is the largest change from one number to
/// the next, in median absolute deviations of all changes. The totals name the series that the service has
/// rejected and those of which a part was never fetched; `status` fails for them.
#[derive(Args, Debug)]
pub(crate) struct Report {
    /// A file or data set written by `backfill`
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    path: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// HTML file to write, with a small chart of each numeric field
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath, value_parser = html_file)]
    #[arg(conflicts_with = "json")]
    out: Option<PathBuf>,
}

impl Report {
    pub(crate) async fn run(&self, log: Log) -> Result<()> {
        let target = StoredTarget::open(&self.path, log).await?;
        let quality = target.quality().await?;
        if let Some(file) = &self.out {
            let page = report_page::html(&self.path, &target, &quality).await?;
            dataset::write_file(file, |out| out.write_all(page.as_bytes()))
                .map_err(|error| Failure::write(file, error))?;
            log.remark(&format!("wrote {}", quoted(file)));
        } else if self.json {
            stdout::print(format!("{}\n", object(&self.path, &quality)))?;
        } else {
            stdout::lines(&format!("{}\n\n", totals_line(&self.path, &quality)))?;
            table_of(&quality.series).print()?;
        }
        if let Some(line) = without_step(quality.series.iter().map(|one| &one.status)) {
            log.remark(&line);
        }
        if let Some(line) = without_fields(quality.series.iter().map(|one| one.status.endpoint())) {
            log.remark(&format!("no figures: {line}"));
        }
        target.check_left_out(&quality.left_out, "the report", log)
    }
}

/// Accepts the name of an HTML file.
fn html_file(text: &str) -> Result<PathBuf, String> {
    let file = PathBuf::from(text);
    let is_html = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html"));
    if is_html { Ok(file) } else { Err("reports are written as .html files".to_owned()) }
}
