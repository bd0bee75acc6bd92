//! Sentences of the registry as HTML, and its types and ranges as words.

use generated_client::registry::{Range, ValueType};
use maud::{Markup, html};

/// Text in which backticks mark code.
pub(super) fn prose(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// The type of a value, in a few words.
pub(super) fn kind(ty: ValueType) -> Markup {
    html! {
        @match ty {
            ValueType::String => "text",
            ValueType::Integer => "whole number",
            ValueType::Count => "count",
            ValueType::Number => "number",
            ValueType::Boolean => "true or false",
            ValueType::Timestamp(_) => "point in time",
            ValueType::Named(named) => (named.name),
            ValueType::Record(record) => (record.name),
            ValueType::List(item) => { "list of: " (kind(*item)) }
            _ => "anything",
        }
    }
}

/// Bounds and unit as a sentence; empty if neither is known.
pub(super) fn bounds(range: Range, unit: &str) -> String {
    let range = match (range.min, range.max) {
        (Some(min), Some(max)) => format!("From {min} to {max}"),
        (Some(min), None) => format!("At least {min}"),
        (None, Some(max)) => format!("At most {max}"),
        (None, None) if unit.is_empty() => return String::new(),
        (None, None) => return format!("In {unit}."),
    };
    if unit.is_empty() { format!("{range}.") } else { format!("{range}, in {unit}.") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backticks_mark_code_and_nothing_else_is_markup() {
        assert_eq!(prose("send `a<b>` & go").into_string(), "send <code>a&lt;b&gt;</code> &amp; go");
        assert_eq!(prose("").into_string(), "");
    }

    #[test]
    fn bounds_in_words() {
        let range = |min, max| Range { min, max };
        let table = [
            (range(Some(-1.0), Some(1.0)), "", "From -1 to 1."),
            (range(Some(0.0), None), "USD", "At least 0, in USD."),
            (range(None, Some(2.5)), "", "At most 2.5."),
            (Range::ALL, "seconds", "In seconds."),
            (Range::ALL, "", ""),
        ];
        for (range, unit, expected) in table {
            assert_eq!(bounds(range, unit), expected);
        }
    }
}
