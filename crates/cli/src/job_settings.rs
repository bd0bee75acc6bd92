//! The settings of a backfill, from a job file or from options: its series, its range and its target.

use std::ops::Range;
use std::time::Duration;

use runtime::{Interval, Timestamp};

use crate::failure::{Failure, Result};
use crate::requested_series::{RequestedSeries, labels};
use crate::time_arg::{self, Start};

/// The series, the range and the target of a backfill.
#[derive(Debug)]
pub(crate) struct JobSettings {
    pub(crate) series: Vec<RequestedSeries>,
    pub(crate) from: Start,
    /// The end of the range; [`time_arg::OPEN`] if the range ends now.
    pub(crate) to: Timestamp,
    pub(crate) out: String,
    pub(crate) refetch: Option<Duration>,
}

impl JobSettings {
    /// `true` if the records are printed to standard output instead of written to a file.
    pub(crate) fn is_stream(&self) -> bool {
        self.out == "-"
    }

    /// The range of a series: its own start and end, or those of the job.
    pub(crate) fn range(&self, series: &RequestedSeries, interval: Interval) -> Range<Timestamp> {
        self.start_of(series).of(interval)..self.end_of(series)
    }

    fn start_of(&self, series: &RequestedSeries) -> Start {
        series.from.unwrap_or(self.from)
    }

    fn end_of(&self, series: &RequestedSeries) -> Timestamp {
        series.to.unwrap_or(self.to)
    }

    /// The latest end of the ranges of all series.
    pub(crate) fn latest_end(&self) -> Timestamp {
        let ends = self.series.iter().map(|one| self.end_of(one));
        ends.max().unwrap_or(self.to)
    }

    /// Rejects a series whose range ends before its start.
    pub(crate) fn check_ranges(&self) -> Result<()> {
        for (series, label) in self.series.iter().zip(labels(&self.series)) {
            let start = self.start_of(series).time;
            let end = self.end_of(series);
            if let Err(message) = time_arg::check(&(start..end)) {
                let has_own = series.from.is_some() || series.to.is_some();
                return Err(Failure::usage(if has_own { format!("{label}: {message}") } else { message }));
            }
        }
        Ok(())
    }
}

/// Settings of the command line, which replace those of a job file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Overrides<'o> {
    pub(crate) from: Option<Start>,
    pub(crate) to: Option<Timestamp>,
    pub(crate) out: Option<&'o str>,
}
