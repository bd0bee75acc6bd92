//! Docs and comments in a stub file.

use super::super::markdown;

/// A docstring, with lines that are broken like those of other emitted docs.
pub(super) fn docstring(indent: &str, lines: &[String]) -> String {
    let mut text = String::new();
    for line in lines {
        if line.is_empty() {
            text.push('\n');
            continue;
        }
        for part in markdown::wrap(line) {
            let part = part.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"");
            text.push_str(&format!("{indent}{part}\n"));
        }
    }
    format!("{indent}\"\"\"{}\"\"\"\n", text.trim())
}

pub(super) fn comment(text: &str) -> String {
    let mut comment = String::new();
    for line in markdown::wrap(text) {
        comment.push_str(&format!("# {line}\n"));
    }
    comment
}
