//! Mistakes in a rule, shown to the person that wrote it.

use std::fmt;

use crate::suggest::nearest;

/// Why a text is no rule, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    rule: String,
    /// How many characters come before the wrong word, and how many it has.
    at: (usize, usize),
    message: String,
    help: String,
}

impl RuleError {
    pub(super) fn new(
        rule: &str,
        (start, word): (usize, &str),
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        // A terminal widens a tab, which would move the mark below the word.
        let rule_shown = rule.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
        let before = rule.get(..start).unwrap_or_default().chars().count();
        Self { rule: rule_shown, at: (before, word.chars().count().max(1)), message: message.into(), help: help.into() }
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, at: (before, length), message, help } = self;
        write!(f, "{message}\n  |\n  | {rule}\n  | {}{}", " ".repeat(*before), "^".repeat(*length))?;
        if help.is_empty() { Ok(()) } else { write!(f, "\n  = help: {help}") }
    }
}

impl std::error::Error for RuleError {}

/// Help for an unknown word: the known one that is nearest.
pub(super) fn did_you_mean<T: AsRef<str>>(written: &str, known: impl Iterator<Item = T>) -> String {
    match nearest(written, known) {
        Some(name) => format!("did you mean `{}`?", name.as_ref()),
        None => "`--help` lists what there is".to_owned(),
    }
}
