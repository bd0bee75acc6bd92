//! Compares values of the catalogue, in whatever form they are written.

use crate::tree::Tree;

pub(super) fn is_known(tree: &Tree) -> bool {
    !matches!(tree, Tree::Null) && tree.as_text() != Some("unknown") && *tree != Tree::List(Vec::new())
}

pub(super) fn number(tree: &Tree) -> Option<f64> {
    bare(tree).parse().ok()
}

/// Whether a number is within a range.
pub(crate) fn holds(range: &Tree, value: f64) -> bool {
    let bound = |key: &str| range.get(key).and_then(number);
    bound("min").is_none_or(|min| value >= min) && bound("max").is_none_or(|max| value <= max)
}

/// A value without the quotes of YAML.
pub(super) fn bare(value: &Tree) -> String {
    match value {
        Tree::Text(text) => text.clone(),
        Tree::List(items) => items.iter().map(bare).collect::<Vec<_>>().join(", "),
        Tree::Map(entries) => {
            entries.iter().map(|(key, value)| format!("{key} {}", bare(value))).collect::<Vec<_>>().join(" and ")
        }
        other => other.inline(),
    }
}

/// Whether two values are the same, in any form of numbers.
pub(super) fn is_same(known: &Tree, said: &Tree) -> bool {
    let is_number = matches!(said, Tree::Number(_));
    bare(known) == bare(said) || (is_number && number(known) == number(said))
}
