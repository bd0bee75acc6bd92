//! The progress of several series, one bar for each and one for all, on standard error.
//!
//! Bars are drawn on a terminal only; otherwise the caller prints a progress line at intervals.

use std::io;
use std::time::Duration;

use generated_client::history::Progress;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::log::Log;

/// Up to this many series keep their bar when they end; with more, only those in progress have one.
const MOST_BARS: usize = 12;

/// The width of a line without label and bar: the percentage and the longest message.
const SAID: usize = 36;

/// One bar for each series and one for all.
pub(crate) struct Bars {
    all: MultiProgress,
    each: Vec<Bar>,
    total: ProgressBar,
    style: ProgressStyle,
    stay: bool,
}

struct Bar {
    label: String,
    shown: Option<ProgressBar>,
    progress: Progress,
    is_over: bool,
}

impl Bars {
    /// Bars for series with these labels.
    pub(crate) fn new(labels: &[String], log: &Log) -> Self {
        if log.is_quiet() {
            return Self::hidden(labels);
        }
        Self::on(ProgressDrawTarget::stderr(), labels)
    }

    /// Creates bars that are not drawn: there is nothing to wait for, or `--quiet` is set.
    pub(crate) fn hidden(labels: &[String]) -> Self {
        Self::on(ProgressDrawTarget::hidden(), labels)
    }

    fn on(target: ProgressDrawTarget, labels: &[String]) -> Self {
        let all = MultiProgress::with_draw_target(target);
        let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or_default().clamp(4, 30);
        let bar = |label: &String| {
            let label = format!("{:width$}", shortened(label, width));
            Bar { label, shown: None, progress: Progress::default(), is_over: false }
        };
        let style = style(width);
        let total = ProgressBar::new(1).with_style(style.clone()).with_prefix(format!("{:width$}", "all"));
        // A single series needs no total bar.
        let total = if labels.len() > 1 { all.add(total) } else { ProgressBar::hidden() };
        let each = labels.iter().map(bar).collect();
        let mut this = Self { all, each, total, style, stay: labels.len() <= MOST_BARS };
        if this.stay {
            (0..labels.len()).for_each(|index| this.show(index));
        }
        this.total.tick();
        this
    }

    fn show(&mut self, index: usize) {
        let Some(bar) = self.each.get_mut(index).filter(|bar| bar.shown.is_none() && !bar.is_over) else { return };
        let new = ProgressBar::new(1).with_style(self.style.clone()).with_prefix(bar.label.clone());
        let new = if self.total.is_hidden() { self.all.add(new) } else { self.all.insert_before(&self.total, new) };
        new.set_message("waiting");
        new.tick();
        bar.shown = Some(new);
    }

    /// Updates the progress of a series.
    pub(crate) fn progress(&mut self, index: usize, progress: &Progress) {
        self.show(index);
        let Some(bar) = self.each.get_mut(index) else { return };
        bar.progress = progress.clone();
        if let Some(shown) = &bar.shown {
            draw(shown, progress, thousands(progress.records) + " records");
        }
        self.sum();
    }

    /// A series is done.
    pub(crate) fn over(&mut self, index: usize) {
        let Some(bar) = self.each.get_mut(index) else { return };
        bar.is_over = true;
        if let Some(shown) = &bar.shown {
            if self.stay { shown.abandon() } else { shown.finish_and_clear() }
        }
    }

    /// The sum of all series.
    pub(crate) fn total(&self) -> Progress {
        let mut sum = Progress::default();
        for progress in self.each.iter().map(|bar| &bar.progress) {
            sum.records += progress.records;
            sum.pages += progress.pages;
            sum.pages_left += progress.pages_left;
            sum.requests += progress.requests;
            sum.waited += progress.waited;
            sum.elapsed = sum.elapsed.max(progress.elapsed);
        }
        sum
    }

    fn sum(&self) {
        let sum = self.total();
        draw(&self.total, &sum, format!("{}, {}", rate(&sum), remaining(&sum)));
    }

    /// Prints the progress as a line if no bars are drawn.
    pub(crate) fn line(&self, log: &Log) {
        if self.all.is_hidden() {
            log.remark(&summary(&self.total()));
        }
    }

    /// Prints a warning above the bars.
    pub(crate) fn log(&self, log: &Log, text: &str) {
        self.all.suspend(|| log.warning(text));
    }

    /// The file is being written.
    pub(crate) fn merging(&self) {
        self.total.set_message("writing the file");
        self.total.tick();
    }

    /// Leaves the bars on the screen, except temporary ones.
    pub(crate) fn end(&self) {
        if self.stay {
            self.each.iter().filter_map(|bar| bar.shown.as_ref()).for_each(ProgressBar::abandon);
        }
        self.total.abandon();
    }

    /// Removes the bars, because the messages after them are more detailed.
    pub(crate) fn clear(&self) {
        // A terminal that cannot be written to shows none anyway.
        let _ = self.all.clear();
    }
}

/// The progress of all series as text.
fn summary(sum: &Progress) -> String {
    let requests = counted(sum.pages + sum.pages_left, "request");
    format!(
        "{} so far, {} of {requests} done, {}",
        counted(sum.records, "record"),
        thousands(sum.pages),
        remaining(sum)
    )
}

fn remaining(sum: &Progress) -> String {
    match sum.time_left() {
        Some(left) if sum.pages_left > 0 => format!("{} left", clock(left)),
        _ => clock(sum.elapsed),
    }
}

fn draw(bar: &ProgressBar, progress: &Progress, message: String) {
    bar.set_length(progress.pages + progress.pages_left);
    bar.set_position(progress.pages);
    bar.set_message(message);
}

/// The style of a bar between a label of this width and a message, in a line shorter than the terminal is wide.
fn style(label: usize) -> ProgressStyle {
    let width = terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| usize::from(width.0));
    let bar = width.saturating_sub(label + SAID).clamp(5, 40);
    let style = ProgressStyle::with_template(&format!("{{prefix}} {{bar:{bar}.cyan}} {{percent:>3}}% {{msg}}"));
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━╸ ")
}

pub(crate) fn shortened(label: &str, width: usize) -> String {
    if label.chars().count() <= width {
        return label.to_owned();
    }
    label.chars().take(width - 1).chain(['…']).collect()
}

/// Requests per second and their total.
pub(crate) fn rate(progress: &Progress) -> String {
    let seconds = progress.elapsed.as_secs_f64();
    let requests = progress.requests;
    // The count is small enough for an exact `f64`.
    #[allow(clippy::cast_precision_loss)]
    let rate = if seconds > 0.0 { requests as f64 / seconds } else { 0.0 };
    format!("{rate:.1} requests/s")
}

/// A duration in the format of a clock.
pub(crate) fn clock(time: Duration) -> String {
    let seconds = time.as_secs_f64().ceil();
    // Rounded up, and far below the largest integer.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let seconds = seconds as u64;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours == 0 { format!("{minutes}:{seconds:02}") } else { format!("{hours}:{minutes:02}:{seconds:02}") }
}

/// A count with its unit: `1 request`, `1,000 requests`.
pub(crate) fn counted(count: u64, what: &str) -> String {
    format!("{} {what}{}", thousands(count), if count == 1 { "" } else { "s" })
}

/// A count with thousands separators.
fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
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
            summary(&progress)
        };
        assert_eq!(progress(13, 287), "12,345 records so far, 13 of 300 requests done, 22:05 left");
        assert_eq!(progress(300, 0), "12,345 records so far, 300 of 300 requests done, 1:00");
    }

    #[test]
    fn counts_and_times_for_people() {
        for (count, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (8_760_000, "8,760,000")] {
            assert_eq!(thousands(count), text);
        }
        for (seconds, text) in [(0, "0:00"), (61, "1:01"), (3_661, "1:01:01")] {
            assert_eq!(clock(Duration::from_secs(seconds)), text);
        }
        assert_eq!(shortened("volume_ratio BTC", 8), "volume_…");
    }
}
