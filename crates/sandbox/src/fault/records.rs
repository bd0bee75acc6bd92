//! Faults of single records: a record is missing, late, or revised after it was first returned.
//!
//! The share of such a rule is one of records. It depends on the series and on the time of a record, so a record that is
//! missing from one response is missing from all.

use std::time::Duration;

use super::active::Faults;
use super::fault_target::{FaultTarget, RequestParams};
use super::kind::{Fault, RecordFault};
use super::share::Share;
use crate::interval::Interval;
use crate::seed::Seed;

impl Faults {
    /// The seed of a record's values; `None` if the record does not exist at the time `now`. `seed` is the
    /// record's seed without faults; `now` is in Unix seconds.
    pub(crate) fn of_record(
        &self,
        target: FaultTarget,
        params: &RequestParams,
        seed: Seed,
        interval: Interval,
        now: i64,
    ) -> Option<Seed> {
        let mut revised = seed;
        for active in &*self.rules {
            let rule = &active.rule;
            let (Fault::Record(fault), Share::Part(part)) = (&rule.fault, rule.share) else { continue };
            if !rule.is_for(target, params) || seed.name(rule.text()).number(interval.start).unit() >= part {
                continue;
            }
            match *fault {
                RecordFault::Missing => return None,
                RecordFault::Late(delay) if now < after(interval, delay) => return None,
                RecordFault::Revised(delay) if now < after(interval, delay) => revised = revised.name("revised"),
                RecordFault::Late(_) | RecordFault::Revised(_) => {}
            }
        }
        Some(revised)
    }
}

fn after(interval: Interval, delay: Duration) -> i64 {
    interval.end.saturating_add_unsigned(delay.as_secs())
}
