//! Makes the pages that a follower delivers from the windows that it has received.

use std::collections::HashMap;
use std::ops::Range;

use super::account::count;
use super::checkpoint::Checkpoint;
use super::job::ReportedWindow;
use super::page::{Page, Report};
use super::schedule::{Kind, Position, Schedule};
use super::streams;
use super::time_grid::Gap;
use super::update::Update;
use crate::platform::Instant;
use crate::values::Timestamp;

/// The position of a follower, and what it has delivered.
pub(super) struct Following {
    pub(super) schedule: Schedule,
    /// The checkpoint after the last page.
    pub(super) checkpoint: Checkpoint,
    /// Bad records that were reported: the text of each record, and the end of the window that contained it. While an
    /// earlier interval is missing, each request begins at that interval, so a bad record is received again, but it is
    /// reported only once.
    bad_records: HashMap<String, Timestamp>,
    /// Whether a request has got a response, or none was needed yet.
    pub(super) is_started: bool,
}

impl Following {
    pub(super) fn new(schedule: Schedule, checkpoint: Checkpoint) -> Self {
        Self { schedule, checkpoint, bad_records: HashMap::new(), is_started: false }
    }

    /// Returns the updates for a window, late records first.
    pub(super) fn pages<T: 'static>(&mut self, window: ReportedWindow, now: Instant) -> Vec<Update<T>> {
        let end = window.window.to;
        let reached = window.response.reached;
        let Page { times, records, mut report, .. } = streams::page::<T>(window);
        let before = self.schedule.position.next;
        let delivery = self.schedule.received(&times, reached, now);
        report.gaps = delivery.gaps.into_iter().map(|gap| Gap { range: gap.range() }).collect();
        let mut late = Vec::new();
        let mut new = Vec::new();
        for ((time, record), kind) in times.into_iter().zip(records).zip(delivery.kinds) {
            match kind {
                Kind::Skipped => {
                    report.account.delivered -= 1;
                    report.account.repeated += 1;
                }
                Kind::Late => late.push((time, record)),
                Kind::New => new.push((time, record)),
            }
        }
        report.account.delivered -= count(late.len());
        let mut updates = Vec::new();
        if let (Some((first, _)), Some((last, _))) = (late.first(), late.last()) {
            let range = *first..self.schedule.end(*last);
            let mut late_report = Report::default();
            late_report.account.delivered = count(late.len());
            updates.push(Update::Late(self.page(range, late, late_report, &delivery.after_late)));
        }
        report.bad_records.retain(|bad| self.bad_records.insert(bad.text.clone(), end).is_none());
        let is_empty =
            new.is_empty() && report.gaps.is_empty() && report.bad_records.is_empty() && report.searches.is_empty();
        let position = self.schedule.position.clone();
        let begin = *position.missing.first().unwrap_or(&position.next).min(&position.next);
        // A request extends beyond its window, so a bad record can also be received with an adjacent window. Bad
        // records are therefore remembered for some more intervals.
        let begin = self.schedule.unsettled(begin);
        self.bad_records.retain(|_, end| *end > begin);
        if !is_empty {
            updates.push(Update::Records(self.page(before..position.next, new, report, &position)));
        }
        updates
    }

    fn page<T>(
        &mut self,
        range: Range<Timestamp>,
        records: Vec<(Timestamp, T)>,
        report: Report,
        position: &Position,
    ) -> Page<T> {
        let (times, records): (_, Vec<T>) = records.into_iter().unzip();
        let checkpoint = &mut self.checkpoint;
        checkpoint.next = position.next;
        checkpoint.range.to = position.next;
        checkpoint.open_since = None;
        checkpoint.missing = Some(position.missing.clone());
        checkpoint.records = checkpoint.records.saturating_add(u64::try_from(records.len()).unwrap_or(u64::MAX));
        let checkpoint = checkpoint.clone();
        Page { range, records, times, report, checkpoint }
    }
}
