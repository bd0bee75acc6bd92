//! Long and short positions of four crowds, the gaps between them, and the leverage of the top traders.
//!
//! Shares are counted in hundredths of a percent, so that long and short make 100 exactly; a record has the shares at
//! the end of its interval.

use super::Scope;
use crate::calendar::{Interval, block_start};
use crate::number::{real, round, rounded, scaled};

/// A crowd whose longs and shorts are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Crowd {
    TopAccounts,
    TopPositions,
    AllAccounts,
    RetailAccounts,
}

impl Crowd {
    fn name(self) -> &'static str {
        match self {
            Self::TopAccounts => "top accounts",
            Self::TopPositions => "top positions",
            Self::AllAccounts => "all accounts",
            Self::RetailAccounts => "retail accounts",
        }
    }
}

const WHOLE: i64 = 10_000;

impl Scope {
    pub(crate) fn long(&self, crowd: Crowd, interval: Interval) -> f64 {
        percent(self.long_at(crowd, interval.end))
    }

    pub(crate) fn short(&self, crowd: Crowd, interval: Interval) -> f64 {
        percent(WHOLE - self.long_at(crowd, interval.end))
    }

    /// The long part divided by the short part; a short part of zero counts as one hundredth of a percent.
    pub(crate) fn long_by_short(&self, crowd: Crowd, interval: Interval) -> f64 {
        let long = self.long_at(crowd, interval.end);
        rounded(real(long) / real((WHOLE - long).max(1)), 4)
    }

    /// How many points more of one crowd are long than of another.
    pub(crate) fn gap(&self, crowd: Crowd, other: Crowd, interval: Interval) -> f64 {
        percent(self.long_at(crowd, interval.end) - self.long_at(other, interval.end))
    }

    pub(crate) fn anchored_long(&self, crowd: Crowd, interval: Interval) -> f64 {
        percent(self.anchored_long_at(crowd, interval))
    }

    pub(crate) fn anchored_short(&self, crowd: Crowd, interval: Interval) -> f64 {
        percent(WHOLE - self.anchored_long_at(crowd, interval))
    }

    pub(crate) fn anchored_gap(&self, crowd: Crowd, other: Crowd, interval: Interval) -> f64 {
        percent(self.anchored_long_at(crowd, interval) - self.anchored_long_at(other, interval))
    }

    pub(crate) fn long_leverage(&self, interval: Interval) -> f64 {
        scaled(self.leverage_at("long leverage", interval), 2)
    }

    pub(crate) fn short_leverage(&self, interval: Interval) -> f64 {
        scaled(self.leverage_at("short leverage", interval), 2)
    }

    pub(crate) fn leverage_delta(&self, interval: Interval) -> f64 {
        let [long, short] = ["long leverage", "short leverage"].map(|what| self.leverage_at(what, interval));
        scaled(long - short, 2)
    }

    /// What "anchored" means for a share is not documented: here, the mean of the shares at the anchor and now.
    fn anchored_long_at(&self, crowd: Crowd, interval: Interval) -> i64 {
        let anchor = block_start(interval.start, self.anchor);
        i64::midpoint(self.long_at(crowd, anchor), self.long_at(crowd, interval.end))
    }

    fn long_at(&self, crowd: Crowd, moment: i64) -> i64 {
        round(5_000.0 + 4_000.0 * self.mean_swing(crowd.name(), moment))
    }

    fn leverage_at(&self, what: &'static str, interval: Interval) -> i64 {
        round(1_200.0 + 900.0 * self.mean_swing(what, interval.end))
    }

    /// The mean of all venues, between -1 and 1.
    pub(super) fn mean_swing(&self, what: &'static str, moment: i64) -> f64 {
        let swings = self.venues.iter().map(|venue| venue.swing(what, moment));
        let venues = i64::try_from(self.venues.len()).unwrap_or(1).max(1);
        swings.sum::<f64>() / real(venues)
    }
}

fn percent(hundredths: i64) -> f64 {
    scaled(hundredths, 2)
}
