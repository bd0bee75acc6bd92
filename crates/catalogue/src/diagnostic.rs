//! Errors in the catalogue, as shown to its author.
//!
//! A diagnostic has a message, a location, the name of the broken rule and a help text. It is printed like an error of
//! rustc. The modules `load`, `catalogue_reader` and `resolve` check the rules; `rules.txt` has the texts.

use std::fmt::{self, Display};
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Element, Level, Origin, Renderer, Snippet};

use crate::rules;

/// One file of the catalogue.
#[derive(Debug, Default)]
pub(crate) struct SourceFile {
    /// The file name in the catalogue, for example `orderflow.yaml`.
    pub(crate) name: String,
    /// The complete text.
    pub(crate) text: String,
    /// The byte offset of the start of each line.
    lines: Vec<usize>,
    /// The ends of the characters that have several bytes. All other characters have one byte.
    wide_characters: Vec<CharacterEnd>,
}

/// The end of a character, as offsets in its file.
#[derive(Clone, Copy, Debug)]
struct CharacterEnd {
    characters: usize,
    bytes: usize,
}

impl SourceFile {
    /// Creates a file from its name and text.
    pub(crate) fn new(name: String, text: String) -> Self {
        let mut lines = vec![0];
        for (newline, _) in text.match_indices('\n') {
            lines.push(newline + 1);
        }
        let mut wide_characters = Vec::new();
        for (index, (byte, character)) in text.char_indices().enumerate() {
            if !character.is_ascii() {
                wide_characters.push(CharacterEnd { characters: index + 1, bytes: byte + character.len_utf8() });
            }
        }
        Self { name, text, lines, wide_characters }
    }

    /// The text in a range of characters.
    pub(crate) fn slice(&self, characters: Range<usize>) -> &str {
        &self.text[self.byte(characters.start)..self.byte(characters.end)]
    }

    /// The text in a range of characters, and the rest of its last line.
    pub(crate) fn split_line(&self, characters: &Range<usize>) -> (&str, &str) {
        let end = self.byte(characters.end);
        let rest = self.text[end..].lines().next().unwrap_or_default();
        (self.slice(characters.clone()), rest)
    }

    /// Converts an offset in characters to an offset in bytes.
    fn byte(&self, character: usize) -> usize {
        let before = self.wide_characters.partition_point(|end| end.characters <= character);
        let byte = match self.wide_characters[..before].last() {
            Some(end) => end.bytes.saturating_add(character - end.characters),
            None => character,
        };
        byte.min(self.text.len())
    }

    /// Converts the offset in bytes of a character to an offset in characters.
    fn character(&self, byte: usize) -> usize {
        let before = self.wide_characters.partition_point(|end| end.bytes <= byte);
        match self.wide_characters[..before].last() {
            Some(end) => end.characters + (byte - end.bytes),
            None => byte,
        }
    }

    /// The line that contains a byte offset: the number of the line (counted from zero) and its range in bytes.
    fn line(&self, byte: usize) -> (usize, Range<usize>) {
        let number = self.lines.partition_point(|start| *start <= byte).saturating_sub(1);
        let start = self.lines.get(number).copied().unwrap_or_default();
        let end = self.lines.get(number + 1).copied().unwrap_or(self.text.len());
        (number, start..start + self.text[start..end].trim_end_matches(['\n', '\r']).len())
    }
}

/// A location in a file of the catalogue.
#[derive(Clone, Debug, Default)]
pub(crate) struct Location {
    file: Arc<SourceFile>,
    /// The span in characters, because the YAML parser counts characters.
    span: Range<usize>,
}

impl Location {
    /// Creates a location from a span of characters.
    pub(crate) fn new(file: &Arc<SourceFile>, span: Range<usize>) -> Self {
        Self { file: Arc::clone(file), span }
    }

    /// The file of the location.
    pub(crate) fn source(&self) -> &Arc<SourceFile> {
        &self.file
    }

    /// The span, in characters.
    pub(crate) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The bytes of the span on its first line, and the number (counted from zero) and the bytes of that line.
    fn line(&self) -> (Range<usize>, usize, Range<usize>) {
        let text = &self.file.text;
        let mut bytes = self.file.byte(self.span.start)..self.file.byte(self.span.end);
        if bytes.start == text.len() {
            // The end of the file is after the last line, so the end of the last line that is not blank is marked.
            let last = text.trim_end().len();
            bytes = last..last;
        }
        let (number, line) = self.file.line(bytes.start);
        // The span may end after the line, or consist of carriage returns, which are not part of the line.
        let start = bytes.start.min(line.end);
        (start..bytes.end.clamp(start, line.end), number, line)
    }

    /// The line and the column, both counted from one.
    pub(crate) fn position(&self) -> (usize, usize) {
        let (bytes, number, line) = self.line();
        (number + 1, self.file.character(bytes.start) - self.file.character(line.start) + 1)
    }

    /// The bytes of the first line that are printed: at most `MAX_CONTEXT` characters around the span.
    fn window(&self) -> Range<usize> {
        let (bytes, _, line) = self.line();
        let start = self.file.byte(self.file.character(bytes.start).saturating_sub(MAX_CONTEXT));
        let end = self.file.byte(self.file.character(bytes.end) + MAX_CONTEXT);
        line.start.max(start)..line.end.min(end)
    }
}

/// An error or a warning about a place in the catalogue.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    rule: &'static str,
    message: String,
    subject: Subject,
    earlier: Option<(Location, &'static str)>,
    help: String,
}

#[derive(Clone, Debug)]
enum Subject {
    Span(Location),
    /// An entire file that is unreadable, misnamed or missing. The error has no excerpt.
    File(String),
}

impl Diagnostic {
    /// Creates a diagnostic at a location; `rule` is a key of `rules.txt`, and the values replace `{0}`, `{1}`, … in
    /// its texts.
    pub(crate) fn new(rule: &'static str, location: &Location, values: &[&dyn Display]) -> Self {
        Self::about(rule, Subject::Span(location.clone()), values)
    }

    /// Creates a diagnostic about an entire file.
    pub(crate) fn of_file(rule: &'static str, file: impl Into<String>, values: &[&dyn Display]) -> Self {
        Self::about(rule, Subject::File(file.into()), values)
    }

    fn about(rule: &'static str, subject: Subject, values: &[&dyn Display]) -> Self {
        let [message, help] = rules::texts(rule, values);
        Self { rule: rules::name(rule), message, subject, earlier: None, help }
    }

    /// Replaces the help by a suggestion, if there is one.
    pub(crate) fn suggest(mut self, help: Option<String>) -> Self {
        if let Some(help) = help {
            self.help = help;
        }
        self
    }

    /// Adds a second location that explains the first, such as the first of two duplicates.
    pub(crate) fn earlier(mut self, location: &Location, label: &'static str) -> Self {
        self.earlier = Some((location.clone(), label));
        self
    }

    /// Returns the name of the file and the position in it: the line and the column, counted from one. The position is
    /// `None` for a diagnostic about an entire file.
    pub fn position(&self) -> (&str, Option<(usize, usize)>) {
        match &self.subject {
            Subject::File(file) => (file, None),
            Subject::Span(location) => (&location.file.name, Some(location.position())),
        }
    }

    /// Returns the rule, for example `duplicate-field`.
    pub fn rule(&self) -> &'static str {
        self.rule
    }

    /// Returns what is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the remedy; empty if there is none.
    pub fn help(&self) -> &str {
        &self.help
    }

    fn render(&self, level: Level<'static>, folder: &str, renderer: &Renderer) -> String {
        let mut elements = match &self.subject {
            Subject::File(file) => vec![Origin::path(format!("{folder}{file}")).into()],
            Subject::Span(location) => excerpt(location, AnnotationKind::Primary, None, folder),
        };
        if let Some((earlier, label)) = &self.earlier {
            elements.extend(excerpt(earlier, AnnotationKind::Context, Some(label), folder));
        }
        if !self.help.is_empty() {
            elements.push(Level::HELP.message(&self.help).into());
        }
        let title = level.primary_title(&self.message).id(self.rule);
        renderer.render(&[title.elements(elements)])
    }
}

/// The maximum number of characters of a line that are printed on either side of the mark. Without a maximum, each
/// diagnostic about a file that has only one line would print the entire file.
const MAX_CONTEXT: usize = 200;

/// An excerpt of a file, in which a location is marked.
fn excerpt<'a>(
    location: &'a Location,
    kind: AnnotationKind,
    label: Option<&'static str>,
    folder: &str,
) -> Vec<Element<'a>> {
    let file = &location.file;
    let path = format!("{folder}{}", file.name);
    let (bytes, number, line) = location.line();
    let window = location.window();
    let mark = kind.span(bytes.start - window.start..bytes.end - window.start).label(label);
    let snippet = Snippet::source(&file.text[window.clone()]).line_start(number + 1).annotation(mark);
    if window.start == line.start {
        return vec![snippet.path(path).into()];
    }
    // If the excerpt begins in the middle of a line, the renderer would count columns from that position. Therefore,
    // the header with the correct column is added separately.
    let (line, column) = location.position();
    vec![Origin::path(path).line(line).char_column(column).into(), snippet.into()]
}

/// All errors in a catalogue, or all warnings, in the order of the files.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// Adds a diagnostic.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// Returns `true` if there are no diagnostics.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sorts the diagnostics by file, line and column.
    pub(crate) fn sorted(mut self) -> Self {
        self.0.sort_by_cached_key(|error| match &error.subject {
            Subject::File(file) => (file.clone(), None),
            Subject::Span(location) => (location.file.name.clone(), Some(location.span.start)),
        });
        self
    }

    /// Returns the diagnostics.
    pub fn as_slice(&self) -> &[Diagnostic] {
        &self.0
    }

    /// Returns the errors as text, with colours if `colour` is `true`.
    ///
    /// `folder` is prepended to every file name, so that a terminal can open the file.
    pub fn render(&self, folder: &str, colour: bool) -> String {
        let text = self.listed(&Level::ERROR, folder, colour);
        format!("{text}error: {} in the catalogue\n", counted(self.0.len(), "error"))
    }

    /// Returns the warnings as text, as [`render`](Self::render) does with errors; empty if there are none.
    pub fn render_warnings(&self, folder: &str, colour: bool) -> String {
        if self.is_empty() {
            return String::new();
        }
        let text = self.listed(&Level::WARNING, folder, colour);
        format!("{text}warning: {} in the catalogue\n", counted(self.0.len(), "warning"))
    }

    fn listed(&self, level: &Level<'static>, folder: &str, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let mut text = String::new();
        for diagnostic in &self.0 {
            text += &diagnostic.render(level.clone(), folder, &renderer);
            text += "\n\n";
        }
        text
    }
}

/// A number of things, such as "1 error" or "2 errors".
fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("{count} {noun}") } else { format!("{count} {noun}s") }
}

/// The text of a command that would have written files.
impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}; no files were written", self.render("", false).trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_in_characters_and_in_bytes_are_converted() {
        for text in ["", "plain", "größer", "µ", "äöü 😀\nx", "no 😀"] {
            let file = SourceFile::new("x.yaml".to_owned(), text.to_owned());
            for (character, (byte, _)) in text.char_indices().enumerate() {
                assert_eq!(file.byte(character), byte, "{text}");
                assert_eq!(file.character(byte), character, "{text}");
            }
            let count = text.chars().count();
            assert_eq!(file.character(text.len()), count, "{text}");
            for end in [count, count + 1, usize::MAX] {
                assert_eq!(file.byte(end), text.len(), "{text}");
            }
        }
    }
}
