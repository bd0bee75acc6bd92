//! The warnings about records in the future, and about the time of the service, which show that a clock is wrong.

use std::time::Duration;

use runtime::{Dynamic, Request, Timestamp};

use crate::log::Log;
use crate::notation::flag;
use crate::progress::duration;
use crate::time_arg;

const CLOCK: &str = "check the clock of this machine";

/// The difference from the time of the service that is a warning: it changes which records an age such as `6h` requests, and
/// delays those that a program follows.
const TOLERANCE: Duration = Duration::from_secs(600);

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

/// The interval at which a program that follows records compares the clocks.
const COMPARE_EVERY: Duration = Duration::from_secs(60);

/// Warns while this program follows records if the clock of this machine is not that of the service, which decides when an
/// interval has ended.
pub(crate) fn watch_clock(request: Request<Dynamic>, log: Log) {
    tokio::spawn(async move {
        let mut clock = FollowerClock::default();
        loop {
            tokio::time::sleep(COMPARE_EVERY).await;
            if let Some(message) = clock.compare(Timestamp::now(), request.service_time()) {
                log.warning(&message);
            }
        }
    });
}

/// What a program that follows records has said about the clocks.
#[derive(Default)]
struct FollowerClock {
    is_wrong: bool,
    /// What the last comparison has found. After a suspend, the time of the service is unknown until its next response.
    was_wrong: bool,
}

impl FollowerClock {
    /// Compares the time of this machine with that of the service. Returns a message if two comparisons agree that it is wrong
    /// now, or right again.
    fn compare(&mut self, now: Timestamp, service: Timestamp) -> Option<String> {
        let difference = now.abs_diff(service);
        let is_wrong = difference > TOLERANCE;
        let is_confirmed = std::mem::replace(&mut self.was_wrong, is_wrong) == is_wrong;
        if !is_confirmed || is_wrong == self.is_wrong {
            return None;
        }
        self.is_wrong = is_wrong;
        if !is_wrong {
            return Some("the clocks of this machine and of the service agree again".to_owned());
        }
        let direction = if now > service { "behind" } else { "ahead of" };
        Some(format!(
            "the clock of the service is {} {direction} that of this machine, and decides when a record is due; {CLOCK}",
            duration(difference)
        ))
    }
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
    fn a_follower_says_once_that_a_clock_is_wrong() {
        let time = |minutes: i64| Timestamp::from_unix_seconds(minutes * 60);
        let mut clock = FollowerClock::default();
        let mut said = Vec::new();
        let wrong = [(101, 95), (102, 42), (103, 103), (104, 44), (105, 45), (106, 46)];
        let right_and_wrong = [(107, 107), (108, 108), (109, 189), (110, 190)];
        for (now, service) in wrong.into_iter().chain(right_and_wrong) {
            said.extend(clock.compare(time(now), time(service)));
        }
        assert_eq!(said.len(), 3, "{said:?}");
        assert!(said[0].starts_with("the clock of the service is 60 minutes behind "), "{said:?}");
        assert!(said[1].ends_with("agree again") && said[2].contains("ahead of"), "{said:?}");
    }

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
