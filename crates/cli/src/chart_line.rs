//! A line of a chart: the numbers of one series over time.

use std::time::Duration;

use runtime::{Interval, Timestamp};

use crate::failure::{Failure, Result};

/// Maximum number of lines in a panel, which colours with styles, or letters, can distinguish.
pub(crate) const MAX_LINES: usize = 26;

/// The distance between two records of a line; zero without a regular step, so that no record is missing between them.
pub(crate) fn distance(interval: Interval) -> Duration {
    if interval.has_steps() { interval.longest() } else { Duration::ZERO }
}

/// Unix seconds and value.
pub(crate) type Point = (f64, f64);

/// The values of one series.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    pub(crate) label: String,
    /// In order of time.
    pub(crate) points: Vec<Point>,
    /// The seconds between two records, after which a missing record breaks the line; zero if unknown.
    pub(crate) step: f64,
}

impl Line {
    /// Creates a line from the points that have finite values.
    pub(crate) fn new(label: String, points: impl IntoIterator<Item = (Timestamp, f64)>, step: Duration) -> Self {
        let mut finite = Vec::new();
        for (time, value) in points {
            if value.is_finite() {
                finite.push((unix_seconds(time), value));
            }
        }
        Self { label, points: finite, step: step.as_secs_f64() }
    }

    /// Whether values are missing between two times.
    fn is_gap(&self, from: f64, to: f64) -> bool {
        self.step > 0.0 && to - from > 1.5 * self.step
    }

    /// The number of missing values between the first and the last point.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // The number is rounded.
    pub(crate) fn missing(&self) -> u64 {
        let mut missing = 0;
        for pair in self.points.windows(2) {
            let from = pair[0].0;
            let to = pair[1].0;
            if self.is_gap(from, to) {
                missing += ((to - from) / self.step).round() as u64 - 1;
            }
        }
        missing
    }

    /// The parts of the line between gaps, reduced to this many columns in all.
    pub(crate) fn parts(&self, columns: usize) -> Vec<Vec<Point>> {
        let mut parts = Vec::new();
        for points in self.points.chunk_by(|one, next| !self.is_gap(one.0, next.0)) {
            let share = (columns * points.len()).div_ceil(self.points.len().max(1));
            parts.push(thinned(points, share.max(1)));
        }
        parts
    }
}

/// The conversion is exact for hundreds of millions of years around 1970.
#[allow(clippy::cast_precision_loss)]
fn unix_seconds(time: Timestamp) -> f64 {
    time.unix_seconds() as f64
}

/// Reduces points to this many columns. Each column keeps its minimum and its maximum.
fn thinned(points: &[Point], columns: usize) -> Vec<Point> {
    if points.len() <= 2 * columns {
        return points.to_vec();
    }
    let mut kept = Vec::new();
    for of_column in points.chunks(points.len().div_ceil(columns)) {
        let mut extremes: Vec<Point> = Vec::new();
        extremes.extend(of_column.iter().min_by(|one, other| one.1.total_cmp(&other.1)));
        extremes.extend(of_column.iter().max_by(|one, other| one.1.total_cmp(&other.1)));
        extremes.sort_by(|one, other| one.0.total_cmp(&other.0));
        kept.extend(extremes);
    }
    kept
}

/// Refuses more lines of an endpoint than a panel can have.
pub(crate) fn check_lines(count: usize) -> Result<()> {
    if count <= MAX_LINES {
        return Ok(());
    }
    let message = format!("a chart has at most {MAX_LINES} series of an endpoint, not {count}");
    Err(Failure::usage(message).help("select series by their params"))
}

/// The label of a line: that of its series, and the values that distinguish records of one time.
pub(crate) fn line_label(series: String, records: &str) -> String {
    if records.is_empty() { series } else { format!("{series} {records}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thinned_line_keeps_its_extremes() {
        let points = (0_i32..10_000).map(|index| (f64::from(index), if index == 5_003 { 9.0 } else { 0.5 }));
        let points: Vec<_> = points.collect();
        let few = thinned(&points, 100);
        assert!(few.len() <= 200 && few.contains(&(5_003.0, 9.0)), "{}", few.len());
        assert!(few.is_sorted_by(|one, other| one.0 <= other.0));
        assert_eq!(thinned(&points, 5_000).len(), 10_000);
    }
}
