//! One job done by several machines that do not talk: which machine does which part of each series.
//!
//! The answer depends only on the series and on time, not on the range that is asked for or on what the others have
//! done, so that the same shard does the same part whenever it runs.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::time::Duration;

use runtime::Timestamp;

use crate::error::Error;

/// A part of a job: the first of three is `1/3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shard {
    index: u32,
    of: u32,
}

impl Shard {
    /// All of it.
    pub const WHOLE: Self = Self { index: 1, of: 1 };

    /// Part `index` of so many, counted from one.
    pub fn new(index: u32, of: u32) -> Result<Self, Error> {
        if index == 0 || index > of {
            return Err(Error::unfit(format!(
                "there is no shard {index}/{of}: the first is 1/{of}, the last {of}/{of}"
            )));
        }
        Ok(Self { index, of })
    }

    /// Which part it is, counted from one.
    pub const fn index(self) -> u32 {
        self.index
    }

    /// How many parts there are.
    pub const fn of(self) -> u32 {
        self.of
    }

    /// The parts of a range that are this shard's: blocks of time of ten pages each, taken in turns, beginning with
    /// another shard for each series.
    pub(crate) fn parts(
        self,
        series: &str,
        range: &Range<Timestamp>,
        step: Duration,
        page_size: usize,
    ) -> Vec<Range<Timestamp>> {
        // As many steps as a window has: a page leaves room for one record.
        let steps = u32::try_from(page_size.saturating_sub(1)).unwrap_or(u32::MAX).max(1).saturating_mul(10);
        let block = step.saturating_mul(steps);
        if self.of == 1 || block.is_zero() {
            return vec![range.clone()];
        }
        let mut parts: Vec<Range<Timestamp>> = Vec::new();
        let mut start = range.start;
        while start < range.end {
            let begins = start.floor(block);
            let end = (begins + block).min(range.end);
            if self.takes(series, begins, block) {
                match parts.last_mut() {
                    Some(last) if last.end == start => last.end = end,
                    _ => parts.push(start..end),
                }
            }
            start = end;
        }
        parts
    }

    fn takes(self, series: &str, begins: Timestamp, block: Duration) -> bool {
        let length = i128::try_from(block.as_nanos()).unwrap_or(i128::MAX);
        let since = i128::from(begins.unix_seconds()) * 1_000_000_000;
        let turn = i128::from(hash(series)) + since.div_euclid(length);
        turn.rem_euclid(i128::from(self.of)) == i128::from(self.index - 1)
    }
}

/// FNV-1a: the same on every machine and in every version.
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let numbers = text.split_once('/').and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
        let Some((index, of)) = numbers else {
            return Err(Error::unfit(format!("{text:?} is no shard, which is written as 1/4")));
        };
        Self::new(index, of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::Coverage;

    const MINUTE: Duration = Duration::from_secs(60);

    fn parts(shard: Shard, range: Range<i64>) -> Vec<Range<Timestamp>> {
        shard.parts("e/coin=BTC", &(range.start.into()..range.end.into()), MINUTE, 1000)
    }

    #[test]
    fn every_part_of_a_range_is_one_shards() {
        let range = 1_700_000_123..1_731_536_000;
        let four = (1..=4).map(|index| Shard::new(index, 4).unwrap());
        let all: Vec<Vec<_>> = four.map(|shard| parts(shard, range.clone())).collect();
        let covered: Coverage = all.iter().flatten().cloned().collect();
        assert_eq!(covered.ranges(), [Timestamp::from(range.start)..Timestamp::from(range.end)]);
        let length =
            |parts: &[Range<Timestamp>]| parts.iter().map(|part| (part.end - part.start).as_secs()).sum::<u64>();
        let lengths: Vec<u64> = all.iter().map(|parts| length(parts)).collect();
        assert_eq!(lengths.iter().sum::<u64>(), (range.end - range.start).unsigned_abs());
        assert!(lengths.iter().all(|length| (6_500_000..9_500_000).contains(length)), "{lengths:?}");
    }

    #[test]
    fn a_part_does_not_depend_on_what_is_asked_for() {
        let shard = Shard::new(2, 3).unwrap();
        let (whole, later): (Coverage, Coverage) = (
            parts(shard, 1_700_000_000..1_710_000_000).into_iter().collect(),
            parts(shard, 1_704_000_000..1_712_345_678).into_iter().collect(),
        );
        let both = Timestamp::from(1_704_000_000)..Timestamp::from(1_710_000_000);
        assert_eq!(whole.missing(&both), later.missing(&both));
        assert_eq!(parts(Shard::WHOLE, 0..7), [Timestamp::from(0)..Timestamp::from(7)]);
    }

    #[test]
    fn shards_as_text() {
        let read = |text: &str| text.parse::<Shard>().map(|shard| shard.to_string()).map_err(|error| error.to_string());
        assert_eq!(read("2/3"), Ok("2/3".to_owned()));
        for wrong in ["0/3", "4/3", "1/0"] {
            assert!(read(wrong).unwrap_err().starts_with("there is no shard"), "{wrong}");
        }
        for wrong in ["", "1", "a/b", "1/2/3", "-1/2"] {
            assert!(read(wrong).unwrap_err().ends_with("is no shard, which is written as 1/4"), "{wrong}");
        }
    }
}
