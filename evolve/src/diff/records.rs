//! Records and their fields. A record can gain fields, as it is `#[non_exhaustive]`; it cannot lose any.

use codegen::model::{Field, Record};

use super::changes::{Change, Changes, Heading};
use super::pairing::Pairing;
use super::pairs::{Pairs, Standing};
use super::words;

pub(super) fn compare(pairs: &Pairs<'_>, changes: &mut Changes) {
    for new in &pairs.records.new {
        if !is_brought(pairs, *new) {
            changes.add(Change::minor(Heading::Added, format!("the record {} is new", words::record(*new))));
        }
    }
    for old in &pairs.records.gone {
        if !is_taken_along(pairs, *old) {
            changes.add(Change::major(Heading::Removed, format!("the record {} is gone", words::record(*old))));
        }
    }
    for (old, new) in &pairs.records.both {
        let has_moved = old.module.map(|module| pairs.module(module)) != new.module;
        if has_moved || old.record.ident != new.record.ident {
            let (before, after) = (words::record(*old), words::record(*new));
            let change = Change::major(Heading::Changed, format!("the record {before} is now {after}"));
            changes.add(change.instead(format!("write {after} for {before}")));
        } else if old.record.summary != new.record.summary {
            changes.docs(words::record(*new));
        }
        if old.record.form != new.record.form {
            let text = format!("the record {} is read {}", words::record(*new), words::form(new.record.form));
            changes.add(Change::patch(Heading::Fixed, text));
        }
        fields(pairs, old.record, *new, changes);
    }
}

/// Whether a method returns it, so that it is reported as a part of the method.
fn is_brought(pairs: &Pairs<'_>, new: Standing<'_>) -> bool {
    let placed = pairs.endpoints.new.iter().chain(pairs.endpoints.both.iter().map(|(_, new)| new));
    let mut methods = placed.filter(|placed| placed.endpoint.path.is_some());
    methods.any(|placed| placed.endpoint.body.record().is_some_and(|record| new.is(record)))
}

/// Whether it is removed with its method or its group, which is reported instead.
fn is_taken_along(pairs: &Pairs<'_>, old: Standing<'_>) -> bool {
    let with_group = pairs.groups.gone.iter().any(|group| Some(group.ident.as_str()) == old.module);
    let mut gone = pairs.endpoints.gone.iter().filter(|placed| placed.endpoint.path.is_some());
    with_group || gone.any(|placed| placed.endpoint.body.record().is_some_and(|record| old.is(record)))
}

fn fields(pairs: &Pairs<'_>, old: &Record, new: Standing<'_>, changes: &mut Changes) {
    let place = words::record(new);
    let fields = Pairing::of(&old.fields, &new.record.fields)
        .by(|old, new| old.wire_name == new.wire_name)
        .by(|old, new| old.ident == new.ident);
    for field in &fields.new {
        let text = format!("the field `{}: {}` is new in", field.ident, words::field_type(field));
        changes.add(Change::minor(Heading::Added, text).on(&place));
    }
    for field in &fields.gone {
        let change = Change::major(Heading::Removed, format!("the field `{}` is gone from", field.ident));
        let remedy = format!("`unknown_fields` has `{}` where it comes", field.wire_name);
        changes.add(change.on(&place).instead(remedy));
    }
    for (before, after) in &fields.both {
        names(before, after, &place, changes);
        let is_told = value(pairs, before, after, &place, changes);
        if !is_told && facts(before) != facts(after) {
            changes.docs(format!("`{}` of {place}", after.ident));
        }
    }
}

fn names(old: &Field, new: &Field, place: &str, changes: &mut Changes) {
    if old.ident != new.ident {
        let change = Change::major(Heading::Changed, format!("the field `{}` is now `{}` in", old.ident, new.ident));
        changes.add(change.on(place).instead(format!("write `.{}` for `.{}`", new.ident, old.ident)));
    }
    if old.wire_name != new.wire_name {
        let text =
            format!("the field `{}` is read from `{}` instead of `{}` in", new.ident, new.wire_name, old.wire_name);
        changes.add(Change::patch(Heading::Fixed, text).on(place));
    }
}

/// Reports another type.
fn value(pairs: &Pairs<'_>, old: &Field, new: &Field, place: &str, changes: &mut Changes) -> bool {
    let is_same = pairs.ty(&old.ty) == pairs.in_service_unit(&new.ty);
    if !is_same || old.is_option() != new.is_option() {
        let (before, after) = (words::field_type(old), words::field_type(new));
        let text = format!("the field `{}` is `{after}` instead of `{before}` in", new.ident);
        let change = Change::major(Heading::Changed, text).on(place);
        changes.add(match (is_same, new.is_option()) {
            (true, true) => change.instead("say what happens where it is absent"),
            (true, false) => change.instead("use it as it is: it is always there"),
            (false, _) => change,
        });
    } else if old.is_defaulted() != new.is_defaulted() {
        let now = if new.is_defaulted() { "may be absent, and is empty then," } else { "has to be there" };
        changes.add(Change::patch(Heading::Changed, format!("the list `{}` {now} in", new.ident)).on(place));
    } else if let Some(form) = pairs.form_now(&old.ty, &new.ty) {
        let text = format!("the times of `{}` are read in {form} in", new.ident);
        changes.add(Change::patch(Heading::Fixed, text).on(place));
    } else {
        return false;
    }
    true
}

/// The facts about a field besides its name and type.
fn facts(field: &Field) -> impl PartialEq + '_ {
    let Field { range, example, unit, summary, notes, evidence, .. } = field;
    (*range, example, unit, summary, notes, *evidence)
}
