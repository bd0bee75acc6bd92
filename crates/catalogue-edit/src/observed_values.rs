//! Counts the values at one JSON path in all responses, by kind.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde_yaml::Value;

use crate::exact_numbers::Number;

/// Statistics of the values of one field, or of the items of a list.
#[derive(Clone, Debug, Default)]
pub(super) struct Observed {
    pub(super) times: usize,
    pub(super) nulls: usize,
    pub(super) booleans: usize,
    pub(super) integers: usize,
    /// The count of numbers with a fraction, and of numbers outside the range of 64-bit integers.
    pub(super) fractions: usize,
    /// The number of strings that the client accepts where a number is expected.
    pub(super) numeric_texts: usize,
    /// The count of numbers, including those in strings, that `i64` cannot represent.
    pub(super) non_integers: usize,
    /// The count of integers that `u64` can represent, but not `i64`.
    pub(super) large_counts: usize,
    /// The count of integers above the limit up to which an `f64` represents every integer.
    pub(super) large: usize,
    /// The count of numbers that lose digits if they are converted to `f64`.
    pub(super) inexact: usize,
    /// The smallest number, including those in strings.
    pub(super) min: f64,
    pub(super) max: f64,
    /// The smallest number except zero; zero if there is none.
    pub(super) least: f64,
    /// The different strings. At most `MAX_VALUES` + 1 of them are stored.
    pub(super) texts: BTreeSet<String>,
    pub(super) text_times: usize,
    empty_texts: usize,
    /// The number of texts that usually stand for a missing value.
    marker_times: usize,
    /// Among numbers: the texts that stand for a missing value.
    pub(super) markers: BTreeSet<String>,
    /// The different integers, including those in strings. At most `MANY` of them are stored.
    distinct: BTreeSet<i64>,
    pub(super) lists: usize,
    /// The items of all lists, regardless of their index.
    pub(super) items: Option<Box<Observed>>,
    /// The items of all lists by their index.
    pub(super) by_index: Vec<Observed>,
    min_length: usize,
    max_length: usize,
    pub(super) objects: usize,
    /// The values of fields by name, in the order of their first occurrence.
    pub(super) fields: IndexMap<String, Observed>,
    /// The values of all fields together, in case the object is a map.
    pub(super) under_keys: Option<Box<Observed>>,
    /// `true` if the objects were made from lists by giving each index a name.
    pub(super) by_position: bool,
}

/// Texts that stand for a missing number in the responses of many services.
const MARKERS: [&str; 16] =
    [".", "..", "-", "--", ":", "None", "none", "null", "NULL", "N/A", "n/a", "NA", "NaN", "nan", "ND", "*"];

/// The maximum number of values of an enum. Further strings are not stored.
pub(super) const MAX_VALUES: usize = 200;

/// The number of different integers from which on a field with only integers probably has no fractions.
const MANY: usize = 20;

/// The maximum length of lists that may be rows. Longer rows are recognized only if the catalogue declares a positional
/// record.
const MAX_ROW: usize = 40;

/// The maximum number of items of a list that are analysed by index.
const MAX_ITEMS: usize = 1000;

/// Down to this nesting depth, the items of lists are also collected by index, and the values of objects are also
/// collected without their keys. Each value is then added twice, so each level doubles the work.
const MAX_DEPTH: usize = 6;

/// Up to this number, an `f64` represents every integer exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Observed {
    /// Collects values.
    pub(super) fn of<'v>(values: impl IntoIterator<Item = &'v Value>) -> Self {
        let mut seen = Self::default();
        values.into_iter().for_each(|value| seen.add(value, 0));
        seen.settled()
    }

    /// Adds a value at a nesting depth.
    fn add(&mut self, value: &Value, depth: usize) {
        self.times += 1;
        match value {
            Value::Bool(_) => self.booleans += 1,
            Value::Number(number) => self.bare_number(&number.to_string()),
            Value::String(text) => {
                self.text_times += 1;
                self.empty_texts += usize::from(text.is_empty());
                self.marker_times += usize::from(MARKERS.contains(&text.as_str()));
                if let Some(number) = Number::parse(text) {
                    self.numeric_texts += 1;
                    self.number(number);
                }
                if self.texts.len() <= MAX_VALUES {
                    self.texts.insert(text.clone());
                }
            }
            Value::Sequence(items) => {
                self.min_length = if self.lists == 0 { items.len() } else { self.min_length.min(items.len()) };
                self.max_length = self.max_length.max(items.len());
                self.lists += 1;
                let seen = self.items.get_or_insert_default();
                for item in items {
                    seen.add(item, depth + 1);
                }
                if depth < MAX_DEPTH {
                    self.by_index.resize_with(self.max_length.min(MAX_ITEMS), Self::default);
                    self.by_index.iter_mut().zip(items).for_each(|(index, item)| index.add(item, depth + 1));
                }
            }
            Value::Mapping(entries) => {
                self.objects += 1;
                for (key, value) in entries {
                    let name = key.as_str().unwrap_or_default().to_owned();
                    self.fields.entry(name).or_default().add(value, depth + 1);
                    if depth < MAX_DEPTH {
                        self.under_keys.get_or_insert_default().add(value, depth + 1);
                    }
                }
            }
            // A number whose digits `Value` cannot keep.
            Value::Tagged(tagged) => self.bare_number(tagged.value.as_str().unwrap_or_default()),
            Value::Null => self.nulls += 1,
        }
    }

    /// Adds a number that is not in quotes.
    fn bare_number(&mut self, text: &str) {
        let Some(number) = Number::parse(text) else { return };
        self.integers += usize::from(number.integer.is_some());
        self.fractions += usize::from(number.integer.is_none());
        self.number(number);
    }

    fn number(&mut self, number: Number) {
        let Number { float, integer, is_unsigned, is_exact } = number;
        let is_whole = float.fract() == 0.0;
        self.distinct.extend(integer.filter(|_| self.distinct.len() < MANY));
        self.large_counts += usize::from(is_unsigned && integer.is_none());
        self.non_integers += usize::from(integer.is_none() && !(is_whole && float.abs() < EXACT));
        self.large += usize::from((integer.is_some() || is_unsigned) && float.abs() >= EXACT);
        self.inexact += usize::from(!is_exact);
        let is_first = self.integers + self.fractions + self.numeric_texts == 1;
        self.min = if is_first { float } else { self.min.min(float) };
        self.max = if is_first { float } else { self.max.max(float) };
        self.least = if self.least == 0.0 || float != 0.0 && float < self.least { float } else { self.least };
    }

    /// The statistics of these values and of others together.
    pub(super) fn with(&self, other: &Self) -> Self {
        let mut all = self.clone();
        all.add_all(other);
        all.settled()
    }

    fn add_all(&mut self, other: &Self) {
        self.add_range(other);
        self.times += other.times;
        self.nulls += other.nulls;
        self.booleans += other.booleans;
        self.integers += other.integers;
        self.fractions += other.fractions;
        self.numeric_texts += other.numeric_texts;
        self.non_integers += other.non_integers;
        self.large_counts += other.large_counts;
        self.large += other.large;
        self.inexact += other.inexact;
        self.text_times += other.text_times;
        self.empty_texts += other.empty_texts;
        self.marker_times += other.marker_times;
        self.markers.extend(other.markers.iter().cloned());
        for text in &other.texts {
            if self.texts.len() <= MAX_VALUES {
                self.texts.insert(text.clone());
            }
        }
        for integer in &other.distinct {
            if self.distinct.len() < MANY {
                self.distinct.insert(*integer);
            }
        }
        self.add_lists(other);
        self.add_objects(other);
    }

    /// Extends the range of the numbers. It must be called before the numbers are counted.
    fn add_range(&mut self, other: &Self) {
        let has_numbers = self.numbers() + self.numeric_texts > 0;
        if other.numbers() + other.numeric_texts == 0 {
            return;
        }
        self.min = if has_numbers { self.min.min(other.min) } else { other.min };
        self.max = if has_numbers { self.max.max(other.max) } else { other.max };
        if self.least == 0.0 || other.least != 0.0 && other.least < self.least {
            self.least = other.least;
        }
    }

    fn add_lists(&mut self, other: &Self) {
        if other.lists > 0 {
            self.min_length = if self.lists == 0 { other.min_length } else { self.min_length.min(other.min_length) };
        }
        self.max_length = self.max_length.max(other.max_length);
        self.lists += other.lists;
        add_boxed(&mut self.items, other.items.as_deref());
        if self.by_index.len() < other.by_index.len() {
            self.by_index.resize_with(other.by_index.len(), Self::default);
        }
        for (own, others) in self.by_index.iter_mut().zip(&other.by_index) {
            own.add_all(others);
        }
    }

    fn add_objects(&mut self, other: &Self) {
        self.objects += other.objects;
        self.by_position |= other.by_position;
        for (name, values) in &other.fields {
            self.fields.entry(name.clone()).or_default().add_all(values);
        }
        add_boxed(&mut self.under_keys, other.under_keys.as_deref());
    }

    /// Counts empty strings and markers of missing values among numbers as null, because the client reads them as null.
    fn settled(mut self) -> Self {
        let others = self.empty_texts + self.marker_times;
        let has_numbers = self.numeric_texts > 0 || self.marker_times > 0 && self.numbers() > 0;
        if has_numbers && self.numeric_texts + others == self.text_times {
            self.nulls += others;
            self.text_times -= others;
            self.empty_texts = 0;
            self.marker_times = 0;
            self.texts.remove("");
            let is_marker = |text: &String| MARKERS.contains(&text.as_str());
            let (markers, texts): (BTreeSet<_>, _) = std::mem::take(&mut self.texts).into_iter().partition(is_marker);
            self.markers.extend(markers);
            self.texts = texts;
        }
        let settled = |inner: Option<Box<Self>>| inner.map(|inner| Box::new(inner.settled()));
        (self.items, self.under_keys) = (settled(self.items), settled(self.under_keys));
        self.by_index = self.by_index.into_iter().map(Self::settled).collect();
        self.fields = self.fields.into_iter().map(|(name, seen)| (name, seen.settled())).collect();
        self
    }

    /// The innermost values of lists and maps, or the values themselves.
    fn innermost(&self) -> &Self {
        let inner = self.items.as_deref().filter(|_| self.lists > 0).or(self.under_keys.as_deref());
        inner.map_or(self, Self::innermost)
    }

    /// `true` if all values are numbers in strings, or lists or maps of such values.
    pub(super) fn is_quoted(&self) -> bool {
        let inner = self.innermost();
        inner.numeric_texts > 0 && inner.numeric_texts == inner.values()
    }

    /// `true` if there are so many different integers that fractions are unlikely.
    pub(super) fn has_many_integers(&self) -> bool {
        self.distinct.len() >= MANY
    }

    /// The number of different kinds of values, without null.
    pub(super) fn kinds(&self) -> usize {
        let kinds = [self.booleans, self.numbers(), self.text_times, self.lists, self.objects];
        kinds.iter().filter(|times| **times > 0).count()
    }

    /// `true` if all values are of the kind that has this count.
    pub(super) fn has_only(&self, count: usize) -> bool {
        self.kinds() == 1 && count > 0
    }

    /// The count of numbers, excluding numbers in strings.
    pub(super) fn numbers(&self) -> usize {
        self.integers + self.fractions
    }

    /// The number of values that are not null.
    pub(super) fn values(&self) -> usize {
        self.times - self.nulls
    }

    /// `true` if every value can be parsed as a number.
    pub(super) fn are_numbers(&self) -> bool {
        self.values() > 0 && self.numbers() + self.numeric_texts == self.values()
    }

    /// `true` if the client accepts every value as a string, which includes integers.
    pub(super) fn are_texts(&self) -> bool {
        self.values() > 0 && self.integers + self.text_times == self.values()
    }

    /// `true` if all values are lists of about the same length, so that each index may have its own meaning. The last
    /// values may be missing in some of them.
    pub(super) fn are_rows(&self) -> bool {
        let is_row = self.max_length - self.min_length <= self.min_length / 3;
        let is_row = is_row && (2..=MAX_ROW).contains(&self.max_length);
        self.lists > 0 && self.lists == self.values() && is_row
    }

    /// Converts lists to objects; `name` returns the field name for an index.
    pub(super) fn named(&self, name: impl Fn(usize) -> String) -> Self {
        let by_index = self.by_index.iter().enumerate();
        let fields = by_index.map(|(index, seen)| (name(index), seen.clone())).collect();
        Self { times: self.times, nulls: self.nulls, objects: self.lists, fields, by_position: true, ..Self::default() }
    }

    /// A description of the values for messages.
    pub(super) fn describe(&self) -> String {
        let text = || self.texts.iter().find(|text| Number::parse(text).is_none()).or(self.texts.first());
        let kinds = [
            (self.numbers(), self.describe_numbers()),
            (self.text_times, format!("strings such as {:?}", text().map_or("", |text| excerpt(text)))),
            (self.booleans, "booleans".to_owned()),
            (self.lists, self.describe_lists()),
            (self.objects, "objects".to_owned()),
            (self.nulls, "`null`".to_owned()),
        ];
        let kinds: Vec<_> = kinds.into_iter().filter(|(times, _)| *times > 0).map(|(_, kind)| kind).collect();
        match kinds.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => "nothing".to_owned(),
        }
    }

    fn describe_lists(&self) -> String {
        let items = self.items.as_deref().filter(|items| items.times > 0);
        items.map_or_else(|| "empty lists".to_owned(), |items| format!("lists of {}", items.describe()))
    }

    fn describe_numbers(&self) -> String {
        let (min, max) = (shown(self.min), shown(self.max));
        if self.numeric_texts > 0 {
            "numbers".to_owned()
        } else if min == max {
            format!("the number {min}")
        } else {
            format!("numbers from {min} to {max}")
        }
    }
}

fn add_boxed(own: &mut Option<Box<Observed>>, other: Option<&Observed>) {
    if let Some(other) = other {
        own.get_or_insert_default().add_all(other);
    }
}

/// A number as human-readable text.
pub(super) fn shown(number: f64) -> String {
    if number.abs() < 1e16 { number.to_string() } else { format!("{number:e}") }
}

/// The beginning of a text.
fn excerpt(text: &str) -> &str {
    text.char_indices().nth(60).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_by_kind() {
        let values: Value =
            serde_json::from_str("[1, 2.5, null, \"a\", [1, [2]], {\"a\": 1}, {\"b\": null}, 1e300]").expect("JSON");
        let seen = Observed::of(values.as_sequence().expect("a list"));
        assert_eq!((seen.times, seen.nulls, seen.integers, seen.fractions), (8, 1, 1, 2));
        assert_eq!((seen.min, seen.max), (1.0, 1e300));
        assert_eq!((seen.text_times, seen.lists, seen.objects, seen.kinds()), (1, 1, 2, 4));
        assert_eq!(seen.items.as_ref().map(|items| (items.times, items.lists)), Some((2, 1)));
        assert_eq!(seen.fields.get("b").map(|seen| (seen.times, seen.nulls)), Some((1, 1)));
        assert_eq!(
            seen.describe(),
            "numbers from 1 to 1e300, strings such as \"a\", lists of the number 1 and lists of the number 2, objects and `null`"
        );
    }
}
