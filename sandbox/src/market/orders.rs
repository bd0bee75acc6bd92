//! Executed orders: how many there were, and how large they were on average.
//!
//! Market orders take what limit orders offered, so what market orders bought is what limit orders sold.
//! Counts are functions of the moment, as volumes are; orders that rest in the book are not counted.

use super::tape::taking_time;
use super::{Scope, Venue};
use crate::calendar::Interval;
use crate::number::{balance, floor, real, rounded};

/// Market orders for every USD that is traded, by class of trade size.
const ORDERS: [f64; 7] = [2.0e-4, 1.25e-4, 3.75e-5, 1.0e-5, 1.2e-6, 6.0e-8, 2.7e-9];

/// Limit orders are smaller, so that one market order takes several.
const LIMIT_ORDERS: f64 = 1.6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Market,
    Limit,
}

/// Orders that bought and orders that sold.
#[derive(Clone, Copy, Debug, Default)]
struct Executed {
    buy: i64,
    sell: i64,
}

impl Executed {
    fn all(self) -> f64 {
        real(self.buy + self.sell)
    }

    fn balance(self) -> f64 {
        balance(real(self.buy), real(self.sell))
    }
}

impl Scope {
    pub(crate) fn market_orders(&self, interval: Interval) -> f64 {
        self.executed(Kind::Market, interval).all()
    }

    pub(crate) fn limit_orders(&self, interval: Interval) -> f64 {
        self.executed(Kind::Limit, interval).all()
    }

    pub(crate) fn market_order_size(&self, interval: Interval) -> f64 {
        self.mean_size(Kind::Market, interval)
    }

    pub(crate) fn limit_order_size(&self, interval: Interval) -> f64 {
        self.mean_size(Kind::Limit, interval)
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

    fn mean_size(&self, kind: Kind, interval: Interval) -> f64 {
        let orders = self.executed(kind, interval).all();
        if orders == 0.0 { 0.0 } else { rounded(self.volume(interval) / orders, self.coin.lot_decimals() + 2) }
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
                    buy: self.orders(venue, "market buy", buying, 1.0),
                    sell: self.orders(venue, "market sell", selling, 1.0),
                },
                Kind::Limit => Executed {
                    buy: self.orders(venue, "limit buy", selling, LIMIT_ORDERS),
                    sell: self.orders(venue, "limit sell", buying, LIMIT_ORDERS),
                },
            };
            all.buy += executed.buy;
            all.sell += executed.sell;
        }
        all
    }

    fn orders(&self, venue: &Venue, what: &'static str, time: f64, factor: f64) -> i64 {
        let traded = self.coin.turnover * venue.weight * venue.uneven(what, time) * factor;
        self.sizes.iter().filter_map(|size| ORDERS.get(*size)).map(|orders| floor(traded * orders)).sum()
    }
}
