//! The params of endpoints as options of a command line.
//!
//! Options are built from the registry, with the catalogue's descriptions as help and its values as completions. The
//! values are returned with the names that the params have in the API, and `requested_series` checks the values for
//! each endpoint.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use dataset::quoted;
use runtime::registry::{EndpointInfo, HistoryInfo};

use crate::endpoint_names::{self, Endpoint, histories, history};
use crate::notation::{self, Notation, assigned, notation};
use crate::offered_param::{ID, Offered, PARAMS, offered, splits};
use crate::option_names::{names, option_name, written};
use crate::program::program;

/// The options of all commands.
const GLOBAL: [&str; 4] = ["color", "help", "quiet", "verbose"];

/// The params of a command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Params {
    /// The API names of params, each with all of its values.
    pub(crate) known: Vec<(String, Vec<String>)>,
    /// Params that are sent unchecked, each with all of its values.
    pub(crate) passed_on: Vec<(String, Vec<String>)>,
    /// `true` if the params are keys of a job file, and no options.
    pub(crate) are_keys: bool,
}

impl Params {
    /// `true` if a param of this name is set.
    pub(crate) fn has(&self, wire_name: &str) -> bool {
        let is_known = self.known.iter().any(|(name, _)| name == wire_name);
        is_known || self.passed_on.iter().any(|(name, _)| name == wire_name)
    }

    /// The option or the key that sets a param.
    pub(crate) fn written(&self, wire_name: &str) -> String {
        if self.are_keys { names().job_key(wire_name) } else { written(wire_name) }
    }

    /// The option or the key with a value, as a quotation.
    pub(crate) fn assigned(&self, wire_name: &str, value: &str) -> String {
        format!("`{}`", notation::assignment(&self.written(wire_name), value))
    }

    /// The advice to send a value unchecked; `None` for a job file, which has no option for that.
    pub(crate) fn unchecked(&self, wire_name: &str, value: &str) -> Option<String> {
        if self.are_keys {
            return None;
        }
        let value = format!("{wire_name}={value}");
        let value = if notation() == Notation::Shell { quoted(value) } else { value };
        Some(format!("`{}` sends it anyway", assigned("param", &value)))
    }
}

/// Restricts the help to the params of the chosen endpoints, with the descriptions that apply to these endpoints.
/// Without an endpoint, the help shows the params that most endpoints accept.
/// The params of a range are hidden, because `--from` and `--to` replace them, and with `has_pages` those of pages too.
pub(crate) fn narrowed(command: Command, chosen: &[Endpoint], has_pages: bool) -> Command {
    // These commands select by params, so they need none.
    let is_filter = ["remove", "retire", "export"].contains(&command.get_name());
    let mut shown = offered(chosen);
    let enough = if chosen.is_empty() { endpoint_names::with_path().count() / 2 } else { 1 };
    let hidden = hidden_params(chosen, has_pages);
    shown.retain(|one| one.infos.len() >= enough && !hidden.contains(&one.wire_name));
    let taken = own_options(&command);
    let all = offered(&[]);
    command.mut_args(|mut arg| {
        let Some(name) = arg.get_id().as_str().strip_prefix(ID) else { return arg };
        let name = name.to_owned();
        if let Some(one) = all.iter().find(|one| one.wire_name == name) {
            arg = one.with_aliases(arg, &taken);
        }
        match shown.iter().find(|one| one.wire_name == name) {
            Some(one) => one.described(arg, is_filter),
            None => arg.hide(true),
        }
    })
}

/// The params that the command sets: those of a range, and with `has_pages` those of pages too.
fn hidden_params(chosen: &[Endpoint], has_pages: bool) -> Vec<&'static str> {
    let mut hidden = Vec::new();
    let count = if has_pages { 4 } else { 2 };
    for info in histories(chosen) {
        hidden.extend(range_params(info).take(count));
    }
    hidden
}

/// The options of a command that set no param.
fn own_options(command: &Command) -> Vec<String> {
    let mut options: Vec<String> = GLOBAL.map(str::to_owned).into();
    for arg in command.get_arguments() {
        if !arg.get_id().as_str().starts_with(ID) {
            let all = arg.get_long_and_visible_aliases().unwrap_or_default();
            for name in all {
                options.push(name.to_owned());
            }
            for hidden_name in arg.get_all_aliases().unwrap_or_default() {
                options.push(hidden_name.to_owned());
            }
        }
    }
    options
}

/// The names of the params that a history sets in the request of each page; the first two set the range.
pub(crate) fn range_params(info: &HistoryInfo) -> impl Iterator<Item = &'static str> + use<> {
    let sort = match info.sort {
        Some((name, _)) => name,
        None => "",
    };
    [info.from, info.to, info.limit, sort].into_iter().filter(|name| !name.is_empty())
}

/// Whether the history of an endpoint sets a param in the request of each page.
pub(crate) fn is_set_by_history(endpoint: &EndpointInfo, param: &str) -> bool {
    let Some(info) = history(endpoint) else { return false };
    range_params(info).any(|own| own == param)
}

/// What sets a param of an endpoint, in the notation of messages: `--from` and `--to` for the range of its history.
pub(crate) fn option(endpoint: &EndpointInfo, wire_name: &str) -> String {
    match history(endpoint) {
        Some(info) if info.from == wire_name => notation::option("from"),
        Some(info) if info.to == wire_name => notation::option("to"),
        _ => written(wire_name),
    }
}

/// The names of endpoints, for shell completion.
pub(crate) fn endpoint_candidates() -> ArgValueCandidates {
    candidates_of(|_| true)
}

/// The endpoints with a history, for completion.
pub(crate) fn history_candidates() -> ArgValueCandidates {
    candidates_of(|endpoint| history(endpoint).is_some())
}

fn candidates_of(is_offered: impl Fn(&EndpointInfo) -> bool + Send + Sync + 'static) -> ArgValueCandidates {
    ArgValueCandidates::new(move || {
        let mut candidates = Vec::new();
        for endpoint in endpoint_names::with_path().filter(|endpoint| is_offered(endpoint)) {
            let name = endpoint_names::name(endpoint);
            candidates.push(CompletionCandidate::new(name).help(Some(endpoint.summary.into())));
        }
        candidates
    })
}

/// The help of an argument for endpoints, with the command that lists them.
pub(crate) fn endpoints_help(command: &str) -> String {
    format!("Endpoints by name; `{} {command}` lists them", program().name)
}

/// Advice if this word follows a value of an option that accepts a list, and is probably another value of it.
pub(crate) fn several_values(written: &str, words: impl Iterator<Item = OsString>) -> Option<String> {
    let mut before = Vec::new();
    for word in words {
        if word == *written {
            break;
        }
        before.push(word.to_string_lossy().into_owned());
    }
    let before = before.join(" ");
    let (_, last_option) = before.rsplit_once(" --")?;
    let (name, values) = last_option.split_once(['=', ' '])?;
    if !is_list_option(name) {
        return None;
    }
    Some(format!("commas separate values: `--{name} {},{written}`", values.replace(' ', ",")))
}

/// The options with values separated by commas that are no params.
pub(crate) const LIST_OPTIONS: [&str; 2] = ["endpoint", "field"];

/// Whether commas separate the values of an option.
fn is_list_option(name: &str) -> bool {
    if LIST_OPTIONS.contains(&name) {
        return true;
    }
    for param in offered(&[]) {
        if option_name(param.wire_name) == name && splits(param.infos[0]) {
            return true;
        }
    }
    false
}

impl Args for Params {
    fn augment_args(command: Command) -> Command {
        command.args(offered(&[]).iter().map(Offered::arg)).arg(
            Arg::new("param")
                .long("param")
                .value_name("NAME=VALUE")
                .action(ArgAction::Append)
                .value_parser(assignment)
                .help_heading(PARAMS)
                .help(format!(
                    "Any other param by its name in the API, sent unchanged; `{} describe ENDPOINT` lists all",
                    program().name
                )),
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Params {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut params = Self::default();
        for one in offered(&[]) {
            if let Some(values) = matches.get_many::<String>(&format!("{ID}{}", one.wire_name)) {
                params.known.push((one.wire_name.to_owned(), values.cloned().collect()));
            }
        }
        for (name, value) in matches.get_many::<(String, String)>("param").into_iter().flatten() {
            match params.passed_on.iter_mut().find(|(other, _)| other == name) {
                Some((_, values)) => values.push(value.clone()),
                None => params.passed_on.push((name.clone(), vec![value.clone()])),
            }
        }
        Ok(params)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use runtime::registry::ParamInfo;

    use super::*;
    use test_endpoints::{Metric, metric};

    #[test]
    fn every_param_of_the_catalogue_is_offered() {
        let command = Params::augment_args(Command::new("get"));
        for endpoint in endpoint_names::with_path() {
            for info in endpoint.params().filter(|info| info.const_value.is_none()) {
                let long = option_name(info.wire_name);
                let found = command.get_arguments().find(|arg| arg.get_long() == Some(&long));
                assert!(found.is_some_and(|arg| arg.get_help().is_some()), "{endpoint} {long}");
            }
        }
    }

    #[test]
    fn no_param_has_an_option_of_a_command() {
        for command in crate::command_line::for_words(&[]).get_subcommands() {
            for option in own_options(command) {
                assert!(wording::is_reserved_option(&option), "`{option}` of `{}`", command.get_name());
            }
        }
    }

    #[test]
    fn an_option_of_the_command_takes_precedence_over_a_param_of_its_name() {
        let info: &'static ParamInfo = metric().key;
        for name in ["from", "verbose"] {
            let command = Command::new("get").arg(Offered { wire_name: name, infos: vec![info] }.arg());
            let command = narrowed(command.arg(Arg::new("from").long("from")), &[], false);
            let long =
                command.get_arguments().find(|arg| arg.get_id() == &format!("{ID}{name}")).and_then(Arg::get_long);
            assert_eq!(long, Some(&*format!("param-{name}")));
            command.debug_assert();
        }
    }

    #[test]
    fn help_shows_only_the_params_of_the_endpoint() {
        let command = Params::augment_args(Command::new("get"));
        let shown = |chosen: &[Endpoint], has_pages| {
            let command = narrowed(command.clone(), chosen, has_pages);
            let shown = command.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(Arg::get_long);
            // The comparison ignores the order of the catalogue.
            shown.map(str::to_owned).collect::<BTreeSet<_>>()
        };
        let Metric { endpoint, history, .. } = metric();
        let own = endpoint.params().filter(|param| param.const_value.is_none());
        let own = own.map(|param| option_name(param.wire_name)).chain(["param".to_owned()]).collect::<BTreeSet<_>>();
        let page: BTreeSet<_> = range_params(history).map(option_name).collect();
        let range: BTreeSet<_> = [history.from, history.to].map(option_name).into();
        assert_eq!(shown(&[endpoint], false), &own - &range);
        assert_eq!(shown(&[endpoint], true), &own - &page);
        // Without an endpoint, only the params that most endpoints accept are shown.
        assert!(shown(&[], true).len() < 10, "{:?}", shown(&[], true));
    }

    #[test]
    fn a_word_after_the_value_of_a_param_may_be_another_value() {
        let advice =
            |option: &str| several_values("x", ["derivs", "get", option, "a", "x"].map(OsString::from).into_iter());
        let option = test_endpoints::metric().key_option;
        assert_eq!(advice(option), Some(format!("commas separate values: `{option} a,x`")));
        assert_eq!(advice("--verbose"), None);
    }
}
