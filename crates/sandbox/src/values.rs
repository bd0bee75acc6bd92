//! Generates plausible values from the type, unit, range and example in the registry.
//!
//! A value depends only on its seed and its time, and changes slowly with time. The values of a candle are consistent
//! with each other; other fields are independent.

use runtime::registry::{FieldInfo, FieldSource, Range, RecordInfo, RecordLayout, TimeUnit, ValueType};
use runtime::wire::ToWire;
use runtime::{Timestamp, Value};
use serde_json::Map;

use crate::interval::Interval;
use crate::seed::Seed;

/// Lists that are nested deeper than this are empty, so that the nesting ends.
const MAX_DEPTH: u8 = 3;

/// The inputs from which the values of one record are generated.
#[derive(Clone, Copy)]
pub(crate) struct RecordInputs {
    pub(crate) seed: Seed,
    pub(crate) interval: Interval,
    /// The field that contains the start of the interval. Other timestamp fields contain the end of the interval.
    pub(crate) time: Option<&'static str>,
    pub(crate) depth: u8,
}

/// Generates a record.
pub(crate) fn record(info: &RecordInfo, inputs: RecordInputs) -> Value {
    let mut values: Vec<_> = info.fields.iter().map(|field| field_value(field, inputs)).collect();
    for price in candle(info.fields, inputs).into_iter().flatten() {
        values[price.index] = in_quotes(&info.fields[price.index], price.value.into());
    }
    match info.layout {
        RecordLayout::Positional => Value::Array(values),
        RecordLayout::Value => values.into_iter().next().unwrap_or_default(),
        RecordLayout::Object | RecordLayout::Columns | RecordLayout::Named(_) => {
            let mut members = Map::new();
            for (field, value) in info.fields.iter().zip(values) {
                match (field.source, value) {
                    (FieldSource::Others, Value::Object(others)) => members.extend(others),
                    (_, value) => {
                        members.insert(field.wire_name.to_owned(), value);
                    }
                }
            }
            Value::Object(members)
        }
    }
}

/// Generates the value of a field.
pub(crate) fn field_value(field: &FieldInfo, inputs: RecordInputs) -> Value {
    let RecordInputs { seed, interval, time, depth } = inputs;
    let is_start = time == Some(field.wire_name);
    let time = if is_start { interval.start } else { interval.end };
    Field { field, seed: seed.name(field.wire_name), time, interval, depth }.value(field.ty)
}

pub(crate) fn timestamp(seconds: i64, unit: TimeUnit) -> Value {
    let text = Timestamp::from_unix_seconds(seconds).to_wire(unit);
    if unit.is_text() { text.into() } else { text.parse::<i64>().unwrap_or_default().into() }
}

/// A text as a value of this field; `None` if the text is not such a value.
pub(crate) fn parsed(text: &str, field: &FieldInfo) -> Option<Value> {
    let value = typed(text, field.ty)?;
    Some(if field.quoted && value.is_number() { text.into() } else { value })
}

/// A number becomes text, if the service sends the values of this field in quotes.
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
        ValueType::Integer | ValueType::Count => Some(text.parse::<i64>().ok()?.into()),
        ValueType::Number => Some(text.parse::<f64>().ok()?.into()),
        ValueType::Boolean => Some(text.parse::<bool>().ok()?.into()),
        _ => None,
    }
}

/// Generates a number from 0 to 100, for a value without a known range or example.
pub(crate) fn any_number(seed: Seed, time: i64) -> f64 {
    let bounds = Bounds { low: 0.0, high: 100.0 };
    bounds.round(bounds.at(seed.swing(time)))
}

/// One of the four prices of a candle.
struct Price {
    /// The position among the fields of the record.
    index: usize,
    value: f64,
}

/// Generates the prices of a candle, which opens at the close of the previous candle. `None` if the record does not have
/// the four fields of a candle.
fn candle(fields: &[FieldInfo], RecordInputs { seed, interval, .. }: RecordInputs) -> Option<[Price; 4]> {
    let open = position_of_number(fields, "open")?;
    let high = position_of_number(fields, "high")?;
    let low = position_of_number(fields, "low")?;
    let close = position_of_number(fields, "close")?;
    let seed = seed.name("candle");
    let bounds = Bounds::of(&fields[close]);
    let first = bounds.at(seed.swing(interval.start));
    let last = bounds.at(seed.swing(interval.end));
    // A wick, the part of a candle beyond open and close, covers at most a hundredth of the distance to the end of the
    // range, so no value is outside the range.
    let upper_wick = seed.name("high").number(interval.start).unit() / 100.0;
    let lower_wick = seed.name("low").number(interval.start).unit() / 100.0;
    let highest = first.max(last) + (bounds.high - first.max(last)) * upper_wick;
    let lowest = first.min(last) - (first.min(last) - bounds.low) * lower_wick;
    Some([
        Price { index: open, value: bounds.round(first) },
        Price { index: high, value: bounds.round(highest) },
        Price { index: low, value: bounds.round(lowest) },
        Price { index: close, value: bounds.round(last) },
    ])
}

fn position_of_number(fields: &[FieldInfo], name: &str) -> Option<usize> {
    fields.iter().position(|field| field.wire_name.eq_ignore_ascii_case(name) && matches!(field.ty, ValueType::Number))
}

/// One field of a record, or one item of a list in the field.
#[derive(Clone, Copy)]
struct Field<'f> {
    field: &'f FieldInfo,
    seed: Seed,
    time: i64,
    interval: Interval,
    depth: u8,
}

impl Field<'_> {
    fn value(self, ty: ValueType) -> Value {
        in_quotes(self.field, self.plain(ty))
    }

    /// A value that is not in quotes.
    fn plain(self, ty: ValueType) -> Value {
        let example = self.field.example.unwrap_or("sandbox");
        match ty {
            ValueType::Decimal => self.number().to_string().into(),
            ValueType::Integer => self.integer(f64::MIN).into(),
            ValueType::Count => self.integer(0.0).into(),
            ValueType::Boolean => (self.seed.swing(self.time) > 0.5).into(),
            ValueType::Timestamp(unit) => timestamp(self.time, unit),
            ValueType::Named(named) => match self.seed.number(self.time).pick(named.values) {
                Some(known) => known.value.into(),
                None => example.into(),
            },
            ValueType::String => example.into(),
            ValueType::Record(info) => {
                record(info, RecordInputs { seed: self.seed, interval: self.interval, time: None, depth: self.depth })
            }
            ValueType::List(item) => Value::Array(self.items(*item)),
            ValueType::Map(item) => {
                let mut members = Map::new();
                for (name, value) in ["first", "second"].into_iter().zip(self.items(*item)) {
                    members.insert(name.to_owned(), value);
                }
                Value::Object(members)
            }
            // One value in eight is null.
            ValueType::Option(_) if self.seed.number(self.time).unit() < 0.125 => Value::Null,
            ValueType::Option(item) => self.value(*item),
            _ => self.number().into(),
        }
    }

    /// Two items, or none where lists are nested too deep.
    fn items(self, item: ValueType) -> Vec<Value> {
        let value = if let ValueType::Option(value) = item { *value } else { item };
        if self.depth == MAX_DEPTH || matches!(value, ValueType::Recursive(_)) {
            return Vec::new();
        }
        let inner = Self { depth: self.depth + 1, ..self };
        let first = Self { seed: self.seed.number(0), ..inner };
        let second = Self { seed: self.seed.number(1), ..inner };
        vec![first.value(item), second.value(item)]
    }

    fn number(self) -> f64 {
        let bounds = Bounds::of(self.field);
        bounds.round(bounds.at(self.seed.swing(self.time)))
    }

    #[expect(clippy::cast_possible_truncation, reason = "a cast saturates")]
    fn integer(self, min: f64) -> i64 {
        let bounds = Bounds::of(self.field);
        let low = bounds.low.max(min).ceil();
        let high = bounds.high.floor();
        // One is added, so that the highest integer is as likely as the others.
        let value = (low + (high - low + 1.0) * self.seed.swing(self.time)).floor();
        value.clamp(low, high.max(low)) as i64
    }
}

/// The range of the values of a field.
#[derive(Clone, Copy)]
struct Bounds {
    low: f64,
    high: f64,
}

impl Bounds {
    /// The known range, or a range that is derived from the example or the unit.
    fn of(field: &FieldInfo) -> Self {
        let Range { min, max } = field.range;
        let example = example_number(field);
        let Self { low, high } = Self::without_range(example, field.unit);
        match (min, max) {
            (Some(min), Some(max)) if example.is_none() => Self { low: min, high: max },
            (Some(min), Some(max)) => Self { low: low.clamp(min, max), high: high.clamp(min, max) },
            (Some(min), None) if low < min => Self { low: min, high: min + high - low },
            (None, Some(max)) if high > max => Self { low: max - (high - low), high: max },
            _ => Self { low, high },
        }
    }

    fn without_range(example: Option<f64>, unit: &str) -> Self {
        match (example, unit) {
            // An example shows the magnitude and whether values can be negative.
            (Some(example), _) if example < 0.0 => Self { low: 2.0 * example, high: -2.0 * example },
            (Some(example), _) if example > 0.0 => Self { low: example / 2.0, high: example * 1.5 },
            (_, "percentage points") => Self { low: -100.0, high: 100.0 },
            (_, "fraction") => Self { low: 0.0, high: 1.0 },
            (_, unit) if unit.contains("USD") || unit.contains("currency") => Self { low: 0.0, high: 1_000_000.0 },
            _ => Self { low: 0.0, high: 100.0 },
        }
    }

    /// The value after a share of the range.
    fn at(self, share: f64) -> f64 {
        self.low + (self.high - self.low) * share
    }

    /// Rounds a value to six decimals in a small range, and to two in a large range. The order of values is preserved,
    /// and no value leaves the range.
    fn round(self, value: f64) -> f64 {
        let factor = if self.high - self.low < 10.0 { 1e6 } else { 1e2 };
        ((value * factor).round() / factor).clamp(self.low, self.high)
    }
}

fn example_number(field: &FieldInfo) -> Option<f64> {
    let number = field.example?.parse::<f64>().ok()?;
    if number.is_finite() { Some(number) } else { None }
}

#[cfg(test)]
mod tests {
    use runtime::registry::Evidence;

    use super::*;

    const fn field(name: &'static str, ty: ValueType) -> FieldInfo {
        FieldInfo::new(name, name, ty, Evidence::Documented)
    }

    fn inputs(step: i64) -> RecordInputs {
        let start = 1_700_000_000 + 9_000 * step;
        let interval = Interval { start, end: start + 9_000 };
        RecordInputs { seed: Seed::new(1), interval, time: None, depth: 0 }
    }

    fn check(field: FieldInfo) -> impl Iterator<Item = Value> {
        (0..500).map(move |step| field_value(&field, inputs(step)))
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
            let candle = record(&info, inputs(step));
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
        let candle = record(&RecordInfo::new("Candle", FIELDS), inputs(1));
        assert!(FIELDS.iter().all(|field| candle[field.wire_name].is_string()), "{candle}");
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
