//! Compares params with known ones, on one endpoint or on all that share them.

use codegen::spec::{Evidence, PARAM};

use super::Merger;
use super::compare::Subject;
use super::known_fields::is_moment;
use super::matching::{MatchedParam, User};
use super::new_params::ANEW;
use super::places::Entry;
use super::values::{bare, holds, is_known};
use crate::tree::Tree;

/// Keys for values of a param, which an endpoint may state anew.
const VALUES: &[&str] = &["default", "served", "works", "refused", "example"];

impl Merger<'_> {
    /// Compares a param with the facts of all endpoints that take it.
    pub(super) fn param(&mut self, matched: &MatchedParam) {
        let here = matched.at.tree(self.desk).clone();
        let of = matched.users.first().map(|user| user.label.clone()).unwrap_or_default();
        let name = here.text("name").unwrap_or_default().to_owned();
        let subject = Subject::new(&matched.at, format!("`{name}`"), &of);
        let mut said: Vec<(String, Tree)> = Vec::new();
        let mut agrees = true;
        for user in &matched.users {
            let mut new = user.said.tree(&self.new.desk).clone();
            if let Some(differing) = self.differing(&here, &user.said.file, &new) {
                self.report.differ(&subject.name, &user.label, differing);
                agrees = false;
            }
            if new.text("name") != Some(&name) {
                let text = format!("called `{}` in the description", new.text("name").unwrap_or_default());
                self.report.differ(&subject.name, &user.label, text);
            }
            self.several(&subject, &here, user, &new);
            self.evidence(&subject, matched, &here, user, &new);
            new.remove("evidence");
            self.anew(&subject, user, &mut new);
            said.push((user.label.clone(), new));
        }
        let shared = (!self.is_covered(matched)).then_some("which other endpoints share");
        if agrees {
            self.range(&subject, &here, &said, shared.or(self.enforced(matched, &here)));
        }
        for (_, new) in &mut said {
            new.remove("range");
            if !is_moment(&here) {
                new.remove("format");
            }
            // Values of another type do not apply to the known one; a default is reported below.
            for key in VALUES {
                if !agrees || *key != "default" && !self.has_values(&here, new, key) {
                    new.remove(key);
                }
            }
        }
        let fits = said
            .iter()
            .filter_map(|(_, new)| new.get("default"))
            .filter(|default| is_known(default))
            .all(|default| self.fits(&here, &bare(default)));
        let no_default = match here.get("fixed") {
            Some(_) => Some("where every request sends one value"),
            None => (!fits).then_some("where its type or range has no such value"),
        };
        let why_not = |key: &str| shared.or(no_default.filter(|_| key == "default"));
        self.compare(&subject, &said, &why_not);
        self.required(&subject, matched);
    }

    /// Values that an endpoint's entry states anew are compared with that entry alone.
    fn anew(&mut self, subject: &Subject, user: &User, new: &mut Tree) {
        let at = match &user.entry {
            Entry::Use(at) => at,
            Entry::New => return ANEW.iter().for_each(|key| new.set(&PARAM, key, Some(Tree::Null))),
            _ => return,
        };
        let entry = at.tree(self.desk).clone();
        let mut said = Tree::map();
        for key in VALUES.iter().filter(|key| entry.get(key).is_some()) {
            said = said.with_some(key, new.get(key).cloned());
            new.set(&PARAM, key, Some(Tree::Null));
        }
        self.compare_one(&Subject::new(at, subject.name.clone(), &user.label), said);
    }

    /// Compares whether several values can be sent.
    fn several(&mut self, subject: &Subject, here: &Tree, user: &User, new: &Tree) {
        let text = match (here.text("list"), new.get("list")) {
            (Some(_), None) => "one value in the description, several here".to_owned(),
            (Some(here), Some(Tree::Text(said))) if here != said => {
                format!("list {said} in the description, {here} here")
            }
            (None, Some(_)) => "several values in the description, one here".to_owned(),
            _ => return,
        };
        self.report.differ(&subject.name, &user.label, text);
    }

    fn evidence(&mut self, subject: &Subject, matched: &MatchedParam, here: &Tree, user: &User, new: &Tree) {
        if user.entry == Entry::New {
            return;
        }
        let (known, said) = (self.evidence_of(matched, here, user), new.text("evidence"));
        if let (Some(said), Some(known)) = (said.filter(|said| self.is_told(said)), known)
            && said != known
        {
            let text = format!("evidence {said} in the description, {known} here");
            self.report.differ(&subject.name, &user.label, text);
        }
    }

    /// The evidence of a param on an endpoint.
    pub(super) fn evidence_of(&self, matched: &MatchedParam, here: &Tree, user: &User) -> Option<String> {
        let anew = self.said_anew(user).and_then(|entry| entry.text("evidence"));
        let endpoint = user.endpoint.as_ref().filter(|endpoint| matched.at.path.starts_with(&endpoint.path));
        let inherited = endpoint.and_then(|endpoint| endpoint.tree(self.desk).text("evidence"));
        anew.or(here.text("evidence")).or(inherited).map(str::to_owned)
    }

    /// Why a range cannot be filled in: its evidence may only be reported, and the client would enforce it.
    fn enforced(&self, matched: &MatchedParam, here: &Tree) -> Option<&'static str> {
        let is_enforced = |evidence: &str| Evidence::of(evidence).is_none_or(Evidence::is_enforced);
        let mut known = matched.users.iter().map(|user| self.evidence_of(matched, here, user));
        let is_known_better = known.any(|known| known.as_deref().is_none_or(is_enforced));
        if !is_enforced(self.evidence) && is_known_better {
            return Some("where it would be enforced");
        }
        let sent = [("fixed", "where the fixed value is outside"), ("default", "where the default is outside")];
        let mut sent = sent.into_iter().filter_map(|(key, why)| Some((bare(here.get(key)?).parse().ok()?, why)));
        let (value, why) = sent.next()?;
        let mut ranges = matched.users.iter().filter_map(|user| user.said.tree(&self.new.desk).get("range"));
        ranges.any(|range| !holds(range, value)).then_some(why)
    }
}
