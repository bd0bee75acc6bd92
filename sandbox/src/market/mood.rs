//! Rates and indices: what longs pay shorts, what is borrowed, and how the market feels.
//!
//! Each is a level with a swing around it, as it is when an interval ends.

use super::{FundingOf, Scope};
use crate::calendar::Interval;
use crate::number::{real, round, rounded, scaled};

impl Scope {
    /// The funding rate as a fraction.
    pub(crate) fn funding_rate(&self, interval: Interval) -> f64 {
        let rates = self.venues.iter().map(|venue| {
            let swing = venue.swing("funding", interval.end);
            round(10_000.0 + 60_000.0 * swing)
        });
        let (sum, venues) = rates.fold((0, 0), |(sum, venues), rate| (sum + rate, venues + 1));
        match self.funding {
            FundingOf::Sum => scaled(sum, 8),
            FundingOf::Average if venues == 0 => 0.0,
            FundingOf::Average => rounded(scaled(sum, 8) / real(venues), 10),
        }
    }

    /// What is on loan in the quote currency, over what is on loan in the coin.
    pub(crate) fn lending_ratio(&self, interval: Interval) -> f64 {
        rounded(8.0 * (1.5 * self.mean_swing("lending", interval.end)).exp(), 4)
    }

    /// A volatility index in points.
    pub(crate) fn implied_volatility(&self, interval: Interval) -> f64 {
        rounded(60.0 + 50.0 * self.mean_swing("volatility", interval.end), 2)
    }

    /// From 0, all fear, to 100, all greed.
    pub(crate) fn fear_and_greed(&self, interval: Interval) -> f64 {
        real(round(50.0 + 50.0 * self.mean_swing("greed", interval.end)))
    }

    /// What a stablecoin costs among private people beyond its value, in percent.
    pub(crate) fn stablecoin_premium(&self, interval: Interval) -> f64 {
        rounded(0.3 + 1.5 * self.mean_swing("stablecoin", interval.end), 3)
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
