//! The lines with the outcome of a run: the number of changed records, the age of the last records, the folders that a
//! program reads, and the records that do not fit the catalogue.

use std::collections::{BTreeMap, BTreeSet};

use dataset::{Summary, Target, UNKNOWN_FIELDS, quoted};
use indicatif::HumanCount;
use runtime::Timestamp;

use crate::log::Log;
use crate::progress::{age, counted, duration, print_first};
use crate::table::readable;

/// Prints a line with the changes of a run and the age of the last records, and warnings about invalid records. Without
/// `now`, no age is printed.
pub(crate) fn print(log: Log, out: &str, summary: &Summary, labels: &[String], now: Option<Timestamp>) {
    let mut parts = changes(summary);
    if let Some(now) = now {
        parts.extend(ages(summary, labels, now));
    }
    let requests = counted(summary.requests, "request");
    let elapsed = duration(summary.elapsed);
    log.remark(&format!("{}: {} ({requests}, {elapsed})", quoted(out), parts.join(", ")));
    print_first(&folders(out, summary), "folders", |line| log.remark(line));
    warn_of_invalid(log, summary, "with an invalid value; the file has the earlier value, or null");
    if summary.is_restored {
        let file = quoted(out);
        let rows = quoted(format!("{out}.parts"));
        log.warning(&format!("{file} was missing; it was written again from {rows}"));
    }
}

/// The numbers of changed records. The number of new records is always there.
fn changes(summary: &Summary) -> Vec<String> {
    let mut added = 0;
    let mut filled = 0;
    let mut revised = 0;
    let mut completed = 0;
    let mut no_longer_sent = 0;
    for report in &summary.series {
        added += report.added;
        filled += report.filled;
        revised += report.revised;
        completed += report.completed;
        no_longer_sent += report.no_longer_sent;
    }
    let mut parts = vec![counted(added, "new record")];
    for (count, what) in [
        (filled, "filled in"),
        (revised, "revised"),
        (completed, "completed with values that were null"),
        (no_longer_sent, "values no longer sent, which stay"),
    ] {
        if count > 0 {
            parts.push(format!("{} {what}", HumanCount(count)));
        }
    }
    parts
}

/// The last record of a series, in the order of time.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct LastRecord<'l> {
    end: Timestamp,
    label: &'l str,
}

/// The ages of the newest and the oldest of the last records of all series.
fn ages(summary: &Summary, labels: &[String], now: Timestamp) -> Vec<String> {
    let mut lasts = Vec::new();
    for (report, label) in summary.series.iter().zip(labels) {
        if let Some(end) = report.end {
            lasts.push(LastRecord { end, label });
        }
    }
    lasts.sort_unstable();
    let mut ages = Vec::new();
    let (Some(oldest), Some(newest)) = (lasts.first(), lasts.last()) else {
        return ages;
    };
    // By a clock that is behind, the newest record has no age.
    if newest.end > now {
        return ages;
    }
    let newest_age = age(newest.end, now);
    let oldest_age = age(oldest.end, now);
    ages.push(format!("last record {newest_age} ago"));
    if oldest_age != newest_age {
        ages.push(format!("last record of {}: {oldest_age} ago", oldest.label));
    }
    ages
}

/// A line for each folder of a data set into which the run has written: the folder of an endpoint is read as one table.
fn folders(out: &str, summary: &Summary) -> Vec<String> {
    if !matches!(Target::parse(out), Ok(Target::Folder(_) | Target::Bucket { .. })) {
        return Vec::new();
    }
    let mut folders = BTreeSet::new();
    for report in &summary.series {
        if !report.files.is_empty() {
            let endpoint = report.path.split('/').next().unwrap_or_default();
            folders.insert(readable(&quoted(format!("{}/{endpoint}", out.trim_end_matches('/')))));
        }
    }
    folders.iter().map(|folder| format!("read {folder}")).collect()
}

/// Warns about records that do not fit the catalogue. `invalid` describes the records with an invalid value.
pub(crate) fn warn_of_invalid(log: Log, summary: &Summary, invalid: &str) {
    let mut invalid_records = 0;
    let mut out_of_range = 0;
    let mut unreadable = 0;
    let mut distant = 0;
    for report in &summary.series {
        invalid_records += report.invalid;
        out_of_range += report.out_of_range;
        unreadable += report.unreadable;
        distant += report.account.distant;
    }
    for (count, what) in [
        (invalid_records, invalid),
        (out_of_range, "with a value outside of the documented range"),
        (unreadable, "without a readable time; left out"),
        (
            distant,
            "far from the requested range; the service ignores it and may have further records, or the unit of the times \
             differs",
        ),
    ] {
        if count > 0 {
            log.warning(&format!("{} {what}", counted(count, "record")));
        }
    }
    warn_of_contradicted(log, summary);
}

/// Warns about records that state another value of a param than the request, such as another coin.
fn warn_of_contradicted(log: Log, summary: &Summary) {
    let mut contradicted: BTreeMap<&str, u64> = BTreeMap::new();
    for report in &summary.series {
        for (param, count) in &report.contradicted {
            *contradicted.entry(param.as_str()).or_default() += count;
        }
    }
    for (param, count) in contradicted {
        log.warning(&format!(
            "{} with another `{param}` than was requested; the column `{param}` has the requested one, and \
             `{UNKNOWN_FIELDS}` that of the record",
            counted(count, "record")
        ));
    }
}
