//! The data of a chart of rows that are in a file or a data set.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use dataset::{SeriesStatus, StoredRows, Target};
use runtime::Timestamp;

use crate::chart_data::default_field;
use crate::chart_drawing::{Line, MAX_LINES, Panel, share_scales};
use crate::failure::{Failure, Result};
use crate::series_label::label_of;

/// Number of records that are drawn by default.
const RECORDS: u32 = 100;

/// The time range of a chart; without a start, the last records.
pub(crate) struct Range {
    pub(crate) from: Option<Timestamp>,
    pub(crate) to: Timestamp,
}

/// Returns a panel for each chosen field of each endpoint.
pub(crate) async fn panels(
    target: &Target,
    series: &[SeriesStatus],
    chosen: &[String],
    range: &Range,
) -> Result<Vec<Panel>> {
    let mut panels = Vec::new();
    let mut names = BTreeSet::new();
    for of_endpoint in series.chunk_by(|one, other| one.endpoint() == other.endpoint()) {
        if of_endpoint.len() > MAX_LINES {
            let count = of_endpoint.len();
            let message = format!("a chart has at most {MAX_LINES} series of an endpoint, not {count}");
            return Err(Failure::usage(message).help("select series by their params"));
        }
        let endpoint = of_endpoint[0].endpoint().to_owned();
        let stored = StoredRows::open(target, Some(&BTreeSet::from([endpoint])), None).await?;
        let fields = stored.numeric_fields();
        names.extend(fields.iter().map(|field| field.name.clone()));
        let default = default_field(fields.iter().map(|field| field.name.as_str()));
        for (index, field) in fields.iter().enumerate() {
            let is_drawn = if chosen.is_empty() { index == default } else { chosen.contains(&field.name) };
            if is_drawn {
                let lines = lines(&stored, of_endpoint, &field.name, range).await?;
                let title = format!("{}: {}", of_endpoint[0].endpoint(), field.name);
                panels.push(Panel { title, unit: field.unit.clone(), lines, scale: None });
            }
        }
    }
    if let Some(missing) = chosen.iter().find(|name| !names.contains(*name)) {
        let known: Vec<_> = names.iter().map(String::as_str).collect();
        let help = wording::did_you_mean(missing, known.iter().copied());
        let all = format!("numeric fields: {}", known.join(", "));
        return Err(Failure::usage(format!("no record has a numeric field `{missing}`")).help(help.unwrap_or(all)));
    }
    share_scales(&mut panels);
    Ok(panels)
}

/// Returns a line for each series.
async fn lines(stored: &StoredRows, series: &[SeriesStatus], field: &str, range: &Range) -> Result<Vec<Line>> {
    let known: BTreeMap<&str, &SeriesStatus> = series.iter().map(|one| (one.path.as_str(), one)).collect();
    let mut lines = Vec::new();
    for numbers in dataset::numbers(stored, field, |path| known.contains_key(path)).await? {
        let Some(status) = known.get(numbers.path.as_str()) else { continue };
        let step = Duration::from_secs(status.step);
        let last = status.last.unwrap_or(range.to);
        let from = range.from.unwrap_or_else(|| last - (RECORDS - 1) * step);
        let all = numbers.times.into_iter().zip(numbers.values);
        let points = all.filter(|(time, _)| (from..range.to).contains(time));
        lines.push(Line::new(label_of(status), points, step));
    }
    Ok(lines)
}
