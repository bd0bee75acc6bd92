//! A chart as a file: SVG, or PNG with the font that comes with the library.
//!
//! A chart comes in, bytes go out. Writing them is left to the caller.

use std::path::Path;
use std::sync::Arc;

use kuva::backend::png::PngBackend;
use kuva::backend::svg::SvgBackend;
use kuva::plot::line::LinePlot;
use kuva::render::figure::Figure;
use kuva::render::layout::{Layout, TickFormat};
use kuva::render::plots::Plot;

use super::{Chart, Panel, axis};

const WIDTH: f64 = 1000.0;
const PANEL_HEIGHT: f64 = 320.0;

/// The same for every panel, so that points of one time stand in one column.
const LEFT: f64 = 80.0;
const RIGHT: f64 = 20.0;

/// How many points of a line fit into that width.
const COLUMNS: usize = 1000;

/// Colours that differ for most eyes, on white.
const COLOURS: [&str; 8] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999999", "#000000"];

/// What kind of file a picture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Svg,
    Png,
}

impl Kind {
    /// The kind that the name of a file says.
    pub(crate) fn of(file: &Path) -> Option<Self> {
        match file.extension()?.to_str()?.to_lowercase().as_str() {
            "svg" => Some(Self::Svg),
            "png" => Some(Self::Png),
            _ => None,
        }
    }
}

/// The bytes of a file that shows the chart.
pub(crate) fn draw(chart: &Chart, kind: Kind) -> Result<Vec<u8>, String> {
    let range = chart.time_range();
    let panels = || chart.panels.iter().map(|panel| lines(panel, range));
    let layouts = chart.panels.iter().map(|panel| layout(panel, range)).collect();
    let rows = chart.panels.len();
    // There are fewer panels than a `f64` can count.
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
    let scene = figure.render();
    match kind {
        Kind::Svg => Ok(SvgBackend::default().render_scene(&scene).into_bytes()),
        Kind::Png => PngBackend::new().with_scale(2.0).render_scene(&scene),
    }
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
