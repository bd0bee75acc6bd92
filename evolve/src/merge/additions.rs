//! What is new is written, with the names that types and records have in the catalogue that is there.

use codegen::names::{self, Case, Scope};
use codegen::spec::Evidence;
use codegen::type_expr::TypeExpr;

use super::Merger;
use super::matching::{can_be, is_news};
use super::places::{self, Fields, Place};
use crate::edit::Step;
use crate::keys::SERVICE;
use crate::naming::{Taken, claim_endpoint, claim_type, group_types, root_types, value_names};
use crate::tree::Tree;

impl Merger<'_> {
    /// Names for types: those that they have already, by their places, or by name and a value that both have.
    pub(super) fn name_types(&mut self) {
        for (at, new) in places::service().items(&self.new.desk, "types") {
            let name = new.text("name").unwrap_or_default();
            let is_wanted = self.met.wanted_types.get(name).cloned();
            let met = self.met.types.get(name).map(|(known, _)| known.clone());
            let by_name = || can_be(self.desk, name, &self.new.desk, name).then(|| name.to_owned());
            if let Some(known) = met.clone().or_else(|| is_wanted.as_ref().and_then(|_| by_name())) {
                if let (None, Some(label)) = (met, is_wanted) {
                    self.met.types.insert(name.to_owned(), (known.clone(), label));
                }
                self.types.insert(name.to_owned(), known);
            } else if is_wanted.is_some() {
                let known = self.claim_root(name);
                self.types.insert(name.to_owned(), known.clone());
                let mut tree = at.tree(&self.new.desk).clone();
                tree.put("name", known.into(), &[]);
                self.desk.extend(SERVICE, &[], "types", vec![tree]);
            }
        }
    }

    /// Names for records: those that they have already, or new ones where they are to be written.
    pub(super) fn name_records(&mut self) {
        for (record, there) in self.met.wanted_records.clone() {
            let name = record.tree(&self.new.desk).text("name").unwrap_or_default().to_owned();
            let known = match there {
                Some(there) => there.tree(self.desk).text("name").unwrap_or_default().to_owned(),
                None => match self.met.file_of(&record).map(str::to_owned) {
                    None => self.claim_root(&name),
                    Some(file) => {
                        let owner = self.new.owners.get(&name).cloned().unwrap_or_default();
                        let mut all = root_types(self.desk.tree(SERVICE));
                        let own = self.group(&file);
                        all.add(own);
                        let known = claim_type(&mut all, &name, &owner);
                        own.note(known.as_str());
                        known
                    }
                },
            };
            self.records.insert(record, known);
        }
    }

    /// The names that a group's module has.
    fn group(&mut self, file: &str) -> &mut Taken {
        let module = file.trim_end_matches(".yaml");
        let tree = self.desk.tree(file);
        self.groups.entry(file.to_owned()).or_insert_with(|| {
            let mut taken = Taken::default();
            group_types(module, tree, &mut taken);
            taken
        })
    }

    /// A name that is free at the root, where it would be in the way of every group.
    fn claim_root(&mut self, name: &str) -> String {
        let files: Vec<String> = self.desk.groups().map(str::to_owned).collect();
        let mut all = self.root.clone();
        for file in files {
            all.add(self.group(&file));
        }
        self.groups.values().for_each(|taken| all.add(taken));
        let owner = self.new.owners.get(name).map(String::as_str).unwrap_or_default();
        let known = claim_type(&mut all, name, owner);
        self.root.note(known.as_str());
        known
    }

    /// A new type by the names that its parts have in the catalogue that is there.
    pub(super) fn ty(&self, ty: &str, file: &str) -> String {
        match TypeExpr::parse(ty) {
            Some(TypeExpr::List(_)) => {
                let item = ty.trim_start_matches("list<").trim_end_matches('>');
                ty.replace(item, &self.ty(item, file))
            }
            Some(TypeExpr::Name(name)) => match places::record(&self.new.desk, file, name) {
                Some(record) => self.records.get(&record).cloned().unwrap_or_else(|| "any".to_owned()),
                None => self.types.get(name).cloned().unwrap_or_else(|| name.to_owned()),
            },
            _ => ty.to_owned(),
        }
    }

    /// Records that nothing stands for.
    pub(super) fn write_records(&mut self) {
        let wanted: Vec<Place> =
            self.met.wanted_records.iter().filter(|(_, there)| there.is_none()).map(|(at, _)| at.clone()).collect();
        for at in wanted {
            let file = self.met.file_of(&at).unwrap_or(SERVICE).to_owned();
            let mut tree = at.tree(&self.new.desk).clone();
            tree.put("name", self.records[&at].as_str().into(), &[]);
            let fields = self.with_known_types(tree.entries("fields"), &at.file);
            tree.put("fields", fields.into(), &[]);
            self.new_records.entry(file).or_default().push(tree);
        }
        for (file, records) in std::mem::take(&mut self.new_records) {
            // Those of a group that is still to come are written with it.
            if *self.desk.tree(&file) == Tree::Null {
                self.new_records.insert(file, records);
            } else {
                self.desk.extend(&file, &[], "records", records);
            }
        }
    }

    fn with_known_types(&self, fields: &[Tree], file: &str) -> Vec<Tree> {
        let known = fields.iter().map(|field| {
            let mut field = field.clone();
            field.put("type", self.ty(field.text("type").unwrap_or_default(), file).into(), &[]);
            field
        });
        known.collect()
    }

    /// Adds fields to those that stand in their place.
    pub(super) fn add_fields(&mut self, known: &Fields, new: &Fields) {
        let mut taken = Taken::default();
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
        let all: Vec<Tree> = new.all(&self.new.desk).into_iter().map(|(_, field)| field.clone()).collect();
        let fields = all.iter().filter(is_new).map(|field| {
            let (mut field, name) = (field.clone(), field.text("name").unwrap_or_default());
            let ident = taken.chosen(name, field.text("ident"), Case::Snake, Scope::Fields);
            let evidence = field.text("evidence").unwrap_or(&new.evidence).to_owned();
            let ty = self.ty(field.text("type").unwrap_or_default(), &new.at.file);
            field.put("type", ty.into(), &[]);
            set(&mut field, "ident", ident.map(Tree::from), &["name"]);
            set(&mut field, "evidence", (evidence != known.evidence).then(|| evidence.into()), BEFORE_EVIDENCE);
            field
        });
        let fields = fields.collect();
        if let Some((Step::Key(list), map)) = known.at.path.split_last() {
            self.desk.extend(&known.at.file, map, list, fields);
        }
    }

    /// Adds values to types that are there already.
    pub(super) fn add_values(&mut self) {
        for (new, (name, _)) in self.met.types.clone() {
            let Some((at, known)) = places::named_type(self.desk, &name).map(|(at, known)| (at, known.clone())) else {
                continue;
            };
            let Some((_, said)) = places::named_type(&self.new.desk, &new) else { continue };
            let (case, scope) = value_names(known.text("kind") == Some("identifier"));
            let mut idents = Taken::default();
            for value in known.entries("values") {
                let name = value.text("ident").or(value.text("value")).unwrap_or_default();
                idents.note(names::ident(name, case).unwrap_or_default());
            }
            let is_new =
                |value: &&Tree| !known.entries("values").iter().any(|known| known.get("value") == value.get("value"));
            let values: Vec<Tree> = said.entries("values").iter().filter(is_new).cloned().collect();
            let values: Vec<Tree> = values
                .into_iter()
                .map(|mut value| {
                    let text = value.text("value").unwrap_or_default().to_owned();
                    let ident = idents.chosen(&text, value.text("ident").map(str::to_owned).as_deref(), case, scope);
                    set(&mut value, "ident", ident.map(Tree::from), &["value"]);
                    let evidence = value.text("evidence").or(said.text("evidence")).unwrap_or_default().to_owned();
                    let own = (known.text("evidence") != Some(&evidence)).then(|| evidence.into());
                    set(&mut value, "evidence", own, &["value", "ident", "summary"]);
                    value
                })
                .collect();
            if !values.is_empty() {
                let shown: Vec<&str> = values.iter().filter_map(|value| value.text("value")).collect();
                self.desk.say(format!("`{name}` gets new values: {}", shown.join(", ")));
                self.desk.extend(SERVICE, &at.path, "values", values);
            }
        }
    }

    /// Endpoints that are new, and of the others what was unknown.
    pub(super) fn add_endpoints(&mut self) {
        for (new, known) in self.met.endpoints.clone() {
            match known {
                Some(known) => self.complete(&known, &new),
                None => self.add_endpoint(&new),
            }
        }
        for file in self.new.desk.groups().map(str::to_owned).collect::<Vec<_>>() {
            let endpoints = self.new_endpoints.remove(&file).unwrap_or_default();
            let records = self.new_records.remove(&file).unwrap_or_default();
            if *self.desk.tree(&file) == Tree::Null {
                // Whatever the description calls the group: all it has may stand in others already.
                let said = self.new.desk.tree(&file);
                let stands_elsewhere = endpoints.is_empty() && !said.entries("endpoints").is_empty();
                if !(stands_elsewhere && records.is_empty()) {
                    let mut head = said.clone();
                    set(
                        &mut head,
                        "records",
                        (!records.is_empty()).then(|| records.into()),
                        &["title", "summary", "aliases"],
                    );
                    head.put("endpoints", endpoints.into(), &[]);
                    self.desk.create(&file, head);
                }
            } else {
                self.desk.extend(&file, &[], "endpoints", endpoints);
            }
        }
    }

    fn add_endpoint(&mut self, new: &Place) {
        let mut tree = new.tree(&self.new.desk).clone();
        let name = tree.text("name").unwrap_or_default().to_owned();
        let (root, chosen) = (self.root.clone(), tree.text("ident").map(str::to_owned));
        let ident = claim_endpoint(&name, chosen.as_deref(), self.group(&new.file), &root);
        set(&mut tree, "ident", ident.map(Tree::from), &["name"]);
        let evidence = tree.text("evidence").unwrap_or_default().to_owned();
        if let Some(params) = self.new_params(new, None, &evidence, Taken::default()) {
            tree.put("params", params.into(), &[]);
        }
        tree.put("body", self.body_of(new), &[]);
        self.new_endpoints.entry(new.file.clone()).or_default().push(tree);
    }

    /// Adds to an endpoint what was unknown of it.
    fn complete(&mut self, known: &Place, new: &Place) {
        let (here, said) = (known.tree(self.desk).clone(), new.tree(&self.new.desk).clone());
        let mut inherited = here.text("evidence").unwrap_or_default().to_owned();
        if let (Some("unknown"), Some(path)) = (here.text("path"), said.text("path").filter(|path| *path != "unknown"))
        {
            inherited = said.text("evidence").unwrap_or_default().to_owned();
            self.desk.set(&known.file, &known.path, "path", path);
            self.desk.set(&known.file, &known.path, "evidence", inherited.as_str());
        }
        let listed = places::params(self.desk, known);
        let mut idents = Taken::default();
        for param in listed.iter().flatten().map(|taken| taken.at.tree(self.desk)) {
            idents.note(crate::naming::ident_of(param).unwrap_or_default());
            param.text("list").into_iter().for_each(|list| idents.note(list));
        }
        if let Some(params) = self.new_params(new, Some(known), &inherited, idents) {
            match listed {
                Some(_) => self.desk.extend(&known.file, &known.path, "params", params),
                None => self.desk.set(&known.file, &known.path, "params", params),
            }
        }
        if is_news(here.get("body"), said.get("body")) && places::body_fields(&self.new.desk, new).is_some() {
            let body = self.body_instead(here.get("body"), &inherited, new);
            self.desk.set(&known.file, &known.path, "body", body);
        }
    }

    /// A body by the names that types and records have here.
    fn body_of(&self, new: &Place) -> Tree {
        let mut body = new.tree(&self.new.desk).get("body").cloned().unwrap_or(Tree::Null);
        let Some(kind) = places::kind(&body) else { return body };
        let fields = match body.get(kind) {
            Some(Tree::List(fields)) => self.with_known_types(fields, &new.file).into(),
            Some(Tree::Text(name)) if name != "unknown" => self.ty(name, &new.file).into(),
            other => other.cloned().unwrap_or(Tree::Null),
        };
        body.put(kind, fields, &[]);
        body
    }

    /// A body with fields in the place of one whose fields nobody knew. That it is a series may be known better.
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
                set(field, "evidence", Some(evidence.as_str().into()), BEFORE_EVIDENCE);
            }
        }
        let own = if is_known_better { own } else { (evidence != inherited).then_some(evidence) };
        set(&mut body, "evidence", own.map(Tree::from), &[]);
        // A list that is no time series has no time to be found.
        if known.and_then(|known| known.text("time")) == Some("none") {
            set(&mut body, "time", Some("none".into()), &["evidence"]);
        }
        body
    }
}

const BEFORE_EVIDENCE: &[&str] = &["name", "ident", "type", "summary", "unit", "range", "optional"];

/// Gives a key a value behind others, or takes it away.
pub(super) fn set(tree: &mut Tree, key: &str, value: Option<Tree>, before: &[&str]) {
    match (value, tree) {
        (Some(value), tree) => tree.put(key, value, before),
        (None, Tree::Map(entries)) => entries.retain(|(name, _)| name != key),
        (None, _) => {}
    }
}
