//! The failure of a run that has left series without a record.

use std::ops::Range;

use runtime::Timestamp;

use crate::failure::{ExitKind, Failure};
use crate::notation::{chosen, flag};
use crate::progress::{counted, listed};
use crate::table::readable;
use crate::time_arg;

/// A series without a record.
pub(crate) struct EmptySeries {
    pub(crate) label: String,
    pub(crate) range: Range<Timestamp>,
    /// The number of records that the service has sent, with a time outside of the range or without a readable time.
    pub(crate) received: u64,
}

/// The failure for series without a record.
pub(crate) fn no_record(all: &[EmptySeries]) -> Failure {
    let mut labels = Vec::new();
    let mut received = 0;
    for empty in all {
        labels.push(empty.label.clone());
        received += empty.received;
    }
    let names = readable(&listed(&labels));
    let message = format!("no record of {names} {}", ranges(all));
    let failure = Failure::new(ExitKind::Incomplete, message);
    if received > 0 {
        let received = counted(received, "record");
        return failure
            .help(format!("the service has sent {received}, none of them with a readable time in the range"));
    }
    let option = flag("allow-empty");
    let accepts = format!("; `{option}` accepts series without records");
    // An assistant has no such argument.
    let accepts = chosen(&accepts, &accepts, "");
    failure.help(format!("check the range and the values of the params{accepts}"))
}

/// Describes the ranges of the series.
fn ranges(all: &[EmptySeries]) -> String {
    let Some((first, others)) = all.split_first() else {
        return time_arg::span(&(time_arg::OPEN..time_arg::OPEN));
    };
    let mut whole = first.range.clone();
    let mut are_equal = true;
    for empty in others {
        are_equal &= empty.range == first.range;
        whole.start = whole.start.min(empty.range.start);
        whole.end = whole.end.max(empty.range.end);
    }
    if are_equal {
        return time_arg::span(&whole);
    }
    format!("in their ranges between {} and {}", time_arg::shown(whole.start), time_arg::shown(whole.end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::{self, Notation};

    fn empty(label: &str, from: &str, to: &str) -> EmptySeries {
        let start = time_arg::timestamp(from).unwrap();
        let end = time_arg::timestamp(to).unwrap();
        EmptySeries { label: label.to_owned(), range: start..end, received: 0 }
    }

    #[test]
    fn series_without_a_record_are_named_with_their_ranges() {
        let message = |all: &[EmptySeries]| no_record(all).to_string().lines().next().unwrap().to_owned();
        let hours = empty("hours", "2025-01-01", "2025-01-02");
        let one = message(std::slice::from_ref(&hours));
        assert_eq!(one, "no record of hours from 2025-01-01 00:00 to 2025-01-02 00:00");
        let same = message(&[hours, empty("days", "2025-01-01", "2025-01-02")]);
        assert_eq!(same, "no record of hours, days from 2025-01-01 00:00 to 2025-01-02 00:00");
        let several = [empty("hours", "2025-01-01", "2025-01-02"), empty("days", "2024-03-01", "2024-05-01")];
        let expected = "no record of hours, days in their ranges between 2024-03-01 00:00 and 2025-01-02 00:00";
        assert_eq!(message(&several), expected);
    }

    #[tokio::test]
    async fn an_assistant_is_told_of_no_argument_that_its_tool_lacks() {
        let series = [empty("hours", "2025-01-01", "2025-01-02")];
        let failure = notation::within(Notation::Tools, async { no_record(&series).to_string() }).await;
        assert!(failure.contains("check the range") && !failure.contains("allow"), "{failure}");
    }

    #[test]
    fn records_that_nobody_can_use_are_named_if_a_series_is_empty() {
        let mut series = empty("hours", "2025-01-01", "2025-01-02");
        let failure = no_record(std::slice::from_ref(&series)).to_string();
        assert!(failure.contains("check the range"), "{failure}");
        series.received = 1000;
        let failure = no_record(&[series]).to_string();
        let expected = "the service has sent 1,000 records, none of them with a readable time in the range";
        assert!(failure.contains(expected), "{failure}");
    }
}
