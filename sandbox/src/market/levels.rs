//! Liquidation levels: the prices at which open positions would be liquidated.
//!
//! Every eleven minutes a venue gets one level, at a distance from the price of that moment; it lasts for days unless
//! the price is beyond it. So the levels of any moment can be computed without walking through time. A price that went
//! beyond a level and came back does not remove it.

use std::cell::{Cell, OnceCell};

use super::noise::Seed;
use super::{Scope, Venue};
use crate::calendar::{DAY, Interval, MINUTE};
use crate::number::{floor, real, round, rounded, scaled};

/// No divisor of an hour, so that levels do not begin where intervals do.
const EVERY: i64 = 11 * MINUTE;
const LONGEST: i64 = 5 * DAY;
/// How many levels of a venue are young enough to be open.
const YOUNG: i64 = LONGEST / EVERY;

/// The distance of the level of each class of leverage from the price, the highest leverage first.
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
    /// The size of the positions that would be liquidated, in USD.
    pub(crate) fn size(&self) -> f64 {
        scaled(self.cents, 2)
    }
}

/// A level, and for how long it stays open.
#[derive(Clone, Copy, Debug)]
struct Lasting {
    level: Level,
    lasts: i64,
}

/// The levels of a venue that were computed, each at the place that its number gives.
#[derive(Debug, Default)]
pub(super) struct Levels(OnceCell<Vec<Cell<Option<Lasting>>>>);

impl Levels {
    fn get(&self, number: i64, make: impl FnOnce() -> Lasting) -> Lasting {
        let all = self.0.get_or_init(|| (0..YOUNG).map(|_| Cell::new(None)).collect());
        let place = &all[usize::try_from(number.rem_euclid(YOUNG)).unwrap_or(0)];
        match place.get() {
            Some(known) if known.level.created == number * EVERY => known,
            _ => {
                let lasting = make();
                place.set(Some(lasting));
                lasting
            }
        }
    }
}

/// The sums of the open levels of a moment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Open {
    long_cents: i64,
    short_cents: i64,
    /// How many more longs there are than shorts.
    more_longs: i64,
}

impl Scope {
    /// The levels that are open at a moment, the oldest of each venue first.
    pub(crate) fn levels(&self, moment: i64) -> impl Iterator<Item = Level> {
        let newest = moment.div_euclid(EVERY);
        self.venues.iter().flat_map(move |venue| {
            let price = self.venue_price(venue, moment);
            (newest - YOUNG + 1..=newest).filter_map(move |number| {
                let Lasting { level, lasts } = venue.levels.get(number, || self.lasting(venue, number));
                let reached = match level.side {
                    Side::Long => price <= level.price,
                    Side::Short => price >= level.price,
                };
                (!reached && moment - level.created < lasts).then_some(level)
            })
        })
    }

    fn lasting(&self, venue: &Venue, number: i64) -> Lasting {
        let seed = venue.seed.name("level").number(number);
        let lasts = floor(real(LONGEST) * (0.2 + 0.8 * seed.name("lasts").unit()));
        Lasting { level: self.level(venue, seed, number * EVERY), lasts }
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
        let open = self.open_levels(interval.end);
        scaled(if side == Side::Long { open.long_cents } else { open.short_cents }, 2)
    }

    pub(crate) fn level_size_delta(&self, interval: Interval) -> f64 {
        let open = self.open_levels(interval.end);
        scaled(open.long_cents - open.short_cents, 2)
    }

    /// The positions that were liquidated in an interval, in USD: some thousandths of the trades against them.
    pub(crate) fn liquidated(&self, side: Side, interval: Interval) -> f64 {
        let traded = match side {
            Side::Long => self.sell_volume(interval),
            Side::Short => self.buy_volume(interval),
        };
        rounded(0.002 * traded * self.open(interval), 2)
    }

    pub(crate) fn level_count_delta(&self, interval: Interval) -> f64 {
        real(self.open_levels(interval.end).more_longs)
    }

    fn open_levels(&self, moment: i64) -> Open {
        self.open.at(moment, || {
            let mut open = Open::default();
            for level in self.levels(moment) {
                match level.side {
                    Side::Long => open.long_cents += level.cents,
                    Side::Short => open.short_cents += level.cents,
                }
                open.more_longs += if level.side == Side::Long { 1 } else { -1 };
            }
            open
        })
    }
}

/// The size of several levels together, in USD.
pub(crate) fn total_size(levels: impl Iterator<Item = Level>) -> f64 {
    scaled(levels.map(|level| level.cents).sum(), 2)
}
