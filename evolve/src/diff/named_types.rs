//! Named types: enums, which are `#[non_exhaustive]` and can gain values, and identifiers, whose values are constants.

use codegen::duration;
use codegen::model::{NamedType, Shapes, Suffix, Value};

use super::changes::{Change, Changes, Heading};
use super::pairing::Pairing;
use super::pairs::Pairs;

pub(super) fn compare(pairs: &Pairs<'_>, changes: &mut Changes) {
    for new in &pairs.types.new {
        changes.add(Change::minor(Heading::Added, format!("the {} `{}` is new", kind(new), new.ident)));
    }
    for old in &pairs.types.gone {
        changes.add(Change::major(Heading::Removed, format!("the {} `{}` is gone", kind(old), old.ident)));
    }
    for (old, new) in &pairs.types.both {
        let name = format!("`{}`", new.ident);
        if old.ident != new.ident {
            let change = Change::major(Heading::Changed, format!("`{}` is now {name}", old.ident));
            changes.add(change.instead(format!("write {name} for `{}`", old.ident)));
        }
        if (&old.summary, old.evidence) != (&new.summary, new.evidence) {
            changes.docs(name.clone());
        }
        if old.open == new.open {
            values(old, new, changes);
            durations(old, new, changes);
            shapes(old, new, changes);
        } else {
            let text = format!("{name} is an {} instead of an {}", kind(new), kind(old));
            let remedy = if new.open { "compare with its constants" } else { "match on its variants" };
            changes.add(Change::major(Heading::Changed, text).instead(remedy));
        }
    }
}

fn kind(ty: &NamedType) -> &'static str {
    if ty.open { "identifier" } else { "enum" }
}

fn values(old: &NamedType, new: &NamedType, changes: &mut Changes) {
    let ty = &new.ident;
    let values = Pairing::of(&old.values, &new.values)
        .by(|old, new| old.value == new.value)
        .by(|old, new| old.ident == new.ident);
    for Value { ident, value, .. } in &values.new {
        let change = Change::minor(Heading::Added, format!("`{ty}::{ident}` is new, for `{value}`"));
        let remedy = format!("match on it where you looked for `Unknown(\"{value}\")`");
        changes.add(if new.open { change } else { change.instead(remedy) });
    }
    for Value { ident, value, .. } in &values.gone {
        let change = Change::major(Heading::Removed, format!("`{ty}::{ident}` is gone"));
        changes.add(change.instead(format!("`{ty}::from(\"{value}\")` sends the same")));
    }
    for (before, after) in &values.both {
        let (was, is) = (&before.ident, &after.ident);
        if was != is {
            let change = Change::major(Heading::Changed, format!("`{ty}::{was}` is now `{ty}::{is}`"));
            changes.add(change.instead(format!("write `{ty}::{is}` for `{ty}::{was}`")));
        }
        if before.value != after.value {
            let text = format!("`{ty}::{is}` stands for `{}` instead of `{}`", after.value, before.value);
            changes.add(Change::patch(Heading::Fixed, text));
        }
        if (&before.summary, before.evidence) != (&after.summary, after.evidence) {
            changes.docs(format!("`{ty}::{is}`"));
        }
    }
    let places = values.both.iter().map(|(_, after)| new.values.iter().position(|value| value.ident == after.ident));
    if !new.open && !places.is_sorted() {
        changes.add(Change::patch(Heading::Changed, format!("the values of `{ty}` sort in another order")));
    }
}

/// How long the steps are that values name.
fn durations(old: &NamedType, new: &NamedType, changes: &mut Changes) {
    let ty = &new.ident;
    let has_any = |ty: &NamedType| ty.values.iter().any(|value| value.seconds.is_some());
    match (has_any(old), has_any(new)) {
        (false, true) => changes.add(Change::minor(Heading::Added, format!("`{ty}::duration()` is new"))),
        (true, false) => {
            let gone = Change::major(Heading::Removed, format!("`{ty}::duration()` is gone"));
            changes.add(gone.instead("keep the lengths in your own code"));
        }
        _ => {}
    }
    for after in &new.values {
        let before = old.values.iter().find(|before| before.value == after.value);
        if let Some(before) = before.filter(|before| has_any(old) && has_any(new) && before.seconds != after.seconds) {
            let [now, was] = [after, before].map(|value| value.seconds.map_or("`None`".to_owned(), duration::written));
            let text = format!("`{ty}::{}.duration()` is {now} instead of {was}", after.ident);
            changes.add(Change::patch(Heading::Fixed, text));
        }
    }
}

/// The methods that take an identifier apart, and the enum that they return.
fn shapes(old: &NamedType, new: &NamedType, changes: &mut Changes) {
    let ty = &new.ident;
    match (&old.shapes, &new.shapes) {
        (Some(old), Some(new)) => compare_shapes(ty, old, new, changes),
        (None, Some(new)) => {
            let Shapes { part, question, answers, .. } = new;
            let text = format!("`{ty}::{part}()`, `{ty}::{question}()` and `{answers}` are new");
            changes.add(Change::minor(Heading::Added, text));
        }
        (Some(old), None) => {
            let Shapes { part, question, answers, .. } = old;
            let text = format!("`{ty}::{part}()`, `{ty}::{question}()` and `{answers}` are gone");
            changes.add(Change::major(Heading::Removed, text));
        }
        (None, None) => {}
    }
}

fn compare_shapes(ty: &str, old: &Shapes, new: &Shapes, changes: &mut Changes) {
    for (before, after) in [(&old.part, &new.part), (&old.question, &new.question)] {
        if before != after {
            let change = Change::major(Heading::Changed, format!("`{ty}::{before}()` is now `{ty}::{after}()`"));
            changes.add(change.instead(format!("write `.{after}()` for `.{before}()`")));
        }
    }
    if old.answers == new.answers {
        let [old, variants] = [old, new].map(|shapes| shapes.variants().map(|(answer, _)| answer).collect::<Vec<_>>());
        answers(&new.answers, &old, &variants, changes);
    } else {
        let change = Change::major(Heading::Changed, format!("`{}` is now `{}`", old.answers, new.answers));
        changes.add(change.instead(format!("write `{}` for `{}`", new.answers, old.answers)));
    }
    let suffixes = Pairing::of(&old.suffixes, &new.suffixes).by(|old, new| old.suffix == new.suffix);
    for Suffix { suffix, .. } in suffixes.new {
        changes.add(Change::patch(Heading::Changed, format!("`{ty}` is taken apart at `{suffix}` too")));
    }
    for Suffix { suffix, .. } in suffixes.gone {
        changes.add(Change::patch(Heading::Changed, format!("`{ty}` is not taken apart at `{suffix}` any more")));
    }
    for (before, after) in suffixes.both {
        if before.answer != after.answer {
            let text = format!("`{ty}::{}()` answers otherwise at `{}`", new.question, after.suffix);
            changes.add(Change::patch(Heading::Fixed, text));
        }
        if (&before.summary, before.evidence) != (&after.summary, after.evidence) {
            changes.docs(format!("`{ty}`"));
        }
    }
}

/// Its variants hold nothing, so `as` gives their numbers, which are part of the promise.
fn answers(ty: &str, old: &[&str], new: &[&str], changes: &mut Changes) {
    for answer in new.iter().filter(|answer| !old.contains(answer)) {
        changes.add(Change::minor(Heading::Added, format!("`{ty}::{answer}` is new")));
    }
    for answer in old.iter().filter(|answer| !new.contains(answer)) {
        changes.add(Change::major(Heading::Removed, format!("`{ty}::{answer}` is gone")));
    }
    for (place, answer) in old.iter().enumerate() {
        if new.iter().position(|other| other == answer).is_some_and(|now| now != place) {
            let change = Change::major(Heading::Changed, format!("`{ty}::{answer}` is another number with `as`"));
            changes.add(change.instead("list new answers after the known ones to avoid it"));
        }
    }
}
