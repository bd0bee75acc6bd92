//! The settings of a pager.

use super::time_grid::{Span, TimeGrid};
use crate::registry::TimeUnit;
use crate::values::Timestamp;

/// The settings for fetching a range.
#[derive(Clone, Debug)]
pub(super) struct PagerOptions {
    pub(super) grid: TimeGrid,
    pub(super) range: Span,
    /// The maximum number of records on a page, as set in the request.
    pub(super) page_size: usize,
    /// The maximum number of records on a page that are outside of its window.
    pub(super) outside: usize,
    /// `None` if a window can be requested whose records fit on a page. Otherwise, each page begins where another page
    /// ended, and these values are true if the part before a page can be requested, and the part after it.
    pub(super) ends: Option<[bool; 2]>,
    /// The time units of the params for the start and the end of a range.
    pub(super) units: [TimeUnit; 2],
    /// True if a request has the start of its span itself, instead of the time one unit earlier.
    pub(super) includes_start: bool,
    /// The maximum number of windows that are requested or stored before the first of them is returned.
    pub(super) ahead: usize,
    /// The time after which missing records may still be published. If no missing record is expected to be published,
    /// this time is after the end of the range.
    pub(super) unsettled: Timestamp,
    /// The maximum number of steps of a window, if each response has all records of its window because all of its pages
    /// were followed; such a response is never cut.
    pub(super) all_pages_of: Option<usize>,
    /// True if the pager may search for the first record.
    pub(super) may_search: bool,
}

impl PagerOptions {
    /// Extends the span of a request to the start of its first step. If the record of this step is before the window, the
    /// response has it nevertheless, which shows that the page begins in time.
    pub(super) fn whole_first_step(&self, span: Span) -> Span {
        // A service with `includes_start` counts the times of its records from the start, and a page that begins where
        // another page ended continues at its time.
        if self.includes_start || self.ends.is_some() || span.is_empty() {
            return span;
        }
        Span { from: self.grid.floor(span.from), to: span.to }
    }
}
