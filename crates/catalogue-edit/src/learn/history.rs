//! Proposes the history of an endpoint by its params.

use catalogue::spec::{Endpoint, Evidence, History, Known};

use super::step;
use crate::content::EntryPosition;
use crate::editor::Editor;
use crate::gate::{HistoryFact, SentStep};
use crate::history_params::history;
use crate::record_step::SeenStep;

/// Sets the `history` of an endpoint that returns a time series and has the params of a history, unless the service
/// declares these params.
pub(super) fn propose_history(editor: &mut Editor, evidence: Evidence, at: &EntryPosition) {
    let content = &editor.content;
    let endpoint = content.endpoint(at);
    if endpoint.history.is_some() || content.service.history.is_some() || !returns_time_series(endpoint) {
        return;
    }
    let params = content.params_of(endpoint).unwrap_or_default();
    let Some(found) = history(&params, &content.service.types, evidence) else { return };
    let mut ends = Vec::new();
    for name in [&found.from, &found.to].into_iter().flatten() {
        ends.push(format!("`{name}`"));
    }
    // One param can set both ends.
    ends.dedup();
    editor.note(format!("a history is requested with {}", ends.join(" and ")));
    if is_cursor(&found) {
        editor.note(
            "some services page with `after` and `before`: if `after` selects older records, swap `from` and `to`",
        );
    }
    editor.content.endpoint_mut(at).history = Some(Known::Known(found));
}

/// Corrects the history that an endpoint declares by what its responses have shown.
pub(super) fn correct(editor: &mut Editor, evidence: Evidence, at: &EntryPosition, facts: &[HistoryFact]) {
    let mut steps = Vec::new();
    for fact in facts {
        match fact {
            HistoryFact::StartIncluded => set_includes_start(editor, at),
            HistoryFact::StartIsEnd => swap_ends(editor, at),
            HistoryFact::Step(sent) if !is_contradicted(sent, facts) => {
                step::set(editor, evidence, at, sent);
                steps.push(sent);
            }
            HistoryFact::Every(seen) if is_only_step(seen, facts) => note_every(editor, seen),
            HistoryFact::Step(_) | HistoryFact::Every(_) | HistoryFact::Irregular => {}
        }
    }
    step::set_anchor(editor, at, &steps);
}

fn set_includes_start(editor: &mut Editor, at: &EntryPosition) {
    let Some(Known::Known(history)) = &mut editor.content.endpoint_mut(at).history else { return };
    if !history.includes_start {
        history.includes_start = true;
        editor.note("a response begins with the record at the start of its range: `includes_start`");
    }
}

fn swap_ends(editor: &mut Editor, at: &EntryPosition) {
    let Some(Known::Known(history)) = &mut editor.content.endpoint_mut(at).history else { return };
    std::mem::swap(&mut history.from, &mut history.to);
    let name = history.to.as_ref().map_or("", |to| to.as_str()).to_owned();
    editor.note(format!("all records are before `{name}`, so that param is the end of the range"));
}

/// Adds a note with the step of records for which no param sets one. Other requests may select records with another step,
/// so the author decides.
fn note_every(editor: &mut Editor, seen: &SeenStep) {
    let step = seen.step;
    let anchor = seen.anchor.as_ref().map_or_else(String::new, |anchor| format!(", anchor: {anchor}"));
    editor.note(format!(
        "the records are {step} apart; if those of all requests are, add `every: {step}{anchor}` to the `history`, which \
         then reports missing records"
    ));
}

/// `true` if the first of all facts about the step of the records is this one, and the others are equal.
fn is_only_step(seen: &SeenStep, facts: &[HistoryFact]) -> bool {
    let mut first = None;
    for fact in facts {
        match fact {
            HistoryFact::Every(other) if other.step != seen.step => return false,
            HistoryFact::Every(other) => first = first.or(Some(other)),
            HistoryFact::Step(_) | HistoryFact::Irregular => return false,
            HistoryFact::StartIncluded | HistoryFact::StartIsEnd => {}
        }
    }
    first == Some(seen)
}

/// `true` if the same value denotes another step in another response.
fn is_contradicted(sent: &SentStep, facts: &[HistoryFact]) -> bool {
    facts.iter().any(|fact| match fact {
        HistoryFact::Step(other) => {
            other.param == sent.param && other.value == sent.value && other.seen.step != sent.seen.step
        }
        _ => false,
    })
}

fn returns_time_series(endpoint: &Endpoint) -> bool {
    let Some(body) = endpoint.body.known() else { return false };
    let is_timed = body.time.as_ref().is_some_and(|time| time.as_str() != "none");
    body.series.is_some() && is_timed
}

/// `true` if the ends of the range may be cursors: `after` the last record of a page that begins with the newest.
fn is_cursor(history: &History) -> bool {
    let from = history.from.as_ref().map(|from| from.as_str());
    let to = history.to.as_ref().map(|to| to.as_str());
    from == Some("after") || to == Some("before")
}
