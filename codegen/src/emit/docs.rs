//! Converts prose of the catalogue to Rust documentation: escapes Markdown, and breaks lines between words.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::quote;

use catalogue::model::{
    Body, BodyFormat, Endpoint, Evidence, Field, Known, Limit, ListFormat, NextPage, Param, Text, TimeForm, TimeFormat,
    UnknownFact,
};
use wording::{Facts, enumerated};

/// The maximum length of a line of documentation, without the slashes.
const WIDTH: usize = 110;

/// Converts paragraphs of Markdown to `#[doc]` attributes.
pub(super) fn doc<S: AsRef<str>>(paragraphs: impl IntoIterator<Item = S>) -> TokenStream {
    let mut lines = wrap(&joined_by("\n\n", paragraphs));
    for line in &mut lines {
        if !line.is_empty() {
            line.insert(0, ' ');
        }
    }
    quote!(#(#[doc = #lines])*)
}

/// Breaks paragraphs into lines.
pub(super) fn wrap(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, paragraph) in text.split("\n\n").enumerate() {
        if index > 0 {
            lines.push(String::new());
        }
        // The items of a list are separate lines of one paragraph.
        for (at, item) in paragraph.split("\n- ").enumerate() {
            if at > 0 {
                wrap_line(item, "-", " ", &mut lines);
            } else if let Some(item) = item.strip_prefix("- ") {
                wrap_line(item, "-", " ", &mut lines);
            } else {
                wrap_line(item, "", "", &mut lines);
            }
        }
    }
    lines
}

/// Breaks a paragraph or a list item into lines, the first of which begins with the bullet, and the others with the
/// indent.
fn wrap_line(text: &str, bullet: &str, indent: &str, lines: &mut Vec<String>) {
    let mut line = bullet.to_owned();
    for word in words(text) {
        let length = line.chars().count() + 1 + word.chars().count();
        if !line.is_empty() && length > WIDTH && may_begin_line(word) {
            lines.push(line);
            line = String::from(indent);
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    lines.push(line);
}

/// Splits a paragraph into words. Code in backticks is one word, because a part of it at the start of a line could be
/// read as Markdown.
fn words(paragraph: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut in_code = false;
    for (index, character) in paragraph.char_indices() {
        if character == '`' && !paragraph[..index].ends_with('\\') {
            in_code = !in_code;
        } else if character.is_whitespace() && !in_code {
            words.push(&paragraph[start..index]);
            start = index + character.len_utf8();
        }
    }
    words.push(&paragraph[start..]);
    words.retain(|word| !word.is_empty());
    words
}

/// Converts a text to a Markdown code span, whose fence is longer than any sequence of backticks in the text.
pub(super) fn code(text: &str) -> String {
    let mut longest = 0;
    for backticks in text.split(|character| character != '`') {
        longest = longest.max(backticks.len());
    }
    let fence = "`".repeat(longest + 1);
    let space = if longest > 0 { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// `true` if a word can begin a line without starting a Markdown list, heading or rule.
fn may_begin_line(word: &str) -> bool {
    let number = word.trim_start_matches(|c: char| c.is_ascii_digit());
    !word.starts_with(['-', '+', '=', '#', '|', ':', '>', '<', '*', '~'])
        && (number.len() == word.len() || !number.starts_with(['.', ')']))
}

/// Converts text of the catalogue to Markdown that displays exactly this text; code in backticks stays code.
pub(super) fn prose(text: &str) -> String {
    let balanced = text.matches('`').count().is_multiple_of(2) && !text.contains("``");
    let mut markdown = String::new();
    for (index, part) in text.split('`').enumerate() {
        if index > 0 {
            markdown += if balanced { "`" } else { "\\`" };
        }
        if balanced && index % 2 == 1 {
            markdown += part;
        } else {
            escape(part, &mut markdown);
        }
    }
    if !may_begin_line(&markdown) {
        // Without the backslash, the punctuation would begin a list, a heading or a rule.
        let at = markdown.find(|c: char| !c.is_ascii_digit()).unwrap_or_default();
        markdown.insert(at, '\\');
    }
    markdown
}

fn escape(text: &str, markdown: &mut String) {
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let is_entity =
            character == '&' && rest.peek().is_some_and(|next| next.is_ascii_alphanumeric() || *next == '#');
        // Rustdoc warns about bare URLs; an escaped colon looks the same and avoids the warning.
        let is_scheme = character == ':' && rest.peek() == Some(&'/');
        if is_entity || is_scheme || "\\<>[]*_~|".contains(character) {
            markdown.push('\\');
        }
        markdown.push(character);
    }
}

/// Joins sentences with spaces; empty sentences are omitted.
pub(super) fn joined(sentences: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    joined_by(" ", sentences)
}

/// Joins the texts that are not empty.
pub(super) fn joined_by(separator: &str, texts: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut joined = String::new();
    for text in texts {
        let text = text.as_ref();
        if !joined.is_empty() && !text.is_empty() {
            joined += separator;
        }
        joined += text;
    }
    joined
}

/// A sentence about the format of timestamps.
pub(super) fn timestamps(form: TimeForm) -> String {
    match form {
        TimeForm::Counted(unit) => format!("Timestamps are Unix time in {}.", unit.word()),
        TimeForm::Written(TimeFormat::Iso8601) | TimeForm::Local(_) => "Timestamps are ISO 8601, UTC.".to_owned(),
        TimeForm::Written(TimeFormat::Date) => "Timestamps are ISO 8601 dates, UTC.".to_owned(),
        TimeForm::Written(format) => format!("Timestamps are periods in UTC such as `{}`.", format.example()),
    }
}

/// Describes a set of rate limits: its requests, the paths whose requests count, and the keys to which it applies.
pub(super) fn limit(limit: &Limit) -> [String; 3] {
    let Limit { name, requests, seconds, endpoints, .. } = limit;
    let mut windows = format!("Limit set {}: {requests} requests within {seconds} s", prose(name));
    if let Some(concurrent) = limit.concurrent.known() {
        windows += &format!(", {concurrent} in flight");
    }
    windows.push('.');
    let counted =
        if endpoints.is_empty() { String::new() } else { format!("It counts only requests to {}.", codes(endpoints)) };
    let keys = match limit.scope.known() {
        Some(scope) => format!("It applies to {}.", lower_first(prose(scope).trim_end_matches('.'))),
        None => "It is unknown to which keys it applies.".to_owned(),
    };
    [windows, counted, keys]
}

/// Converts text to a sentence with a capital letter and a full stop; empty text stays empty.
pub(super) fn sentence(text: &str) -> String {
    let end = if text.is_empty() || text.ends_with(['.', '!', '?']) { "" } else { "." };
    capital(text) + end
}

/// Converts the first character to upper case.
pub(super) fn capital(text: &str) -> String {
    let mut rest = text.chars();
    match rest.next() {
        Some(first) => first.to_uppercase().to_string() + rest.as_str(),
        None => String::new(),
    }
}

/// A sentence with the other names of an endpoint in the API document; empty if there are no other names.
pub(super) fn aliases(aliases: &[String]) -> String {
    if aliases.is_empty() {
        return String::new();
    }
    let names: Vec<_> = aliases.iter().map(|alias| format!("\u{201c}{}\u{201d}", prose(alias))).collect();
    format!("Also named {} in the API document.", names.join(", "))
}

/// The facts of a param that are the same in every kind of documentation.
pub(super) fn param_facts(param: &Param) -> Facts<'_> {
    let declared = &param.declared;
    Facts {
        unit: &param.unit,
        range: [param.range.min, param.range.max],
        source: param.evidence.label(),
        single_value: declared.single_value.map(Evidence::label),
        allowed_values: texts(&declared.allowed_values),
        tested_values: texts(&declared.tested_values),
        rejected_values: texts(&declared.rejected_values),
        earlier_names: texts(&declared.also_named),
        ..Facts::default()
    }
}

/// The facts of a field that are the same in every kind of documentation.
pub(super) fn field_facts(field: &Field) -> Facts<'_> {
    let range = [field.range.min, field.range.max];
    let also_named = field.also_named.iter().map(String::as_str).collect();
    let zone = field.ty.time_form().and_then(TimeForm::zone);
    Facts { unit: &field.unit, range, zone, source: field.evidence.label(), also_named, ..Facts::default() }
}

/// Converts texts of the model to those of [`Facts`].
pub(super) fn texts(texts: &[Text]) -> Vec<&str> {
    texts.iter().map(|text| text.as_str()).collect()
}

/// The sentences about facts as Markdown.
pub(super) fn stated(facts: &Facts<'_>) -> String {
    facts.sentences(code, prose)
}

/// A sentence with the source of a fact; empty if it is the API document.
pub(super) fn source(evidence: Evidence) -> String {
    stated(&Facts { source: evidence.label(), ..Facts::default() })
}

/// A sentence about the format of several values; `None` is a format that differs between endpoints.
pub(super) fn several(wire_name: &str, list_as: Option<ListFormat>) -> String {
    let name = code(wire_name);
    match list_as {
        Some(ListFormat::Commas) => format!("Several values are sent in {name}, separated by commas."),
        Some(ListFormat::Repeated) => format!("Several values are sent by repeating {name}."),
        Some(ListFormat::Spaces) => format!("Several values are sent in {name}, separated by spaces."),
        Some(ListFormat::Pipes) => format!("Several values are sent in {name}, separated by vertical bars."),
        Some(ListFormat::Colons) => format!("Several values are sent in {name}, separated by colons."),
        Some(ListFormat::Semicolons) => format!("Several values are sent in {name}, separated by semicolons."),
        Some(ListFormat::Json) => format!("Several values are sent in {name} as a JSON list."),
        None => format!("Several values are sent in {name}."),
    }
}

/// Formats values as a list of code spans, in the given order.
pub(super) fn codes(values: &[impl ToString]) -> String {
    let codes: Vec<_> = values.iter().map(|value| code(&value.to_string())).collect();
    enumerated(&codes, "and")
}

/// Escapes each unescaped `|` of Markdown in a table cell, because it would end the cell.
pub(super) fn cell(markdown: impl AsRef<str>) -> String {
    markdown.as_ref().replace("\\|", "|").replace('|', "\\|")
}

/// Converts a text to a code span in a table cell.
pub(super) fn code_cell(text: impl Display) -> String {
    cell(code(&text.to_string()))
}

/// Converts the first letter of a sentence to lower case, for use after a colon.
pub(super) fn lower_first(text: &str) -> String {
    let mut rest = text.chars();
    let Some(first) = rest.next() else { return String::new() };
    // An acronym keeps its capitals.
    let is_acronym = rest.clone().next().is_some_and(char::is_uppercase);
    if is_acronym { text.to_owned() } else { first.to_lowercase().to_string() + rest.as_str() }
}

/// The summary as Markdown, or a sentence that the meaning is unknown.
pub(super) fn meaning(summary: &str) -> String {
    if summary.is_empty() { "Its meaning is undocumented.".to_owned() } else { prose(summary) }
}

/// A sentence that lists unknown facts; empty if there are none.
pub(super) fn unknown(facts: &[UnknownFact]) -> String {
    stated(&Facts { unknown: unknown_texts(facts), ..Facts::default() })
}

pub(super) fn unknown_texts(facts: &[UnknownFact]) -> Vec<&str> {
    facts.iter().map(UnknownFact::text).collect()
}

/// The format of a body that is not JSON, as the end of a sentence.
pub(super) fn sent_as(format: Option<BodyFormat>) -> String {
    match format {
        None => String::new(),
        Some(format) => format!(", sent as {}", format.in_registry().name()),
    }
}

/// The unknown facts about an endpoint: parts with the value `unknown` in the catalogue, and the facts that it lists as
/// unknown.
pub(super) fn unknown_of(endpoint: &Endpoint) -> Vec<&str> {
    let mut unknown = Vec::new();
    if endpoint.path.is_none() {
        unknown.push("the path, the params and the response");
    } else {
        if endpoint.params.is_none() {
            unknown.push("the params");
        }
        match endpoint.body {
            Body::Unknown => unknown.push("the form of the response"),
            Body::Series { record: None, .. } => unknown.push("the fields of the records"),
            Body::Series { .. } | Body::Object { .. } => {}
        }
        if endpoint.declared.history == Some(Known::Unknown) {
            unknown.push("the params that select a time range");
        }
    }
    unknown.extend(unknown_texts(&endpoint.declared.unknown));
    unknown
}

/// Describes the way from each page of records to the next page; `None` if a response has all records.
pub(super) fn pages(endpoint: &Endpoint) -> Option<String> {
    let pages = endpoint.pages.as_ref()?;
    let next = match &pages.next {
        NextPage::Cursor { path, param } => format!("{} of a response is sent as {}", code(path), code(param)),
        NextPage::Link { path } => format!("{} of a response is the URL of the next page", code(path)),
        NextPage::Offset { param, .. } => format!("{} is the number of records before a page", code(param)),
        NextPage::Number { param, .. } => format!("{} is the number of a page", code(param)),
    };
    match &pages.size {
        Some(size) => Some(format!("{next}; {} is the number of records on a page", code(size))),
        None => Some(next),
    }
}

/// Describes the number of requests that rate limits count for a request; `None` if it is 1.
pub(super) fn weight(endpoint: &Endpoint) -> Option<String> {
    let mut exceptions = String::new();
    if let Some(by) = &endpoint.declared.weight_by {
        for step in &by.steps {
            exceptions += &format!("; as {} if {} is at most {}", step.weight, code(&by.param), step.max);
        }
    }
    if endpoint.weight == 1 && exceptions.is_empty() {
        return None;
    }
    Some(format!("counts as {} requests for the rate limit{exceptions}", endpoint.weight))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_escaped_for_markdown() {
        for (text, expected) in [
            ("Plain words.", "Plain words."),
            ("Code in `backticks<T>` stays.", "Code in `backticks<T>` stays."),
            ("One ` alone", "One \\` alone"),
            ("```rust panic!()```", "\\`\\`\\`rust panic!()\\`\\`\\`"),
            ("<script>x</script>", "\\<script\\>x\\</script\\>"),
            ("a [link](x) and *stars*", "a \\[link\\](x) and \\*stars\\*"),
            ("Longs & Shorts", "Longs & Shorts"),
            ("&lt;", "\\&lt;"),
            ("# heading", "\\# heading"),
            ("- item", "\\- item"),
            ("1. item", "1\\. item"),
            ("~~~rust", "\\~\\~\\~rust"),
            ("*/ }", "\\*/ }"),
            ("see https://x.test", "see https\\://x.test"),
        ] {
            assert_eq!(prose(text), expected, "{text}");
        }
    }

    #[test]
    fn lines_are_wrapped_and_no_line_begins_a_list() {
        let words = "word ".repeat(19) + "- minus";
        let lines = wrap(&words);
        assert!(lines.iter().all(|line| !line.starts_with('-')), "{lines:?}");
        assert_eq!(wrap("a\n\nb"), ["a", "", "b"]);
    }

    #[test]
    fn code_spans_are_not_escaped() {
        for (text, expected) in [("coin", "`coin`"), ("a`<b>", "`` a`<b> ``"), ("``", "``` `` ```")] {
            assert_eq!(code(text), expected);
        }
        let long = "word ".repeat(21) + "`<script>alert(1) and so on</script>`";
        assert!(wrap(&long).iter().any(|line| line.contains("`<script>alert(1) and so on</script>`")), "{long}");
    }

    #[test]
    fn bars_are_escaped_in_cells() {
        assert_eq!([code_cell("a|b"), cell(prose("c | d"))], ["`a\\|b`", "c \\| d"]);
    }
}
