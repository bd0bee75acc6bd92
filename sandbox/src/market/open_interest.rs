//! Open interest, and its relation to trades: net longs, net shorts, participation.
//!
//! Open interest is counted in cents and moves between borders of a quarter of an hour. Net longs grow by
//! half of what buyers took more than sellers and half of what open interest grew, net shorts by the rest.

use super::Scope;
use super::noise::{Noise, Path, SWING};
use crate::calendar::Interval;
use crate::number::{real, round, rounded, scaled};

static OPEN_INTEREST: Noise = SWING.times(0.5);

/// How many seconds of trade are open.
const SECONDS_OPEN: f64 = 30_000.0;

impl Scope {
    pub(crate) fn open_interest_open(&self, interval: Interval) -> f64 {
        usd(self.open_cents(interval.start))
    }

    pub(crate) fn open_interest_close(&self, interval: Interval) -> f64 {
        usd(self.open_cents(interval.end))
    }

    pub(crate) fn open_interest_high(&self, interval: Interval) -> f64 {
        usd(self.cents(|path| path.highest(interval.start, interval.end)))
    }

    pub(crate) fn open_interest_low(&self, interval: Interval) -> f64 {
        usd(self.cents(|path| path.lowest(interval.start, interval.end)))
    }

    pub(crate) fn open_interest_delta(&self, interval: Interval) -> f64 {
        usd(self.open_cents(interval.end) - self.open_cents(interval.start))
    }

    /// The share of the volume that changed open interest, in percent.
    pub(crate) fn participation(&self, interval: Interval) -> f64 {
        let volume = self.volume_usd(interval);
        if volume == 0.0 { 0.0 } else { rounded(100.0 * self.open_interest_delta(interval) / volume, 6) }
    }

    /// The volume that did not change open interest.
    pub(crate) fn transfer(&self, interval: Interval) -> f64 {
        rounded((self.volume_usd(interval) - self.open_interest_delta(interval)).abs(), 2)
    }

    pub(crate) fn net_longs(&self, interval: Interval) -> f64 {
        let (opened, delta) = self.opened_and_delta(interval);
        self.coins(opened + delta) / 2.0
    }

    pub(crate) fn net_shorts(&self, interval: Interval) -> f64 {
        let (opened, delta) = self.opened_and_delta(interval);
        self.coins(opened - delta) / 2.0
    }

    pub(crate) fn net_long_short_delta(&self, interval: Interval) -> f64 {
        self.coins(self.opened_and_delta(interval).1)
    }

    pub(crate) fn anchored_net_longs(&self, interval: Interval) -> f64 {
        self.net_longs(self.since_anchor(interval))
    }

    pub(crate) fn anchored_net_shorts(&self, interval: Interval) -> f64 {
        self.net_shorts(self.since_anchor(interval))
    }

    pub(crate) fn anchored_net_delta(&self, interval: Interval) -> f64 {
        self.net_long_short_delta(self.since_anchor(interval))
    }

    /// How many lots were opened, and how many were bought more than sold.
    fn opened_and_delta(&self, interval: Interval) -> (i64, i64) {
        let [before, after] = [interval.start, interval.end].map(|moment| self.lots_of_cents(self.open_cents(moment)));
        let taken = self.taken(interval);
        (after - before, taken.buy - taken.sell)
    }

    /// The volume at the usual price.
    fn volume_usd(&self, interval: Interval) -> f64 {
        self.volume(interval) * self.coin.price
    }

    fn open_cents(&self, moment: i64) -> i64 {
        self.cents(|path| path.at(real(moment)))
    }

    fn cents(&self, change: impl Fn(&Path) -> f64) -> i64 {
        let change = change(&self.common_path("open interest", &OPEN_INTEREST));
        round(100.0 * SECONDS_OPEN * self.coin.turnover * (self.weight() + change))
    }
}

fn usd(cents: i64) -> f64 {
    scaled(cents, 2)
}
