//! The invented market: the values of one coin on some venues, at any moment.
//!
//! A [`Scope`] says which part of the market is meant; the files below compute its values, each as a function of time
//! alone, so that every window shows the same market. Endpoints, params and replies are not known here.

pub(crate) mod book;
pub(crate) mod crowd;
pub(crate) mod lately;
pub(crate) mod levels;
pub(crate) mod mood;
pub(crate) mod noise;
pub(crate) mod open_interest;
pub(crate) mod orders;
pub(crate) mod price;
pub(crate) mod tape;

use std::cell::RefCell;
use std::rc::Rc;

use self::lately::Lately;
use self::levels::{Levels, Open};
use self::noise::{DRIFT, Noise, Path, SWING, Seed, Strand};
use self::tape::Taken;
use crate::number::{floor, real};

/// A coin, or all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coin {
    seed: Seed,
    /// What it usually costs.
    price: f64,
    /// What is usually traded of it on the largest venue, in USD a second.
    turnover: f64,
    /// The power of ten at or below the usual price.
    magnitude: i32,
}

/// Coins with realistic prices and turnovers; any other coin gets invented ones.
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
        Self { seed, price, turnover, magnitude: i32::try_from(floor(price.log10())).unwrap_or(0) }
    }

    /// All coins together, counted in USD.
    pub(crate) fn all(seed: Seed) -> Self {
        Self { seed: seed.name("all coins"), price: 1.0, turnover: 1_000_000.0, magnitude: 0 }
    }

    /// Decimals of a lot, the unit in which trades are counted: one is worth between 0.1 and 1 USD.
    fn lot_decimals(&self) -> i32 {
        self.magnitude + 1
    }

    /// Decimals of a tick, the unit in which prices are quoted.
    fn tick_decimals(&self) -> i32 {
        5 - self.magnitude
    }
}

/// The paths that were asked for, by name: each is made once and remembers its latest lookups.
#[derive(Debug, Default)]
pub(crate) struct Paths(RefCell<Vec<(&'static str, Rc<Path>)>>);

impl Paths {
    /// The path of this name, with these strands when it is first asked for.
    fn path(&self, what: &'static str, noise: &'static Noise, strands: impl FnOnce() -> Vec<Strand>) -> Rc<Path> {
        let mut known = self.0.borrow_mut();
        // The same name made at another place may be another path, but has the same values.
        if let Some((_, path)) = known.iter().find(|(name, _)| std::ptr::eq(*name, what)) {
            return Rc::clone(path);
        }
        let path = Rc::new(Path::new(noise, strands()));
        known.push((what, Rc::clone(&path)));
        path
    }
}

/// A venue, as the market of one coin.
#[derive(Debug)]
pub(crate) struct Venue {
    seed: Seed,
    /// Its size; the largest venue has 1.
    weight: f64,
    paths: Paths,
    levels: Levels,
}

impl Venue {
    /// The venue with this identifier, which has this rank among all by size.
    pub(crate) fn new(coin: &Coin, identifier: &str, rank: usize) -> Self {
        let rank = i64::try_from(rank).unwrap_or(i64::MAX);
        let (seed, weight) = (coin.seed.name(identifier), 1.0 / (1.0 + real(rank)));
        Self { seed, weight, paths: Paths::default(), levels: Levels::default() }
    }

    /// A value between -1 and 1.
    fn swing(&self, what: &'static str, moment: i64) -> f64 {
        self.own_path(what, &SWING).at(real(moment))
    }

    /// A value that rises and falls, always more slowly than time.
    fn lean(&self, what: &'static str, time: f64) -> f64 {
        self.own_path(what, &DRIFT).at(time)
    }

    /// Time that runs faster and slower, never backward.
    fn uneven(&self, what: &'static str, time: f64) -> f64 {
        time + self.lean(what, time)
    }

    fn own_path(&self, what: &'static str, noise: &'static Noise) -> Rc<Path> {
        self.paths.path(what, noise, || vec![(self.seed.name(what), 1.0)])
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

/// The part of the market that a request is about.
#[derive(Debug)]
pub(crate) struct Scope {
    pub(crate) coin: Coin,
    pub(crate) venues: Vec<Venue>,
    /// Seconds after which anchored sums begin anew.
    pub(crate) anchor: i64,
    /// The classes of trade size that count, from 0 on.
    pub(crate) sizes: Vec<usize>,
    pub(crate) funding: FundingOf,
    pub(crate) premium: PremiumAs,
    /// The paths of the coin, and of all venues together.
    pub(crate) paths: Paths,
    pub(crate) taken: Lately<Taken>,
    pub(crate) open: Lately<Open>,
}

impl Scope {
    /// The scope as a seed.
    pub(crate) fn seed(&self) -> Seed {
        let venues = self.venues.iter().fold(0, |all, venue| all ^ venue.seed.bits());
        self.coin.seed.number(venues.cast_signed())
    }

    /// The sum of one path for each venue, weighted by size, with a share for the coin as a whole.
    fn common_path(&self, what: &'static str, noise: &'static Noise) -> Rc<Path> {
        self.paths.path(what, noise, || {
            let own = self.venues.iter().map(|venue| (venue.seed.name(what), venue.weight * 0.6));
            let common = self.venues.iter().map(|venue| venue.weight * 0.4).sum();
            own.chain([(self.coin.seed.name(what), common)]).collect()
        })
    }

    fn weight(&self) -> f64 {
        self.venues.iter().map(|venue| venue.weight).sum()
    }
}
