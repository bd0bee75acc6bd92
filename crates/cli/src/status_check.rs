//! The problems of a file or a data set, for which `status` fails.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;

use dataset::{SeriesStatus, Status, quoted};
use indicatif::HumanCount;
use runtime::Timestamp;

use crate::failure::{adopt_command, brief_text};
use crate::marks;
use crate::program::program;
use crate::progress::{counted, listed};
use crate::series_label::label_of;
use crate::time_arg;
use crate::unsupported_values::sentence_of;

/// The age from which records that are not in the files yet are a problem. Twice the interval at which `poll` adds
/// them.
const MAX_PENDING: Duration = Duration::from_secs(600);

/// Judges the state of a target at a time.
pub(crate) struct StatusCheck<'s> {
    pub(crate) path: &'s str,
    pub(crate) status: &'s Status,
    /// The age from which the last record of a series is a problem.
    pub(crate) max_age: Option<Duration>,
    pub(crate) now: Timestamp,
}

impl<'s> StatusCheck<'s> {
    /// The problems, each with the number or names of the affected items.
    pub(crate) fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let missing = self.status.missing_files;
        let damaged = (self.status.damaged.len() as u64).saturating_sub(missing);
        if damaged > 0 {
            problems.push(counted(damaged, "damaged file"));
        }
        if missing > 0 {
            problems.push(counted(missing, "missing file"));
        }
        let strays = self.status.strays.len() as u64;
        if strays > 0 {
            problems.push(format!("{} that the data set does not have", counted(strays, "Parquet file")));
        }
        problems.extend(self.without_state());
        problems.extend(self.unacknowledged());
        if self.is_late() {
            problems.push(self.late());
        }
        problems.extend(part_of(self.status, "fetched", |series| &series.unfetched, is_unfetched));
        problems.extend(self.rejected());
        problems.extend(self.unsupported());
        problems.extend(self.ignored_ranges());
        let without_age = self.labels(|series| self.lacks_age(series));
        if !without_age.is_empty() {
            problems.push(format!("no record, so no age: {}", listed(&without_age)));
        }
        let old = self.labels(|series| self.is_old(series));
        if !old.is_empty() {
            problems.push(format!("last record too old: {}", listed(&old)));
        }
        let future = self.labels(|series| self.is_future(series));
        if !future.is_empty() {
            problems.push(format!("last record in the future: {}", listed(&future)));
        }
        problems
    }

    /// The labels of the affected series.
    fn labels(&self, is_affected: impl Fn(&SeriesStatus) -> bool) -> Vec<String> {
        let mut labels = Vec::new();
        for series in &self.status.series {
            if is_affected(series) {
                labels.push(label_of(series));
            }
        }
        labels
    }

    /// Names the tables whose state is missing.
    fn without_state(&self) -> Option<String> {
        if self.status.without_state.is_empty() {
            return None;
        }
        let mut names = Vec::new();
        for name in &self.status.without_state {
            names.push(quoted(format!("{name}*.parquet")));
        }
        let command = adopt_command(self.path);
        Some(format!("the state of {} is missing; `{command}` rebuilds it from the files", listed(&names)))
    }

    /// The number of marks that no user has acknowledged.
    fn unacknowledged(&self) -> Option<String> {
        let [fields, again] = marks::missing_fields(&self.status.missing_fields);
        let files = self.status.lost_rows.len() as u64;
        let mut marks = Vec::new();
        if fields > 0 {
            marks.push(format!("{} no longer sent", counted(fields, "field")));
        }
        if again > 0 {
            marks.push(format!("{} sent again", counted(again, "missing field")));
        }
        if files > 0 {
            marks.push(format!("lost rows of {}", counted(files, "file")));
        }
        if marks.is_empty() {
            return None;
        }
        let command = format!("`{} acknowledge {}`", program().name, quoted(self.path));
        Some(format!("{}, until {command}", marks.join(" and ")))
    }

    /// Whether a run would have added the fetched records to the files by now.
    pub(crate) fn is_late(&self) -> bool {
        match self.status.pending_since {
            Some(since) => since + MAX_PENDING < self.now,
            None => false,
        }
    }

    /// Describes the fetched records that no run has added to the files.
    fn late(&self) -> String {
        let why = if self.status.damaged.is_empty() {
            "not in the file yet, because a run is still active or was killed; the next run adds them"
        } else {
            "not in the file yet; the next run adds those of intact files"
        };
        format!("{} {why}", counted(self.status.pending, "record"))
    }

    /// Names the rejected series, with the reason for the first of them.
    fn rejected(&self) -> Option<String> {
        let first = self.status.series.iter().find(|series| is_rejected(series))?;
        let why = first.rejected.as_deref()?;
        let names = listed(&self.labels(is_rejected));
        let why = brief_text(why);
        Some(format!("the service rejected {names}: {why}; `retire` keeps their rows and requests them no more"))
    }

    /// Names the series with values that their endpoints do not support, in a sentence for all series with the same values.
    fn unsupported(&self) -> Vec<String> {
        let mut labels: BTreeMap<&BTreeSet<String>, Vec<String>> = BTreeMap::new();
        for series in self.status.series.iter().filter(|series| has_unsupported(series)) {
            labels.entry(&series.unsupported).or_default().push(label_of(series));
        }
        labels.into_iter().filter_map(|(values, labels)| sentence_of(&listed(&labels), values)).collect()
    }

    /// Names the series whose requested range the service seems to ignore.
    fn ignored_ranges(&self) -> Option<String> {
        let labels = self.labels(|series| series.ignores_range);
        if labels.is_empty() {
            return None;
        }
        let names = listed(&labels);
        let command = format!("`{} acknowledge {}`", program().name, quoted(self.path));
        Some(format!("the service seems to ignore the requested range of {names}, until {command}"))
    }

    /// Whether the last record of a series is too old.
    fn is_old(&self, series: &SeriesStatus) -> bool {
        let Some(max_age) = self.max_age else { return false };
        if series.is_retired {
            return false;
        }
        let Some(end) = series.end else { return false };
        // Nothing is newer than the last record until the next interval has ended.
        let can_be_newer = series.behind(self.now) != Some(0);
        can_be_newer && end + max_age < self.now
    }

    /// Whether a series whose age is judged has no record. That of a rejected series is a problem anyway.
    fn lacks_age(&self, series: &SeriesStatus) -> bool {
        self.max_age.is_some() && series.end.is_none() && is_continued(series)
    }

    /// Whether a series whose age is judged ends in the future.
    fn is_future(&self, series: &SeriesStatus) -> bool {
        self.max_age.is_some() && !series.is_retired && series.last > Some(self.now)
    }

    /// Whether the command fails because of a series.
    fn fails(&self, series: &SeriesStatus) -> bool {
        let has_lost_rows =
            self.status.lost_rows.iter().flat_map(|lost| &lost.series).any(|lost| lost.path == series.path);
        let lacks_field = self.status.missing_fields.iter().any(|missing| missing.endpoint == series.endpoint());
        let is_judged = self.lacks_age(series) || self.is_old(series) || self.is_future(series);
        let is_partial = is_unfetched(series) || has_unsupported(series) || series.ignores_range;
        is_partial || is_rejected(series) || has_lost_rows || lacks_field || is_judged
    }

    /// The series for which the command fails.
    pub(crate) fn failed(&self) -> Vec<&'s SeriesStatus> {
        let mut failed = Vec::new();
        for series in &self.status.series {
            if self.fails(series) {
                failed.push(series);
            }
        }
        failed
    }

    /// One line with the totals of all series.
    pub(crate) fn totals(&self) -> String {
        let mut rows = 0;
        let mut missing = 0;
        for series in &self.status.series {
            rows += series.rows;
            missing += series.missing;
        }
        let series = HumanCount(self.status.series.len() as u64);
        let empty = HumanCount(self.labels(is_empty).len() as u64);
        let failed = HumanCount(self.failed().len() as u64);
        let missing = HumanCount(missing);
        format!(
            "{series} series, {}, {missing} missing, {empty} without a record; {failed} failed",
            counted(rows, "record")
        )
    }
}

/// Whether a part of a series was never fetched. The next request of a rejected series would be rejected too, and a run
/// that is in progress may fetch the rest.
pub(crate) fn is_unfetched(series: &SeriesStatus) -> bool {
    let is_waiting = series.rejected.is_some() || series.is_running || series.is_retired;
    !series.unfetched.is_empty() && !is_waiting
}

/// Whether the service has rejected the last request of a series.
pub(crate) fn is_rejected(series: &SeriesStatus) -> bool {
    series.rejected.is_some() && !series.is_retired
}

/// Whether the records of a series are without some of its values, which its endpoint does not support.
pub(crate) fn has_unsupported(series: &SeriesStatus) -> bool {
    !series.unsupported.is_empty() && !series.is_retired
}

/// Whether the service had no record of a series that was fetched.
pub(crate) fn is_empty(series: &SeriesStatus) -> bool {
    series.last.is_none() && series.unfetched.is_empty() && !series.is_running && is_continued(series)
}

/// Names the series of which the service had no record; `None` if there is none.
pub(crate) fn without_record(status: &Status) -> Option<String> {
    let mut labels = Vec::new();
    let mut received = 0;
    for series in status.series.iter().filter(|series| is_empty(series)) {
        let figure = |name: &str| series.account.get(name).copied().unwrap_or_default();
        // Its records were lost or removed after the last run, as other messages say.
        if figure("delivered") > 0 {
            continue;
        }
        labels.push(label_of(series));
        received += figure("received");
    }
    if labels.is_empty() {
        return None;
    }
    let names = listed(&labels);
    if received > 0 {
        let received = counted(received, "record");
        return Some(format!(
            "no record of {names}: the service has sent {received}, none of them with a readable time in the range"
        ));
    }
    Some(format!("no record of {names}; check the values of the params"))
}

/// Names the series of which no record has ever had a valid value; `None` if there is none.
pub(crate) fn without_value(status: &Status) -> Option<String> {
    let mut labels = Vec::new();
    for series in status.series.iter().filter(|series| series.has_no_value) {
        labels.push(label_of(series));
    }
    if labels.is_empty() {
        return None;
    }
    Some(format!("no record has ever had a valid value: {}; check the values of the params", listed(&labels)))
}

/// Names the series with ranges that no run has requested, except those that no run can fetch any more.
pub(crate) fn unrequested(status: &Status) -> Option<String> {
    part_of(status, "requested", |series| &series.unrequested, is_continued)
}

/// Says of which series gaps are not judged; `None` if there is none.
pub(crate) fn without_step<'s>(all: impl IntoIterator<Item = &'s SeriesStatus>) -> Option<String> {
    let mut labels = Vec::new();
    for series in all {
        if !series.interval.has_steps() {
            labels.push(label_of(series));
        }
    }
    if labels.is_empty() {
        return None;
    }
    Some(format!("gaps are not judged, because the records have no regular step: {}", listed(&labels)))
}

/// Whether runs request more of a series.
pub(crate) fn is_continued(series: &SeriesStatus) -> bool {
    series.rejected.is_none() && !series.is_retired
}

/// Names the series with such ranges, and the option with which a run fetches them.
fn part_of(
    status: &Status,
    what: &str,
    ranges: fn(&SeriesStatus) -> &Vec<Range<Timestamp>>,
    is_affected: impl Fn(&SeriesStatus) -> bool,
) -> Option<String> {
    let mut labels = Vec::new();
    let mut all = Vec::new();
    for series in &status.series {
        if !ranges(series).is_empty() && is_affected(series) {
            labels.push(label_of(series));
            all.extend(ranges(series));
        }
    }
    let what = format!("a part of {} was never {what}", listed(&labels));
    time_arg::absent(&what, all.into_iter(), time_arg::OPEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(status: &Status, max_age: Option<u64>, now: i64) -> Vec<String> {
        let max_age = max_age.map(Duration::from_secs);
        StatusCheck { path: "data/", status, max_age, now: Timestamp::from_unix_seconds(now) }.problems()
    }

    fn status(series: SeriesStatus) -> Status {
        let mut status = Status::default();
        status.series = vec![series];
        status
    }

    #[test]
    fn the_age_of_the_last_record_is_judged() {
        let mut series = SeriesStatus::default();
        series.interval = Duration::from_secs(3600).into();
        series.last = Some(Timestamp::from_unix_seconds(7200));
        series.end = Some(Timestamp::from_unix_seconds(7200 + 3600));
        let status = status(series);
        assert_eq!(check(&status, Some(3600), 7199), ["last record in the future: "]);
        assert_eq!(check(&status, Some(3600), 7200), Vec::<String>::new());
        assert_eq!(check(&status, Some(3600), 7200 + 3 * 3600), ["last record too old: "]);
    }

    #[test]
    fn a_series_is_not_too_old_while_no_newer_interval_has_ended() {
        let mut series = SeriesStatus::default();
        series.interval = Duration::from_secs(4 * 3600).into();
        series.end = Some(Timestamp::from_unix_seconds(0));
        let status = status(series);
        for (hours, is_old) in [(1, false), (3, false), (4, true)] {
            let problems = check(&status, Some(2 * 3600), hours * 3600);
            assert_eq!(!problems.is_empty(), is_old, "{problems:?}");
        }
    }

    /// A misspelt value of a param is one of a series without a record.
    #[test]
    fn a_series_without_a_record_has_no_age_that_is_young_enough() {
        let mut status = status(SeriesStatus::default());
        assert_eq!(check(&status, Some(3600), 7200), ["no record, so no age: "]);
        assert_eq!(check(&status, None, 7200), Vec::<String>::new());
        assert!(without_record(&status).is_some_and(|text| text.ends_with("check the values of the params")));
        status.series[0].account.insert("received".to_owned(), 7);
        assert!(
            without_record(&status).is_some_and(|text| text.contains("the service has sent 7 records, none of them"))
        );
        status.series[0].is_retired = true;
        assert_eq!(check(&status, Some(3600), 7200), Vec::<String>::new());
        assert_eq!(without_record(&status), None);
    }

    #[test]
    fn a_retired_or_rejected_series_has_no_advice_to_request_more() {
        let mut series = SeriesStatus::default();
        series.unrequested = vec![Timestamp::from_unix_seconds(0)..Timestamp::from_unix_seconds(7200)];
        let mut status = status(series);
        assert!(unrequested(&status).is_some_and(|hole| hole.contains("never requested")));
        status.series[0].is_retired = true;
        assert_eq!(unrequested(&status), None);
        status.series[0].is_retired = false;
        status.series[0].rejected = Some("status 404".to_owned());
        assert_eq!(unrequested(&status), None);
    }

    #[test]
    fn a_run_of_other_series_does_not_hide_what_was_never_fetched() {
        let mut series = SeriesStatus::default();
        series.unfetched = vec![Timestamp::from_unix_seconds(0)..Timestamp::from_unix_seconds(7200)];
        let mut status = status(series);
        status.running = Some(dataset::RunOwner::default());
        assert!(check(&status, None, 7200)[0].contains("never fetched"));
        status.series[0].is_running = true;
        assert!(check(&status, None, 7200).is_empty());
    }
}
