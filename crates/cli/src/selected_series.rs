//! The options with which a command selects series of a file or a data set.

use std::collections::BTreeMap;
use std::slice;

use clap::Args;
use dataset::{SeriesStatus, quoted};
use serde_json::{Map, Value, json};

use crate::failure::{Failure, Result};
use crate::find_endpoint::find;
use crate::log::Log;
use crate::option_names::option_name;
use crate::param_options::{Params, endpoint_candidates};
use crate::param_values::stored_value;
use crate::program::program;

/// The options that select series.
#[derive(Args, Debug)]
pub(crate) struct Selection {
    /// Only series of these endpoints
    #[arg(long = "endpoint", value_name = "ENDPOINT", value_delimiter = ',', add = endpoint_candidates())]
    endpoints: Vec<String>,
    #[command(flatten)]
    params: Params,
}

/// The values of an option. A series is selected if it has one value of each option.
struct Filter<'f> {
    option: String,
    /// `None` for the endpoint.
    param: Option<&'f str>,
    values: &'f [String],
}

impl Selection {
    pub(crate) fn new(endpoints: Vec<String>, params: Params) -> Self {
        Self { endpoints, params }
    }

    /// Fails if no option is given.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_empty()? {
            return Err(Failure::usage("no series is named: give `--endpoint` or a param"));
        }
        Ok(())
    }

    /// Whether no option is given.
    pub(crate) fn is_empty(&self) -> Result<bool> {
        Ok(self.filters()?.is_empty())
    }

    /// The selected series of a target. Fails if there are none, and warns about values that select none.
    pub(crate) fn of(&self, mut series: Vec<SeriesStatus>, path: &str, log: Log) -> Result<Vec<SeriesStatus>> {
        let filters = self.filters()?;
        series.retain(|one| filters.iter().all(|filter| filter.selects(one)));
        if series.is_empty() {
            let path = quoted(path);
            let help = format!("`{} status {path}` lists the series", program().name);
            return Err(Failure::usage(format!("{path}: no such series")).help(help));
        }
        for filter in &filters {
            for value in filter.values {
                if !series.iter().any(|one| filter.has(one, value)) {
                    log.warning(&format!("`{} {value}` selects no series", filter.option));
                }
            }
        }
        Ok(series)
    }

    /// The options that are given.
    fn filters(&self) -> Result<Vec<Filter<'_>>> {
        for written in &self.endpoints {
            find(written)?;
        }
        let mut filters = Vec::new();
        if !self.endpoints.is_empty() {
            filters.push(Filter { option: "--endpoint".to_owned(), param: None, values: &self.endpoints });
        }
        for (name, values) in &self.params.known {
            filters.push(Filter::of_param(name, values));
        }
        for (name, value) in &self.params.passed_on {
            filters.push(Filter::of_param(name, slice::from_ref(value)));
        }
        Ok(filters)
    }
}

impl<'f> Filter<'f> {
    fn of_param(name: &'f str, values: &'f [String]) -> Self {
        Self { option: format!("--{}", option_name(name)), param: Some(name), values }
    }

    fn selects(&self, series: &SeriesStatus) -> bool {
        self.values.iter().any(|value| self.has(series, value))
    }

    /// Whether a series has a value, as it is written or in the form that files have.
    fn has(&self, series: &SeriesStatus, value: &str) -> bool {
        let Some(name) = self.param else {
            return find(value).is_ok_and(|endpoint| endpoint.to_string() == series.endpoint());
        };
        // A param that is not set has an empty value.
        let mut stored = String::new();
        for (param, own) in series.params() {
            if param == name {
                stored = own;
                break;
            }
        }
        if stored == value {
            return true;
        }
        let Ok(endpoint) = find(series.endpoint()) else {
            return false;
        };
        match endpoint.param(name) {
            Some(info) => stored == stored_value(info, value),
            None => false,
        }
    }
}

/// The endpoint and the params of a series as JSON.
pub(crate) fn identity_of(series: &SeriesStatus) -> Map<String, Value> {
    let params: BTreeMap<_, _> = series.params().collect();
    Map::from_iter([("endpoint".to_owned(), series.endpoint().into()), ("params".to_owned(), json!(params))])
}
