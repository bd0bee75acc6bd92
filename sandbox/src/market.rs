//! The invented market: what there is to know of one coin on some venues, at any moment.
//!
//! A [`Scope`] says which part of the market is meant; the files below add what can be measured there, each
//! as a function of time alone, so that every window shows the same market. Nothing here knows an endpoint,
//! a param or a reply.

pub(crate) mod book;
pub(crate) mod crowd;
pub(crate) mod levels;
pub(crate) mod mood;
pub(crate) mod noise;
pub(crate) mod open_interest;
pub(crate) mod orders;
pub(crate) mod price;
pub(crate) mod tape;

use self::noise::{Noise, Path, Seed, Strand};
use crate::number::{floor, real};

/// A coin, or all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coin {
    seed: Seed,
    /// What it usually costs.
    price: f64,
    /// What is usually traded of it on the largest venue, in USD a second.
    turnover: f64,
}

/// Coins whose usual price and turnover a reader would miss; any other coin gets some of its own.
const FAMILIAR: [(&str, f64, f64); 3] =
    [("BTC", 60_000.0, 200_000.0), ("ETH", 3_000.0, 120_000.0), ("HYPE", 30.0, 8_000.0)];

impl Coin {
    pub(crate) fn new(seed: Seed, symbol: &str) -> Self {
        let seed = seed.name(symbol);
        let familiar = FAMILIAR.iter().find(|(name, ..)| *name == symbol);
        let (price, turnover) = match familiar {
            Some((_, price, turnover)) => (*price, *turnover),
            None => {
                (10_f64.powf(seed.name("price").unit() * 5.0 - 2.0), 500.0 + 4_000.0 * seed.name("turnover").unit())
            }
        };
        Self { seed, price, turnover }
    }

    /// All coins together, counted in USD.
    pub(crate) fn all(seed: Seed) -> Self {
        Self { seed: seed.name("all coins"), price: 1.0, turnover: 1_000_000.0 }
    }

    /// Decimals of a lot, the unit in which trades are counted: one is worth between 0.1 and 1 USD.
    fn lot_decimals(&self) -> i32 {
        self.magnitude() + 1
    }

    /// Decimals of a tick, the unit in which prices are quoted.
    fn tick_decimals(&self) -> i32 {
        5 - self.magnitude()
    }

    /// The power of ten at or below the usual price.
    fn magnitude(&self) -> i32 {
        i32::try_from(floor(self.price.log10())).unwrap_or(0)
    }
}

/// A venue, as the market of one coin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Venue {
    seed: Seed,
    /// Its size; the largest venue has 1.
    weight: f64,
}

impl Venue {
    /// The venue with this identifier, which stands at this place among all by size.
    pub(crate) fn new(coin: &Coin, identifier: &str, rank: usize) -> Self {
        let rank = i64::try_from(rank).unwrap_or(i64::MAX);
        Self { seed: coin.seed.name(identifier), weight: 1.0 / (1.0 + real(rank)) }
    }
}

/// How the funding rates of several venues become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FundingOf {
    Sum,
    Average,
}

/// How the difference of two prices is expressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PremiumAs {
    Price,
    Percentage,
}

/// The part of the market that a question is about.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    pub(crate) coin: Coin,
    pub(crate) venues: Vec<Venue>,
    /// Seconds after which anchored sums begin anew.
    pub(crate) anchor: i64,
    /// The classes of trade size that count, from 0 on.
    pub(crate) sizes: Vec<usize>,
    pub(crate) funding: FundingOf,
    pub(crate) premium: PremiumAs,
}

impl Scope {
    /// What is meant, as a seed.
    pub(crate) fn seed(&self) -> Seed {
        let venues = self.venues.iter().fold(0, |all, venue| all ^ venue.seed.bits());
        self.coin.seed.number(venues.cast_signed())
    }

    /// One path for each venue, added up by size, in which the coin as a whole has its part.
    fn strands(&self, what: &str) -> Vec<Strand> {
        let own = self.venues.iter().map(|venue| (venue.seed.name(what), venue.weight * 0.6));
        let common = self.venues.iter().map(|venue| venue.weight * 0.4).sum();
        own.chain([(self.coin.seed.name(what), common)]).collect()
    }

    fn weight(&self) -> f64 {
        self.venues.iter().map(|venue| venue.weight).sum()
    }
}

/// A value between -1 and 1 that belongs to a seed.
fn swing(seed: Seed, what: &str, moment: i64) -> f64 {
    Path { noise: &Noise::swing(), strands: &[(seed.name(what), 1.0)] }.at(real(moment))
}

/// Time that runs faster and slower, never backward.
fn uneven(seed: Seed, time: f64) -> f64 {
    time + lean(seed, time)
}

/// Rises and falls, always slower than time does.
fn lean(seed: Seed, time: f64) -> f64 {
    Path { noise: &Noise::drift(), strands: &[(seed, 1.0)] }.at(time)
}
