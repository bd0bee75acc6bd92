//! Pages that cannot be continued at their last or first record, because all of their records have one time.
//!
//! Such a page is either complete or cut within the records of that time. Its window is requested again from the next
//! time that can be sent, until a response has other records or none. If there are other records, the page was cut, and
//! the records of its time cannot be read.

use crate::error::{Error, ErrorKind};
use crate::history::page::PageResponse;
use crate::history::time_grid::{Span, TimeGrid};
use crate::values::Timestamp;

/// The side of a page on which its window continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    After,
}

/// A page of one time.
#[derive(Debug)]
pub(super) struct HeldPage<R> {
    pub(super) side: Side,
    pub(super) response: PageResponse<R>,
}

/// The numbers of records of pages whose windows continue at the first or last record.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PageSizes {
    /// The most records of any page.
    pub(super) largest: usize,
    /// The most records of a page that was cut, because other responses had further records.
    pub(super) cut: usize,
    /// True once a page had a record at the start that was sent.
    pub(super) includes_start: bool,
    /// True once a page had a record at the end that was sent.
    pub(super) includes_end: bool,
    /// True once a page had a time between two times that can be sent as the end.
    pub(super) has_fine_times: bool,
}

/// `true` if a time is that at which a window continues a page.
pub(super) fn is_at_end(window: Span, side: Side, time: Timestamp) -> bool {
    match side {
        Side::After => time <= window.from,
        Side::Before => window.to <= after(time),
    }
}

/// `true` if a response has records beyond the time at which its window continues a page.
pub(super) fn is_beyond<R>(window: Span, side: Side, response: &PageResponse<R>) -> bool {
    let is_outside = match side {
        Side::After => response.has_later,
        Side::Before => response.has_earlier,
    };
    is_outside || response.times().any(|time| !is_at_end(window, side, time))
}

/// The error for a page of one time that was cut.
pub(super) fn too_many(received: usize) -> Error {
    let message = format!("one timestamp has at least as many records as fit on a page ({received})");
    Error::new(ErrorKind::Incomplete, message).with_hint("increase the page size")
}

/// The earliest time after the records of a time.
pub(super) fn after(time: Timestamp) -> Timestamp {
    TimeGrid::EVENTS.next(time)
}
