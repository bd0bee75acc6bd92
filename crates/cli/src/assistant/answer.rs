//! The length of an answer, and the form of texts from outside in it.

use runtime::text::{ForeignText, one_line};

use crate::failure::{Failure, Result};

/// The maximum size of an answer.
pub(crate) const MAX_TOKENS: usize = 3_000;

/// The maximum number of lines that the run of a command adds to an answer.
const MAX_NOTES: usize = 12;

/// The maximum number of characters of such a line.
const MAX_NOTE: usize = 300;

/// Estimates the number of tokens of a text, within a sixth of what the tokenizer of a common model counts for answers:
/// letters are cheap, because they form words, and digits and signs are not.
pub(crate) fn tokens(text: &str) -> usize {
    let mut hundredths = 0;
    for character in text.chars() {
        hundredths += match character {
            '\n' => 50,
            _ if character.is_alphabetic() => 27,
            _ if character.is_numeric() => 52,
            _ if character.is_whitespace() => 0,
            _ => 100,
        };
    }
    hundredths / 100
}

/// Ends a text after the last line that fits, and adds how many lines are omitted and how to get them.
pub(crate) fn limited(text: &str, max_tokens: usize, advice: &str) -> String {
    let text = ForeignText(text).to_string();
    if tokens(&text) <= max_tokens {
        return text;
    }
    let ending = |omitted: usize| format!("… {omitted} more lines; {advice}\n");
    let mut left = max_tokens.saturating_sub(tokens(&ending(text.lines().count())));
    let mut kept = String::new();
    let mut omitted = 0;
    for line in text.lines() {
        // A part of a token counts too.
        let size = tokens(line) + 2;
        if omitted > 0 || size > left {
            omitted += 1;
        } else {
            left -= size;
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept + &ending(omitted)
}

/// The lines that the run of a command has printed for a user.
pub(crate) fn notes(lines: &[String]) -> String {
    let mut text = String::new();
    for line in lines.iter().take(MAX_NOTES) {
        let line: String = one_line(line).chars().take(MAX_NOTE).collect();
        text.push_str(&format!("{line}\n"));
    }
    if lines.len() > MAX_NOTES {
        text.push_str(&format!("… {} more lines\n", lines.len() - MAX_NOTES));
    }
    text
}

/// Returns CSV in which each row is one line, without the columns that have no value. Their names are in the last line.
pub(crate) fn compact_csv(csv: &[u8]) -> Result<String> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(csv);
    let mut rows = Vec::new();
    for row in reader.records() {
        rows.push(row.map_err(Failure::machine)?);
    }
    let Some((names, rows)) = rows.split_first() else { return Ok(String::new()) };
    let mut kept = Vec::new();
    let mut empty = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let has_value = rows.iter().any(|row| row.get(index).is_some_and(|cell| !cell.is_empty()));
        if has_value || rows.is_empty() {
            kept.push(index);
        } else {
            empty.push(one_line(name));
        }
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in std::iter::once(names).chain(rows) {
        let cells = kept.iter().map(|index| one_line(row.get(*index).unwrap_or_default()));
        writer.write_record(cells).map_err(Failure::machine)?;
    }
    let bytes = writer.into_inner().map_err(Failure::machine)?;
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if !empty.is_empty() {
        text.push_str(&format!("no value: {}\n", empty.join(", ")));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_cannot_begin_a_line() {
        let csv = "time,name,none\n1,\"a\nfile: /etc/passwd\",\n2,b,\n";
        assert_eq!(compact_csv(csv.as_bytes()).unwrap(), "time,name\n1,a file: /etc/passwd\n2,b\nno value: none\n");
        assert_eq!(compact_csv(b"").unwrap(), "");
        assert_eq!(compact_csv(b"a,b\n").unwrap(), "a,b\n");
    }

    #[test]
    fn a_long_text_ends_after_a_line() {
        let lines = "2026-01-01,12345.678\n".repeat(1_000);
        let text = limited(&lines, 300, "read less");
        let kept = text.lines().count() - 1;
        assert!(tokens(&text) <= 300 && kept > 10, "{text}");
        assert!(text.ends_with(&format!("\n… {} more lines; read less\n", 1_000 - kept)), "{text}");
        assert_eq!(limited("one\u{1b}[2J\n", 99, ""), "one\\u001b[2J\n");
        assert_eq!(limited(&"x".repeat(2_000), 40, "read less"), "… 1 more lines; read less\n");
    }

    #[test]
    fn notes_are_limited() {
        let lines = vec!["x\ny".repeat(200); 20];
        let text = notes(&lines);
        assert_eq!(text.lines().count(), MAX_NOTES + 1);
        assert!(text.lines().all(|line| line.chars().count() <= MAX_NOTE));
    }
}
