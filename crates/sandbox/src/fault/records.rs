//! Faults of single records: a record is missing, late, or revised after it was first returned.
//!
//! The share of such a rule is one of records. It depends on the series and on the time of a record, so a record that is
//! missing from one response is missing from all.

use std::time::Duration;

use super::active::Faults;
use super::kind::{Fault, RecordFault};
use super::share::Share;
use super::target::{RequestParams, Target};
use crate::seed::Seed;

impl Faults {
    /// The seed of a record's values; `None` if the record does not exist at the time `now`. `seed` is the
    /// record's seed without faults, and `interval` contains its start and end; all times are in Unix seconds.
    pub(crate) fn of_record(
        &self,
        target: Target,
        params: &RequestParams,
        seed: Seed,
        (start, end): (i64, i64),
        now: i64,
    ) -> Option<Seed> {
        let mut revised = seed;
        for active in &*self.rules {
            let rule = &active.rule;
            let (Fault::Record(fault), Share::Part(part)) = (&rule.fault, rule.share) else { continue };
            if !rule.is_for(target, params) || seed.name(rule.text()).number(start).unit() >= part {
                continue;
            }
            let is_within = |delay: Duration| now < end.saturating_add_unsigned(delay.as_secs());
            match *fault {
                RecordFault::Missing => return None,
                RecordFault::Late(delay) if is_within(delay) => return None,
                RecordFault::Revised(delay) if is_within(delay) => revised = revised.name("revised"),
                RecordFault::Late(_) | RecordFault::Revised(_) => {}
            }
        }
        Some(revised)
    }
}
