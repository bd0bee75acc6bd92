//! What the description says of things that the catalogue knows: what was unknown is filled in, and what contradicts
//! is listed and stays.
//!
//! Everything is compared before anything is written, with the catalogue as it was.

mod absent;
mod endpoints;
mod facts;
mod fields;
mod params;
mod required;
mod service;
mod types;

use super::meetings::Meetings;
use super::{Builder, Slot};
use crate::evolve::change::Checked;
use crate::evolve::import::plan::Plan;
use crate::spec::Evidence;
use facts::Facts;
pub(super) use facts::{Edit, Fill};

/// A plan and a catalogue side by side.
struct Comparison<'a> {
    checked: &'a Checked,
    plan: &'a Plan,
    met: &'a Meetings,
    /// How the description is known, where it does not say that itself.
    evidence: Evidence,
    facts: Facts,
}

/// Compares everything that both know.
pub(super) fn compare(builder: &Builder<'_>, slots: &[Slot]) -> Facts {
    let evidence = Evidence::of(&builder.import.evidence).unwrap_or(Evidence::Reported);
    let Builder { desk, plan, met, .. } = builder;
    let mut comparison = Comparison { checked: &desk.checked, plan, met, evidence, facts: Facts::default() };
    comparison.service();
    comparison.groups();
    comparison.endpoints(slots);
    for param in &met.params {
        comparison.param(param);
    }
    for (record, at) in &met.fields {
        comparison.fields(*record, at);
    }
    comparison.time_of_series();
    comparison.named_types();
    comparison.absent(slots);
    comparison.facts
}
