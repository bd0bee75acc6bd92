//! Learns the param that sets the step of a history, and what its values denote.

use catalogue::duration::{self, Step};
use catalogue::names::{self, Case};
use catalogue::spec::{Evidence, History, Known, Param, ParamEntry, Type, TypeKind, Value};
use runtime::{Interval, Timestamp};

use crate::content::{EntryPosition, SERVICE, ident_of};
use crate::draft::WantedName;
use crate::editor::Editor;
use crate::enum_values::{add_values, is_identifier, with_idents};
use crate::gate::SentStep;
use crate::merge::ClientNames;
use crate::names_in_use::NamesInUse;
use crate::record_step::{DAY, SeenStep};

/// Sets the `step` of a history to a param of the endpoint. The type of the param then lists the value with its duration.
pub(super) fn set(editor: &mut Editor, evidence: Evidence, at: &EntryPosition, sent: &SentStep) {
    let Some(param) = own_param(editor, at, &sent.param).cloned() else { return };
    let Some(history) = declared_history(editor, at) else { return };
    let value = Value {
        value: sent.value.as_str().into(),
        duration: Some(sent.seen.step.to_string().as_str().into()),
        ..Value::default()
    };
    match &history.step {
        Some(step) if **step == *sent.param => add_value(editor, evidence, &param, value),
        None if has_plain_type(&param) => set_param(editor, evidence, at, &param, value),
        _ => {}
    }
}

/// Adds a value to the known type of a param.
fn add_value(editor: &mut Editor, evidence: Evidence, param: &Param, value: Value) {
    if editor.content.ty(&param.ty).is_some_and(is_identifier) {
        add_values(editor, &param.ty, &[value], evidence);
    }
}

/// Makes a param the `step` of the history, and gives it a type.
fn set_param(editor: &mut Editor, evidence: Evidence, at: &EntryPosition, param: &Param, value: Value) {
    let shown = (value.value.to_string(), value.duration.clone().unwrap_or_default());
    let ty = type_with(editor, evidence, at, param, value);
    editor.note(format!(
        "with `{}={}`, the records are {} apart, so this param is the `step` of the history; its other values need a \
         `duration` in the type `{ty}`",
        param.name, shown.0, shown.1
    ));
    note_limit(editor, at);
    if let Some(param) = own_param_mut(editor, at, &param.name) {
        param.ty = ty.as_str().into();
    }
    if let Some(history) = history_mut(editor, at) {
        history.step = Some(param.name.clone());
    }
}

/// Sets the anchor of a history whose intervals begin on another day than the client assumes. With summer time, a time of
/// day changes twice a year, so the author decides about it.
pub(super) fn set_anchor(editor: &mut Editor, at: &EntryPosition, steps: &[&SentStep]) {
    check_anchor(editor, at, steps);
    let Some(SentStep { seen: SeenStep { step, anchor: Some(text) }, .. }) = longest_with_anchor(editor, at, steps)
    else {
        return;
    };
    let Some(seconds) = duration::anchor(text) else { return };
    if let Some(other) = moved_step(editor, at, Timestamp::from_unix_seconds(seconds), steps) {
        editor.note(format!(
            "an interval of {step} begins on {text}, but no interval of {other} begins on {text}, so the history gets no \
             `anchor`"
        ));
    } else if has_time_of_day(text) {
        editor.note(format!(
            "an interval of {step} begins at {text}; if intervals begin at that time all year, add `anchor: {text}` to the \
             `history`"
        ));
    } else if let Some(history) = history_mut(editor, at) {
        history.anchor = Some(text.as_str().into());
        editor.note(format!("an interval of {step} begins on {text}, so the history gets it as its `anchor`"));
    }
}

/// The longest step with an anchor that the history does not have yet. The anchor of weeks is also that of days.
fn longest_with_anchor<'s>(editor: &Editor, at: &EntryPosition, steps: &[&'s SentStep]) -> Option<&'s SentStep> {
    let history = declared_history(editor, at)?;
    if history.anchor.is_some() {
        return None;
    }
    let param = history.step.as_deref()?;
    let anchored = steps.iter().copied().filter(|sent| sent.param == *param && sent.seen.anchor.is_some());
    // Of several, the first.
    anchored.rev().max_by_key(|sent| Interval::new(sent.seen.step).shortest())
}

/// A step of the history whose intervals would begin at other times with an anchor.
fn moved_step(editor: &Editor, at: &EntryPosition, anchor: Timestamp, steps: &[&SentStep]) -> Option<Step> {
    let param = declared_history(editor, at)?.step.as_deref()?;
    let ty = editor.content.ty(&own_param(editor, at, param)?.ty)?;
    let mut known = ty.values.iter().filter_map(|value| duration::step(value.duration.as_deref()?));
    known.find(|step| is_moved(*step, anchor, steps))
}

/// `true` if the intervals of a step would begin at other times with an anchor than the records show.
fn is_moved(step: Step, anchor: Timestamp, steps: &[&SentStep]) -> bool {
    let interval = Interval::new(step);
    let seen = steps.iter().find(|sent| sent.seen.step == step).and_then(|sent| sent.seen.anchor.as_deref());
    let seen = seen.and_then(duration::anchor).map(Timestamp::from_unix_seconds);
    let start = seen.unwrap_or_else(|| interval.start_of(anchor));
    interval.anchored(anchor).start_of(start) != start
}

/// Adds a note if the anchor of a history moves the intervals of a step of the records.
fn check_anchor(editor: &mut Editor, at: &EntryPosition, steps: &[&SentStep]) {
    let Some(History { anchor: Some(anchor), step: Some(param), .. }) = declared_history(editor, at) else { return };
    let Some(seconds) = duration::anchor(anchor) else { return };
    let time = Timestamp::from_unix_seconds(seconds);
    let moved = steps.iter().find(|sent| {
        let is_long = Interval::new(sent.seen.step).shortest() >= DAY;
        *sent.param == **param && is_long && is_moved(sent.seen.step, time, steps)
    });
    if let Some(SentStep { seen: SeenStep { step, .. }, .. }) = moved {
        editor.note(format!("no interval of {step} begins on {anchor}, which is the `anchor` of the history"));
    }
}

fn has_time_of_day(anchor: &str) -> bool {
    anchor.contains('T')
}

/// Adds a note if the client must know the largest page to request pages of a range.
fn note_limit(editor: &mut Editor, at: &EntryPosition) {
    let Some(history) = declared_history(editor, at) else { return };
    let (Some(_), Some(_), Some(limit)) = (&history.from, &history.to, &history.limit) else { return };
    let Some(param) = own_param(editor, at, limit) else { return };
    let is_known = param.range.as_ref().is_some_and(|range| range.max.is_some())
        || !param.allowed_values.is_empty()
        || param.default.is_some();
    if !is_known {
        editor.note(format!(
            "a history needs the largest `{limit}`: add it to the param as `range: {{max: …}}`, or set the param in each \
             request"
        ));
    }
}

/// The history that an endpoint declares, unless it has a fixed step.
fn declared_history<'e>(editor: &'e Editor, at: &EntryPosition) -> Option<&'e History> {
    let history = editor.content.endpoint(at).history.as_ref()?.known()?;
    if history.every.is_none() { Some(history) } else { None }
}

fn history_mut<'e>(editor: &'e mut Editor, at: &EntryPosition) -> Option<&'e mut History> {
    match &mut editor.content.endpoint_mut(at).history {
        Some(Known::Known(history)) => Some(history),
        _ => None,
    }
}

/// A param that only this endpoint has.
fn own_param<'e>(editor: &'e Editor, at: &EntryPosition, name: &str) -> Option<&'e Param> {
    let params = editor.content.endpoint(at).params.known()?;
    params.iter().find_map(|entry| match entry {
        ParamEntry::Own(param) if *param.name == *name => Some(&**param),
        _ => None,
    })
}

fn own_param_mut<'e>(editor: &'e mut Editor, at: &EntryPosition, name: &str) -> Option<&'e mut Param> {
    let Known::Known(params) = &mut editor.content.endpoint_mut(at).params else { return None };
    params.iter_mut().find_map(|entry| match entry {
        ParamEntry::Own(param) if *param.name == *name => Some(&mut **param),
        _ => None,
    })
}

/// `true` if nothing is known about the values of a param but that they are texts or numbers.
fn has_plain_type(param: &Param) -> bool {
    let plain = Param {
        name: param.name.clone(),
        rust_name: param.rust_name.clone(),
        ty: param.ty.clone(),
        location: param.location,
        evidence: param.evidence,
        ..Param::default()
    };
    matches!(param.ty.as_str(), "string" | "count" | "integer") && *param == plain
}

/// The name of the type with a value: that of another param of the same name if the value can denote the same there, or a
/// new one.
fn type_with(editor: &mut Editor, evidence: Evidence, at: &EntryPosition, param: &Param, value: Value) -> String {
    let wanted = names::ident(&param.name, Case::Pascal).unwrap_or_default();
    if let Some(known) = editor.content.ty(&wanted)
        && accepts(known, &value)
    {
        add_values(editor, &wanted, &[value], evidence);
        return wanted;
    }
    let owner = ident_of(editor.content.endpoint(at)).unwrap_or_default();
    let wanted = WantedName { name: wanted, owner, ..WantedName::default() };
    let name = ClientNames::of(&editor.content).claim_type(SERVICE, &wanted);
    let mut ty = Type { name: name.as_str().into(), kind: TypeKind::Identifier, evidence, ..Type::default() };
    ty.values = with_idents(&[value], &ty, evidence, &mut NamesInUse::default());
    editor.content.service.types.push(ty);
    name
}

/// `true` if a type has values with durations, and none of them contradicts a value.
fn accepts(known: &Type, value: &Value) -> bool {
    let has_durations = known.values.iter().any(|known| known.duration.is_some());
    let same = known.values.iter().find(|known| known.value == value.value);
    is_identifier(known) && has_durations && same.is_none_or(|same| same.duration == value.duration)
}
