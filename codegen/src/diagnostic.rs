//! Findings about the catalogue, for the person who wrote it.
//!
//! A finding says what is wrong, where, which rule it breaks and what to do; it is drawn as rustc draws.
//! Nothing here decides what is right: `load` and `check` do.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Element, Level, Origin, Renderer, Snippet};

use crate::marked::Node;

/// One file of the catalogue, as read.
#[derive(Debug)]
pub(crate) struct SourceFile {
    /// The name within the catalogue, `orderflow.yaml`.
    pub(crate) name: String,
    /// The whole text.
    pub(crate) text: String,
    /// Where each line begins, in characters and in bytes.
    lines: Vec<(usize, usize)>,
    /// How many characters there are.
    characters: usize,
}

impl SourceFile {
    /// A file by its name and text.
    pub(crate) fn new(name: String, text: String) -> Self {
        let (mut lines, mut characters, mut bytes) = (Vec::new(), 0, 0);
        for line in text.split_inclusive('\n') {
            lines.push((characters, bytes));
            characters += line.chars().count();
            bytes += line.len();
        }
        Self { name, text, lines, characters }
    }

    /// The line that a character stands on, counted from zero, and its place in bytes.
    fn find(&self, character: usize) -> (usize, usize) {
        let line = self.lines.partition_point(|(start, _)| *start <= character).saturating_sub(1);
        let (characters, bytes) = self.lines.get(line).copied().unwrap_or_default();
        let rest = self.text[bytes..].char_indices().nth(character - characters);
        (line, rest.map_or(self.text.len(), |(byte, _)| bytes + byte))
    }
}

/// A place in a file of the catalogue.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    file: Arc<SourceFile>,
    /// In characters, as the parser counts.
    span: Range<usize>,
}

impl Location {
    /// The place of a span of characters.
    pub(crate) fn new(file: &Arc<SourceFile>, span: Range<usize>) -> Self {
        Self { file: Arc::clone(file), span }
    }

    /// The place of a node.
    pub(crate) fn of(file: &Arc<SourceFile>, node: &Node) -> Self {
        Self::new(file, node.span.clone())
    }

    /// The file's name.
    pub(crate) fn file(&self) -> &str {
        &self.file.name
    }

    /// The span in bytes.
    fn bytes(&self) -> Range<usize> {
        self.file.find(self.span.start).1..self.file.find(self.span.end).1
    }

    /// The first line of the span: its number, its text and the bytes of it that are meant.
    fn line(&self) -> Line<'_> {
        let text = &self.file.text;
        // What is missing at the end of the file is shown as the end of its last line.
        let last = || text.trim_end().chars().count();
        let is_end = self.span.start >= self.file.characters;
        let (start, end) = if is_end { (last(), last()) } else { (self.span.start, self.span.end) };
        let ((number, start), (_, end)) = (self.file.find(start), self.file.find(end));
        let line_start = self.file.lines.get(number).map_or(0, |(_, bytes)| *bytes);
        let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        let text = text[line_start..line_end].trim_end_matches('\r');
        // What is meant may end behind the text, or be the carriage returns that do not belong to it.
        let in_line = |byte: usize| byte.saturating_sub(line_start).min(text.len());
        Line { number: number + 1, text, span: in_line(start)..in_line(end.max(start)) }
    }

    /// The first line of the span, marked; `folder` stands before the file's name.
    fn snippet(&self, folder: &str, mark: AnnotationKind, label: Option<&'static str>) -> Marked<'_> {
        let line = self.line();
        let path = format!("{folder}{}", self.file.name);
        Snippet::source(line.text).line_start(line.number).path(path).annotation(mark.span(line.span).label(label))
    }
}

type Marked<'a> = Snippet<'a, annotate_snippets::Annotation<'a>>;

struct Line<'a> {
    number: usize,
    text: &'a str,
    span: Range<usize>,
}

/// A finding about the catalogue.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    rule: &'static str,
    message: String,
    place: Place,
    earlier: Option<(Location, &'static str)>,
    help: String,
}

#[derive(Clone, Debug)]
enum Place {
    Span(Location),
    /// A file that cannot be shown: unreadable, misnamed or missing.
    File(String),
}

impl Diagnostic {
    /// A finding at a place; `rule` is the name of the rule it breaks.
    pub(crate) fn new(rule: &'static str, location: Location, message: impl Into<String>) -> Self {
        Self::at(rule, Place::Span(location), message.into())
    }

    /// A finding about a file as a whole.
    pub(crate) fn of_file(rule: &'static str, file: impl Into<String>, message: impl Into<String>) -> Self {
        Self::at(rule, Place::File(file.into()), message.into())
    }

    fn at(rule: &'static str, place: Place, message: String) -> Self {
        Self { rule, message, place, earlier: None, help: String::new() }
    }

    /// What to do.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// Another place that explains this one.
    pub(crate) fn earlier(mut self, location: Location, label: &'static str) -> Self {
        self.earlier = Some((location, label));
        self
    }

    /// The name of the rule.
    pub fn rule(&self) -> &'static str {
        self.rule
    }

    /// The file's name, and the line and column if there are any, counted from one.
    pub fn position(&self) -> (&str, Option<(usize, usize)>) {
        match &self.place {
            Place::File(file) => (file, None),
            Place::Span(location) => {
                let line = location.line();
                let column = line.text[..line.span.start].chars().count() + 1;
                (location.file(), Some((line.number, column)))
            }
        }
    }

    fn render(&self, folder: &str, renderer: &Renderer) -> String {
        let mut elements: Vec<Element<'_>> = Vec::new();
        match &self.place {
            Place::File(file) => elements.push(Origin::path(format!("{folder}{file}")).into()),
            Place::Span(location) => elements.extend(self.snippets(location, folder)),
        }
        if !self.help.is_empty() {
            elements.push(Level::HELP.message(&self.help).into());
        }
        let title = Level::ERROR.primary_title(&self.message).id(self.rule);
        renderer.render(&[title.elements(elements)])
    }
}

impl Diagnostic {
    /// The marked lines: one picture if both places are in one file.
    fn snippets<'a>(&'a self, location: &'a Location, folder: &str) -> Vec<Element<'a>> {
        let primary = AnnotationKind::Primary;
        let Some((earlier, label)) = &self.earlier else {
            return vec![location.snippet(folder, primary, None).into()];
        };
        let context = AnnotationKind::Context;
        if !Arc::ptr_eq(&earlier.file, &location.file) {
            let earlier = earlier.snippet(folder, context, Some(label));
            return vec![location.snippet(folder, primary, None).into(), earlier.into()];
        }
        let snippet = Snippet::source(&location.file.text).path(format!("{folder}{}", location.file()));
        let marks = [primary.span(location.bytes()), context.span(earlier.bytes()).label(*label)];
        vec![snippet.annotations(marks).into()]
    }
}

/// All findings about a catalogue, in the order of the files.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// Adds a finding.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The findings, sorted by file, line and column.
    pub(crate) fn sorted(mut self) -> Self {
        self.0.sort_by_cached_key(|finding| {
            let (file, position) = finding.position();
            (file.to_owned(), position)
        });
        self
    }

    /// The findings.
    pub fn as_slice(&self) -> &[Diagnostic] {
        &self.0
    }

    /// The findings as text, in colour for a terminal.
    ///
    /// `folder` is put before the name of every file, so that a terminal can open it.
    pub fn render(&self, folder: &str, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let mut text: String = self.0.iter().map(|finding| finding.render(folder, &renderer) + "\n\n").collect();
        let count = self.0.len();
        let noun = if count == 1 { "finding" } else { "findings" };
        text += &format!("{count} {noun} in the catalogue; no file was touched\n");
        text
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render("", false))
    }
}
