//! Compares fields with known ones, and the bounds of their values.

use codegen::spec::Evidence;
use codegen::type_expr::{Builtin, TypeExpr};

use super::Merger;
use super::compare::{Edit, Said, Subject};
use super::places::FieldsAt;
use super::values::{bare, number};
use crate::tree::Tree;

impl Merger<'_> {
    /// Compares the fields at one place.
    pub(super) fn fields(&mut self, known: &FieldsAt, new: &FieldsAt) {
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

    fn field(&mut self, subject: &Subject, here: &Tree, list: &FieldsAt, said: &Tree, new: &FieldsAt) {
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

    /// A field with weaker evidence than `document` is an `Option` anyway, as our own descriptions have it.
    fn optional(&mut self, subject: &Subject, here: &Tree, list: &FieldsAt, said: &Tree) {
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

    /// Whether all values under a key are possible for the known type, which the description may lack.
    pub(super) fn has_values(&self, here: &Tree, said: &Tree, key: &str) -> bool {
        let fits = |value: &Tree| here.text("type").is_some_and(|ty| ty.contains('<')) || self.fits(here, &bare(value));
        match said.get(key) {
            // Said in an entry of its own.
            Some(Tree::Null) => true,
            Some(Tree::List(items)) => items.iter().all(fits),
            other => other.is_none_or(fits),
        }
    }

    /// Compares bounds, each by itself.
    pub(super) fn range(&mut self, subject: &Subject, here: &Tree, said: &Said, why_not: Option<&'static str>) {
        let is_number = TypeExpr::parse(here.text("type").unwrap_or_default()).is_some_and(|ty| ty.is_numeric());
        let why_not = if is_number { why_not } else { Some("whose type has no bounds") };
        // A count is never negative, so this bound is implied.
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
            // A known bound stays, so the new one has to go with it.
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
}

/// Whether a param or field is a time or holds times; only those have a format.
pub(super) fn is_moment(tree: &Tree) -> bool {
    let ty = tree.text("type").and_then(TypeExpr::parse);
    ty.is_some_and(|ty| *ty.innermost() == TypeExpr::Builtin(Builtin::Timestamp))
}
