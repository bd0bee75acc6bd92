//! Faults on demand: the kinds of faults, and the selection of the faults that apply to a request.
//!
//! A [`Rule`] specifies an endpoint, a share of its requests and a fault. Random choices depend on the seed and on the
//! number of requests that have matched the rule, so a run is reproducible. The submodules apply the faults.

pub(crate) mod delivery;
pub(crate) mod edit;
mod grammar;
mod kind;
mod record;
mod rule_error;
mod target;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::http::StatusCode;

pub use self::grammar::Rule;
pub use self::rule_error::RuleError;
pub(crate) use self::target::{RequestParams, Target};

use runtime::registry::Registry;

use self::delivery::{Delivery, Phase};
use self::edit::Edit;
use self::record::RecordFault;
use crate::seed::Seed;

/// The share of the matching requests, or of their records, to which a rule applies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Share {
    /// Each request or record with this probability, from 0 to 1.
    Part(f64),
    /// The first matching requests, up to this number.
    First(u64),
}

/// The effect of a rule.
#[derive(Clone, Debug, PartialEq)]
enum Fault {
    /// The response is delayed by a random time between these two durations.
    Latency(Duration, Duration),
    Replacement(Replacement),
    Edit(Edit),
    Record(RecordFault),
    Delivery(Delivery),
    /// The server closes a reused connection instead of sending a response.
    Stale,
    /// Connections are reset when they are accepted.
    ResetAtAccept,
}

/// A response that replaces the real response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Replacement {
    Status(StatusCode),
    Redirect(String),
}

/// The active rules, each with the number of requests that have matched it.
#[derive(Clone, Debug)]
pub(crate) struct Faults {
    rules: Arc<[(Rule, Seed, AtomicU64)]>,
}

/// The faults of one request. If several rules set a `replacement` or a `delivery`, the first of them applies.
#[derive(Debug, Default)]
pub(crate) struct ActiveFaults {
    pub(crate) latency: Duration,
    pub(crate) replacement: Option<Replacement>,
    pub(crate) edits: Vec<(Edit, Seed)>,
    pub(crate) delivery: Option<Delivery>,
}

impl Faults {
    /// Activates rules; an unknown name in a rule is an error.
    pub(crate) fn new(
        rules: impl IntoIterator<Item = Rule>,
        seed: Seed,
        registry: Registry,
    ) -> Result<Self, RuleError> {
        let armed = |rule: Rule| {
            rule.check(registry)?;
            let seed = seed.name("fault").name(rule.text());
            Ok((rule, seed, AtomicU64::new(0)))
        };
        Ok(Self { rules: rules.into_iter().map(armed).collect::<Result<_, _>>()? })
    }

    /// Returns the faults of a request with this target and these params. `reused` is `true` if an earlier request used
    /// the same connection.
    pub(crate) fn draw(&self, target: Target, params: &RequestParams, reused: bool) -> ActiveFaults {
        let mut active = ActiveFaults::default();
        for (rule, seed, matched) in &*self.rules {
            // Every matching rule counts the request, even if an earlier rule applies, so that the random sequence of a
            // rule does not depend on other rules.
            let concerned = rule.fault != Fault::ResetAtAccept && (reused || rule.fault != Fault::Stale);
            if concerned
                && !matches!(rule.fault, Fault::Record(_))
                && rule.is_for(target, params)
                && let Some(dice) = rule.share.draw(*seed, matched)
            {
                active.add(&rule.fault, dice);
            }
        }
        active
    }

    /// Returns the rules as text, one on each line.
    pub(crate) fn text(&self) -> String {
        self.rules.iter().flat_map(|(rule, ..)| [rule.text(), "\n"]).collect()
    }

    /// Returns `true` if a new connection is reset.
    pub(crate) fn reset_at_accept(&self) -> bool {
        let mut rules = self.rules.iter().filter(|(rule, ..)| rule.fault == Fault::ResetAtAccept);
        rules.any(|(rule, seed, matched)| rule.share.draw(*seed, matched).is_some())
    }
}

impl Share {
    /// Returns the seed for this occurrence of the fault; `None` if the fault does not apply to this request.
    fn draw(self, seed: Seed, matched: &AtomicU64) -> Option<Seed> {
        let number = matched.fetch_add(1, Ordering::Relaxed);
        let dice = seed.number(number.cast_signed());
        let applies = match self {
            // `unit` is at least 0 and less than 1, so with `<` a share of 0 selects no request, and a share of 1
            // selects every request.
            Self::Part(part) => dice.name("share").unit() < part,
            Self::First(count) => number < count,
        };
        applies.then_some(dice)
    }
}

impl ActiveFaults {
    fn add(&mut self, fault: &Fault, dice: Seed) {
        match fault {
            Fault::Latency(from, to) => {
                self.latency += *from + to.saturating_sub(*from).mul_f64(dice.name("latency").unit());
            }
            Fault::Replacement(replacement) => drop(self.replacement.get_or_insert_with(|| replacement.clone())),
            Fault::Edit(edit) => self.edits.push((*edit, dice)),
            Fault::Delivery(delivery) => {
                self.delivery.get_or_insert(*delivery);
            }
            // A stale connection ends before any response, so this fault replaces any other `delivery`.
            Fault::Stale => self.delivery = Some(Delivery::Broken { phase: Phase::Request, reset: false }),
            // `record.rs` applies the faults of records.
            Fault::ResetAtAccept | Fault::Record(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(rules: &[&str]) -> Faults {
        Faults::new(rules.iter().map(|rule| rule.parse().unwrap()), Seed::new(1), target::tests::REGISTRY).unwrap()
    }

    fn drawn(rule: &str, requests: usize) -> Vec<bool> {
        let faults = faults(&[rule]);
        let target = Target::Endpoint(&target::tests::BOOK);
        (0..requests).map(|_| faults.draw(target, &vec![], false).replacement.is_some()).collect()
    }

    #[test]
    fn share_selects_that_part_and_always_the_same_requests() {
        let drawn_first = drawn("10% status=503", 2000);
        let count = drawn_first.iter().filter(|is_drawn| **is_drawn).count();
        assert!((150..250).contains(&count), "{count}");
        assert_eq!(drawn("10% status=503", 2000), drawn_first);
        assert_eq!(drawn("2x status=503", 4), [true, true, false, false]);
        assert_eq!(drawn("0% status=503", 50), [false; 50]);
        assert_eq!(drawn("status=503", 50), [true; 50]);
        assert_eq!(drawn("/trades status=503", 2), [false; 2]);
    }

    #[test]
    fn latency_is_random_within_its_range() {
        let faults = faults(&["latency=10ms..30ms", "latency=1ms"]);
        let waits =
            (0..200).map(|_| faults.draw(Target::Other, &vec![], false).latency.as_micros()).collect::<Vec<_>>();
        assert!(waits.iter().all(|wait| (11_000..=31_000).contains(wait)));
        assert!(waits.iter().any(|wait| *wait < 16_000) && waits.iter().any(|wait| *wait > 26_000));
    }

    #[test]
    fn several_faults_apply_to_one_request() {
        let faults = faults(&["nulls", "cut", "reset=body", "status=500", "new-fields", "redirect"]);
        let active = faults.draw(Target::Other, &vec![], false);
        assert_eq!(active.edits.iter().map(|(edit, _)| *edit).collect::<Vec<_>>(), [Edit::Nulls, Edit::NewFields]);
        assert_eq!(active.delivery, Some(Delivery::Broken { phase: Phase::Body, reset: false }));
        assert_eq!(active.replacement, Some(Replacement::Status(StatusCode::INTERNAL_SERVER_ERROR)));
    }

    #[test]
    fn a_connection_is_stale_when_it_is_used_again() {
        let faults = faults(&["1x stale"]);
        let closed = [false, true, true].map(|reused| faults.draw(Target::Other, &vec![], reused).delivery.is_some());
        assert_eq!(closed, [false, true, false]);
        assert!(!faults.reset_at_accept());
    }
}
