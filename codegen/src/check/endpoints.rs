//! Rules about endpoints: names, paths, params and bodies.

use super::{Checker, Place, Records, Unique, stem};
use crate::diagnostic::Diagnostic;
use crate::load::Document;
use crate::names::{self, Case, Scope};
use crate::spec::{self, Fields, Known, ParamEntry, ParamLocation};

impl Checker {
    pub(super) fn endpoints(&mut self, records: &Records<'_>, group: &Document<spec::Group>, place: Place<'_>) {
        let mut idents = Unique::default();
        let mut types = Unique::default();
        for (index, record) in group.spec.records.iter().enumerate() {
            types.insert(&record.name, Place::root(group).at("records").item(index).at("name"));
        }
        self.new_type(&names::handle(stem(&group.file)), Place::root(group).at("title"), &mut types);
        for (index, endpoint) in group.spec.endpoints.iter().enumerate() {
            let place = place.item(index);
            let case = Case::Snake;
            let ident =
                self.rust_name(place, "name", &endpoint.name, endpoint.ident.as_deref(), case, Scope::Endpoints);
            if let Some(ident) = ident {
                let message = format!("the endpoint `{}` becomes `{ident}`, which another endpoint is", endpoint.name);
                if self.unique(&mut idents, "duplicate-endpoint", place.at("name"), &ident, message) {
                    self.endpoint_types(&ident, place.at("name"), &mut types);
                }
            }
            self.endpoint(records, endpoint, place);
        }
    }

    /// The marker type and the record that the endpoint may bring.
    fn endpoint_types(&mut self, ident: &str, place: Place<'_>, types: &mut Unique) {
        let Ok(type_ident) = names::ident(ident, Case::Pascal) else {
            return;
        };
        if names::is_taken(Scope::Types, &type_ident) {
            let message = format!("the client uses the name `{type_ident}` itself");
            self.push("taken-name", place, message, "say another with `ident`");
        }
        for name in [names::record(&type_ident), type_ident] {
            self.new_type(&name, place, types);
        }
    }

    /// A type that the group's module brings; `types` are those it has already.
    fn new_type(&mut self, name: &str, place: Place<'_>, types: &mut Unique) {
        let message = format!("this brings a type `{name}`, which exists already");
        match self.root_types.get(name) {
            Some(first) => {
                let finding = Diagnostic::new("same-rust-name", place.location(), message);
                self.diagnostics.push(finding.earlier(first, "first here").help("choose another name for one of them"));
            }
            None => {
                self.unique(types, "same-rust-name", place, name, message);
            }
        }
    }

    fn endpoint(&mut self, records: &Records<'_>, endpoint: &spec::Endpoint, place: Place<'_>) {
        let suffix = records.service.spec.base_url.as_ref().map_or("", |base_url| &base_url.suffix);
        let in_path = endpoint.path.known().map(|path| {
            // Two paths that differ only in the names of their params are one to a server.
            let template = template(path);
            if let Some(first) = self.paths.get(&template) {
                let message = format!("the path `{path}` stands twice");
                let finding = Diagnostic::new("duplicate-path", place.at("path").location(), message);
                let finding = finding.earlier(first.clone(), "first here");
                self.diagnostics.push(finding.help("an endpoint is described once, in one group"));
            } else {
                self.paths.insert(template, place.at("path").location());
            }
            self.endpoint_path(place.at("path"), path, suffix)
        });
        self.endpoint_params(records, endpoint, place, in_path);
        if let Known::Known(body) = &endpoint.body {
            self.body(records, body, place.at("body"));
        }
    }

    fn endpoint_params(
        &mut self,
        records: &Records<'_>,
        endpoint: &spec::Endpoint,
        place: Place<'_>,
        in_path: Option<Vec<String>>,
    ) {
        let params = self.resolve_params(records, endpoint, place.at("params"));
        let (mut names, mut idents) = (Unique::default(), Unique::default());
        for (param, place) in &params {
            if names.insert(&param.name, *place).is_some() {
                let message = format!("the endpoint takes `{}` twice", param.name);
                self.push("duplicate-param", *place, message, "keep one; param sets bring theirs");
                continue;
            }
            let list = param.list.iter().cloned();
            let setters = names::chosen(param.ident.as_ref(), &param.name, Case::Snake);
            for ident in setters.into_iter().chain(list) {
                let message = format!("`{}` becomes `{ident}`, which another param of the endpoint is", param.name);
                self.unique(&mut idents, "same-rust-name", *place, &ident, message);
            }
        }
        let Some(in_path) = in_path else { return };
        for name in &in_path {
            let declared = params.iter().any(|(param, _)| param.location == ParamLocation::Path && param.name == *name);
            if !declared && !self.cut.contains(name) {
                let message = format!("the path has a param `{name}` that is not declared");
                self.push(
                    "path-param",
                    place.at("path"),
                    message,
                    format!("add it under `params` with `name: {name}` and `in: path`"),
                );
            }
        }
        for (param, place) in params.iter().filter(|(param, _)| param.location == ParamLocation::Path) {
            if !in_path.contains(&param.name) {
                let message =
                    format!("the param `{}` is `in: path`, but the path has no `{{{}}}`", param.name, param.name);
                self.push("path-param", *place, message, "put it into the path, or leave `in` out");
            }
        }
    }

    /// The endpoint's params with sets and references followed, each with the entry it comes from.
    fn resolve_params<'a>(
        &mut self,
        records: &Records<'a>,
        endpoint: &'a spec::Endpoint,
        place: Place<'a>,
    ) -> Vec<(&'a spec::Param, Place<'a>)> {
        let service = &records.service.spec;
        let shared = |id: &str| service.params.iter().find(|param| param.id() == id);
        let mut params = Vec::new();
        for (index, entry) in endpoint.params.known().into_iter().flatten().enumerate() {
            let place = place.item(index);
            match entry {
                ParamEntry::Own(param) => {
                    self.param(records, param, place);
                    params.push((param.as_ref(), place.at("name")));
                }
                ParamEntry::Use(entry) => {
                    if let Some(param) = shared(&entry.param) {
                        self.used_param(param, entry.required, place.at("use"));
                        params.push((param, place.at("use")));
                    } else {
                        let known = service.params.iter().map(spec::Param::id);
                        self.unknown_name("unknown-param", place.at("use"), "shared param", &entry.param, known);
                    }
                }
                ParamEntry::Name(name) => {
                    let set = service.param_sets.iter().find(|set| set.name == *name);
                    if let Some(set) = set {
                        params.extend(set.params.iter().filter_map(|id| Some((shared(id)?, place))));
                    } else if let Some(param) = shared(name) {
                        params.push((param, place));
                    } else {
                        let sets = service.param_sets.iter().map(|set| set.name.as_str());
                        let known = sets.chain(service.params.iter().map(spec::Param::id));
                        self.unknown_name("unknown-param", place, "shared param or param set", name, known);
                    }
                }
            }
        }
        params
    }

    fn body(&mut self, records: &Records<'_>, body: &spec::Body, place: Place<'_>) {
        let (key, fields) = match (&body.series, &body.object) {
            (Some(fields), None) => ("series", fields),
            (None, Some(fields)) => ("object", fields),
            (Some(_), Some(_)) => {
                self.push("body-kind", place, "a body is a `series` or an `object`, not both", "keep one");
                return;
            }
            (None, None) => {
                self.push(
                    "body-kind",
                    place,
                    "the body says neither `series` nor `object`",
                    "say one of them, or write `body: unknown`",
                );
                return;
            }
        };
        let is_series = key == "series";
        if !is_series && body.time.is_some() {
            self.push("body-time", place.at("time"), "an object has no time field", "leave `time` out");
        }
        let envelope_time = records.service.spec.envelope.as_ref().and_then(|envelope| envelope.time.as_ref());
        match fields {
            // What the fields are is unknown, and so is no field that could say the unit.
            Known::Unknown if is_series => {
                if body.time.as_deref() == Some("none") {
                    self.body_unit(body, None, place);
                }
            }
            Known::Unknown => {
                self.push(
                    "body-kind",
                    place.at(key),
                    "an object without known fields is unknown",
                    "write `body: unknown`",
                );
            }
            Known::Known(Fields::Inline(fields)) => {
                let own_time = body.time.as_ref().filter(|time| envelope_time.is_none_or(|field| field.name != **time));
                let time = envelope_time.filter(|_| is_series && own_time.is_none());
                self.fields(records, fields, place.at(key), time);
                self.body_unit(body, time, place);
                if let Some(time) = own_time {
                    self.time(fields, time, place.at("time"));
                }
            }
            Known::Known(Fields::Record(name)) => {
                let Some(record) = records.get(name) else {
                    let known = records.all().map(|record| record.name.as_str());
                    self.unknown_name("unknown-record", place.at(key), "record", name, known);
                    return;
                };
                self.body_unit(body, None, place);
                let time = body.time.as_ref().or(envelope_time.map(|time| &time.name));
                if let (true, Some(time)) = (is_series, time) {
                    let place = place.at(if body.time.is_some() { "time" } else { key });
                    self.time(&record.fields, time, place);
                }
            }
        }
    }

    /// The field that a series names as its time.
    fn time(&mut self, fields: &[spec::Field], time: &str, place: Place<'_>) {
        // A record without fields stands in for one that could not be read.
        if time == "none" || fields.is_empty() {
            return;
        }
        match fields.iter().find(|field| field.name == time) {
            Some(field) if field.ty == "timestamp" => {}
            Some(field) => {
                let message = format!("the time field `{time}` is `{}`, not `timestamp`", field.ty);
                self.push("time-type", place, message, "make it a timestamp, or name another");
            }
            None => {
                let message = format!("the record has no field `{time}` for its time");
                self.push(
                    "unknown-field",
                    place,
                    message,
                    "add the field, name another with `time`, or write `time: none`",
                );
            }
        }
    }
}

/// A path without the names of its params.
pub(crate) fn template(path: &str) -> String {
    let segments = path.split('/').map(|segment| if segment.starts_with('{') { "{}" } else { segment });
    segments.collect::<Vec<_>>().join("/")
}
