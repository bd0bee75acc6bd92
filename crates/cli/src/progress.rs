//! Shows the progress of several series as one bar on standard error, and formats counts and durations.
//!
//! The bar is drawn only on a terminal. Without a terminal, the progress is printed as a line every ten seconds.

use std::io::IsTerminal;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use runtime::history::Progress;
use runtime::{Interval, Timestamp};
use serde_json::json;

pub(crate) use crate::durations::{counted, duration};
use crate::log::Log;
use crate::table::readable;
use crate::time_arg;

/// Interval of the progress lines if no bar is drawn.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Interval of the JSON objects with the progress.
const OBJECT_EVERY: Duration = Duration::from_millis(500);

/// Whether the progress is printed as JSON objects, for a program that draws it.
static IS_JSON: AtomicBool = AtomicBool::new(false);

/// The number of responses so far. A request of a history can have many pages, which are added when all have arrived.
static RESPONSES: AtomicU64 = AtomicU64::new(0);

/// Counts a response.
pub(crate) fn count_response() {
    RESPONSES.fetch_add(1, Ordering::Relaxed);
}

/// Prints the progress of this process as JSON objects from now on.
pub(crate) fn print_as_json() {
    IS_JSON.store(true, Ordering::Relaxed);
}

/// Maximum number of characters of a received text on a terminal.
const MAX_LINE: usize = 110;

/// Maximum number of names in a list, and of printed lines of one kind.
const MAX_LISTED: usize = 5;

/// One bar for all series.
pub(crate) struct Bar {
    bar: ProgressBar,
    pub(crate) total: Progress,
    /// The time when the last progress line was printed.
    line: Instant,
}

impl Bar {
    /// Creates the bar, which is not drawn with `--quiet`.
    pub(crate) fn new(log: Log, requests: u64) -> Self {
        let target = if log < Log::All { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let style = ProgressStyle::with_template("{bar:24.cyan} {percent:>3}%  {wide_msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━╸ ");
        let bar = ProgressBar::with_draw_target(Some(1), target).with_style(style).with_message("waiting");
        bar.tick();
        let mut total = Progress::default();
        total.pages_left = requests;
        Self { bar, total, line: Instant::now() }
    }

    /// Updates the progress. If no bar is drawn, prints it as a line every ten seconds.
    pub(crate) fn progress(&mut self, total: &Progress, log: Log) {
        self.total.clone_from(total);
        self.bar.set_length(total.pages + total.pages_left);
        self.bar.set_position(total.pages);
        self.bar.set_message(format!("{}, {}", counted(total.records, "record"), remaining(total)));
        if !self.bar.is_hidden() {
            return;
        }
        let is_json = IS_JSON.load(Ordering::Relaxed);
        if self.line.elapsed() >= if is_json { OBJECT_EVERY } else { LINE_EVERY } {
            self.line = Instant::now();
            log.remark(&if is_json { object(total) } else { summary(total) });
        }
    }

    /// Prints a warning above the bar.
    pub(crate) fn warning(&self, log: Log, text: &str) {
        self.bar.suspend(|| log.warning(text));
    }

    /// Removes the bar, because the following messages are more detailed.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// Formats the progress of all series.
pub(crate) fn summary(sum: &Progress) -> String {
    summary_with(sum, RESPONSES.load(Ordering::Relaxed))
}

/// Formats the progress, with the number of responses that have arrived.
fn summary_with(sum: &Progress, responses: u64) -> String {
    let requests = counted(sum.pages + sum.pages_left, "request");
    let records = counted(sum.records, "record");
    let done = HumanCount(sum.pages);
    let of_others = match responses.saturating_sub(sum.requests) {
        0 => String::new(),
        pages => format!(", {} of others", counted(pages, "page")),
    };
    format!("{records} so far, {done} of {requests} done{of_others}, {}", remaining(sum))
}

/// Formats the progress as a JSON object.
fn object(total: &Progress) -> String {
    let left = total.time_left().filter(|_| total.pages_left > 0);
    let progress = json!({
        "done": total.pages, "requests": total.pages + total.pages_left, "records": total.records,
        "seconds_left": left.map(|left| left.as_secs()),
    });
    json!({ "progress": progress }).to_string()
}

fn remaining(sum: &Progress) -> String {
    match sum.time_left() {
        Some(left) if sum.pages_left > 0 => format!("{} left", duration(left)),
        _ => duration(sum.elapsed),
    }
}

/// A received text as one line: shortened on a terminal, complete in a log file.
pub(crate) fn line_of(text: &str) -> String {
    let text = readable(text);
    if std::io::stderr().is_terminal() { shortened(&text, MAX_LINE) } else { text }
}

/// Breaks a line after its first colon followed by a space if it is wider than the terminal.
pub(crate) fn fitting(line: &str) -> String {
    let width = terminal_size::terminal_size_of(std::io::stderr()).map_or(usize::MAX, |(width, _)| width.0.into());
    if line.chars().count() > width { line.replacen(": ", ":\n  ", 1) } else { line.to_owned() }
}

/// Shortens a text to at most this many characters.
fn shortened(text: &str, width: usize) -> String {
    console::truncate_str(text, width, "…").into_owned()
}

/// The time since the end of a record's interval as text, for example `2 days`.
pub(crate) fn age(end: Timestamp, now: Timestamp) -> String {
    duration(if end < now { now - end } else { Duration::ZERO })
}

/// Joins names to a list whose end is counted if it is long, as in `a, b, c, d, e and 7 more`. No name is cut.
pub(crate) fn listed(names: &[String]) -> String {
    let (first, rest) = names.split_at(names.len().min(MAX_LISTED));
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", HumanCount(rest.len() as u64)) };
    format!("{}{more}", first.join(", "))
}

/// Encloses each name in backticks. A name may come from a service, so each is one line.
pub(crate) fn quotations(names: &[String]) -> Vec<String> {
    names.iter().map(|name| format!("`{}`", readable(name))).collect()
}

/// Prints the first lines of a list, and the number of the other lines, which are called `rest`.
pub(crate) fn print_first(lines: &[String], rest: &str, print: impl Fn(&str)) {
    for line in lines.iter().take(MAX_LISTED) {
        print(line);
    }
    if lines.len() > MAX_LISTED {
        print(&format!("and {} more {rest}", lines.len() - MAX_LISTED));
    }
}

/// Formats the number of records that ranges can have; without a regular step, the number of ranges.
pub(crate) fn counted_steps(ranges: &[Range<Timestamp>], interval: Interval) -> String {
    let what = if interval.has_steps() { "record" } else { "range" };
    counted(time_arg::steps(ranges, interval), what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_without_a_terminal_is_a_line() {
        let progress = |pages, pages_left| {
            let mut progress = Progress::default();
            (progress.records, progress.pages, progress.pages_left) = (12_345, pages, pages_left);
            progress.elapsed = Duration::from_secs(60);
            summary_with(&progress, 0)
        };
        assert_eq!(progress(13, 287), "12,345 records so far, 13 of 300 requests done, 22 minutes left");
        assert_eq!(progress(300, 0), "12,345 records so far, 300 of 300 requests done, 60 seconds");
        let mut first = Progress::default();
        (first.pages_left, first.elapsed) = (1, Duration::from_secs(10));
        assert_eq!(summary_with(&first, 20), "0 records so far, 0 of 1 request done, 20 pages of others, 10 seconds");
    }

    #[test]
    fn counts_and_durations_are_human_readable() {
        for (count, text) in [(0, "0 records"), (1, "1 record"), (8_760_000, "8,760,000 records")] {
            assert_eq!(counted(count, "record"), text);
        }
        let day = 86_400;
        for (seconds, text) in [
            (0, "1 second"),
            (61, "61 seconds"),
            (119, "2 minutes"),
            (146, "2 minutes"),
            (157, "3 minutes"),
            (90 * 60, "90 minutes"),
            (2 * day, "2 days"),
            (10 * day, "10 days"),
            (15 * day, "2 weeks"),
            (548 * day, "18 months"),
            (696 * day, "2 years"),
            (910 * day, "30 months"),
        ] {
            assert_eq!(duration(Duration::from_secs(seconds)), text);
        }
        assert_eq!(shortened("levels dover", 8), "levels …");
    }

    #[test]
    fn a_list_has_no_part_of_a_name() {
        let long = "x".repeat(150);
        let names = [&*long, "b", "c", "d", "e", "f", "g"].map(str::to_owned);
        assert_eq!(listed(&names), format!("{long}, b, c, d, e and 2 more"));
        assert_eq!((listed(&names[5..]), listed(&[])), ("f, g".to_owned(), String::new()));
    }
}
