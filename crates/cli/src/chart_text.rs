//! Draws charts as text: lines in Braille patterns, in the colours of the terminal.
//!
//! Lines that colours cannot distinguish are drawn with a letter each instead.

use anstyle::{AnsiColor, Style};
use kuva::render::datetime::DateTimeAxis;
use kuva::render::render_utils::{auto_nice_range, generate_ticks};
use textwrap::{Options, WordSplitter, fill};

use crate::chart_drawing::{Panel, brief, time_axis, time_range};
use crate::table::readable;

/// The colours of the lines. The terminal defines them, so they suit its background.
const COLOURS: [AnsiColor; 6] = {
    use AnsiColor::{Blue, Cyan, Green, Magenta, Red, Yellow};
    [Cyan, Magenta, Green, Red, Blue, Yellow]
};

/// Minimum number of lines of a readable panel.
const MIN_LINES: usize = 12;

/// The dots of a character, from the top: the left and the right column.
const DOTS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

/// Returns the chart in this many columns and about this many lines, with colour codes, which the caller removes if
/// there are no colours.
pub(crate) fn text(panels: &[Panel], columns: usize, lines: usize, has_colours: bool) -> String {
    // A panel has a heading, an axis and an empty line; the last panel has the times in place of the empty line.
    let rows = (lines / panels.len().max(1)).max(MIN_LINES) - 3;
    let times = time_range(panels);
    let scales: Vec<Scale> = panels.iter().map(|panel| Scale::of(panel, rows)).collect();
    let margin = scales.iter().flat_map(|scale| &scale.marks).map(|(_, label)| label.chars().count()).max();
    let margin = margin.unwrap_or(0);
    let width = columns.saturating_sub(margin + 1).max(10);
    let mut out = String::new();
    for (panel, scale) in panels.iter().zip(&scales) {
        let max = if has_colours { COLOURS.len() } else { 1 };
        let mark = |line| ('a'..='z').nth(line).filter(|_| panel.lines.len() > max);
        out.push_str(&heading(panel, columns, mark));
        let cells = cells(panel, scale, times, (width, rows));
        for (row, line) in cells.chunks(width).enumerate() {
            let value = scale.marks.iter().find(|(at, _)| scale.row(*at, rows) == row);
            let (label, tick) = value.map_or(("", '│'), |(_, label)| (label.as_str(), '┤'));
            out.push_str(&format!("{label:>margin$}{tick}{}\n", coloured(line, mark)));
        }
        let (axis, labels) = time_marks(times, width);
        out.push_str(&format!("{:>margin$}└{axis}\n", ""));
        let is_last = std::ptr::eq(panel, &raw const panels[panels.len() - 1]);
        let name = panel.axis_name();
        if is_last || name != "UTC" {
            out.push_str(&format!("{:>margin$} {labels}\n{:>margin$} {name}\n", "", ""));
        }
        if !is_last {
            out.push('\n');
        }
    }
    out
}

/// The range of the values of a panel, and the values with a label.
struct Scale {
    range: (f64, f64),
    marks: Vec<(f64, String)>,
}

impl Scale {
    fn of(panel: &Panel, rows: usize) -> Self {
        let (count, (low, high)) = ((rows / 4).max(2), panel.value_range());
        let range = auto_nice_range(low, high, count);
        let marks = generate_ticks(range.0, range.1, count).into_iter().map(|value| (value, brief(value))).collect();
        Self { range, marks }
    }

    fn row(&self, value: f64, rows: usize) -> usize {
        position(value, (self.range.1, self.range.0), rows)
    }
}

/// Returns the index of a value in a range that is divided into this many steps.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss)] // Counts are small.
fn position(value: f64, (from, to): (f64, f64), steps: usize) -> usize {
    (((value - from) / (to - from)).clamp(0.0, 1.0) * (steps - 1) as f64).round() as usize
}

/// A character: its dots, and the index of the line that was drawn last.
type Character = (u8, usize);

/// Draws the lines of a panel into characters, row by row.
fn cells(panel: &Panel, scale: &Scale, times: (f64, f64), (width, rows): (usize, usize)) -> Vec<Character> {
    let mut cells = vec![(0, 0); width * rows];
    for (index, line) in panel.lines.iter().enumerate() {
        let dot = |point: &(f64, f64)| (position(point.0, times, 2 * width), scale.row(point.1, 4 * rows));
        for part in line.parts(2 * width) {
            let points: Vec<_> = part.iter().map(dot).collect();
            for (one, other) in points.iter().zip(points.iter().skip(1).chain(points.last())) {
                let steps = one.0.abs_diff(other.0).max(one.1.abs_diff(other.1)).max(1);
                for step in 0..=steps {
                    let between = |from: usize, to: usize| (from * (steps - step) + to * step + steps / 2) / steps;
                    let x = between(one.0, other.0);
                    let y = between(one.1, other.1);
                    let cell = &mut cells[y / 4 * width + x / 2];
                    *cell = (cell.0 | DOTS[y % 4][x % 2], index);
                }
            }
        }
    }
    cells
}

/// Returns characters with the colours of their lines. `mark` returns the letter of a line; `None` if a colour
/// distinguishes the line.
fn coloured(cells: &[Character], mark: impl Fn(usize) -> Option<char>) -> String {
    let part = |part: &[Character]| {
        let style = Style::new().fg_color(Some(COLOURS[part[0].1 % COLOURS.len()].into()));
        let dots = |dots| char::from_u32(0x2800 + u32::from(dots)).unwrap_or(' ');
        let drawn = |(of, line): &Character| if *of == 0 { ' ' } else { mark(*line).unwrap_or(dots(*of)) };
        let text: String = part.iter().map(drawn).collect();
        if text.trim().is_empty() { text } else { format!("{style}{text}{style:#}") }
    };
    cells.chunk_by(|one, other| one.1 == other.1 && (one.0 == 0) == (other.0 == 0)).map(part).collect()
}

/// Returns the title of a panel and the names of its lines, in as many lines as needed.
fn heading(panel: &Panel, columns: usize, mark: impl Fn(usize) -> Option<char>) -> String {
    let bold = Style::new().bold();
    let mut out = format!("{bold}{}{bold:#}", panel.heading());
    let lines = panel.lines.iter().zip(COLOURS.iter().cycle()).enumerate();
    for (index, (line, colour)) in lines.filter(|_| panel.lines.len() > 1) {
        let (style, label) = (colour.on_default(), readable(&line.label));
        let mark = mark(index).map_or("━━".to_owned(), String::from);
        // A no-break space keeps the name of a line together.
        let name = format!("{style}{mark}{style:#} {label}").replace(' ', "\u{a0}");
        out.push_str(&format!("  {name}"));
    }
    let options = Options::new(columns).subsequent_indent("  ").word_splitter(WordSplitter::NoHyphenation);
    fill(&out, options).replace('\u{a0}', " ") + "\n"
}

/// Returns the axis of the times, and their labels below it, with the most marks whose labels do not overlap.
fn time_marks(times: (f64, f64), width: usize) -> (String, String) {
    let drawn = |max| labelled(&time_axis(times, max), times, width);
    let complete = (2..=width / 12).rev().map(drawn).find(|(.., is_complete)| *is_complete);
    let (axis, labels, _) = complete.unwrap_or_else(|| drawn(1));
    (axis, labels)
}

/// Returns an axis, and the labels of its marks, of which those that would overlap are omitted; `true` if none is.
fn labelled(axis: &DateTimeAxis, times: (f64, f64), width: usize) -> (String, String, bool) {
    let (mut line, mut labels, mut is_complete) = (vec!['─'; width], String::new(), true);
    for time in axis.generate_ticks(times.0, times.1).into_iter().filter(|time| times.0 <= *time && *time <= times.1) {
        let (label, at) = (axis.format_tick(time), position(time, times, width));
        // The labels at both ends are not below their marks.
        let start = at.saturating_sub(label.len() / 2).min(width.saturating_sub(label.len()));
        if labels.is_empty() || labels.len() < start {
            labels = format!("{labels:<start$}{label}");
            line[at] = '┬';
        } else {
            is_complete = false;
        }
    }
    (line.into_iter().collect(), labels, is_complete)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart_drawing::Line;

    fn drawn(points: &[(f64, f64)], columns: usize) -> Vec<String> {
        lines_drawn(points, columns, 2, true)
    }

    fn lines_drawn(points: &[(f64, f64)], columns: usize, lines: usize, has_colours: bool) -> Vec<String> {
        let line = |index| {
            let points = points.iter().map(|(time, value)| (*time, value + f64::from(index) * 1e-4));
            Line { label: "a".to_owned(), points: points.collect(), step: 0.0 }
        };
        let lines = (0..).map(line).take(lines).collect();
        let panel = Panel { title: "Level".to_owned(), unit: String::new(), lines, scale: None };
        let text = text(&[panel], columns, 14, has_colours);
        anstream::adapter::strip_str(&text).to_string().lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_chart_has_a_heading_a_scale_and_times_and_fits_its_width() {
        for columns in [40, 80, 200] {
            let chart = drawn(&[(0.0, 1.25e-4), (86_400.0, 2e-4), (172_800.0, 1e-4)], columns);
            assert_eq!(chart[0], "Level  ━━ a  ━━ a");
            assert!(
                chart.iter().any(|line| line.trim_start().starts_with("0.0002") && line.contains('┤')),
                "{chart:#?}"
            );
            assert!(chart[chart.len() - 2].contains("01-0") && chart[chart.len() - 1].trim() == "UTC", "{chart:#?}");
            assert!(chart.iter().all(|line| line.chars().count() <= columns), "{chart:#?}");
        }
    }

    #[test]
    fn time_labels_have_the_same_distance() {
        for (hours, columns) in [(24 * 57, 80), (42, 80), (24 * 57, 120), (24 * 400, 61), (6, 47)] {
            let end = 1_759_276_800.0 + 3600.0 * f64::from(hours);
            let (axis, _) = time_marks((1_759_276_800.0, end), columns - 9);
            let marks: Vec<_> = axis.chars().enumerate().filter(|(_, mark)| *mark == '┬').map(|(at, _)| at).collect();
            let distances: Vec<_> = marks.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let (min, max) = (distances.iter().min().unwrap(), distances.iter().max().unwrap());
            assert!(max - min <= 1 && marks.len() > 2, "{axis}");
        }
    }

    #[test]
    fn a_long_legend_has_several_lines() {
        let line = Line { label: "x".repeat(30), points: vec![(0.0, 1.0)], step: 0.0 };
        let panel = Panel { title: "Level".to_owned(), unit: String::new(), lines: vec![line; 3], scale: None };
        let text = anstream::adapter::strip_str(&text(&[panel], 80, 14, true)).to_string();
        let one = format!("  ━━ {}", "x".repeat(30));
        let expected = [format!("Level{one}{one}"), one.clone()];
        assert_eq!(text.lines().take(2).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_long_title_has_several_lines() {
        let line = Line { label: "a".to_owned(), points: vec![(0.0, 1.0)], step: 0.0 };
        let title = format!("{}: level, {}", "Water ".repeat(12), "dover+calais+".repeat(8));
        let panel = Panel { title, unit: "metres".to_owned(), lines: vec![line], scale: None };
        for columns in [40, 80, 120] {
            let text = anstream::adapter::strip_str(&text(std::slice::from_ref(&panel), columns, 14, true)).to_string();
            assert!(text.lines().all(|line| line.chars().count() <= columns), "{text}");
            assert!(text.contains("(metres)"), "{text}");
        }
    }

    #[test]
    fn lines_that_colours_cannot_distinguish_have_letters() {
        let points = [(0.0, 1e-4), (3600.0, 1e-4)];
        for (lines, has_colours, last) in
            [(1, false, None), (2, false, Some('b')), (6, true, None), (8, true, Some('h'))]
        {
            let chart = lines_drawn(&points, 80, lines, has_colours);
            let has = |letter| chart[1..].iter().any(|line| line.contains(letter));
            let letters: Vec<char> = ('a'..='z').filter(|letter| has(*letter)).collect();
            assert_eq!(letters.last().copied(), last, "{chart:#?}");
            assert!(letters.is_empty() || letters.len() == lines, "{chart:#?}");
            assert!(last.is_none_or(|last| chart[0].contains(&format!("  {last} a"))), "{chart:#?}");
        }
    }

    #[test]
    fn the_scale_of_a_single_value_has_its_magnitude() {
        for value in [1.3e-4, -1.3e-4, 2.5e9] {
            let line = Line { label: "a".to_owned(), points: vec![(0.0, value)], step: 0.0 };
            let panel = Panel { title: "Level".to_owned(), unit: String::new(), lines: vec![line], scale: None };
            let (low, high) = Scale::of(&panel, 11).range;
            assert!(low < value && value < high && high - low <= 2.0 * f64::abs(value), "{low} to {high}");
        }
    }

    #[test]
    fn a_constant_line_has_no_interruption() {
        let chart = drawn(&[(0.0, 1.0), (3600.0, 1.0)], 40);
        let widest =
            chart.iter().map(|line| line.chars().filter(|one| ('\u{2801}'..='\u{28ff}').contains(one)).count());
        assert!(widest.max().unwrap() >= 30, "{chart:#?}");
    }
}
