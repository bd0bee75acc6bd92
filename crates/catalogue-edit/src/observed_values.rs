//! Counts the values at one JSON path in all responses, by kind.

mod combine;
mod count;
mod describe;
mod sent_keys;

use std::collections::BTreeSet;

use indexmap::IndexMap;

pub(super) use count::is_marker;
pub(super) use describe::shown;

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
    /// `true` if the keys of the objects are values that requests have sent, such as the coins that were asked for.
    pub(super) has_sent_keys: bool,
    /// `true` if the objects were made from lists by giving each index a name.
    pub(super) by_position: bool,
}

/// The maximum number of values of an enum. Further strings are not stored.
pub(super) const MAX_VALUES: usize = 200;

/// The number of different integers from which on a field with only integers probably has no fractions.
const MANY: usize = 20;

/// The maximum length of lists that may be rows. Longer rows are recognized only if the catalogue declares a positional
/// record.
const MAX_ROW: usize = 40;

impl Observed {
    /// The innermost values of lists and maps, or the values themselves.
    fn innermost(&self) -> &Self {
        match (&self.items, &self.under_keys) {
            (Some(items), _) => items.innermost(),
            (None, Some(values)) => values.innermost(),
            (None, None) => self,
        }
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
        let counts = [self.booleans, self.numbers(), self.text_times, self.lists, self.objects];
        counts.into_iter().filter(|count| *count > 0).count()
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
        let have_similar_lengths = self.max_length - self.min_length <= self.min_length / 3;
        let are_short = (2..=MAX_ROW).contains(&self.max_length);
        self.lists > 0 && self.lists == self.values() && have_similar_lengths && are_short
    }

    /// Converts lists to objects; `name` returns the field name for an index.
    pub(super) fn named(&self, name: impl Fn(usize) -> String) -> Self {
        let mut fields = IndexMap::new();
        for (index, seen) in self.by_index.iter().enumerate() {
            fields.insert(name(index), seen.clone());
        }
        Self { times: self.times, nulls: self.nulls, objects: self.lists, fields, by_position: true, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use serde_yaml::Value;

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
