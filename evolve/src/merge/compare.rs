//! What is said anew of things that are known: what was unknown is filled in, and what contradicts is listed and stays.
//!
//! Everything is compared before anything is written, with the catalogue as it was.

use codegen::format::Key;
use codegen::spec::{Evidence, PARAM};
use codegen::type_expr::{Builtin, TypeExpr};

use super::Merger;
use super::matching::{MatchedParam, User};
use super::places::{self, Entry, Fields, Place};
use super::policy::{Policy, policy};
use super::report::some_of;
use crate::keys;
use crate::tree::Tree;

/// Something of which both catalogues say something.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    pub(super) at: Place,
    /// What it is, in messages.
    pub(super) name: String,
    /// What it belongs to, in messages.
    pub(super) of: String,
}

impl Subject {
    pub(super) fn new(at: &Place, name: impl Into<String>, of: &str) -> Self {
        Self { at: at.clone(), name: name.into(), of: of.to_owned() }
    }
}

/// An edit that says what nobody knew.
#[derive(Debug)]
pub(super) enum Edit {
    Set(Place, &'static str, Tree),
    Extend(Place, &'static str, Vec<Tree>),
    Replace(Place, Tree),
}

/// Keys of values that a param takes, which an endpoint may say anew.
const VALUES: &[&str] = &["default", "served", "works", "refused", "example"];

/// What is said anew, and where: once, or by all who share what is known.
type Said = [(String, Tree)];

impl Merger<'_> {
    /// Every key that is said anew, by its policy; `why_not` says why one cannot be filled in.
    pub(super) fn compare(&mut self, subject: &Subject, said: &Said, why_not: &dyn Fn(&str) -> Option<&'static str>) {
        let known = subject.at.tree(self.desk).clone();
        let Some(map) = keys::map_at(&subject.at.file, &subject.at.path, &known) else { return };
        let is_said = |key: &&Key| said.iter().any(|(_, said)| said.get(key.name).is_some());
        for key in map.keys.iter().filter(is_said).map(|key| key.name) {
            let policy = policy(map.what, key).unwrap_or(Policy::Matched);
            // Who says it in an entry of its own has no part in it.
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

    /// The same of what is said once.
    pub(super) fn compare_one(&mut self, subject: &Subject, said: Tree) {
        self.compare(subject, &[(subject.of.clone(), said)], &|_| None);
    }

    /// Whether the new catalogue says of its own accord how something is known.
    pub(super) fn is_told(&self, evidence: &str) -> bool {
        self.new.is_ours || evidence != self.evidence
    }

    fn differ_from(&mut self, subject: &Subject, key: &str, here: Option<&Tree>, of: &str, said: &Tree) {
        if here.is_none_or(|here| !is_same(here, said)) {
            let here = here.map_or_else(|| "nothing".to_owned(), bare);
            self.report.differ(&subject.name, of, format!("{key} {} in the description, {here} here", bare(said)));
        }
    }

    /// A fact that may be unknown here. Where others share what they have in common, only what all say can be filled in.
    fn fill(
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
    fn text(&mut self, subject: &Subject, key: &'static str, here: Option<&Tree>, said: &[(&str, Option<&Tree>)]) {
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

    fn names(&mut self, subject: &Subject, key: &str, here: Option<&Tree>, said: &[(&str, Option<&Tree>)]) {
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

    /// A part with keys or items of its own.
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

    /// Items that are there are compared, and new ones stand behind the others.
    fn join(&mut self, subject: &Subject, key: &'static str, by: &'static str, said: &Tree) {
        let Tree::List(items) = said else { return };
        let mut new = Vec::new();
        for said in items {
            let known = subject.at.items(self.desk, key).into_iter().find(|(_, known)| known.get(by) == said.get(by));
            let Some(at) = known.map(|(at, _)| at) else {
                new.push(said.clone());
                continue;
            };
            let what = if by == "status" { "the status" } else { "the limit" };
            let name = format!("{what} {}", said.get(by).map(bare).unwrap_or_default());
            self.compare_one(&Subject::new(&at, name, ""), said.clone());
        }
        if !new.is_empty() {
            self.edits.push(Edit::Extend(subject.at.clone(), key, new));
        }
    }

    /// The service as a whole.
    pub(super) fn service(&mut self, said: &Tree) {
        let mut said = said.clone();
        if !self.new.prefix.is_empty() {
            let text = format!("suffix {} in the description, in the paths here", self.new.prefix);
            self.report.differ("`base_url`", "", text);
            said.remove("base_url");
        }
        self.compare_one(&Subject::new(&places::service(), "the service", ""), said);
    }

    /// What is said of groups by their tags.
    pub(super) fn groups(&mut self) {
        for file in self.new.desk.groups().map(str::to_owned).collect::<Vec<_>>() {
            if *self.desk.tree(&file) != Tree::Null {
                let name = format!("the group `{}`", file.trim_end_matches(".yaml"));
                let subject = Subject::new(&Place::new(&file, &[]), name, "");
                self.compare_one(&subject, self.new.desk.tree(&file).clone());
            }
        }
    }

    pub(super) fn endpoint(&mut self, at: &Place, new: &Place) {
        let (known, said) = (at.tree(self.desk).clone(), new.tree(&self.new.desk).clone());
        let subject = Subject::new(at, places::label(&known), "");
        let mut told = said.clone();
        if known.text("path") == Some("unknown") {
            told.remove("evidence");
        }
        self.compare_one(&subject, told);
        if known.get("deprecated").is_some() && said.get("deprecated").is_none() {
            self.report.differ(&subject.name, "", "not deprecated in the description, deprecated here".to_owned());
        }
        self.name(&subject, at, &known, new, &said);
        self.body(&subject, &known, &said);
    }

    /// What it is called and where it stands, which users of the client have in their programs.
    fn name(&mut self, subject: &Subject, at: &Place, known: &Tree, new: &Place, said: &Tree) {
        let Some(hint) = self.new.hints.get(&super::key_of(new)) else { return };
        let method = |tree: &Tree| crate::naming::ident_of(tree);
        let named = |tree: &Tree| {
            codegen::names::ident(tree.text("name").unwrap_or_default(), codegen::names::Case::Snake).ok()
        };
        let is_same = (self.new.is_ours && said.get("ident").is_some())
            || named(said) == method(known)
            || named(said) == named(known);
        let [name, here] = [said, known].map(|tree| tree.text("name").unwrap_or_default());
        if hint.is_named && !is_same {
            self.report.differ(&subject.name, "", format!("called `{name}` in the description, `{here}` here"));
        }
        let [group, here] = [new, at].map(|place| place.file.trim_end_matches(".yaml"));
        if hint.is_tagged && group != here {
            let text = format!("in the group `{group}` in the description, in `{here}` here");
            self.report.differ(&subject.name, "", text);
        }
    }

    fn body(&mut self, subject: &Subject, known: &Tree, said: &Tree) {
        let (Some(known), Some(said)) = (self.desk.body(known), said.get("body")) else { return };
        let (Some(here), Some(there)) = (places::kind(&known), places::kind(said)) else { return };
        let words = |kind: &str| if kind == "series" { "a series" } else { "an object" };
        if here != there {
            let text = format!("{} in the description, {} here", words(there), words(here));
            return self.report.differ("the body", &subject.name, text);
        }
        let shared = places::envelope_time(self.desk).and_then(|time| time.text("name"));
        let time = known.text("time").or(shared);
        let is_listed = known.get(here).is_some_and(is_known);
        if let (Some(said), Some(here), true, true) = (said.text("time"), time, is_listed, self.new.is_ours)
            && said != here
        {
            let text = format!("{said} in the description, {here} here");
            self.report.differ("the time", &subject.name, text);
        }
    }

    /// The fields that stand at one place.
    pub(super) fn fields(&mut self, known: &Fields, new: &Fields) {
        let listed = new.all(&self.new.desk).into_iter().map(|(_, field)| field.clone()).collect::<Vec<_>>();
        for (at, here) in known.all(self.desk).into_iter().map(|(at, here)| (at, here.clone())).collect::<Vec<_>>() {
            let Some(said) = listed.iter().find(|said| said.text("name") == here.text("name")) else { continue };
            let name = format!("`{}`", here.text("name").unwrap_or_default());
            self.field(&Subject::new(&at, name, &known.label), &here, known, said, new);
        }
        if let (Some(at), Some(new)) = (&known.record, &new.record) {
            let subject = Subject::new(at, known.label.clone(), "");
            self.compare_one(&subject, new.tree(&self.new.desk).clone());
        }
    }

    fn field(&mut self, subject: &Subject, here: &Tree, list: &Fields, said: &Tree, new: &Fields) {
        let mut told = said.clone();
        if said.get("evidence").is_none() {
            told = told.with("evidence", new.evidence.as_str());
        }
        if here.get("evidence").is_none() && told.text("evidence") == Some(&list.evidence) {
            told.remove("evidence");
        }
        let differing = self.differing(here, &new.at.file, said);
        let ranges = vec![(subject.of.clone(), said.clone())];
        match differing {
            Some(text) => self.report.differ(&subject.name, &subject.of, text),
            None => self.range(subject, here, &ranges, None),
        }
        self.optional(subject, here, list, said);
        told.remove("range");
        if !is_moment(here) {
            told.remove("format");
        }
        if !self.has_values(here, said, "example") {
            told.remove("example");
        }
        self.compare_one(subject, told);
    }

    /// Whether all values under a key can be such of what is known, which may have a type where the description has none.
    fn has_values(&self, here: &Tree, said: &Tree, key: &str) -> bool {
        let fits = |value: &Tree| here.text("type").is_some_and(|ty| ty.contains('<')) || self.fits(here, &bare(value));
        match said.get(key) {
            Some(Tree::List(items)) => items.iter().all(fits),
            other => other.is_none_or(fits),
        }
    }

    /// A field that is known otherwise than by document is an `Option` anyway, and our own descriptions say so.
    fn optional(&mut self, subject: &Subject, here: &Tree, list: &Fields, said: &Tree) {
        let is = |tree: &Tree| tree.get("optional") == Some(&true.into());
        let evidence = here.text("evidence").unwrap_or(&list.evidence);
        let text = match (is(here), is(said)) {
            (true, false) => "always there in the description, optional here",
            (false, true) if evidence == Evidence::Document.word() => "optional in the description, always there here",
            (false, true) if !self.new.is_ours => {
                return self.edits.push(Edit::Set(subject.at.clone(), "optional", true.into()));
            }
            _ => return,
        };
        self.report.differ(&subject.name, &subject.of, text.to_owned());
    }

    /// The time of all series, which the envelope has and none of them repeats; those that the description has otherwise.
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
            // What goes by another type says nothing of values of the known one; a default is told of below.
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
        let why_not =
            |key: &str| shared.or((key == "default" && !fits).then_some("where its type or range has no such value"));
        self.compare(&subject, &said, &why_not);
        self.required(&subject, matched);
    }

    /// Values that an endpoint's entry has of its own: what is said of them is said of that endpoint alone.
    fn anew(&mut self, subject: &Subject, user: &User, new: &mut Tree) {
        let Entry::Use(at) = &user.entry else { return };
        let entry = at.tree(self.desk).clone();
        let mut said = Tree::map();
        for key in VALUES.iter().filter(|key| entry.get(key).is_some()) {
            said = said.with_some(key, new.get(key).cloned());
            new.set(&PARAM, key, Some(Tree::Null));
        }
        self.compare_one(&Subject::new(at, subject.name.clone(), &user.label), said);
    }

    /// Whether several values can be sent.
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
        let (known, said) = (self.evidence_of(matched, here, user), new.text("evidence"));
        if let (Some(said), Some(known)) = (said.filter(|said| self.is_told(said)), known)
            && said != known
        {
            let text = format!("evidence {said} in the description, {known} here");
            self.report.differ(&subject.name, &user.label, text);
        }
    }

    /// How a param is known on an endpoint.
    fn evidence_of(&self, matched: &MatchedParam, here: &Tree, user: &User) -> Option<String> {
        let anew = self.said_anew(user).and_then(|entry| entry.text("evidence"));
        let endpoint = user.endpoint.as_ref().filter(|endpoint| matched.at.path.starts_with(&endpoint.path));
        let inherited = endpoint.and_then(|endpoint| endpoint.tree(self.desk).text("evidence"));
        anew.or(here.text("evidence")).or(inherited).map(str::to_owned)
    }

    /// Why a range cannot be filled in: what is only reported is never enforced, and that of a param known better is.
    fn enforced(&self, matched: &MatchedParam, here: &Tree) -> Option<&'static str> {
        let is_enforced = |evidence: &str| Evidence::of(evidence).is_none_or(Evidence::is_enforced);
        let mut known = matched.users.iter().map(|user| self.evidence_of(matched, here, user));
        let is_known_better = known.any(|known| known.as_deref().is_none_or(is_enforced));
        if !is_enforced(self.evidence) && is_known_better {
            return Some("where it would be enforced");
        }
        let default = here.get("default").and_then(|default| bare(default).parse::<f64>().ok())?;
        let mut ranges = matched.users.iter().filter_map(|user| user.said.tree(&self.new.desk).get("range"));
        ranges.any(|range| !holds(range, default)).then_some("where the default is outside")
    }

    /// Bounds, each for itself.
    fn range(&mut self, subject: &Subject, here: &Tree, said: &Said, why_not: Option<&'static str>) {
        let is_number = TypeExpr::parse(here.text("type").unwrap_or_default()).is_some_and(|ty| ty.is_numeric());
        let why_not = if is_number { why_not } else { Some("whose type has no bounds") };
        // A count has no negative values anyway.
        let is_zero =
            |key: &str, bound: &&Tree| key == "min" && here.text("type") == Some("count") && number(bound) == Some(0.0);
        let bound = |said: &Tree, key: &str| said.get("range")?.get(key).filter(|bound| !is_zero(key, bound)).cloned();
        let known = here.get("range").cloned();
        let Some(known) = known else {
            let ranges: Vec<(String, Option<Tree>)> = said
                .iter()
                .map(|(of, said)| {
                    let range = Tree::map().with_some("min", bound(said, "min")).with_some("max", bound(said, "max"));
                    (of.clone(), (range != Tree::map()).then_some(range))
                })
                .collect();
            let ranges: Vec<_> = ranges.iter().map(|(of, range)| (of.as_str(), range.as_ref())).collect();
            return self.fill(subject, "range", None, &ranges, why_not);
        };
        for (key, other) in [("min", "max"), ("max", "min")] {
            let bounds: Vec<(String, Option<Tree>)> =
                said.iter().map(|(of, said)| (of.clone(), bound(said, key))).collect();
            // What stands here stays, so that it is the bound which another is to go with.
            let leaves_none = bounds.iter().any(|(_, bound)| {
                let (bound, other) = (bound.as_ref().and_then(number), known.get(other).and_then(number));
                bound.zip(other).is_some_and(|(bound, other)| if key == "min" { bound > other } else { bound < other })
            });
            let why_not = if leaves_none { Some("where the other bound leaves no number") } else { why_not };
            let bounds: Vec<_> = bounds.iter().map(|(of, bound)| (of.as_str(), bound.as_ref())).collect();
            self.fill(
                &Subject { at: subject.at.key("range"), ..subject.clone() },
                key,
                known.get(key),
                &bounds,
                why_not,
            );
        }
    }

    /// Types that both know: what they mean, and values that stand here and not in the description.
    pub(super) fn named_types(&mut self) {
        for (new, (name, of)) in self.matches.types.clone() {
            let Some((at, known)) = places::named_type(self.desk, &name).map(|(at, known)| (at, known.clone())) else {
                continue;
            };
            let Some(said) = places::named_type(&self.new.desk, &new).map(|(_, said)| said.clone()) else { continue };
            self.compare_one(&Subject::new(&at, format!("`{name}`"), ""), said.clone());
            let value = |value: &Tree| value.text("value").unwrap_or_default().to_owned();
            let values: Vec<String> = said.entries("values").iter().map(value).collect();
            let missing: Vec<String> =
                known.entries("values").iter().map(value).filter(|value| !values.contains(value)).collect();
            if !missing.is_empty() && known.text("kind") != Some("identifier") {
                let missing: Vec<&str> = missing.iter().map(String::as_str).collect();
                let text = format!("no {} in the description, which `{name}` has here", some_of(&missing));
                self.report.differ("values", &of, text);
            }
        }
    }

    /// Whether a text can be said of what is shared.
    fn is_for_all(&self, subject: &Subject, users: usize) -> bool {
        let mut params = self.matches.params.iter();
        params.find(|param| param.at == subject.at).is_none_or(|param| users > 0 && self.is_covered(param))
    }
}

/// Whether a param or field is a point in time, or holds such: nothing else has a format.
fn is_moment(tree: &Tree) -> bool {
    let ty = tree.text("type").and_then(TypeExpr::parse);
    ty.is_some_and(|ty| *ty.innermost() == TypeExpr::Builtin(Builtin::Timestamp))
}

fn is_known(tree: &Tree) -> bool {
    !matches!(tree, Tree::Null) && tree.as_text() != Some("unknown") && *tree != Tree::List(Vec::new())
}

pub(super) fn number(tree: &Tree) -> Option<f64> {
    bare(tree).parse().ok()
}

/// Whether a number is within a range.
pub(crate) fn holds(range: &Tree, value: f64) -> bool {
    let bound = |key: &str| range.get(key).and_then(number);
    bound("min").is_none_or(|min| value >= min) && bound("max").is_none_or(|max| value <= max)
}

/// A value without the quotes that YAML may want.
pub(super) fn bare(value: &Tree) -> String {
    match value {
        Tree::Text(text) => text.clone(),
        Tree::List(items) => items.iter().map(bare).collect::<Vec<_>>().join(", "),
        Tree::Map(entries) => {
            entries.iter().map(|(key, value)| format!("{key} {}", bare(value))).collect::<Vec<_>>().join(" and ")
        }
        other => other.inline(),
    }
}

/// Whether two values are the same, however numbers are written.
pub(super) fn is_same(known: &Tree, said: &Tree) -> bool {
    let is_number = matches!(said, Tree::Number(_));
    bare(known) == bare(said) || (is_number && number(known) == number(said))
}
