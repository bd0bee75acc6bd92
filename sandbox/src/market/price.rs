//! Prices: candles, levels of earlier days, and differences between venues.
//!
//! A price moves between borders of thirty seconds; a candle of any length has the extremes of all borders
//! in it, so long candles contain short ones. The venues of one coin stay close to each other.

use std::rc::Rc;

use super::noise::{Noise, Path, SWING, Seed};
use super::{PremiumAs, Scope, Venue};
use crate::calendar::Interval;
use crate::number::{floor, real, round, rounded, scaled};

static PRICE: Noise = Noise::walk(0.02);

/// The weight of a venue's own path; the path that all venues share has 1.
const OWN_WAY: f64 = 0.003;

impl Scope {
    /// The price when the interval begins.
    pub(crate) fn open(&self, interval: Interval) -> f64 {
        self.price(interval.start)
    }

    /// The price when the interval ends.
    pub(crate) fn close(&self, interval: Interval) -> f64 {
        self.price(interval.end)
    }

    pub(crate) fn high(&self, interval: Interval) -> f64 {
        self.first_venue_price(|path| path.highest(interval.start, interval.end))
    }

    pub(crate) fn low(&self, interval: Interval) -> f64 {
        self.first_venue_price(|path| path.lowest(interval.start, interval.end))
    }

    /// Half way between high and low.
    pub(crate) fn equilibrium(&self, interval: Interval) -> f64 {
        rounded(f64::midpoint(self.high(interval), self.low(interval)), self.coin.tick_decimals() + 1)
    }

    /// How much more the coin costs on the first venue than on the second when the interval ends.
    pub(crate) fn premium(&self, interval: Interval) -> f64 {
        let [first, second] = [0, 1].map(|index| match self.venues.get(index) {
            Some(venue) => self.venue_price(venue, interval.end),
            None => self.price(interval.end),
        });
        match self.premium {
            PremiumAs::Price => rounded(first - second, self.coin.tick_decimals()),
            PremiumAs::Percentage => rounded(100.0 * (first - second) / second, 6),
        }
    }

    /// A price near the market's, within a hundredth of it, that is not the market's.
    pub(crate) fn near_price(&self, seed: Seed, moment: i64) -> f64 {
        let swing = Path::new(&SWING, [(seed.name("near"), 1.0)]).at(real(moment));
        let decimals = self.coin.tick_decimals();
        rounded(self.price(moment) * (1.0 + 0.01 * swing), decimals)
    }

    /// How far apart the best bid and the best ask are: some ticks.
    pub(crate) fn spread(&self, interval: Interval) -> f64 {
        let ticks = 3.0 + 2.0 * self.mean_swing("spread", interval.end);
        scaled(round(ticks), self.coin.tick_decimals())
    }

    /// The widest distance between bid and ask in the interval.
    pub(crate) fn widest_spread(&self, interval: Interval) -> f64 {
        2.0 * self.spread(interval)
    }

    /// How far market orders missed the expected price: one part in ten thousand, more or less.
    pub(crate) fn slippage(&self, interval: Interval) -> f64 {
        let part = 1.0e-4 * (1.0 + 0.9 * self.mean_swing("slippage", interval.end));
        rounded(self.price(interval.end) * part, self.coin.tick_decimals() + 2)
    }

    /// The mean of the largest ones.
    pub(crate) fn mean_slippage(&self, interval: Interval) -> f64 {
        rounded(0.6 * self.slippage(interval), self.coin.tick_decimals() + 2)
    }

    /// The slippage of buyers and of sellers, with opposite signs.
    pub(crate) fn net_slippage(&self, interval: Interval) -> f64 {
        let net = 20.0 * self.slippage(interval) * self.mean_swing("net slippage", interval.end);
        rounded(net, self.coin.tick_decimals() + 2)
    }

    fn price(&self, moment: i64) -> f64 {
        self.first_venue_price(|path| path.at(real(moment)))
    }

    pub(super) fn venue_price(&self, venue: &Venue, moment: i64) -> f64 {
        self.quoted(&self.price_path(Some(venue)), |path| path.at(real(moment)))
    }

    /// A candle belongs to one venue; of several, to the first.
    fn first_venue_price(&self, logarithm: impl Fn(&Path) -> f64) -> f64 {
        self.quoted(&self.price_path(self.venues.first()), logarithm)
    }

    fn price_path(&self, venue: Option<&Venue>) -> Rc<Path> {
        let (paths, own) = venue.map_or((&self.paths, self.coin.seed), |venue| (&venue.paths, venue.seed));
        paths.path("price", &PRICE, || vec![(self.coin.seed.name("price"), 1.0), (own.name("price"), OWN_WAY)])
    }

    fn quoted(&self, path: &Path, logarithm: impl Fn(&Path) -> f64) -> f64 {
        let price = self.coin.price * logarithm(path).exp();
        let decimals = self.coin.tick_decimals();
        scaled(floor(price * 10_f64.powi(decimals)).max(1), decimals)
    }
}
