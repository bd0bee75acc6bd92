//! What became of one series of a run: its JSON object, the ranges that no run has fetched, and the ends of its records.

use std::collections::BTreeSet;
use std::ops::Range;

use dataset::{LostRows, SeriesReport};
use runtime::Timestamp;
use serde_json::{Map, Value, json};

use crate::catalogue_json;
use crate::empty_series::EmptySeries;
use crate::endpoint_names::full_name;
use crate::file_notes::Note;
use crate::ignored_range;
use crate::marks;
use crate::program::program;
use crate::progress::{counted, counted_steps, line_of, listed, quotations};
use crate::range_ends::SeriesEnds;
use crate::requested_series::RequestedSeries;
use crate::table::readable;
use crate::time_arg;
use crate::unsupported_values;

/// A series of a run, and the changes that the run has made to it.
pub(crate) struct SeriesOutcome<'r> {
    pub(crate) label: &'r str,
    pub(crate) series: &'r RequestedSeries,
    /// The requested range of the series.
    pub(crate) range: Range<Timestamp>,
    pub(crate) report: &'r SeriesReport,
    /// The names of members of responses without records that are not in the catalogue.
    pub(crate) others: Option<&'r BTreeSet<String>>,
}

impl<'r> SeriesOutcome<'r> {
    /// A hint about ranges that an earlier run has planned, and that no run has fetched.
    pub(crate) fn never_fetched(&self) -> Option<String> {
        self.hint("never fetched", &self.report.unfetched_ranges)
    }

    /// A hint about ranges between the records that no run has requested.
    pub(crate) fn never_requested(&self) -> Option<String> {
        self.hint("never requested", &self.report.unrequested)
    }

    /// The series, if it has no record.
    pub(crate) fn empty(&self) -> Option<EmptySeries> {
        if !self.report.is_empty() {
            return None;
        }
        let received = self.report.account.received();
        Some(EmptySeries { label: self.label.to_owned(), range: self.range.clone(), received })
    }

    /// A line about a series without a record, of which every request had a response.
    pub(crate) fn without_record(&self) -> Option<String> {
        let empty = self.empty().filter(|_| self.report.account.empty > 0 && self.report.unfetched == 0)?;
        Some(readable(&format!("no record of {} {}", empty.label, time_arg::span(&empty.range))))
    }

    /// A line about a series of which every response has had other members, such as an error, and no record.
    pub(crate) fn responses_without_records(&self) -> Option<String> {
        if self.report.account.received() > 0 {
            return None;
        }
        let others: Vec<_> = self.others?.iter().cloned().collect();
        let get = format!("{} get --json", program().name);
        let text = format!(
            "{}: the responses had no records but {}, which `{get}` shows",
            self.label,
            listed(&quotations(&others))
        );
        Some(readable(&text))
    }

    /// A line about a series whose records have only times.
    pub(crate) fn without_value(&self) -> Option<String> {
        let text = format!("{}: no record has ever had a valid value; check the values of the params", self.label);
        self.report.lacks_values().then(|| readable(&text))
    }

    /// A line about records of which no time is readable.
    pub(crate) fn without_time(&self) -> Option<String> {
        without_time(self.label, self.report)
    }

    /// A line about stored records that the service no longer has.
    pub(crate) fn not_sent_again(&self) -> Option<String> {
        not_sent_again(self.label, self.report)
    }

    /// A line about values that the endpoint does not support.
    pub(crate) fn unsupported(&self) -> Option<String> {
        if self.report.is_retired {
            return None;
        }
        unsupported_values::sentence_of(self.label, &self.report.unsupported)
    }

    /// A line about responses that repeat the same records, whatever range is requested.
    pub(crate) fn ignored_range(&self) -> Option<String> {
        ignored_range::sentence_of(self.label, self.report)
    }

    /// A line about the records that are missing in ranges that were fetched.
    pub(crate) fn missing(&self) -> Option<String> {
        self.missing_line(self.report.missing)
    }

    /// A line about all records that are missing, except those of the ranges that [`never_fetched`](Self::never_fetched)
    /// describes.
    pub(crate) fn missing_and_unfetched(&self) -> Option<String> {
        let report = self.report;
        let described = time_arg::steps(&report.unfetched_ranges, report.interval);
        self.missing_line((report.missing + report.unfetched).saturating_sub(described))
    }

    fn missing_line(&self, missing: u64) -> Option<String> {
        if missing == 0 {
            return None;
        }
        let place = if self.report.account.without_time > 0 {
            ", some with an unreadable time"
        } else {
            " between its first and last record"
        };
        let count = counted(missing, "record");
        Some(line_of(&format!("{}: {count} missing{place}", self.label)))
    }

    /// Describes ranges that only a run with another start, or another end, fetches.
    fn hint(&self, what: &str, ranges: &[Range<Timestamp>]) -> Option<String> {
        if self.report.is_retired {
            return None;
        }
        let count = counted_steps(ranges, self.report.interval);
        let text = readable(&format!("{}: {count} {what}", self.label));
        time_arg::absent(&text, ranges.iter(), self.range.end)
    }

    /// The ends of the records; `None` if this run has found no range without records. A later run of the same range
    /// does not repeat what the first run has found.
    pub(crate) fn ends(&self, now: Timestamp) -> Option<SeriesEnds<'r>> {
        let report = self.report;
        if report.account.empty + report.account.never_requested == 0 {
            return None;
        }
        Some(SeriesEnds {
            label: self.label,
            asked: self.range.start..self.range.end.min(now),
            now,
            first: report.first?,
            end: report.end?,
            interval: report.interval,
            spacing: report.spacing.unwrap_or(1),
            has_step: report.interval.has_steps(),
            skipped: time_arg::steps(&report.skipped, report.interval),
            first_age: report.first_age,
            first_moves: report.first_moves,
        })
    }

    /// A JSON object with the changes of the run, the gaps that remain, the error, and all that a user should know.
    pub(crate) fn object(
        &self,
        notes: &BTreeSet<Note>,
        lost_rows: &[LostRows],
        error: Option<&str>,
        is_complete: bool,
    ) -> Value {
        let report = self.report;
        let mut account = Map::new();
        for (name, figure) in report.account.figures() {
            account.insert(name.to_owned(), figure.into());
        }
        let facts = json!({
            "from": self.range.start.to_string(), "to": self.range.end.min(time_arg::now()).to_string(),
            "added": report.added, "filled": report.filled, "revised": report.revised, "completed": report.completed, "invalid": report.invalid,
            "contradicted": report.contradicted, "has_no_value": report.has_no_value,
            "account": account, "missing": report.missing, "unfetched": report.unfetched,
            "first": time_arg::exact(report.first), "last": time_arg::exact(report.last),
            "revised_times": time_arg::pairs(&report.revised_times), "no_longer_sent": report.no_longer_sent,
            "not_sent_again": report.not_sent_again,
            "out_of_range": report.out_of_range, "lost_rows": marks::lost_times(&report.path, lost_rows),
            "gaps": time_arg::pairs(&report.gaps), "unrequested": time_arg::pairs(&report.unrequested),
            "skipped": time_arg::pairs(&report.skipped), "unsupported": report.unsupported,
            "ignores_range": report.ignores_range,
            "has_step": report.interval.has_steps(), "files": report.files, "spacing": report.spacing, "error": error,
            "notes": self.notes(notes, is_complete),
        });
        let mut object = catalogue_json::series(self.series);
        if let Value::Object(facts) = facts {
            object.extend(facts);
        }
        Value::Object(object)
    }

    /// The notes about the endpoint of the series, and, after a complete run, the hints about its ranges.
    fn notes(&self, notes: &BTreeSet<Note>, is_complete: bool) -> Vec<String> {
        let endpoint = full_name(self.series.endpoint);
        let mut texts = Vec::new();
        for note in notes {
            if note.is_about(&endpoint) {
                texts.push(note.text.clone());
            }
        }
        if self.report.is_retired {
            texts.push(format!("{} is retired, so it is not requested", self.label));
        }
        texts.extend(self.unsupported());
        texts.extend(self.ignored_range());
        if is_complete {
            texts.extend(self.never_fetched());
            texts.extend(self.never_requested());
            texts.extend(self.ends(time_arg::now()).and_then(|ends| ends.sentence()));
        }
        texts
    }
}

/// A line about records of which no time is readable.
pub(crate) fn without_time(label: &str, report: &SeriesReport) -> Option<String> {
    if !report.lacks_times() {
        return None;
    }
    let received = counted(report.account.without_time, "record");
    Some(readable(&format!("{label}: the service has sent {received}, none of them with a readable time")))
}

/// A line about stored records that the service no longer has.
pub(crate) fn not_sent_again(label: &str, report: &SeriesReport) -> Option<String> {
    if report.not_sent_again == 0 {
        return None;
    }
    let missing = counted(report.not_sent_again, "stored record");
    Some(readable(&format!("{label}: the service has not sent {missing} again; the stored ones stay")))
}
