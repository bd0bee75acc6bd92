//! The part of the market that a request asks about, and the venues of its reply.
//!
//! Params come in, a [`Scope`] goes out. The meaning of a param follows from its type and its values, whatever its
//! name. Venues that the registry does not know are listed as unsupported and not refused; which endpoint covers which
//! venue is not documented.

use generated_client::registry::{ParamInfo, ValueInfo};

use crate::asked::Asked;
use crate::calendar::DAY;
use crate::known;
use crate::market::lately::Lately;
use crate::market::noise::Seed;
use crate::market::{Coin, FundingOf, Paths, PremiumAs, Scope, Venue};

/// The venues of a reply.
#[derive(Debug)]
pub(crate) struct Venues {
    /// The venues that the values are computed from.
    pub(crate) covered: Vec<&'static str>,
    /// The venues that were asked for and are not known.
    pub(crate) unsupported: Vec<String>,
}

/// Where the values come from if the catalogue knows no venues.
const NOWHERE: &str = "sandbox";

impl Venues {
    /// The venues that are asked for, or the default set.
    pub(crate) fn of(asked: &Asked) -> Self {
        let venues = known::venues().map_or(&[][..], |venues| venues.values);
        if venues.is_empty() {
            return Self { covered: vec![NOWHERE], unsupported: Vec::new() };
        }
        let known = venues.iter().map(|venue| venue.value);
        let wanted = asked.params().filter(|param| known::is_venue(param));
        let wanted = wanted.flat_map(|param| asked.all(param.wire_name)).collect::<Vec<_>>();
        if wanted.is_empty() {
            // An endpoint of one venue without one: the largest.
            let takes_one = asked.params().find(|param| known::is_venue(param)).filter(|param| !takes_several(param));
            let most = if takes_one.is_some() { 1 } else { usize::MAX };
            let kind = asked.params().find(|param| known::chooses_kinds(param));
            let kind = kind.and_then(|param| asked.one(param.wire_name));
            let covered = known.filter(|venue| is_of_kind(venue, kind)).take(most).collect();
            return Self { covered, unsupported: Vec::new() };
        }
        let is_pair = compares(asked);
        let mut venues = Self { covered: Vec::new(), unsupported: Vec::new() };
        for venue in wanted {
            match known.clone().find(|known| *known == venue) {
                // Two venues are compared in the order in which they are named, even with themselves.
                Some(venue) if !venues.covered.contains(&venue) || is_pair => {
                    venues.covered.push(venue);
                }
                Some(_) => {}
                None if venues.unsupported.iter().any(|known| known == venue) => {}
                None => venues.unsupported.push(venue.to_owned()),
            }
        }
        venues
    }
}

/// The word for venues of every kind.
const ALL: &str = "all";

/// Whether a venue belongs to the chosen kind; without a choice, whether it has none of the kinds that can be chosen.
fn is_of_kind(venue: &str, kind: Option<&str>) -> bool {
    match kind {
        Some(ALL) => true,
        Some(kind) if known::kinds().iter().any(|known| known.eq_ignore_ascii_case(kind)) => {
            known::is_of_kind(venue, kind)
        }
        _ => !known::kinds().iter().any(|kind| known::is_of_kind(venue, kind)),
    }
}

/// The scope of the params and the venues.
pub(crate) fn of(asked: &Asked, venues: &Venues, seed: Seed) -> Scope {
    let coin = match asked.params().find(|param| known::is_traded(param)) {
        None => Coin::all(seed),
        // Public clients write coins in either case.
        Some(param) => Coin::new(seed, &asked.one(param.wire_name).unwrap_or(known::first_value(param)).to_uppercase()),
    };
    let rank = |venue: &str| known::venues()?.values.iter().position(|known| known.value == venue);
    let mut ranked = venues.covered.iter().map(|venue| (rank(venue).unwrap_or(usize::MAX), *venue)).collect::<Vec<_>>();
    if !compares(asked) {
        // Sums must not depend on the order in which venues are named.
        ranked.sort_unstable();
    }
    Scope {
        coin,
        venues: ranked.into_iter().map(|(rank, venue)| Venue::new(&coin, venue, rank)).collect(),
        // The first length of time is the timeframe; one after it says where sums start anew.
        anchor: asked.lengths().nth(1).flatten().unwrap_or(DAY),
        sizes: sizes(asked),
        funding: if asked.word(&["average"]).is_some() { FundingOf::Average } else { FundingOf::Sum },
        paths: Paths::default(),
        taken: Lately::default(),
        open: Lately::default(),
        premium: if asked.word(&["percentage"]).is_some() { PremiumAs::Percentage } else { PremiumAs::Price },
    }
}

/// Whether two venues are compared.
fn compares(asked: &Asked) -> bool {
    asked.params().filter(|param| known::is_venue(param)).count() > 1
}

/// Whether several values of a param are taken.
pub(crate) fn takes_several(param: &ParamInfo) -> bool {
    param.list.is_some() && param.single.is_none()
}

/// The classes of trade size: those that a param takes several of, as numbers from 1 on.
fn sizes(asked: &Asked) -> Vec<usize> {
    let is_class = |value: &ValueInfo| value.value.parse::<usize>().is_ok();
    let are_classes = |param: &&ParamInfo| known::closed(param).is_some_and(|values| values.iter().all(is_class));
    let classes = asked.params().filter(|param| takes_several(param)).find(are_classes);
    let wanted = classes.map_or_else(Vec::new, |param| asked.all(param.wire_name));
    (0..7).filter(|size| wanted.is_empty() || wanted.iter().any(|bucket| bucket.parse() == Ok(size + 1))).collect()
}
