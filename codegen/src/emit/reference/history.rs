//! Emits the text on histories: which endpoints have a history, and which params select the time range.

use crate::emit::docs::code;
use crate::model::{Api, Endpoint, History, Known};
use crate::spanned::Text;

/// Returns the section of the front page on histories.
pub(super) fn of_service(api: &Api) -> String {
    let Some(history) = &api.service.history else { return String::new() };
    format!(
        "`.history(from..to)` on a request returns every record of a time range, in as many requests as necessary.\n\
         Every endpoint that returns a time series supports it if it has these params: {}.\n{}\n",
        params(history),
        super::source(history.evidence)
    )
}

/// Returns the table cell on the history of an endpoint; empty if the endpoint has no history.
pub(super) fn of_endpoint(endpoint: &Endpoint) -> String {
    let own = match &endpoint.history {
        _ if !endpoint.has_history => return String::new(),
        Some(Known::Known(history)) => format!("; {} (source: {})", params(history), history.evidence.label()),
        None | Some(Known::Unknown) => String::new(),
    };
    format!("yes: `.history(from..to)`{own}")
}

fn params(history: &History) -> String {
    let History { from, to, limit, step, .. } = history;
    let sort = history
        .order()
        .map(|(param, first)| format!(", {} (order; {} means ascending time)", code(param), code(first)))
        .unwrap_or_default();
    let range: Vec<_> = [from, to].into_iter().flatten().map(|name| code(name)).collect();
    let named = |name: &Option<Text>, role| name.as_ref().map(|name| format!(", {} ({role})", code(name)));
    let [limit, step] = [named(limit, "page size"), named(step, "step")].map(Option::unwrap_or_default);
    let times = [("; one record every", &history.every), ("; no records older than", &history.oldest)];
    let times: String = times.iter().filter_map(|(text, time)| Some(format!("{text} {}", time.as_ref()?))).collect();
    format!("{} (range){limit}{step}{sort}{times}", range.join(" and "))
}
