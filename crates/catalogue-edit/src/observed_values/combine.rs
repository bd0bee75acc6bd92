//! Adds the statistics of values to those of others.

use super::{MANY, MAX_VALUES, Observed};

impl Observed {
    /// The statistics of these values and of others together.
    pub(crate) fn with(&self, other: &Self) -> Self {
        let mut all = self.clone();
        all.add_all(other);
        all.settle();
        all
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
        if self.fields.is_empty() {
            self.has_sent_keys = other.has_sent_keys;
        } else if !other.fields.is_empty() {
            self.has_sent_keys &= other.has_sent_keys;
        }
        for (name, values) in &other.fields {
            self.fields.entry(name.clone()).or_default().add_all(values);
        }
        add_boxed(&mut self.under_keys, other.under_keys.as_deref());
    }
}

fn add_boxed(own: &mut Option<Box<Observed>>, other: Option<&Observed>) {
    if let Some(other) = other {
        own.get_or_insert_default().add_all(other);
    }
}
