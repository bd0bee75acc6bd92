//! Whether a param is required, by the facts of all endpoints that share it; an endpoint may state it anew.

use codegen::spec::Evidence;

use super::Merger;
use super::compare::{Edit, Subject};
use super::matching::{MatchedParam, User};
use super::places::{self, Entry};
use crate::tree::Tree;

impl Merger<'_> {
    /// Whether the new catalogue has every known endpoint that takes a param.
    pub(super) fn is_covered(&self, matched: &MatchedParam) -> bool {
        if matched.at.file != super::SERVICE {
            return true;
        }
        let all = places::endpoints(self.desk).into_iter();
        let mut takes = all.filter(|(at, _)| {
            places::params(self.desk, at).is_some_and(|params| params.iter().any(|taken| taken.at == matched.at))
        });
        takes.all(|(at, _)| matched.users.iter().any(|user| user.endpoint.as_ref() == Some(&at)))
    }

    /// The entry of an endpoint that states facts anew of a shared param.
    pub(super) fn said_anew(&self, user: &User) -> Option<&Tree> {
        match &user.entry {
            Entry::Use(at) => Some(at.tree(self.desk)),
            _ => None,
        }
    }

    /// Fills in an unknown `required`, for all endpoints that share a param or for one.
    pub(super) fn required(&mut self, subject: &Subject, matched: &MatchedParam) {
        let here = matched.at.tree(self.desk).clone();
        // A segment is always there, and every request sends a value that is fixed.
        if here.text("in") == Some("path") || here.get("fixed").is_some() {
            return;
        }
        let mut unknown: Vec<(&User, String)> = Vec::new();
        for user in &matched.users {
            let known = self.said_anew(user).and_then(|entry| entry.text("required")).or(here.text("required"));
            let new = user.said.tree(&self.new.desk);
            let said = new.text("required");
            let text = match (known, said) {
                (None, Some(said)) => {
                    unknown.push((user, said.to_owned()));
                    continue;
                }
                (Some(known), None) if new.get("fixed").is_none() => {
                    format!("not required in the description, required ({known}) here")
                }
                (Some(known), Some(said)) if Evidence::of(said) < Evidence::of(known) => {
                    format!("required ({said}) in the description, required ({known}) here")
                }
                _ => continue,
            };
            self.report.differ(&subject.name, &user.label, text);
        }
        let Some((_, first)) = unknown.first().cloned() else { return };
        let is_for_all = unknown.len() == matched.users.len() && unknown.iter().all(|(_, said)| *said == first);
        let is_plain = unknown.iter().all(|(user, _)| !matches!(user.entry, Entry::Use(_)));
        if is_for_all && is_plain && self.is_covered(matched) {
            return self.edits.push(Edit::Set(matched.at.clone(), "required", first.into()));
        }
        for (user, said) in unknown {
            // A new endpoint states it in its own entry.
            if user.endpoint.is_none() {
                continue;
            }
            match &user.entry {
                Entry::New => {}
                Entry::Own => self.edits.push(Edit::Set(matched.at.clone(), "required", said.into())),
                Entry::Use(at) => self.edits.push(Edit::Set(at.clone(), "required", said.into())),
                Entry::Name(at) => {
                    let anew = Tree::map().with("use", places::id(&here)).with("required", said);
                    self.edits.push(Edit::Replace(at.clone(), anew));
                }
                Entry::Set(set) => {
                    let text = format!("required in the description, not so in the set `{set}` here");
                    self.report.differ(&subject.name, &user.label, text);
                }
            }
        }
    }
}
