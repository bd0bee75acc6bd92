//! The params of endpoints as keys: in a job file, or in a call of a program.

use crate::endpoint_names::{Endpoint, histories};
use crate::offered_param::{Offered, offered};
use crate::option_names::names;
use crate::param_options::range_params;

/// The params that a user can set for a backfill of these endpoints: all except those that a history sets.
#[derive(Debug)]
pub(crate) struct ParamKeys(Vec<Offered>);

impl ParamKeys {
    pub(crate) fn of(endpoints: &[Endpoint]) -> Self {
        let mut range: Vec<&str> = Vec::new();
        for info in histories(endpoints) {
            range.extend(range_params(info));
        }
        let mut settable = offered(endpoints);
        settable.retain(|one| !range.contains(&one.wire_name));
        Self(settable)
    }

    /// Finds a param by its key, or by an earlier name.
    pub(crate) fn find(&self, key: &str) -> Option<&Offered> {
        let named = self.0.iter().find(|one| names().is_job_key(key, one.wire_name));
        named.or_else(|| self.0.iter().find(|one| one.earlier_names().contains(key)))
    }

    /// The keys of all params.
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.iter().map(|one| names().job_key(one.wire_name)).collect()
    }
}
