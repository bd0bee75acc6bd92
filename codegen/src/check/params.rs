//! Rules about params and param sets, shared and own.

use super::{Checker, Place, Records, Setter, Unique};
use crate::diagnostic::Diagnostic;
use crate::names::{self, Case, Scope};
use crate::spec::{self, Evidence, ParamLocation, TypeKind};
use crate::type_expr::TypeExpr;

impl Checker {
    pub(super) fn shared_params(&mut self, service: &spec::Service, place: Place<'_>, records: &Records<'_>) {
        let mut ids = Unique::default();
        for (index, param) in service.params.iter().enumerate() {
            let place = place.at("params").item(index);
            let key = if place.node.get("id").is_some() { "id" } else { "name" };
            let message = format!("the shared param `{}` stands twice", param.id());
            self.constant(&mut ids, place.at(key), param.id(), message);
            if param.evidence.is_none() {
                let message = format!("the shared param `{}` has no evidence", param.id());
                self.push("missing-key", place.at(key), message, "add `evidence: reported`");
            }
            self.param(records, param, place);
        }
        self.param_sets(service, place.at("param_sets"), ids);
    }

    fn param_sets(&mut self, service: &spec::Service, place: Place<'_>, mut names: Unique) {
        for (index, set) in service.param_sets.iter().enumerate() {
            let place = place.item(index);
            let message = format!("the name `{}` stands twice among params and param sets", set.name);
            self.constant(&mut names, place.at("name"), &set.name, message);
            let mut seen = Unique::default();
            for (index, name) in set.params.iter().enumerate() {
                let place = place.at("params").item(index);
                if !service.params.iter().any(|param| param.id() == name) {
                    let known = service.params.iter().map(spec::Param::id);
                    self.unknown_name("unknown-param", place, "shared param", name, known);
                }
                let message = format!("the param `{name}` stands twice in the set");
                self.unique(&mut seen, "duplicate-param", place, name, message);
            }
        }
    }

    /// The name of a shared param or a param set, which becomes a constant.
    fn constant(&mut self, constants: &mut Unique, place: Place<'_>, name: &str, twice: String) {
        match names::ident(name, Case::Shouty) {
            Ok(constant) => {
                self.unique(constants, "duplicate-param", place, &constant, twice);
            }
            Err(reason) => {
                let message = format!("`{name}` does not make a Rust name: {reason}");
                self.push("no-rust-name", place, message, "choose another");
            }
        }
    }

    /// What holds for every param, wherever it is defined.
    pub(super) fn param(&mut self, records: &Records<'_>, param: &spec::Param, place: Place<'_>) {
        self.value_type(records, &param.ty, place.at("type"));
        self.param_type(records, param, place);
        self.range(records, &param.ty, param.range, place);
        self.unit(&param.ty, &param.unit, place);
        if let Some(default) = &param.default {
            self.default(records, param, default, place.at("default"));
        }
        for (index, value) in param.served.iter().enumerate() {
            self.of_type(records, param, ("served-type", "served value"), value, place.at("served").item(index));
        }
        self.param_names(param, param.required, place);
    }

    /// The names that a param has as an argument or as a setter.
    fn param_names(&mut self, param: &spec::Param, required: Option<Evidence>, place: Place<'_>) {
        let scope = if is_argument(param.location, required) { Scope::Arguments } else { Scope::Setters };
        let ident = self.rust_name(place, "name", &param.name, param.ident.as_deref(), Case::Snake, scope);
        let list = param.list.as_ref().filter(|list| self.list_name(list, scope, place.at("list")));
        if scope == Scope::Setters {
            if let Some(ident) = ident {
                self.setter(&ident, false, &param.name, place.at("name"));
            }
            if let Some(list) = list {
                self.setter(list, true, &param.name, place.at("list"));
            }
        }
    }

    /// A shared param that an endpoint takes as an argument, or does not, where its definition says otherwise.
    pub(super) fn used_param(&mut self, param: &spec::Param, required: Option<Evidence>, place: Place<'_>) {
        if required.is_some() && is_argument(param.location, required) != is_argument(param.location, param.required) {
            self.param_names(param, required, place);
        }
    }

    /// Whether the name of the setter that takes several is one.
    fn list_name(&mut self, list: &str, scope: Scope, place: Place<'_>) -> bool {
        let is_name = names::is_ident(list, Case::Snake) && !names::is_taken(scope, list);
        if !is_name {
            let message = format!("`{list}` cannot be the name of a setter");
            self.push("no-rust-name", place, message, "write it like `my_names`");
        }
        is_name
    }

    fn param_type(&mut self, records: &Records<'_>, param: &spec::Param, place: Place<'_>) {
        let record = match TypeExpr::parse(&param.ty) {
            Some(TypeExpr::List(_)) => {
                let message = format!("a param's type is that of one value, not `{}`", param.ty);
                self.push("param-type", place.at("type"), message, "name the setter that takes several with `list`");
                return;
            }
            Some(TypeExpr::Name(name)) => records.get(name).is_some(),
            _ => false,
        };
        if record {
            let message = format!("a param cannot be the record `{}`", param.ty);
            self.push("param-type", place.at("type"), message, "use a type that is written as text or a number");
        }
    }

    /// One setter stands for one wire name, and takes one value or several, on whichever endpoints.
    fn setter(&mut self, ident: &str, several: bool, wire_name: &str, place: Place<'_>) {
        let setter = Setter { ident: ident.to_owned(), several, wire_name: wire_name.to_owned() };
        let Some((first, location)) = self.setters.get(&names::takes(ident)) else {
            self.setters.insert(names::takes(ident), (setter, place.location()));
            return;
        };
        if *first != setter {
            let many = if first.several { "several of " } else { "" };
            let message = format!(
                "`{wire_name}` becomes the setter `{ident}`, and `{}` for {many}`{}` stands elsewhere",
                first.ident, first.wire_name
            );
            let finding = Diagnostic::new("same-rust-name", place.location(), message);
            self.diagnostics.push(finding.earlier(location.clone(), "first here").help("say another with `ident`"));
        }
    }

    fn default(&mut self, records: &Records<'_>, param: &spec::Param, default: &str, place: Place<'_>) {
        if !self.of_type(records, param, ("default-type", "default"), default, place) {
            return;
        }
        if let (Some(range), Ok(number)) = (param.range, default.parse::<f64>()) {
            let (low, high) = (range.min.unwrap_or(f64::MIN), range.max.unwrap_or(f64::MAX));
            if number < low || number > high {
                let message = format!("the default `{default}` is outside the range");
                self.push("default-range", place, message, "correct the one or the other");
            }
        }
    }

    /// Whether a value that is said of a param can be one of its values.
    fn of_type(
        &mut self,
        records: &Records<'_>,
        param: &spec::Param,
        (rule, what): (&'static str, &str),
        value: &str,
        place: Place<'_>,
    ) -> bool {
        let outside = match TypeExpr::parse(&param.ty) {
            Some(TypeExpr::Builtin(builtin)) => !builtin.is_written(value),
            Some(TypeExpr::Name(name)) => records
                .named_type(name)
                .is_some_and(|ty| ty.kind == TypeKind::Enum && !ty.values.iter().any(|known| known.value == value)),
            _ => false,
        };
        if outside {
            let message = format!("the {what} `{value}` is not of the type `{}`", param.ty);
            self.push(rule, place, message, "write one of its values, or say it in `notes`");
        }
        !outside
    }
}

/// Whether a param is an argument of its method, as nothing can be sent without it.
fn is_argument(location: ParamLocation, required: Option<Evidence>) -> bool {
    location == ParamLocation::Path || required.is_some_and(Evidence::is_enforced)
}
