//! Errors in a rule; the message contains the rule and marks the wrong word.

use std::fmt;

/// The reason that a rule is invalid, and the position of the wrong word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    rule: String,
    /// The number of characters before the wrong word.
    indent: usize,
    /// The number of characters of the wrong word.
    length: usize,
    message: String,
    help: String,
}

/// A word of a rule.
#[derive(Clone, Copy)]
pub(super) struct Word<'r> {
    /// The number of bytes before the word.
    pub(super) start: usize,
    pub(super) text: &'r str,
}

impl RuleError {
    pub(super) fn new(rule: &str, wrong: Word<'_>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            // Control characters become spaces, because a terminal widens a tab, and the mark would not be below the
            // word.
            rule: rule.replace(char::is_control, " "),
            indent: rule.get(..wrong.start).unwrap_or_default().chars().count(),
            length: wrong.text.chars().count().max(1),
            message: message.into(),
            help: help.into(),
        }
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, indent, length, message, help } = self;
        write!(f, "{message}\n  |\n  | {rule}\n  | {}{}", " ".repeat(*indent), "^".repeat(*length))?;
        if help.is_empty() { Ok(()) } else { write!(f, "\n  = help: {help}") }
    }
}

impl std::error::Error for RuleError {}
