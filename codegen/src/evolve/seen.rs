//! What was seen at one place of the replies, all of them put together.

use std::collections::BTreeSet;

use serde_yaml::Value;

/// The values that one field, or one item of a list, has been seen with.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub(super) times: usize,
    pub(super) nulls: usize,
    pub(super) booleans: usize,
    pub(super) integers: usize,
    pub(super) fractions: usize,
    /// Numbers that no 64-bit integer holds count as fractions.
    pub(super) least: f64,
    pub(super) most: f64,
    /// Some of the texts, the first ones by the alphabet.
    pub(super) texts: BTreeSet<String>,
    pub(super) text_times: usize,
    pub(super) lists: usize,
    pub(super) items: Option<Box<Seen>>,
    pub(super) objects: usize,
    pub(super) fields: Fields,
}

/// The fields of objects that were seen at one place, in the order in which they first came.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields(pub(super) Vec<(String, Seen)>);

/// An enum has fewer values than this; more are not worth keeping.
const TEXTS: usize = 200;

impl Seen {
    /// Adds the names of fields that have texts, at any depth.
    pub(super) fn fields_of_texts(&self, names: &mut BTreeSet<String>) {
        for (name, seen) in &self.fields.0 {
            let has_texts = |seen: &Self| seen.text_times > 0;
            if has_texts(seen) || seen.items.as_deref().is_some_and(has_texts) {
                names.insert(name.clone());
            }
            seen.fields_of_texts(names);
        }
        if let Some(items) = &self.items {
            items.fields_of_texts(names);
        }
    }

    /// Adds a value.
    pub(super) fn add(&mut self, value: &Value) {
        self.times += 1;
        match value {
            Value::Bool(_) => self.booleans += 1,
            Value::Number(number) => {
                if number.is_i64() {
                    self.integers += 1;
                } else {
                    self.fractions += 1;
                }
                self.bound(number.as_f64().unwrap_or_default());
            }
            Value::String(text) => {
                self.text_times += 1;
                if self.texts.len() < TEXTS {
                    self.texts.insert(text.clone());
                }
            }
            Value::Sequence(items) => {
                self.lists += 1;
                let seen = self.items.get_or_insert_default();
                for item in items {
                    seen.add(item);
                }
            }
            Value::Mapping(entries) => {
                self.objects += 1;
                for (key, value) in entries {
                    self.fields.slot(key.as_str().unwrap_or_default()).add(value);
                }
            }
            Value::Null | Value::Tagged(_) => self.nulls += 1,
        }
    }

    fn bound(&mut self, number: f64) {
        let is_first = self.integers + self.fractions == 1;
        self.least = if is_first { number } else { self.least.min(number) };
        self.most = if is_first { number } else { self.most.max(number) };
    }

    /// How many different kinds of values there were, `null` aside.
    pub(super) fn kinds(&self) -> usize {
        let numbers = self.integers + self.fractions;
        [self.booleans, numbers, self.text_times, self.lists, self.objects].iter().filter(|times| **times > 0).count()
    }
}

impl Fields {
    fn slot(&mut self, name: &str) -> &mut Seen {
        let index = self.0.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            self.0.push((name.to_owned(), Seen::default()));
            self.0.len() - 1
        });
        &mut self.0[index].1
    }

    /// What was seen of a field.
    pub(super) fn get(&self, name: &str) -> Option<&Seen> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, seen)| seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_by_kind() {
        let mut seen = Seen::default();
        let values: Value =
            serde_json::from_str("[1, 2.5, null, \"a\", [1, [2]], {\"a\": 1}, {\"b\": null}, 1e300]").expect("JSON");
        for value in values.as_sequence().expect("a list") {
            seen.add(value);
        }
        assert_eq!((seen.times, seen.nulls, seen.integers, seen.fractions), (8, 1, 1, 2));
        assert_eq!((seen.least, seen.most), (1.0, 1e300));
        assert_eq!((seen.text_times, seen.lists, seen.objects, seen.kinds()), (1, 1, 2, 4));
        assert_eq!(seen.items.map(|items| (items.times, items.lists)), Some((2, 1)));
        assert_eq!(seen.fields.get("b").map(|seen| (seen.times, seen.nulls)), Some((1, 1)));
    }
}
