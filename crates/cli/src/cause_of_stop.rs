//! Describes why a run has ended before all requests were sent.

use std::error::Error as _;

use dataset::Summary;
use runtime::{Error, ErrorKind};

use crate::failure::{brief, without_system_numbers};

/// The reason why a run has ended before all requests were sent.
pub(crate) fn cause_of_stop(summary: &Summary) -> Option<String> {
    if summary.is_cancelled {
        Some("stopped".to_owned())
    } else if summary.is_unreachable {
        Some(format!("stopped because {}", without_response(summary.page_error.as_ref())))
    } else {
        let error = summary.page_error.as_ref().filter(|_| summary.is_paused)?;
        Some(format!("stopped because of a rate limit: {}", brief(error)))
    }
}

/// Describes why requests get no response. The service is not the cause if no request was sent to it.
pub(crate) fn without_response(error: Option<&Error>) -> String {
    let Some(error) = error else { return "the service does not respond".to_owned() };
    let reason = brief(error);
    if !(error.kind() == ErrorKind::Queue || error.is_missing_setting() || error.is_local()) {
        return format!("the service does not respond: {reason}");
    }
    let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
    without_system_numbers(format!("requests cannot be sent: {reason}{cause}"))
}
