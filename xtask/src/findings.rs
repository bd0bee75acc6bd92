//! The findings of `cargo xtask check` for programs: errors and warnings of the catalogue, and stale names.

use catalogue::Diagnostics;
use serde_json::{Value, json};

use crate::report_format::{self, Annotation, Format, Level};
use crate::stale_names::StaleName;

/// Findings, each with the line to which it applies.
pub(crate) struct Findings {
    /// The path of the catalogue's folder, with a separator at the end.
    folder: String,
    list: Vec<Finding>,
}

struct Finding {
    help: String,
    /// Its title is the rule.
    annotation: Annotation,
}

impl Findings {
    pub(crate) fn new(folder: String) -> Self {
        Self { folder, list: Vec::new() }
    }

    pub(crate) fn add_diagnostics(&mut self, diagnostics: &Diagnostics, level: Level) {
        for diagnostic in diagnostics.as_slice() {
            let (file, position) = diagnostic.position();
            let annotation = Annotation {
                level,
                title: diagnostic.rule().to_owned(),
                file: format!("{}{file}", self.folder),
                line: position.map(|(line, _)| line),
                column: position.map(|(_, column)| column),
                message: diagnostic.message().to_owned(),
            };
            self.list.push(Finding { help: diagnostic.help().to_owned(), annotation });
        }
    }

    pub(crate) fn add_stale_names(&mut self, stale: &[StaleName], level: Level) {
        for name in stale {
            let annotation = Annotation {
                level,
                title: "unknown-name".to_owned(),
                file: name.path.display().to_string(),
                line: Some(name.line),
                column: None,
                message: name.message.clone(),
            };
            self.list.push(Finding { help: String::new(), annotation });
        }
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.list.iter().any(|finding| finding.annotation.level == Level::Error)
    }

    pub(crate) fn text(&self, format: Format) -> String {
        if format == Format::Json {
            return report_format::json(&self.json());
        }
        let mut text = String::new();
        for finding in &self.list {
            let mut annotation = finding.annotation.clone();
            if !finding.help.is_empty() {
                annotation.message += &format!("\nhelp: {}", finding.help);
            }
            text += &annotation.command();
        }
        text
    }

    fn json(&self) -> Value {
        let mut findings = Vec::new();
        for Finding { help, annotation } in &self.list {
            findings.push(json!({
                "level": annotation.level.word(),
                "rule": annotation.title,
                "file": annotation.file,
                "line": annotation.line,
                "column": annotation.column,
                "message": annotation.message,
                "help": help,
            }));
        }
        json!({ "has_errors": self.has_errors(), "findings": findings })
    }
}
