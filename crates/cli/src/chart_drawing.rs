//! Line charts over time, with panels one below the other, and their drawing as SVG.

use std::collections::BTreeMap;
use std::sync::Arc;

use kuva::backend::svg::SvgBackend;
use kuva::plot::legend::LegendPosition;
use kuva::plot::line::{LinePlot, LineStyle};
use kuva::render::datetime::DateTimeAxis;
use kuva::render::figure::Figure;
use kuva::render::layout::{Layout, TickFormat};
use kuva::render::plots::Plot;
use kuva::render::theme::Theme;

use crate::chart_line::Line;
use crate::progress::counted;
use crate::table::readable;

/// The width of an SVG file without a legend, and the minimum height of each panel in it.
const WIDTH: usize = 900;
const HEIGHT: usize = 320;

/// The height of a panel without the lines of its legend, and of each of these lines.
const FRAME: usize = 110;
const LEGEND_LINE: usize = 18;

/// The right margin without a legend, and the distance of a legend from the panel and from the edge.
const RIGHT: f64 = 50.0;
const GAP: f64 = 15.0;

/// Colours that colour-blind readers can distinguish, on light and dark backgrounds.
pub(crate) const COLOURS: [&str; 7] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999999"];

/// The dashes of lines, in pixels. Each is used with all colours before the next one. The line in a legend is 12 pixels
/// long, so a pattern is not longer.
const DASHES: [&str; 4] = ["none", "5 2", "2 2", "6 2 2 2"];

/// Lines with a common scale.
#[derive(Clone, Debug, Default)]
pub(crate) struct Panel {
    /// What all lines have in common; the labels of the lines are the differences.
    pub(crate) title: String,
    /// The unit of the values; empty if unknown.
    pub(crate) unit: String,
    pub(crate) lines: Vec<Line>,
    /// The range of the values that it shares with other panels; `None` if it has its own.
    pub(crate) scale: Option<(f64, f64)>,
}

/// Gives the panels of an endpoint that have one unit the same scale. Values of different endpoints often differ too much.
pub(crate) fn share_scales(panels: &mut [Panel]) {
    let mut scales: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for panel in panels.iter() {
        if panel.unit.is_empty() {
            continue;
        }
        let (low, high) = panel.value_range();
        let scale = scales.entry(panel.unit.clone()).or_insert((low, high));
        *scale = (scale.0.min(low), scale.1.max(high));
    }
    for panel in panels {
        let scale = scales.get(&panel.unit).copied();
        panel.scale = scale.filter(|(low, high)| low.is_finite() && high.is_finite());
    }
}

impl Panel {
    fn plots(&self, columns: usize) -> Vec<Plot> {
        let mut plots = Vec::new();
        for (index, line) in self.lines.iter().enumerate() {
            let colour = COLOURS[index % COLOURS.len()];
            let dashes = DASHES[index / COLOURS.len() % DASHES.len()];
            for (part, mut points) in line.parts(columns).into_iter().enumerate() {
                // A line of one point would be invisible.
                if let [(time, value)] = points[..] {
                    points = vec![(time - 300.0, value), (time + 300.0, value)];
                }
                let mut plot = LinePlot::new()
                    .with_data(points)
                    .with_stroke_width(1.2)
                    .with_color(colour)
                    .with_line_style(LineStyle::Custom(dashes.to_owned()));
                // The parts of a line have one entry in the legend.
                if self.lines.len() > 1 && part == 0 {
                    plot = plot.with_legend(readable(&line.label));
                }
                plots.push(plot.into());
            }
        }
        plots
    }

    /// Completes the layout of the panel in an SVG file, which has this right margin.
    fn layout(&self, mut layout: Layout, times: (f64, f64), right: f64, background: Background) -> Layout {
        // The range that the library chooses for one value does not have its magnitude.
        layout.y_range = self.value_range();
        layout.data_y_range = None;
        layout
            .with_theme(background.theme())
            .with_title(self.heading())
            .with_x_axis_min(times.0)
            .with_x_axis_max(times.1)
            .with_x_label(self.axis_name())
            .with_x_datetime(time_axis(times, WIDTH / 120))
            .with_force_margins(80.0, right)
            .with_legend_position(LegendPosition::OutsideRightTop)
            .with_legend_box(false)
            .with_y_tick_format(TickFormat::Custom(Arc::new(brief)))
    }

    /// The name of the axis of the times, with the number of missing values.
    pub(crate) fn axis_name(&self) -> String {
        match self.missing() {
            0 => "UTC".to_owned(),
            missing => format!("UTC; gaps: {} missing", counted(missing, "value")),
        }
    }

    /// The number of missing values of all lines: those of missing records, and nulls.
    pub(crate) fn missing(&self) -> u64 {
        let mut missing = 0;
        for line in &self.lines {
            missing += line.missing();
        }
        missing
    }

    /// The smallest and the largest value. The range of a single value has its magnitude.
    pub(crate) fn value_range(&self) -> (f64, f64) {
        if let Some(scale) = self.scale {
            return scale;
        }
        let points = self.lines.iter().flat_map(|line| &line.points);
        range(points.map(|point| point.1), |value| value.abs() / 2.0)
    }

    /// The title with the unit.
    pub(crate) fn heading(&self) -> String {
        if self.unit.is_empty() {
            return readable(&self.title);
        }
        readable(&format!("{} ({})", self.title, self.unit))
    }
}

/// The background of an SVG file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Background {
    Light,
    Dark,
}

impl Background {
    fn theme(self) -> Theme {
        match self {
            Self::Light => Theme::light(),
            Self::Dark => Theme::dark(),
        }
    }
}

/// Draws the text of an SVG file.
pub(crate) fn svg(panels: &[Panel], background: Background) -> String {
    let mut plots = Vec::new();
    let mut automatic_layouts = Vec::new();
    // Beside the panels is half of the last time, or the legend, for which the chart becomes wider.
    let mut right = RIGHT;
    // A legend that is higher than its panel would end with the number of further lines.
    let mut height = HEIGHT;
    for panel in panels {
        let of_panel = panel.plots(WIDTH);
        let layout = Layout::auto_from_plots(&of_panel);
        if layout.show_legend {
            right = right.max(layout.legend_width + 2.0 * GAP);
        }
        height = height.max(FRAME + LEGEND_LINE * panel.lines.len());
        plots.push(of_panel);
        automatic_layouts.push(layout);
    }
    let times = time_range(panels);
    let mut layouts = Vec::new();
    for (panel, layout) in panels.iter().zip(automatic_layouts) {
        layouts.push(panel.layout(layout, times, right, background));
    }
    let scene = Figure::new(panels.len(), 1)
        .with_plots(plots)
        .with_layouts(layouts)
        .with_shared_x_all()
        .with_figure_size(float(WIDTH) - RIGHT + right, float(height * panels.len()))
        .render();
    SvgBackend::default().render_scene(&scene)
}

/// The times of the first and the last record. The range of a single time is an hour.
pub(crate) fn time_range(panels: &[Panel]) -> (f64, f64) {
    let lines = panels.iter().flat_map(|panel| &panel.lines);
    let points = lines.flat_map(|line| &line.points);
    range(points.map(|point| point.0), |_| 1800.0)
}

/// The smallest and the largest number, with a margin around a single number; infinities without a number.
fn range(numbers: impl Iterator<Item = f64>, margin: fn(f64) -> f64) -> (f64, f64) {
    let mut low = f64::INFINITY;
    let mut high = f64::NEG_INFINITY;
    for number in numbers {
        low = low.min(number);
        high = high.max(number);
    }
    if (high - low).abs() > 0.0 {
        return (low, high);
    }
    let margin = margin(low);
    (low - margin, high + margin)
}

/// An axis with marks at round times. The number of marks is at most `max`, or slightly more.
pub(crate) fn time_axis((from, to): (f64, f64), max: usize) -> DateTimeAxis {
    let axis = DateTimeAxis::auto(from, to);
    let units = axis.generate_ticks(from, to).len();
    let steps = [1, 2, 3, 6, 12, 15, 30];
    let step = steps.into_iter().find(|step| units / step <= max).unwrap_or(60);
    axis.with_step(step)
}

/// The units of abbreviated numbers, the largest first.
const UNITS: [(f64, &str); 4] = [(1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")];

/// Formats a number with six significant digits and a unit: `1.5B`.
pub(crate) fn brief(number: f64) -> String {
    let unit = UNITS.iter().find(|(size, _)| number.abs() >= *size);
    let (size, name) = unit.copied().unwrap_or((1.0, ""));
    // Ticks are sums of steps, so their last digits are wrong.
    let rounded: f64 = format!("{:.5e}", number / size).parse().unwrap_or(number);
    match rounded {
        0.0 => "0".to_owned(),
        tiny if tiny.abs() < 1e-6 => format!("{tiny:e}"),
        rounded => format!("{rounded}{name}"),
    }
}

/// Converts a number of columns or marks. The numbers are small, so the conversion is exact.
#[allow(clippy::cast_precision_loss)]
fn float(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart_line::MAX_LINES;

    #[test]
    fn a_gap_breaks_a_line_and_is_counted() {
        let points = (0_i32..100).filter(|hour| !(40..65).contains(hour)).map(|hour| (f64::from(hour) * 3600.0, 1.0));
        let line = Line { points: points.collect(), step: 3600.0, ..Line::default() };
        let parts = line.parts(500);
        assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), [40, 35]);
        let panel = Panel { lines: vec![line], ..Panel::default() };
        assert_eq!(panel.axis_name(), "UTC; gaps: 25 values missing");
        assert!(svg(&[panel], Background::Light).contains("gaps: 25 values missing"));
    }

    #[test]
    fn panels_of_one_unit_share_a_scale() {
        let panel = |unit: &str, value| Panel {
            unit: unit.to_owned(),
            lines: vec![Line { points: vec![(0.0, value), (1.0, value + 1.0)], ..Line::default() }],
            ..Panel::default()
        };
        let mut panels = [panel("m", 1.0), panel("m", 9.0), panel("", 50.0), panel("s", 70.0)];
        share_scales(&mut panels);
        assert_eq!(panels.map(|panel| panel.value_range()), [(1.0, 10.0), (1.0, 10.0), (50.0, 51.0), (70.0, 71.0)]);
    }

    #[test]
    fn a_legend_has_the_width_of_its_labels() {
        let width = |label: &str| {
            let line = Line { label: label.to_owned(), points: vec![(0.0, 1.0), (3600.0, 2.0)], step: 0.0 };
            let text = svg(&[Panel { lines: vec![line.clone(), line], ..Panel::default() }], Background::Light);
            let width = text.split_once("width=\"").and_then(|(_, rest)| rest.split_once('"'));
            width.unwrap().0.parse::<f64>().unwrap()
        };
        // A character has about 7 pixels.
        assert!((500.0..900.0).contains(&(width(&"x".repeat(100)) - width("x"))));
    }

    #[test]
    fn the_axis_of_a_single_value_has_its_magnitude() {
        for times in [&[0.0][..], &[0.0, 3600.0]] {
            let points = times.iter().map(|time| (*time, 1.3e-4)).collect();
            let panel = Panel { lines: vec![Line { points, ..Line::default() }], ..Panel::default() };
            let text = svg(&[panel], Background::Light);
            assert!(text.contains(">0.0002<") && text.contains(">0.00015<") && !text.contains("NaN"), "{text}");
            assert!(text.contains(COLOURS[0]), "{text}");
        }
    }

    #[test]
    fn a_legend_has_all_lines() {
        let line =
            |index: usize| Line { label: format!("l{index:02}"), points: vec![(0.0, 1.0), (3600.0, 2.0)], step: 0.0 };
        let panel = Panel { lines: (0..MAX_LINES).map(line).collect(), ..Panel::default() };
        let text = svg(&[panel.clone(), panel], Background::Dark);
        assert!((0..MAX_LINES).all(|index| text.matches(&line(index).label).count() == 2));
    }

    #[test]
    fn axis_numbers_are_abbreviated() {
        for (number, text) in [
            (0.0, "0"),
            (1.5e9, "1.5B"),
            (-0.25, "-0.25"),
            (120_000.0, "120k"),
            (7.0, "7"),
            (1.25e-4 + 2e-20, "0.000125"),
            (-0.0, "0"),
        ] {
            assert_eq!(brief(number), text);
        }
    }

    #[test]
    fn time_axis_has_at_most_ten_marks() {
        for days in [0.01, 0.5, 1.0, 3.0, 30.0, 89.0, 365.0, 1_000.0, 4_000.0] {
            let range = (1_735_689_600.0, 1_735_689_600.0 + days * 86_400.0);
            let marks = time_axis(range, 8).generate_ticks(range.0, range.1).len();
            assert!((1..=10).contains(&marks), "{days} days: {marks}");
        }
    }
}
