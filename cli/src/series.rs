//! The series to request: every endpoint with every combination of the given values.
//!
//! Endpoints and params come in, one series for each combination goes out, with its values checked against the
//! registry and a label that tells it from the others. Nothing is sent here.

use generated_client::registry::{EndpointInfo, ParamInfo, ValueType};
use generated_client::{SERVICE, Timestamp};

use crate::endpoints::{self, Endpoint};
use crate::failure::{Failure, Result};
use crate::moment;
use crate::params::{Params, kebab, splits};
use crate::say::Say;
use crate::sheet::Cell;
use crate::suggest;

/// One endpoint with one value for each param.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    pub(crate) endpoint: Target,
    /// By the names on the wire.
    pub(crate) values: Vec<(String, Given)>,
}

/// The target of a request: an endpoint of the catalogue, or a path that the catalogue need not know.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Known(Endpoint),
    Path(String),
}

/// The value of a param.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Given {
    Text(String),
    /// Values of which the service makes one series.
    Several(Vec<String>),
    Moment(Timestamp),
}

impl Target {
    /// The target that was named: any path is allowed.
    pub(crate) fn find(written: &str) -> Result<Self> {
        match endpoints::find_known(written) {
            Err(_) if written.starts_with('/') => Ok(Self::Path(written.to_owned())),
            found => found.map(Self::Known),
        }
    }

    pub(crate) fn known(&self) -> Option<Endpoint> {
        match self {
            Self::Known(endpoint) => Some(endpoint),
            Self::Path(_) => None,
        }
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Self::Known(endpoint) => endpoints::name(endpoint),
            Self::Path(path) => path.clone(),
        }
    }
}

impl PartialEq for Target {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Given {
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Several(values) => values.join("+"),
            Self::Moment(moment) => moment::shown(*moment),
        }
    }

    pub(crate) fn cell(&self) -> Cell {
        match self {
            Self::Moment(moment) => Cell::Moment(*moment),
            other => Cell::text(other.shown()),
        }
    }
}

impl Series {
    pub(crate) fn value(&self, wire_name: &str) -> Option<&Given> {
        self.values.iter().find(|(name, _)| name == wire_name).map(|(_, value)| value)
    }
}

/// Every endpoint with every combination of values, in the order in which they were given.
pub(crate) fn combine(targets: &[Target], params: &Params, say: &Say) -> Result<Vec<Series>> {
    every_param_is_taken(targets, params)?;
    let mut all = Vec::new();
    for target in targets {
        let mut of_target = vec![Series { endpoint: target.clone(), values: Vec::new() }];
        for (name, values) in &params.known {
            let info = target.known().and_then(|endpoint| endpoint.param(name));
            let given = match (target, info) {
                (Target::Known(endpoint), Some(info)) => {
                    values.iter().map(|value| read(endpoint, info, value, say)).collect::<Result<Vec<_>>>()?
                }
                (Target::Known(_), None) => continue,
                (Target::Path(_), _) => values.iter().cloned().map(Given::Text).collect(),
            };
            of_target = times(&of_target, name, &given);
        }
        for (name, value) in &params.passed_on {
            of_target = times(&of_target, name, &[Given::Text(value.clone())]);
        }
        all.append(&mut of_target);
    }
    all.iter().try_for_each(ends_after_it_begins)?;
    tell_what_is_needed(targets, params, say);
    Ok(all)
}

fn times(series: &[Series], name: &str, values: &[Given]) -> Vec<Series> {
    let with = |one: &Series, value: &Given| {
        let mut one = one.clone();
        one.values.retain(|(other, _)| other != name);
        one.values.push((name.to_owned(), value.clone()));
        one
    };
    series.iter().flat_map(|one| values.iter().map(move |value| with(one, value))).collect()
}

/// Refuses a param that none of the endpoints takes; one that some take is set on those.
fn every_param_is_taken(targets: &[Target], params: &Params) -> Result<()> {
    let takes = |target: &Target, name: &str| target.known().is_none_or(|endpoint| endpoint.param(name).is_some());
    for (name, _) in &params.known {
        if targets.iter().any(|target| takes(target, name)) {
            continue;
        }
        let names: Vec<_> = targets.iter().map(|target| format!("`{}`", target.name())).collect();
        let message = match names.as_slice() {
            [one] => format!("{one} takes no param `{name}`"),
            several => format!("none of {} takes a param `{name}`", several.join(", ")),
        };
        let known = targets.iter().filter_map(Target::known).flat_map(|endpoint| endpoint.params.unwrap_or_default());
        let mut known: Vec<_> = known.map(|info| format!("`{}`", info.wire_name)).collect();
        known.dedup();
        let takes = if known.is_empty() { None } else { Some(format!("known params: {}", known.join(", "))) };
        let passed_on = format!("if it is new, `--param {name}=VALUE` sends it as it is");
        return Err(Failure::usage(message).tip_if(takes).tip(passed_on));
    }
    Ok(())
}

/// Warns of params that are only reported to be required: the service decides whether the request fails.
fn tell_what_is_needed(targets: &[Target], params: &Params, say: &Say) {
    for endpoint in targets.iter().filter_map(Target::known) {
        for info in endpoint.params.unwrap_or_default() {
            let is_left_out = info.fixed.is_none() && info.default.is_none() && !params.has(info.wire_name);
            if let Some(how) = info.required.filter(|how| is_left_out && !how.is_enforced()) {
                let (name, option) = (endpoints::name(endpoint), kebab(info.wire_name));
                say.warning(&format!("{name} is asked without `--{option}`, which it needs ({how})"));
            }
        }
    }
}

/// Refuses a range that ends before it begins: the service answers it with no records and no error.
fn ends_after_it_begins(series: &Series) -> Result<()> {
    let walk = series.endpoint.known().and_then(|endpoint| endpoint.history(&SERVICE));
    let Some(walk) = walk.or(SERVICE.history.as_ref()) else { return Ok(()) };
    match (series.value(walk.from), series.value(walk.to)) {
        (Some(Given::Moment(from)), Some(Given::Moment(to))) if to < from => {
            let [begin, end] = [(walk.from, from), (walk.to, to)]
                .map(|(name, moment)| format!("`--{} {}`", kebab(name), moment::shown(*moment)));
            Err(Failure::usage(format!("{end} lies before {begin}")))
        }
        _ => Ok(()),
    }
}

/// The value as an endpoint takes it, or what is wrong with it.
fn read(endpoint: &EndpointInfo, info: &ParamInfo, value: &str, say: &Say) -> Result<Given> {
    if matches!(info.ty, ValueType::Timestamp(_)) {
        let moment = moment::from_now(value).map_err(|error| wrong(endpoint, info, value).tip(error))?;
        return Ok(Given::Moment(moment));
    }
    // `+` joins values only in a param that takes a list.
    let several: Vec<&str> = if info.list.is_some() && splits(info) { value.split('+').collect() } else { vec![value] };
    for one in &several {
        check(endpoint, info, one, say)?;
    }
    Ok(match several.as_slice() {
        [one] => Given::Text((*one).to_owned()),
        _ => Given::Several(several.into_iter().map(str::to_owned).collect()),
    })
}

fn check(endpoint: &EndpointInfo, info: &ParamInfo, value: &str, say: &Say) -> Result<()> {
    if !info.served.is_empty() && !info.served.contains(&value) {
        let (name, served) = (endpoints::name(endpoint), info.served.join(", "));
        let what = format!("`{value}` is no `{}` that {name} is reported to serve", info.wire_name);
        say.warning(&format!("{what}: {served}. It is sent as it is"));
    }
    let ValueType::Named(ty) = info.ty else { return Ok(()) };
    let known: Vec<&str> = ty.values.iter().map(|value| value.value).collect();
    if known.is_empty() || known.contains(&value) {
        if info.refused.contains(&value) {
            say.warning(&format!("{} is reported to refuse `{value}`", endpoints::name(endpoint)));
        }
        return Ok(());
    }
    let is_relied_on = info.evidence.is_enforced() && ty.values.iter().any(|value| value.evidence.is_enforced());
    let tip = suggest::tip(value, known.iter().copied());
    if !ty.open && is_relied_on {
        let tip = tip.unwrap_or_else(|| format!("it takes {}", known.join(", ")));
        let passed_on = format!("if it is new, `--param {}={value}` sends it as it is", info.wire_name);
        return Err(wrong(endpoint, info, value).tip(tip).tip(passed_on));
    }
    // Tickers are short and many: each is similar to another.
    if let Some(tip) = tip.filter(|_| value.len() > 5 || !ty.open) {
        say.warning(&format!("`{value}` is no known {}, {tip} It is sent as it is", article(ty.name)));
    }
    Ok(())
}

fn article(name: &str) -> String {
    kebab(name).replace('-', " ")
}

fn wrong(endpoint: &EndpointInfo, info: &ParamInfo, value: &str) -> Failure {
    Failure::usage(format!("`{value}` is no `{}` of {}", info.wire_name, endpoints::name(endpoint)))
}

/// What tells each series from the others, in as few words as possible.
pub(crate) fn labels(series: &[Series]) -> Vec<String> {
    let names = differing(series);
    let several = series.iter().any(|one| one.endpoint != series[0].endpoint);
    let label = |one: &Series| {
        let mut words: Vec<String> = Vec::new();
        if several || names.is_empty() {
            words.push(one.endpoint.name());
        }
        words.extend(names.iter().filter_map(|name| one.value(name)).map(Given::shown));
        words.join(" ")
    };
    series.iter().map(label).collect()
}

/// The params whose values differ among series, in their order.
pub(crate) fn differing(series: &[Series]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, value) in series.iter().flat_map(|one| &one.values) {
        if !names.contains(name) && series.iter().any(|one| one.value(name).is_some_and(|other| other != value)) {
            names.push(name.clone());
        }
    }
    names
}

/// The target that was named, which has to have a history.
pub(crate) fn must_have_history(written: &str) -> Result<Target> {
    let target = Target::find(written)?;
    if target.known().is_some_and(|endpoint| endpoint.history(&SERVICE).is_some()) {
        return Ok(target);
    }
    let failure = Failure::usage(format!("`{}` has no known history", target.name()));
    Err(failure.tip("`derivs list --history` shows the endpoints that have one"))
}

/// Refuses params that a history sets itself.
pub(crate) fn walks_by_itself(params: &Params) -> Result<()> {
    let Some(walk) = &SERVICE.history else { return Ok(()) };
    let walked = [walk.from, walk.to, walk.limit].into_iter().chain(walk.sort.map(|(sort, _)| sort));
    for name in walked {
        if params.known.iter().any(|(given, _)| given == name) {
            let failure = Failure::usage(format!("`{name}` is set for every page of a history"));
            return Err(failure.tip("`--from` and `--to` say which records are wanted"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(targets: &[&str], known: &[(&str, &[&str])], passed_on: &[(&str, &str)]) -> Vec<String> {
        let targets: Result<Vec<_>> = targets.iter().map(|name| Target::find(name)).collect();
        let owned = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
        let params = Params {
            known: known.iter().map(|(name, values)| ((*name).to_owned(), owned(values))).collect(),
            passed_on: passed_on.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        };
        let combined = targets.and_then(|targets| combine(&targets, &params, &Say::nothing()));
        combined.map_or_else(|failure| vec![failure.to_string()], |series| labels(&series))
    }

    #[test]
    fn every_combination_is_one_series() {
        let two: (&str, &[&str]) = ("coin", &["BTC", "ETH"]);
        assert_eq!(check(&["volume_ratio"], &[two], &[]), ["BTC", "ETH"]);
        assert_eq!(check(&["volume_ratio"], &[("coin", &["BTC"])], &[]), ["volume_ratio"]);
        let four = check(&["volume_ratio", "open_interest"], &[two, ("timeframe", &["1h"])], &[]);
        assert_eq!(four, ["volume_ratio BTC", "volume_ratio ETH", "open_interest BTC", "open_interest ETH"]);
        let venues: (&str, &[&str]) = ("exchange", &["binance_spot", "okx_perp_stable+bybit_perp_stable"]);
        let both = check(&["volume_ratio"], &[venues], &[]);
        assert_eq!(both, ["binance_spot", "okx_perp_stable+bybit_perp_stable"]);
        assert_eq!(check(&["/new"], &[two], &[("a", "1,2")]), ["BTC", "ETH"]);
    }

    #[test]
    fn what_is_wrong_says_what_would_be_right() {
        let timeframe = check(&["volume_ratio"], &[("timeframe", &["1hr"])], &[]);
        let expected = "`1hr` is no `timeframe` of volume_ratio\n\n  tip: did you mean `1h`?\n  tip: if it is new, `--param timeframe=1hr` sends it as it is";
        assert_eq!(timeframe, [expected]);
        let anchor = check(&["health_check"], &[("anchor", &["1d"])], &[]);
        let expected =
            "`health_check` takes no param `anchor`\n\n  tip: if it is new, `--param anchor=VALUE` sends it as it is";
        assert_eq!(anchor, [expected]);
        // A param that some of the endpoints take is set on those.
        assert_eq!(
            check(&["health_check", "anchored_cvd"], &[("anchor", &["1d"])], &[]),
            ["health_check", "anchored_cvd"]
        );
    }
}
