//! Finds members that the request chooses: numbers of which each response has others, next to members that all
//! responses have. They are not listed, but get one type, the `others` of the body.

use std::collections::BTreeSet;

use catalogue::names::OTHERS;
use catalogue::spec::Field;
use catalogue::type_expr::TypeExpr;

use super::endpoint_reader::EndpointReader;
use super::guess_type::{Guess, guess};
use super::wider_types::with_form;
use crate::observed_values::Observed;
use crate::saved_response::SavedResponse;

/// The members of the records in one response.
#[derive(Default)]
struct Members {
    numbers: BTreeSet<String>,
    /// The names of all other members.
    others: BTreeSet<String>,
    has_time: bool,
}

impl Members {
    fn of(records: &Observed) -> Self {
        let mut members = Self::default();
        for (name, values) in &records.fields {
            let kind = guess(name, values);
            if let Guess::Builtin("number" | "integer" | "count" | "decimal") = kind {
                members.numbers.insert(name.clone());
                continue;
            }
            members.has_time |= matches!(kind, Guess::Time(_));
            members.others.insert(name.clone());
        }
        members
    }
}

impl EndpointReader<'_> {
    /// Removes the members that requests choose from the records of an unknown series, and returns their type; `None` if
    /// there are no such members. `data` is the path of the records.
    pub(super) fn take_chosen(
        &mut self,
        responses: &[SavedResponse],
        data: Option<&str>,
        seen: &mut Observed,
    ) -> Option<&'static str> {
        if self.listed().is_some() {
            return None;
        }
        let chosen = chosen(responses, data.unwrap_or("."))?;
        // A listed member cannot have the name of the field for the others.
        if seen.fields.contains_key(OTHERS) && !chosen.contains(OTHERS) {
            return None;
        }
        let mut ty = "number";
        for name in &chosen {
            let values = seen.fields.shift_remove(name)?;
            if guess(name, &values) == Guess::Builtin("decimal") {
                ty = "decimal";
            }
        }
        let names: Vec<_> = chosen.iter().map(|name| format!("`{name}`")).collect();
        self.editor.note(format!(
            "the responses have no number in common, so all are `others`, which requests choose: {}",
            names.join(", ")
        ));
        Some(ty)
    }

    /// The names of members that are neither in `listed` nor need to be, because `others` is the type of all of them. If
    /// that is a named type or a record, what the members show of it is learned, as for the values of a map.
    pub(super) fn of_others(&mut self, others: Option<&str>, listed: &[Field], seen: &Observed) -> Vec<String> {
        let Some(expr) = others.and_then(TypeExpr::parse) else { return Vec::new() };
        let expr = with_form(&expr, self.editor.content.service.time_form());
        let mut names = Vec::new();
        for (name, values) in &seen.fields {
            let is_listed = listed.iter().any(|field| *field.name == **name);
            if !is_listed && self.wider(name, &expr, values).is_none() {
                names.push(name.clone());
            }
        }
        names
    }
}

/// The numbers that requests choose: at least two responses have records with times and with the same members that are
/// no numbers, and no number is in all responses.
fn chosen(responses: &[SavedResponse], data: &str) -> Option<BTreeSet<String>> {
    let mut all = Vec::new();
    for response in responses {
        let records = response.at(data)?.as_sequence()?;
        if !records.is_empty() {
            all.push(Members::of(&Observed::of(records)));
        }
    }
    let [first, _, ..] = all.as_slice() else { return None };
    let mut common = first.numbers.clone();
    let mut chosen = BTreeSet::new();
    for members in &all {
        if !members.has_time || members.numbers.is_empty() || members.others != first.others {
            return None;
        }
        common.retain(|name| members.numbers.contains(name));
        chosen.extend(members.numbers.iter().cloned());
    }
    if common.is_empty() { Some(chosen) } else { None }
}
