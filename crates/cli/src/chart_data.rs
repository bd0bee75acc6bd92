//! The data of a chart: numbers over time.
//!
//! A chart has one panel for each field of each endpoint, with a line for each series.

use std::time::Duration;

use runtime::record::{AnyRecord, FieldValue};
use runtime::registry::{FieldInfo, ValueType};
use runtime::{Timestamp, Value};

use crate::chart_drawing::{Line, Panel, share_scales};
use crate::endpoint_names::is_same;
use crate::failure::{Failure, Result};
use crate::record_columns::{record, time_field};
use crate::requested_series::{Series, differing, labels};

/// One series with its records.
#[derive(Debug)]
pub(crate) struct Fetched {
    pub(crate) series: Series,
    pub(crate) records: Vec<AnyRecord>,
    pub(crate) times: Vec<Timestamp>,
    /// The interval between the records.
    pub(crate) step: Duration,
}

/// A field of an endpoint, with its unit; the unit is empty if unknown.
type Field = (String, &'static str);

/// Returns a panel for each chosen field of each endpoint. Returns an error if a chosen field is not a numeric field of
/// any endpoint.
pub(crate) fn panels(all: &[Fetched], chosen: &[String]) -> Result<Vec<Panel>> {
    let by_endpoint = || all.chunk_by(|one, other| is_same(one.series.endpoint, other.series.endpoint));
    let names: Vec<String> = by_endpoint().flat_map(fields).map(|(name, _)| name).collect();
    if let Some(missing) = chosen.iter().find(|name| !names.contains(name)) {
        let help = wording::did_you_mean(missing, names.iter().map(String::as_str));
        let known = format!("numeric fields: {}", names.join(", "));
        return Err(Failure::usage(format!("no record has a numeric field `{missing}`")).help(help.unwrap_or(known)));
    }
    let mut panels: Vec<Panel> = by_endpoint().flat_map(|of_one| panels_of_endpoint(of_one, chosen)).collect();
    share_scales(&mut panels);
    Ok(panels)
}

fn panels_of_endpoint(all: &[Fetched], chosen: &[String]) -> Vec<Panel> {
    let fields = fields(all);
    let wanted: Vec<&Field> = match chosen {
        [] => {
            let names = fields.iter().map(|(name, _)| name.as_str());
            fields.get(default_field(names)).into_iter().collect()
        }
        chosen => fields.iter().filter(|(name, _)| chosen.contains(name)).collect(),
    };
    let series: Vec<Series> = all.iter().map(|one| one.series.clone()).collect();
    let (labels, differing) = (labels(&series), differing(&series));
    let common = series[0].values.iter().filter(|(name, _)| !differing.contains(name));
    let common: Vec<_> = common.map(|(_, value)| value.shown()).collect();
    let panel = |(name, unit): &Field| {
        let field = if fields.len() == 1 { String::new() } else { format!(": {name}") };
        let title = format!("{}{field}", series[0].endpoint.name);
        let title = std::iter::once(&title).chain(&common).map(String::as_str).collect::<Vec<_>>().join(", ");
        let lines = all.iter().zip(&labels).map(|(one, label)| Line::new(label.clone(), points(one, name), one.step));
        Panel { title, unit: (*unit).to_owned(), lines: lines.collect(), scale: None }
    };
    wanted.into_iter().map(panel).collect()
}

/// Returns the index of the field that is drawn by default: of candles, the close, and otherwise the first field.
pub(crate) fn default_field<'n>(names: impl Iterator<Item = &'n str>) -> usize {
    let names: Vec<_> = names.map(str::to_ascii_lowercase).collect();
    let position = |name: &str| names.iter().position(|other| other == name);
    let is_candle = ["open", "high", "low"].iter().all(|name| position(name).is_some());
    position("close").filter(|_| is_candle).unwrap_or(0)
}

fn points(one: &Fetched, name: &str) -> Vec<(Timestamp, f64)> {
    let number = |record: &AnyRecord| record.value(name).and_then(FieldValue::number);
    let point = |(time, record): (&Timestamp, &AnyRecord)| Some((*time, number(record)?));
    one.times.iter().zip(&one.records).filter_map(point).collect()
}

/// Returns the numeric fields of an endpoint. If the catalogue lists no fields, the fields of the first record are
/// used.
fn fields(all: &[Fetched]) -> Vec<Field> {
    let endpoint = all[0].series.endpoint;
    if let Some(table) = record(endpoint) {
        let is_number =
            |info: &&FieldInfo| matches!(info.ty, ValueType::Number | ValueType::Integer | ValueType::Count);
        let numbers = table.fields.iter().filter(is_number);
        return numbers.map(|info| (info.wire_name.to_owned(), info.unit)).collect();
    }
    let time = time_field(endpoint);
    let first = all.iter().find_map(|one| one.records.first()?.as_any()?.as_object());
    let is_value = |(key, value): &(&String, &Value)| value.is_number() && time != Some(key.as_str());
    first.into_iter().flatten().filter(is_value).map(|(key, _)| (key.clone(), "")).collect()
}
