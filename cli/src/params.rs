//! The params of endpoints as options of a command line.
//!
//! The registry goes in; clap's options come out, with the docs of the catalogue as help and its values as completions.
//! The given values are read back by the names on the wire; `series` checks them for each endpoint.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use generated_client::SERVICE;
use generated_client::registry::{ParamInfo, ParamLocation, ValueType};

use crate::endpoints::{self, Endpoint};
use crate::moment;

/// What stands before the name of a param in the id of its option.
const ID: &str = "param:";

/// The params that were given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Params {
    /// By their names on the wire, each with all its values.
    pub(crate) known: Vec<(String, Vec<String>)>,
    /// Params that are sent as they are, whatever the catalogue says.
    pub(crate) passed_on: Vec<(String, String)>,
}

impl Params {
    /// Whether a param of this name was given.
    pub(crate) fn has(&self, wire_name: &str) -> bool {
        let mut names = self.known.iter().map(|(name, _)| name).chain(self.passed_on.iter().map(|(name, _)| name));
        names.any(|name| name == wire_name)
    }
}

/// An option: one name on the wire, and the param of each endpoint that takes it.
#[derive(Debug)]
pub(crate) struct Offered {
    pub(crate) wire_name: &'static str,
    pub(crate) infos: Vec<&'static ParamInfo>,
}

/// The params that endpoints take; those of all endpoints if the list is empty.
pub(crate) fn offered(of: &[Endpoint]) -> Vec<Offered> {
    let endpoints: Vec<Endpoint> = if of.is_empty() { endpoints::with_path().collect() } else { of.to_vec() };
    let mut offered: Vec<Offered> = Vec::new();
    for info in endpoints.iter().flat_map(|endpoint| endpoint.params.unwrap_or_default()) {
        if info.fixed.is_some() {
            continue;
        }
        match offered.iter_mut().find(|one| one.wire_name == info.wire_name) {
            Some(one) => one.infos.push(info),
            None => offered.push(Offered { wire_name: info.wire_name, infos: vec![info] }),
        }
    }
    offered
}

/// Hides the params that the chosen endpoints do not take, and describes the others as those endpoints take them.
///
/// With `walked`, it also hides those by which a history is walked: `--from` and `--to` replace them.
pub(crate) fn narrowed(command: Command, chosen: &[Endpoint], walked: bool) -> Command {
    let offered = offered(chosen);
    let by_itself = |name: &str| {
        let walks = chosen.iter().filter_map(|endpoint| endpoint.history(&SERVICE)).chain(SERVICE.history.as_ref());
        let mut names =
            walks.flat_map(|walk| [walk.from, walk.to, walk.limit].into_iter().chain(walk.sort.map(|sort| sort.0)));
        walked && names.any(|other| other == name)
    };
    command.mut_args(|arg| {
        let Some(name) = arg.get_id().as_str().strip_prefix(ID).map(str::to_owned) else { return arg };
        match offered.iter().find(|one| one.wire_name == name).filter(|_| !by_itself(&name)) {
            Some(one) => one.described(arg),
            None => arg.hide(true),
        }
    })
}

/// A name as options are written: `startTime` is `start-time`.
pub(crate) fn kebab(wire_name: &str) -> String {
    let mut out = String::new();
    for character in wire_name.chars() {
        if character.is_uppercase() && !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
        out.extend(character.to_lowercase().map(|one| if one == '_' { '-' } else { one }));
    }
    out
}

impl Offered {
    fn first(&self) -> &'static ParamInfo {
        self.infos[0]
    }

    fn arg(&self) -> Arg {
        let info = self.first();
        let long = kebab(self.wire_name);
        let mut arg = Arg::new(format!("{ID}{}", self.wire_name)).action(ArgAction::Append).help_heading("Params");
        if long != self.wire_name {
            arg = arg.alias(self.wire_name);
        }
        arg = arg.long(long).value_name(value_name(info.ty)).value_parser(Values(possible_values(info.ty)));
        if splits(info) {
            arg = arg.value_delimiter(',');
        }
        self.described(arg.hide_possible_values(true))
    }

    /// The same option with the docs of the catalogue.
    fn described(&self, arg: Arg) -> Arg {
        let info = self.first();
        let mut short = vec![info.summary.trim_end_matches('.').to_owned()];
        short.extend(values(info));
        short.extend(info.default.map(|default| format!("default {default}")));
        let is_required = |info: &&ParamInfo| info.required.is_some() || info.location == ParamLocation::Path;
        if self.infos.iter().all(is_required) {
            short.push("needed".to_owned());
        }
        let mut long = vec![short.join("; ") + "."];
        for info in &self.infos {
            if !info.notes.is_empty() && !long.iter().any(|line| line == info.notes) {
                long.push(info.notes.to_owned());
            }
        }
        long.extend(meanings(info.ty));
        arg.help(short.join("; ")).long_help(long.join("\n"))
    }
}

/// The values that a param takes, in words.
fn values(info: &ParamInfo) -> Option<String> {
    let list = |values: &[&str]| values.join(", ");
    match info.ty {
        _ if !info.served.is_empty() => Some(format!("served: {}", list(info.served))),
        ValueType::Named(ty) if ty.values.is_empty() => None,
        ValueType::Named(ty) => {
            let known: Vec<_> = ty.values.iter().map(|value| value.value).collect();
            Some(match (ty.open, known.len()) {
                (true, 4..) => format!("such as {}", list(&known[..3])),
                (true, _) => format!("such as {}", list(&known)),
                (false, _) => list(&known),
            })
        }
        ValueType::Timestamp(_) => Some(moment::FORMS.to_owned()),
        _ => info.example.map(|example| format!("such as {example}")),
    }
}

/// What the values of a named type mean.
fn meanings(ty: ValueType) -> Vec<String> {
    let ValueType::Named(ty) = ty else { return Vec::new() };
    let width = ty.values.iter().map(|value| value.value.len()).max().unwrap_or_default();
    ty.values.iter().map(|value| format!("  {:width$}  {}", value.value, value.summary)).collect()
}

fn value_name(ty: ValueType) -> String {
    match ty {
        ValueType::Named(ty) => kebab(ty.name).replace('-', "_").to_uppercase(),
        ValueType::Timestamp(_) => "WHEN".to_owned(),
        ValueType::Count | ValueType::Integer | ValueType::Number => "NUMBER".to_owned(),
        ValueType::Boolean => "BOOL".to_owned(),
        _ => "TEXT".to_owned(),
    }
}

fn possible_values(ty: ValueType) -> Vec<PossibleValue> {
    match ty {
        ValueType::Named(ty) => {
            let value =
                |value: &generated_client::registry::ValueInfo| PossibleValue::new(value.value).help(value.summary);
            ty.values.iter().map(value).collect()
        }
        ValueType::Boolean => ["true", "false"].map(PossibleValue::new).into(),
        _ => Vec::new(),
    }
}

/// Whether commas separate values; in a text of unknown form they may belong to it.
pub(crate) fn splits(info: &ParamInfo) -> bool {
    info.list.is_some() || !matches!(info.ty, ValueType::String | ValueType::Any)
}

/// Takes any text, and completes known values: whether a value is wrong depends on the endpoint.
#[derive(Clone)]
struct Values(Vec<PossibleValue>);

impl TypedValueParser for Values {
    type Value = String;

    fn parse_ref(&self, command: &Command, _: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        let text = value.to_str().map(str::to_owned);
        text.ok_or_else(|| clap::Error::new(clap::error::ErrorKind::InvalidUtf8).with_cmd(command))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        if self.0.is_empty() { None } else { Some(Box::new(self.0.iter().cloned())) }
    }
}

impl Args for Params {
    fn augment_args(command: Command) -> Command {
        let taken: Vec<String> = command.get_arguments().filter_map(|arg| arg.get_long()).map(str::to_owned).collect();
        // A param whose name is an option of the command can still be passed on.
        let offered = offered(&[]).into_iter().filter(|one| !taken.contains(&kebab(one.wire_name)));
        let args: Vec<Arg> = offered.map(|one| one.arg()).collect();
        command.args(args).arg(
            Arg::new("param")
                .long("param")
                .value_name("NAME=VALUE")
                .action(ArgAction::Append)
                .value_parser(assignment)
                .help_heading("Params")
                .help("Any param by its name on the wire, sent as it is, also one that the catalogue does not know"),
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Params {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        // A param that an option of the command hides has no id.
        let given = |name: &str| matches.try_get_many::<String>(&format!("{ID}{name}")).ok().flatten();
        let known = offered(&[]).into_iter().filter_map(|one| {
            let values = given(one.wire_name)?.cloned().collect();
            Some((one.wire_name.to_owned(), values))
        });
        let passed_on = matches.get_many::<(String, String)>("param").into_iter().flatten().cloned();
        Ok(Self { known: known.collect(), passed_on: passed_on.collect() })
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
    use super::*;

    #[test]
    fn names_of_options() {
        for (wire_name, long) in [("coin", "coin"), ("startTime", "start-time"), ("a_b", "a-b"), ("X", "x")] {
            assert_eq!(kebab(wire_name), long);
        }
    }

    #[test]
    fn every_param_of_the_catalogue_is_offered() {
        let command = Params::augment_args(Command::new("get"));
        for endpoint in endpoints::with_path() {
            for info in endpoint.params.unwrap_or_default().iter().filter(|info| info.fixed.is_none()) {
                let long = kebab(info.wire_name);
                let found = command.get_arguments().find(|arg| arg.get_long() == Some(&long));
                assert!(found.is_some_and(|arg| arg.get_help().is_some()), "{endpoint} {long}");
            }
        }
    }

    #[test]
    fn an_endpoint_hides_what_it_does_not_take() {
        let command = Params::augment_args(Command::new("get"));
        let shown = |names: &[&str], walked| {
            let chosen: Vec<Endpoint> = names.iter().filter_map(|name| endpoints::find(name).ok()).collect();
            let command = narrowed(command.clone(), &chosen, walked);
            let shown = command.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(Arg::get_long);
            shown.map(str::to_owned).collect::<Vec<_>>()
        };
        let walked = ["coin", "exchange", "timeframe", "param"];
        assert_eq!(shown(&["open_interest"], true), walked);
        let single = ["coin", "exchange", "timeframe", "limit", "start-time", "end-time", "sort", "param"];
        assert_eq!(shown(&["open_interest"], false), single);
        assert!(shown(&[], false).len() > single.len());
    }
}
