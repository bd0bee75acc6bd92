//! What a description adds to endpoints and types that are there already.

use super::known::{self, FieldsAt};
use super::named_types::values;
use super::{Builder, SERVICE, Slot, TypeName};
use crate::evolve::change::{Desk, Refusal};
use crate::evolve::edit::Step;
use crate::evolve::import::plan::{PlannedEndpoint, PlannedType, Taken as Takes};
use crate::evolve::naming::{Taken, entries, ident_of};
use crate::evolve::tree::Tree;
use crate::names::{self, Case};
use crate::path::template;

/// Where an endpoint is already: by its path, or by its name where nobody knew the path.
pub(super) fn find(desk: &Desk, endpoint: &PlannedEndpoint, wanted: Option<&str>) -> Option<Slot> {
    let all = desk.checked.groups.iter().enumerate().flat_map(|(place, (module, group))| {
        group.endpoints.iter().enumerate().map(move |(index, endpoint)| (place, module, index, endpoint))
    });
    let ident = names::chosen(endpoint.said.ident.as_ref(), &endpoint.name, Case::Snake);
    let mut by_name = None;
    for (group, module, index, known) in all {
        match known.path.known() {
            Some(path) if Some(template(path).as_str()) == wanted => return Some(Slot::Known(group, index)),
            None if *module == endpoint.group && ident_of(known) == ident => by_name = Some(Slot::Known(group, index)),
            _ => {}
        }
    }
    by_name
}

/// Adds to an endpoint what was unknown of it.
pub(super) fn endpoint(
    builder: &mut Builder<'_>,
    new: &PlannedEndpoint,
    group: usize,
    index: usize,
) -> Result<(), Refusal> {
    let file = known::file(&builder.desk.checked, group);
    let at = known::endpoint_path(index);
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
        let known = known::params(&builder.desk.checked, group, index);
        let (is_known, mut idents) = (known.is_some(), Taken::default());
        for param in known.iter().flatten().filter_map(|(at, _)| at.param(&builder.desk.checked)) {
            idents.note(names::chosen(param.ident.as_deref(), &param.name, Case::Snake).unwrap_or_default());
            param.list.iter().for_each(|list| idents.note(list.as_str()));
        }
        let slot = Slot::Known(group, index);
        let is_missing = |param: &Takes| !builder.met.has(&slot, &builder.plan.param(param).name);
        let missing: Vec<Takes> = params.iter().filter(|param| is_missing(param)).cloned().collect();
        let params = builder.params(&missing, &inherited, idents);
        if is_known {
            builder.desk.extend(&file, &within("params"), params)?;
        } else {
            builder.desk.replace(&file, &within("params"), params)?;
        }
    }
    let known = &builder.desk.checked.groups[group].1.endpoints[index].body;
    if new.body.record().is_some() && new.body.is_news_to(known) {
        let known = entry.get("body").cloned().unwrap_or(Tree::Null);
        body(builder, &file, &within("body"), &known, new, &inherited)?;
    }
    Ok(())
}

/// Puts fields where none were known.
fn body(
    builder: &mut Builder<'_>,
    file: &str,
    path: &[Step],
    known: &Tree,
    new: &PlannedEndpoint,
    inherited: &str,
) -> Result<(), Refusal> {
    let mut body = builder.body(new, inherited);
    // A list that is no time series has no time to be found.
    let time = known.get("time").filter(|time| time.as_text() == Some("none"));
    if let (Some(time), Tree::Map(entries)) = (time, &mut body) {
        entries.retain(|(key, _)| key != "time");
        let behind = entries.iter().position(|(key, _)| key == "evidence").map_or(0, |index| index + 1);
        entries.insert(behind, ("time".to_owned(), time.clone()));
    }
    if builder.desk.replace(file, path, body.clone()).is_ok() {
        return Ok(());
    }
    // It stands on several lines, which stay.
    for (key, value) in [("series", body.get("series")), ("evidence", body.get("evidence")), ("time", body.get("time"))]
    {
        let Some(value) = value.cloned() else { continue };
        match known.get(key) {
            Some(known) if *known == value => {}
            Some(_) => builder.desk.replace(file, &[path, &[Step::Key(key)]].concat(), value)?,
            None => builder.insert(file, path, key, value)?,
        }
    }
    Ok(())
}

/// Adds fields to those that stand in the place of a record.
pub(super) fn fields(builder: &mut Builder<'_>, record: usize, at: &FieldsAt) -> Result<(), Refusal> {
    let (file, path) = at.place(&builder.desk.checked);
    let Some(list) = at.list(&builder.desk.checked) else { return Ok(()) };
    let evidence = list.evidence.word();
    let tree = builder.desk.tree(&file)?;
    let Some(Tree::List(listed)) = tree.at(&path) else { return Ok(()) };
    let mut taken = Taken::default();
    for field in listed {
        let name = ["ident", "name"].iter().find_map(|key| field.get(key)?.as_text()).unwrap_or_default();
        taken.note(names::ident(name, Case::Snake).unwrap_or_default());
    }
    let is_listed = |name: &str| listed.iter().any(|known| known.get("name").and_then(Tree::as_text) == Some(name));
    let time = builder.envelope_time.as_deref();
    let new = builder.plan.records[record].fields.iter();
    let new = new.filter(|field| !is_listed(&field.name) && Some(field.name.as_str()) != time);
    let new = new.map(|field| builder.field(field, evidence, &mut taken)).collect();
    builder.desk.extend(&file, &path, new)
}

/// Adds values to types that are there already.
pub(super) fn values_of_known(builder: &mut Builder<'_>) -> Result<(), Refusal> {
    for index in 0..builder.types.len() {
        let TypeName { name, known: Some(known), .. } = &builder.types[index] else { continue };
        let service = builder.desk.service_tree();
        let ty = &entries(&service, "types")[*known];
        let new = new_values(ty, &builder.plan.types[index], &builder.import.evidence);
        if new.is_empty() {
            continue;
        }
        let shown: Vec<&str> = new.iter().filter_map(|value| value.get("value")?.as_text()).collect();
        builder.desk.say(format!("`{name}` gets new values: {}", shown.join(", ")));
        let path = [Step::Key("types"), Step::Item(*known)];
        match ty.get("values") {
            Some(_) => builder.desk.extend(SERVICE, &[&path[..], &[Step::Key("values")]].concat(), new)?,
            None => builder.insert(SERVICE, &path, "values", Tree::List(new))?,
        }
    }
    Ok(())
}

fn new_values(ty: &Tree, planned: &PlannedType, evidence: &str) -> Vec<Tree> {
    let listed: Vec<&str> = entries(ty, "values").iter().filter_map(|value| value.get("value")?.as_text()).collect();
    let mut idents = Taken::default();
    let is_open = ty.get("kind").and_then(Tree::as_text) == Some("identifier");
    let case = if is_open { Case::Shouty } else { Case::Pascal };
    for value in entries(ty, "values") {
        let name = ["ident", "value"].iter().find_map(|key| value.get(key)?.as_text()).unwrap_or_default();
        idents.note(names::ident(name, case).unwrap_or_default());
    }
    let inherited = ty.get("evidence").and_then(Tree::as_text).unwrap_or_default();
    let mut new = values(planned, is_open, inherited, &mut idents, &listed);
    for value in &mut new {
        if value.get("evidence").is_none() && inherited != evidence {
            *value = value.clone().with("evidence", evidence);
        }
    }
    new
}
