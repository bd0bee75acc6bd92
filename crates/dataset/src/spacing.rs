//! The usual spacing of the records of a series.

use std::collections::BTreeMap;

use runtime::{Interval, Timestamp};

use crate::time_ranges::TimeRanges;

/// The number of distances between records from which one of them can be the usual one.
const MIN_DISTANCES: u64 = 10;

/// The number of intervals from a record to the next one, if it is the same for three of four records; `None` if there is
/// no such number, or if there are few records. `present` has the intervals with a record.
pub(crate) fn usual_spacing(present: &TimeRanges, interval: Interval) -> Option<u64> {
    if !interval.has_steps() {
        return None;
    }
    // How often each distance occurs, by its number of intervals.
    let mut distances: BTreeMap<u64, u64> = BTreeMap::new();
    let mut all = 0;
    let mut previous: Option<Timestamp> = None;
    for range in present.ranges() {
        let adjacent = interval.count(&range).saturating_sub(1);
        *distances.entry(1).or_default() += adjacent;
        all += adjacent;
        if let Some(end) = previous.replace(range.end) {
            let distance = interval.count(&(end..range.start)) + 1;
            *distances.entry(distance).or_default() += 1;
            all += 1;
        }
    }
    for (distance, count) in distances {
        let is_usual = count >= all - all / 4;
        if all >= MIN_DISTANCES && is_usual {
            return Some(distance);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// The usual spacing of records in these hours.
    fn check(hours: impl IntoIterator<Item = i64>) -> Option<u64> {
        let hour = Duration::from_secs(3600);
        let mut present = TimeRanges::default();
        for number in hours {
            let start = Timestamp::from_unix_seconds(number * 3600);
            present.add(start..start + hour);
        }
        usual_spacing(&present, hour.into())
    }

    #[test]
    fn most_records_have_the_usual_spacing() {
        assert_eq!(check(0..100), Some(1));
        assert_eq!(check((0..100).step_by(4)), Some(4));
        assert_eq!(check((0..100).step_by(4).filter(|hour| *hour != 48)), Some(4), "a record is missing");
        assert_eq!(check((0..50).chain(90..100)), Some(1), "a gap");
        assert_eq!(check((0..100).filter(|hour| hour * hour % 7 < 3)), None, "events");
        assert_eq!(check([0, 4, 8, 12]), None, "few records");
    }
}
