//! A window of the range of a pager, from its plan to its response.

use crate::error::Error;
use crate::history::page_response::PageResponse;
use crate::history::time_grid::Span;
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

/// A window of the range.
#[derive(Debug)]
pub(super) struct PlannedPage<R> {
    pub(super) window: Span,
    pub(super) state: PageState<R>,
    /// True for a response without records, until the adjacent windows have shown whether to accept it.
    pub(super) is_doubted: bool,
    /// Set if this window is the part of a larger window for which the page of the larger window had no records, so
    /// that this part is requested again. The value is the number of records on that page.
    pub(super) confirms: Option<usize>,
    /// The number of records of this window that the page of the larger window had, or the page that this window
    /// continues. They are requested again, because the page may have been cut between records of one step.
    pub(super) known: usize,
    /// True if an earlier response for this window lacked some of the known records.
    pub(super) is_repeated: bool,
    /// The number of larger windows of which this window is a part and whose pages had only records without a time.
    pub(super) unreadable: u8,
    /// True if the page at which this window begins or ends has a record in this window.
    pub(super) is_anchored: bool,
    /// The page that this window continues.
    pub(super) continues: Option<ContinuedPage>,
    /// The span of the request, if it is not the window itself.
    pub(super) requested: Span,
    /// The page of one time that this window had first, while the times beyond it are requested.
    pub(super) held: Option<HeldPage<R>>,
    /// Set if the response is a page of one time that may have been cut. The value is the start of the span in which
    /// this page had no other time.
    pub(super) one_time_since: Option<Timestamp>,
    /// The longer requests that show whether the page of one time was cut, if there are any.
    pub(super) comparison: Option<LongerRequests>,
}

/// Requests for a window that begin earlier and earlier. If one of their pages has more records than the first page, that
/// page was not full.
#[derive(Clone, Copy, Debug)]
pub(super) struct LongerRequests {
    /// The number of records of the first page.
    pub(super) received: usize,
    pub(super) count: u8,
}

/// A page at whose first or last record another window begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContinuedPage {
    /// The side of the page on which the window is.
    pub(super) side: Side,
    /// The number of records of the page.
    pub(super) received: usize,
}

#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // Nearly all pages end in the largest state.
pub(super) enum PageState<R> {
    Waiting,
    /// The window was requested; this number identifies the request.
    Sent(u64),
    Settled(Result<PageResponse<R>, Error>),
}

impl<R> PlannedPage<R> {
    pub(super) fn new(window: Span) -> Self {
        Self {
            window,
            state: PageState::Waiting,
            is_doubted: false,
            confirms: None,
            known: 0,
            is_repeated: false,
            unreadable: 0,
            is_anchored: false,
            continues: None,
            requested: window,
            held: None,
            one_time_since: None,
            comparison: None,
        }
    }

    pub(super) fn settled(window: Span, response: PageResponse<R>) -> Self {
        Self { state: PageState::Settled(Ok(response)), ..Self::new(window) }
    }

    /// A window at which a page begins or ends, with records at that time.
    pub(super) fn anchored(window: Span, side: Side, page: &PageResponse<R>) -> Self {
        let known = page.times().filter(|time| window.contains(*time)).count();
        let continues = Some(ContinuedPage { side, received: page.received });
        Self { is_anchored: true, continues, known, ..Self::new(window) }
    }

    pub(super) fn is_waiting(&self) -> bool {
        matches!(self.state, PageState::Waiting)
    }

    /// Returns whether the response has records; `None` before there is a response.
    pub(super) fn has_records(&self) -> Option<bool> {
        match &self.state {
            PageState::Settled(outcome) => Some(outcome.as_ref().is_ok_and(|response| !response.is_empty())),
            PageState::Waiting | PageState::Sent(_) => None,
        }
    }

    /// Returns whether this window is the start or the end of a page with records, and the second request for it failed
    /// or returned no record. Such a window is not evidence about the windows next to that page.
    pub(super) fn is_empty_end(&self) -> bool {
        self.confirms.is_some_and(|page| page > 0) && self.has_records() == Some(false)
    }
}
