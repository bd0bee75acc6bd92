//! Executed orders: how many there were, their mean size, and how many look like those of programs.
//!
//! Market orders take what limit orders offered, so volume that market orders bought is volume that limit orders sold.
//! Counts are functions of the moment, as volumes are; orders that rest in the book are not counted.

use super::tape::taking_time;
use super::{Scope, Venue};
use crate::calendar::Interval;
use crate::number::{balance, floor, real, rounded, scaled};

/// Market orders for every USD that is traded, by class of trade size.
const ORDERS: [f64; 7] = [2.0e-4, 1.25e-4, 3.75e-5, 1.0e-5, 1.2e-6, 6.0e-8, 2.7e-9];

/// Limit orders are smaller, so that one market order takes several.
const LIMIT_ORDERS: f64 = 1.6;

/// One order in this many has a size that recurs.
const SUSPICIOUS: i64 = 400;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Market,
    Limit,
}

/// Which of the executed orders are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Buy,
    Sell,
    Total,
    /// Bought minus sold.
    Delta,
}

/// Orders that bought and orders that sold.
#[derive(Clone, Copy, Debug, Default)]
struct Executed {
    buy: i64,
    sell: i64,
}

impl Executed {
    fn part(self, part: Part) -> f64 {
        real(match part {
            Part::Buy => self.buy,
            Part::Sell => self.sell,
            Part::Total => self.buy + self.sell,
            Part::Delta => self.buy - self.sell,
        })
    }

    fn balance(self) -> f64 {
        balance(real(self.buy), real(self.sell))
    }
}

impl Scope {
    /// How many orders there were.
    pub(crate) fn orders(&self, kind: Kind, part: Part, interval: Interval) -> f64 {
        self.executed(kind, interval).part(part)
    }

    /// The mean size of an order, in coins.
    pub(crate) fn order_size(&self, kind: Kind, part: Part, interval: Interval) -> f64 {
        let executed = self.executed(kind, interval);
        let taken = self.taken(interval);
        let (bought, sold) = match kind {
            Kind::Market => (taken.buy, taken.sell),
            Kind::Limit => (taken.sell, taken.buy),
        };
        let decimals = self.coin.lot_decimals() + 2;
        let mean = |lots: i64, orders: i64| {
            if orders == 0 { 0.0 } else { rounded(scaled(lots, self.coin.lot_decimals()) / real(orders), decimals) }
        };
        let (of_buys, of_sells) = (mean(bought, executed.buy), mean(sold, executed.sell));
        match part {
            Part::Buy => of_buys,
            Part::Sell => of_sells,
            Part::Total => mean(bought + sold, executed.buy + executed.sell),
            Part::Delta => rounded(of_buys - of_sells, decimals),
        }
    }

    /// How many market orders look like those of programs.
    pub(crate) fn suspicious(&self, part: Part, interval: Interval) -> f64 {
        let [before, after] = [interval.start, interval.end].map(|moment| self.executed_until(Kind::Market, moment));
        let passed = |after: i64, before: i64| after.div_euclid(SUSPICIOUS) - before.div_euclid(SUSPICIOUS);
        Executed { buy: passed(after.buy, before.buy), sell: passed(after.sell, before.sell) }.part(part)
    }

    pub(crate) fn market_order_ratio(&self, interval: Interval) -> f64 {
        self.executed(Kind::Market, interval).balance()
    }

    pub(crate) fn limit_order_ratio(&self, interval: Interval) -> f64 {
        self.executed(Kind::Limit, interval).balance()
    }

    /// The balance of buying and selling, market and limit orders together.
    pub(crate) fn order_ratio(&self, interval: Interval) -> f64 {
        let [market, limit] = [Kind::Market, Kind::Limit].map(|kind| self.executed(kind, interval));
        Executed { buy: market.buy + limit.buy, sell: market.sell + limit.sell }.balance()
    }

    fn executed(&self, kind: Kind, interval: Interval) -> Executed {
        let [before, after] = [interval.start, interval.end].map(|moment| self.executed_until(kind, moment));
        Executed { buy: after.buy - before.buy, sell: after.sell - before.sell }
    }

    fn executed_until(&self, kind: Kind, moment: i64) -> Executed {
        let active = self.active_time(moment);
        let mut all = Executed::default();
        for venue in &self.venues {
            let (buying, selling) = taking_time(venue, active);
            let executed = match kind {
                Kind::Market => Executed {
                    buy: self.venue_orders(venue, "market buy", buying, 1.0),
                    sell: self.venue_orders(venue, "market sell", selling, 1.0),
                },
                Kind::Limit => Executed {
                    buy: self.venue_orders(venue, "limit buy", selling, LIMIT_ORDERS),
                    sell: self.venue_orders(venue, "limit sell", buying, LIMIT_ORDERS),
                },
            };
            all.buy += executed.buy;
            all.sell += executed.sell;
        }
        all
    }

    fn venue_orders(&self, venue: &Venue, what: &'static str, time: f64, factor: f64) -> i64 {
        let traded = self.coin.turnover * venue.weight * venue.uneven(what, time) * factor;
        self.sizes.iter().filter_map(|size| ORDERS.get(*size)).map(|orders| floor(traded * orders)).sum()
    }
}
