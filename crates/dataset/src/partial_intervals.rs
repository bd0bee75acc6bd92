//! Gaps within intervals that usually have several records at the same spacing.
//!
//! A service can send a record every hour for intervals of eight hours, and change that at any time. The usual number of
//! records of an interval is therefore that of most intervals around it. Intervals whose records have no regular spacing,
//! such as those of trades or of records with several labels, have no gaps.

use std::collections::BTreeMap;
use std::ops::Range;

use runtime::Interval;

use crate::time_ranges::TimeRanges;
use crate::timestamps::{MicrosecondIntervals, timestamp};

/// The number of intervals before and after an interval that determine its usual number of records.
const AROUND: usize = 5;

/// The times of one interval, in microseconds.
struct Times {
    range: Range<i64>,
    /// The indices of its times.
    indices: Range<usize>,
    /// The number of equal parts into which the times divide the interval; `None` if they do not.
    parts: Option<i64>,
}

/// The number of last intervals that the rows of the next batch can judge differently: those whose usual number of records
/// depends on these rows, and the interval before them, whose times may have been rounded up.
const KEPT: usize = 2 * AROUND + 2;

/// The times of the last intervals of rows that arrive in batches, in microseconds. A batch can end anywhere in an interval.
#[derive(Debug, Default)]
pub(crate) struct LastTimes(Vec<i64>);

/// The gaps within the intervals that a batch of rows has judged.
#[derive(Clone, Debug, Default)]
pub(crate) struct JudgedGaps {
    /// The start of the first of these intervals. The gaps from then on that earlier batches have found are outdated.
    pub(crate) since: Option<i64>,
    pub(crate) gaps: TimeRanges,
}

impl LastTimes {
    /// Judges the intervals of the sorted times of the next batch, and the last intervals before them.
    pub(crate) fn judge(&mut self, times: &[i64], interval: Interval) -> JudgedGaps {
        let mut joined = std::mem::take(&mut self.0);
        if interval == Interval::default() || !times.is_sorted() {
            return JudgedGaps::default();
        }
        // Pages can arrive in any order.
        let follows = joined.last() <= times.first();
        if !follows {
            joined.clear();
        }
        let intervals = MicrosecondIntervals::new(interval);
        let known = count_intervals(&joined, &intervals);
        joined.extend_from_slice(times);
        joined.dedup();
        let mut judged = judged(&joined, &intervals, known.saturating_sub(AROUND + 1));
        judged.since.take_if(|_| !follows);
        let kept = start_of_last(&joined, &intervals, KEPT);
        self.0 = joined.split_off(kept);
        judged
    }
}

/// The gaps within the intervals of sorted distinct times, from the interval with an index on.
fn judged(times: &[i64], intervals: &MicrosecondIntervals, first: usize) -> JudgedGaps {
    if !have_several(times, intervals) {
        return JudgedGaps::default();
    }
    let all = by_interval(times, intervals);
    let mut present = TimeRanges::default();
    let mut divided = TimeRanges::default();
    for (index, of_interval) in all.iter().enumerate() {
        let parts = usual_parts(&all, index);
        of_interval.add_present(times, parts, &mut present);
        if parts > 1 && first <= index {
            divided.add(timestamp(of_interval.range.start)..timestamp(of_interval.range.end));
        }
    }
    let since = all.get(first).map(|of_interval| of_interval.range.start);
    JudgedGaps { since, gaps: divided.without(&present) }
}

/// The number of intervals that contain sorted times.
fn count_intervals(times: &[i64], intervals: &MicrosecondIntervals) -> usize {
    let mut count = 0;
    let mut current = 0..0;
    for time in times {
        if count == 0 || !current.contains(time) {
            current = intervals.after(&current, *time);
            count += 1;
        }
    }
    count
}

/// The index of the first time in the last intervals that contain sorted times.
fn start_of_last(times: &[i64], intervals: &MicrosecondIntervals, count: usize) -> usize {
    let mut start = times.len();
    for _ in 0..count {
        let Some(last) = start.checked_sub(1).and_then(|last| times.get(last)) else { break };
        let range = intervals.containing(*last);
        start = times.partition_point(|time| *time < range.start);
    }
    start
}

/// `true` if an interval has several times. Most series have one, so that this has to be fast.
fn have_several(times: &[i64], intervals: &MicrosecondIntervals) -> bool {
    let mut current = 0..0;
    let mut last = None;
    for time in times {
        if current.contains(time) && last != Some(time) {
            return true;
        }
        if !current.contains(time) {
            current = intervals.after(&current, *time);
        }
        last = Some(time);
    }
    false
}

fn by_interval(times: &[i64], intervals: &MicrosecondIntervals) -> Vec<Times> {
    let mut all: Vec<Times> = Vec::new();
    for (index, time) in times.iter().enumerate() {
        match all.last_mut() {
            Some(last) if last.range.contains(time) => last.indices.end = index + 1,
            _ => all.push(Times { range: intervals.containing(*time), indices: index..index + 1, parts: None }),
        }
    }
    for of_interval in &mut all {
        of_interval.parts = parts(&times[of_interval.indices.clone()], of_interval.length());
    }
    all
}

/// The number of equal parts into which times divide an interval; `None` if they are not even. A time that was
/// rounded can be in the interval before or after its own.
fn parts(times: &[i64], length: i64) -> Option<i64> {
    let count = i64::try_from(times.len()).ok()?;
    for parts in [count, count + 1, count - 1] {
        let spacing = length.checked_div(parts).unwrap_or_default();
        if spacing > 0 && times.windows(2).all(|pair| (pair[1] - pair[0] - spacing).abs() <= spacing / 10) {
            return Some(parts);
        }
    }
    None
}

/// The number of parts of more than half of the intervals around one; one if there is none.
fn usual_parts(all: &[Times], index: usize) -> i64 {
    let from = index.saturating_sub(AROUND);
    let to = (index + AROUND + 1).min(all.len());
    let mut votes: BTreeMap<i64, usize> = BTreeMap::new();
    for of_interval in &all[from..to] {
        if let Some(parts) = of_interval.parts {
            *votes.entry(parts).or_default() += 1;
        }
    }
    for (parts, count) in votes {
        if 2 * count > to - from {
            return parts;
        }
    }
    1
}

impl Times {
    fn length(&self) -> i64 {
        self.range.end.saturating_sub(self.range.start)
    }

    /// Adds the parts of the interval that have a record.
    fn add_present(&self, times: &[i64], parts: i64, present: &mut TimeRanges) {
        let spacing = (self.length() / parts).max(1);
        // A time that was rounded up belongs to the part that it begins, which can be in the next interval.
        let margin = if parts > 1 { spacing / 10 } else { 0 };
        for time in &times[self.indices.clone()] {
            let part = (time - self.range.start).saturating_add(margin).div_euclid(spacing);
            let from = self.range.start.saturating_add(part.saturating_mul(spacing));
            present.add(timestamp(from)..timestamp(from.saturating_add(spacing)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const HOUR: i64 = 3_600_000_000;

    /// The gaps within the intervals of times that arrive in batches of this length.
    fn gaps_of(times: &[i64], interval: Interval, length: usize) -> TimeRanges {
        let mut last = LastTimes::default();
        let mut gaps = TimeRanges::default();
        for batch in times.chunks(length) {
            let judged = last.judge(batch, interval);
            if let Some(since) = judged.since {
                gaps = gaps.until(timestamp(since));
            }
            gaps.extend(&judged.gaps);
        }
        gaps
    }

    #[test]
    fn gaps_do_not_depend_on_the_batches() {
        let interval = Duration::from_secs(8 * 3600).into();
        let mut times: Vec<i64> = (0..480).map(|hour| hour * HOUR).collect();
        times.retain(|time| !(81 * HOUR..88 * HOUR).contains(time) && time % (37 * HOUR) != 0);
        times.retain(|time| !(240 * HOUR..300 * HOUR).contains(time) || time % (8 * HOUR) == 0);
        let expected = gaps_of(&times, interval, times.len());
        assert!(expected.ranges().count() > 5, "{expected:?}");
        for length in 1..100 {
            assert_eq!(gaps_of(&times, interval, length), expected, "batches of {length}");
        }
    }

    /// The gaps in hours.
    fn check(times: &[i64]) -> Vec<(i64, i64)> {
        let hours = |time: runtime::Timestamp| time.unix_seconds() / 3600;
        let interval = Duration::from_secs(8 * 3600).into();
        gaps_of(times, interval, times.len()).ranges().map(|gap| (hours(gap.start), hours(gap.end))).collect()
    }

    #[test]
    fn the_usual_spacing_of_an_interval_is_that_of_the_intervals_around_it() {
        let hourly: Vec<i64> = (0..240).map(|hour| hour * HOUR).collect();
        let mut holes = hourly.clone();
        holes.retain(|time| !(81 * HOUR..88 * HOUR).contains(time) && *time != 100 * HOUR);
        let eight_hourly: Vec<i64> = (0..30).map(|interval| interval * 8 * HOUR).collect();
        let mut changed = eight_hourly.clone();
        changed.extend((240..480).map(|hour| hour * HOUR));
        let mut shifted = hourly.clone();
        shifted.iter_mut().step_by(3).for_each(|time| *time -= 1000);
        let mut several_labels = hourly.iter().flat_map(|time| [*time, time + 3_000_000]).collect::<Vec<_>>();
        several_labels.retain(|time| time % (8 * HOUR) < HOUR);
        let irregular: Vec<i64> = (0..240).map(|index| index * HOUR + index * index % 59 * 60_000_000).collect();
        for (times, expected) in [
            (hourly, vec![]),
            (holes, vec![(81, 88), (100, 101)]),
            (eight_hourly, vec![]),
            (changed, vec![]),
            (shifted[1..].to_vec(), vec![(0, 1)]),
            (several_labels, vec![]),
            (irregular, vec![]),
        ] {
            assert_eq!(check(&times), expected, "{:?}", &times[..20]);
        }
    }
}
