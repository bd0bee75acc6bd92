//! The params of an endpoint that is a method before and after: arguments, setters, and their facts.

use codegen::model::{Endpoint, Param, Range, Type};

use super::changes::{Change, Changes, Heading};
use super::pairing::Pairing;
use super::pairs::{Pairs, Placed};
use super::words;

pub(super) fn compare(pairs: &Pairs<'_>, old: Placed<'_>, new: Placed<'_>, changes: &mut Changes) {
    let params = Pairing::of(params(old.endpoint), params(new.endpoint))
        .by(|old, new| old.wire_name == new.wire_name)
        .by(|old, new| old.ident == new.ident);
    let endpoint = Compared { pairs, old, new, params: &params, place: words::method(new) };
    if !endpoint.arguments(changes) {
        endpoint.order(changes);
        endpoint.argument_names(changes);
    }
    endpoint.setters(changes);
    endpoint.facts(changes);
}

fn params(endpoint: &Endpoint) -> impl Iterator<Item = &Param> {
    endpoint.params.iter().flatten().map(|param| &param.param)
}

/// An endpoint before and after, with its params paired.
struct Compared<'a> {
    pairs: &'a Pairs<'a>,
    old: Placed<'a>,
    new: Placed<'a>,
    params: &'a Pairing<&'a Param>,
    place: String,
}

impl Compared<'_> {
    /// Reports that a call of the method has to pass something else; the place of an argument decides, not its name.
    fn arguments(&self, changes: &mut Changes) -> bool {
        let wire_name_now = |param: &Param| {
            let pair = self.params.both.iter().find(|(old, _)| old.wire_name == param.wire_name);
            pair.map_or(param, |(_, new)| new).wire_name.clone()
        };
        let argument = |name: String, ty: Type, param: &Param| (name, ty, param.list.is_some());
        let before: Vec<_> = words::arguments(self.old.endpoint)
            .map(|param| argument(wire_name_now(param), self.pairs.ty(&param.ty), param))
            .collect();
        let after: Vec<_> = words::arguments(self.new.endpoint)
            .map(|param| argument(param.wire_name.clone(), self.pairs.in_service_unit(&param.ty), param))
            .collect();
        if before == after {
            return false;
        }
        let moved: Vec<_> =
            self.params.both.iter().filter(|(old, new)| old.is_argument() != new.is_argument()).collect();
        let has_moved = |name: &String| moved.iter().any(|(_, new)| new.wire_name == *name);
        let stay = |arguments: &[(String, Type, bool)]| {
            arguments.iter().filter(|(name, ..)| !has_moved(name)).cloned().collect::<Vec<_>>()
        };
        if stay(&before) == stay(&after) {
            // A shared param that changes many methods is reported once.
            for (old, new) in moved {
                let verb = if new.is_argument() { "is now" } else { "is no longer" };
                let text = format!("`{}` {verb} an argument of", new.argument());
                let change = Change::major(Heading::Changed, text).on(words::signature(self.new));
                changes.add(change.instead(remedy(old, new)));
            }
            return true;
        }
        let text = format!("{} is now {}", words::signature(self.old), words::signature(self.new));
        let change = Change::major(Heading::Changed, text);
        let remedies: Vec<_> = moved.iter().map(|(old, new)| remedy(old, new)).collect();
        let is_only_order = before.len() == after.len() && before.iter().all(|argument| after.contains(argument));
        changes.add(match remedies.as_slice() {
            [] if is_only_order => change.instead("mind the order, which the compiler may not"),
            [] => change,
            remedies => change.instead(remedies.join(", ")),
        });
        true
    }

    /// Another order of setters, which only shows in the docs and the registry.
    fn order(&self, changes: &mut Changes) {
        let place = |endpoint, name: &str| params(endpoint).position(|param| param.wire_name == name);
        let mut places: Vec<_> = self
            .params
            .both
            .iter()
            .map(|(old, new)| (place(self.old.endpoint, &old.wire_name), place(self.new.endpoint, &new.wire_name)))
            .collect();
        places.sort_unstable();
        if !places.is_sorted_by_key(|(_, new)| *new) {
            changes.docs(self.place.clone());
        }
    }

    /// Other names of arguments, which stand in the docs and on the wire; callers do not write them.
    fn argument_names(&self, changes: &mut Changes) {
        for (old, new) in self.params.both.iter().filter(|(old, new)| old.is_argument() && new.is_argument()) {
            let (was, is) = (old.argument(), new.argument());
            // A param in the path is reported with the path.
            if old.wire_name != new.wire_name && !new.in_path {
                let text = format!("`{is}` is sent as `{}` instead of `{}` by", new.wire_name, old.wire_name);
                changes.add(Change::patch(Heading::Fixed, text).on(&self.place));
            }
            if was != is {
                let text = format!("the argument `{was}` is called `{is}` in");
                changes.add(Change::patch(Heading::Changed, text).on(&self.place));
            } else if old.ident != new.ident {
                changes.docs(format!("`{is}` of {}", self.place));
            }
        }
    }

    fn setters(&self, changes: &mut Changes) {
        for new in self.params.new.iter().filter(|param| param.is_set()) {
            let text = format!("{} new on", words::setters(new));
            changes.add(Change::minor(Heading::Added, text).on(&self.place));
        }
        for old in self.params.gone.iter().filter(|param| param.is_set()) {
            let text = format!("{} gone from", words::setters(old));
            let remedy = format!("`.query(\"{}\", …)` sends it as before", old.wire_name);
            changes.add(Change::major(Heading::Removed, text).on(&self.place).instead(remedy));
        }
        for (old, new) in self.params.both.iter().filter(|(old, new)| old.is_set() && new.is_set()) {
            self.names(old, new, changes);
            self.value(old, new, changes);
        }
        for (old, new) in &self.params.both {
            self.fixed(old, new, changes);
        }
    }

    /// A value that every request sends.
    fn fixed(&self, old: &Param, new: &Param, changes: &mut Changes) {
        if let (true, Some(value)) = (old.fixed != new.fixed, &new.fixed) {
            let text = format!("`{}` is always sent as `{value}` by", new.wire_name);
            changes.add(Change::patch(Heading::Fixed, text).on(&self.place));
        }
        if old.is_set() && new.fixed.is_some() {
            let text = format!("{} gone from", words::setters(old));
            let remedy = format!("`.query(\"{}\", …)` sends another value", old.wire_name);
            changes.add(Change::major(Heading::Removed, text).on(&self.place).instead(remedy));
        } else if old.fixed.is_some() && new.is_set() {
            let text = format!("{} new on", words::setters(new));
            changes.add(Change::minor(Heading::Added, text).on(&self.place));
        }
        if old.list_as != new.list_as {
            let style = new.list_as.word();
            let text = format!("several values of `{}` are sent as `{style}` by", new.wire_name);
            changes.add(Change::patch(Heading::Fixed, text).on(&self.place));
        }
    }

    /// The names of a setter that stays: of the one for a single value, and of the one for several.
    fn names(&self, old: &Param, new: &Param, changes: &mut Changes) {
        if old.ident != new.ident {
            self.renamed(&old.ident, &new.ident, changes);
        }
        match (&old.list, &new.list) {
            (Some(old), Some(new)) if old != new => self.renamed(old, new, changes),
            (None, Some(list)) => {
                let text = format!("`.{list}()`, which takes several `{}`, is new on", new.wire_name);
                changes.add(Change::minor(Heading::Added, text).on(&self.place));
            }
            (Some(list), None) => {
                let text = format!("`.{list}()`, which takes several `{}`, is gone from", new.wire_name);
                let remedy = format!("`.query(\"{}\", \"a,b\")` sends several", new.wire_name);
                changes.add(Change::major(Heading::Removed, text).on(&self.place).instead(remedy));
            }
            _ => {}
        }
    }

    /// Another name of the setter on one endpoint; a change on all endpoints is reported once, for the setter.
    fn renamed(&self, old: &str, new: &str, changes: &mut Changes) {
        let is_everywhere = self.pairs.setters.both.iter().any(|(a, b)| a.ident == old && b.ident == new);
        if !is_everywhere {
            let change = Change::major(Heading::Changed, format!("`.{old}()` is now `.{new}()` on"));
            changes.add(change.on(&self.place).instead(format!("write `.{new}()` for `.{old}()`")));
        }
    }

    /// The type of the value, if it differs by endpoint.
    fn value(&self, old: &Param, new: &Param, changes: &mut Changes) {
        let is_alike = self.pairs.old.setter(&old.ident).is_some_and(|setter| setter.ty.is_some())
            && self.pairs.new.setter(&new.ident).is_some_and(|setter| setter.ty.is_some());
        if !is_alike && self.pairs.ty(&old.ty) != self.pairs.in_service_unit(&new.ty) {
            let (before, after) = (words::rust(&old.ty), words::rust(&new.ty));
            let text = format!("`.{}()` takes `{after}` instead of `{before}` on", new.ident);
            changes.add(Change::major(Heading::Changed, text).on(&self.place));
        }
    }

    /// The facts about a value that the service or the client applies, and its docs.
    fn facts(&self, changes: &mut Changes) {
        for (old, new) in &self.params.both {
            let name = &new.ident;
            // A change that has been reported changes the docs anyway.
            let mut is_told = old.is_argument() != new.is_argument() || old.ident != new.ident;
            if let (Some(before), Some(after)) = (&old.default, &new.default)
                && before != after
            {
                let text = format!("`{name}`, left out, is `{after}` instead of `{before}` for");
                changes.add(Change::patch(Heading::Changed, text).on(&self.place));
                is_told = true;
            }
            if let Some(form) = self.pairs.form_now(&old.ty, &new.ty) {
                let text = format!("`{name}` is sent in {form} by");
                changes.add(Change::patch(Heading::Fixed, text).on(&self.place));
                is_told = true;
            }
            if enforced(old) != enforced(new) {
                let text = format!("`{name}` {}, checked before sending, for", bounds(new));
                let is_wider = allows_all_of(enforced(new), enforced(old));
                let change = if is_wider { Change::patch } else { Change::major };
                changes.add(change(Heading::Changed, text).on(&self.place));
                is_told = true;
            }
            if !is_told && facts(old) != facts(new) {
                changes.docs(format!("`.{name}()`"));
            }
        }
    }
}

/// The remedy for a param that has become an argument or a setter.
fn remedy(old: &Param, new: &Param) -> String {
    if new.is_argument() {
        format!("pass `{}` in the call instead of setting it with `.{}()`", new.argument(), old.argument())
    } else {
        format!("set `{}` with `.{}()`, it may be left out now", old.argument(), new.argument())
    }
}

/// The bounds that the client enforces.
fn enforced(param: &Param) -> Range {
    if param.evidence.is_enforced() { param.range } else { Range::default() }
}

/// Whether a range allows every value that the old one allows.
fn allows_all_of(range: Range, old: Range) -> bool {
    range.min.is_none_or(|min| old.min.is_some_and(|old| old >= min))
        && range.max.is_none_or(|max| old.max.is_some_and(|old| old <= max))
}

fn bounds(param: &Param) -> String {
    let range = enforced(param);
    match (range.min, range.max) {
        (Some(min), Some(max)) => format!("has to be from {min} to {max}"),
        (Some(min), None) => format!("has to be at least {min}"),
        (None, Some(max)) => format!("has to be at most {max}"),
        (None, None) => "may be any value, and is not".to_owned(),
    }
}

/// The facts about a param besides its name and type.
fn facts(param: &Param) -> impl PartialEq + '_ {
    let Param { required, default, range, served, works, refused, example, single, .. } = param;
    let Param { unit, summary, notes, evidence, .. } = param;
    let values = (served, works, refused, example, *single);
    (*required, default, *range, values, unit, summary, notes, *evidence)
}
