//! The options with which a command selects series of a file or a data set.

use std::collections::BTreeMap;

use clap::Args;
use dataset::{SeriesStatus, quoted};
use serde_json::{Map, Value, json};

use crate::failure::{Failure, Result};
use crate::find_endpoint::find;
use crate::log::Log;
use crate::notation::{assigned, assignment, command, option, python_text};
use crate::option_names::written;
use crate::param_options::{Params, history_candidates};
use crate::param_values::stored_value;

/// The options that select series.
#[derive(Args, Debug)]
pub(crate) struct Selection {
    /// Only series of these endpoints
    #[arg(long = "endpoint", value_name = "ENDPOINT", value_delimiter = ',', add = history_candidates())]
    endpoints: Vec<String>,
    #[command(flatten)]
    params: Params,
}

/// The values of an option. A series is selected if it has one value of each option.
struct Filter<'f> {
    /// `None` for the endpoint.
    param: Option<&'f str>,
    /// Whether the param has no option.
    is_passed_on: bool,
    values: Vec<WantedValue<'f>>,
}

struct WantedValue<'f> {
    text: &'f str,
    /// Whether only a series whose stored value is this text is meant, and not another spelling of it.
    is_exact: bool,
}

impl Selection {
    pub(crate) fn new(endpoints: Vec<String>, params: Params) -> Self {
        Self { endpoints, params }
    }

    /// Fails if no option is given.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_empty() {
            return Err(Failure::usage(format!("no series is named: give `{}` or a param", option("endpoint"))));
        }
        Ok(())
    }

    /// Whether no option is given.
    pub(crate) fn is_empty(&self) -> bool {
        self.endpoints.is_empty() && self.params.known.is_empty() && self.params.passed_on.is_empty()
    }

    /// The selected series of a target. Fails if there are none, and warns about values that select none.
    pub(crate) fn of(&self, mut series: Vec<SeriesStatus>, path: &str, log: Log) -> Result<Vec<SeriesStatus>> {
        let mut filters = Vec::new();
        if let Some(filter) = self.endpoint_filter()? {
            series.retain(|one| filter.selects(one));
            filters.push(filter);
        }
        let of_params = self.param_filters(&series);
        series.retain(|one| of_params.iter().all(|filter| filter.selects(one)));
        filters.extend(of_params);
        if series.is_empty() {
            let filters: Vec<_> = filters.iter().map(Filter::text).collect();
            return Err(no_such_series(path, &filters.join(" ")));
        }
        for filter in &filters {
            for value in &filter.values {
                if !series.iter().any(|one| filter.has(one, value)) {
                    log.warning(&format!("`{}` selects no series", filter.written(value.text)));
                }
            }
        }
        Ok(series)
    }

    /// The endpoints that are given; `None` if there are none.
    fn endpoint_filter(&self) -> Result<Option<Filter<'_>>> {
        let mut values = Vec::new();
        for written in &self.endpoints {
            find(written)?;
            values.push(WantedValue { text: written, is_exact: false });
        }
        let filter = Filter { param: None, is_passed_on: false, values };
        Ok(if filter.values.is_empty() { None } else { Some(filter) })
    }

    /// The params that are given. The value of an option is another spelling of a stored value only if none of the series
    /// has it as it is written: `btc` means `BTC`, unless a series of `btc` is stored.
    fn param_filters(&self, series: &[SeriesStatus]) -> Vec<Filter<'_>> {
        let mut filters = Vec::new();
        for (name, written) in &self.params.known {
            let mut values = Vec::new();
            for text in written {
                let is_exact = series.iter().any(|one| stored_param(one, name) == *text);
                values.push(WantedValue { text, is_exact });
            }
            filters.push(Filter { param: Some(name), is_passed_on: false, values });
        }
        for (name, written) in &self.params.passed_on {
            let values = written.iter().map(|text| WantedValue { text, is_exact: true }).collect();
            filters.push(Filter { param: Some(name), is_passed_on: true, values });
        }
        filters
    }
}

impl Filter<'_> {
    /// The option with a value.
    fn written(&self, value: &str) -> String {
        match self.param {
            None => assigned("endpoint", value),
            Some(name) if self.is_passed_on => assigned("param", &format!("{name}={value}")),
            Some(name) => assignment(&written(name), value),
        }
    }

    /// The option with all values.
    fn text(&self) -> String {
        let values: Vec<_> = self.values.iter().map(|value| value.text).collect();
        self.written(&values.join(","))
    }

    fn selects(&self, series: &SeriesStatus) -> bool {
        self.values.iter().any(|value| self.has(series, value))
    }

    /// Whether a series has a value, as it is written or in the form that files have.
    fn has(&self, series: &SeriesStatus, value: &WantedValue<'_>) -> bool {
        let Some(name) = self.param else {
            return find(value.text).is_ok_and(|endpoint| endpoint.to_string() == series.endpoint());
        };
        let stored = stored_param(series, name);
        if stored == value.text {
            return true;
        }
        if value.is_exact {
            return false;
        }
        let Ok(endpoint) = find(series.endpoint()) else {
            return false;
        };
        match endpoint.param(name) {
            Some(info) => stored == stored_value(info, value.text),
            None => false,
        }
    }
}

/// The failure if these options select no series of a target.
fn no_such_series(path: &str, options: &str) -> Failure {
    let status = command(&format!("status {}", quoted(path)), &format!("status({})", python_text(path)), "report");
    Failure::usage(format!("{}: no such series: `{options}`", quoted(path)))
        .help(format!("`{status}` lists the series"))
}

/// The value of a param of a series, which is empty if the param is not set.
fn stored_param(series: &SeriesStatus, name: &str) -> String {
    let mut params = series.params();
    match params.find(|(param, _)| *param == name) {
        Some((_, value)) => value,
        None => String::new(),
    }
}

/// The endpoint and the params of a series as JSON.
pub(crate) fn identity_of(series: &SeriesStatus) -> Map<String, Value> {
    let params: BTreeMap<_, _> = series.params().collect();
    Map::from_iter([("endpoint".to_owned(), series.endpoint().into()), ("params".to_owned(), json!(params))])
}
