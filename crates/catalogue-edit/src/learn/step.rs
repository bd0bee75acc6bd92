//! Learns the param that sets the step of a history, and what its values denote.

use catalogue::names::{self, Case};
use catalogue::spec::{Evidence, History, Known, Param, ParamEntry, Type, TypeKind, Value};

use crate::content::{EntryPosition, SERVICE, ident_of};
use crate::draft::WantedName;
use crate::editor::Editor;
use crate::enum_values::{add_values, is_identifier, with_idents};
use crate::gate::{HistoryFact, SentStep};
use crate::merge::ClientNames;
use crate::names_in_use::NamesInUse;
use crate::record_step::SeenStep;

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
        _ => return,
    }
    set_anchor(editor, at, sent);
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

/// Sets the anchor of a history whose intervals begin on another day than the client assumes.
fn set_anchor(editor: &mut Editor, at: &EntryPosition, sent: &SentStep) {
    let Some(anchor) = &sent.seen.anchor else { return };
    let Some(history) = history_mut(editor, at) else { return };
    if history.anchor.is_none() && !has_time_of_day(anchor) {
        history.anchor = Some(anchor.as_str().into());
        let step = sent.seen.step;
        editor.note(format!("an interval of {step} begins on {anchor}, so the history gets it as its `anchor`"));
    }
}

/// Adds a note if intervals begin at a time of day other than midnight. With summer time, it changes twice a year, so the
/// author decides.
pub(super) fn note_time_of_day(editor: &mut Editor, at: &EntryPosition, facts: &[HistoryFact]) {
    if declared_history(editor, at).is_none_or(|history| history.anchor.is_some() || history.step.is_none()) {
        return;
    }
    for fact in facts {
        if let HistoryFact::Step(SentStep { seen: SeenStep { step, anchor: Some(anchor) }, .. }) = fact
            && has_time_of_day(anchor)
        {
            editor.note(format!(
                "an interval of {step} begins at {anchor}; if intervals begin at that time all year, add `anchor: {anchor}` \
                 to the `history`"
            ));
            return;
        }
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
