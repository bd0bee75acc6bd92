//! What a run learns about the ends of series: where their records begin, and which ranges have none.

use std::ops::Range;

use runtime::history::{Account, Page};
use runtime::record::AnyRecord;
use runtime::{Interval, Timestamp};

use super::event::BackfillEvent;
use super::pending_ranges::SeriesRange;
use super::plan::BackfillPlan;
use super::run::{FirstPage, Run};
use super::streamed::unreadable_ends;
use crate::first_seen::Sighting;
use crate::series_state::skipped_by;
use crate::time_ranges::TimeRanges;

impl<W: FnMut(&BackfillEvent)> Run<'_, W> {
    /// Notes the intervals of the records without a readable time that are at an end of a series.
    pub(super) fn note_without_time(&mut self, plan: &BackfillPlan) {
        let states = self.job_tables.states_with_journal();
        for (index, (known, planned)) in states.iter().zip(&plan.series).enumerate() {
            let Some(report) = self.summary.series.get(index) else { continue };
            let count = report.account.without_time;
            if count == 0 {
                continue;
            }
            let facts = &known.row_facts;
            let ends = unreadable_ends(&facts.present, &facts.gaps(), facts.interval, &planned.range, count);
            let Some(state) = self.state(index) else { continue };
            for range in ends.ranges() {
                // The response for this range had records, although nobody can read their times.
                let _rest = state.empty.note_records(&range);
            }
            state.without_time.extend(&ends);
        }
    }

    /// Notes the first record of each series if earlier ones were requested, and the service had none.
    pub(super) fn note_first_seen(&mut self) {
        for (index, page) in std::mem::take(&mut self.first_pages) {
            let Some(series) = self.job.series.get(index) else { continue };
            let interval = series.interval();
            // The age of a first record is a number of intervals.
            if !interval.has_steps() {
                continue;
            }
            let Some(state) = self.state(index) else { continue };
            let first = page.sighting.first;
            let begins_late = interval.moved(page.from, 2) <= first;
            // An earlier run may have stored records that are earlier than this page.
            let has_earlier = match state.row_facts.first {
                Some(stored) => stored < page.from && !state.empty.has(stored),
                None => false,
            };
            if !has_earlier && (begins_late || state.empty.touches(page.from)) {
                state.first_seen.note(page.sighting);
            } else if begins_late && !state.row_facts.present.within(&(page.from..first)).is_empty() {
                // The service had records there in an earlier run.
                state.first_seen.note_moved(page.sighting, interval);
            }
        }
    }

    /// Counts the stored records of a page's range that the service has not sent again.
    pub(super) fn note_not_sent_again(&mut self, series: usize, page: &Page<AnyRecord>) {
        let Account { invalid, without_time, .. } = page.report.account;
        let Some(state) = self.state(series) else { return };
        let interval = state.row_facts.interval;
        // A record that cannot be read may be one of these.
        if !interval.has_steps() || invalid + without_time > 0 {
            return;
        }
        let mut requested = whole_intervals(&page.range, interval);
        // A service that has only its newest records has dropped the earlier ones.
        if state.first_seen.has_moved(interval) {
            let Some(first) = page.times.first() else { return };
            requested.start = requested.start.max(*first);
        }
        let stored = state.row_facts.present.within(&requested).without(&skipped_by(&page.report.searches));
        if stored.is_empty() {
            return;
        }
        let sent: TimeRanges = page.times.iter().map(|time| interval.start_of(*time)..interval.end_of(*time)).collect();
        let not_sent_again = stored.without(&sent).steps(interval);
        if let Some(report) = self.summary.series.get_mut(series) {
            report.not_sent_again += not_sent_again;
        }
    }

    /// Notes whether a page had records. If a page of an empty range has records, the rest of that range is requested.
    pub(super) fn note_empty(&mut self, series: usize, page: &Page<AnyRecord>) {
        let now = self.job.reached(Timestamp::now());
        if let Some(state) = self.state(series) {
            state.without_time = state.without_time.without(&page.range.clone().into());
            state.first_seen.note_checked(&page.range, state.row_facts.interval, now);
            state.note_requested(&page.range, &page.report.searches);
        }
        let Account { delivered, invalid, without_time, .. } = page.report.account;
        if delivered + invalid + without_time == 0 {
            if let Some(state) = self.state(series) {
                state.empty.note_empty(&page.range, now);
            }
            return;
        }
        self.note_first_page(series, page);
        let Some(state) = self.state(series) else { return };
        if page.times.iter().any(|time| state.empty.has(*time)) {
            state.ignores_range = false;
        }
        let rest = state.empty.note_records(&page.range);
        if !self.is_probe(series, &page.range) {
            return;
        }
        if let Some(state) = self.state(series) {
            for range in &rest {
                state.settled = state.settled.without(&range.clone().into());
                state.unfetched.add(range.clone());
            }
        }
        for range in rest {
            let range = SeriesRange::new(series, range);
            let requests = self.requests(&range);
            self.pending.push(range, requests);
        }
    }

    /// `true` if a range was requested because an earlier response for it had no record.
    fn is_probe(&self, series: usize, range: &Range<Timestamp>) -> bool {
        for probe in &self.probes {
            if probe.series == series && probe.range.start <= range.start && range.end <= probe.range.end {
                return true;
            }
        }
        false
    }

    /// Forgets the ranges without records between the first and the last record of a series without a regular step: only
    /// its ends are judged.
    pub(super) fn forget_empty_between(&mut self) {
        for (index, known) in self.job_tables.states_with_journal().iter().enumerate() {
            if known.row_facts.interval.has_steps() {
                continue;
            }
            let Some(extent) = known.row_facts.extent() else { continue };
            if let Some(state) = self.state(index) {
                state.empty.forget_within(&extent);
            }
        }
    }

    fn note_first_page(&mut self, series: usize, page: &Page<AnyRecord>) {
        let Some(first) = page.times.first().copied() else { return };
        let seen = self.job.reached(Timestamp::now());
        let new = FirstPage { from: page.range.start, sighting: Sighting { seen, first } };
        let known = self.first_pages.entry(series).or_insert(new);
        if first < known.sighting.first {
            *known = new;
        }
    }
}

/// The intervals that are completely in a range.
fn whole_intervals(range: &Range<Timestamp>, interval: Interval) -> Range<Timestamp> {
    let first = interval.start_of(range.start);
    let start = if first < range.start { interval.moved(first, 1) } else { first };
    start..interval.start_of(range.end).max(start)
}
