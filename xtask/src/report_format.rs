//! The formats of a report: text for people, JSON for programs, and annotations that GitHub shows at lines of files.

use clap::ValueEnum;
use serde_json::Value;

/// The format of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people
    #[default]
    Text,
    /// One JSON value
    Json,
    /// Workflow commands of GitHub, which become annotations of files
    Github,
}

/// The severity of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Error,
    Warning,
    Notice,
}

impl Level {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
        }
    }
}

/// A message about a line of a file.
#[derive(Clone, Debug)]
pub(crate) struct Annotation {
    pub(crate) level: Level,
    pub(crate) title: String,
    /// The path of the file from the root of the repository; empty for a message about no file.
    pub(crate) file: String,
    /// The line, and the column if it is known, both counted from one.
    pub(crate) line: Option<usize>,
    pub(crate) column: Option<usize>,
    pub(crate) message: String,
}

impl Annotation {
    /// The workflow command, with a line break.
    pub(crate) fn command(&self) -> String {
        let name = self.level.word();
        let mut properties = Vec::new();
        if !self.file.is_empty() {
            properties.push(format!("file={}", property(&self.file)));
        }
        if let Some(line) = self.line {
            properties.push(format!("line={line}"));
        }
        if let Some(column) = self.column {
            properties.push(format!("col={column}"));
        }
        properties.push(format!("title={}", property(&self.title)));
        format!("::{name} {}::{}\n", properties.join(","), data(&self.message))
    }
}

/// The text of a JSON value, with a line break.
pub(crate) fn json(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Escapes the message of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_others_cannot_add_a_command() {
        let annotation = Annotation {
            level: Level::Error,
            title: "a,b: c".to_owned(),
            file: "spec/a.yaml".to_owned(),
            line: Some(7),
            column: None,
            message: "50 %\n::error::forged".to_owned(),
        };
        let expected = "::error file=spec/a.yaml,line=7,title=a%2Cb%3A c::50 %25%0A::error::forged\n";
        assert_eq!(annotation.command(), expected);
    }
}
