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

/// Draws a chart in this many columns and about this many lines, with colour codes, which the caller removes if there
/// are no colours.
pub(crate) fn text(panels: &[Panel], columns: usize, lines: usize, has_colours: bool) -> String {
    // A panel has a heading, an axis and an empty line; the last panel has the times in place of the empty line.
    let rows = (lines / panels.len().max(1)).max(MIN_LINES) - 3;
    let mut scales = Vec::with_capacity(panels.len());
    let mut margin = 0;
    for panel in panels {
        let scale = Scale::of(panel, rows);
        for mark in &scale.marks {
            margin = margin.max(mark.label.chars().count());
        }
        scales.push(scale);
    }
    let width = columns.saturating_sub(margin + 1).max(10);
    let chart = Chart { columns, margin, width, rows, times: time_range(panels), has_colours };
    let mut out = String::new();
    for (index, (panel, scale)) in panels.iter().zip(&scales).enumerate() {
        let is_last = index + 1 == panels.len();
        out.push_str(&chart.heading(panel));
        out.push_str(&chart.rows_of(panel, scale));
        out.push_str(&chart.axis(panel, is_last));
        if !is_last {
            out.push('\n');
        }
    }
    out
}

/// The sizes that all panels of a chart share.
struct Chart {
    /// The columns of the terminal.
    columns: usize,
    /// The columns of the labels of values.
    margin: usize,
    /// The columns and the rows in which lines are drawn.
    width: usize,
    rows: usize,
    times: (f64, f64),
    has_colours: bool,
}

impl Chart {
    /// The letter of a line; `None` if colours distinguish the lines of the panel.
    fn letter(&self, panel: &Panel, line: usize) -> Option<char> {
        let distinguished = if self.has_colours { COLOURS.len() } else { 1 };
        if panel.lines.len() > distinguished { ('a'..='z').nth(line) } else { None }
    }

    /// The title of a panel and the names of its lines, in as many lines as needed.
    fn heading(&self, panel: &Panel) -> String {
        let bold = Style::new().bold();
        let mut heading = format!("{bold}{}{bold:#}", panel.heading());
        if panel.lines.len() > 1 {
            for (index, line) in panel.lines.iter().enumerate() {
                let style = COLOURS[index % COLOURS.len()].on_default();
                let sample = self.letter(panel, index).map_or("━━".to_owned(), String::from);
                // A no-break space keeps the name of a line together.
                let name = format!("{style}{sample}{style:#} {}", readable(&line.label)).replace(' ', "\u{a0}");
                heading.push_str(&format!("  {name}"));
            }
        }
        let options = Options::new(self.columns).subsequent_indent("  ").word_splitter(WordSplitter::NoHyphenation);
        fill(&heading, options).replace('\u{a0}', " ") + "\n"
    }

    /// The rows of a panel, with the labels of values before them.
    fn rows_of(&self, panel: &Panel, scale: &Scale) -> String {
        let margin = self.margin;
        let mut text = String::new();
        for (row, cells) in self.cells(panel, scale).chunks(self.width).enumerate() {
            let mark = scale.marks.iter().find(|mark| scale.row(mark.value, self.rows) == row);
            match mark {
                Some(mark) => text.push_str(&format!("{:>margin$}┤", mark.label)),
                None => text.push_str(&format!("{:>margin$}│", "")),
            }
            text.push_str(&self.coloured(panel, cells));
            text.push('\n');
        }
        text
    }

    /// Draws the lines of a panel into cells, row by row.
    fn cells(&self, panel: &Panel, scale: &Scale) -> Vec<Cell> {
        let mut cells = vec![Cell::default(); self.width * self.rows];
        for (index, line) in panel.lines.iter().enumerate() {
            for part in line.parts(2 * self.width) {
                let mut last = None;
                for (time, value) in part {
                    let dot = Dot { x: position(time, self.times, 2 * self.width), y: scale.row(value, 4 * self.rows) };
                    // The first point is drawn as a line to itself.
                    for dot in last.unwrap_or(dot).line_to(dot) {
                        let cell = &mut cells[dot.y / 4 * self.width + dot.x / 2];
                        cell.dots |= DOTS[dot.y % 4][dot.x % 2];
                        cell.line = index;
                    }
                    last = Some(dot);
                }
            }
        }
        cells
    }

    /// The text of cells, in the colours of their lines.
    fn coloured(&self, panel: &Panel, cells: &[Cell]) -> String {
        let mut coloured = String::new();
        for part in cells.chunk_by(|one, other| one.line == other.line && one.is_empty() == other.is_empty()) {
            if part[0].is_empty() {
                coloured.push_str(&" ".repeat(part.len()));
                continue;
            }
            let line = part[0].line;
            let letter = self.letter(panel, line);
            let style = Style::new().fg_color(Some(COLOURS[line % COLOURS.len()].into()));
            coloured.push_str(&style.to_string());
            for cell in part {
                coloured.push(letter.unwrap_or_else(|| cell.pattern()));
            }
            coloured.push_str(&format!("{style:#}"));
        }
        coloured
    }

    /// The axis of the times, with the times and the name below it if they are needed there.
    fn axis(&self, panel: &Panel, is_last: bool) -> String {
        let margin = self.margin;
        let marks = TimeMarks::of(self.times, self.width);
        let mut text = format!("{:>margin$}└{}\n", "", marks.axis);
        let name = panel.axis_name();
        if is_last || name != "UTC" {
            text.push_str(&format!("{:>margin$} {}\n{:>margin$} {name}\n", "", marks.labels, ""));
        }
        text
    }
}

/// The range of the values of a panel, and the values with a label.
struct Scale {
    range: (f64, f64),
    marks: Vec<Mark>,
}

struct Mark {
    value: f64,
    label: String,
}

impl Scale {
    fn of(panel: &Panel, rows: usize) -> Self {
        let count = (rows / 4).max(2);
        let (low, high) = panel.value_range();
        let range = auto_nice_range(low, high, count);
        let mut marks = Vec::new();
        for value in generate_ticks(range.0, range.1, count) {
            marks.push(Mark { value, label: brief(value) });
        }
        Self { range, marks }
    }

    /// The row of a value, from the top.
    fn row(&self, value: f64, rows: usize) -> usize {
        position(value, (self.range.1, self.range.0), rows)
    }
}

/// The index of a value in a range that is divided into this many steps.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss)] // Counts are small.
fn position(value: f64, (from, to): (f64, f64), steps: usize) -> usize {
    (((value - from) / (to - from)).clamp(0.0, 1.0) * (steps - 1) as f64).round() as usize
}

/// The dots of a character, and the index of the line that was drawn last.
#[derive(Clone, Copy, Default)]
struct Cell {
    dots: u8,
    line: usize,
}

impl Cell {
    fn is_empty(self) -> bool {
        self.dots == 0
    }

    /// The Braille pattern with these dots.
    fn pattern(self) -> char {
        char::from_u32(0x2800 + u32::from(self.dots)).unwrap_or(' ')
    }
}

/// A dot of a panel, counted from its left and its top.
#[derive(Clone, Copy)]
struct Dot {
    x: usize,
    y: usize,
}

impl Dot {
    /// The dots of a straight line, with both ends.
    fn line_to(self, end: Self) -> impl Iterator<Item = Self> {
        let steps = self.x.abs_diff(end.x).max(self.y.abs_diff(end.y)).max(1);
        (0..=steps)
            .map(move |step| Self { x: between(self.x, end.x, step, steps), y: between(self.y, end.y, step, steps) })
    }
}

/// The whole number that is nearest to the position of a step between two numbers.
fn between(from: usize, to: usize, step: usize, steps: usize) -> usize {
    (from * (steps - step) + to * step + steps / 2) / steps
}

/// The axis of the times, and their labels below it.
struct TimeMarks {
    axis: String,
    labels: String,
    /// Whether no label is omitted because it would overlap another one.
    is_complete: bool,
}

impl TimeMarks {
    /// The most marks whose labels do not overlap.
    fn of(times: (f64, f64), width: usize) -> Self {
        for count in (2..=width / 12).rev() {
            let marks = Self::of_axis(&time_axis(times, count), times, width);
            if marks.is_complete {
                return marks;
            }
        }
        Self::of_axis(&time_axis(times, 1), times, width)
    }

    fn of_axis(axis: &DateTimeAxis, times: (f64, f64), width: usize) -> Self {
        let mut line = vec!['─'; width];
        let mut labels = String::new();
        let mut is_complete = true;
        for time in axis.generate_ticks(times.0, times.1) {
            if time < times.0 || time > times.1 {
                continue;
            }
            let label = axis.format_tick(time);
            let column = position(time, times, width);
            // The labels at both ends are not below their marks.
            let start = column.saturating_sub(label.len() / 2).min(width.saturating_sub(label.len()));
            if labels.is_empty() || labels.len() < start {
                labels = format!("{labels:<start$}{label}");
                line[column] = '┬';
            } else {
                is_complete = false;
            }
        }
        Self { axis: line.into_iter().collect(), labels, is_complete }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart_line::Line;

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
            let axis = TimeMarks::of((1_759_276_800.0, end), columns - 9).axis;
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
