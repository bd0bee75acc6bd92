//! The report of a file or a data set as one HTML page, with a small chart of each numeric field.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use askama::Template;
use dataset::{FieldQuality, Quality, SeriesNumbers, SeriesQuality, SeriesStatus};

use crate::chart_drawing::{COLOURS, brief};
use crate::chart_line::{Line, distance};
use crate::failure::{Failure, Result, brief_text};
use crate::marks;
use crate::program::program;
use crate::progress::{counted, counted_steps};
use crate::quality_report::{steps, totals};
use crate::record_columns::without_fields;
use crate::series_label::label_of;
use crate::stored_target::StoredTarget;
use crate::time_arg;
use crate::unsupported_values;

/// Maximum number of series on a page, which a browser shows without delay.
const MAX_SERIES: usize = 100;

/// Maximum number of gaps of a series that are listed.
const MAX_GAPS: usize = 5;

/// The size of a chart in pixels.
const WIDTH: f64 = 240.0;
const HEIGHT: f64 = 36.0;

/// The number of columns of a chart, each with the smallest and the largest of its values.
const COLUMNS: usize = 240;

/// Maximum number of numbers that are in memory at once. With its time, a number has 16 bytes.
const MAX_NUMBERS: u64 = 20_000_000;

/// The page. Askama escapes all text.
#[derive(Template)]
#[template(path = "report.html")]
struct Page<'p> {
    path: &'p str,
    program: &'p str,
    made_at: String,
    totals: Vec<String>,
    /// What a user should know until the user acknowledges it.
    notes: Vec<String>,
    endpoints: Vec<EndpointPart>,
    /// Number of series that have no part of the page.
    omitted_series: usize,
    width: f64,
    height: f64,
}

struct EndpointPart {
    name: String,
    series: Vec<SeriesPart>,
}

struct SeriesPart {
    label: String,
    /// The number of records, and the times of the first and the last.
    extent: String,
    gaps: Vec<String>,
    fields: Vec<FieldPart>,
}

/// A row of the table of a series.
struct FieldPart {
    name: String,
    unit: String,
    is_missing: bool,
    paths: Vec<ChartPath>,
    min: String,
    mean: String,
    max: String,
    values: String,
    nulls: String,
    out_of_range: String,
    is_out_of_range: bool,
    longest_constant: String,
    largest_step: String,
    largest_step_at: String,
    revisions: String,
}

/// A part of a line between two gaps.
struct ChartPath {
    /// The attribute `d` of the SVG element `path`.
    points: String,
    colour: &'static str,
}

/// The charts of an endpoint.
struct Charts {
    /// The unit of each numeric field, which may be empty.
    units: BTreeMap<String, String>,
    /// The lines by the path of the series and the field.
    lines: BTreeMap<(String, String), Vec<ChartPath>>,
}

/// The text of the page.
pub(crate) async fn html(path: &str, target: &StoredTarget<'_>, quality: &Quality) -> Result<String> {
    let shown = &quality.series[..quality.series.len().min(MAX_SERIES)];
    let mut endpoints = Vec::new();
    for of_endpoint in shown.chunk_by(|one, other| one.status.endpoint() == other.status.endpoint()) {
        endpoints.push(endpoint_part(target, of_endpoint).await?);
    }
    let mut notes = Vec::new();
    for mark in marks::of_status(&quality.status) {
        notes.push(mark.text());
    }
    notes.extend(quality.left_out.iter().cloned());
    notes.extend(without_fields(quality.series.iter().map(|one| one.status.endpoint())));
    let page = Page {
        path,
        program: program().name,
        made_at: time_arg::shown(time_arg::now()),
        totals: totals(quality),
        notes,
        endpoints,
        omitted_series: quality.series.len() - shown.len(),
        width: WIDTH,
        height: HEIGHT,
    };
    page.render().map_err(Failure::machine)
}

async fn endpoint_part(target: &StoredTarget<'_>, all: &[SeriesQuality]) -> Result<EndpointPart> {
    let mut charts = draw_charts(target, all).await?;
    let mut series = Vec::new();
    for one in all {
        let mut fields = Vec::new();
        for field in &one.fields {
            fields.push(field_part(&one.status, field, &mut charts));
        }
        series.push(SeriesPart { label: label_of(&one.status), extent: extent(one), gaps: gaps(&one.status), fields });
    }
    Ok(EndpointPart { name: all[0].status.endpoint().to_owned(), series })
}

/// Draws the numeric fields of the series of an endpoint, some fields at once, because the numbers of all fields may exceed
/// the memory.
async fn draw_charts(target: &StoredTarget<'_>, all: &[SeriesQuality]) -> Result<Charts> {
    let endpoint = all[0].status.endpoint().to_owned();
    let stored = target.tables.rows(Some(&BTreeSet::from([endpoint])), None)?;
    let series: BTreeMap<&str, &SeriesStatus> = all.iter().map(|one| (one.status.path.as_str(), &one.status)).collect();
    let mut charts = Charts { units: BTreeMap::new(), lines: BTreeMap::new() };
    let fields = stored.numeric_fields().await?;
    for fields in fields.chunks(fields_at_once(all)) {
        let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        let numbers = dataset::numbers(&stored, &names, |path| series.contains_key(path)).await?;
        // Records of one series with different labels follow each other.
        for of_series in numbers.series.chunk_by(|one, other| (&one.field, &one.path) == (&other.field, &other.path)) {
            if let Some(status) = series.get(of_series[0].path.as_str()) {
                let key = (status.path.clone(), of_series[0].field.clone());
                charts.lines.insert(key, chart_paths(status, of_series));
            }
        }
        charts.units.extend(fields.iter().map(|field| (field.name.clone(), field.unit.clone())));
    }
    Ok(charts)
}

/// The number of fields whose numbers are read at once.
fn fields_at_once(all: &[SeriesQuality]) -> usize {
    let mut rows = 1;
    for one in all {
        rows += one.rows;
    }
    usize::try_from(MAX_NUMBERS / rows).unwrap_or(usize::MAX).max(1)
}

fn extent(series: &SeriesQuality) -> String {
    let records = counted(series.rows, "record");
    match (series.status.first, series.status.last) {
        (Some(first), Some(last)) => {
            format!("{records} from {} to {}", time_arg::shown(first), time_arg::shown(last))
        }
        _ => records,
    }
}

/// A sentence for each of the first gaps, for the others, and for what was not fetched.
fn gaps(series: &SeriesStatus) -> Vec<String> {
    let mut sentences = Vec::new();
    if !series.interval.has_steps() {
        sentences.push("no regular step, so gaps are not judged".to_owned());
    }
    for gap in series.gaps.iter().take(MAX_GAPS) {
        let missing = steps(series, std::slice::from_ref(gap));
        sentences.push(format!("{} missing {}", counted(missing, "record"), time_arg::span(gap)));
    }
    if let Some(others) = series.gaps.get(MAX_GAPS..)
        && !others.is_empty()
    {
        let missing = steps(series, others);
        let count = others.len() as u64;
        sentences.push(format!("{} missing in {}", counted(missing, "record"), counted(count, "more gap")));
    }
    for (ranges, what) in [(&series.unrequested, "never requested"), (&series.unfetched, "never fetched")] {
        if !ranges.is_empty() {
            sentences.push(format!("{} {what}", counted_steps(ranges, series.interval)));
        }
    }
    if let Some(why) = &series.rejected {
        sentences.push(format!("the service rejected the series: {}", brief_text(why)));
    }
    sentences.extend(unsupported_values::sentence(&series.unsupported));
    if series.ignores_range {
        sentences.push("the service seems to ignore the requested range".to_owned());
    }
    sentences
}

fn field_part(series: &SeriesStatus, field: &FieldQuality, charts: &mut Charts) -> FieldPart {
    let key = (series.path.clone(), field.field.clone());
    FieldPart {
        name: field.field.clone(),
        unit: charts.units.get(&field.field).cloned().unwrap_or_default(),
        is_missing: field.is_missing,
        paths: charts.lines.remove(&key).unwrap_or_default(),
        min: number(field.min),
        mean: number(field.mean),
        max: number(field.max),
        values: field.values.to_string(),
        nulls: field.nulls.to_string(),
        out_of_range: field.out_of_range.to_string(),
        is_out_of_range: field.out_of_range > 0,
        longest_constant: field.longest_constant.to_string(),
        // A tenth of a deviation is exact enough.
        largest_step: field.largest_step.map(|step| format!("{step:.1}")).unwrap_or_default(),
        largest_step_at: field.largest_step_at.map(time_arg::shown).unwrap_or_default(),
        revisions: field.revisions.to_string(),
    }
}

fn number(number: Option<f64>) -> String {
    number.map(brief).unwrap_or_default()
}

/// The lines of a chart, one for each label, which have the same scale.
fn chart_paths(series: &SeriesStatus, of_labels: &[SeriesNumbers]) -> Vec<ChartPath> {
    let mut lines = Vec::new();
    for numbers in of_labels {
        let points = numbers.times.iter().copied().zip(numbers.values.iter().copied());
        lines.push(Line::new(numbers.label.clone(), points, distance(series.interval)));
    }
    let scale = Scale::of(&lines);
    let mut paths = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        for part in line.parts(COLUMNS) {
            paths.push(ChartPath { points: scale.path(&part), colour: COLOURS[index % COLOURS.len()] });
        }
    }
    paths
}

/// The times and the values at the edges of a chart.
struct Scale {
    times: (f64, f64),
    values: (f64, f64),
}

impl Scale {
    fn of(lines: &[Line]) -> Self {
        let mut scale = Self { times: (f64::INFINITY, f64::NEG_INFINITY), values: (f64::INFINITY, f64::NEG_INFINITY) };
        for (time, value) in lines.iter().flat_map(|line| &line.points) {
            scale.times = (scale.times.0.min(*time), scale.times.1.max(*time));
            scale.values = (scale.values.0.min(*value), scale.values.1.max(*value));
        }
        scale
    }

    /// A line through these points. A single point is a dot, because the ends of lines are round.
    fn path(&self, points: &[(f64, f64)]) -> String {
        let mut path = String::new();
        for (index, (time, value)) in points.iter().enumerate() {
            let x = WIDTH * share(*time, self.times);
            // The line is 1 pixel away from the edge. Values grow upwards.
            let y = HEIGHT - 1.0 - (HEIGHT - 2.0) * share(*value, self.values);
            let command = if index == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{command}{x:.1} {y:.1}");
        }
        if points.len() == 1 {
            path.push_str("h0");
        }
        path
    }
}

/// The position of a number between two others, from 0 to 1. If they are equal, it is in the middle.
fn share(number: f64, (low, high): (f64, f64)) -> f64 {
    if high > low { (number - low) / (high - low) } else { 0.5 }
}

#[cfg(test)]
mod tests {
    use runtime::Timestamp;

    use super::*;

    #[test]
    fn a_gap_breaks_a_line_and_an_equal_value_is_in_the_middle() {
        let hour = |hours: i64| Timestamp::from_unix_seconds(hours * 3600);
        let mut series = SeriesStatus::default();
        series.interval = std::time::Duration::from_secs(3600).into();
        let mut numbers = SeriesNumbers::default();
        numbers.times = vec![hour(0), hour(1), hour(4)];
        numbers.values = vec![2.0, 2.0, 2.0];
        let paths: Vec<_> = chart_paths(&series, &[numbers]).into_iter().map(|path| path.points).collect();
        assert_eq!(paths, ["M0.0 18.0L60.0 18.0", "M240.0 18.0h0"]);
    }
}
