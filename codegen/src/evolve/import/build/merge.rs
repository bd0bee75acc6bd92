//! What a description adds to endpoints and types that are there already.

use super::named_types::values;
use super::{Builder, SERVICE, Slot, template};
use crate::evolve::change::{Desk, Refusal};
use crate::evolve::edit::Step;
use crate::evolve::import::plan::{PlannedBody, PlannedEndpoint, PlannedType, Taken as Takes};
use crate::evolve::naming::{Taken, entries};
use crate::evolve::tree::Tree;
use crate::names::{self, Case};
use crate::spec::{self, ParamEntry};

/// Where an endpoint is already: by its path, or by its name where nobody knew the path.
pub(super) fn find(desk: &Desk, endpoint: &PlannedEndpoint, wanted: Option<&str>) -> Option<Slot> {
    let all = desk.checked.groups.iter().flat_map(|(module, group)| {
        group.endpoints.iter().enumerate().map(move |(index, endpoint)| (module, index, endpoint))
    });
    let ident = endpoint.said.ident.clone().or_else(|| names::ident(&endpoint.name, Case::Snake).ok());
    let mut by_name = None;
    for (module, index, known) in all {
        let slot = || Slot::Known(module.clone(), index);
        match known.path.known() {
            Some(path) if Some(template(path).as_str()) == wanted => return Some(slot()),
            None if *module == endpoint.group && ident_of(known) == ident => by_name = Some(slot()),
            _ => {}
        }
    }
    by_name
}

fn ident_of(endpoint: &spec::Endpoint) -> Option<String> {
    endpoint.ident.clone().or_else(|| names::ident(&endpoint.name, Case::Snake).ok())
}

/// Adds to an endpoint what was unknown of it.
pub(super) fn endpoint(
    builder: &mut Builder<'_>,
    new: &PlannedEndpoint,
    module: &str,
    index: usize,
) -> Result<(), Refusal> {
    let file = format!("{module}.yaml");
    let at = [Step::Key("endpoints"), Step::Item(index)];
    let within = |key: &'static str| [at.as_slice(), &[Step::Key(key)]].concat();
    let entry = builder.desk.tree(&file)?.get("endpoints").and_then(|list| list.item_at(index)).cloned();
    let Some(entry) = entry else { return Ok(()) };
    let said = |key: &str| entry.get(key).and_then(Tree::as_text);
    let mut inherited = said("evidence").unwrap_or_default().to_owned();
    if let (Some("unknown"), Some(path)) = (said("path"), &new.path) {
        inherited = new.said.evidence.clone().unwrap_or_else(|| builder.import.evidence.clone());
        builder.desk.replace(&file, &within("path"), path.as_str())?;
        builder.desk.replace(&file, &within("evidence"), inherited.as_str())?;
    }
    if let Some(params) = &new.params {
        let known = wire_names(builder.desk, module, index);
        match known {
            None => {
                let params = builder.params(params, &inherited);
                builder.desk.replace(&file, &within("params"), params)?;
            }
            Some(known) => {
                let name = |param: &Takes| match param {
                    Takes::Shared(index) => builder.plan.shared[*index].name.clone(),
                    Takes::Own(param) => param.name.clone(),
                };
                let missing: Vec<Takes> =
                    params.iter().filter(|param| !known.contains(&name(param))).cloned().collect();
                let params = builder.params(&missing, &inherited);
                builder.desk.extend(&file, &within("params"), params)?;
            }
        }
    }
    body(builder, new, &file, &within("body"), entry.get("body").unwrap_or(&Tree::Null), &inherited)
}

/// The params of an endpoint, sets and references followed.
pub(super) fn wire_names(desk: &Desk, module: &str, index: usize) -> Option<Vec<String>> {
    let service = &desk.checked.service;
    let (_, group) = desk.checked.groups.iter().find(|(known, _)| known == module)?;
    let shared = |id: &str| service.params.iter().find(|param| param.id() == id).map(|param| param.name.clone());
    let entries = group.endpoints.get(index)?.params.known()?;
    let names = entries.iter().flat_map(|entry| match entry {
        ParamEntry::Own(param) => vec![param.name.clone()],
        ParamEntry::Use(entry) => shared(&entry.param).into_iter().collect(),
        ParamEntry::Name(name) => match service.param_sets.iter().find(|set| set.name == *name) {
            Some(set) => set.params.iter().filter_map(|id| shared(id)).collect(),
            None => shared(name).into_iter().collect(),
        },
    });
    Some(names.collect())
}

/// Fills a body that was unknown, and adds fields to one that was not.
fn body(
    builder: &mut Builder<'_>,
    new: &PlannedEndpoint,
    file: &str,
    path: &[Step],
    known: &Tree,
    inherited: &str,
) -> Result<(), Refusal> {
    let (record, key) = match new.body {
        PlannedBody::Series(Some(record), _) => (record, "series"),
        PlannedBody::Object(record) => (record, "object"),
        _ => return Ok(()),
    };
    let is_unknown = |tree: Option<&Tree>| tree.and_then(Tree::as_text) == Some("unknown");
    if is_unknown(Some(known)) || is_unknown(known.get("series")) {
        return builder.desk.replace(file, path, builder.body(new, inherited));
    }
    let Some(listed) = known.get(key) else {
        let name = &new.name;
        builder
            .desk
            .say(format!("{name}: the description says {key} of the body and the catalogue does not; it stays"));
        return Ok(());
    };
    let (file, path, listed, evidence) = match listed.as_text() {
        None => {
            let evidence = known.get("evidence").and_then(Tree::as_text).unwrap_or(inherited).to_owned();
            (file.to_owned(), [path, &[Step::Key(key)]].concat(), items(listed), evidence)
        }
        Some(name) => match named_record(builder.desk, file, name) {
            Some(found) => found,
            None => return Ok(()),
        },
    };
    fields(builder, record, &file, &path, &listed, &evidence, &new.name)
}

/// The place of a record with a name, its fields, and what they inherit.
pub(super) fn named_record(desk: &mut Desk, file: &str, name: &str) -> Option<(String, Vec<Step>, Vec<Tree>, String)> {
    [file, SERVICE].into_iter().find_map(|file| {
        let tree = desk.tree(file).ok()?;
        let is_it = |record: &Tree| record.get("name").and_then(Tree::as_text) == Some(name);
        let index = entries(&tree, "records").iter().position(is_it)?;
        let record = &entries(&tree, "records")[index];
        let evidence = record.get("evidence").and_then(Tree::as_text)?.to_owned();
        let path = vec![Step::Key("records"), Step::Item(index), Step::Key("fields")];
        Some((file.to_owned(), path, items(record.get("fields")?), evidence))
    })
}

fn items(list: &Tree) -> Vec<Tree> {
    match list {
        Tree::List(items) => items.clone(),
        _ => Vec::new(),
    }
}

pub(super) fn fields(
    builder: &mut Builder<'_>,
    record: usize,
    file: &str,
    path: &[Step],
    listed: &[Tree],
    evidence: &str,
    endpoint: &str,
) -> Result<(), Refusal> {
    let mut taken = Taken::default();
    for field in listed {
        let name = ["ident", "name"].iter().find_map(|key| field.get(key)?.as_text()).unwrap_or_default();
        taken.note(names::ident(name, Case::Snake).unwrap_or_default());
    }
    let mut new = Vec::new();
    for field in builder.plan.records[record].fields.clone() {
        let known = listed.iter().find(|known| known.get("name").and_then(Tree::as_text) == Some(&field.name));
        let ty = builder.ty(&field.ty);
        match known.map(|known| known.get("type").and_then(Tree::as_text).unwrap_or_default()) {
            _ if Some(&field.name) == builder.envelope_time.as_ref() && known.is_none() => {}
            None => new.push(builder.field(&field, evidence, &mut taken)),
            Some(known) if known == ty => {}
            Some(known) => {
                let name = &field.name;
                builder.desk.say(format!("{endpoint}: `{name}` is {known} here and {ty} in the description; it stays"));
            }
        }
    }
    builder.desk.extend(file, path, new)
}

/// Adds values to enums that are there already.
pub(super) fn values_of_known(
    desk: &mut Desk,
    types: &[(String, Option<usize>)],
    planned: &[PlannedType],
    evidence: &str,
) -> Result<(), Refusal> {
    for ((name, known), planned) in types.iter().zip(planned) {
        let Some(index) = *known else { continue };
        let service = desk.service_tree();
        let ty = &entries(&service, "types")[index];
        let listed: Vec<&str> =
            entries(ty, "values").iter().filter_map(|value| value.get("value")?.as_text()).collect();
        let mut idents = Taken::default();
        let case = if planned.is_open { Case::Shouty } else { Case::Pascal };
        for value in entries(ty, "values") {
            let name = ["ident", "value"].iter().find_map(|key| value.get(key)?.as_text()).unwrap_or_default();
            idents.note(names::ident(name, case).unwrap_or_default());
        }
        let inherited = ty.get("evidence").and_then(Tree::as_text).unwrap_or_default();
        let mut new = values(planned, inherited, &mut idents, &listed);
        for value in &mut new {
            if value.get("evidence").is_none() && inherited != evidence {
                *value = value.clone().with("evidence", evidence);
            }
        }
        if new.is_empty() || ty.get("values").is_none() {
            continue;
        }
        let shown: Vec<&str> = new.iter().filter_map(|value| value.get("value")?.as_text()).collect();
        desk.say(format!("`{name}` gets new values: {}", shown.join(", ")));
        desk.extend(SERVICE, &[Step::Key("types"), Step::Item(index), Step::Key("values")], new)?;
    }
    Ok(())
}
