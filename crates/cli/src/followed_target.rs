//! What `poll` prints while it keeps a target up to date.

use dataset::{BackfillPlan, FollowEvent, Summary, Target, quoted};
use runtime::Timestamp;

use crate::cause_of_stop::without_response;
use crate::failure::{Failure, brief};
use crate::file_notes::notes;
use crate::ignored_range;
use crate::marks;
use crate::progress::counted;
use crate::run_outcome;
use crate::series_outcome::{not_sent_again, without_time};
use crate::table::readable;
use crate::time_arg::{self, Start};
use crate::unsupported_values::sentence_of;
use crate::update_notes::UpdateNotes;

/// Prints what happens while a target is kept up to date.
pub(crate) struct TargetWatch<'w> {
    out: &'w str,
    from: Start,
    notes: UpdateNotes<'w>,
    /// `None` after the first run.
    first_run: Option<FirstRun>,
}

/// What the target has before the first run.
struct FirstRun {
    plan: BackfillPlan,
    target: Target,
}

impl<'w> TargetWatch<'w> {
    pub(crate) fn new(out: &'w str, from: Start, notes: UpdateNotes<'w>, plan: BackfillPlan, target: Target) -> Self {
        Self { out, from, notes, first_run: Some(FirstRun { plan, target }) }
    }
}

impl TargetWatch<'_> {
    pub(crate) fn event(&mut self, event: FollowEvent<'_>) {
        match event {
            FollowEvent::Run(summary) => self.run(summary),
            FollowEvent::Update { series, update, .. } => self.notes.note(series, update),
            FollowEvent::Failed { series, error, .. } => {
                self.warn(&format!("{}: {}; still trying", self.notes.labels[series], brief(&error)));
            }
            FollowEvent::Compacted { records, .. } => {
                self.notes.log.remark(&format!("{}: {}", quoted(self.out), counted(records, "new record")));
            }
            FollowEvent::Retired { series, .. } => self.warn_of_retired(&self.notes.labels[series]),
            FollowEvent::Repaired { repairs, .. } => {
                for repair in &repairs {
                    self.warn(repair);
                }
            }
            _ => {}
        }
    }

    fn run(&mut self, summary: Summary) {
        let log = self.notes.log;
        self.note_metrics(&summary);
        run_outcome::print(log, self.out, &summary, &self.notes.labels, Some(Timestamp::now()));
        marks::warn(log, &marks::of_summary(&summary));
        // After a pause, the run is repeated.
        if !summary.is_cancelled
            && !summary.is_paused
            && let Some(first_run) = self.first_run.take()
        {
            self.note_retired(&summary);
            self.note_first_run(first_run);
        }
        self.warn_of_values(&summary);
        self.warn_of_failures(summary);
    }

    fn note_metrics(&self, summary: &Summary) {
        let Some(metrics) = self.notes.metrics else {
            return;
        };
        for (one, report) in self.notes.series.iter().zip(&summary.series) {
            metrics.note_series(one.metric_labels(), report);
        }
        metrics.note_run(summary.is_complete && !marks::has_new_loss(summary));
    }

    fn warn_of_values(&self, summary: &Summary) {
        for (report, label) in summary.series.iter().zip(&self.notes.labels) {
            for line in without_time(label, report).into_iter().chain(not_sent_again(label, report)) {
                self.warn(&line);
            }
            if report.lacks_values() {
                self.warn(&readable(&format!("{label}: no record has ever had a valid value")));
            }
            if report.has_unsupported()
                && let Some(line) = sentence_of(label, &report.unsupported)
            {
                self.warn(&line);
            }
            if let Some(line) = ignored_range::sentence_of(label, report) {
                self.warn(&line);
            }
        }
    }

    fn warn_of_failures(&mut self, summary: Summary) {
        let paused = summary.page_error.as_ref().filter(|_| summary.is_paused);
        if paused.is_some_and(|error| self.notes.warn_of_pause(error)) {
            // The run after the pause repeats what is missing.
        } else if summary.is_unreachable && summary.failed.is_empty() {
            self.warn(&format!("{}; still trying", without_response(summary.page_error.as_ref())));
        } else if summary.failed_pages > 0 {
            let failed = counted(summary.failed_pages, "request");
            let why = summary.page_error.as_ref().map(|error| format!(": {}", brief(error))).unwrap_or_default();
            self.warn(&format!("{failed} failed{why}; the run in an hour repeats what is missing"));
        }
        for (series, error) in summary.failed {
            if let dataset::Error::Request(error) = &error
                && self.notes.warn_of_pause(error)
            {
                continue;
            }
            self.warn(&format!("{}: {}", self.notes.labels[series], Failure::from(error)));
        }
    }

    fn note_retired(&self, summary: &Summary) {
        for (report, label) in summary.series.iter().zip(&self.notes.labels) {
            if report.is_retired {
                self.warn_of_retired(label);
            }
        }
    }

    fn warn_of_retired(&self, label: &str) {
        self.warn(&readable(&format!("{label} is retired, so it is not requested")));
    }

    fn warn(&self, line: &str) {
        self.notes.log.warning(line);
    }

    /// Prints the notes about the files, and when the next record is due.
    fn note_first_run(&self, first_run: FirstRun) {
        let log = self.notes.log;
        let out = self.out.to_owned();
        tokio::spawn(async move {
            for note in notes(&out, &first_run.target, &first_run.plan).await {
                log.warning(&note.text);
            }
        });
        // The first run has fetched all records up to now.
        let from = match time_arg::start("now") {
            Ok(now) if now.time > self.from.time => now,
            _ => self.from,
        };
        self.notes.note_due(from, "next");
    }
}
