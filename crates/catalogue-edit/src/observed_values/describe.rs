//! Describes values for messages.

use super::Observed;
use crate::exact_numbers::Number;

impl Observed {
    /// A description of the values for messages.
    pub(crate) fn describe(&self) -> String {
        let mut kinds = Vec::new();
        if self.numbers() > 0 {
            kinds.push(self.describe_numbers());
        }
        if self.text_times > 0 {
            kinds.push(format!("strings such as {:?}", excerpt(self.typical_text())));
        }
        if self.booleans > 0 {
            kinds.push("booleans".to_owned());
        }
        if self.lists > 0 {
            kinds.push(self.describe_lists());
        }
        if self.objects > 0 {
            kinds.push("objects".to_owned());
        }
        if self.nulls > 0 {
            kinds.push("`null`".to_owned());
        }
        match kinds.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => "nothing".to_owned(),
        }
    }

    /// The first string that is no number, or the first string.
    fn typical_text(&self) -> &str {
        for text in &self.texts {
            if Number::parse(text).is_none() {
                return text;
            }
        }
        self.texts.first().map_or("", String::as_str)
    }

    fn describe_lists(&self) -> String {
        match &self.items {
            Some(items) if items.times > 0 => format!("lists of {}", items.describe()),
            _ => "empty lists".to_owned(),
        }
    }

    fn describe_numbers(&self) -> String {
        let min = shown(self.min);
        let max = shown(self.max);
        if self.numeric_texts > 0 {
            "numbers".to_owned()
        } else if min == max {
            format!("the number {min}")
        } else {
            format!("numbers from {min} to {max}")
        }
    }
}

/// A number as human-readable text.
pub(crate) fn shown(number: f64) -> String {
    if number.abs() < 1e16 { number.to_string() } else { format!("{number:e}") }
}

/// The beginning of a text.
fn excerpt(text: &str) -> &str {
    match text.char_indices().nth(60) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}
