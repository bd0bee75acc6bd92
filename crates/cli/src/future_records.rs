//! The warnings about records in the future, and about the time of the service, which show that a clock is wrong.

use std::time::Duration;

use runtime::Timestamp;

use crate::log::Log;
use crate::notation::flag;
use crate::progress::duration;
use crate::time_arg;

const CLOCK: &str = "check the clock of this machine";

/// The difference from the time of the service that is a warning. Smaller ones do not change which records are requested.
const TOLERANCE: Duration = Duration::from_secs(24 * 60 * 60);

/// Warns if the clock of this machine is far from the time of the service, because the age of the records is then unknown.
/// Returns `true` if it has warned.
pub(crate) fn check_service_time(service: Timestamp, log: Log) -> bool {
    let now = Timestamp::now();
    let difference = now.abs_diff(service);
    if difference <= TOLERANCE {
        return false;
    }
    let direction = if now > service { "ahead of" } else { "behind" };
    log.warning(&format!(
        "the clock of this machine is {} {direction} that of the service, so ages are wrong; {CLOCK}",
        duration(difference)
    ));
    true
}

/// Warns if a record or its end is in the future, because the age of the records is then unknown. Expects the last
/// record of each series and its end. Returns `true` if it has warned.
pub(crate) fn check_clock(records: impl Iterator<Item = (Option<Timestamp>, Option<Timestamp>)>, log: Log) -> bool {
    let warning = future(records, Timestamp::now());
    if let Some(warning) = &warning {
        log.warning(warning);
    }
    warning.is_some()
}

/// The warning about the newest record in the future; if there is none, about the newest interval that ends in the
/// future.
fn future(records: impl Iterator<Item = (Option<Timestamp>, Option<Timestamp>)>, now: Timestamp) -> Option<String> {
    let mut ending_late = Vec::new();
    for (last, end) in records {
        if let (Some(last), Some(end)) = (last, end)
            && end > now
        {
            ending_late.push((last, end));
        }
    }
    // Among records that are not in the future, the one whose interval ends last is named.
    let (last, _) = ending_late.into_iter().max_by_key(|(last, end)| ((*last).max(now), *end))?;
    let time = time_arg::shown(last);
    if last > now {
        return Some(format!("the newest record, of {time}, is in the future; {CLOCK}"));
    }
    Some(format!(
        "the interval of the newest record, of {time}, ends in the future; without `{}`, {CLOCK}",
        flag("include-partial")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_in_the_future_goes_before_a_longer_interval_that_ends_later() {
        let time = |minutes: i64| Some(Timestamp::from_unix_seconds(minutes * 60));
        let (day, minute) = ((time(0), time(1440)), (time(61), time(62)));
        let warning =
            |records: &[(Option<Timestamp>, Option<Timestamp>)]| future(records.iter().copied(), time(60).unwrap());
        let expected = "the newest record, of 1970-01-01 01:01, is in the future; ";
        assert!(warning(&[day, minute]).is_some_and(|warning| warning.starts_with(expected)));
        let expected = "the interval of the newest record, of 1970-01-01 00:00, ends in the future; ";
        assert!(warning(&[day, (time(58), time(59))]).is_some_and(|warning| warning.starts_with(expected)));
        assert_eq!(warning(&[(time(59), time(60)), (None, None)]), None);
    }
}
