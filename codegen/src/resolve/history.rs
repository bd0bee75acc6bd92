//! Resolves `history`: checks the params that select a time range, and determines which endpoints have a history.

use super::{Resolved, Resolver};
use crate::model::{Body, Builtin, EndpointParam, History, HistorySource, Param, SharedParam, Type};
use crate::spanned::Text;
use crate::spec::{self, Known};

/// A param of a history: the name, a test of the param, and the requirement as text that follows `must` in a message.
type TypedParam<'h> = (&'h Text, fn(&spec::Service, &Param) -> bool, &'static str);

/// Returns the params of a history that need certain types, in the order from, to, limit and step.
fn typed_params(history: &spec::History) -> [TypedParam<'_>; 4] {
    [
        (&history.from, is_bound, "be a `timestamp` without `const_value`"),
        (&history.to, is_bound, "be a `timestamp` without `const_value`"),
        (
            &history.limit,
            |_, param| matches!(param.ty, Type::Builtin(Builtin::Count | Builtin::Integer)),
            "be a `count`",
        ),
        (&history.step, has_duration, "have a type whose values have a `duration`"),
    ]
}

/// Returns `true` if a param can be the start or end of a range. A history sets the param, so the param cannot have a
/// constant value.
fn is_bound(_: &spec::Service, param: &Param) -> bool {
    param.const_value.is_none() && param.ty.time_form().is_some()
}

fn has_duration(service: &spec::Service, param: &Param) -> bool {
    let Type::Named(name) = &param.ty else { return false };
    let mut types = service.types.iter().filter(|known| known.name.as_str() == name);
    types.any(|known| known.values.iter().any(|value| value.duration.is_some()))
}

impl<'a> Resolver<'a> {
    /// Resolves the `history` of the service, whose params must be shared params.
    pub(super) fn service_history(&mut self, shared: &[Resolved<SharedParam>]) -> Resolved<Option<History>> {
        let Some(history) = &self.service.history else { return Ok(None) };
        let mut params = Vec::new();
        for param in shared {
            // An invalid shared param has already been reported.
            params.push(&param.as_ref().map_err(|invalid| *invalid)?.param);
        }
        self.history(history, &params).map(Some)
    }

    /// Returns the source of an endpoint's history, and `true` if the endpoint has a history.
    pub(super) fn endpoint_history(
        &mut self,
        endpoint: &'a spec::Endpoint,
        params: Option<&[EndpointParam]>,
        body: &Body,
    ) -> Resolved<(HistorySource, bool)> {
        let params: Vec<&Param> = params.unwrap_or_default().iter().map(|param| &param.param).collect();
        let is_in_time = matches!(body, Body::Series { time: Some(_), .. });
        let is_known = endpoint.path.known().is_some();
        match &endpoint.history {
            None => {
                let takes = |(name, fits, _): TypedParam<'_>| {
                    params.iter().any(|param| param.wire_name == **name && fits(self.service, param))
                };
                let can_set =
                    |name: &Text| params.iter().all(|param| param.wire_name != **name || param.const_value.is_none());
                let takes_all = self.service.history.as_ref().is_some_and(|history| {
                    typed_params(history).into_iter().all(takes) && history.sort.iter().all(can_set)
                });
                Ok((HistorySource::Service, takes_all && is_in_time && is_known))
            }
            Some(Known::Unknown) => Ok((HistorySource::Unknown, false)),
            Some(Known::Known(history)) if !is_in_time => {
                let message = "only an endpoint that returns a time series can have a history";
                Err(self.error("history-body", history.from.at(), message, "omit `history`"))
            }
            Some(Known::Known(history)) => Ok((HistorySource::Endpoint(self.history(history, &params)?), is_known)),
        }
    }

    fn history(&mut self, history: &'a spec::History, params: &[&Param]) -> Resolved<History> {
        if history.from == history.to {
            let message = format!("the param `{}` is both `from` and `to`", history.to);
            return Err(self.error("duplicate-param", history.to.at(), message, "set them to different params"));
        }
        let [from, to, limit, step] = typed_params(history).map(|param| self.history_param(params, param));
        let sort = history.sort.as_ref().zip(history.oldest_first.as_ref());
        let sort = sort.map(|(sort, first)| self.order(params, sort, first)).transpose();
        Ok(History { from: from?, to: to?, limit: limit?, step: step?, sort: sort?, evidence: history.evidence })
    }

    /// Checks that a param with this wire name exists and passes the test `fits`.
    fn history_param(&mut self, params: &[&Param], (name, fits, what): TypedParam<'_>) -> Resolved<String> {
        match params.iter().find(|param| param.wire_name == **name) {
            Some(param) if fits(self.service, param) => Ok(name.to_string()),
            Some(_) => Err(self.error(
                "history-type",
                name.at(),
                format!("the param `{name}` must {what}"),
                "use another param, or change this one",
            )),
            None => {
                let known = params.iter().map(|param| param.wire_name.as_str());
                Err(self.unknown_name("unknown-param", name, name.at(), "param", known))
            }
        }
    }

    /// Checks the param that sets the order of records, and its value for ascending time, and returns both.
    fn order(&mut self, params: &[&Param], sort: &Text, oldest_first: &Text) -> Resolved<(String, String)> {
        let name =
            self.history_param(params, (sort, |_, param| param.const_value.is_none(), "have no `const_value`"))?;
        let ty = params.iter().find(|param| param.wire_name == name).map(|param| &param.ty);
        if ty.is_some_and(|ty| !ty.is_written(oldest_first)) {
            let message = format!("the value `{oldest_first}` is not of the type of the param `{name}`");
            return Err(self.error("history-type", oldest_first.at(), message, "write a value of this type"));
        }
        if let Some(Type::Named(ty)) = ty
            && let Some(values) = self.values.get(ty.as_str()).filter(|values| !values.contains(oldest_first.as_str()))
        {
            let mut known: Vec<_> = values.iter().copied().collect();
            known.sort_unstable();
            let known = known.into_iter();
            return Err(self.unknown_name("unknown-value", oldest_first, oldest_first.at(), "value", known));
        }
        Ok((name, oldest_first.to_string()))
    }
}
