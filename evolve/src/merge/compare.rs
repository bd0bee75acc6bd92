//! Compares new facts with known things: unknown facts are filled in, and contradictions are reported and stay.
//!
//! Everything is compared with the known catalogue as it was, before anything is written.

use codegen::format::Key;

use super::Merger;
use super::policy::{Policy, policy};
use super::values::{bare, is_known, is_same};
use crate::keys;
use crate::place::Place;
use crate::tree::Tree;

/// A thing that both catalogues have.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    pub(super) at: Place,
    /// Its name in messages.
    pub(super) name: String,
    /// The name of what it belongs to, in messages.
    pub(super) of: String,
}

impl Subject {
    pub(super) fn new(at: &Place, name: impl Into<String>, of: &str) -> Self {
        Self { at: at.clone(), name: name.into(), of: of.to_owned() }
    }
}

/// An edit that fills in an unknown fact.
#[derive(Debug)]
pub(super) enum Edit {
    Set(Place, &'static str, Tree),
    Extend(Place, Vec<Tree>),
    Replace(Place, Tree),
}

/// The new facts, with their places: one, or one for each endpoint that shares the thing.
pub(super) type Said = [(String, Tree)];

impl Merger<'_> {
    /// Compares every key by its policy; `why_not` says why one cannot be filled in.
    pub(super) fn compare(&mut self, subject: &Subject, said: &Said, why_not: &dyn Fn(&str) -> Option<&'static str>) {
        let known = subject.at.tree(self.desk).clone();
        let Some(map) = keys::map_at(&subject.at.file, &subject.at.path, &known) else { return };
        let is_said = |key: &&Key| said.iter().any(|(_, said)| said.get(key.name).is_some());
        for key in map.keys.iter().filter(is_said).map(|key| key.name) {
            let policy = policy(map.what, key).unwrap_or(Policy::Matched);
            // Endpoints that state it in an entry of their own are left out.
            let sharing = said.iter().filter(|(_, said)| said.get(key) != Some(&Tree::Null));
            let of_key: Vec<(&str, Option<&Tree>)> =
                sharing.map(|(of, said)| (of.as_str(), said.get(key).filter(|tree| is_known(tree)))).collect();
            let here = known.get(key).filter(|tree| is_known(tree));
            match (policy, of_key.as_slice()) {
                (Policy::Told, _) if key != "evidence" && !self.new.is_ours => {}
                (Policy::Text, said) => self.text(subject, key, here, said),
                (Policy::Fill, said) => self.fill(subject, key, here, said, why_not(key)),
                (Policy::Offer, said) if here.is_none() => self.fill(subject, key, None, said, why_not(key)),
                (Policy::Names, said) => self.names(subject, key, here, said),
                (Policy::Part | Policy::Kept | Policy::Join(_), [(_, Some(said))]) => {
                    self.part(subject, key, policy, here, said);
                }
                (Policy::Keep | Policy::Told, said) => {
                    for (of, said) in said.iter().filter_map(|(of, said)| Some((*of, (*said)?))) {
                        if key != "evidence" || self.is_told(&bare(said)) {
                            self.differ_from(subject, key, here, of, said);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// The same for a thing with one place.
    pub(super) fn compare_one(&mut self, subject: &Subject, said: Tree) {
        self.compare(subject, &[(subject.of.clone(), said)], &|_| None);
    }

    /// Whether the new catalogue states how a fact is known.
    pub(super) fn is_told(&self, evidence: &str) -> bool {
        self.new.is_ours || evidence != self.evidence
    }

    fn differ_from(&mut self, subject: &Subject, key: &str, here: Option<&Tree>, of: &str, said: &Tree) {
        if here.is_none_or(|here| !is_same(here, said)) {
            let here = here.map_or_else(|| "nothing".to_owned(), bare);
            self.report.differ(&subject.name, of, format!("{key} {} in the description, {here} here", bare(said)));
        }
    }

    /// A fact that may be unknown here. A shared thing only gets facts that all endpoints state.
    pub(super) fn fill(
        &mut self,
        subject: &Subject,
        key: &'static str,
        here: Option<&Tree>,
        said: &[(&str, Option<&Tree>)],
        why_not: Option<&'static str>,
    ) {
        let first = said.first().and_then(|(_, first)| *first);
        let is_said_by_all = said.iter().all(|(_, said)| *said == first);
        let why_not = if is_said_by_all { why_not } else { Some("which other endpoints share") };
        if let (None, Some(first), None) = (here, first, why_not) {
            return self.edits.push(Edit::Set(subject.at.clone(), key, first.clone()));
        }
        for (of, said) in said.iter().filter_map(|(of, said)| Some((*of, (*said)?))) {
            match (here, why_not) {
                (None, Some(why)) => {
                    let text = format!("{key} {} in the description, nothing here, {why}", bare(said));
                    self.report.differ(&subject.name, of, text);
                }
                _ => self.differ_from(subject, key, here, of, said),
            }
        }
    }

    /// A text that may be unknown here.
    pub(super) fn text(
        &mut self,
        subject: &Subject,
        key: &'static str,
        here: Option<&Tree>,
        said: &[(&str, Option<&Tree>)],
    ) {
        let first = said.first().and_then(|(_, first)| *first);
        match (here, first) {
            (None, Some(first))
                if said.iter().all(|(_, said)| *said == Some(first)) && self.is_for_all(subject, said.len()) =>
            {
                self.edits.push(Edit::Set(subject.at.clone(), key, first.clone()));
            }
            _ => self.report.texts += said.iter().filter(|(_, said)| said.is_some() && *said != here).count(),
        }
    }

    pub(super) fn names(&mut self, subject: &Subject, key: &str, here: Option<&Tree>, said: &[(&str, Option<&Tree>)]) {
        let name = |item: &Tree| item.as_text().or(item.text("name")).unwrap_or_default().to_owned();
        let names = |tree: Option<&Tree>| match tree {
            Some(Tree::List(items)) => items.iter().map(name).collect(),
            _ => Vec::new(),
        };
        let here = names(here);
        for (_, said) in said {
            let new: Vec<String> = names(*said).into_iter().filter(|name| !here.contains(name)).collect();
            if !new.is_empty() {
                let text = format!("{key} {} in the description, not here", new.join(", "));
                self.report.differ(&subject.name, &subject.of, text);
            }
        }
    }

    /// A map or list below a key.
    fn part(&mut self, subject: &Subject, key: &'static str, policy: Policy, here: Option<&Tree>, said: &Tree) {
        let at = subject.at.key(key);
        let name = if key == "envelope" { "the envelope".to_owned() } else { format!("`{key}`") };
        match (policy, here) {
            (Policy::Kept, Some(here)) => {
                let identity = |tree: &Tree| tree.text("name").map(Tree::from);
                let (here, said) = (here.clone(), said.clone());
                if let (Some(here), Some(said)) = (identity(&here), identity(&said)) {
                    return self.differ_from(subject, key, Some(&here), &subject.of, &said);
                }
                self.compare_one(&Subject::new(&at, name, ""), said);
            }
            (Policy::Kept, None) => {
                let said = said.text("name").map_or_else(|| said.clone(), Tree::from);
                self.differ_from(subject, key, None, &subject.of, &said);
            }
            (_, None) => self.edits.push(Edit::Set(subject.at.clone(), key, said.clone())),
            (Policy::Join(by), Some(_)) => self.join(subject, key, by, said),
            (_, Some(_)) => self.compare_one(&Subject::new(&at, name, ""), said.clone()),
        }
    }

    /// Known items are compared, and new ones are appended.
    fn join(&mut self, subject: &Subject, key: &'static str, by: &'static str, said: &Tree) {
        let Tree::List(items) = said else { return };
        let mut new = Vec::new();
        for said in items {
            let known =
                subject.at.key(key).items(self.desk).into_iter().find(|(_, known)| known.get(by) == said.get(by));
            let Some(at) = known.map(|(at, _)| at) else {
                new.push(said.clone());
                continue;
            };
            let what = match key {
                "headers" => "header",
                "limits" => "limit",
                _ => "status",
            };
            let name = format!("the {what} {}", said.get(by).map(bare).unwrap_or_default());
            self.compare_one(&Subject::new(&at, name, ""), said.clone());
        }
        if !new.is_empty() {
            self.edits.push(Edit::Extend(subject.at.key(key), new));
        }
    }

    /// Whether a text can be filled in: that of a shared param only if the new catalogue has every endpoint that takes
    /// it.
    fn is_for_all(&self, subject: &Subject, users: usize) -> bool {
        let mut params = self.matches.params.iter();
        params.find(|param| param.at == subject.at).is_none_or(|param| users > 0 && self.is_covered(param))
    }
}
