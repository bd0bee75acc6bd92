//! Resolves params and param sets: checks their types, values and Rust names.

use std::fmt::Display;
use std::sync::Arc;

use super::records_of_file::RecordsOfFile;
use super::setter_facts::{FirstSetter, SetterFacts};
use super::{Resolver, Unique};
use crate::diagnostic::{Diagnostic, Location};
use crate::model::{Builtin, Param, ParamSet, SharedParam, Type};
use crate::names::{self, Case, Scope};
use crate::spanned::{Text, string_or_empty};
use crate::spec::{self, Evidence, ParamLocation};

impl<'a> Resolver<'a> {
    pub(super) fn shared_params(&mut self) -> Vec<Option<SharedParam>> {
        let mut params = Vec::new();
        for param in &self.service.params {
            let constant = self.constant("duplicate-param/shared", param.id());
            let param = self.valid(|resolver| resolver.param(&RecordsOfFile::default(), param, None));
            params.push(match (constant, param) {
                (Some(constant), Some(param)) => Some(SharedParam { constant, param: Arc::new(param) }),
                _ => None,
            });
        }
        params
    }

    pub(super) fn param_sets(&mut self) -> Vec<ParamSet> {
        let mut sets = Vec::new();
        for set in &self.service.param_sets {
            let constant = self.constant("duplicate-param/set", &set.name).unwrap_or_default();
            let mut seen = Unique::default();
            let mut params = Vec::new();
            for id in &set.params {
                seen.claim(&mut self.errors, "duplicate-param/in-set", id, id.at(), &[id]);
                params.extend(self.shared_param(id));
            }
            sets.push(ParamSet { constant, params });
        }
        sets
    }

    /// Looks up the index of a shared param, and marks the param as used.
    pub(super) fn shared_param(&mut self, id: &'a Text) -> Option<usize> {
        let index = self.shared_params.get(id.as_str()).copied();
        if index.is_some() {
            self.used.add("shared param", None, id);
        } else {
            self.unknown_name("unknown-param", id, id.at(), "shared param", self.service.param_ids());
        }
        index
    }

    /// The constant name of a shared param or param set; a duplicate name is an error. All these constants are in one
    /// module, so their names must differ.
    fn constant(&mut self, duplicate: &'static str, name: &Text) -> Option<String> {
        let constant = self.derived_name("no-rust-name/other", name, Case::Shouty, name.at())?;
        let is_new = self.constants.claim(&mut self.errors, duplicate, &constant, name.at(), &[name]);
        if is_new { Some(constant) } else { None }
    }

    /// Resolves a shared param, or a param of an endpoint, which inherits evidence. The evidence of a shared param is
    /// required; a missing one has already been reported.
    pub(super) fn param(
        &mut self,
        records: &RecordsOfFile<'a>,
        param: &'a spec::Param,
        inherited: Option<Evidence>,
    ) -> Param {
        let ty = self.type_in_unit(records, &param.ty, param.unit.as_ref(), param.format.as_ref());
        let range = self.range(ty.as_ref(), &param.ty, param.range.as_ref());
        let ident = self.param_names(param);
        let evidence = match inherited {
            Some(inherited) => self.evidence("the param", param.evidence, inherited, param.name.at()),
            None => param.evidence.unwrap_or(Evidence::Reported),
        };
        let unit = string_or_empty(param.unit.as_ref());
        let param = Param { declared: param.clone(), ident, ty: ty.unwrap_or_default(), range, unit, evidence };
        self.check_param_type(&param);
        self.check_is_not_key(&param);
        self.check_values(&param, param.declared.default.as_ref());
        if let Some(fixed) = &param.declared.const_value {
            self.of_type(&param, "constant value", fixed, fixed.at());
        }
        as_sent(param)
    }

    /// Rejects a query param that carries the API key, because the client adds the key to every request.
    fn check_is_not_key(&mut self, param: &Param) {
        if let Some(key) = &self.service.credentials.api_key
            && let Some(name) = &key.query
            && *name == param.declared.name
            && !param.in_path()
        {
            self.error("key-param", param.declared.name.at(), &[&param.declared.name]);
        }
    }

    fn check_param_type(&mut self, param: &Param) {
        let written = &param.declared.ty;
        let rule = match &param.ty {
            Type::List(_) | Type::Map(_) | Type::Option(_) => "param-type/list",
            Type::Builtin(Builtin::Decimal) => "param-type/decimal",
            Type::Record(_) | Type::Recursive(_) => "param-type/record",
            Type::Builtin(_) | Type::Named(_) => return,
        };
        self.error(rule, written.at(), &[written]);
    }

    /// The Rust name of a param. Also checks the names of its setters: the setter for one value, and the setter
    /// for several values.
    fn param_names(&mut self, param: &spec::Param) -> String {
        let is_argument = param.location == ParamLocation::Path || param.required.is_some_and(Evidence::is_enforced);
        let scope = if is_argument { Scope::Arguments } else { Scope::Setters };
        let one = self.rust_name(&param.name, param.rust_name.as_ref(), Case::Snake, scope);
        let mut list = None;
        if let Some(written) = &param.list_setter
            && let Some(chosen) = self.chosen_name("no-rust-name/chosen", written, Case::Snake)
            && let Some(several) = self.free_name("taken-name", scope, chosen, written.at())
        {
            list = Some((several, written.at()));
        }
        if let (Some(one), Some((several, at))) = (&one, &list)
            && one == several
            && !is_argument
        {
            self.error("same-rust-name/both-setters", at, &[one]);
        } else if !is_argument && param.const_value.is_none() {
            if let Some(one) = &one {
                self.check_setter(one, false, &param.name, param.name.at());
            }
            if let Some((several, at)) = &list {
                self.check_setter(several, true, &param.name, at);
            }
        }
        one.unwrap_or_default()
    }

    /// Checks that a setter has the same wire name and accepts the same number of values (one or several) on all
    /// endpoints.
    fn check_setter(&mut self, ident: &str, several: bool, wire_name: &str, at: &Location) {
        let setter = SetterFacts { ident: ident.to_owned(), several, wire_name: wire_name.to_owned() };
        let Some(first) = self.setters.get(&names::takes(ident)) else {
            self.setters.insert(names::takes(ident), FirstSetter { facts: setter, at: at.clone() });
            return;
        };
        if first.facts == setter {
            return;
        }
        let many = if first.facts.several { "several values of " } else { "" };
        let values: [&dyn Display; 5] = [&wire_name, &ident, &first.facts.ident, &many, &first.facts.wire_name];
        self.errors.push(Diagnostic::new("same-rust-name/setter", at, &values).earlier(&first.at, "first here"));
    }

    /// Checks the values with which a `use` entry overrides the values of a shared param.
    pub(super) fn check_overrides(&mut self, param: &Param, default: Option<&Text>) {
        let can_be_sent = match default {
            Some(default) => self.is_sent(param, default),
            None => true,
        };
        if can_be_sent {
            self.check_values(param, default);
        }
    }

    /// Checks that values of a param have its type, are within its range, and do not contradict each other.
    fn check_values(&mut self, param: &Param, default: Option<&Text>) {
        let allowed = &param.declared.allowed_values;
        let tested = &param.declared.tested_values;
        for (what, values) in [("allowed value", allowed), ("value", tested)] {
            for value in values {
                if self.of_type(param, what, value, value.at()) {
                    self.is_sent(param, value);
                }
            }
        }
        if let Some(default) = default {
            if param.in_path() || param.declared.required.is_some() {
                self.error("required-default", default.at(), &[]);
            }
            // If the param accepts several values, the default may be a list separated by commas.
            let several = param.declared.list_setter.is_some();
            for value in default.split(|character| several && character == ',') {
                self.is_accepted(param, "default", value, default.at());
            }
        }
        if let Some(example) = &param.declared.example
            && self.is_accepted(param, "example", example, example.at())
        {
            self.is_sent(param, example);
        }
        for value in &param.declared.rejected_values {
            let is_listed = allowed.contains(value) || tested.contains(value);
            if self.of_type(param, "value", value, value.at())
                && (is_listed || param.declared.example.as_ref() == Some(value))
            {
                let rule = if is_listed { "rejected-value/list" } else { "rejected-value/example" };
                self.error(rule, value.at(), &[value]);
            }
        }
    }

    /// Checks that the client can send a value. For a param with a constant value, the client sends only that value. A
    /// path param cannot be `.` or `..`, because these would change the path.
    fn is_sent(&mut self, param: &Param, value: &Text) -> bool {
        if let Some(fixed) = &param.declared.const_value
            && fixed != value
        {
            self.error("const-value", value.at(), &[]);
        } else if param.in_path() && matches!(value.as_str(), "." | "..") {
            self.error("path-segment/value", value.at(), &[value]);
        } else {
            return true;
        }
        false
    }

    /// Checks that a value has the type of the param, is within its range, and is one of the allowed values.
    fn is_accepted(&mut self, param: &Param, what: &str, value: &str, at: &Location) -> bool {
        if !self.of_type(param, what, value, at) {
            return false;
        }
        let allowed = &param.declared.allowed_values;
        let is_allowed = allowed.is_empty() || allowed.iter().any(|allowed| allowed.as_str() == value);
        if !is_allowed {
            self.error("value-allowed", at, &[&what, &value]);
        }
        is_allowed
    }

    /// Checks that a value has the type of the param, and is within its range.
    fn of_type(&mut self, param: &Param, what: &str, value: &str, at: &Location) -> bool {
        let is_known = match self.all_values(&param.ty) {
            Some(values) => values.contains(value),
            None => true,
        };
        if !is_known || !param.ty.is_written(value) {
            self.error("value-type/param", at, &[&what, &value, &param.declared.ty]);
            return false;
        }
        let is_within = match value.parse() {
            Ok(number) => param.range.contains(number),
            Err(_) => true,
        };
        if !is_within {
            self.error("value-range", at, &[&what, &value]);
        }
        is_within
    }
}

/// A param whose values have the form that the client sends. Numbers are normalized, so `+07` in the catalogue is sent
/// as `7`. Without an example, the first value that is known to work is the example.
pub(super) fn as_sent(mut param: Param) -> Param {
    let Param { declared, ty, .. } = &mut param;
    let lists = [&mut declared.allowed_values, &mut declared.tested_values, &mut declared.rejected_values];
    for value in lists.into_iter().flatten().chain(&mut declared.example) {
        if let Some(number) = normalized(ty.builtin(), value) {
            **value = number;
        }
    }
    if declared.example.is_none() {
        declared.example = declared.known_values().first().cloned();
    }
    param
}

/// A number without a plus sign and without leading zeros; `None` for any other value.
fn normalized(builtin: Option<Builtin>, value: &str) -> Option<String> {
    match builtin? {
        Builtin::Integer => Some(value.parse::<i64>().ok()?.to_string()),
        Builtin::Count => Some(value.parse::<u64>().ok()?.to_string()),
        Builtin::Number => Some(value.parse::<f64>().ok()?.to_string()),
        Builtin::String | Builtin::Decimal | Builtin::Boolean | Builtin::Timestamp(_) | Builtin::Any => None,
    }
}
