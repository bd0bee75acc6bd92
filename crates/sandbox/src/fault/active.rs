//! The active rules, and the faults that apply to one request.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use runtime::registry::Registry;

use super::delivery::{Delivery, Phase};
use super::edit::Edit;
use super::fault_target::{FaultTarget, RequestParams};
use super::kind::{Fault, Replacement};
use super::rule::Rule;
use super::rule_error::RuleError;
use crate::seed::Seed;

/// The active rules, each with the number of requests that have matched it.
#[derive(Clone, Debug)]
pub(crate) struct Faults {
    pub(super) rules: Arc<[ActiveRule]>,
}

#[derive(Debug)]
pub(super) struct ActiveRule {
    pub(super) rule: Rule,
    seed: Seed,
    /// The number of requests that have matched the rule.
    matched: AtomicU64,
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
        let mut active = Vec::new();
        for rule in rules {
            rule.check(registry)?;
            let seed = seed.name("fault").name(rule.text());
            active.push(ActiveRule { rule, seed, matched: AtomicU64::new(0) });
        }
        Ok(Self { rules: active.into() })
    }

    /// The faults of a request with this target and these params. `reused` is `true` if an earlier request used
    /// the same connection.
    pub(crate) fn draw(&self, target: FaultTarget, params: &RequestParams, reused: bool) -> ActiveFaults {
        let mut active = ActiveFaults::default();
        for ActiveRule { rule, seed, matched } in &*self.rules {
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

    /// The rules as text, one on each line.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for active in &*self.rules {
            text += active.rule.text();
            text.push('\n');
        }
        text
    }

    /// `true` if a new connection is reset.
    pub(crate) fn reset_at_accept(&self) -> bool {
        for ActiveRule { rule, seed, matched } in &*self.rules {
            if rule.fault == Fault::ResetAtAccept && rule.share.draw(*seed, matched).is_some() {
                return true;
            }
        }
        false
    }
}

impl ActiveFaults {
    fn add(&mut self, fault: &Fault, dice: Seed) {
        match fault {
            Fault::Latency(from, to) => {
                self.latency += *from + to.saturating_sub(*from).mul_f64(dice.name("latency").unit());
            }
            Fault::Replacement(replacement) => {
                self.replacement.get_or_insert_with(|| replacement.clone());
            }
            Fault::Edit(edit) => self.edits.push((*edit, dice)),
            Fault::Delivery(delivery) => {
                self.delivery.get_or_insert(*delivery);
            }
            // A stale connection ends before any response, so this fault replaces any other `delivery`.
            Fault::Stale => self.delivery = Some(Delivery::Broken { phase: Phase::Request, reset: false }),
            // `records.rs` applies the faults of records.
            Fault::ResetAtAccept | Fault::Record(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;

    use super::*;
    use crate::fault::fault_target;

    fn faults(rules: &[&str]) -> Faults {
        Faults::new(rules.iter().map(|rule| rule.parse().unwrap()), Seed::new(1), fault_target::tests::REGISTRY)
            .unwrap()
    }

    fn drawn(rule: &str, requests: usize) -> Vec<bool> {
        let faults = faults(&[rule]);
        let target = FaultTarget::Endpoint(&fault_target::tests::BOOK);
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
            (0..200).map(|_| faults.draw(FaultTarget::Other, &vec![], false).latency.as_micros()).collect::<Vec<_>>();
        assert!(waits.iter().all(|wait| (11_000..=31_000).contains(wait)));
        assert!(waits.iter().any(|wait| *wait < 16_000) && waits.iter().any(|wait| *wait > 26_000));
    }

    #[test]
    fn several_faults_apply_to_one_request() {
        let faults = faults(&["nulls", "cut", "reset=body", "status=500", "new-fields", "redirect"]);
        let active = faults.draw(FaultTarget::Other, &vec![], false);
        assert_eq!(active.edits.iter().map(|(edit, _)| *edit).collect::<Vec<_>>(), [Edit::Nulls, Edit::NewFields]);
        assert_eq!(active.delivery, Some(Delivery::Broken { phase: Phase::Body, reset: false }));
        assert_eq!(active.replacement, Some(Replacement::Status(StatusCode::INTERNAL_SERVER_ERROR)));
    }

    #[test]
    fn a_connection_is_stale_when_it_is_used_again() {
        let faults = faults(&["1x stale"]);
        let closed =
            [false, true, true].map(|reused| faults.draw(FaultTarget::Other, &vec![], reused).delivery.is_some());
        assert_eq!(closed, [false, true, false]);
        assert!(!faults.reset_at_accept());
    }
}
