//! Rates and indices: funding, lending, volatility, fear and greed, and others.
//!
//! Each is a level with a swing around it, at the end of an interval.

use std::rc::Rc;

use super::noise::{Path, SWING};
use super::{FundingOf, Scope};
use crate::calendar::{DAY, Interval, MINUTE};
use crate::number::{real, round, rounded, scaled};

/// A stablecoin, by its name.
pub(crate) const USDC: &str = "USDC";
pub(crate) const USDT: &str = "USDT";

impl Scope {
    /// The funding rate as a fraction, as the published example has it.
    pub(crate) fn funding_rate(&self, interval: Interval) -> f64 {
        self.funding_at(interval.end)
    }

    /// The rate of the coming payment, as expected before it.
    pub(crate) fn indicative_funding_rate(&self, interval: Interval) -> f64 {
        self.funding_at(interval.end + 30 * MINUTE)
    }

    fn funding_at(&self, moment: i64) -> f64 {
        let rates = self.venues.iter().map(|venue| {
            let swing = venue.swing("funding", moment);
            round(1_000.0 + 6_000.0 * swing)
        });
        let (sum, venues) = rates.fold((0, 0), |(sum, venues), rate| (sum + rate, venues + 1));
        match self.funding {
            FundingOf::Sum => scaled(sum, 8),
            FundingOf::Average if venues == 0 => 0.0,
            FundingOf::Average => rounded(scaled(sum, 8) / real(venues), 10),
        }
    }

    /// Loans in the quote currency, divided by loans in the coin.
    pub(crate) fn lending_ratio(&self, interval: Interval) -> f64 {
        rounded(8.0 * (1.5 * self.mean_swing("lending", interval.end)).exp(), 4)
    }

    /// A volatility index in points, when the interval begins.
    pub(crate) fn volatility_open(&self, interval: Interval) -> f64 {
        index_points(self.mean_path("volatility").at(real(interval.start)))
    }

    pub(crate) fn volatility_high(&self, interval: Interval) -> f64 {
        index_points(self.mean_path("volatility").highest(interval.start, interval.end))
    }

    pub(crate) fn volatility_low(&self, interval: Interval) -> f64 {
        index_points(self.mean_path("volatility").lowest(interval.start, interval.end))
    }

    pub(crate) fn volatility_close(&self, interval: Interval) -> f64 {
        index_points(self.mean_path("volatility").at(real(interval.end)))
    }

    /// The mean of all venues as one path, so that its extremes between two moments can be computed.
    fn mean_path(&self, what: &'static str) -> Rc<Path> {
        self.paths.path(what, &SWING, || {
            let part = 1.0 / real(i64::try_from(self.venues.len()).unwrap_or(1).max(1));
            self.venues.iter().map(|venue| (venue.seed.name(what), part)).collect()
        })
    }

    /// From 0, all fear, to 100, all greed.
    pub(crate) fn fear_and_greed(&self, interval: Interval) -> f64 {
        real(round(50.0 + 50.0 * self.mean_swing("greed", interval.end)))
    }

    /// The price of a stablecoin among private people, in percent of one US dollar.
    pub(crate) fn stablecoin_price(&self, stablecoin: &'static str, interval: Interval) -> f64 {
        rounded(100.3 + 1.5 * self.mean_swing(stablecoin, interval.end), 2)
    }

    /// The profit of the traders on a leaderboard, in USD: it grows and shrinks slowly.
    pub(crate) fn leaderboard(&self, interval: Interval) -> f64 {
        rounded(2.5e9 * (1.0 + 0.3 * self.mean_swing("leaderboard", interval.end)), 2)
    }

    /// WBTC that were minted in an interval: some hundred a day.
    pub(crate) fn minted(&self, interval: Interval) -> f64 {
        self.exchanged("minted", interval)
    }

    pub(crate) fn burned(&self, interval: Interval) -> f64 {
        self.exchanged("burned", interval)
    }

    fn exchanged(&self, what: &'static str, interval: Interval) -> f64 {
        let days = real(interval.end - interval.start) / real(DAY);
        rounded(150.0 * days * (1.0 + 0.9 * self.mean_swing(what, interval.end)), 4)
    }

    pub(crate) fn people(&self, interval: Interval) -> f64 {
        real(round(2_000.0 + 1_500.0 * self.mean_swing("people", interval.end)))
    }

    pub(crate) fn bots(&self, interval: Interval) -> f64 {
        real(round(78_000.0 + 20_000.0 * self.mean_swing("bots", interval.end)))
    }

    pub(crate) fn bot_share(&self, interval: Interval) -> f64 {
        let (people, bots) = (self.people(interval), self.bots(interval));
        bots / (people + bots)
    }
}

fn index_points(swing: f64) -> f64 {
    rounded(60.0 + 50.0 * swing, 2)
}
