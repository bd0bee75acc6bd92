//! Sentences about series whose records begin later, or end earlier, than the requested range.
//!
//! A coin that was listed later or delisted, and a service that has only the newest records, look the same in a file,
//! so the user has to see both ends.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use runtime::{Interval, Timestamp};

use crate::time_arg::shown;

/// The number of series that begin the same number of intervals ago, from which this is a limit of the service.
const CAPPED_SERIES: usize = 3;

/// The records of a series, and the range that was requested.
#[derive(Clone, Debug)]
pub(crate) struct SeriesEnds<'a> {
    pub(crate) label: &'a str,
    pub(crate) asked: Range<Timestamp>,
    pub(crate) first: Timestamp,
    /// The end of the interval of the last record.
    pub(crate) end: Timestamp,
    pub(crate) interval: Interval,
}

impl SeriesEnds<'_> {
    /// Returns whether the first record is at least two intervals after the start of the range.
    fn begins_late(&self) -> bool {
        self.interval.passed(&(self.asked.start..self.first)) >= 2
    }

    /// Returns whether the last record is at least two intervals, and a day, before the end of the range.
    fn ends_early(&self) -> bool {
        let margin = Duration::from_secs(86_400);
        self.end + margin <= self.asked.end && self.interval.passed(&(self.end..self.asked.end)) >= 2
    }

    /// Returns one sentence; `None` if the records cover the range.
    fn sentence(&self) -> Option<String> {
        let label = self.label;
        let start = || format!("asked from {}, the first record is of {}", shown(self.asked.start), shown(self.first));
        let end = || format!("asked until {}, the last record ends at {}", shown(self.asked.end), shown(self.end));
        match (self.begins_late(), self.ends_early()) {
            (false, false) => None,
            (true, false) => Some(format!("{label}: {}", start())),
            (false, true) => Some(format!("{label}: {}", end())),
            (true, true) => Some(format!("{label}: {}; {}", start(), end())),
        }
    }
}

/// Returns one sentence for each series whose records do not cover the range.
pub(crate) fn sentences(series: &[SeriesEnds<'_>]) -> Vec<String> {
    series.iter().filter_map(SeriesEnds::sentence).collect()
}

/// Returns a sentence if several series begin exactly the same number of intervals before the end of their range: the
/// service has only the newest records.
pub(crate) fn cap(series: &[SeriesEnds<'_>]) -> Option<String> {
    let mut ages: BTreeMap<(Duration, u64), Vec<Duration>> = BTreeMap::new();
    for one in series.iter().filter(|one| one.begins_late() && one.first < one.end) {
        let steps = one.interval.passed(&(one.first..one.end));
        let age = one.first.abs_diff(one.end);
        ages.entry((one.interval.longest(), steps)).or_default().push(age);
    }
    let ((_, steps), capped) = ages.into_iter().find(|(_, ages)| ages.len() >= CAPPED_SERIES)?;
    // Months and years have different lengths.
    let oldest = capped.into_iter().max()?;
    let hours = oldest.as_secs() / 3600;
    let series = format!(
        "several series begin exactly {steps} intervals ago, so the service has only the newest {steps} records"
    );
    Some(format!("{series}; declare `oldest: {hours}h` under `history` of the catalogue"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(label: &str, first: i64, end: i64) -> SeriesEnds<'_> {
        let hour = Duration::from_secs(3600);
        let asked = Timestamp::from_unix_seconds(0)..Timestamp::from_unix_seconds(1000 * 3600);
        let [first, end] = [first, end].map(|hours| Timestamp::from_unix_seconds(hours * 3600));
        SeriesEnds { label, asked, first, end, interval: hour.into() }
    }

    #[test]
    fn both_ends_of_a_series_are_named() {
        assert_eq!(sentences(&[ends("a", 1, 1000), ends("b", 0, 977)]), Vec::<String>::new());
        let found = sentences(&[ends("late", 280, 1000), ends("delisted", 0, 500)]);
        assert_eq!(
            found,
            [
                "late: asked from 1970-01-01 00:00, the first record is of 1970-01-12 16:00",
                "delisted: asked until 1970-02-11 16:00, the last record ends at 1970-01-21 20:00"
            ]
        );
    }

    #[test]
    fn a_cap_in_years_has_the_hours_of_these_years() {
        let [start, first, end] = ["2000-01-01", "2012-01-01", "2024-01-01"].map(|text| text.parse().unwrap());
        let series = ["a", "b", "c"].map(|label| SeriesEnds {
            label,
            asked: start..end,
            first,
            end,
            interval: "1y".parse().unwrap(),
        });
        let hours = (12 * 365 + 3) * 24;
        let text = cap(&series).unwrap();
        assert!(text.contains("exactly 12 intervals ago") && text.contains(&format!("`oldest: {hours}h`")), "{text}");
    }

    #[test]
    fn several_series_of_the_same_length_show_a_cap() {
        let two = [ends("a", 280, 1000), ends("b", 280, 1000)];
        assert_eq!(cap(&two), None);
        let three = [two[0].clone(), two[1].clone(), ends("c", 280, 1000)];
        assert!(
            cap(&three)
                .is_some_and(|text| text.contains("only the newest 720 records") && text.contains("`oldest: 720h`"))
        );
    }
}
