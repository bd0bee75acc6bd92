//! Resolves `history`: checks the params that select a time range, and determines which endpoints have a history.

use super::Resolver;
use crate::model::{Body, Builtin, EndpointParam, Param, SharedParam, Type};
use crate::spanned::Text;
use crate::spec::{self, Known};

/// A test of a param.
type Fits = fn(&spec::Service, &Param) -> bool;

/// A param that is named elsewhere, and must fit its use.
#[derive(Clone, Copy)]
pub(super) struct TypedParam<'h> {
    pub(super) name: &'h Text,
    pub(super) fits: Fits,
    /// The requirement, as text that follows `must` in a message.
    pub(super) requirement: &'static str,
}

/// The params of a history that need certain types, in the order from, to, limit and step.
fn typed_params(history: &spec::History) -> Vec<TypedParam<'_>> {
    let mut params = Vec::new();
    for name in [&history.from, &history.to].into_iter().flatten() {
        params.push(TypedParam { name, fits: is_bound, requirement: "be a `timestamp` without `const_value`" });
    }
    if let Some(name) = &history.limit {
        params.push(TypedParam { name, fits: is_count, requirement: "be a `count`" });
    }
    if let Some(name) = &history.step {
        let requirement = "have a type whose values have a `duration`";
        params.push(TypedParam { name, fits: has_duration, requirement });
    }
    params
}

/// `true` if a param has no constant value, so that each request can set it.
pub(super) fn is_settable(_: &spec::Service, param: &Param) -> bool {
    param.declared.const_value.is_none()
}

/// `true` if a param can be the start or end of a range. A history sets the param, so the param cannot have a
/// constant value.
fn is_bound(_: &spec::Service, param: &Param) -> bool {
    param.declared.const_value.is_none() && param.ty.time_form().is_some()
}

/// `true` if a param is a number of records.
pub(super) fn is_count(_: &spec::Service, param: &Param) -> bool {
    matches!(param.ty, Type::Builtin(Builtin::Count | Builtin::Integer))
}

fn has_duration(service: &spec::Service, param: &Param) -> bool {
    let Type::Named(name) = &param.ty else { return false };
    for known in &service.types {
        if known.name.as_str() == name && known.values.iter().any(|value| value.duration.is_some()) {
            return true;
        }
    }
    false
}

impl<'a> Resolver<'a> {
    /// Checks the `history` of the service, whose params must be shared params.
    pub(super) fn check_service_history(&mut self, shared: &[Option<SharedParam>]) {
        let Some(history) = &self.service.history else { return };
        let mut params = Vec::new();
        for shared in shared {
            // An invalid shared param has already been reported.
            let Some(shared) = shared else { return };
            params.push(&*shared.param);
        }
        self.check_history(history, &params);
    }

    /// Checks the `history` of an endpoint, and returns `true` if the endpoint has a history.
    pub(super) fn endpoint_history(
        &mut self,
        endpoint: &'a spec::Endpoint,
        params: Option<&[EndpointParam]>,
        body: &Body,
    ) -> bool {
        let params: Vec<&Param> = params.unwrap_or_default().iter().map(|param| &*param.param).collect();
        let is_in_time = matches!(body, Body::Series { time: Some(_), .. });
        let is_known = endpoint.path.known().is_some();
        match &endpoint.history {
            None => is_in_time && is_known && self.takes_history_of_service(&params),
            Some(Known::Unknown) => false,
            Some(Known::Known(history)) => {
                if is_in_time {
                    self.check_history(history, &params);
                } else {
                    let name = history.from.as_ref().or(history.to.as_ref()).unwrap_or(&endpoint.name);
                    self.error("history-body", name.at(), &[]);
                }
                is_known
            }
        }
    }

    /// `true` if an endpoint with these params has the history that the service declares.
    fn takes_history_of_service(&self, params: &[&Param]) -> bool {
        let Some(history) = &self.service.history else { return false };
        for TypedParam { name, fits, .. } in typed_params(history) {
            if !params.iter().any(|param| param.declared.name == **name && fits(self.service, param)) {
                return false;
            }
        }
        let Some(sort) = &history.sort else { return true };
        // The history sets the order, so the param cannot have a constant value.
        !params.iter().any(|param| param.declared.name == **sort && param.declared.const_value.is_some())
    }

    fn check_history(&mut self, history: &spec::History, params: &[&Param]) {
        if let Some(to) = &history.to
            && history.from == history.to
            && !params.iter().any(|param| param.declared.name == **to && param.declared.list_setter.is_some())
        {
            return self.error("duplicate-param/range", to.at(), &[to]);
        }
        for param in typed_params(history) {
            self.typed_param("history-type/param", params, param);
        }
        if let Some((sort, oldest_first)) = history.order() {
            self.check_order(params, sort, oldest_first);
        }
    }

    /// Checks that a param with this wire name exists and passes the test `fits`; a param that does not pass breaks
    /// `rule`.
    pub(super) fn typed_param<'p>(
        &mut self,
        rule: &'static str,
        params: &[&'p Param],
        TypedParam { name, fits, requirement }: TypedParam<'_>,
    ) -> Option<&'p Param> {
        let Some(param) = params.iter().find(|param| param.declared.name == **name) else {
            let known = params.iter().map(|param| param.declared.name.as_str());
            self.unknown_name("unknown-param", name, name.at(), "param", known);
            return None;
        };
        if !fits(self.service, param) {
            self.error(rule, name.at(), &[name, &requirement]);
            return None;
        }
        Some(param)
    }

    /// Checks the param that sets the order of records, and its value for ascending time.
    fn check_order(&mut self, params: &[&Param], sort: &Text, oldest_first: &Text) {
        let sort = TypedParam { name: sort, fits: is_settable, requirement: "have no `const_value`" };
        let Some(param) = self.typed_param("history-type/param", params, sort) else { return };
        if !param.ty.is_written(oldest_first) {
            self.error("history-type/value", oldest_first.at(), &[oldest_first, &param.declared.name]);
        }
        if let Some(values) = self.all_values(&param.ty)
            && !values.contains(oldest_first.as_str())
        {
            let mut known: Vec<_> = values.iter().copied().collect();
            known.sort_unstable();
            self.unknown_name("unknown-value", oldest_first, oldest_first.at(), "value", known.into_iter());
        }
    }
}
