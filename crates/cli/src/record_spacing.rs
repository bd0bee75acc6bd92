//! Warnings about endpoints whose records are further apart, or closer, than the interval that was requested.
//!
//! Such a response may be of another interval. Each endpoint has one warning.

use std::collections::BTreeMap;

use runtime::Interval;

use crate::progress::counted;

/// The records of an endpoint that were received, and the intervals that they are in.
#[derive(Default)]
struct Received {
    records: u64,
    intervals: u64,
}

/// Finds the endpoints whose records have another spacing than the requested interval.
#[derive(Default)]
pub(crate) struct SpacingCheck {
    received: BTreeMap<String, Received>,
    /// The first series of each endpoint whose records are further apart.
    sparse: BTreeMap<String, String>,
}

impl SpacingCheck {
    /// Adds a series whose records are usually `spacing` intervals apart.
    pub(crate) fn add_spacing(&mut self, endpoint: &str, interval: Interval, spacing: Option<u64>) {
        let Some(spacing) = spacing.filter(|spacing| *spacing > 1) else { return };
        let step = interval.step();
        let text = format!(
            "{endpoint}: most records are {} of {step} apart; check whether the service has records of each {step}",
            counted(spacing, "interval")
        );
        self.sparse.entry(endpoint.to_owned()).or_insert(text);
    }

    /// Adds the records that were received for a series of an endpoint without a `key`, and the number of intervals that
    /// they are in.
    pub(crate) fn add_received(&mut self, endpoint: &str, records: u64, intervals: u64) {
        let of_endpoint = self.received.entry(endpoint.to_owned()).or_default();
        of_endpoint.records += records;
        of_endpoint.intervals += intervals;
    }

    pub(crate) fn warnings(self) -> Vec<String> {
        let mut warnings = Vec::new();
        for (endpoint, Received { records, intervals }) in self.received {
            if records > intervals && intervals > 0 {
                warnings.push(format!(
                    "{endpoint}: {} in {}; all of them are written; check the interval, or declare the `key` of a record \
                     in the catalogue",
                    counted(records, "record"),
                    counted(intervals, "interval")
                ));
            }
        }
        warnings.extend(self.sparse.into_values());
        warnings
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn each_endpoint_has_one_warning() {
        let hour = Interval::from(Duration::from_secs(3600));
        let mut check = SpacingCheck::default();
        for spacing in [None, Some(1), Some(4), Some(24)] {
            check.add_spacing("a", hour, spacing);
        }
        check.add_received("a", 10, 10);
        check.add_received("b", 10, 10);
        check.add_received("b", 20, 10);
        let expected = [
            "b: 30 records in 20 intervals; all of them are written; check the interval, or declare the `key` of a record \
             in the catalogue",
            "a: most records are 4 intervals of 1h apart; check whether the service has records of each 1h",
        ];
        assert_eq!(check.warnings(), expected);
    }
}
