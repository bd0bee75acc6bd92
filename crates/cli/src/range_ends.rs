//! Sentences about series whose records begin later, or end earlier, than the requested range.
//!
//! A coin that was listed later or delisted, and a service that has only the newest records, look the same in a file,
//! so the user has to see both ends.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use runtime::registry::Step;
use runtime::{Interval, Timestamp};

use crate::notation::{flag, is_assistant};
use crate::progress::counted;
use crate::time_arg::shown;

/// The number of series that begin the same number of intervals before the request, from which this is a limit of the
/// service.
const CAPPED_SERIES: usize = 3;

/// The records of a series, and the range that was requested.
#[derive(Clone, Debug)]
pub(crate) struct SeriesEnds<'a> {
    pub(crate) label: &'a str,
    pub(crate) asked: Range<Timestamp>,
    pub(crate) first: Timestamp,
    /// The end of the interval of the last record.
    pub(crate) end: Timestamp,
    pub(crate) now: Timestamp,
    /// The interval of the records; without a regular step, their mean distance.
    pub(crate) interval: Interval,
    /// The usual number of intervals from one record to the next.
    pub(crate) spacing: u64,
    /// Whether the records have a regular step.
    pub(crate) has_step: bool,
    /// The number of intervals before the first record that no run has requested, because a search for it has skipped them.
    pub(crate) skipped: u64,
    /// The number of intervals between the first record and the request; `None` if no earlier ones were requested.
    pub(crate) first_age: Option<u64>,
    /// Whether two runs have seen the first record move with the clock.
    pub(crate) first_moves: bool,
}

impl SeriesEnds<'_> {
    /// Whether the first record is at least two intervals after the start of the range.
    fn begins_late(&self) -> bool {
        self.interval.passed(&(self.asked.start..self.first)) >= 2
    }

    /// Whether a search for the first record has skipped intervals, which may have earlier records.
    pub(crate) fn is_unconfirmed(&self) -> bool {
        self.begins_late() && self.skipped > 0
    }

    /// Whether at least two records are missing at the end of the range, and the service has had a day to publish them. Without
    /// a regular step, also a day must be without records.
    pub(crate) fn ends_early(&self) -> bool {
        let margin = Duration::from_secs(86_400);
        let missing = self.interval.passed(&(self.end..self.asked.end)) / self.spacing.max(1);
        let is_published = self.end + margin <= self.now;
        let is_long = self.has_step || self.end + margin <= self.asked.end;
        is_published && is_long && missing >= 2
    }

    /// Returns one sentence; `None` if the records cover the range.
    pub(crate) fn sentence(&self) -> Option<String> {
        let label = self.label;
        let mut parts = Vec::new();
        if self.begins_late() {
            parts.push(format!("asked from {}, the first record is of {}", shown(self.asked.start), shown(self.first)));
            if self.skipped > 0 {
                let skipped = counted(self.skipped, "earlier interval");
                parts.push(format!("not confirmed, because the search for it has skipped {skipped}"));
            }
        }
        if self.ends_early() {
            parts.push(format!("asked until {}, the last record ends at {}", shown(self.asked.end), shown(self.end)));
        }
        if parts.is_empty() {
            return None;
        }
        Some(format!("{label}: {}", parts.join("; ")))
    }
}

/// Returns one sentence for each series whose records do not cover the range.
pub(crate) fn sentences<'s>(series: impl IntoIterator<Item = &'s SeriesEnds<'s>>) -> Vec<String> {
    series.into_iter().filter_map(SeriesEnds::sentence).collect()
}

/// The option that requests what the searches for first records have skipped; `None` if they have skipped nothing.
pub(crate) fn remedy(series: &[SeriesEnds<'_>]) -> Option<String> {
    let has_skipped = series.iter().any(SeriesEnds::is_unconfirmed);
    let option = flag("refetch-gaps");
    // An assistant has no such argument.
    if !has_skipped || is_assistant() {
        return None;
    }
    Some(format!("a `backfill` to a file with `{option}` requests the skipped intervals too"))
}

/// The series that begin the same number of intervals before the request.
#[derive(Default)]
struct SameAge {
    series: usize,
    has_moved: bool,
    /// The longest time that these intervals take; months and years have different lengths.
    length: Duration,
}

impl SameAge {
    /// Whether the age is a limit of the service.
    fn is_cap(&self) -> bool {
        self.has_moved || self.series >= CAPPED_SERIES
    }
}

/// A sentence if the service has only its newest records: the first record of a series has moved with the clock,
/// or several series begin exactly the same number of intervals before the request.
pub(crate) fn cap(series: &[SeriesEnds<'_>]) -> Option<String> {
    let mut ages: BTreeMap<(Duration, u64), SameAge> = BTreeMap::new();
    for one in series.iter().filter(|one| one.begins_late()) {
        let Some(age) = one.first_age else { continue };
        let of_age = ages.entry((one.interval.longest(), age)).or_default();
        of_age.series += 1;
        of_age.has_moved |= one.first_moves;
        let count = i64::try_from(age).unwrap_or(i64::MAX);
        let length = one.interval.shifted(one.first, count).abs_diff(one.interval.start_of(one.first));
        of_age.length = of_age.length.max(length);
    }
    let ((_, steps), of_age) = ages.into_iter().find(|(_, of_age)| of_age.is_cap())?;
    let why = if of_age.has_moved {
        "the first record moves with the clock".to_owned()
    } else {
        format!("{} series begin exactly {steps} intervals before their request", of_age.series)
    };
    let span = Step::Fixed(of_age.length);
    Some(format!(
        "{why}, so the service has only the newest {steps} records; a run at least every {span} keeps all later ones \
         (maintainers of the catalogue: `oldest: {span}` under `history`)"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(label: &str, first: i64, end: i64) -> SeriesEnds<'_> {
        let hour = Duration::from_secs(3600);
        let asked = Timestamp::from_unix_seconds(0)..Timestamp::from_unix_seconds(1000 * 3600);
        let [first, end] = [first, end].map(|hours| Timestamp::from_unix_seconds(hours * 3600));
        SeriesEnds {
            label,
            now: asked.end,
            asked,
            first,
            end,
            interval: hour.into(),
            spacing: 1,
            has_step: true,
            skipped: 0,
            first_age: None,
            first_moves: false,
        }
    }

    #[test]
    fn both_ends_of_a_series_are_named() {
        assert_eq!(sentences(&[ends("a", 1, 1000), ends("b", 0, 977)]), Vec::<String>::new());
        let past = SeriesEnds { now: Timestamp::from_unix_seconds(1024 * 3600), ..ends("b", 0, 998) };
        assert!(past.ends_early(), "the service has had a day to publish the rest");
        assert!(!SeriesEnds { spacing: 8, ..past.clone() }.ends_early(), "the next record is not due");
        assert!(!SeriesEnds { has_step: false, ..past }.ends_early());
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
    fn a_first_record_that_a_search_has_found_is_not_confirmed() {
        let ends = [SeriesEnds { skipped: 240, ..ends("late", 280, 1000) }];
        let expected = "late: asked from 1970-01-01 00:00, the first record is of 1970-01-12 16:00; not confirmed, because \
            the search for it has skipped 240 earlier intervals";
        assert_eq!(sentences(&ends), [expected]);
        assert!(remedy(&ends).is_some_and(|text| text.contains("--refetch-gaps")));
        assert_eq!(remedy(&[SeriesEnds { skipped: 0, ..ends[0].clone() }]), None);
    }

    #[test]
    fn a_cap_in_years_has_the_days_of_these_years() {
        let [start, first, end] = ["2000-01-01", "2012-01-01", "2024-01-01"].map(|text| text.parse().unwrap());
        let series = ["a", "b", "c"].map(|label| SeriesEnds {
            label,
            asked: start..end,
            now: end,
            first,
            end,
            interval: "1y".parse().unwrap(),
            spacing: 1,
            has_step: true,
            skipped: 0,
            first_age: Some(12),
            first_moves: false,
        });
        let text = cap(&series).unwrap();
        assert!(text.contains("exactly 12 intervals before") && text.contains("`oldest: 4383d`"), "{text}");
    }

    #[test]
    fn several_series_of_the_same_age_or_one_that_moves_show_a_cap() {
        let aged = |label, first_age| SeriesEnds { first_age, ..ends(label, 280, 1000) };
        // The user has chosen the start, or the coins were listed at the same time and stopped at different times.
        assert_eq!(cap(&[ends("a", 280, 1000), ends("b", 280, 1000), ends("c", 280, 1000)]), None);
        let two = [aged("a", Some(720)), aged("b", Some(720))];
        assert_eq!(cap(&two), None);
        let three = [
            two[0].clone(),
            two[1].clone(),
            SeriesEnds { end: two[0].end + Duration::from_secs(3600), ..two[0].clone() },
        ];
        let found = cap(&three).unwrap_or_default();
        assert!(found.contains("only the newest 720 records") && found.contains("`oldest: 30d`"), "{found}");
        let moving = SeriesEnds { first_moves: true, ..aged("a", Some(7)) };
        assert!(cap(&[moving]).is_some_and(|text| text.contains("every 7h")));
    }
}
