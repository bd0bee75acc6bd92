//! The share of a rule, and the random choice of the requests to which it applies.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::seed::Seed;

/// The share of the matching requests, or of their records, to which a rule applies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Share {
    /// Each request or record with this probability, from 0 to 1.
    Part(f64),
    /// The first matching requests, up to this number.
    First(u64),
}

impl Share {
    /// The seed for this occurrence of the fault; `None` if the fault does not apply to this request.
    pub(super) fn draw(self, seed: Seed, matched: &AtomicU64) -> Option<Seed> {
        let number = matched.fetch_add(1, Ordering::Relaxed);
        let dice = seed.number(number.cast_signed());
        let applies = match self {
            // `unit` is at least 0 and less than 1, so with `<` a share of 0 selects no request, and a share of 1
            // selects every request.
            Self::Part(part) => dice.name("share").unit() < part,
            Self::First(count) => number < count,
        };
        if applies { Some(dice) } else { None }
    }
}
