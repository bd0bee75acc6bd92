//! Resolves params and param sets: checks their types, values and Rust names.

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
            let message = format!("duplicate shared param `{}`", param.id());
            let constant = self.constant(param.id(), message);
            let param = self.valid(|resolver| resolver.param(&Records::default(), param, None));
            Some(SharedParam { constant: constant?, param: param? })
        });
        params.collect()
    }

    pub(super) fn param_sets(&mut self) -> Vec<ParamSet> {
        let sets = self.service.param_sets.iter().map(|set| {
            let message = format!("duplicate name `{}` among params and param sets", set.name);
            let constant = self.constant(&set.name, message).unwrap_or_default();
            let mut seen = Unique::default();
            let params = set.params.iter().filter_map(|id| {
                let message = format!("duplicate param `{id}` in the set");
                seen.claim(&mut self.errors, "duplicate-param", id, id.at(), message);
                self.shared_param(id)
            });
            ParamSet { constant, params: params.collect() }
        });
        sets.collect()
    }

    /// Looks up the index of a shared param, and marks the param as used.
    pub(super) fn shared_param(&mut self, id: &Text) -> Option<usize> {
        let index = self.shared.get(id.as_str()).copied();
        if let Some(index) = index {
            self.used.params.insert(index);
        } else {
            let known = self.service.params.iter().map(|param| param.id().as_str());
            self.unknown_name("unknown-param", id, id.at(), "shared param", known);
        }
        index
    }

    /// Returns the constant name of a shared param or param set; a duplicate name is an error. All these constants are
    /// in one module, so their names must differ.
    fn constant(&mut self, name: &Text, twice: String) -> Option<String> {
        let constant = self.derived_name(name, Case::Shouty, name.at(), "choose another name")?;
        let is_new = self.constants.claim(&mut self.errors, "duplicate-param", &constant, name.at(), twice);
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
        self.one_or_several(param);
        let ident = self.param_names(param);
        self.not_the_key(param);
        let [allowed, tested, rejected] =
            [&param.allowed_values, &param.tested_values, &param.rejected_values].map(|values| texts(&ty, values));
        Param {
            ident,
            wire_name: param.name.to_string(),
            list_setter: param.list_setter.as_deref().cloned(),
            list_as: param.list_as.unwrap_or_default(),
            const_value: param.const_value.as_deref().cloned(),
            in_path: param.location == ParamLocation::Path,
            required: param.required,
            default: param.default.as_deref().cloned(),
            range,
            example: example(param.example.as_ref().map(|example| as_sent(&ty, example)), None, &allowed, &tested),
            ty,
            allowed_values: allowed,
            tested_values: tested,
            rejected_values: rejected,
            single_value: param.single_value,
            unit: param.unit.as_deref().cloned().unwrap_or_default(),
            summary: param.summary.clone(),
            notes: param.notes.clone(),
            unknown: param.unknown.clone(),
            evidence: match inherited {
                Some(inherited) => self.evidence("the param", param.evidence, inherited, param.name.at()),
                None => param.evidence.unwrap_or(Evidence::Reported),
            },
        }
    }

    /// Rejects a query param that carries the API key, because the client adds the key to every request.
    fn not_the_key(&mut self, param: &spec::Param) {
        let key = self.service.credentials.api_key.as_ref().and_then(|key| key.query.as_ref());
        if key.is_some_and(|key| **key == *param.name && param.location == ParamLocation::Query) {
            let message = format!("the param `{}` carries the API key", param.name);
            self.error("key-param", param.name.at(), message, "omit it: the client always sends it");
        }
    }

    fn param_type(&mut self, param: &spec::Param, ty: &Type) {
        let (message, help) = match ty {
            Type::List(_) | Type::Map(_) | Type::Option(_) => (
                format!("`type` must be the type of a single value, found `{}`", param.ty),
                "write the type of one value; `list_setter` adds a setter for several values",
            ),
            Type::Builtin(Builtin::Decimal) => {
                ("the type of a param cannot be `decimal`".to_owned(), "write `number`, or `string` for exact text")
            }
            Type::Record(_) | Type::Recursive(_) => {
                (format!("the type of a param cannot be the record `{}`", param.ty), "use a string or number type")
            }
            Type::Builtin(_) | Type::Named(_) => return,
        };
        self.error("param-type", param.ty.at(), message, help);
    }

    /// Returns the Rust name of a param, and checks the names of its setters: the setter for one value, and the setter
    /// for several values.
    fn param_names(&mut self, param: &spec::Param) -> String {
        let is_argument = param.location == ParamLocation::Path || param.required.is_some_and(Evidence::is_enforced);
        let scope = if is_argument { Scope::Arguments } else { Scope::Setters };
        let one = self.rust_name(&param.name, param.rust_name.as_ref(), Case::Snake, scope);
        let list = param.list_setter.as_ref().and_then(|list| {
            let name = self.chosen_name("no-rust-name", list, Case::Snake)?;
            Some((self.free_name(scope, name, list.at(), "choose another name")?, list.at()))
        });
        if let (Some(one), Some((several, at))) = (&one, &list)
            && one == several
            && !is_argument
        {
            let message = format!("`{one}` would be both the setter for one value and the setter for several values");
            let help = "set another name for the setter for one value with `rust_name`";
            self.error("same-rust-name", at, message, help);
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
        let message = format!(
            "`{wire_name}` would become the setter `{ident}`, but the setter `{}` already exists for {many}`{}`",
            first.ident, first.wire_name
        );
        let error = Diagnostic::new("same-rust-name", at, message).earlier(location, "first here");
        self.errors.push(error.help("set another name with `rust_name`"));
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
                let message = format!("`{value}` is in `rejected_values`, but other keys list it as accepted");
                let help =
                    if is_example { "set another example, or `tested_values`" } else { "remove it from one list" };
                self.error("rejected-value", value.at(), message, help);
            }
        }
    }

    /// Checks that the client can send a value. For a param with a constant value, the client sends only that value. A
    /// path param cannot be `.` or `..`, because these would change the path.
    fn is_sent(&mut self, param: &spec::Param, value: &Text) -> bool {
        if param.const_value.as_ref().is_some_and(|fixed| fixed != value) {
            let message = "the value differs from `const_value`, which is always sent";
            self.error("const-value", value.at(), message, "omit this value or `const_value`");
        } else if param.location == ParamLocation::Path && matches!(value.as_str(), "." | "..") {
            let message = format!("`{value}` is not allowed as a path segment, because it would change the path");
            self.error("path-segment", value.at(), message, "omit it");
        } else {
            return true;
        }
        false
    }

    /// Rejects `list_setter` on a param that accepts only one value, if `single_value` is documented or published.
    fn one_or_several(&mut self, param: &spec::Param) {
        if let Some(list) = &param.list_setter
            && param.single_value.is_some_and(Evidence::is_enforced)
        {
            let message = format!("`{}` accepts only one value, but has a setter for several values", param.name);
            self.error("single-list", list.at(), message, "omit `list_setter` or `single_value`");
        }
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
            let message = format!("the {what} `{value}` is not in `allowed_values`");
            self.error("value-allowed", at, message, "correct this value or `allowed_values`");
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
            let message = format!("the {what} `{value}` is not of the type `{}`", param.ty);
            let help = "write a value of this type, or describe the value in `notes`";
            self.error("value-type", at, message, help);
            return false;
        }
        let is_outside = param.range.as_ref().zip(value.parse::<f64>().ok()).is_some_and(|(range, number)| {
            range.min.as_ref().is_some_and(|min| number < **min) || range.max.as_ref().is_some_and(|max| number > **max)
        });
        if is_outside {
            let message = format!("the {what} `{value}` is outside the range");
            self.error("value-range", at, message, "correct this value or the range");
        }
        !is_outside
    }
}

/// Returns the values of a param in the form that the client sends.
pub(super) fn texts(ty: &Type, values: &[Text]) -> Vec<String> {
    values.iter().map(|value| as_sent(ty, value)).collect()
}

/// Returns a value in the form that the client sends. A number is normalized, so `+07` in the catalogue is sent as `7`.
fn as_sent(ty: &Type, text: &str) -> String {
    let number = ty.builtin().and_then(|builtin| match builtin {
        Builtin::Integer => text.parse::<i64>().ok().map(|number| number.to_string()),
        Builtin::Count => text.parse::<u64>().ok().map(|number| number.to_string()),
        Builtin::Number => text.parse::<f64>().ok().map(|number| number.to_string()),
        Builtin::String | Builtin::Decimal | Builtin::Boolean | Builtin::Timestamp(_) | Builtin::Any => None,
    });
    number.unwrap_or_else(|| text.to_owned())
}

/// Returns the example value of a param on an endpoint: `own` if there is one, otherwise `shared`. If values are known
/// to work on the endpoint and `shared` is not among them, the first of these values replaces `shared`.
pub(super) fn example(
    own: Option<String>,
    shared: Option<&String>,
    allowed: &[String],
    tested: &[String],
) -> Option<String> {
    let known = if allowed.is_empty() { tested } else { allowed };
    let shared = shared.filter(|shared| known.is_empty() || known.contains(shared));
    own.or_else(|| shared.or(known.first()).cloned())
}
