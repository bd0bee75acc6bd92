//! A chart as SVG.
//!
//! Returns the text of the file; the caller writes it.

use std::sync::Arc;

use kuva::backend::svg::SvgBackend;
use kuva::plot::line::LinePlot;
use kuva::render::figure::Figure;
use kuva::render::layout::{Layout, TickFormat};
use kuva::render::plots::Plot;

use super::{Chart, Panel, axis};

const WIDTH: f64 = 1000.0;
const PANEL_HEIGHT: f64 = 320.0;

/// The same for every panel, so that points of the same time are aligned.
const LEFT: f64 = 80.0;
const RIGHT: f64 = 20.0;

/// Maximum number of points of a line in that width.
const COLUMNS: usize = 1000;

/// Colours on white that colour-blind readers can distinguish too.
const COLOURS: [&str; 8] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999999", "#000000"];

/// The text of an SVG file with the chart.
pub(crate) fn svg(chart: &Chart) -> String {
    let range = chart.time_range();
    let panels = || chart.panels.iter().map(|panel| lines(panel, range));
    let layouts = chart.panels.iter().map(|panel| layout(panel, range)).collect();
    let rows = chart.panels.len();
    // An `f64` can count the panels exactly.
    #[allow(clippy::cast_precision_loss)]
    let height = PANEL_HEIGHT * rows as f64;
    let mut figure = Figure::new(rows, 1)
        .with_plots(panels().collect())
        .with_layouts(layouts)
        .with_shared_x_all()
        .with_figure_size(WIDTH, height);
    if chart.panels.iter().any(|panel| panel.lines.len() > 1) {
        figure = figure.with_shared_legend();
    }
    SvgBackend::default().render_scene(&figure.render())
}

fn lines(panel: &Panel, range: (f64, f64)) -> Vec<Plot> {
    let line = |(line, colour): (&super::Line, &&str)| {
        let plot = LinePlot::new().with_data(line.thinned(COLUMNS, range)).with_color(*colour).with_stroke_width(1.2);
        if panel.lines.len() > 1 { plot.with_legend(line.label.as_str()) } else { plot }.into()
    };
    panel.lines.iter().zip(COLOURS.iter().cycle()).map(line).collect()
}

fn layout(panel: &Panel, range: (f64, f64)) -> Layout {
    Layout::auto_from_plots(&lines(panel, range))
        .with_title(panel.subject())
        .with_y_label(panel.unit.as_str())
        .with_x_axis_min(range.0)
        .with_x_axis_max(range.1)
        .with_x_datetime(axis::time_axis(range, 10))
        .with_force_margins(LEFT, RIGHT)
        .with_y_tick_format(TickFormat::Custom(Arc::new(axis::brief)))
}
