//! Finds the known endpoints, params, types and records for those of a new catalogue, and those that have to be
//! written.
//!
//! A type or record is matched by its place first and then by its name, so that a description that was imported once is
//! matched again, whatever names its parts got.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use codegen::names::{self, Case};
use codegen::path::template;
use codegen::type_expr::TypeExpr;

use super::places::{self, Entry, FieldsAt, ParamAt, body_fields, label, params};
use super::{Fresh, SERVICE, WantedName};
use crate::change::Desk;
use crate::naming::{ident_of, share_a_value};
use crate::place::Place;
use crate::tree::Tree;

/// The matches, and what remains to be written.
#[derive(Debug, Default)]
pub(super) struct Matches {
    /// Every new endpoint, and the known one that it matches.
    pub(super) endpoints: Vec<(Place, Option<Place>)>,
    pub(super) params: Vec<MatchedParam>,
    /// Lists of fields at matching places: the known one first.
    pub(super) fields: Vec<(FieldsAt, FieldsAt)>,
    /// Names of new types, each with the known type and the place of the match.
    pub(super) types: BTreeMap<String, (String, String)>,
    /// Types of new parts, and the first place of each.
    pub(super) wanted_types: BTreeMap<String, String>,
    /// Records of new parts, and the known ones that they match.
    pub(super) wanted_records: BTreeMap<Place, Option<Place>>,
    /// The known files whose bodies contain each new record.
    pub(super) files: BTreeMap<Place, BTreeSet<String>>,
}

/// A known param, with the new facts about it.
#[derive(Clone, Debug)]
pub(super) struct MatchedParam {
    pub(super) at: Place,
    pub(super) users: Vec<User>,
}

/// The facts about a known param on one endpoint.
#[derive(Clone, Debug)]
pub(super) struct User {
    /// The name of the endpoint in messages.
    pub(super) label: String,
    /// The endpoint, unless it is new.
    pub(super) endpoint: Option<Place>,
    pub(super) entry: Entry,
    /// The place of its definition in the new catalogue.
    pub(super) said: Place,
}

impl Matches {
    pub(super) fn user(&mut self, at: &Place, user: User) {
        match self.params.iter_mut().find(|known| known.at == *at) {
            Some(known) => known.users.push(user),
            None => self.params.push(MatchedParam { at: at.clone(), users: vec![user] }),
        }
    }

    /// Whether a definition of the new catalogue belongs to an endpoint.
    pub(super) fn has(&self, endpoint: Option<&Place>, said: &Place) -> bool {
        let mut users = self.params.iter().flat_map(|known| &known.users);
        endpoint.is_some() && users.any(|user| user.endpoint.as_ref() == endpoint && user.said == *said)
    }

    /// The only file whose bodies contain a record, if there is just one.
    pub(super) fn file_of(&self, record: &Place) -> Option<&str> {
        let files = self.files.get(record).filter(|files| files.len() == 1)?;
        files.first().map(String::as_str).filter(|file| *file != SERVICE)
    }

    /// Matches a new catalogue with a known one.
    pub(super) fn of(known: &Desk, new: &Fresh) -> Self {
        let mut shared = BTreeSet::new();
        loop {
            // The place of a record decides which known ones it can match, so places are matched first.
            let mut matcher = Matcher {
                known,
                new: &new.desk,
                names: &new.names,
                matches: Self::default(),
                shared,
                queue: VecDeque::new(),
            };
            let before = matcher.shared.len();
            matcher.all();
            if matcher.shared.len() == before {
                return matcher.matches;
            }
            shared = matcher.shared;
        }
    }
}

struct Matcher<'a> {
    known: &'a Desk,
    new: &'a Desk,
    names: &'a BTreeMap<String, WantedName>,
    matches: Matches,
    /// Records that the service should get.
    shared: BTreeSet<Place>,
    queue: VecDeque<(Place, String)>,
}

impl Matcher<'_> {
    fn all(&mut self) {
        let mut taken = BTreeSet::new();
        for (at, endpoint) in places::endpoints(self.new) {
            // If several endpoints have one name, only the first matches a known one without a path.
            let found = self.endpoint_like(&at, endpoint).filter(|found| taken.insert(found.clone()));
            let file = found.as_ref().map_or(&at.file, |found| &found.file).clone();
            if let Some(fields) = body_fields(self.new, &at) {
                self.note_file(&fields, &file);
            }
            if let Some(record) = places::body_type(endpoint).and_then(|ty| self.new_record(ty, &at.file)) {
                self.note_file(&places::record_fields(self.new, record), &file);
            }
            self.matches.endpoints.push((at, found));
        }
        if let Some(new) = places::metadata(self.new).filter(|new| !new.all(self.new).is_empty()) {
            self.note_file(&new, SERVICE);
            match places::metadata(self.known) {
                Some(known) => self.fields(&known, &new),
                None => self.want_fields(&new),
            }
        }
        for record in self.shared.clone() {
            self.matches.files.entry(record).or_default().insert(SERVICE.to_owned());
        }
        for (new, known) in self.matches.endpoints.clone() {
            self.params(&new, known.as_ref());
            self.body(&new, known.as_ref());
        }
        // New types are settled after all places are matched, since they may take the names found there.
        while let Some((record, label)) = self.queue.pop_front() {
            self.settle(&record, &label);
        }
    }

    /// The known endpoint for a new one: by path, or by name if its path is unknown.
    fn endpoint_like(&self, at: &Place, new: &Tree) -> Option<Place> {
        let path = |endpoint: &Tree| endpoint.text("path").filter(|path| *path != "unknown").map(template);
        let all = places::endpoints(self.known);
        let wanted = path(new);
        let by_path = all.iter().find(|(_, known)| wanted.is_some() && path(known) == wanted);
        let is_named = |(there, known): &&(Place, &Tree)| {
            path(known).is_none() && there.file == at.file && ident_of(known) == ident_of(new)
        };
        by_path.or_else(|| all.iter().rfind(is_named)).map(|(known, _)| known.clone())
    }

    /// Notes the file for the records of a body.
    fn note_file(&mut self, fields: &FieldsAt, file: &str) {
        if let Some(record) = &fields.record {
            let name = record.tree(self.new).text("name").unwrap_or_default();
            let is_shared = self.names.get(name).is_some_and(|wanted| wanted.is_shared);
            let file = if is_shared { SERVICE } else { file };
            if !self.matches.files.entry(record.clone()).or_default().insert(file.to_owned()) {
                return;
            }
        }
        for record in self.records_in(fields) {
            self.note_file(&places::record_fields(self.new, record), file);
        }
    }

    /// The records of new fields.
    fn records_in(&self, fields: &FieldsAt) -> Vec<Place> {
        let types = fields.all(self.new).into_iter().filter_map(|(_, field)| field.text("type"));
        types.filter_map(|ty| self.new_record(ty, &fields.at.file)).collect()
    }

    fn new_record(&self, ty: &str, file: &str) -> Option<Place> {
        match TypeExpr::parse(ty)?.innermost() {
            TypeExpr::Name(name) => self.new.record(file, name),
            _ => None,
        }
    }

    fn params(&mut self, new: &Place, known: Option<&Place>) {
        let told = known.map_or_else(|| label(new.tree(self.new)), |known| label(known.tree(self.known)));
        let listed = known.and_then(|known| params(self.known, known));
        for taken in params(self.new, new).into_iter().flatten() {
            let same = listed
                .iter()
                .flatten()
                .zip(std::iter::repeat(known))
                .find_map(|(there, known)| self.is_same(there, known?, &taken, new).then_some((there, known?)));
            let param = taken.at.tree(self.new);
            let ty = param.text("type").unwrap_or_default();
            let Some((there, endpoint)) = same else {
                self.want(ty, &taken.at.file, None, &format!("`{}` of {told}", param.text("name").unwrap_or_default()));
                continue;
            };
            let there_tree = there.at.tree(self.known);
            let of = format!("`{}` of {told}", there_tree.text("name").unwrap_or_default());
            self.value(there_tree.text("type").unwrap_or_default(), &there.at.file, ty, &taken.at.file, &of);
            let (entry, endpoint) = (there.entry.clone(), Some(endpoint.clone()));
            self.matches.user(&there.at, User { label: told.clone(), endpoint, entry, said: taken.at });
        }
    }

    /// Whether two params are the same: by name, or in a path by position.
    fn is_same(&self, known: &ParamAt, of: &Place, new: &ParamAt, of_new: &Place) -> bool {
        let (param, said) = (known.at.tree(self.known), new.at.tree(self.new));
        let path = |endpoint: &Tree| endpoint.text("path").unwrap_or_default().to_owned();
        let (path, other) = (path(of.tree(self.known)), path(of_new.tree(self.new)));
        if said.text("in") != Some("path") || template(&path) != template(&other) {
            return param.text("name") == said.text("name");
        }
        let place = |path: &str, param: &Tree| {
            let wanted = format!("{{{}}}", param.text("name").unwrap_or_default());
            path.split('/').position(|segment| segment == wanted)
        };
        place(&path, param) == place(&other, said)
    }

    fn body(&mut self, new: &Place, known: Option<&Place>) {
        let known_body = known.and_then(|known| self.known.body(known.tree(self.known)));
        let (known_body, new_body) = (known_body.as_ref(), new.tree(self.new).get("body"));
        if let Some(ty) = places::body_type(new.tree(self.new)) {
            let file = known.map(|known| known.file.as_str());
            let told = known.map_or_else(|| label(new.tree(self.new)), |known| label(known.tree(self.known)));
            match (known_body.and_then(|body| body.text("type")), file) {
                (Some(there), Some(file)) => self.value(there, file, ty, &new.file, &told),
                _ if file.is_none() || is_news(known_body, new_body) => self.want(ty, &new.file, file, &told),
                _ => {}
            }
            return;
        }
        let Some(fields) = body_fields(self.new, new) else { return };
        if let Some(there) = known.and_then(|known| body_fields(self.known, known)) {
            let kinds = [known_body, new_body].map(|body| body.and_then(places::kind));
            if kinds[0] == kinds[1] {
                self.fields(&there, &fields);
            }
            return;
        }
        if known.is_none() || is_news(known_body, new_body) {
            match &fields.record {
                Some(record) => {
                    let told = known.map_or_else(|| label(new.tree(self.new)), |known| label(known.tree(self.known)));
                    self.want_record(record, &told);
                }
                None => self.want_fields(&fields),
            }
        }
    }

    /// Matches two lists of fields at one place.
    fn fields(&mut self, known: &FieldsAt, new: &FieldsAt) {
        if self.matches.fields.iter().any(|(there, met)| there.at == known.at && met.at == new.at) {
            return;
        }
        self.matches.fields.push((known.clone(), new.clone()));
        let time = places::envelope_time(self.known).and_then(|time| time.text("name"));
        let listed = known.all(self.known);
        for (_, field) in new.all(self.new) {
            let (name, ty) = (field.text("name"), field.text("type").unwrap_or_default());
            let of = format!("`{}` of {}", name.unwrap_or_default(), known.label);
            match listed.iter().find(|(_, there)| there.text("name") == name) {
                Some((_, there)) => {
                    self.value(there.text("type").unwrap_or_default(), &known.at.file, ty, &new.at.file, &of);
                }
                None if name == time => {}
                None => self.want(ty, &new.at.file, Some(&known.at.file), &of),
            }
        }
    }

    /// Matches a known type with a new one at one place.
    fn value(&mut self, known: &str, file: &str, new: &str, new_file: &str, label: &str) {
        let (Some(known), Some(new)) = (TypeExpr::parse(known), TypeExpr::parse(new)) else { return };
        let (mut known, mut new) = (&known, &new);
        while let (TypeExpr::List(item), TypeExpr::List(other))
        | (TypeExpr::Map(item), TypeExpr::Map(other))
        | (TypeExpr::Option(item), TypeExpr::Option(other)) = (known, new)
        {
            (known, new) = (item, other);
        }
        let (TypeExpr::Name(known), TypeExpr::Name(new)) = (known, new) else { return };
        if let Some(record) = self.new.record(new_file, new) {
            if let Some(there) = self.known.record(file, known) {
                let known = places::record_fields(self.known, there);
                self.fields(&known, &places::record_fields(self.new, record));
            }
        } else if can_be(self.known, known, self.new, new) {
            let (new, known) = ((*new).to_owned(), (*known).to_owned());
            self.matches.types.entry(new).or_insert_with(|| (known, label.to_owned()));
        }
    }

    /// Notes a type of a new part; `file` is the known file for it, if that is settled.
    fn want(&mut self, ty: &str, new_file: &str, file: Option<&str>, label: &str) {
        let expr = TypeExpr::parse(ty);
        let Some(TypeExpr::Name(name)) = expr.as_ref().map(TypeExpr::innermost) else { return };
        match self.new.record(new_file, name) {
            Some(record) => {
                if file == Some(SERVICE) {
                    self.share(&record);
                }
                self.want_record(&record, label);
            }
            None => {
                self.matches.wanted_types.entry((*name).to_owned()).or_insert_with(|| label.to_owned());
            }
        }
    }

    /// Notes that the service should get a record, with all records that it contains.
    fn share(&mut self, record: &Place) {
        if self.shared.insert(record.clone()) {
            let inner = self.records_in(&places::record_fields(self.new, record.clone()));
            for record in &inner {
                self.share(record);
            }
        }
    }

    fn want_record(&mut self, record: &Place, label: &str) {
        if self.matches.wanted_records.insert(record.clone(), None).is_none() {
            self.queue.push_back((record.clone(), label.to_owned()));
        }
    }

    fn want_fields(&mut self, fields: &FieldsAt) {
        for (_, field) in fields.all(self.new) {
            let label = format!("`{}` of {}", field.text("name").unwrap_or_default(), fields.label);
            self.want(field.text("type").unwrap_or_default(), &fields.at.file, None, &label);
        }
    }

    /// Looks for the known record of a wanted one: where it was matched, or by its name and a field.
    fn settle(&mut self, record: &Place, label: &str) {
        let fields = places::record_fields(self.new, record.clone());
        let file = self.matches.file_of(record).map(str::to_owned);
        let fits = |there: &Place| there.file == SERVICE || Some(&there.file) == file.as_ref();
        let met = self.matches.fields.iter().filter(|(_, new)| new.at == fields.at);
        let found = met.filter_map(|(known, _)| known.record.clone()).find(fits);
        let by_name = || {
            let wanted = self.names.get(record.tree(self.new).text("name")?)?;
            let name = names::ident(&wanted.name, Case::Pascal).ok()?;
            let there = self.known.record(file.as_deref().unwrap_or(SERVICE), &name)?;
            let known = places::record_fields(self.known, there.clone());
            let is_other = self.matches.fields.iter().any(|(met, _)| met.at == known.at);
            let names: Vec<_> = known.all(self.known).into_iter().map(|(_, field)| field.text("name")).collect();
            let is_same = fields.all(self.new).iter().any(|(_, field)| names.contains(&field.text("name")));
            (is_same && !is_other).then_some(there)
        };
        match found.or_else(by_name) {
            Some(there) => {
                self.fields(&places::record_fields(self.known, there.clone()), &fields);
                self.matches.wanted_records.insert(record.clone(), Some(there));
            }
            None => self.want_fields(&FieldsAt { label: label.to_owned(), ..fields }),
        }
    }
}

/// Whether a body states something that the known one leaves unknown.
pub(super) fn is_news(known: Option<&Tree>, new: Option<&Tree>) -> bool {
    let is_unknown = |body: &Tree, kind| body.get(kind).and_then(Tree::as_text) == Some("unknown");
    match (known, new) {
        (_, Some(Tree::Text(_)) | None) => false,
        (Some(known @ Tree::Map(_)), Some(new)) => ["series", "object"]
            .iter()
            .any(|kind| is_unknown(known, kind) && new.get(kind).is_some() && !is_unknown(new, kind)),
        _ => true,
    }
}

/// Whether a known type and a new one may be the same: they share a value, or the new one is any text.
pub(super) fn can_be(known: &Desk, name: &str, new: &Desk, new_name: &str) -> bool {
    let (Some((_, known)), Some((_, new))) = (known.named_type(name), new.named_type(new_name)) else {
        return false;
    };
    let values = |ty: &'_ Tree| {
        ty.entries("values").iter().filter_map(|value| value.text("value")).map(str::to_owned).collect::<Vec<_>>()
    };
    let (known_values, new_values) = (values(known), values(new));
    let new_values: Vec<&str> = new_values.iter().map(String::as_str).collect();
    (known.text("kind") == Some("identifier") && known_values.is_empty())
        || share_a_value(known_values.iter().map(String::as_str), &new_values)
}
