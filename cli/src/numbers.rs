//! Numbers over time, the data of a chart.
//!
//! A chart has one panel for each field of each endpoint, with a line for each series.

use generated_client::record::{AnyRecord, FieldValue};
use generated_client::registry::{FieldInfo, ValueType};
use generated_client::{Timestamp, Value};

use crate::chart::{Line, Panel};
use crate::endpoints;
use crate::failure::{Failure, Result};
use crate::records::{record, time_field};
use crate::series::Series;
use crate::suggest;

/// The numbers of one series.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers {
    /// The endpoint's name, if it is known.
    pub(crate) endpoint: String,
    /// Params by their names, with their values.
    pub(crate) labels: Vec<(String, String)>,
    pub(crate) fields: Vec<Field>,
}

/// The numbers of one field.
#[derive(Clone, Debug, Default)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) unit: String,
    pub(crate) points: Vec<(Timestamp, f64)>,
}

impl Numbers {
    /// The numbers in the records of a series.
    pub(crate) fn of(series: &Series, records: &[AnyRecord], times: &[Option<Timestamp>]) -> Self {
        let field = |(name, unit): (String, String)| {
            let number = |record: &AnyRecord| record.value(&name).and_then(FieldValue::number);
            let point = |(time, record): (&Option<Timestamp>, &AnyRecord)| Some(((*time)?, number(record)?));
            let points = times.iter().zip(records).filter_map(point).collect();
            Field { name, unit, points }
        };
        let label = |(name, value): &(String, crate::series::Given)| (name.clone(), value.shown());
        Self {
            endpoint: series.endpoint.known().map_or_else(|| series.endpoint.name(), ToString::to_string),
            labels: series.values.iter().map(label).collect(),
            fields: names(series, records).into_iter().map(field).collect(),
        }
    }

    pub(crate) fn label(&self, name: &str) -> Option<&str> {
        self.labels.iter().find(|(label, _)| label == name).map(|(_, value)| value.as_str())
    }
}

/// The fields that are numbers, with their units.
fn names(series: &Series, records: &[AnyRecord]) -> Vec<(String, String)> {
    if let Some(table) = series.endpoint.known().and_then(record) {
        let numbers = table.fields.iter().filter(|info| is_number(info));
        return numbers.map(|info| (info.wire_name.to_owned(), info.unit.to_owned())).collect();
    }
    let time = series.endpoint.known().and_then(time_field);
    let first = records.first().and_then(AnyRecord::as_any).and_then(Value::as_object);
    let is_value = |(key, value): &(&String, &Value)| value.is_number() && time != Some(key.as_str());
    first.into_iter().flatten().filter(is_value).map(|(key, _)| (key.clone(), String::new())).collect()
}

fn is_number(info: &FieldInfo) -> bool {
    matches!(info.ty, ValueType::Number | ValueType::Integer | ValueType::Count)
}

/// A panel for each field of each endpoint. A chosen field that no endpoint has is an error.
pub(crate) fn panels(mut all: Vec<Numbers>, chosen: &[String]) -> Result<Vec<Panel>> {
    let names: Vec<&str> = fields(&all);
    if let Some(missing) = chosen.iter().find(|name| !names.contains(&name.as_str())) {
        let tip = suggest::tip(missing, names.iter().copied());
        let known = format!("there is {}", names.join(", "));
        return Err(Failure::usage(format!("no record has a number `{missing}`")).tip(tip.unwrap_or(known)));
    }
    // A stable sort keeps the requested order of the series.
    all.sort_by(|one, other| one.endpoint.cmp(&other.endpoint));
    let by_endpoint = all.chunk_by(|one, other| one.endpoint == other.endpoint);
    Ok(by_endpoint.flat_map(|numbers| of_endpoint(numbers, chosen)).collect())
}

/// The names of all fields, each once.
fn fields(all: &[Numbers]) -> Vec<&str> {
    let mut names = Vec::new();
    for field in all.iter().flat_map(|one| &one.fields) {
        if !names.contains(&field.name.as_str()) {
            names.push(field.name.as_str());
        }
    }
    names
}

fn of_endpoint(all: &[Numbers], chosen: &[String]) -> Vec<Panel> {
    let names = fields(all);
    let wanted: Vec<&str> = match chosen {
        [] => default_field(&names).into_iter().collect(),
        chosen => names.iter().copied().filter(|name| chosen.iter().any(|chosen| chosen == name)).collect(),
    };
    let endpoint = all.first().map(|one| one.endpoint.as_str()).unwrap_or_default();
    let title = endpoints::find(endpoint).map_or(endpoint, |endpoint| endpoint.name);
    let panel = |name: &str| {
        let of = |one: &Numbers| one.fields.iter().find(|field| field.name == name).cloned().unwrap_or_default();
        let title = match title {
            "" => name.to_owned(),
            title if names.len() == 1 => title.to_owned(),
            title => format!("{title}: {name}"),
        };
        let unit = all.iter().map(|one| of(one).unit).find(|unit| !unit.is_empty()).unwrap_or_default();
        Panel { title, unit, lines: all.iter().map(|one| Line::new(line_label(all, one), of(one).points)).collect() }
    };
    wanted.into_iter().map(panel).collect()
}

/// The close of candles, else the first number.
fn default_field<'n>(names: &[&'n str]) -> Option<&'n str> {
    let is_candle = ["open", "high", "low", "close"].iter().all(|name| names.contains(name));
    if is_candle { Some("close") } else { names.first().copied() }
}

/// The params that distinguish a series from the others; if there is only one, all of its params.
fn line_label(all: &[Numbers], one: &Numbers) -> String {
    let differs = |name: &str| all.len() == 1 || all.iter().any(|other| other.label(name) != one.label(name));
    let words: Vec<&str> =
        one.labels.iter().filter(|(name, _)| differs(name)).map(|(_, value)| value.as_str()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(endpoint: &str, coin: &str, fields: &[&str]) -> Numbers {
        let field = |name: &&str| Field { name: (*name).to_owned(), unit: String::new(), points: Vec::new() };
        let labels = vec![("coin".to_owned(), coin.to_owned()), ("timeframe".to_owned(), "1h".to_owned())];
        Numbers { endpoint: endpoint.to_owned(), labels, fields: fields.iter().map(field).collect() }
    }

    fn check(chosen: &[&str]) -> Result<Vec<String>, String> {
        let candle = ["open", "high", "low", "close"];
        let all = vec![
            numbers("orderflow.volume_ratio", "BTC", &["volumeRatio"]),
            numbers("open_interest.open_interest", "BTC", &candle),
            numbers("open_interest.open_interest", "ETH", &candle),
        ];
        let chosen: Vec<String> = chosen.iter().map(|name| (*name).to_owned()).collect();
        let shown = |panel: Panel| {
            let lines: Vec<_> = panel.lines.into_iter().map(|line| line.label).collect();
            format!("{} [{}]", panel.title, lines.join(", "))
        };
        let panels = panels(all, &chosen).map_err(|failure| failure.to_string())?;
        Ok(panels.into_iter().map(shown).collect())
    }

    #[test]
    fn a_panel_for_each_field_that_is_wanted() {
        let both = ["Open Interest: close [BTC, ETH]", "Volume Ratio [BTC 1h]"].map(str::to_owned);
        assert_eq!(check(&[]), Ok(both.into()));
        let two = ["Open Interest: open [BTC, ETH]", "Open Interest: high [BTC, ETH]"].map(str::to_owned);
        assert_eq!(check(&["high", "open"]), Ok(two.into()));
        let wrong = "no record has a number `volumRatio`\n\n  tip: did you mean `volumeRatio`?";
        assert_eq!(check(&["volumRatio"]), Err(wrong.to_owned()));
    }
}
