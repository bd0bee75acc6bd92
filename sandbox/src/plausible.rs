//! Values for fields of which only name, type, unit, range and an example are known.
//!
//! The same field has the same value at the same moment, and moves slowly from one moment to the next. It stays within
//! its range and agrees with no other field; a field that is called a price is near the market's.

use generated_client::Value;
use generated_client::registry::{Range, RecordForm, RecordInfo, ValueType};
use serde_json::Map;

use crate::calendar::to_wire_in;
use crate::fields::{self, Field};
use crate::market::Scope;
use crate::market::noise::{Path, SWING, Seed};
use crate::number::{floor, real, rounded};

/// Lists deeper than this are empty, so that a record that holds itself has an end.
const DEEPEST: u8 = 3;

/// A value of the field at a moment.
pub(crate) fn value(field: &Field, seed: Seed, scope: &Scope, moment: i64) -> Value {
    Source { field, seed: seed.name(&field.name), scope, moment, depth: 0 }.value(field.ty)
}

/// All fields of a record, as it is written.
pub(crate) fn record(info: &RecordInfo, seed: Seed, scope: &Scope, moment: i64) -> Value {
    written(&fields::of_record(info), info.form, seed, scope, moment, 0)
}

fn written(fields: &[Field], form: RecordForm, seed: Seed, scope: &Scope, moment: i64, depth: u8) -> Value {
    let mut values = fields.iter().map(|field| {
        let source = Source { field, seed: seed.name(&field.name), scope, moment, depth };
        (field.name.to_string(), source.value(field.ty))
    });
    match form {
        RecordForm::Positional => values.map(|(_, value)| value).collect(),
        RecordForm::Value => values.next().map_or(Value::Null, |(_, value)| value),
        _ => Value::Object(values.collect::<Map<_, _>>()),
    }
}

#[derive(Clone, Copy)]
struct Source<'f> {
    field: &'f Field,
    seed: Seed,
    scope: &'f Scope,
    moment: i64,
    depth: u8,
}

impl Source<'_> {
    fn value(self, ty: ValueType) -> Value {
        match ty {
            ValueType::Integer | ValueType::Count => self.whole(matches!(ty, ValueType::Count)).into(),
            ValueType::Boolean => (self.swing() > 0.0).into(),
            ValueType::Timestamp(unit) => to_wire_in(self.moment, unit),
            ValueType::Named(named) => {
                self.seed.number(self.moment).pick(named.values).map_or("sandbox", |known| known.value).into()
            }
            ValueType::String => self.field.example.unwrap_or("sandbox").into(),
            ValueType::Record(info) => self.record(info),
            ValueType::List(item) => self.list(*item),
            ValueType::Map(item) => self.map(*item),
            // One value in eight is null.
            ValueType::Option(_) if self.seed.number(self.moment).unit() < 0.125 => Value::Null,
            ValueType::Option(given) => self.value(*given),
            _ if is_price(self.field) => self.scope.near_price(self.seed, self.moment).into(),
            _ => self.number().into(),
        }
    }

    fn list(self, item: ValueType) -> Value {
        let items = if self.depth < DEEPEST { 2 } else { 0 };
        let item = |index| Self { seed: self.seed.number(index), depth: self.depth + 1, ..self }.value(item);
        (0..items).map(item).collect()
    }

    /// Two entries, whose keys are well-known coins.
    fn map(self, item: ValueType) -> Value {
        let Value::Array(items) = self.list(item) else { return Value::Null };
        let keys = ["bitcoin", "ethereum"].map(str::to_owned);
        Value::Object(keys.into_iter().zip(items).collect())
    }

    fn record(self, info: &RecordInfo) -> Value {
        written(&fields::of_record(info), info.form, self.seed, self.scope, self.moment, self.depth)
    }

    fn number(self) -> f64 {
        let (low, high) = bounds(self.field);
        let value = low + (high - low) * f64::midpoint(1.0, self.swing());
        let decimals = if high - low < 10.0 { 6 } else { 2 };
        // Rounding may lead out of a range whose bounds have more decimals.
        rounded(value, decimals).clamp(low, high)
    }

    fn whole(self, count: bool) -> i64 {
        let (low, high) = bounds(self.field);
        let low = if count { low.max(0.0) } else { low };
        let (low, high) = (-floor(-low), floor(high));
        let share = f64::midpoint(1.0, self.swing());
        (low + floor(real(high - low + 1) * share)).clamp(low, high.max(low))
    }

    fn swing(self) -> f64 {
        Path::new(&SWING, [(self.seed, 1.0)]).at(real(self.moment))
    }
}

/// Whether the field is called a price, and its range and unit fit one.
fn is_price(field: &Field) -> bool {
    let named = field.name.to_ascii_lowercase().contains("price");
    named && ["", "USD", "quote currency"].contains(&field.unit) && field.range.max.is_none()
}

/// Where values lie: the range, or else a range that fits the unit.
fn bounds(field: &Field) -> (f64, f64) {
    let Range { min, max } = field.range;
    let (low, high) = match field.unit {
        "percentage points" => (-100.0, 100.0),
        "fraction" => (0.0, 1.0),
        unit if unit.contains("USD") || unit.contains("currency") => (0.0, 1_000_000.0),
        _ => (0.0, 100.0),
    };
    // An example gives the magnitude, and whether values may be negative.
    let (low, high) = match field.example.and_then(|example| example.parse::<f64>().ok()) {
        Some(seen) if seen < 0.0 => (2.0 * seen, -2.0 * seen),
        Some(seen) if seen > 0.0 => (seen / 2.0, seen * 1.5),
        _ => (low, high),
    };
    match (min, max) {
        (Some(min), Some(max)) if field.example.is_some() => (low.max(min), high.min(max)),
        (Some(min), Some(max)) => (min, max),
        (Some(min), None) => (min, min + high - low),
        (None, Some(max)) => (max - (high - low), max),
        (None, None) => (low, high),
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::asked::{Asked, Strictness};
    use crate::calendar::Interval;
    use crate::known;
    use crate::scope::{self, Venues};

    fn scope(query: &str) -> Scope {
        let endpoint = known::endpoint("/volumeRatio").unwrap();
        let asked = Asked::read(endpoint, query, Strictness::Documented).unwrap();
        scope::of(&asked, &Venues::of(&asked), Seed::new(1))
    }

    fn check(ty: ValueType, range: Range) -> impl Iterator<Item = Value> {
        let field = Field { name: Cow::Borrowed("field"), ty, range, unit: "", example: None };
        let scope = scope("");
        (0..500).map(move |step| value(&field, Seed::new(1), &scope, 1_700_000_000 + 9_000 * step))
    }

    #[test]
    fn what_is_called_a_price_is_near_the_markets() {
        let moment = 1_700_000_000;
        for coin in ["BTC", "ETH", "DOGE"] {
            let scope = scope(&format!("coin={coin}"));
            let price = scope.close(Interval { start: moment, end: moment });
            for (name, unit, expected) in [
                ("markPrice", "", true),
                ("price", "quote currency", true),
                ("priceChange", "percent", false),
                ("size", "quote currency", false),
            ] {
                let field =
                    Field { name: Cow::Borrowed(name), ty: ValueType::Number, range: Range::ALL, unit, example: None };
                let value = value(&field, Seed::new(1), &scope, moment).as_f64().unwrap();
                assert_eq!((value / price - 1.0).abs() < 0.02, expected, "{coin} costs {price}, {name} is {value}");
            }
        }
    }

    #[test]
    fn values_stay_within_their_range() {
        for (min, max) in [(-1.0, 1.0), (0.1, 0.100_000_1), (-7.5, -2.5), (1.0e9, 2.0e9)] {
            let range = Range { min: Some(min), max: Some(max) };
            assert!(check(ValueType::Number, range).all(|value| range.contains(value.as_f64().unwrap())));
        }
        let range = Range { min: Some(-7.5), max: Some(3.5) };
        assert!(check(ValueType::Integer, range).all(|value| (-7..=3).contains(&value.as_i64().unwrap())));
        assert!(check(ValueType::Count, range).all(|value| (0..=3).contains(&value.as_u64().unwrap())));
        let range = Range { min: Some(5.0), max: None };
        assert!(check(ValueType::Number, range).all(|value| value.as_f64().unwrap() >= 5.0));
    }

    #[test]
    fn values_have_the_magnitude_of_the_example() {
        for (example, low, high) in [("0.0001", 5.0e-5, 1.5e-4), ("3e9", 1.5e9, 4.5e9), ("-20", -40.0, 40.0)] {
            let field = Field { name: Cow::Borrowed("field"), example: Some(example), ..number() };
            let value = value(&field, Seed::new(1), &scope(""), 1_700_000_000).as_f64().unwrap();
            assert!((low..=high).contains(&value), "{example}: {value}");
        }
    }

    fn number() -> Field {
        Field { name: Cow::Borrowed("field"), ty: ValueType::Number, range: Range::ALL, unit: "", example: None }
    }

    #[test]
    fn lists_end() {
        const ONE: ValueType = ValueType::List(&ValueType::Boolean);
        const TWO: ValueType = ValueType::List(&ONE);
        const THREE: ValueType = ValueType::List(&TWO);
        let value = check(ValueType::List(&THREE), Range::ALL).next().unwrap();
        assert_eq!(value.pointer("/0/0/0"), Some(&serde_json::json!([])));
    }
}
