//! Writes new parts, with the names that types and records have in the known catalogue.

use std::collections::BTreeSet;

use codegen::format::GROUP;
use codegen::names::{self, Case, Scope};
use codegen::spec::{BODY, ENDPOINT, Evidence, FIELD, RECORD, TYPE, VALUE};
use codegen::type_expr::TypeExpr;

use super::matching::{can_be, is_news};
use super::places::{self, FieldsAt};
use super::{Merger, WantedName};
use crate::change::Desk;
use crate::keys::SERVICE;
use crate::naming::{NamesInUse, claim_endpoint, claim_type, group_types, value_names};
use crate::place::Place;
use crate::tree::Tree;

impl Merger<'_> {
    /// Names for new endpoints.
    pub(super) fn name_endpoints(&mut self) {
        for (new, _) in self.matches.endpoints.clone().into_iter().filter(|(_, known)| known.is_none()) {
            let tree = new.tree(&self.new.desk);
            let (name, chosen) = (tree.text("name").unwrap_or_default(), tree.text("ident"));
            let root = self.root.clone();
            let ident = claim_endpoint(name, chosen, self.group(&new.file), &root);
            self.idents.insert(new, ident);
        }
    }

    /// Names for types: those of the known types at their places, or with the same name and a common value.
    pub(super) fn name_types(&mut self) {
        // New types of one name are different types.
        let old: BTreeSet<String> = self.desk.tree(SERVICE).entries("types").iter().filter_map(name_of).collect();
        for (_, new) in Place::service().key("types").items(&self.new.desk) {
            let name = new.text("name").unwrap_or_default();
            let wanted = self.new.names.get(name).cloned().unwrap_or_default();
            let is_wanted = self.matches.wanted_types.get(name).cloned();
            let met = self.matches.types.get(name).map(|(known, _)| known.clone());
            let by_name = || {
                let like = names::ident(&wanted.name, Case::Pascal).ok()?;
                (old.contains(&like) && can_be(self.desk, &like, &self.new.desk, name)).then_some(like)
            };
            if let Some(known) = met.clone().or_else(|| is_wanted.as_ref().and_then(|_| by_name())) {
                if let (None, Some(label)) = (met, is_wanted) {
                    self.matches.types.insert(name.to_owned(), (known.clone(), label));
                }
                self.types.insert(name.to_owned(), known);
            } else if is_wanted.is_some() {
                let known = self.claim_root(&wanted);
                self.types.insert(name.to_owned(), known.clone());
                let mut tree = new.clone();
                tree.set(&TYPE, "name", Some(known));
                let values = new_values(new, new, &mut NamesInUse::default());
                tree.set(&TYPE, "values", (!values.is_empty()).then_some(values));
                self.desk.extend(&Place::service().key("types"), vec![tree]);
            }
        }
    }

    /// Names for records: those of known ones, or new ones where they will be written.
    pub(super) fn name_records(&mut self) {
        for (record, there) in self.matches.wanted_records.clone() {
            let name = record.tree(&self.new.desk).text("name").unwrap_or_default();
            let wanted = self.new.names.get(name).cloned().unwrap_or_default();
            let known = match there {
                Some(there) => there.tree(self.desk).text("name").unwrap_or_default().to_owned(),
                None => match self.matches.file_of(&record).map(str::to_owned) {
                    None => self.claim_root(&wanted),
                    Some(file) => {
                        let mut all = self.root.clone();
                        let own = self.group(&file);
                        all.add(own);
                        let known = claim_type(&mut all, &wanted.name, &wanted.owner);
                        own.note(known.as_str());
                        known
                    }
                },
            };
            self.records.insert(record, known);
        }
    }

    /// The names in a group's module.
    fn group(&mut self, file: &str) -> &mut NamesInUse {
        let module = file.trim_end_matches(".yaml");
        let tree = self.desk.tree(file);
        self.groups.entry(file.to_owned()).or_insert_with(|| {
            let mut taken = NamesInUse::default();
            group_types(module, tree, &mut taken);
            taken
        })
    }

    /// A name that is free at the root and in every group.
    fn claim_root(&mut self, wanted: &WantedName) -> String {
        for file in self.desk.groups().map(str::to_owned).collect::<Vec<_>>() {
            self.group(&file);
        }
        let mut all = self.root.clone();
        self.groups.values().for_each(|taken| all.add(taken));
        let known = claim_type(&mut all, &wanted.name, &wanted.owner);
        self.root.note(known.as_str());
        known
    }

    /// A new type in the names of the known catalogue.
    pub(super) fn ty(&self, ty: &str, file: &str) -> String {
        let expr = TypeExpr::parse(ty);
        let Some(TypeExpr::Name(name)) = expr.as_ref().map(TypeExpr::innermost) else { return ty.to_owned() };
        let known = match self.new.desk.record(file, name) {
            Some(record) => self.records.get(&record).map_or("any", String::as_str),
            None => self.types.get(*name).map_or(*name, String::as_str),
        };
        ty.replace(name, known).replace("any?", "any")
    }

    /// Writes the records that are not known.
    pub(super) fn write_records(&mut self) {
        let wanted: Vec<Place> =
            self.matches.wanted_records.iter().filter(|(_, there)| there.is_none()).map(|(at, _)| at.clone()).collect();
        for at in wanted {
            let file = self.matches.file_of(&at).unwrap_or(SERVICE).to_owned();
            let mut tree = at.tree(&self.new.desk).clone();
            tree.set(&RECORD, "name", Some(self.records[&at].as_str()));
            let fields = self.named_fields(tree.entries("fields"), &at.file, &mut NamesInUse::default());
            tree.set(&RECORD, "fields", Some(fields));
            self.new_records.entry(file).or_default().push(tree);
        }
        for (file, records) in std::mem::take(&mut self.new_records) {
            // Records of a new group are written with it.
            if *self.desk.tree(&file) == Tree::Null {
                self.new_records.insert(file, records);
            } else {
                self.desk.extend(&Place::file(&file).key("records"), records);
            }
        }
    }

    /// New fields in the names of the known catalogue, each with an `ident` if it needs one.
    fn named_fields(&self, fields: &[Tree], file: &str, taken: &mut NamesInUse) -> Vec<Tree> {
        let named = fields.iter().map(|field| {
            let (mut named, name) = (field.clone(), field.text("name").unwrap_or_default());
            let ident = taken.chosen(name, field.text("ident"), Case::Snake, Scope::Fields);
            named.set(&FIELD, "type", Some(self.ty(field.text("type").unwrap_or_default(), file)));
            named.set(&FIELD, "ident", ident);
            named
        });
        named.collect()
    }

    /// Adds new fields to the known ones at their place.
    pub(super) fn add_fields(&mut self, known: &FieldsAt, new: &FieldsAt) {
        let mut taken = NamesInUse::default();
        let listed: Vec<Tree> = known.all(self.desk).into_iter().map(|(_, field)| field.clone()).collect();
        for field in &listed {
            let name = field.text("ident").or(field.text("name")).unwrap_or_default();
            taken.note(names::ident(name, Case::Snake).unwrap_or_default());
        }
        let time = places::envelope_time(self.desk).and_then(|time| time.text("name")).map(str::to_owned);
        let is_new = |field: &&Tree| {
            let name = field.text("name");
            name != time.as_deref() && !listed.iter().any(|known| known.text("name") == name)
        };
        let all = new.all(&self.new.desk).into_iter().map(|(_, field)| field);
        let all: Vec<Tree> = all.filter(is_new).cloned().collect();
        let mut fields = self.named_fields(&all, &new.at.file, &mut taken);
        for field in &mut fields {
            let evidence = field.text("evidence").unwrap_or(&new.evidence).to_owned();
            field.set(&FIELD, "evidence", (evidence != known.evidence).then_some(evidence));
        }
        self.desk.extend(&known.at, fields);
    }

    /// Adds values to known types.
    pub(super) fn add_values(&mut self) {
        for (new, (name, _)) in self.matches.types.clone() {
            let Some((at, known)) = self.desk.named_type(&name).map(|(at, known)| (at, known.clone())) else {
                continue;
            };
            let Some((_, said)) = self.new.desk.named_type(&new) else { continue };
            let values = join_values(self.desk, &at, &known, said);
            if !values.is_empty() {
                self.desk.say(format!("`{name}` gets new values: {}", values.join(", ")));
            }
        }
    }

    /// Adds new endpoints, and fills in unknown facts of known ones.
    pub(super) fn add_endpoints(&mut self) {
        for (new, known) in self.matches.endpoints.clone() {
            match known {
                Some(known) => self.complete(&known, &new),
                None => self.add_endpoint(&new),
            }
        }
        for file in self.new.desk.groups().map(str::to_owned).collect::<Vec<_>>() {
            let endpoints = self.new_endpoints.remove(&file).unwrap_or_default();
            let records = self.new_records.remove(&file).unwrap_or_default();
            if *self.desk.tree(&file) == Tree::Null {
                // If all endpoints of the group stand in other groups already, the group is not added.
                let said = self.new.desk.tree(&file);
                let stands_elsewhere = endpoints.is_empty() && !said.entries("endpoints").is_empty();
                if !(stands_elsewhere && records.is_empty()) {
                    let mut head = said.clone();
                    head.set(GROUP, "records", (!records.is_empty()).then_some(records));
                    head.set(GROUP, "endpoints", Some(endpoints));
                    self.desk.create(&file, head);
                }
            } else {
                self.desk.extend(&Place::file(&file).key("endpoints"), endpoints);
            }
        }
    }

    fn add_endpoint(&mut self, new: &Place) {
        let mut tree = new.tree(&self.new.desk).clone();
        tree.set(&ENDPOINT, "ident", self.idents[new].clone());
        let evidence = tree.text("evidence").unwrap_or_default().to_owned();
        if let Some(params) = self.new_params(new, None, &evidence, NamesInUse::default()) {
            tree.set(&ENDPOINT, "params", Some(params));
        }
        tree.set(&ENDPOINT, "body", Some(self.body_of(new)));
        self.new_endpoints.entry(new.file.clone()).or_default().push(tree);
    }

    /// Fills in unknown facts of an endpoint.
    fn complete(&mut self, known: &Place, new: &Place) {
        let (here, said) = (known.tree(self.desk).clone(), new.tree(&self.new.desk).clone());
        let mut inherited = here.text("evidence").unwrap_or_default().to_owned();
        if let (Some("unknown"), Some(path)) = (here.text("path"), said.text("path").filter(|path| *path != "unknown"))
        {
            said.text("evidence").unwrap_or_default().clone_into(&mut inherited);
            self.desk.set(known, "path", path);
            self.desk.set(known, "evidence", inherited.as_str());
        }
        let listed = places::params(self.desk, known);
        let mut idents = NamesInUse::default();
        for param in listed.iter().flatten().map(|taken| taken.at.tree(self.desk)) {
            idents.note(crate::naming::ident_of(param).unwrap_or_default());
            param.text("list").into_iter().for_each(|list| idents.note(list));
        }
        if let Some(params) = self.new_params(new, Some(known), &inherited, idents) {
            match listed {
                Some(_) => self.desk.extend(&known.key("params"), params),
                None => self.desk.set(known, "params", params),
            }
        }
        let known_body = self.desk.body(&here);
        let tells = places::body_fields(&self.new.desk, new).is_some() || places::body_type(&said).is_some();
        if tells && is_news(known_body.as_ref(), said.get("body")) {
            let body = self.body_instead(known_body.as_ref(), &inherited, new);
            self.desk.set(known, "body", body);
        }
        // An endpoint with a path needs every key.
        let here = known.tree(self.desk).clone();
        for key in ["params", "body"] {
            if here.get(key).is_none() && here.text("path") != Some("unknown") {
                self.desk.set(known, key, "unknown");
            }
        }
    }

    /// A body in the names of the known catalogue.
    fn body_of(&self, new: &Place) -> Tree {
        let mut body = new.tree(&self.new.desk).get("body").cloned().unwrap_or(Tree::Null);
        if let Some(ty) = body.text("type").map(|ty| self.ty(ty, &new.file)) {
            body.set(&BODY, "type", Some(ty));
        }
        let Some(kind) = places::kind(&body) else { return body };
        let fields = match body.get(kind) {
            Some(Tree::List(fields)) => {
                let mut taken = NamesInUse::default();
                // The time of all series is a field as well, unless the body has another.
                if let (None, Some(time)) =
                    (body.get("time"), places::envelope_time(self.desk).filter(|_| kind == "series"))
                {
                    taken.note(crate::naming::ident_of(time).unwrap_or_default());
                }
                self.named_fields(fields, &new.file, &mut taken).into()
            }
            Some(Tree::Text(name)) if name != "unknown" => self.ty(name, &new.file).into(),
            other => other.cloned().unwrap_or(Tree::Null),
        };
        body.set(&BODY, kind, Some(fields));
        body
    }

    /// A body with fields in place of one without known fields. Its kind may be known better.
    fn body_instead(&self, here: Option<&Tree>, inherited: &str, new: &Place) -> Tree {
        let mut body = self.body_of(new);
        let said = new.tree(&self.new.desk);
        let evidence = body.text("evidence").or(said.text("evidence")).unwrap_or_default().to_owned();
        let known = here.filter(|here| places::kind(here).is_some());
        let own = known.and_then(|known| known.text("evidence")).map(str::to_owned);
        let is_known_better =
            known.is_some() && Evidence::of(own.as_deref().unwrap_or(inherited)) < Evidence::of(&evidence);
        let kind = places::kind(&body).unwrap_or("series");
        if let (true, Some(Tree::List(fields))) = (is_known_better, body.get_mut(kind)) {
            for field in fields.iter_mut().filter(|field| field.get("evidence").is_none()) {
                field.set(&FIELD, "evidence", Some(evidence.as_str()));
            }
        }
        let own = if is_known_better { own } else { (evidence != inherited).then_some(evidence) };
        match own {
            // Before a long list of fields, where it is easier to see.
            Some(own) => body.put("evidence", own.into(), &[]),
            None => body.remove("evidence"),
        }
        // A list that is no time series has no time.
        if known.and_then(|known| known.text("time")) == Some("none") {
            body.put("time", "none".into(), &["evidence"]);
        }
        body
    }
}

fn name_of(entry: &Tree) -> Option<String> {
    entry.text("name").map(str::to_owned)
}

/// Adds values to a type of the service, and returns those that are new.
pub(crate) fn join_values(desk: &mut Desk, at: &Place, known: &Tree, said: &Tree) -> Vec<String> {
    let mut idents = NamesInUse::default();
    for value in known.entries("values") {
        let name = value.text("ident").or(value.text("value")).unwrap_or_default();
        idents.note(names::ident(name, value_names(known.text("kind") == Some("identifier")).0).unwrap_or_default());
    }
    let values = new_values(known, said, &mut idents);
    let told = values.iter().filter_map(|value| value.text("value")).map(str::to_owned).collect();
    desk.extend(&at.key("values"), values);
    told
}

/// The new values of a known type, each with an `ident` if it needs one.
fn new_values(known: &Tree, said: &Tree, idents: &mut NamesInUse) -> Vec<Tree> {
    let (case, scope) = value_names(known.text("kind") == Some("identifier"));
    let listed: Vec<&Tree> = known.entries("values").iter().filter(|_| !std::ptr::eq(known, said)).collect();
    let is_new = |value: &&Tree| !listed.iter().any(|known| known.get("value") == value.get("value"));
    let values = said.entries("values").iter().filter(is_new).map(|value| {
        let (mut new, text) = (value.clone(), value.text("value").unwrap_or_default());
        let ident = idents.chosen(text, value.text("ident"), case, scope);
        new.set(&VALUE, "ident", ident);
        let evidence = value.text("evidence").or(said.text("evidence")).unwrap_or_default();
        new.set(&VALUE, "evidence", (known.text("evidence") != Some(evidence)).then_some(evidence));
        new
    });
    values.collect()
}
