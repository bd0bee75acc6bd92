//! Resolves params and param sets: checks their types, values and Rust names.

use super::types::Records;
use super::{Resolved, Resolver, Unique, all, prose};
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
    pub(super) fn shared_params(&mut self) -> Vec<Resolved<SharedParam>> {
        let mut constants = Unique::default();
        let params = self.service.params.iter().map(|param| {
            let message = format!("duplicate shared param `{}`", param.id());
            let constant = self.constant(&mut constants, param.id(), message);
            let param = self.param(&Records::default(), param, None);
            Ok(SharedParam { constant: constant?, param: param? })
        });
        let params: Vec<_> = params.collect();
        // The constants are kept for `param_sets`, which adds the constants of the param sets. All of them are in one
        // module, so their names must differ.
        self.constants = constants;
        params
    }

    pub(super) fn param_sets(&mut self) -> Resolved<Vec<ParamSet>> {
        let mut constants = std::mem::take(&mut self.constants);
        all(self.service.param_sets.iter().map(|set| {
            let message = format!("duplicate name `{}` among params and param sets", set.name);
            let constant = self.constant(&mut constants, &set.name, message);
            let mut seen = Unique::default();
            let params = all(set.params.iter().map(|id| {
                let message = format!("duplicate param `{id}` in the set");
                let unique = self.unique(&mut seen, "duplicate-param", id, id.at(), message);
                let index = self.shared_param(id)?;
                unique.map(|()| index)
            }));
            Ok(ParamSet { constant: constant?, params: params? })
        }))
    }

    /// Looks up the index of a shared param, and marks the param as used.
    pub(super) fn shared_param(&mut self, id: &Text) -> Resolved<usize> {
        if let Some(index) = self.shared.get(id.as_str()) {
            self.used.params.insert(*index);
            return Ok(*index);
        }
        let known = self.service.params.iter().map(|param| param.id().as_str());
        Err(self.unknown_name("unknown-param", id, id.at(), "shared param", known))
    }

    /// Returns the constant name of a shared param or param set; a duplicate name is an error.
    fn constant(&mut self, constants: &mut Unique, name: &Text, twice: String) -> Resolved<String> {
        let constant = names::ident(name, Case::Shouty).map_err(|reason| {
            let message = format!("`{name}` cannot be converted to a Rust name: {reason}");
            self.error("no-rust-name", name.at(), message, "choose another name")
        })?;
        self.unique(constants, "duplicate-param", &constant, name.at(), twice)?;
        Ok(constant)
    }

    /// Resolves a shared param, or a param of an endpoint, which inherits evidence. The evidence of a shared param is
    /// required; a missing one has already been reported.
    pub(super) fn param(
        &mut self,
        records: &Records<'a>,
        param: &'a spec::Param,
        inherited: Option<Evidence>,
    ) -> Resolved<Param> {
        let ty = self.type_in_unit(records, &param.ty, param.unit.as_ref(), param.format.as_ref());
        let range = self.range(&ty, &param.ty, param.range.as_ref());
        let ty = ty.and_then(|ty| self.param_type(param, ty));
        let values = self.values_of(param);
        let single = self.one_or_several(param);
        let ident = self.param_names(param);
        self.not_the_key(param)?;
        values.and(single)?;
        let ty = ty?;
        let [allowed, tested, rejected] =
            [&param.allowed_values, &param.tested_values, &param.rejected_values].map(|values| texts(&ty, values));
        Ok(Param {
            ident: ident?,
            wire_name: param.name.to_string(),
            list_setter: param.list_setter.as_deref().cloned(),
            list_as: param.list_as.unwrap_or_default(),
            const_value: param.const_value.as_deref().cloned(),
            in_path: param.location == ParamLocation::Path,
            required: param.required,
            default: param.default.as_deref().cloned(),
            range: range?,
            example: example(param.example.as_ref().map(|example| as_sent(&ty, example)), None, &allowed, &tested),
            ty,
            allowed_values: allowed,
            tested_values: tested,
            rejected_values: rejected,
            single_value: param.single_value,
            unit: param.unit.as_deref().cloned().unwrap_or_default(),
            summary: prose(&param.summary),
            notes: prose(&param.notes),
            unknown: param.unknown.clone(),
            evidence: match inherited {
                Some(inherited) => self.evidence("the param", param.evidence, inherited, param.name.at()),
                None => param.evidence.unwrap_or(Evidence::Reported),
            },
        })
    }

    /// Rejects a query param that carries the API key, because the client adds the key to every request.
    fn not_the_key(&mut self, param: &spec::Param) -> Resolved<()> {
        let key = self.service.credentials.api_key.as_ref().and_then(|key| key.query.as_ref());
        match key.filter(|key| ***key == *param.name && param.location == ParamLocation::Query) {
            Some(key) => {
                let message = format!("the param `{key}` carries the API key");
                Err(self.error("key-param", param.name.at(), message, "omit it: the client always sends it"))
            }
            None => Ok(()),
        }
    }

    fn param_type(&mut self, param: &spec::Param, ty: Type) -> Resolved<Type> {
        let (message, help) = match ty {
            Type::List(_) | Type::Map(_) | Type::Option(_) => (
                format!("`type` must be the type of a single value, found `{}`", param.ty),
                "write the type of one value; `list_setter` adds a setter for several values",
            ),
            Type::Builtin(Builtin::Decimal) => {
                ("the type of a param cannot be `decimal`".to_owned(), "write `number`, or `string` for exact text")
            }
            Type::Record(_) => {
                (format!("the type of a param cannot be the record `{}`", param.ty), "use a string or number type")
            }
            ty => return Ok(ty),
        };
        Err(self.error("param-type", param.ty.at(), message, help))
    }

    /// Returns the Rust name of a param, and checks the names of its setters: the setter for one value, and the setter
    /// for several values.
    fn param_names(&mut self, param: &spec::Param) -> Resolved<String> {
        let scope = if is_argument(param) { Scope::Arguments } else { Scope::Setters };
        let ident = self.rust_name(&param.name, param.rust_name.as_ref(), Case::Snake, scope);
        let list = param.list_setter.as_ref().map(|list| self.list_name(list, scope)).transpose();
        if let (Ok(one), Some(several)) = (&ident, &param.list_setter)
            && *one == **several
            && scope == Scope::Setters
        {
            let message = format!("`{one}` would be both the setter for one value and the setter for several values");
            let help = "set another name for the setter for one value with `rust_name`";
            return Err(self.error("same-rust-name", several.at(), message, help));
        }
        if scope == Scope::Setters && param.const_value.is_none() {
            let (name, at) = (param.name.as_str(), param.name.at());
            let one = ident.as_ref().map_or(Ok(()), |ident| self.setter(ident, false, name, at));
            let several = list.as_ref().ok().and_then(Option::as_ref);
            let several = several.map_or(Ok(()), |list| self.setter(list, true, name, list.at()));
            one.and(several)?;
        }
        list?;
        ident
    }

    /// Checks the name of the setter for several values.
    fn list_name(&mut self, list: &Text, scope: Scope) -> Resolved<Text> {
        self.chosen_name("no-rust-name", list, Case::Snake)?;
        self.free_name(scope, list, list, "choose another name")?;
        Ok(list.clone())
    }

    /// Checks that a setter has the same wire name and accepts the same number of values (one or several) on all
    /// endpoints.
    fn setter(&mut self, ident: &str, several: bool, wire_name: &str, at: &Location) -> Resolved<()> {
        let setter = Setter { ident: ident.to_owned(), several, wire_name: wire_name.to_owned() };
        let (first, location) = self.setters.entry(names::takes(ident)).or_insert_with(|| (setter.clone(), at.clone()));
        if *first == setter {
            return Ok(());
        }
        let many = if first.several { "several values of " } else { "" };
        let message = format!(
            "`{wire_name}` would become the setter `{ident}`, but the setter `{}` already exists for {many}`{}`",
            first.ident, first.wire_name
        );
        let error = Diagnostic::new("same-rust-name", at, message).earlier(location, "first here");
        Err(self.push(error.help("set another name with `rust_name`")))
    }

    /// Checks the values of a shared param, or of a param of an endpoint.
    fn values_of(&mut self, param: &'a spec::Param) -> Resolved<()> {
        let lists = [&param.allowed_values, &param.tested_values, &param.rejected_values];
        let values =
            self.consistent_values(param, param.default.as_ref(), lists.map(Vec::as_slice), param.example.as_ref());
        let fixed = param.const_value.as_ref().map_or(Ok(()), |fixed| {
            self.of_type(param, ("const-type", "constant value"), fixed, fixed.at())?;
            self.in_range(param, ("const-range", "constant value"), fixed, fixed.at())
        });
        values.and(fixed)
    }

    /// Checks the values with which a `use` entry overrides the values of a shared param.
    pub(super) fn used_values(&mut self, param: &'a spec::Param, entry: &'a spec::Use) -> Resolved<()> {
        if let Some(default) = &entry.default {
            self.is_sent(param, default)?;
        }
        let allowed = entry.allowed_values.as_ref().unwrap_or(&param.allowed_values);
        let tested = entry.tested_values.as_ref().unwrap_or(&param.tested_values);
        let rejected = entry.rejected_values.as_ref().unwrap_or(&param.rejected_values);
        // The example of the shared param is used on this endpoint only if no values are known to work.
        let example = param.example.as_ref().or(param.allowed_values.first()).or(param.tested_values.first());
        let example = example.filter(|_| allowed.is_empty() && tested.is_empty());
        self.consistent_values(param, entry.default.as_ref(), [allowed, tested, rejected], example)
    }

    /// Checks that values of a param have its type, are within its range, and do not contradict each other.
    fn consistent_values(
        &mut self,
        param: &'a spec::Param,
        default: Option<&Text>,
        [allowed, tested, rejected]: [&[Text]; 3],
        example: Option<&Text>,
    ) -> Resolved<()> {
        let known = allowed.iter().map(|value| ("allowed value", value));
        let known = all(known.chain(tested.iter().map(|value| ("value", value))).map(|(what, value)| {
            self.of_type(param, ("value-type", what), value, value.at())?;
            self.in_range(param, ("value-range", what), value, value.at())?;
            self.is_sent(param, value)
        }));
        let default = default.map_or(Ok(()), |default| self.default(param, default, allowed));
        let shown = example.map_or(Ok(()), |example| {
            self.is_accepted(param, ("value-type", "example"), example, example.at(), allowed)?;
            self.is_sent(param, example)
        });
        let consistent = all(rejected.iter().map(|value| {
            self.of_type(param, ("value-type", "value"), value, value.at())?;
            if !tested.contains(value) && !allowed.contains(value) && example != Some(value) {
                return Ok(());
            }
            let message = format!("`{value}` is in `rejected_values`, but other keys list it as accepted");
            let is_example = example == Some(value);
            let help = if is_example { "set another example, or `tested_values`" } else { "remove it from one list" };
            Err(self.error("rejected-value", value.at(), message, help))
        }));
        known.map(drop).and(default).and(shown).and(consistent.map(drop))
    }

    /// Checks that the client can send a value. For a param with a constant value, the client sends only that value. A
    /// path param cannot be `.` or `..`, because these would change the path.
    fn is_sent(&mut self, param: &spec::Param, value: &Text) -> Resolved<()> {
        if param.const_value.as_ref().is_some_and(|fixed| fixed != value) {
            let message = "the value differs from `const_value`, which is always sent";
            return Err(self.error("const-value", value.at(), message, "omit this value or `const_value`"));
        }
        if param.location != ParamLocation::Path || !matches!(value.as_str(), "." | "..") {
            return Ok(());
        }
        let message = format!("`{value}` is not allowed as a path segment, because it would change the path");
        Err(self.error("path-segment", value.at(), message, "omit it"))
    }

    /// Rejects `list_setter` on a param that accepts only one value, if `single_value` is documented or published.
    fn one_or_several(&mut self, param: &spec::Param) -> Resolved<()> {
        match &param.list_setter {
            Some(list) if param.single_value.is_some_and(Evidence::is_enforced) => {
                let message = format!("`{}` accepts only one value, but has a setter for several values", param.name);
                Err(self.error("single-list", list.at(), message, "omit `list_setter` or `single_value`"))
            }
            _ => Ok(()),
        }
    }

    /// Checks the default. If the param accepts several values, the default may be a list separated by commas.
    fn default(&mut self, param: &'a spec::Param, default: &Text, allowed: &[Text]) -> Resolved<()> {
        let values: Vec<&str> = if param.list_setter.is_some() { default.split(',').collect() } else { vec![default] };
        let accepted = |value| self.is_accepted(param, ("default-type", "default"), value, default.at(), allowed);
        all(values.into_iter().map(accepted)).map(drop)
    }

    /// Checks that a value has the type of the param, is within its range, and is one of the allowed values.
    fn is_accepted(
        &mut self,
        param: &'a spec::Param,
        (rule, what): (&'static str, &str),
        value: &str,
        at: &Location,
        allowed: &[Text],
    ) -> Resolved<()> {
        self.of_type(param, (rule, what), value, at)?;
        self.in_range(param, ("default-range", what), value, at)?;
        if allowed.is_empty() || allowed.iter().any(|allowed| allowed.as_str() == value) {
            return Ok(());
        }
        let message = format!("the {what} `{value}` is not in `allowed_values`");
        Err(self.error("default-allowed", at, message, "correct this value or `allowed_values`"))
    }

    fn in_range(
        &mut self,
        param: &spec::Param,
        (rule, what): (&'static str, &str),
        value: &str,
        at: &Location,
    ) -> Resolved<()> {
        let range = param.range.as_ref().zip(value.parse::<f64>().ok());
        let is_outside = range.is_some_and(|(range, number)| {
            range.min.as_ref().is_some_and(|min| number < **min) || range.max.as_ref().is_some_and(|max| number > **max)
        });
        if is_outside {
            let message = format!("the {what} `{value}` is outside the range");
            return Err(self.error(rule, at, message, "correct this value or the range"));
        }
        Ok(())
    }

    /// Checks that a value has the type of the param.
    fn of_type(
        &mut self,
        param: &'a spec::Param,
        (rule, what): (&'static str, &str),
        value: &str,
        at: &Location,
    ) -> Resolved<()> {
        let declared =
            TimeForm::of(param.unit.as_ref().and_then(|unit| TimeUnit::of(unit)), param.format.as_deref().copied());
        let is_one = match TypeExpr::parse(&param.ty) {
            Some(TypeExpr::Builtin(builtin)) => {
                let form = declared.unwrap_or_else(|| self.service.time_form());
                Type::Builtin(builtin).timed_in(form).is_written(value)
            }
            Some(TypeExpr::Name(name)) => self.values.get(name).is_none_or(|values| values.contains(value)),
            _ => true,
        };
        if is_one {
            return Ok(());
        }
        let message = format!("the {what} `{value}` is not of the type `{}`", param.ty);
        Err(self.error(rule, at, message, "write a value of this type, or describe the value in `notes`"))
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

/// Returns `true` if a param is an argument of the method: it is in the path, or it is required according to the API
/// document or the public documentation.
fn is_argument(param: &spec::Param) -> bool {
    param.location == ParamLocation::Path || param.required.is_some_and(Evidence::is_enforced)
}
