//! A param that a command offers as an option, with its definition on each endpoint that accepts it.

use std::collections::BTreeSet;

use clap::{Arg, ArgAction};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use runtime::registry::{Evidence, ParamInfo, ParamLocation, ValueType};

use crate::endpoint_names::{self, Endpoint};
use crate::option_names::{names, option_name};
use crate::program::program;

/// Prefix of the ids of options for params; the name of the param follows.
pub(crate) const ID: &str = "param:";

/// The heading of the options for params.
pub(crate) const PARAMS: &str = "Params";

/// The source of the fact that a param is required. A param of the path is always required.
pub(crate) fn required(info: &ParamInfo) -> Option<Evidence> {
    match info.required {
        None if info.location == ParamLocation::Path => Some(info.evidence),
        required => required,
    }
}

/// An option for a param of the API, with the definition of the param on each endpoint that accepts the param.
#[derive(Debug)]
pub(crate) struct Offered {
    pub(crate) wire_name: &'static str,
    pub(crate) infos: Vec<&'static ParamInfo>,
}

/// The params that these endpoints accept, or the params of all endpoints if the list is empty.
pub(crate) fn offered(of: &[Endpoint]) -> Vec<Offered> {
    let endpoints: Vec<Endpoint> = if of.is_empty() { endpoint_names::with_path().collect() } else { of.to_vec() };
    let mut offered: Vec<Offered> = Vec::new();
    for endpoint in endpoints {
        for info in endpoint.params() {
            if info.const_value.is_some() {
                continue;
            }
            match offered.iter_mut().find(|one| one.wire_name == info.wire_name) {
                Some(one) => one.infos.push(info),
                None => offered.push(Offered { wire_name: info.wire_name, infos: vec![info] }),
            }
        }
    }
    offered
}

impl Offered {
    pub(crate) fn arg(&self) -> Arg {
        let info = self.infos[0];
        let long = option_name(self.wire_name);
        let mut arg = Arg::new(format!("{ID}{}", self.wire_name)).action(ArgAction::Append).help_heading(PARAMS);
        let ty = info.ty;
        arg = arg.value_name(long.replace('-', "_").to_uppercase()).long(long).value_parser(value);
        arg = arg.add(ArgValueCandidates::new(move || candidates(ty)));
        if splits(info) {
            arg = arg.value_delimiter(',');
        }
        self.described(arg, false)
    }

    /// Adds the other names of the option: the name on the wire, unless the command or another param has it, and the earlier
    /// names.
    pub(crate) fn with_aliases(&self, arg: Arg, taken: &[String]) -> Arg {
        let mut aliases: Vec<String> = self.earlier_names().into_iter().map(option_name).collect();
        let is_of_command = taken.iter().any(|own| own == self.wire_name);
        if names().is_free_option(self.wire_name) && !is_of_command {
            aliases.push(self.wire_name.to_owned());
        }
        arg.aliases(aliases)
    }

    /// The earlier names of the param that are not the name of another one.
    pub(crate) fn earlier_names(&self) -> BTreeSet<&'static str> {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for info in &self.infos {
            names.extend(info.also_named);
        }
        if names.is_empty() {
            return names;
        }
        for endpoint in program().registry.endpoints() {
            for param in endpoint.params() {
                names.remove(param.wire_name);
                if param.wire_name != self.wire_name {
                    names.retain(|name| !param.also_named.contains(name));
                }
            }
        }
        names
    }

    /// Adds a line of help to the option, with the facts that the catalogue lists for the param.
    pub(crate) fn described(&self, arg: Arg, is_filter: bool) -> Arg {
        let info = self.infos[0];
        let mut words = vec![info.summary.trim_end_matches('.').to_owned()];
        words.extend(values(info));
        if !is_filter {
            if let Some(default) = info.default {
                words.push(format!("default {default}"));
            }
            if let Some(text) = comma(info) {
                words.push(text.to_owned());
            }
            if self.infos.iter().all(|info| required(info).is_some()) {
                words.push("required".to_owned());
            }
        }
        words.retain(|word| !word.is_empty());
        arg.help(words.join("; "))
    }
}

/// Maximum number of values in help; `describe` lists all.
const MAX_LISTED: usize = 6;

/// The accepted values or an example, as part of a line of help. A long list is shortened to its first two
/// values.
fn values(info: &ParamInfo) -> Option<String> {
    let known: Vec<&str> = match info.ty {
        _ if !info.allowed_values.is_empty() => info.allowed_values.to_vec(),
        ValueType::Named(ty) => ty.values.iter().map(|value| value.value).collect(),
        ValueType::Timestamp(_) => return Some("2025-01-31, 2025-01-31T12:00, 90d".to_owned()),
        _ => return info.example.map(|example| format!("e.g. {example}")),
    };
    match known.len() {
        0 => None,
        1..=MAX_LISTED => Some(known.join(", ")),
        _ => Some(format!("{}, …", known[..2].join(", "))),
    }
}

/// The known values of a param, for shell completion.
fn candidates(ty: ValueType) -> Vec<CompletionCandidate> {
    match ty {
        ValueType::Named(ty) => {
            let mut candidates = Vec::with_capacity(ty.values.len());
            for value in ty.values {
                candidates.push(CompletionCandidate::new(value.value).help(Some(value.summary.into())));
            }
            candidates
        }
        ValueType::Boolean => ["true", "false"].map(CompletionCandidate::new).into(),
        _ => Vec::new(),
    }
}

/// `true` if commas separate the values of a param. A param of unknown type is not split, because its value may
/// contain commas.
pub(crate) fn splits(info: &ParamInfo) -> bool {
    info.list_setter.is_some() || !matches!(info.ty, ValueType::Any)
}

/// Describes how a comma in the value of a text is read; `None` if the values of the param show it.
fn comma(info: &ParamInfo) -> Option<&'static str> {
    match info.ty {
        ValueType::String => Some("commas separate values"),
        ValueType::Any if !splits(info) => Some("a comma is part of the value"),
        _ => None,
    }
}

/// Accepts any text that is not empty, because the validity of a value depends on the endpoint.
fn value(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("a value is empty; commas separate values, and a list with spaces is in quotes".to_owned()),
        text => Ok(text.to_owned()),
    }
}
