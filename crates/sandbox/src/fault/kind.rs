//! The kinds of faults.

use std::time::Duration;

use axum::http::StatusCode;

use super::delivery::Delivery;
use super::edit::Edit;

/// The effect of a rule.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Fault {
    /// The response is delayed by a random time between these two durations.
    Latency(Duration, Duration),
    Replacement(Replacement),
    Edit(Edit),
    Record(RecordFault),
    Delivery(Delivery),
    /// The server closes a reused connection instead of sending a response.
    Stale,
    /// Connections are reset when they are accepted.
    ResetAtAccept,
}

/// A response that replaces the real response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Replacement {
    Status(StatusCode),
    Redirect(String),
}

/// The fault of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordFault {
    Missing,
    /// The record exists only after this time since the end of its interval.
    Late(Duration),
    /// Until this time since the end of its interval, the record has other values.
    Revised(Duration),
}
