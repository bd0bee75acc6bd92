//! Which endpoints have a history, and by which params a range of time is walked.
//!
//! The model comes in, sentences for the front page and for the endpoints go out.

use super::known;
use crate::emit::docs::code;
use crate::model::{Api, Endpoint, History, HistoryOf};

/// How to get a range, where that is the same for many endpoints.
pub(super) fn of_service(api: &Api) -> String {
    let Some(history) = &api.service.history else { return String::new() };
    let with = api.methods().filter(|endpoint| endpoint.has_history).count();
    let all = api.methods().count();
    let walked = walked(history);
    format!(
        "\n## Histories\n\n`.history(from..to)` on a request gives every record of a range of time, in as many replies as it takes.\n\
         {with} of the {all} endpoints with a path have it, and their pages say so: they answer with a series in time and \
         take {walked} {}\n",
        known(history.evidence)
    )
}

/// Whether an endpoint has a history, and how it is walked if that is its own.
pub(super) fn of_endpoint(endpoint: &Endpoint) -> String {
    let own = match &endpoint.history {
        _ if !endpoint.has_history => return String::new(),
        HistoryOf::Own(history) => format!(", by {} {}", walked(history), known(history.evidence)),
        HistoryOf::Service | HistoryOf::Unknown => ".".to_owned(),
    };
    format!("It has a history: `.history(from..to)` gives every record of a range{own}")
}

/// The params, each with what it does, as the rest of a sentence; then where data begins.
fn walked(history: &History) -> String {
    let History { from, to, limit, step, sort, since, .. } = history;
    let sort = sort
        .as_ref()
        .map(|(param, first)| format!(", {} for the order ({} is the oldest first)", code(param), code(first)));
    let since = since.as_ref().map(|(_, day)| format!(" Data begins on {day}.")).unwrap_or_default();
    let params = format!(
        "{} and {} for the range, {} for the page size, {} for the step",
        code(from),
        code(to),
        code(limit),
        code(step)
    );
    format!("{params}{}.{since}", sort.unwrap_or_default())
}
