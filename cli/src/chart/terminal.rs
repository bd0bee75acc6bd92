//! A chart as text in Braille patterns, with eight dots per character.
//!
//! A chart is drawn for the size of the terminal, as lines of text with colours that the caller may remove.

use anstyle::{AnsiColor, Style};
use ploot::canvas::color::PALETTE;
use ploot::{AutoOption, Figure, PlotOption};

use super::axis::{self, Mark};
use super::{Chart, Line, Panel};

const BOLD: Style = Style::new().bold();

/// The colours of the library's palette, in its order.
const COLOURS: [AnsiColor; 7] = [
    AnsiColor::Blue,
    AnsiColor::Red,
    AnsiColor::Green,
    AnsiColor::Yellow,
    AnsiColor::Cyan,
    AnsiColor::Magenta,
    AnsiColor::White,
];

/// Minimum number of lines of a readable panel.
const LEAST_HEIGHT: usize = 12;

/// The chart, in this many columns and about this many lines.
pub(crate) fn text(chart: &Chart, width: usize, height: usize) -> String {
    let each = (height / chart.panels.len().max(1)).max(LEAST_HEIGHT);
    let range = chart.time_range();
    let mut marks: Vec<Vec<Mark>> =
        chart.panels.iter().map(|panel| axis::covering(panel.value_range(), each / 3)).collect();
    // The same in every panel, so that points of the same time are aligned.
    let widest = marks.iter().flatten().map(|(_, label)| label.len()).max().unwrap_or_default();
    for (_, label) in marks.iter_mut().flatten() {
        *label = format!("{label:>widest$}");
    }
    let panels = chart.panels.iter().zip(&marks);
    panels.map(|(panel, marks)| panel_text(panel, marks, range, width, each)).collect()
}

fn panel_text(panel: &Panel, marks: &[Mark], range: (f64, f64), width: usize, height: usize) -> String {
    let mut figure = Figure::new();
    figure.set_terminal_size(width, height - 2);
    let axes = figure.axes2d();
    for (line, color) in panel.lines.iter().zip(PALETTE.iter().cycle()) {
        let (times, values): (Vec<f64>, Vec<f64>) = line.thinned(2 * width, range).into_iter().unzip();
        axes.lines(times, values, &[PlotOption::Color(*color)]);
    }
    axes.set_x_range(AutoOption::Fix(range.0), AutoOption::Fix(range.1));
    // From the first mark to the last: the library spreads marks evenly over the range.
    if let [(least, _), .., (greatest, _)] = marks {
        axes.set_y_range(AutoOption::Fix(*least), AutoOption::Fix(*greatest));
    }
    axes.set_x_ticks_custom(&borrowed(&axis::times(range, width / 14)));
    axes.set_y_ticks_custom(&borrowed(marks));
    axes.hide_legend();
    let text = figure.render();
    let drawn = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let heading = format!("{BOLD}{:^width$}{BOLD:#}", panel.heading());
    std::iter::once(heading.trim_end().to_owned())
        .chain(legend(panel, width))
        .chain(drawn.map(str::to_owned))
        .map(|line| line + "\n")
        .collect()
}

/// The label of each line, in its colour.
fn legend(panel: &Panel, width: usize) -> Option<String> {
    if panel.lines.len() < 2 {
        return None;
    }
    let used: usize = panel.lines.iter().map(|line| line.label.chars().count() + 5).sum();
    let entry = |(line, colour): (&Line, AnsiColor)| {
        let style = colour.on_default();
        format!("{style}──{style:#} {}", line.label)
    };
    let entries: Vec<_> = panel.lines.iter().zip(COLOURS.into_iter().cycle()).map(entry).collect();
    Some(format!("{:indent$}{}", "", entries.join("  "), indent = (width + 2).saturating_sub(used) / 2))
}

fn borrowed(marks: &[Mark]) -> Vec<(f64, &str)> {
    marks.iter().map(|(place, label)| (*place, label.as_str())).collect()
}
