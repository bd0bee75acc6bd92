//! Generates plausible values from the type, unit, range and example in the registry.
//!
//! A value depends only on its seed and its time, and changes slowly with time. The values of a candle are consistent
//! with each other; other fields are independent.

use runtime::registry::{FieldInfo, Range, RecordInfo, RecordLayout, TimeUnit, ValueType};
use runtime::wire::ToWire;
use runtime::{Timestamp, Value};
use serde_json::Map;

use crate::seed::Seed;

/// Lists that are nested deeper than this are empty, so that the nesting ends.
const MAX_DEPTH: u8 = 3;

/// The inputs from which the values of one record are generated.
#[derive(Clone, Copy)]
pub(crate) struct Source {
    pub(crate) seed: Seed,
    /// The interval that the record covers, in Unix seconds.
    pub(crate) interval: (i64, i64),
    /// The field that contains the start of the interval. Other timestamp fields contain the end of the interval.
    pub(crate) time: Option<&'static str>,
    pub(crate) depth: u8,
}

/// Generates a record.
pub(crate) fn record(info: &RecordInfo, source: Source) -> Value {
    let mut values = info.fields.iter().map(|field| field_value(field, source)).collect::<Vec<_>>();
    if let Some((at, candle)) = candle(info.fields, source) {
        for (index, value) in at.into_iter().zip(candle) {
            values[index] = in_quotes(&info.fields[index], value.into());
        }
    }
    match info.form {
        RecordLayout::Positional => Value::Array(values),
        RecordLayout::Value => values.into_iter().next().unwrap_or_default(),
        RecordLayout::Object | RecordLayout::Columns => {
            let names = info.fields.iter().map(|field| field.wire_name.to_owned());
            Value::Object(names.zip(values).collect::<Map<_, _>>())
        }
    }
}

/// Generates the value of a field.
pub(crate) fn field_value(field: &FieldInfo, source: Source) -> Value {
    let Source { seed, interval: (start, end), time, depth } = source;
    let time = if time == Some(field.wire_name) { start } else { end };
    Field { field, seed: seed.name(field.wire_name), time, interval: source.interval, depth }.value(field.ty)
}

/// Returns a timestamp in this unit.
pub(crate) fn timestamp(seconds: i64, unit: TimeUnit) -> Value {
    let text = Timestamp::from_unix_seconds(seconds).to_wire(unit);
    if unit.is_text() { text.into() } else { text.parse::<i64>().unwrap_or_default().into() }
}

/// Returns a text as a value of this field; `None` if the text is not such a value.
pub(crate) fn parsed(text: &str, field: &FieldInfo) -> Option<Value> {
    let value = typed(text, field.ty)?;
    Some(if field.quoted && value.is_number() { text.into() } else { value })
}

/// Returns a number as text, if the service sends the values of this field in quotes.
fn in_quotes(field: &FieldInfo, value: Value) -> Value {
    match value {
        Value::Number(number) if field.quoted => number.to_string().into(),
        value => value,
    }
}

fn typed(text: &str, ty: ValueType) -> Option<Value> {
    match ty {
        ValueType::String | ValueType::Named(_) | ValueType::Decimal => Some(text.into()),
        ValueType::Option(item) => typed(text, *item),
        ValueType::Integer | ValueType::Count => text.parse::<i64>().ok().map(Value::from),
        ValueType::Number => text.parse::<f64>().ok().map(Value::from),
        ValueType::Boolean => text.parse::<bool>().ok().map(Value::from),
        _ => None,
    }
}

/// Generates a number from 0 to 100, for a value without a known range or example.
pub(crate) fn any_number(seed: Seed, time: i64) -> f64 {
    round(100.0 * seed.swing(time), (0.0, 100.0))
}

/// The field names that identify a candle.
const CANDLE: [&str; 4] = ["open", "high", "low", "close"];

/// Generates the four values of a candle, with their positions among the fields. The candle opens at the close of the
/// previous candle. `None` if the record is not a candle.
fn candle(fields: &[FieldInfo], Source { seed, interval: (start, end), .. }: Source) -> Option<([usize; 4], [f64; 4])> {
    let number =
        |field: &FieldInfo, name| field.wire_name.eq_ignore_ascii_case(name) && matches!(field.ty, ValueType::Number);
    let at = CANDLE.map(|name| fields.iter().position(|field| number(field, name)));
    let [Some(open), Some(high), Some(low), Some(close)] = at else { return None };
    let (seed, bounds) = (seed.name("candle"), bounds(&fields[close]));
    let price = |time| bounds.0 + (bounds.1 - bounds.0) * seed.swing(time);
    let (first, last) = (price(start), price(end));
    // A wick, the part of a candle beyond open and close, covers at most a hundredth of the distance to the end of the
    // range, so no value is outside the range.
    let wick = |name| seed.name(name).number(start).unit() / 100.0;
    let highest = first.max(last) + (bounds.1 - first.max(last)) * wick("high");
    let lowest = first.min(last) - (first.min(last) - bounds.0) * wick("low");
    Some(([open, high, low, close], [first, highest, lowest, last].map(|value| round(value, bounds))))
}

/// One field of a record, or one item of a list in the field.
#[derive(Clone, Copy)]
struct Field<'f> {
    field: &'f FieldInfo,
    seed: Seed,
    time: i64,
    interval: (i64, i64),
    depth: u8,
}

impl Field<'_> {
    fn value(self, ty: ValueType) -> Value {
        in_quotes(self.field, self.plain(ty))
    }

    /// Returns a value that is not in quotes.
    fn plain(self, ty: ValueType) -> Value {
        let example = self.field.example.unwrap_or("sandbox");
        match ty {
            ValueType::Decimal => self.number().to_string().into(),
            ValueType::Integer => self.integer(f64::MIN).into(),
            ValueType::Count => self.integer(0.0).into(),
            ValueType::Boolean => (self.seed.swing(self.time) > 0.5).into(),
            ValueType::Timestamp(unit) => timestamp(self.time, unit),
            ValueType::Named(named) => {
                self.seed.number(self.time).pick(named.values).map_or(example, |known| known.value).into()
            }
            ValueType::String => example.into(),
            ValueType::Record(info) => {
                record(info, Source { seed: self.seed, interval: self.interval, time: None, depth: self.depth })
            }
            ValueType::List(item) => self.items(*item).collect(),
            ValueType::Map(item) => {
                Value::Object(["first", "second"].map(str::to_owned).into_iter().zip(self.items(*item)).collect())
            }
            // One value in eight is null.
            ValueType::Option(_) if self.seed.number(self.time).unit() < 0.125 => Value::Null,
            ValueType::Option(item) => self.value(*item),
            _ => self.number().into(),
        }
    }

    fn items(self, item: ValueType) -> impl Iterator<Item = Value> {
        let value = if let ValueType::Option(value) = item { *value } else { item };
        let is_leaf = self.depth == MAX_DEPTH || matches!(value, ValueType::Recursive(_));
        let count = if is_leaf { 0 } else { 2 };
        (0..count).map(move |index| Self { seed: self.seed.number(index), depth: self.depth + 1, ..self }.value(item))
    }

    fn number(self) -> f64 {
        let bounds = bounds(self.field);
        round(bounds.0 + (bounds.1 - bounds.0) * self.seed.swing(self.time), bounds)
    }

    #[expect(clippy::cast_possible_truncation, reason = "a cast saturates")]
    fn integer(self, min: f64) -> i64 {
        let (low, high) = bounds(self.field);
        let (low, high) = (low.max(min).ceil(), high.floor());
        (low + (high - low + 1.0) * self.seed.swing(self.time)).floor().clamp(low, high.max(low)) as i64
    }
}

/// Rounds a value to six decimals in a small range, and to two in a large range. The order of values is preserved, and
/// no value leaves the range.
fn round(value: f64, (low, high): (f64, f64)) -> f64 {
    let factor = if high - low < 10.0 { 1e6 } else { 1e2 };
    ((value * factor).round() / factor).clamp(low, high)
}

/// Returns the range of values: the known range, or a range that is derived from the example or the unit.
fn bounds(field: &FieldInfo) -> (f64, f64) {
    let Range { min, max } = field.range;
    let example = field.example.and_then(|example| example.parse::<f64>().ok()).filter(|example| example.is_finite());
    let (low, high) = match (example, field.unit) {
        // An example shows the magnitude and whether values can be negative.
        (Some(seen), _) if seen < 0.0 => (2.0 * seen, -2.0 * seen),
        (Some(seen), _) if seen > 0.0 => (seen / 2.0, seen * 1.5),
        (_, "percentage points") => (-100.0, 100.0),
        (_, "fraction") => (0.0, 1.0),
        (_, unit) if unit.contains("USD") || unit.contains("currency") => (0.0, 1_000_000.0),
        _ => (0.0, 100.0),
    };
    match (min, max) {
        (Some(min), Some(max)) if example.is_none() => (min, max),
        (Some(min), Some(max)) => (low.clamp(min, max), high.clamp(min, max)),
        (Some(min), None) if low < min => (min, min + high - low),
        (None, Some(max)) if high > max => (max - (high - low), max),
        _ => (low, high),
    }
}

#[cfg(test)]
mod tests {
    use runtime::registry::Evidence;

    use super::*;

    const fn field(name: &'static str, ty: ValueType) -> FieldInfo {
        FieldInfo::new(name, name, ty, Evidence::Documented)
    }

    fn source(step: i64) -> Source {
        let start = 1_700_000_000 + 9_000 * step;
        Source { seed: Seed::new(1), interval: (start, start + 9_000), time: None, depth: 0 }
    }

    fn check(field: FieldInfo) -> impl Iterator<Item = Value> {
        (0..500).map(move |step| field_value(&field, source(step)))
    }

    #[test]
    fn a_requested_number_is_text_if_the_field_is_quoted() {
        let plain = field("a", ValueType::Number);
        let quoted = FieldInfo { quoted: true, ..plain };
        assert_eq!((parsed("7.5", &plain), parsed("7.5", &quoted)), (Some(7.5.into()), Some("7.5".into())));
        assert_eq!(parsed("x", &quoted), None);
    }

    #[test]
    fn values_stay_within_their_range() {
        for (min, max) in [(-1.0, 1.0), (0.1, 0.100_000_1), (-7.5, -2.5), (1.0e9, 2.0e9)] {
            let range = Range { min: Some(min), max: Some(max) };
            let mut values = check(FieldInfo { range, ..field("a", ValueType::Number) });
            assert!(values.all(|value| range.contains(value.as_f64().unwrap())));
        }
        let range = Range { min: Some(-7.5), max: Some(3.5) };
        assert!(
            check(FieldInfo { range, ..field("a", ValueType::Integer) })
                .all(|it| (-7..=3).contains(&it.as_i64().unwrap()))
        );
        assert!(
            check(FieldInfo { range, ..field("a", ValueType::Count) })
                .all(|it| (0..=3).contains(&it.as_u64().unwrap()))
        );
        let range = Range { min: Some(5.0), max: None };
        assert!(check(FieldInfo { range, ..field("a", ValueType::Number) }).all(|it| it.as_f64().unwrap() >= 5.0));
    }

    #[test]
    fn values_have_the_magnitude_of_the_example() {
        for (example, low, high) in [("0.0001", 5.0e-5, 1.5e-4), ("3e9", 1.5e9, 4.5e9), ("-20", -40.0, 40.0)] {
            let mut values = check(FieldInfo { example: Some(example), ..field("a", ValueType::Number) });
            assert!(values.all(|value| (low..=high).contains(&value.as_f64().unwrap())), "{example}");
        }
        assert!(
            check(FieldInfo { unit: "fraction", ..field("a", ValueType::Number) })
                .all(|it| it.as_f64().unwrap() <= 1.0)
        );
    }

    #[test]
    fn candles_contain_their_ends_and_follow_each_other() {
        const FIELDS: &[FieldInfo] = &[
            field("close", ValueType::Number),
            field("Low", ValueType::Number),
            field("high", ValueType::Number),
            field("open", ValueType::Number),
        ];
        let info = RecordInfo::new("Candle", FIELDS);
        let mut before = None;
        for step in 0..500 {
            let candle = record(&info, source(step));
            let [open, high, low, close] = ["open", "high", "Low", "close"].map(|name| candle[name].as_f64().unwrap());
            assert!(low <= open.min(close) && open.max(close) <= high && low < high, "{candle}");
            assert!(before.is_none_or(|before: f64| before.to_bits() == open.to_bits()), "{candle}");
            before = Some(close);
        }
    }

    #[test]
    fn a_candle_of_quoted_fields_is_text() {
        const fn quoted(name: &'static str) -> FieldInfo {
            field(name, ValueType::Number).quoted(true)
        }
        const FIELDS: &[FieldInfo] = &[quoted("open"), quoted("high"), quoted("low"), quoted("close")];
        let candle = record(&RecordInfo::new("Candle", FIELDS), source(1));
        assert!(CANDLE.iter().all(|name| candle[*name].is_string()), "{candle}");
    }

    #[test]
    fn lists_nested_too_deep_are_empty() {
        const ONE: ValueType = ValueType::List(&ValueType::Boolean);
        const TWO: ValueType = ValueType::List(&ONE);
        const THREE: ValueType = ValueType::List(&TWO);
        let value = check(field("a", ValueType::List(&THREE))).next().unwrap();
        assert_eq!(value.pointer("/0/0/0"), Some(&serde_json::json!([])));
    }
}
