//! Learns the params of an endpoint from the queries of recorded requests, of which only names and kinds of values are known.

use catalogue::model::ListFormat;
use catalogue::model::TimeForm;
use catalogue::spec::{ApiKey, Endpoint, Evidence, Group, Known, Param, ParamEntry};

use crate::content::EntryPosition;
use crate::draft::{Draft, DraftOrigin, SEVERAL};
use crate::editor::Editor;
use crate::merge::merge;
use crate::observed_query::{ObservedQuery, ValueKind};

/// Adds the params that the endpoint does not have yet. A param that is a key by its name becomes the API key.
pub(crate) fn learn(editor: &mut Editor, evidence: Evidence, at: &EntryPosition, query: &ObservedQuery) {
    let endpoint = editor.content.endpoint(at).clone();
    let known = editor.content.params_of(&endpoint).unwrap_or_default();
    let mut new = Vec::new();
    note_unnamed_key(editor, query);
    for (name, kind) in query.params() {
        if known.iter().any(|param| is_named(param, name)) {
            continue;
        }
        if kind == ValueKind::Secret {
            learn_key(editor, evidence, name);
        } else if catalogue::is_line(name) {
            new.push(ParamEntry::Own(Box::new(param_in_query(editor, query, name, kind))));
        }
    }
    if new.is_empty() {
        return;
    }
    let mut names = Vec::new();
    for (name, _) in query.params().filter(|(name, _)| !name.is_empty()) {
        names.push(format!("`{name}`"));
    }
    editor.note(format!("the requests were sent with {}", names.join(", ")));
    let drafted = Endpoint {
        name: endpoint.name,
        rust_name: endpoint.rust_name,
        path: endpoint.path,
        params: Known::Known(new),
        evidence,
        ..Endpoint::default()
    };
    let mut draft = Draft::new(DraftOrigin::Responses);
    draft.content.groups.insert(at.module.clone(), Group { endpoints: vec![drafted], ..Group::default() });
    merge(editor, &draft);
}

/// `true` if a param has or had a name.
fn is_named(param: &Param, name: &str) -> bool {
    *param.name == *name || param.also_named.iter().any(|other| **other == *name)
}

/// The definition of a param in a query, which has several values if a request sends it several times.
pub(crate) fn param_in_query(editor: &Editor, query: &ObservedQuery, name: &str, kind: ValueKind) -> Param {
    let mut param = param_of(editor, name, kind);
    let has_one_value = param.list_setter.is_none() && param.const_value.is_none();
    if has_one_value && query.is_repeated(name) {
        param.list_setter = Some(SEVERAL.into());
        param.list_as = ListFormat::Repeated;
    }
    param
}

/// The definition of a param by the kind of its values.
pub(crate) fn param_of(editor: &Editor, name: &str, kind: ValueKind) -> Param {
    let mut form = kind.time_form();
    if form == Some(editor.content.service.time_form()) {
        form = None;
    }
    let mut list_setter = None;
    let mut list_as = ListFormat::default();
    if let ValueKind::Range(_) = kind {
        list_setter = Some(SEVERAL.into());
        list_as = ListFormat::Colons;
    }
    Param {
        name: name.into(),
        ty: kind.ty().into(),
        list_setter,
        list_as,
        const_value: kind.const_value().map(Into::into),
        unit: form.and_then(TimeForm::unit).map(|unit| unit.word().into()),
        format: form.and_then(TimeForm::format).map(Into::into),
        ..Param::default()
    }
}

/// Notes that a param is omitted because its name would be a secret.
pub(crate) fn note_unnamed_key(editor: &mut Editor, query: &ObservedQuery) {
    if query.has_unnamed_key() {
        editor.note("the name of a param in the query looks like a key, so the param is omitted");
    }
}

/// Makes a param the API key of the service, unless the service has another one.
pub(crate) fn learn_key(editor: &mut Editor, evidence: Evidence, name: &str) {
    if let Some(known) = &editor.content.service.credentials.api_key {
        let is_same = known.query.as_ref().is_some_and(|query| query.as_str() == name);
        if !is_same {
            editor.note(format!(
                "`{name}` in the query looks like a secret, but the service has another API key; it is omitted"
            ));
        }
        return;
    }
    editor.note(format!("`{name}` in the query looks like a key, so it becomes the API key of the service"));
    let key = ApiKey { query: Some(name.into()), optional: true, evidence, ..ApiKey::default() };
    editor.content.service.credentials.api_key = Some(key);
}
