//! Trades: what market orders bought and sold.
//!
//! Trades are counted in lots since 1970 as a function of the moment, and an interval has the difference of two such
//! counts. So long intervals are the sums of short ones, to the lot, however far away an anchor is.

use super::noise::DRIFT;
use super::{Scope, Venue};
use crate::calendar::{Interval, block_start};
use crate::number::{balance, floor, real, scaled};

/// The share of each class of trade size in the volume.
const SIZES: [f64; 7] = [0.01, 0.05, 0.15, 0.3, 0.3, 0.15, 0.04];

/// Lots bought and sold by market orders.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Taken {
    pub(super) buy: i64,
    pub(super) sell: i64,
}

impl Scope {
    pub(crate) fn buy_volume(&self, interval: Interval) -> f64 {
        self.coins(self.taken(interval).buy)
    }

    pub(crate) fn sell_volume(&self, interval: Interval) -> f64 {
        self.coins(self.taken(interval).sell)
    }

    /// The whole volume, bought and sold.
    pub(crate) fn volume(&self, interval: Interval) -> f64 {
        let taken = self.taken(interval);
        self.coins(taken.buy + taken.sell)
    }

    pub(crate) fn volume_delta(&self, interval: Interval) -> f64 {
        let taken = self.taken(interval);
        self.coins(taken.buy - taken.sell)
    }

    pub(crate) fn volume_ratio(&self, interval: Interval) -> f64 {
        let taken = self.taken(interval);
        balance(real(taken.buy), real(taken.sell))
    }

    /// The volume delta since the latest anchor.
    pub(crate) fn anchored_delta(&self, interval: Interval) -> f64 {
        self.volume_delta(self.since_anchor(interval))
    }

    /// From the latest anchor to the end of the interval.
    pub(super) fn since_anchor(&self, interval: Interval) -> Interval {
        Interval { start: block_start(interval.start, self.anchor), end: interval.end }
    }

    pub(super) fn taken(&self, interval: Interval) -> Taken {
        let [before, after] =
            [interval.start, interval.end].map(|moment| self.taken.at(moment, || self.taken_until(moment)));
        Taken { buy: after.buy - before.buy, sell: after.sell - before.sell }
    }

    fn taken_until(&self, moment: i64) -> Taken {
        let active = self.active_time(moment);
        let mut all = Taken::default();
        for venue in &self.venues {
            let (buying, selling) = taking_time(venue, active);
            let lots = self.lots_a_second(venue);
            for size in self.sizes.iter().filter_map(|size| SIZES.get(*size)) {
                all.buy += floor(buying * lots * size);
                all.sell += floor(selling * lots * size);
            }
        }
        all
    }

    /// The time that the coin's trading has been active: all venues are busy together.
    pub(super) fn active_time(&self, moment: i64) -> f64 {
        let moment = real(moment);
        let seed = self.coin.seed;
        moment + self.paths.path("activity", &DRIFT, || vec![(seed.name("activity"), 1.0)]).at(moment)
    }

    fn lots_a_second(&self, venue: &Venue) -> f64 {
        self.coin.turnover * venue.weight / self.coin.price * 10_f64.powi(self.coin.lot_decimals())
    }

    /// Lots, as an amount of the coin.
    pub(super) fn coins(&self, lots: i64) -> f64 {
        scaled(lots, self.coin.lot_decimals())
    }

    /// Cents, as lots at the usual price.
    pub(super) fn lots_of_cents(&self, cents: i64) -> i64 {
        floor(real(cents) / 100.0 / self.coin.price * 10_f64.powi(self.coin.lot_decimals()))
    }
}

/// The part of active time in which a venue's market orders bought, and the part in which they sold.
pub(super) fn taking_time(venue: &Venue, active: f64) -> (f64, f64) {
    let time = venue.uneven("activity", active);
    let lean = venue.lean("buying", time);
    (f64::midpoint(time, lean), f64::midpoint(time, -lean))
}
