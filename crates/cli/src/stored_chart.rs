//! The data of a chart of rows that are in a file or a data set.

use std::collections::{BTreeMap, BTreeSet};

use dataset::{SeriesNumbers, SeriesStatus, StoredTables};
use runtime::Timestamp;

use crate::chart_data::{RECORDS, default_field, unknown_field};
use crate::chart_drawing::{Panel, share_scales};
use crate::chart_line::{Line, check_lines, distance, line_label};
use crate::failure::Result;
use crate::find_endpoint::find;
use crate::series_label::{common_values, differing_label};

/// The time range of a chart; without a start, the last records.
pub(crate) struct Range {
    pub(crate) from: Option<Timestamp>,
    pub(crate) to: Timestamp,
}

/// The panels of a chart of stored rows.
pub(crate) struct StoredPanels {
    pub(crate) panels: Vec<Panel>,
    /// A message for each damaged or missing file, whose rows are left out.
    pub(crate) left_out: Vec<String>,
    /// The numeric fields that can be drawn.
    names: BTreeSet<String>,
}

/// A panel for each chosen field of each endpoint.
pub(crate) async fn panels(
    tables: &StoredTables,
    series: &[SeriesStatus],
    chosen: &[String],
    range: &Range,
) -> Result<StoredPanels> {
    let mut all = StoredPanels { panels: Vec::new(), left_out: Vec::new(), names: BTreeSet::new() };
    for of_endpoint in series.chunk_by(|one, other| one.endpoint() == other.endpoint()) {
        check_lines(of_endpoint.len())?;
        all.add(tables, of_endpoint, chosen, range).await?;
    }
    for name in chosen {
        if !all.names.contains(name) {
            let known: Vec<&str> = all.names.iter().map(String::as_str).collect();
            return Err(unknown_field(name, &known));
        }
    }
    Ok(all)
}

/// The time of the first of the last records of a series, which are drawn by default.
fn first_of_last(status: &SeriesStatus, times: &[Timestamp], to: Timestamp) -> Timestamp {
    let last = status.last.unwrap_or(to);
    if status.interval.has_steps() {
        return last - (RECORDS - 1) * status.interval.longest();
    }
    let count = usize::try_from(RECORDS).unwrap_or(usize::MAX);
    times.get(times.len().saturating_sub(count)).copied().unwrap_or(last)
}

impl StoredPanels {
    /// Adds the panels of the series of an endpoint.
    async fn add(
        &mut self,
        tables: &StoredTables,
        series: &[SeriesStatus],
        chosen: &[String],
        range: &Range,
    ) -> Result<()> {
        let endpoint = series[0].endpoint().to_owned();
        let stored = tables.rows(Some(&BTreeSet::from([endpoint.clone()])), None)?;
        let fields = stored.numeric_fields().await?;
        self.names.extend(fields.iter().map(|field| field.name.clone()));
        let default = default_field(fields.iter().map(|field| field.name.as_str()));
        let mut drawn = Vec::new();
        for (index, field) in fields.iter().enumerate() {
            let is_drawn = if chosen.is_empty() { index == default } else { chosen.contains(&field.name) };
            if is_drawn {
                drawn.push(field);
            }
        }
        let names: Vec<&str> = drawn.iter().map(|field| field.name.as_str()).collect();
        let known: BTreeMap<&str, &SeriesStatus> = series.iter().map(|one| (one.path.as_str(), one)).collect();
        let numbers = dataset::numbers(&stored, &names, |path| known.contains_key(path)).await?;
        self.left_out.extend(numbers.left_out);
        let mut lines: BTreeMap<String, Vec<SeriesNumbers>> = BTreeMap::new();
        for numbers in numbers.series {
            lines.entry(numbers.field.clone()).or_default().push(numbers);
        }
        let mut panels = Vec::new();
        for field in drawn {
            let numbers = lines.remove(&field.name).unwrap_or_default();
            let title = title(&endpoint, &field.name, series);
            let lines = chart_lines(numbers, &known, range)?;
            panels.push(Panel { title, unit: field.unit.clone(), lines, scale: None });
        }
        share_scales(&mut panels);
        self.panels.extend(panels);
        Ok(())
    }
}

/// The endpoint, the field, and the values of the params that are the same in all series.
fn title(endpoint: &str, field: &str, series: &[SeriesStatus]) -> String {
    // A later version of the catalogue may not have the endpoint.
    let name = find(endpoint).map_or(endpoint, |known| known.name);
    let mut parts = vec![format!("{name}: {field}")];
    parts.extend(common_values(series));
    parts.join(", ")
}

/// A line for each label of each series.
fn chart_lines(all: Vec<SeriesNumbers>, known: &BTreeMap<&str, &SeriesStatus>, range: &Range) -> Result<Vec<Line>> {
    check_lines(all.len())?;
    let mut lines = Vec::new();
    for numbers in all {
        let Some(status) = known.get(numbers.path.as_str()) else { continue };
        let step = distance(status.interval);
        let from = range.from.unwrap_or_else(|| first_of_last(status, &numbers.times, range.to));
        let points = numbers.times.into_iter().zip(numbers.values);
        let points = points.filter(|(time, _)| (from..range.to).contains(time));
        lines.push(Line::new(
            line_label(differing_label(status, known.values().copied()), &numbers.label),
            points,
            step,
        ));
    }
    Ok(lines)
}
