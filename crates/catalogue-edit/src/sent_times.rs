//! The times and steps that recorded requests have sent, which are known not to be secrets.

use std::collections::BTreeMap;

use crate::observed_query::QueryParam;

/// The times and steps of the requests of one endpoint, by the origin of the response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SentTimes(BTreeMap<String, BTreeMap<String, String>>);

impl SentTimes {
    /// Adds the params of a request whose values are times or steps.
    pub(crate) fn add(&mut self, origin: &str, params: &[QueryParam]) {
        let times = params.iter().filter(|param| param.is_time() || param.is_step());
        let times = times.map(|param| (param.name.clone(), param.value.clone()));
        self.0.entry(origin.to_owned()).or_default().extend(times);
    }

    /// The text of a time or step that the request of a response has sent.
    pub(crate) fn text(&self, origin: &str, param: &str) -> Option<&str> {
        self.0.get(origin)?.get(param).map(String::as_str)
    }
}
