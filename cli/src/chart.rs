//! Line charts over time, in panels one below the other, for a terminal or a file.
//!
//! Charts are rendered as text for a terminal or as SVG, with the same axis marks.

pub(crate) mod axis;
mod svg;
mod terminal;

use generated_client::Timestamp;

pub(crate) use svg::svg;
pub(crate) use terminal::text;

/// The content of a chart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chart {
    pub(crate) panels: Vec<Panel>,
}

/// Lines with a common scale.
#[derive(Clone, Debug, Default)]
pub(crate) struct Panel {
    pub(crate) title: String,
    /// Text; empty if unknown.
    pub(crate) unit: String,
    pub(crate) lines: Vec<Line>,
}

/// The values of one series.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    pub(crate) label: String,
    /// Unix seconds and value, in order of time.
    pub(crate) points: Vec<(f64, f64)>,
}

impl Line {
    /// A line of the points with finite values.
    pub(crate) fn new(label: String, points: impl IntoIterator<Item = (Timestamp, f64)>) -> Self {
        // Exact for hundreds of millions of years around 1970.
        #[allow(clippy::cast_precision_loss)]
        let point = |(time, value): (Timestamp, f64)| (time.unix_seconds() as f64, value);
        let finite = points.into_iter().filter(|(_, value)| value.is_finite());
        Self { label, points: finite.map(point).collect() }
    }

    /// Downsamples to this many columns: keeps the first, the minimum, the maximum and the last point of each.
    pub(crate) fn thinned(&self, columns: usize, (from, to): (f64, f64)) -> Vec<(f64, f64)> {
        if self.points.len() <= 4 * columns || to <= from {
            return self.points.clone();
        }
        // Not negative, and rounded down on purpose.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        let column = |time: f64| ((time - from) / (to - from) * columns as f64) as usize;
        let by_column = self.points.chunk_by(|one, other| column(one.0) == column(other.0));
        by_column.flat_map(outline).collect()
    }
}

/// The first, the minimum, the maximum and the last of some points, in order of time.
fn outline(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let by_value = |one: &&(f64, f64), other: &&(f64, f64)| one.1.total_cmp(&other.1);
    let chosen = [points.first(), points.iter().min_by(by_value), points.iter().max_by(by_value), points.last()];
    let mut chosen: Vec<(f64, f64)> = chosen.into_iter().flatten().copied().collect();
    chosen.sort_by(|one, other| one.0.total_cmp(&other.0));
    chosen.dedup();
    chosen
}

impl Chart {
    /// Returns `true` if no line has a point.
    pub(crate) fn is_empty(&self) -> bool {
        self.panels.iter().flat_map(|panel| &panel.lines).all(|line| line.points.is_empty())
    }

    /// The time range from the first to the last point of all lines.
    pub(crate) fn time_range(&self) -> (f64, f64) {
        bounds(self.panels.iter().flat_map(|panel| &panel.lines).flat_map(|line| &line.points).map(|point| point.0))
    }
}

impl Panel {
    pub(crate) fn value_range(&self) -> (f64, f64) {
        bounds(self.lines.iter().flat_map(|line| &line.points).map(|point| point.1))
    }

    /// The title; it names the series if there is only one, which then needs no legend.
    pub(crate) fn subject(&self) -> String {
        match self.lines.as_slice() {
            [line] if !line.label.is_empty() => format!("{}, {}", self.title, line.label),
            _ => self.title.clone(),
        }
    }

    pub(crate) fn heading(&self) -> String {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" ({})", self.unit) };
        self.subject() + &unit
    }
}

/// The minimum and the maximum, which differ.
fn bounds(numbers: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let least = numbers.clone().fold(f64::INFINITY, f64::min);
    let greatest = numbers.fold(f64::NEG_INFINITY, f64::max);
    if least > greatest {
        return (0.0, 1.0);
    }
    let half = if least < greatest { 0.0 } else { (least.abs() * 0.05).max(0.5) };
    (least - half, greatest + half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thinned_line_keeps_its_shape() {
        let points = (0_i32..10_000).map(|index| (f64::from(index), if index == 5_003 { 9.0 } else { 0.5 })).collect();
        let line = Line { label: String::new(), points };
        let thinned = line.thinned(100, (0.0, 9_999.0));
        assert!(thinned.len() <= 404, "{}", thinned.len());
        assert!(thinned.contains(&(5_003.0, 9.0)) && thinned.contains(&(0.0, 0.5)));
        assert!(thinned.is_sorted_by(|one, other| one.0 < other.0));
        assert_eq!(line.thinned(5_000, (0.0, 9_999.0)).len(), 10_000);
    }

    #[test]
    fn one_value_has_a_range_too() {
        assert_eq!(bounds([3.0, 3.0].into_iter()), (2.5, 3.5));
        assert_eq!(bounds(std::iter::empty()), (0.0, 1.0));
        assert_eq!(bounds([1.0, -2.0].into_iter()), (-2.0, 1.0));
    }
}
