//! The lateness of the service: the time from the end of an interval to the publication of its record.
//!
//! The lateness of the last records decides when the record of the next interval is requested.

use std::time::Duration;

/// The time from the end of an interval to the request for that interval.
pub(super) const DELAY: Duration = Duration::from_secs(2);

/// The number of punctual records after which earlier requests find out whether the service has become faster.
const PUNCTUAL: u32 = 8;

/// The times at which the service published the last records.
pub(super) struct Lateness {
    /// For each of the last records, a time after the end of its interval at which it was not published yet. The minimum
    /// is used, so that two late records among punctual ones do not count.
    recent: [Duration; 3],
    /// The time from the end of the next interval to the last request that did not return its record.
    pub(super) in_vain: Option<Duration>,
    /// The number of consecutive records that were returned by the first request for them.
    punctual: u32,
}

impl Lateness {
    /// Returns the lateness before any record has arrived.
    pub(super) fn new() -> Self {
        Self { recent: [Duration::MAX; 3], in_vain: None, punctual: 0 }
    }

    /// Returns the lateness that all of the last records had.
    pub(super) fn learned(&self) -> Duration {
        // A single record since the start may be late by chance.
        if self.recent[1] == Duration::MAX {
            return Duration::ZERO;
        }
        self.recent.into_iter().min().unwrap_or_default()
    }

    /// Returns the time after the end of the next interval before which its record is not requested.
    pub(super) fn expected(&self) -> Duration {
        let Some(doublings) = self.punctual.checked_sub(PUNCTUAL) else { return self.learned() };
        // A request at the learned time itself is known to be too early.
        let earlier = 2_u32.checked_shl(doublings).unwrap_or(u32::MAX);
        self.learned().saturating_sub(DELAY.saturating_mul(earlier))
    }

    /// Notes that the record of the next interval was not published yet, at this time after the end of the interval.
    pub(super) fn missing(&mut self, age: Duration) {
        if (self.expected()..self.learned()).contains(&age) {
            self.punctual = 0;
        }
        self.in_vain = Some(age);
    }

    /// Notes that the record of the next interval was returned, `latest` after the end of the newest record's interval.
    pub(super) fn published(&mut self, latest: Duration) {
        let learned = self.learned();
        let expected = self.expected();
        let late = self.in_vain.take().filter(|age| *age >= learned);
        self.punctual = if late.is_some() { 0 } else { self.punctual.saturating_add(1) };
        self.recent.rotate_right(1);
        self.recent[0] = late.unwrap_or(expected).min(latest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn one_late_record_after_a_start_delays_no_others() {
        let mut lateness = Lateness::new();
        lateness.missing(seconds(510));
        lateness.published(seconds(1022));
        assert_eq!(lateness.expected(), Duration::ZERO);
        lateness.published(seconds(2));
        assert_eq!(lateness.expected(), Duration::ZERO);
    }

    #[test]
    fn two_late_records_after_a_start_are_expected_again() {
        let mut lateness = Lateness::new();
        for missing in [510, 480] {
            lateness.missing(seconds(missing));
            lateness.published(seconds(1022));
        }
        assert_eq!(lateness.expected(), seconds(480));
    }
}
