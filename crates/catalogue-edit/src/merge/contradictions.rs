//! Compares known endpoints with the draft, and adds one note for each endpoint and kind of difference. The catalogue
//! is not changed.

use std::collections::{HashSet, VecDeque};

use catalogue::spec::{Endpoint, Record};

use super::compared_side::{ComparedSide, Member};
use super::differences::{differences, same_name};
use super::{DraftedEndpoint, Merger, NewParams};
use crate::content::{EntryPosition, SERVICE};
use crate::draft::DraftOrigin;

/// Two lists of params or fields that have to be compared.
struct Comparison {
    /// The text that introduces the differences.
    introduction: String,
    known: Vec<Member>,
    drafted: Vec<Member>,
}

/// The catalogue and the draft.
#[derive(Clone, Copy)]
struct BothSides<'a> {
    known: ComparedSide<'a>,
    drafted: ComparedSide<'a>,
    origin: DraftOrigin,
}

impl BothSides<'_> {
    /// The notes about the differences between params or fields, and between the records of these fields. Each pair of
    /// records is compared once.
    fn notes(&self, comparison: Comparison, compared: &mut HashSet<(EntryPosition, String)>) -> Vec<String> {
        let mut notes = Vec::new();
        let mut waiting = VecDeque::from([comparison]);
        while let Some(Comparison { introduction, known, drafted }) = waiting.pop_front() {
            for difference in differences(&known, &drafted, self.origin) {
                notes.push(format!("{introduction} {}: {}", difference.kind, difference.members.join(", ")));
            }
            for field in &known {
                let Some(same) = same_name(&drafted, field) else { continue };
                let Some((at, known_record)) = self.known.record(field) else { continue };
                let Some((_, drafted_record)) = self.drafted.record(same) else { continue };
                let is_first = compared.insert((at.clone(), drafted_record.name.to_string()));
                if is_first {
                    waiting.push_back(self.comparison_of_records(&at, known_record, drafted_record));
                }
            }
        }
        notes
    }

    fn comparison_of_records(&self, at: &EntryPosition, known: &Record, drafted: &Record) -> Comparison {
        Comparison {
            introduction: format!("`{}` in {}.yaml: field", known.name, at.module),
            known: self.known.fields_of_record(known),
            drafted: self.drafted.fields_of_record(drafted),
        }
    }

    fn params(&self, label: &str, known: &Endpoint, drafted: &Endpoint) -> Option<Comparison> {
        // Names in user input refer to the params of the catalogue.
        let side_of_drafted = if self.origin == DraftOrigin::Person { self.known } else { self.drafted };
        Some(Comparison {
            introduction: format!("`{label}`: param"),
            known: self.known.params(known)?,
            drafted: side_of_drafted.params(drafted)?,
        })
    }

    fn fields(&self, label: &str, known: &Endpoint, drafted: &Endpoint) -> Option<Comparison> {
        Some(Comparison {
            introduction: format!("`{label}`: field"),
            known: self.known.fields_of_body(known)?,
            drafted: self.drafted.fields_of_body(drafted)?,
        })
    }

    /// A note, if both bodies are known and are of different kinds.
    fn note_about_kind(&self, label: &str, known: &Endpoint, drafted: &Endpoint) -> Option<String> {
        let known_kind = self.known.body_kind(known)?;
        let drafted_kind = self.drafted.body_kind(drafted)?;
        if known_kind == drafted_kind {
            return None;
        }
        Some(format!("`{label}`: the body is {drafted_kind} in the description, but {known_kind} in the catalogue"))
    }
}

impl Merger<'_> {
    /// Adds notes about the differences between a known endpoint and the drafted endpoint, except in the parts that
    /// were filled in.
    pub(super) fn note_contradictions(&mut self, at: &EntryPosition, drafted: &DraftedEndpoint<'_>) {
        let known = self.editor.content.endpoint(at);
        let new = drafted.new;
        let label = known.path.known().unwrap_or(&known.name);
        let sides = BothSides {
            known: ComparedSide { content: &self.editor.content, module: &at.module },
            drafted: ComparedSide { content: &self.draft.content, module: &drafted.module },
            origin: self.draft.origin,
        };
        let mut notes = notes_about_texts(self.draft.origin, label, known, new);
        let other_kind = sides.note_about_kind(label, known, new);
        let mut comparisons = Vec::new();
        if drafted.new_params == NewParams::None {
            comparisons.extend(sides.params(label, known, new));
        }
        if !drafted.has_new_body && other_kind.is_none() {
            comparisons.extend(sides.fields(label, known, new));
        }
        notes.extend(other_kind);
        for comparison in comparisons {
            let comparison = self.without_time(comparison);
            notes.extend(sides.notes(comparison, &mut self.compared));
        }
        self.editor.note_all(notes);
    }

    /// Removes the time field of the envelope from both lists.
    fn without_time(&self, mut comparison: Comparison) -> Comparison {
        if let Some(time) = self.known.service.envelope_time() {
            comparison.known.retain(|member| member.facts.name != time.name);
            comparison.drafted.retain(|member| member.facts.name != time.name);
        }
        comparison
    }

    /// Adds notes about the differences between the known metadata and the drafted metadata.
    pub(super) fn note_metadata(&mut self) {
        let Some(envelope) = &self.known.service.envelope else { return };
        let Some(known) = &envelope.metadata else { return };
        let drafted = &self.draft.metadata;
        if known.fields.is_empty() || drafted.is_empty() {
            return;
        }
        let sides = BothSides {
            known: ComparedSide { content: self.known, module: SERVICE },
            drafted: ComparedSide { content: &self.draft.content, module: SERVICE },
            origin: self.draft.origin,
        };
        let comparison = Comparison {
            introduction: "metadata: field".to_owned(),
            known: sides.known.fields(&known.fields, envelope.evidence),
            drafted: sides.drafted.fields(drafted, envelope.evidence),
        };
        let notes = sides.notes(comparison, &mut self.compared);
        self.editor.note_all(notes);
    }

    /// `true` if a known record has all fields of a drafted record, with the same JSON types. Names in the known record
    /// are resolved as in `module`.
    pub(super) fn has_fields_of(&self, module: &str, known: &Record, new: &Record) -> bool {
        if known.positional != new.positional {
            return false;
        }
        let known_side = ComparedSide { content: self.known, module };
        let drafted_side = ComparedSide { content: &self.draft.content, module: SERVICE };
        let known_fields = known_side.fields_of_record(known);
        let drafted_fields = drafted_side.fields_of_record(new);
        differences(&known_fields, &drafted_fields, DraftOrigin::Responses).is_empty()
    }
}

/// The notes about a deprecation and a summary that differ.
fn notes_about_texts(origin: DraftOrigin, label: &str, known: &Endpoint, new: &Endpoint) -> Vec<String> {
    let mut notes = Vec::new();
    if origin == DraftOrigin::Description && known.deprecated.is_some() != new.deprecated.is_some() {
        let not = if new.deprecated.is_some() { "" } else { "not " };
        notes.push(format!("`{label}` is {not}deprecated in the description"));
    }
    if origin == DraftOrigin::Person && !new.summary.is_empty() && known.summary != new.summary {
        notes.push(format!("`{label}`: the existing summary is kept"));
    }
    notes
}
