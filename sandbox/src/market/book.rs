//! The order book: how much rests on each side, and how that balances.
//!
//! Depth is counted in cents of the quote currency, as it is when an interval ends. There is no ladder of
//! prices, because no endpoint is known to show one.

use super::Scope;
use super::noise::{Noise, SWING};
use crate::calendar::Interval;
use crate::number::{balance, real, round, rounded, scaled};

static DEPTH: Noise = SWING.times(0.7);

/// How many seconds of trade rest on each side, and how many of them at its best price.
const SECONDS_RESTING: f64 = 1_500.0;
const SECONDS_AT_BEST: f64 = 2.0;

#[derive(Clone, Copy, Debug)]
enum Side {
    Bid,
    Ask,
}

impl Scope {
    pub(crate) fn bids(&self, interval: Interval) -> f64 {
        scaled(self.resting(Side::Bid, interval.end), 2)
    }

    pub(crate) fn asks(&self, interval: Interval) -> f64 {
        scaled(self.resting(Side::Ask, interval.end), 2)
    }

    pub(crate) fn both_sides(&self, interval: Interval) -> f64 {
        scaled(self.resting(Side::Bid, interval.end) + self.resting(Side::Ask, interval.end), 2)
    }

    pub(crate) fn book_delta(&self, interval: Interval) -> f64 {
        scaled(self.resting(Side::Bid, interval.end) - self.resting(Side::Ask, interval.end), 2)
    }

    pub(crate) fn book_ratio(&self, interval: Interval) -> f64 {
        self.book_ratio_at(interval.end)
    }

    pub(crate) fn book_ratio_change(&self, interval: Interval) -> f64 {
        self.book_ratio_at(interval.end) - self.book_ratio_at(interval.start)
    }

    pub(crate) fn bids_change(&self, interval: Interval) -> f64 {
        scaled(self.resting(Side::Bid, interval.end) - self.resting(Side::Bid, interval.start), 2)
    }

    pub(crate) fn asks_change(&self, interval: Interval) -> f64 {
        scaled(self.resting(Side::Ask, interval.end) - self.resting(Side::Ask, interval.start), 2)
    }

    pub(crate) fn best_bid(&self, interval: Interval) -> f64 {
        rounded(self.bids(interval) * SECONDS_AT_BEST / SECONDS_RESTING, 2)
    }

    pub(crate) fn best_ask(&self, interval: Interval) -> f64 {
        rounded(self.asks(interval) * SECONDS_AT_BEST / SECONDS_RESTING, 2)
    }

    /// Executed orders and resting ones, blended into one oscillator.
    pub(crate) fn imbalance(&self, interval: Interval) -> f64 {
        f64::midpoint(self.volume_ratio(interval), self.book_ratio(interval))
    }

    fn book_ratio_at(&self, moment: i64) -> f64 {
        balance(real(self.resting(Side::Bid, moment)), real(self.resting(Side::Ask, moment)))
    }

    fn resting(&self, side: Side, moment: i64) -> i64 {
        let what = match side {
            Side::Bid => "bids",
            Side::Ask => "asks",
        };
        let change = self.common_path(what, &DEPTH).at(real(moment));
        round(100.0 * SECONDS_RESTING * self.coin.turnover * (self.weight() + change))
    }
}
