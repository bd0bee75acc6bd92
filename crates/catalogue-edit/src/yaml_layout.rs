//! The layout of trees as YAML text.
//!
//! The layout is that of a hand-written catalogue: a value in braces if it fits on one line, otherwise one line for
//! each key. There are quotes only where YAML needs them.

use catalogue::type_expr::TypeExpr;
use catalogue::yaml_parser::{self, Kind, Node};
use catalogue::{is_invisible, yaml_writer};

/// The maximum line length, unless a single value is longer.
const WIDTH: usize = 118;

/// The keys that come last in a map, in this order: facts about all fields, then the fields.
const LAST: [&str; 11] = [
    "evidence",
    "time",
    "positional",
    "columns",
    "columns_at",
    "others",
    "unit",
    "format",
    "series",
    "object",
    "fields",
];

/// Sorts the keys of a tree as in a hand-written catalogue: if a map lists fields, the list comes last. An example or
/// default that is text is quoted, although it may look like a number.
pub(crate) fn arranged(node: Node) -> Node {
    let kind = match node.kind {
        Kind::List(items) => Kind::List(items.into_iter().map(arranged).collect()),
        Kind::Map(entries) => {
            let ty = entries.iter().find(|(key, _)| key.text() == Some("type")).and_then(|(_, ty)| ty.text());
            let is_text = ty.is_some_and(|ty| match TypeExpr::parse(ty) {
                Some(TypeExpr::Builtin(builtin)) => !builtin.is_numeric() && builtin.time_form().is_none(),
                _ => true,
            });
            let entries = entries.into_iter().map(|(key, value)| {
                let is_value = matches!(key.text(), Some("example" | "default" | "const_value"));
                let value = match value.kind {
                    Kind::Number(written) if is_text && is_value => Kind::Text(written).into(),
                    other => arranged(other.into()),
                };
                (key, value)
            });
            let mut entries: Vec<_> = entries.collect();
            if entries.iter().any(|(key, _)| key.text().is_some_and(|key| LAST[8..].contains(&key))) {
                entries.sort_by_key(|(key, _)| LAST.iter().position(|last| key.text() == Some(last)));
            }
            Kind::Map(entries)
        }
        scalar => scalar,
    };
    kind.into()
}

/// A value on one line, in braces or brackets.
pub(crate) fn inline(node: &Node) -> String {
    match &node.kind {
        Kind::Null => "null".to_owned(),
        Kind::Flag(flag) => flag.to_string(),
        Kind::Number(written) => written.clone(),
        Kind::Text(text) => scalar(text, true),
        Kind::List(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Kind::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| format!("{}: {}", inline(key), inline(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

/// `true` if a value is shallow and fits on one line after an indent.
pub(crate) fn fits(node: &Node, indent: usize) -> bool {
    is_shallow(node) && is_short(node, indent)
}

/// `true` if a value fits on one line after an indent.
pub(crate) fn is_short(node: &Node, indent: usize) -> bool {
    indent + inline(node).chars().count() <= WIDTH
}

/// `true` if a value is a scalar, a list of scalars, or a map with little nesting.
pub(crate) fn is_shallow(node: &Node) -> bool {
    let is_scalar = |node: &Node| !matches!(node.kind, Kind::Map(_) | Kind::List(_));
    match &node.kind {
        Kind::List(items) => items.iter().all(is_scalar),
        Kind::Map(entries) => entries.iter().all(|(_, value)| match &value.kind {
            Kind::List(_) => false,
            Kind::Map(inner) => inner.iter().all(|(_, value)| is_scalar(value)),
            _ => true,
        }),
        _ => true,
    }
}

/// The lines of a value in block style, without the indent of the parent.
pub(crate) fn block(node: &Node, indent: usize) -> Vec<String> {
    match &node.kind {
        Kind::Map(entries) if !entries.is_empty() => {
            entries.iter().flat_map(|(key, value)| entry_lines(key, value, indent)).collect()
        }
        Kind::List(items) if !items.is_empty() => {
            items.iter().flat_map(|each| item(each, indent, fits(each, indent + 2))).collect()
        }
        Kind::Text(text) => vec![scalar(text, false)],
        _ => vec![inline(node)],
    }
}

/// The lines of a map entry.
pub(crate) fn entry_lines(key: &Node, value: &Node, indent: usize) -> Vec<String> {
    let key = scalar(key.text().unwrap_or_default(), false);
    let is_empty = match &value.kind {
        Kind::Text(text) => {
            let line = format!("{key}: {}", scalar(text, false));
            return if indent + line.chars().count() <= WIDTH { vec![line] } else { folded(&key, text, indent) };
        }
        Kind::List(items) => items.is_empty(),
        Kind::Map(entries) => entries.is_empty(),
        _ => true,
    };
    if is_empty || fits(value, indent + key.chars().count() + 2) {
        return vec![format!("{key}: {}", inline(value))];
    }
    std::iter::once(format!("{key}:")).chain(below(value, indent)).collect()
}

/// The lines of a value below its key. The items of a list have the same indent as the key, and the keys of a map have
/// a larger indent.
pub(crate) fn below(node: &Node, indent: usize) -> Vec<String> {
    let inner = if matches!(node.kind, Kind::List(_)) { 0 } else { 2 };
    block(node, indent + inner).into_iter().map(|line| " ".repeat(inner) + &line).collect()
}

/// The lines of a list item.
pub(crate) fn item(node: &Node, indent: usize, is_inline: bool) -> Vec<String> {
    if is_inline {
        return vec![format!("- {}", inline(node))];
    }
    let lines = block(node, indent + 2).into_iter().enumerate();
    lines.map(|(index, line)| if index == 0 { format!("- {line}") } else { format!("  {line}") }).collect()
}

/// The text of a file, with blank lines between the endpoints of a group.
pub(crate) fn file(root: &Node) -> String {
    let Kind::Map(entries) = &root.kind else { return String::new() };
    let lines = entries.iter().map(|(key, value)| match (key.text(), &value.kind) {
        (Some("endpoints"), Kind::List(items)) if !items.is_empty() => {
            let items = items.iter().map(|each| item(each, 0, false).join("\n") + "\n");
            format!("endpoints:\n{}", items.collect::<Vec<_>>().join("\n"))
        }
        _ => entry_lines(key, value, 0).join("\n") + "\n",
    });
    lines.collect()
}

/// A text without quotes if every YAML parser reads it as this text, otherwise in quotes.
fn scalar(text: &str, in_braces: bool) -> String {
    let is_kept_in_braces = || match yaml_parser::parse(&format!("{{a: {text}}}")).map(|node| node.kind) {
        Ok(Kind::Map(pairs)) => pairs.len() == 1 && pairs[0].1.text() == Some(text),
        _ => false,
    };
    if is_word(text) || yaml_writer::is_plain(text) && (!in_braces || is_kept_in_braces()) {
        return text.to_owned();
    }
    let needs_escapes = |character: char| character.is_control() || is_invisible(character);
    if text.contains(needs_escapes) { yaml_writer::escaped(text) } else { format!("'{}'", text.replace('\'', "''")) }
}

/// `true` if a text obviously needs no quotes for any YAML parser, so that it does not have to be parsed.
fn is_word(text: &str) -> bool {
    // YAML 1.1 parsers read these as a boolean or null.
    const READ_OTHERWISE: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|character| character.is_ascii_alphanumeric() || " _-./".contains(character))
        && !text.ends_with(' ')
        && !READ_OTHERWISE.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// The lines of a long text below its key.
fn folded(key: &str, text: &str, indent: usize) -> Vec<String> {
    let mut words = text.split(' ');
    if words.clone().any(|word| word.is_empty() || word.contains(char::is_whitespace)) {
        return vec![format!("{key}: {}", scalar(text, false))];
    }
    let mut lines = vec![format!("{key}: >-"), format!("  {}", words.next().unwrap_or_default())];
    for word in words {
        match lines.last_mut() {
            Some(line) if indent + line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                *line += " ";
                *line += word;
            }
            _ => lines.push(format!("  {word}")),
        }
    }
    lines
}

#[cfg(test)]
mod tests;
