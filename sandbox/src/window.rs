//! The intervals that a request asks for: its window in time, divided by their length.
//!
//! The meaning of params follows from their types, whatever their names: the first two moments are the ends of the
//! window, the first length of time is that of an interval, and a count is the largest number of records. An interval
//! has a record once it has ended, so records never change. Of the intervals that begin in the window, ends included,
//! the latest are returned.

use generated_client::registry::{ParamInfo, ValueType};

use crate::asked::Asked;
use crate::calendar::{HOUR, Interval, block_start};

/// The sandbox has data since 2010 began.
pub(crate) const FIRST_MOMENT: i64 = 1_262_304_000;

/// The most records of a reply, whatever the request asks for.
pub(crate) const MOST_RECORDS: i64 = 10_000;

/// Evenly spaced intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// Where the earliest interval begins.
    first: i64,
    length: i64,
    count: i64,
    newest_first: bool,
}

impl Window {
    /// The window of a request at this moment.
    pub(crate) fn of(asked: &Asked, now: i64) -> Self {
        let length = asked.lengths().next().flatten().unwrap_or(HOUR);
        let mut moments = asked.params().filter(|param| matches!(param.ty, ValueType::Timestamp(_)));
        let [from, to] = [moments.next(), moments.next()].map(|param| asked.moment(param?));
        let from = from.unwrap_or(FIRST_MOMENT).max(FIRST_MOMENT);
        let to = to.unwrap_or(now).min(now.saturating_sub(length));
        let count = asked.params().find(|param| matches!(param.ty, ValueType::Count) && param.list.is_none());
        let limit = count.and_then(|param| asked.number(param.wire_name)).unwrap_or(50).min(MOST_RECORDS);
        let newest_first = asked.params().any(|param| is_descending(asked, param));
        // Far from now the bounds may be any number; a window whose start is after its end is empty.
        if from > to {
            return Self { first: 0, length, count: 0, newest_first };
        }
        let (earliest, latest) = (block_start(from + length - 1, length), block_start(to, length));
        let count = ((latest - earliest) / length + 1).clamp(0, limit);
        Self { first: latest - (count - 1) * length, length, count, newest_first }
    }

    /// The intervals, in the order of the request.
    pub(crate) fn intervals(self) -> impl Iterator<Item = Interval> {
        (0..self.count).map(move |index| {
            let index = if self.newest_first { self.count - 1 - index } else { index };
            let start = self.first + index * self.length;
            Interval { start, end: start + self.length }
        })
    }
}

/// Whether a sort param has the newest record first.
fn is_descending(asked: &Asked, param: &ParamInfo) -> bool {
    let sorts =
        matches!(param.ty, ValueType::Named(named) if named.values.iter().any(|value| value.value == DESCENDING));
    sorts && asked.one(param.wire_name) == Some(DESCENDING)
}

/// The word for that order.
const DESCENDING: &str = "desc";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asked::Strictness;
    use crate::known;

    /// 2023-11-14T22:13:20Z.
    const NOW: i64 = 1_700_000_000;
    /// The last full hour before it.
    const FULL: i64 = 1_699_999_200;

    fn check(query: &str) -> Vec<i64> {
        let endpoint = known::endpoint("/volumeRatio").unwrap();
        let window = Window::of(&Asked::read(endpoint, query, Strictness::Documented).unwrap(), NOW);
        window.intervals().map(|interval| interval.start).collect()
    }

    fn hours(before: std::ops::RangeInclusive<i64>) -> Vec<i64> {
        before.rev().map(|hours| FULL - hours * HOUR).collect()
    }

    #[test]
    fn windows() {
        let table = [
            ("timeframe=1h&limit=3".to_owned(), hours(1..=3)),
            (format!("timeframe=1h&limit=3&endTime={NOW}"), hours(1..=3)),
            (format!("timeframe=1h&limit=2&endTime={}", FULL - 5 * HOUR), hours(5..=6)),
            (format!("timeframe=1h&limit=2&endTime={}", FULL - 5 * HOUR - 1), hours(6..=7)),
            (format!("timeframe=1h&startTime={}", FULL - 2 * HOUR), hours(1..=2)),
            (format!("timeframe=1h&startTime={}", FULL - 2 * HOUR + 1), hours(1..=1)),
            (format!("timeframe=1h&limit=2&startTime={}", FULL - 9 * HOUR), hours(1..=2)),
            (format!("timeframe=1h&startTime={}&endTime={}", FULL - 4 * HOUR, FULL - 3 * HOUR), hours(3..=4)),
            ("timeframe=1h&limit=0".to_owned(), vec![]),
            ("timeframe=1h&startTime=1700000000000".to_owned(), vec![]),
            (format!("endTime={}", FIRST_MOMENT - 1), vec![]),
            (format!("endTime={}", i64::MIN), vec![]),
            (format!("startTime={}", i64::MAX), vec![]),
            ("timeframe=1d&limit=1".to_owned(), vec![1_699_833_600]),
        ];
        for (query, expected) in table {
            assert_eq!(check(&query), expected, "{query}");
        }
        assert_eq!(check("").len(), 50);
        assert_eq!(check(&format!("timeframe=1m&limit={}", u32::MAX)).len(), 10_000);
    }

    #[test]
    fn the_newest_first() {
        let mut expected = check("timeframe=1h&limit=4");
        expected.reverse();
        assert_eq!(check("timeframe=1h&limit=4&sort=desc"), expected);
    }
}
