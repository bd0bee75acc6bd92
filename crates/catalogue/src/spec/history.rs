//! Declares `history`, the params that select the time range of a history.

use runtime::registry::Step;

use super::{DURATION, Evidence, STEP};
use crate::catalogue_format::Condition::{Has, Lacks};
use crate::catalogue_format::{Form, map, words};
use crate::duration;
use crate::spanned::Text;

map! {
    /// The params of a history. A time series has a history if its endpoint accepts them. With `from`, `to`, `limit`,
    /// and `step` or `every`, pages are requested concurrently. Otherwise, each page begins where the page before it
    /// ended: `from` pages forward, `to` backward. Gaps are reported only with `step` or `every`.
    History, HISTORY, "`history`" {
        /// The wire name of the param for the start of the range, a `timestamp`.
        may from: Option<Text>;
        /// The param for the end of the range, a `timestamp`. If it is the param of `from`, it needs a `list_setter`.
        may to: Option<Text>;
        /// The param for the maximum number of records, a `count`. The client sends the largest of its
        /// `allowed_values`.
        may limit: Option<Text>;
        /// The param for the interval between records. Its type must have values with a `duration`. Omitted, as
        /// `every`, for records without a regular step, such as trades.
        may step: Option<Text>;
        /// The interval between records if no param sets it, as in the `duration` of a value.
        may every: Option<Text> as STEP;
        /// A time at which an interval begins, for example `2024-01-07` if weeks begin on Sunday,
        /// `2024-01-01T16:00:00Z` for days at 16:00 UTC, or `2023-04-01` for years from April on. The day is at most
        /// the 28th. By default, weeks begin on Monday, and other intervals at midnight UTC or with the month.
        may anchor: Option<Text> as Form::Like(duration::ANCHOR_PATTERN, "anchor");
        /// The maximum age of records, for example `30d`. A history starts no earlier. Omit it if it is unknown.
        may oldest: Option<Text> as DURATION;
        /// The part of its interval that the time of a record is. With `end`, as for funding rates, a record is final
        /// at its time.
        may time_is: RecordTime;
        /// `true` if a response has the record at the start of the range. The client then sends the start itself
        /// instead of the time one unit earlier.
        may includes_start: bool;
        /// The param that sets the order of records.
        may sort: Option<Text>;
        /// The value of `sort` for ascending time.
        may oldest_first: Option<Text>;
        /// The source of these facts.
        must evidence: Evidence;
    }
    never(Has("step"), Has("every")) at "every": "history-every";
    never(Has("anchor"), Lacks("step"), Lacks("every")) at "anchor": "history-anchor";
    never(Lacks("from"), Lacks("to")) at "": "history-range";
    never(Has("sort"), Lacks("oldest_first")) at "sort": "history-sort/value";
    never(Has("oldest_first"), Lacks("sort")) at "oldest_first": "history-sort/param";
}

words! {
    /// The part of its interval that the time of a record is.
    RecordTime {
        /// The start: the record is final one interval later.
        Start = "start",
        /// The end: the record is final at this time.
        End = "end",
    }
}

impl History {
    /// Returns the step of `every`.
    pub fn every_step(&self) -> Option<Step> {
        duration::step(self.every.as_ref()?)
    }

    /// Returns `anchor` in Unix seconds.
    pub fn anchor_seconds(&self) -> Option<i64> {
        duration::anchor(self.anchor.as_ref()?)
    }

    /// Returns `oldest` in seconds.
    pub fn oldest_seconds(&self) -> Option<u64> {
        duration::seconds(self.oldest.as_ref()?)
    }

    /// Returns the param that sets the order of records, and its value for ascending time.
    pub fn order(&self) -> Option<(&Text, &Text)> {
        Some((self.sort.as_ref()?, self.oldest_first.as_ref()?))
    }
}
