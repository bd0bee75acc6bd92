//! The account of a history: what became of each record that was received, and of each step that was requested.
//!
//! A page has an account, made when its response is read. The accounts of pages are added up by the history, by the
//! crate `dataset` and by the command line, so that the figures of each layer are the same.

/// What became of the records that a history has received, and of the steps of its range.
///
/// The received records are the sum of `delivered`, `repeated`, `outside`, `not_final`, `without_time` and `invalid`;
/// `distant` is a part of `outside` and `repeated`.
/// The steps are the sum of `covered`, `empty`, `failed` and `never_requested`; events have no steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Account {
    /// Records that are part of the result.
    pub delivered: u64,
    /// Records of a step that another response has delivered. A request extends beyond its window by one record on each
    /// side, and a response that lacks records is requested again in parts. Also equal records with the same key on one
    /// page.
    pub repeated: u64,
    /// Records with a time outside of the requested range, or in a part of it that no response has delivered.
    pub outside: u64,
    /// Those of the records outside of the range, and of the response to the last request for later records, that are
    /// further from what was requested than the rounding of a request explains. A service that ignores the range sends them,
    /// and one whose times have another unit.
    pub distant: u64,
    /// Records of an interval that was still open.
    pub not_final: u64,
    /// Records whose time is missing or cannot be read.
    pub without_time: u64,
    /// Records in the range that have a time and cannot be decoded; they are among the
    /// [bad records](super::Report::bad_records).
    pub invalid: u64,
    /// Steps with at least one record, also if it is invalid.
    pub covered: u64,
    /// Steps that were requested, and for which the service has no record.
    pub empty: u64,
    /// Steps whose requests failed.
    pub failed: u64,
    /// Steps that a search for the first record has skipped.
    pub never_requested: u64,
}

impl Account {
    /// Returns the number of received records.
    pub fn received(&self) -> u64 {
        self.delivered + self.repeated + self.outside + self.not_final + self.without_time + self.invalid
    }

    /// Returns the number of steps of the requested range.
    pub fn steps(&self) -> u64 {
        self.covered + self.empty + self.failed + self.never_requested
    }

    /// Adds the figures of another account.
    pub fn add(&mut self, other: &Self) {
        self.delivered += other.delivered;
        self.repeated += other.repeated;
        self.outside += other.outside;
        self.distant += other.distant;
        self.not_final += other.not_final;
        self.without_time += other.without_time;
        self.invalid += other.invalid;
        self.covered += other.covered;
        self.empty += other.empty;
        self.failed += other.failed;
        self.never_requested += other.never_requested;
    }

    /// Returns each figure with its name, in the order in which they are printed: first the records, then the steps.
    pub fn figures(&self) -> [(&'static str, u64); 13] {
        [
            ("received", self.received()),
            ("delivered", self.delivered),
            ("repeated", self.repeated),
            ("outside", self.outside),
            ("distant", self.distant),
            ("not_final", self.not_final),
            ("without_time", self.without_time),
            ("invalid", self.invalid),
            ("steps", self.steps()),
            ("covered", self.covered),
            ("empty", self.empty),
            ("failed", self.failed),
            ("never_requested", self.never_requested),
        ]
    }
}

/// Converts a number of records.
pub(super) fn count(records: usize) -> u64 {
    u64::try_from(records).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_include_every_figure() {
        let one = Account {
            delivered: 1,
            repeated: 2,
            outside: 3,
            distant: 2,
            not_final: 4,
            without_time: 5,
            invalid: 6,
            covered: 7,
            empty: 8,
            failed: 9,
            never_requested: 10,
        };
        let mut two = one;
        two.add(&one);
        assert_eq!((one.received(), one.steps()), (21, 34));
        for ((name, single), (_, double)) in one.figures().into_iter().zip(two.figures()) {
            assert_eq!(double, 2 * single, "{name}");
        }
    }
}
