//! Resolves params and param sets: checks their types, values and Rust names.

use std::fmt::Display;

use super::types::Records;
use super::{Resolver, Unique};
use crate::diagnostic::{Diagnostic, Location};
use crate::model::{Builtin, Param, ParamSet, SharedParam, Type};
use crate::names::{self, Case, Scope};
use crate::spanned::Text;
use crate::spec::{self, Evidence, ParamLocation};
use crate::time_unit::{TimeForm, TimeUnit};
use crate::type_expr::TypeExpr;

/// The facts about a setter that must be the same on all endpoints.
#[derive(Clone, PartialEq)]
pub(super) struct Setter {
    ident: String,
    several: bool,
    wire_name: String,
}

impl<'a> Resolver<'a> {
    pub(super) fn shared_params(&mut self) -> Vec<Option<SharedParam>> {
        let params = self.service.params.iter().map(|param| {
            let constant = self.constant("duplicate-param/shared", param.id());
            let param = self.valid(|resolver| resolver.param(&Records::default(), param, None));
            Some(SharedParam { constant: constant?, param: param? })
        });
        params.collect()
    }

    pub(super) fn param_sets(&mut self) -> Vec<ParamSet> {
        let sets = self.service.param_sets.iter().map(|set| {
            let constant = self.constant("duplicate-param/set", &set.name).unwrap_or_default();
            let mut seen = Unique::default();
            let params = set.params.iter().filter_map(|id| {
                seen.claim(&mut self.errors, "duplicate-param/in-set", id, id.at(), &[id]);
                self.shared_param(id)
            });
            ParamSet { constant, params: params.collect() }
        });
        sets.collect()
    }

    /// Looks up the index of a shared param, and marks the param as used.
    pub(super) fn shared_param(&mut self, id: &'a Text) -> Option<usize> {
        let index = self.shared.get(id.as_str()).copied();
        if index.is_some() {
            self.used.add("shared param", None, id);
        } else {
            let known = self.service.params.iter().map(|param| param.id().as_str());
            self.unknown_name("unknown-param", id, id.at(), "shared param", known);
        }
        index
    }

    /// Returns the constant name of a shared param or param set; a duplicate name is an error. All these constants are
    /// in one module, so their names must differ.
    fn constant(&mut self, duplicate: &'static str, name: &Text) -> Option<String> {
        let constant = self.derived_name("no-rust-name/other", name, Case::Shouty, name.at())?;
        let is_new = self.constants.claim(&mut self.errors, duplicate, &constant, name.at(), &[name]);
        is_new.then_some(constant)
    }

    /// Resolves a shared param, or a param of an endpoint, which inherits evidence. The evidence of a shared param is
    /// required; a missing one has already been reported.
    pub(super) fn param(
        &mut self,
        records: &Records<'a>,
        param: &'a spec::Param,
        inherited: Option<Evidence>,
    ) -> Param {
        let ty = self.type_in_unit(records, &param.ty, param.unit.as_ref(), param.format.as_ref());
        let range = self.range(ty.as_ref(), &param.ty, param.range.as_ref());
        let ty = ty.unwrap_or_default();
        self.param_type(param, &ty);
        self.values_of(param);
        let ident = self.param_names(param);
        self.not_the_key(param);
        let evidence = match inherited {
            Some(inherited) => self.evidence("the param", param.evidence, inherited, param.name.at()),
            None => param.evidence.unwrap_or(Evidence::Reported),
        };
        let unit = param.unit.as_deref().cloned().unwrap_or_default();
        Param { declared: as_sent(&ty, param.clone()), ident, ty, range, unit, evidence }
    }

    /// Rejects a query param that carries the API key, because the client adds the key to every request.
    fn not_the_key(&mut self, param: &spec::Param) {
        let key = self.service.credentials.api_key.as_ref().and_then(|key| key.query.as_ref());
        if key.is_some_and(|key| **key == *param.name && param.location == ParamLocation::Query) {
            self.error("key-param", param.name.at(), &[&param.name]);
        }
    }

    fn param_type(&mut self, param: &spec::Param, ty: &Type) {
        let rule = match ty {
            Type::List(_) | Type::Map(_) | Type::Option(_) => "param-type/list",
            Type::Builtin(Builtin::Decimal) => "param-type/decimal",
            Type::Record(_) | Type::Recursive(_) => "param-type/record",
            Type::Builtin(_) | Type::Named(_) => return,
        };
        self.error(rule, param.ty.at(), &[&param.ty]);
    }

    /// Returns the Rust name of a param, and checks the names of its setters: the setter for one value, and the setter
    /// for several values.
    fn param_names(&mut self, param: &spec::Param) -> String {
        let is_argument = param.location == ParamLocation::Path || param.required.is_some_and(Evidence::is_enforced);
        let scope = if is_argument { Scope::Arguments } else { Scope::Setters };
        let one = self.rust_name(&param.name, param.rust_name.as_ref(), Case::Snake, scope);
        let list = param.list_setter.as_ref().and_then(|list| {
            let name = self.chosen_name("no-rust-name/chosen", list, Case::Snake)?;
            Some((self.free_name("taken-name", scope, name, list.at())?, list.at()))
        });
        if let (Some(one), Some((several, at))) = (&one, &list)
            && one == several
            && !is_argument
        {
            self.error("same-rust-name/both-setters", at, &[one]);
        } else if !is_argument && param.const_value.is_none() {
            if let Some(one) = &one {
                self.setter(one, false, &param.name, param.name.at());
            }
            if let Some((several, at)) = &list {
                self.setter(several, true, &param.name, at);
            }
        }
        one.unwrap_or_default()
    }

    /// Checks that a setter has the same wire name and accepts the same number of values (one or several) on all
    /// endpoints.
    fn setter(&mut self, ident: &str, several: bool, wire_name: &str, at: &Location) {
        let setter = Setter { ident: ident.to_owned(), several, wire_name: wire_name.to_owned() };
        let (first, location) = self.setters.entry(names::takes(ident)).or_insert_with(|| (setter.clone(), at.clone()));
        if *first == setter {
            return;
        }
        let many = if first.several { "several values of " } else { "" };
        let values: [&dyn Display; 5] = [&wire_name, &ident, &first.ident, &many, &first.wire_name];
        self.errors.push(Diagnostic::new("same-rust-name/setter", at, &values).earlier(location, "first here"));
    }

    /// Checks the values of a shared param, or of a param of an endpoint.
    fn values_of(&mut self, param: &'a spec::Param) {
        let lists = [&param.allowed_values, &param.tested_values, &param.rejected_values];
        self.consistent_values(param, param.default.as_ref(), lists.map(Vec::as_slice), param.example.as_ref());
        if let Some(fixed) = &param.const_value {
            self.of_type(param, "constant value", fixed, fixed.at());
        }
    }

    /// Checks the values with which a `use` entry overrides the values of a shared param.
    pub(super) fn used_values(&mut self, param: &'a spec::Param, entry: &'a spec::Use) {
        let allowed = entry.allowed_values.as_ref().unwrap_or(&param.allowed_values);
        let tested = entry.tested_values.as_ref().unwrap_or(&param.tested_values);
        let rejected = entry.rejected_values.as_ref().unwrap_or(&param.rejected_values);
        // The example of the shared param is used on this endpoint only if no values are known to work.
        let example = param.example.as_ref().or(param.allowed_values.first()).or(param.tested_values.first());
        let example = example.filter(|_| allowed.is_empty() && tested.is_empty());
        if entry.default.as_ref().is_none_or(|default| self.is_sent(param, default)) {
            self.consistent_values(param, entry.default.as_ref(), [allowed, tested, rejected], example);
        }
    }

    /// Checks that values of a param have its type, are within its range, and do not contradict each other.
    fn consistent_values(
        &mut self,
        param: &'a spec::Param,
        default: Option<&Text>,
        [allowed, tested, rejected]: [&[Text]; 3],
        example: Option<&Text>,
    ) {
        let known = allowed.iter().map(|value| ("allowed value", value));
        for (what, value) in known.chain(tested.iter().map(|value| ("value", value))) {
            if self.of_type(param, what, value, value.at()) {
                self.is_sent(param, value);
            }
        }
        if let Some(default) = default {
            // If the param accepts several values, the default may be a list separated by commas.
            let several = param.list_setter.is_some();
            for value in default.split(|character| several && character == ',') {
                self.is_accepted(param, "default", value, default.at(), allowed);
            }
        }
        if let Some(example) = example
            && self.is_accepted(param, "example", example, example.at(), allowed)
        {
            self.is_sent(param, example);
        }
        for value in rejected {
            let is_example = example == Some(value);
            if self.of_type(param, "value", value, value.at())
                && (tested.contains(value) || allowed.contains(value) || is_example)
            {
                let rule = if is_example { "rejected-value/example" } else { "rejected-value/list" };
                self.error(rule, value.at(), &[value]);
            }
        }
    }

    /// Checks that the client can send a value. For a param with a constant value, the client sends only that value. A
    /// path param cannot be `.` or `..`, because these would change the path.
    fn is_sent(&mut self, param: &spec::Param, value: &Text) -> bool {
        if param.const_value.as_ref().is_some_and(|fixed| fixed != value) {
            self.error("const-value", value.at(), &[]);
        } else if param.location == ParamLocation::Path && matches!(value.as_str(), "." | "..") {
            self.error("path-segment/value", value.at(), &[value]);
        } else {
            return true;
        }
        false
    }

    /// Checks that a value has the type of the param, is within its range, and is one of the allowed values.
    fn is_accepted(
        &mut self,
        param: &'a spec::Param,
        what: &str,
        value: &str,
        at: &Location,
        allowed: &[Text],
    ) -> bool {
        if !self.of_type(param, what, value, at) {
            return false;
        }
        let is_allowed = allowed.is_empty() || allowed.iter().any(|allowed| allowed.as_str() == value);
        if !is_allowed {
            self.error("value-allowed", at, &[&what, &value]);
        }
        is_allowed
    }

    /// Checks that a value has the type of the param, and is within its range.
    fn of_type(&mut self, param: &'a spec::Param, what: &str, value: &str, at: &Location) -> bool {
        let declared =
            TimeForm::of(param.unit.as_ref().and_then(|unit| TimeUnit::of(unit)), param.format.as_deref().copied());
        let form = declared.unwrap_or_else(|| self.service.time_form());
        let is_of_type = match TypeExpr::parse(&param.ty) {
            Some(TypeExpr::Builtin(builtin)) => Type::Builtin(builtin).timed_in(form).is_written(value),
            Some(TypeExpr::Name(name)) => self.values.get(name).is_none_or(|values| values.contains(value)),
            Some(TypeExpr::List(_) | TypeExpr::Map(_) | TypeExpr::Option(_)) | None => true,
        };
        if !is_of_type {
            self.error("value-type/param", at, &[&what, &value, &param.ty]);
            return false;
        }
        let is_outside = param.range.as_ref().zip(value.parse::<f64>().ok()).is_some_and(|(range, number)| {
            range.min.as_ref().is_some_and(|min| number < **min) || range.max.as_ref().is_some_and(|max| number > **max)
        });
        if is_outside {
            self.error("value-range", at, &[&what, &value]);
        }
        !is_outside
    }
}

/// Returns a param whose values have the form that the client sends. Numbers are normalized, so `+07` in the catalogue is
/// sent as `7`. Without an example, the first value that is known to work is the example.
pub(super) fn as_sent(ty: &Type, mut param: spec::Param) -> spec::Param {
    let lists = [&mut param.allowed_values, &mut param.tested_values, &mut param.rejected_values];
    for value in lists.into_iter().flatten().chain(&mut param.example) {
        let number = ty.builtin().and_then(|builtin| match builtin {
            Builtin::Integer => value.parse::<i64>().ok().map(|number| number.to_string()),
            Builtin::Count => value.parse::<u64>().ok().map(|number| number.to_string()),
            Builtin::Number => value.parse::<f64>().ok().map(|number| number.to_string()),
            Builtin::String | Builtin::Decimal | Builtin::Boolean | Builtin::Timestamp(_) | Builtin::Any => None,
        });
        if let Some(number) = number {
            **value = number;
        }
    }
    param.example = param.example.take().or_else(|| param.known_values().first().cloned());
    param
}
