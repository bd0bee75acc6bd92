//! What `poll` says about the updates of its series, and notes for the metrics file.

use std::time::Instant;

use runtime::history::Update;
use runtime::record::AnyRecord;
use runtime::{AnyClient as Client, Error, Timestamp};

use crate::endpoint_names::time_is_end;
use crate::failure::{Result, brief};
use crate::followed_fields::FollowedFields;
use crate::log::Log;
use crate::metrics_file::Metrics;
use crate::pause_warnings::PauseWarnings;
use crate::progress::duration;
use crate::requested_series::{RequestedSeries, labels, plan, request, series_requests};
use crate::time_arg::{self, Start};

/// Warnings and metrics of the updates of all series.
pub(crate) struct UpdateNotes<'n> {
    pub(crate) client: &'n Client,
    pub(crate) series: &'n [RequestedSeries],
    pub(crate) labels: Vec<String>,
    pub(crate) metrics: Option<&'n Metrics>,
    pub(crate) log: Log,
    fields: FollowedFields,
    pauses: PauseWarnings,
}

impl<'n> UpdateNotes<'n> {
    pub(crate) fn new(
        client: &'n Client,
        series: &'n [RequestedSeries],
        metrics: Option<&'n Metrics>,
        log: Log,
    ) -> Result<Self> {
        let fields = FollowedFields::new(&series_requests(client, series)?);
        let labels = labels(series);
        Ok(Self { client, series, labels, metrics, log, fields, pauses: PauseWarnings::default() })
    }

    /// Notes an update in the metrics, and warns about an outage, a silent series, times without a record, and records
    /// that do not fit.
    pub(crate) fn note(&mut self, index: usize, update: &Update<AnyRecord>) {
        self.note_metrics(index, update);
        self.warn_of_outage(index, update);
        let Some(page) = update.page() else {
            return;
        };
        let label = &self.labels[index];
        for gap in &page.report.gaps {
            self.log.warning(&format!("{label}: the service has no record {}", time_arg::span(&gap.range)));
        }
        self.fields.note(index, label, &page.records, self.log);
    }

    fn note_metrics(&self, index: usize, update: &Update<AnyRecord>) {
        let (Some(metrics), Some(page)) = (self.metrics, update.page()) else {
            return;
        };
        let series = &self.series[index];
        // A series without a plan has no updates.
        if let Ok(plan) = plan(&request(self.client, series)) {
            let gaps: Vec<_> = page.report.gaps.iter().map(|gap| gap.range.clone()).collect();
            metrics.note_records(series.metric_labels(), page.times.last().copied(), &gaps, plan.interval);
        }
    }

    fn warn_of_outage(&mut self, index: usize, update: &Update<AnyRecord>) {
        let label = &self.labels[index];
        match update {
            Update::Outage { error, .. } if error.is_long_pause() => {
                self.warn_of_pause(error);
            }
            Update::Outage { elapsed, error, .. } => {
                let elapsed = duration(*elapsed);
                self.log.warning(&format!("{label}: no response for {elapsed}: {}; still trying", brief(error)));
            }
            Update::Recovered { elapsed, .. } => {
                self.log.warning(&format!("{label}: the service responds again after {}", duration(*elapsed)));
            }
            Update::Silent { since, .. } => {
                self.log.warning(&format!("{label}: no new record since {}", time_arg::shown(*since)));
            }
            _ => {}
        }
    }

    /// Warns about an error after which the series is requested again.
    pub(crate) fn warn_of_failure(&mut self, index: usize, error: &Error) {
        if !self.warn_of_pause(error) {
            self.log.warning(&format!("{}: {}; still trying", self.labels[index], brief(error)));
        }
    }

    /// Warns about a long pause that the service has requested, once. Returns whether it has requested one.
    pub(crate) fn warn_of_pause(&mut self, error: &Error) -> bool {
        let Some(line) = self.pauses.of(error, Instant::now()) else {
            return false;
        };
        if !line.is_empty() {
            self.log.warning(&line);
        }
        true
    }

    /// Prints when the first record from a start on is due, if that is in the future. `which` describes that record.
    pub(crate) fn note_due(&self, from: Start, which: &str) {
        let mut earliest: Option<Timestamp> = None;
        for one in self.series {
            let Some(due) = self.first_due(one, from) else {
                continue;
            };
            earliest = Some(earliest.map_or(due, |earliest| earliest.min(due)));
        }
        if let Some(due) = earliest
            && due > Timestamp::now()
        {
            self.log.remark(&format!("the {which} record is due at {}", time_arg::shown(due)));
        }
    }

    /// The time at which the first record of a series from a start on is due; `None` if nobody knows.
    fn first_due(&self, series: &RequestedSeries, from: Start) -> Option<Timestamp> {
        let request = request(self.client, series);
        // A series without a plan fails when it is followed.
        let interval = plan(&request).ok()?.interval;
        if !interval.has_steps() {
            return None;
        }
        let start = from.of(interval);
        let is_end = time_is_end(request.endpoint());
        Some(if is_end { start } else { interval.moved(start, 1) })
    }
}
