//! The failure of a run whose responses repeat the same records, whatever range is requested.

use dataset::SeriesReport;

use crate::durations::counted;
use crate::failure::{ExitKind, Failure};

/// A sentence about the responses of a series; `None` if they follow the range.
pub(crate) fn sentence_of(label: &str, report: &SeriesReport) -> Option<String> {
    if !report.ignores_range {
        return None;
    }
    if report.account.repeated <= report.account.delivered {
        return Some(format!("{label}: the service seems to ignore the requested range, as an earlier run has seen"));
    }
    let delivered = counted(report.account.delivered, "record");
    let repeated = counted(report.account.repeated, "record");
    Some(format!(
        "{label}: the service seems to ignore the requested range: it has sent {delivered} and, for other times, {repeated} \
         that repeat them"
    ))
}

/// The failure of a run with such a series.
pub(crate) fn failure(sentence: String, is_stream: bool) -> Failure {
    let end = if is_stream { "" } else { "; `acknowledge` ends this message" };
    Failure::new(ExitKind::Incomplete, sentence)
        .help(format!("check the params of the range, and ask the provider{end}"))
}
