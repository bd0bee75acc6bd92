//! Counts values of each kind.

use serde_yaml::{Mapping, Value};

use super::{MANY, MAX_VALUES, Observed};
use crate::exact_numbers::Number;

/// Texts that stand for a missing number in the responses of many services.
const MARKERS: [&str; 16] =
    [".", "..", "-", "--", ":", "None", "none", "null", "NULL", "N/A", "n/a", "NA", "NaN", "nan", "ND", "*"];

/// `true` if a text stands for a missing number in the responses of many services.
pub(crate) fn is_marker(text: &str) -> bool {
    MARKERS.contains(&text)
}

/// The maximum number of items of a list that are analysed by index.
const MAX_ITEMS: usize = 1000;

/// Down to this nesting depth, the items of lists are also collected by index, and the values of objects are also
/// collected without their keys. Each value is then added twice, so each level doubles the work.
const MAX_DEPTH: usize = 6;

/// Up to this number, an `f64` represents every integer exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Observed {
    /// Collects values.
    pub(crate) fn of<'v>(values: impl IntoIterator<Item = &'v Value>) -> Self {
        let mut seen = Self::default();
        for value in values {
            seen.add(value, 0);
        }
        seen.settle();
        seen
    }

    /// Adds a value at a nesting depth.
    fn add(&mut self, value: &Value, depth: usize) {
        self.times += 1;
        match value {
            Value::Null => self.nulls += 1,
            Value::Bool(_) => self.booleans += 1,
            Value::Number(number) => self.add_bare_number(&number.to_string()),
            // A number whose digits `Value` cannot keep.
            Value::Tagged(tagged) => self.add_bare_number(tagged.value.as_str().unwrap_or_default()),
            Value::String(text) => self.add_text(text),
            Value::Sequence(items) => self.add_list(items, depth),
            Value::Mapping(members) => self.add_object(members, depth),
        }
    }

    fn add_text(&mut self, text: &str) {
        self.text_times += 1;
        self.empty_texts += usize::from(text.is_empty());
        self.marker_times += usize::from(is_marker(text));
        if let Some(number) = Number::parse(text) {
            self.numeric_texts += 1;
            self.add_number(number);
        }
        if self.texts.len() <= MAX_VALUES {
            self.texts.insert(text.to_owned());
        }
    }

    fn add_list(&mut self, items: &[Value], depth: usize) {
        self.min_length = if self.lists == 0 { items.len() } else { self.min_length.min(items.len()) };
        self.max_length = self.max_length.max(items.len());
        self.lists += 1;
        let all_items = self.items.get_or_insert_default();
        for item in items {
            all_items.add(item, depth + 1);
        }
        if depth < MAX_DEPTH {
            self.by_index.resize_with(self.max_length.min(MAX_ITEMS), Self::default);
            for (at_index, item) in self.by_index.iter_mut().zip(items) {
                at_index.add(item, depth + 1);
            }
        }
    }

    fn add_object(&mut self, members: &Mapping, depth: usize) {
        self.objects += 1;
        for (key, value) in members {
            let name = key.as_str().unwrap_or_default().to_owned();
            self.fields.entry(name).or_default().add(value, depth + 1);
            if depth < MAX_DEPTH {
                self.under_keys.get_or_insert_default().add(value, depth + 1);
            }
        }
    }

    /// Adds a number that is not in quotes.
    fn add_bare_number(&mut self, text: &str) {
        let Some(number) = Number::parse(text) else { return };
        self.integers += usize::from(number.integer.is_some());
        self.fractions += usize::from(number.integer.is_none());
        self.add_number(number);
    }

    fn add_number(&mut self, number: Number) {
        let Number { float, integer, is_unsigned, is_exact } = number;
        if let Some(integer) = integer
            && self.distinct.len() < MANY
        {
            self.distinct.insert(integer);
        }
        let is_small_whole = float.fract() == 0.0 && float.abs() < EXACT;
        let is_large = float.abs() >= EXACT;
        self.large_counts += usize::from(is_unsigned && integer.is_none());
        self.non_integers += usize::from(integer.is_none() && !is_small_whole);
        self.large += usize::from((integer.is_some() || is_unsigned) && is_large);
        self.inexact += usize::from(!is_exact);
        let is_first = self.numbers() + self.numeric_texts == 1;
        self.min = if is_first { float } else { self.min.min(float) };
        self.max = if is_first { float } else { self.max.max(float) };
        if self.least == 0.0 || float != 0.0 && float < self.least {
            self.least = float;
        }
    }

    /// Counts empty strings and markers of missing values among numbers as null, because the client reads them as null.
    pub(super) fn settle(&mut self) {
        let missing = self.empty_texts + self.marker_times;
        let has_numbers = self.numeric_texts > 0 || self.marker_times > 0 && self.numbers() > 0;
        if has_numbers && self.numeric_texts + missing == self.text_times {
            self.count_missing_as_null();
        }
        if let Some(items) = &mut self.items {
            items.settle();
        }
        if let Some(values) = &mut self.under_keys {
            values.settle();
        }
        for values in &mut self.by_index {
            values.settle();
        }
        for values in self.fields.values_mut() {
            values.settle();
        }
    }

    fn count_missing_as_null(&mut self) {
        let missing = self.empty_texts + self.marker_times;
        self.nulls += missing;
        self.text_times -= missing;
        self.empty_texts = 0;
        self.marker_times = 0;
        for text in std::mem::take(&mut self.texts) {
            if is_marker(&text) {
                self.markers.insert(text);
            } else if !text.is_empty() {
                self.texts.insert(text);
            }
        }
    }
}
