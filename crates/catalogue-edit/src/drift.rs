//! Compares responses with the catalogue, and edits nothing.

use catalogue::Catalogue;
use indexmap::IndexMap;

use crate::content::EntryPosition;
use crate::editor::Editor;
use crate::gate::{Gate, RangeCounts};
use crate::learn::{EndpointResponses, LearnOptions, is_reported, learn_one, read};
use crate::refusal::Refusal;

/// The differences between the responses of an endpoint and its known body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointDrift {
    /// The group and the method, for example `market.basis`.
    pub endpoint: String,
    /// A line for each difference. An endpoint whose body is unknown has none.
    pub differences: Vec<String>,
    /// The number of responses that the client returns as errors. They have no records to compare.
    pub errors: usize,
}

/// Returns the differences of each endpoint of the options, in their order. A response without a difference is also
/// decoded as the client does.
pub fn drift(catalogue: Catalogue, options: &LearnOptions) -> Result<Vec<EndpointDrift>, Refusal> {
    let gate = Gate::of(&catalogue.texts().collect::<Vec<_>>())?;
    let mut editor = Editor::open(catalogue)?;
    let mut found = Vec::new();
    for sample in &options.endpoints {
        let (label, at) = editor.content.find(&sample.endpoint)?;
        let sample = EndpointResponses { endpoint: label.clone(), ..sample.clone() };
        let differences = differences(&mut editor, &gate, options, &sample, &at);
        let mut errors = 0;
        for response in read(options, &sample).unwrap_or_default() {
            errors += usize::from(is_reported(&editor, &at, &response));
        }
        found.push(EndpointDrift { endpoint: label, differences, errors });
    }
    Ok(found)
}

/// Learns from the responses, and undoes it. What would be learned is a difference.
fn differences(
    editor: &mut Editor,
    gate: &Gate,
    options: &LearnOptions,
    sample: &EndpointResponses,
    at: &EntryPosition,
) -> Vec<String> {
    if editor.content.endpoint(at).body.known().is_none() {
        return Vec::new();
    }
    let before = editor.content.clone();
    let outcome = editor.attempt(|editor| learn_one(editor, options, sample));
    let notes = editor.take_notes();
    let is_changed = editor.content != before;
    editor.content = before;
    match outcome {
        Err(why) => vec![format!("{}: {why}", sample.endpoint)],
        Ok(()) if is_changed => notes,
        Ok(()) => match first_undecodable(editor, gate, options, sample, at) {
            Some(why) => vec![why],
            None => out_of_range(gate, options, sample),
        },
    }
}

/// A line for each field with values outside of its range in the catalogue, with their number.
fn out_of_range(gate: &Gate, options: &LearnOptions, sample: &EndpointResponses) -> Vec<String> {
    let mut counts: IndexMap<&'static str, RangeCounts> = IndexMap::new();
    for response in read(options, sample).unwrap_or_default() {
        gate.count_out_of_range(&sample.endpoint, &response, &mut counts);
    }
    let mut lines = Vec::new();
    for (field, RangeCounts { values, outside }) in counts.into_iter().filter(|(_, counts)| counts.outside > 0) {
        lines.push(format!("{}: {outside} of {values} values of `{field}` are outside its range", sample.endpoint));
    }
    lines
}

/// A line about the first response that the client neither returns as an error nor decodes without a loss.
fn first_undecodable(
    editor: &Editor,
    gate: &Gate,
    options: &LearnOptions,
    sample: &EndpointResponses,
    at: &EntryPosition,
) -> Option<String> {
    for response in read(options, sample).unwrap_or_default() {
        if !is_reported(editor, at, &response)
            && let Err(why) = gate.check(&sample.endpoint, &response)
        {
            return Some(format!("{}: {why}", sample.endpoint));
        }
    }
    None
}
