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

/// The keys of which a map has at least one if it lists fields.
const FIELDS: [&str; 3] = ["series", "object", "fields"];

/// Sorts the keys of a tree as in a hand-written catalogue: if a map lists fields, the list comes last. An example or
/// default that is text is quoted, although it may look like a number.
pub(crate) fn arranged(node: Node) -> Node {
    match node.kind {
        Kind::List(items) => {
            let mut arranged_items = Vec::with_capacity(items.len());
            for item in items {
                arranged_items.push(arranged(item));
            }
            Kind::List(arranged_items).into()
        }
        Kind::Map(entries) => arranged_map(entries),
        scalar => scalar.into(),
    }
}

fn arranged_map(entries: Vec<(Node, Node)>) -> Node {
    let are_values_text = are_values_text(&entries);
    let mut arranged_entries = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let is_value = matches!(key.text(), Some("example" | "default" | "const_value"));
        let value = match value.kind {
            Kind::Number(written) if are_values_text && is_value => Kind::Text(written).into(),
            other => arranged(other.into()),
        };
        arranged_entries.push((key, value));
    }
    if has_fields(&arranged_entries) {
        arranged_entries.sort_by_key(|(key, _)| LAST.iter().position(|last| key.text() == Some(last)));
    }
    Kind::Map(arranged_entries).into()
}

/// `true` if a map lists fields.
fn has_fields(entries: &[(Node, Node)]) -> bool {
    for (key, _) in entries {
        if let Some(key) = key.text()
            && FIELDS.contains(&key)
        {
            return true;
        }
    }
    false
}

/// `true` if the `type` in a map is no type of numbers.
fn are_values_text(entries: &[(Node, Node)]) -> bool {
    let Some((_, ty)) = entries.iter().find(|(key, _)| key.text() == Some("type")) else { return false };
    let Some(ty) = ty.text() else { return false };
    match TypeExpr::parse(ty) {
        Some(TypeExpr::Builtin(builtin)) => !builtin.is_numeric() && builtin.time_form().is_none(),
        _ => true,
    }
}

/// A value on one line, in braces or brackets.
pub(crate) fn inline(node: &Node) -> String {
    match &node.kind {
        Kind::Null => "null".to_owned(),
        Kind::Flag(flag) => flag.to_string(),
        Kind::Number(written) => written.clone(),
        Kind::Text(text) => scalar(text, true),
        Kind::List(items) => {
            let mut written = Vec::with_capacity(items.len());
            for item in items {
                written.push(inline(item));
            }
            format!("[{}]", written.join(", "))
        }
        Kind::Map(entries) => {
            let mut written = Vec::with_capacity(entries.len());
            for (key, value) in entries {
                written.push(format!("{}: {}", inline(key), inline(value)));
            }
            format!("{{{}}}", written.join(", "))
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
    match &node.kind {
        Kind::List(items) => items.iter().all(is_scalar),
        Kind::Map(entries) => entries.iter().all(|(_, value)| is_scalar(value) || is_map_of_scalars(value)),
        _ => true,
    }
}

fn is_scalar(node: &Node) -> bool {
    !matches!(node.kind, Kind::Map(_) | Kind::List(_))
}

fn is_map_of_scalars(node: &Node) -> bool {
    match &node.kind {
        Kind::Map(entries) => entries.iter().all(|(_, value)| is_scalar(value)),
        _ => false,
    }
}

fn is_empty(node: &Node) -> bool {
    match &node.kind {
        Kind::List(items) => items.is_empty(),
        Kind::Map(entries) => entries.is_empty(),
        _ => false,
    }
}

/// The lines of a value in block style, without the indent of the parent.
pub(crate) fn block(node: &Node, indent: usize) -> Vec<String> {
    let mut lines = Vec::new();
    match &node.kind {
        _ if is_empty(node) => lines.push(inline(node)),
        Kind::Map(entries) => {
            for (key, value) in entries {
                lines.extend(entry_lines(key, value, indent));
            }
        }
        Kind::List(items) => {
            for each in items {
                lines.extend(item(each, indent, fits(each, indent + 2)));
            }
        }
        Kind::Text(text) => lines.push(scalar(text, false)),
        _ => lines.push(inline(node)),
    }
    lines
}

/// The lines of a map entry.
pub(crate) fn entry_lines(key: &Node, value: &Node, indent: usize) -> Vec<String> {
    let key = scalar(key.text().unwrap_or_default(), false);
    if let Kind::Text(text) = &value.kind {
        let line = format!("{key}: {}", scalar(text, false));
        let is_short = indent + line.chars().count() <= WIDTH;
        return if is_short { vec![line] } else { folded(&key, text, indent) };
    }
    if is_scalar(value) || is_empty(value) || fits(value, indent + key.chars().count() + 2) {
        return vec![format!("{key}: {}", inline(value))];
    }
    let mut lines = vec![format!("{key}:")];
    lines.extend(below(value, indent));
    lines
}

/// The lines of a value below its key. The items of a list have the same indent as the key, and the keys of a map have
/// a larger indent.
pub(crate) fn below(node: &Node, indent: usize) -> Vec<String> {
    if matches!(node.kind, Kind::List(_)) {
        return block(node, indent);
    }
    let mut lines = block(node, indent + 2);
    for line in &mut lines {
        line.insert_str(0, "  ");
    }
    lines
}

/// The lines of a list item.
pub(crate) fn item(node: &Node, indent: usize, is_inline: bool) -> Vec<String> {
    if is_inline {
        return vec![format!("- {}", inline(node))];
    }
    let mut lines = block(node, indent + 2);
    for (index, line) in lines.iter_mut().enumerate() {
        line.insert_str(0, if index == 0 { "- " } else { "  " });
    }
    lines
}

/// The text of a file, with blank lines between the endpoints of a group.
pub(crate) fn file(root: &Node) -> String {
    let Kind::Map(entries) = &root.kind else { return String::new() };
    let mut text = String::new();
    for (key, value) in entries {
        match (key.text(), &value.kind) {
            (Some("endpoints"), Kind::List(items)) if !items.is_empty() => text += &endpoints(items),
            _ => text += &format!("{}\n", entry_lines(key, value, 0).join("\n")),
        }
    }
    text
}

fn endpoints(items: &[Node]) -> String {
    let mut written = Vec::with_capacity(items.len());
    for each in items {
        written.push(format!("{}\n", item(each, 0, false).join("\n")));
    }
    format!("endpoints:\n{}", written.join("\n"))
}

/// A text without quotes if every YAML parser reads it as this text, otherwise in quotes.
fn scalar(text: &str, in_braces: bool) -> String {
    if is_word(text) || yaml_writer::is_plain(text) && (!in_braces || is_kept_in_braces(text)) {
        return text.to_owned();
    }
    let needs_escapes = text.contains(|character: char| character.is_control() || is_invisible(character));
    if needs_escapes { yaml_writer::escaped(text) } else { format!("'{}'", text.replace('\'', "''")) }
}

/// `true` if a text without quotes is read as this text in braces.
fn is_kept_in_braces(text: &str) -> bool {
    let Ok(node) = yaml_parser::parse(&format!("{{a: {text}}}")) else { return false };
    match node.kind {
        Kind::Map(pairs) => pairs.len() == 1 && pairs[0].1.text() == Some(text),
        _ => false,
    }
}

/// Words that parsers of YAML 1.1 read as a boolean or null.
const READ_OTHERWISE: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];

/// `true` if a text obviously needs no quotes for any YAML parser, so that it does not have to be parsed.
fn is_word(text: &str) -> bool {
    let is_read_otherwise = READ_OTHERWISE.contains(&text.to_ascii_lowercase().as_str());
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|character| character.is_ascii_alphanumeric() || " _-./".contains(character))
        && !text.ends_with(' ')
        && !is_read_otherwise
}

/// The lines of a long text below its key.
fn folded(key: &str, text: &str, indent: usize) -> Vec<String> {
    let words: Vec<&str> = text.split(' ').collect();
    if words.iter().any(|word| word.is_empty() || word.contains(char::is_whitespace)) {
        return vec![format!("{key}: {}", scalar(text, false))];
    }
    let mut lines = vec![format!("{key}: >-"), format!("  {}", words[0])];
    for word in &words[1..] {
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
