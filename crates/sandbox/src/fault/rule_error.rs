//! Errors in a rule; the message contains the rule and marks the wrong word.

use std::fmt;

/// The reason that a rule is invalid, and the position of the wrong word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    rule: String,
    /// The number of characters before the wrong word, and its length.
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
        // Control characters become spaces, because a terminal widens a tab, and the mark would not be below the word.
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
