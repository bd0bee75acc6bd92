//! The progress of a history: numbers of records, pages and requests, and the elapsed and the remaining time.

use std::time::Duration;

/// The progress of a history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Records returned so far, including those of earlier runs.
    pub records: u64,
    /// Pages returned by this run.
    pub pages: u64,
    /// Remaining pages. The number can grow if the service does not respond as planned.
    pub pages_left: u64,
    /// The number of requests. A retried request counts once.
    pub requests: u64,
    /// The total time for which requests waited: in the rate-limit queue, for a token, and between attempts. Requests
    /// without a response are not counted.
    pub waited: Duration,
    /// The duration of this run.
    pub elapsed: Duration,
}

impl Progress {
    /// Estimates the remaining time from the average pace so far; `None` before the first page.
    pub fn time_left(&self) -> Option<Duration> {
        let pages = u32::try_from(self.pages).ok().filter(|pages| *pages > 0)?;
        Some((self.elapsed / pages).saturating_mul(u32::try_from(self.pages_left).unwrap_or(u32::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remaining_time_is_extrapolated() {
        let mut progress = Progress { pages_left: 30, elapsed: Duration::from_secs(8), ..Progress::default() };
        assert_eq!(progress.time_left(), None);
        progress.pages = 10;
        assert_eq!(progress.time_left(), Some(Duration::from_secs(24)));
    }
}
