//! Converts texts of the registry to HTML.

use maud::{Markup, html};

/// Escapes a text, and converts the parts in backticks to code elements.
pub(super) fn code_spans(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backticks_mark_code_and_nothing_else_is_markup() {
        assert_eq!(code_spans("send `a<b>` & go").into_string(), "send <code>a&lt;b&gt;</code> &amp; go");
        assert_eq!(code_spans("").into_string(), "");
    }
}
