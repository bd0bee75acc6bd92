//! Faults on demand: the kinds of faults, and the selection of the faults that apply to a request.
//!
//! A [`Rule`] specifies an endpoint, a share of its requests and a fault. Random choices depend on the seed and on the
//! number of requests that have matched the rule, so a run is reproducible.

// The modules, lowest layer first.
pub(crate) mod delivery;

pub(crate) mod edit;

mod kind;

mod share;

mod fault_target;

mod rule_error;

mod fault_word;

mod rule;

mod active;

mod records;

pub(crate) use self::active::{ActiveFaults, Faults};
pub(crate) use self::fault_target::{FaultTarget, RequestParams};
pub(crate) use self::kind::Replacement;
pub use self::rule::Rule;
pub use self::rule_error::RuleError;
