//! Fetches the records of a range into a file, as `backfill` does.

use std::collections::BTreeSet;

use dataset::{BackfillPlan, Target};
use tokio::sync::mpsc::unbounded_channel;

use super::arguments::Arguments;
use super::progress_notes::{ProgressNotifier, ProgressSelection};
use super::stored_file::described;
use super::work_folder::WorkFolder;
use crate::backfill_run::FileRun;
use crate::connection::Connected;
use crate::endpoint_names::name;
use crate::failure::{ExitKind, Failure, Result};
use crate::find_endpoint::find_known;
use crate::job_settings::JobSettings;
use crate::log::Log;
use crate::progress::counted;
use crate::requested_series::{note_oldest, series_requests};
use crate::series_combinations::of_histories;
use crate::time_arg;

/// The arguments of [`fetch`].
pub(crate) const ARGUMENTS: [&str; 6] = ["endpoint", "params", "from", "to", "file", "confirm_requests"];

/// What a fetch has done.
#[derive(Debug)]
pub(crate) struct Fetched {
    pub(crate) text: String,
    /// Why records are missing.
    pub(crate) failure: Option<Failure>,
}

/// Fetches what is missing in the file, and describes the requested series in it. If the plan has more than
/// `max_requests`, returns a question instead, unless the call has confirmed so many.
pub(crate) async fn fetch(
    connected: &Connected,
    folder: &WorkFolder,
    max_requests: u64,
    arguments: &Arguments,
    notifier: Option<ProgressNotifier>,
    interrupt: impl Future<Output = ExitKind>,
) -> Result<Fetched> {
    let log = Log::All;
    let settings = job_settings(folder, arguments)?;
    let confirmed = arguments.number("confirm_requests")?;
    note_oldest(&settings.series, settings.from.time, log);
    let target = Target::parse(&settings.out)?;
    let series = series_requests(&connected.client, &settings.series)?;
    let job = connected.backfill(series, settings.from, settings.to, target.clone());
    let run = FileRun::new(&settings, job, target, log);
    let planned = run.plan().await?;
    let requests = planned.plan.requests();
    let records = planned.plan.records();
    let question = question(&planned.plan, max_requests);
    // The range of a relative time moves on between two calls, so the number need not be exact.
    let is_confirmed = confirmed.is_some_and(|confirmed| confirmed >= requests);
    if let Some(question) = question.filter(|_| !is_confirmed) {
        let other = if records.is_some() { "a shorter range or a longer interval" } else { "a shorter range" };
        let text = format!(
            "not fetched yet: {question}. If the user agrees, repeat the call with `confirm_requests` {requests}; or \
             choose {other}\n"
        );
        return Ok(Fetched { text, failure: None });
    }
    let paths: BTreeSet<String> = planned.plan.series.iter().map(|series| series.path.clone()).collect();
    let mut reporter = run.reporter(&planned.plan);
    // The answer is read at the end.
    reporter.progress_log = Log::Quiet;
    let ended = match notifier {
        None => run.run(planned, None, reporter, interrupt).await,
        Some(notifier) => {
            let (sender, received) = unbounded_channel();
            let mut selection = ProgressSelection::new(sender);
            reporter.on_progress = Some(Box::new(move |progress| selection.add(progress)));
            tokio::join!(run.run(planned, None, reporter, interrupt), notifier.send_all(received)).0
        }
    };
    let origin = if connected.is_sandbox() { "invented by the sandbox; not real data\n" } else { "" };
    match (ended.outcome, described(&settings.out, &paths, log).await) {
        (Ok(()), text) => Ok(Fetched { text: format!("{origin}{}", text?), failure: None }),
        (Err(failure), Ok(text)) => Ok(Fetched { text: format!("{origin}{text}"), failure: Some(failure) }),
        // Nothing was written that could be described.
        (Err(failure), Err(_)) => Err(failure),
    }
}

/// Says why a plan needs the agreement of the user; `None` if it needs none.
fn question(plan: &BackfillPlan, max_requests: u64) -> Option<String> {
    let why = match plan.records() {
        None => "the records have no regular step",
        // A page has a record.
        Some(records) if plan.has_unknown_pages() && records > max_requests => "the size of a page is unknown",
        Some(_) => "",
    };
    reason_to_ask(plan.requests(), max_requests, why)
}

/// `unknown` says why the number of requests is unknown; it is empty otherwise.
fn reason_to_ask(requests: u64, max_requests: u64, unknown: &str) -> Option<String> {
    if requests == 0 || unknown.is_empty() && requests <= max_requests {
        return None;
    }
    if unknown.is_empty() {
        return Some(format!("this needs {requests} requests, more than {max_requests}"));
    }
    let least = counted(requests, "request");
    Some(format!("this needs at least {least}; their number is unknown, because {unknown}"))
}

fn job_settings(folder: &WorkFolder, arguments: &Arguments) -> Result<JobSettings> {
    let endpoint = find_known(arguments.required_text("endpoint")?)?;
    let params = arguments.params(&[endpoint])?;
    let from = arguments.parsed("from", time_arg::start)?;
    let from = from.ok_or_else(|| Failure::usage("the argument `from` is missing"))?;
    let to = arguments.parsed("to", time_arg::end)?.unwrap_or(time_arg::OPEN);
    let out = folder.resolve(arguments.required_text("file")?)?;
    let series = of_histories(&[name(endpoint)], &params, Log::All)?;
    Ok(JobSettings { series, from, to, out, refetch: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_is_asked_about_many_requests_and_about_an_unknown_number() {
        for (requests, unknown) in [(0, ""), (5, ""), (10, ""), (0, "of events")] {
            assert_eq!(reason_to_ask(requests, 10, unknown), None, "{requests} {unknown}");
        }
        assert!(reason_to_ask(20, 10, "").is_some_and(|reason| reason.contains("20 requests, more than 10")));
        assert!(reason_to_ask(1, 10, "of events").is_some_and(|reason| reason.contains("at least 1 request;")));
    }
}
