//! Liquidation levels: the prices at which open positions would be liquidated.
//!
//! Every seven minutes a venue gets one level, some way off the price of that moment; it lasts for days unless
//! the price is beyond it. So the levels of any moment can be told without walking through time. Whether
//! the price went beyond a level and came back is not asked.

use super::noise::Seed;
use super::{Scope, Venue};
use crate::calendar::{DAY, Interval, MINUTE};
use crate::number::{floor, real, round, rounded, scaled};

const EVERY: i64 = 7 * MINUTE;
const LONGEST: i64 = 5 * DAY;

/// How far the level of each class of leverage is off the price, the highest leverage first.
const DISTANCE: [f64; 5] = [0.01, 0.02, 0.04, 0.07, 0.12];

/// The side of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Long,
    Short,
}

/// One price at which positions would be liquidated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    pub(crate) created: i64,
    pub(crate) price: f64,
    cents: i64,
    pub(crate) side: Side,
    /// The class of leverage, from 0, the highest, to 4.
    pub(crate) class: usize,
}

impl Level {
    /// What would be liquidated, in USD.
    pub(crate) fn size(&self) -> f64 {
        scaled(self.cents, 2)
    }
}

impl Scope {
    /// The levels that are open at a moment, the oldest of each venue first.
    pub(crate) fn levels(&self, moment: i64) -> impl Iterator<Item = Level> {
        let newest = moment.div_euclid(EVERY);
        let slots = newest - LONGEST / EVERY + 1..=newest;
        self.venues.iter().flat_map(move |venue| {
            let price = self.venue_price(venue, moment);
            slots.clone().filter_map(move |slot| {
                let (seed, created) = (venue.seed.name("level").number(slot), slot * EVERY);
                let lasts = floor(real(LONGEST) * (0.2 + 0.8 * seed.name("lasts").unit()));
                if moment - created >= lasts {
                    return None;
                }
                let level = self.level(venue, seed, created);
                let reached = match level.side {
                    Side::Long => price <= level.price,
                    Side::Short => price >= level.price,
                };
                (!reached).then_some(level)
            })
        })
    }

    fn level(&self, venue: &Venue, seed: Seed, created: i64) -> Level {
        let side = if seed.name("side").unit() < 0.5 { Side::Long } else { Side::Short };
        let class = usize::try_from(floor(5.0 * seed.name("class").unit())).unwrap_or(0);
        let distance = DISTANCE.get(class).copied().unwrap_or(0.01) * (0.7 + 0.6 * seed.name("distance").unit());
        let factor = match side {
            Side::Long => 1.0 - distance,
            Side::Short => 1.0 + distance,
        };
        Level {
            created,
            price: rounded(self.venue_price(venue, created) * factor, self.coin.tick_decimals()),
            cents: round(self.coin.turnover * venue.weight * 2_000.0 * (0.2 + seed.name("size").unit())),
            side,
            class,
        }
    }

    pub(crate) fn level_size(&self, side: Side, interval: Interval) -> f64 {
        let open = self.levels(interval.end).filter(|level| level.side == side);
        scaled(open.map(|level| level.cents).sum(), 2)
    }

    pub(crate) fn level_size_delta(&self, interval: Interval) -> f64 {
        scaled(self.levels(interval.end).map(|level| signed(level.side, level.cents)).sum(), 2)
    }

    pub(crate) fn level_count_delta(&self, interval: Interval) -> f64 {
        real(self.levels(interval.end).map(|level| signed(level.side, 1)).sum())
    }
}

/// The size of several levels together, in USD.
pub(crate) fn total_size(levels: impl Iterator<Item = Level>) -> f64 {
    scaled(levels.map(|level| level.cents).sum(), 2)
}

fn signed(side: Side, amount: i64) -> i64 {
    match side {
        Side::Long => amount,
        Side::Short => -amount,
    }
}
