//! The command line: commands, their options, and help.
//!
//! Most options are declared with their command; the params of endpoints are read from the client's registry. If the
//! arguments contain an endpoint, help and completions show only its params.

use std::ffi::OsString;

use clap::ColorChoice;
use clap::builder::styling::{AnsiColor, Styles};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::CompleteEnv;

use crate::commands::acknowledge::Acknowledge;
use crate::commands::adopt::Adopt;
use crate::commands::backfill::Backfill;
use crate::commands::check::Check;
use crate::commands::describe::Describe;
use crate::commands::export::Export;
use crate::commands::get::Get;
use crate::commands::list::List;
use crate::commands::man::Man;
#[cfg(any(feature = "mcp", test))]
use crate::commands::mcp::Mcp;
use crate::commands::plot::Plot;
use crate::commands::poll::Poll;
use crate::commands::remove::Remove;
use crate::commands::repair::Repair;
use crate::commands::report::Report;
use crate::commands::retire::Retire;
use crate::commands::status::Status;
use crate::endpoint_names::{self, Endpoint};
use crate::failure::EXIT_CODES;
use crate::notation::{self, Notation, chosen, notation, option};
use crate::offered_param::{ID, PARAMS};
use crate::option_names::{option_name, written};
use crate::param_options::{self, several_values};
use crate::program::{program, service};
use crate::stored_completions::of_stored;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

#[derive(Parser, Debug)]
#[command(name = program().name, version = program().version, about = service().summary.trim_end_matches('.'))]
#[command(after_help = EXIT_CODES, styles = STYLES, max_term_width = 100)]
#[allow(clippy::struct_excessive_bools)] // Each is a flag of every command.
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print only data, warnings and errors
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Print the params of each series, and each attempt of a request, too
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    /// End, as after Ctrl-C, when standard input has a byte or ends; for programs that run the command
    #[arg(long, global = true, hide = true)]
    pub(crate) end_with_stdin: bool,
    /// Print the progress as JSON objects on standard error; for programs that run the command
    #[arg(long, global = true, hide = true)]
    pub(crate) progress_json: bool,
    /// Write options in messages as arguments of the Python module, which runs the command
    #[arg(long, global = true, hide = true)]
    pub(crate) python: bool,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    List(List),
    Describe(Describe),
    Get(Get),
    Backfill(Backfill),
    Poll(Poll),
    Status(Status),
    Report(Report),
    Export(Export),
    Retire(Retire),
    Remove(Remove),
    Repair(Repair),
    Adopt(Adopt),
    Acknowledge(Acknowledge),
    Plot(Plot),
    #[cfg(any(feature = "mcp", test))]
    Mcp(Mcp),
    Check(Check),
    Man(Man),
}

/// The definition of the command line, with the params of the endpoints that the arguments contain.
pub(crate) fn for_words(words: &[OsString]) -> clap::Command {
    let mut chosen: Vec<Endpoint> = Vec::new();
    for word in words {
        if let Some(word) = word.to_str() {
            chosen.extend(endpoint_names::called(word));
        }
    }
    chosen.retain(|endpoint| endpoint.path.is_some());
    CommandLine::command().mut_subcommands(|command| {
        // `get` requests one page, whose size and order its params set.
        let has_pages = command.get_name() != "get";
        param_options::narrowed(command, &chosen, has_pages)
    })
}

/// If a shell requests completions with the variable `COMPLETE`, prints them and ends the process.
pub(crate) fn complete() {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    // `--`, the program and the command come first.
    let arguments = words.get(3..).unwrap_or_default();
    CompleteEnv::with_factory(|| of_stored(for_words(&words), arguments)).complete();
}

/// Parses the command line of this process. Printing help or a usage error ends the process.
pub(crate) fn read() -> CommandLine {
    let words: Vec<_> = std::env::args_os().collect();
    // The errors of clap are messages, too.
    if words.iter().any(|word| word == "--python") {
        notation::use_python();
    }
    let mut definition = for_words(words.get(1..).unwrap_or_default());
    if let Some(advice) = words.get(1).and_then(|word| missing_command(word.to_str()?)) {
        definition.error(ErrorKind::InvalidSubcommand, advice).exit();
    }
    let matches = definition.try_get_matches_from_mut(&words);
    match matches.and_then(|matches| CommandLine::from_arg_matches(&matches)) {
        Ok(line) => line,
        Err(error) => in_notation(advised(error, &definition, &words), &definition, &words).exit(),
    }
}

/// Advice about a command that similar programs have and this one does not have.
fn missing_command(word: &str) -> Option<String> {
    let own = program().name;
    match word {
        "completion" | "completions" => Some(format!(
            "completions need no command; a shell reads them with `source <(COMPLETE=bash {own})`; other shells: zsh, \
             fish, elvish, powershell"
        )),
        "history" => Some(format!("no such command; `{own} backfill` fetches histories, with `--out -` as a stream")),
        "mcp" if !cfg!(any(feature = "mcp", test)) => Some(format!(
            "this build of {own} has no server for assistants; released programs have it, and so has a build with \
             `--features mcp`"
        )),
        _ => None,
    }
}

/// Replaces the advice of clap about an unknown option by the option of this command that a similar program names
/// otherwise, or by the params that the endpoints accept.
fn advised(mut error: clap::Error, definition: &clap::Command, words: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(written)) = error.get(ContextKind::InvalidArg) else { return error };
    let Some(command) = words.iter().find_map(|word| definition.find_subcommand(word)) else { return error };
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let advice = advice(command, written.split('=').next().unwrap_or_default(), words);
    let accepted = if written.starts_with("--") { accepted(command) } else { None };
    // Clap suggests hidden options too, and to pass an option as a value.
    let suggestion = match error.remove(ContextKind::SuggestedArg) {
        Some(ContextValue::String(option)) if has_shown_option(command, &option) => Some(ContextValue::String(option)),
        _ => None,
    };
    error.remove(ContextKind::Suggested);
    if let (None, Some(suggestion)) = (&advice, suggestion) {
        error.insert(ContextKind::SuggestedArg, suggestion);
    } else if let Some(advice) = advice.or(accepted) {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice.into()]));
        error.remove(ContextKind::Usage);
    }
    error
}

/// Replaces the options in an error of clap by the names of arguments, and removes the usage, if a module runs the command.
fn in_notation(mut error: clap::Error, definition: &clap::Command, words: &[OsString]) -> clap::Error {
    if notation() == Notation::Shell {
        return error;
    }
    let Some(command) = words.iter().find_map(|word| definition.find_subcommand(word)) else { return error };
    error.remove(ContextKind::Usage);
    for kind in [ContextKind::InvalidArg, ContextKind::PriorArg, ContextKind::SuggestedArg] {
        let named = match error.get(kind) {
            Some(ContextValue::String(shown)) => ContextValue::String(named(command, shown)),
            Some(ContextValue::Strings(all)) => {
                ContextValue::Strings(all.iter().map(|shown| named(command, shown)).collect())
            }
            _ => continue,
        };
        error.insert(kind, named);
    }
    error
}

/// The name of an argument that clap shows as on a command line: `--from <WHEN>` or `<PATH>`.
fn named(command: &clap::Command, shown: &str) -> String {
    // A positional argument is shown in brackets, of which each error chooses the kind.
    let bare = |text: &str| text.trim_matches(['<', '>', '[', ']', '.']).to_owned();
    match command.get_arguments().find(|arg| bare(&arg.to_string()) == bare(shown)) {
        Some(arg) => written_arg(arg),
        None => match shown.trim_start_matches('-').split(['=', ' ']).next() {
            Some(name) => option(name),
            None => shown.to_owned(),
        },
    }
}

/// An option, or the name of a positional argument, in the notation of messages.
fn written_arg(arg: &clap::Arg) -> String {
    let id = arg.get_id().as_str();
    match (id.strip_prefix(ID), arg.get_long()) {
        (Some(param), _) => written(param),
        (None, Some(long)) => option(long),
        (None, None) => id.to_owned(),
    }
}

fn has_shown_option(command: &clap::Command, option: &str) -> bool {
    let Some(name) = option.strip_prefix("--") else { return false };
    command.get_arguments().any(|arg| !arg.is_hide_set() && arg.get_long() == Some(name))
}

/// The advice about a further word, or about an option that a similar program has and this command does not have.
fn advice(command: &clap::Command, written: &str, words: &[OsString]) -> Option<String> {
    let name = command.get_name();
    if is_before(words, name, written) {
        return Some(format!("options go after the command: `{} {name} … {written}`", program().name));
    }
    if !written.starts_with('-') {
        if let Some(advice) = several_values(written, words.iter().cloned()) {
            return Some(advice);
        }
        let positional = command.get_positionals().next()?;
        let positional = if notation() == Notation::Shell { positional.to_string() } else { written_arg(positional) };
        return Some(format!("`{name}` accepts one {positional}"));
    }
    let own = match written.trim_start_matches('-') {
        "since" | "start" | "begin" => "from".to_owned(),
        "until" | "end" | "to" => "to".to_owned(),
        "path" | "file" | "target" | "output" if name != "get" => "out".to_owned(),
        "interval" | "resolution" | "frequency" | "period" => option_name(step_param()),
        "out" | "output" | "o" if name == "get" => {
            let shell = format!("`get` prints; use `> FILE`, or `{} backfill --out FILE`", program().name);
            return Some(chosen(&shell, "`get` returns records; `backfill` writes files", &shell).to_owned());
        }
        _ => return None,
    };
    if has_option(command, &own) {
        return Some(format!("a similar argument exists: '{}'", option(&own)));
    }
    if own == "to" && has_option(command, "records") {
        return Some(format!("`{name}` has no end; use `{}`", option("records")));
    }
    None
}

/// `true` if a word before the command begins with this text.
fn is_before(words: &[OsString], command: &str, text: &str) -> bool {
    for word in words {
        if word == command {
            return false;
        }
        if word.to_string_lossy().starts_with(text) {
            return true;
        }
    }
    false
}

fn has_option(command: &clap::Command, name: &str) -> bool {
    command.get_arguments().any(|arg| arg.get_long() == Some(name))
}

/// The options for params that help shows, if the command has params.
fn accepted(command: &clap::Command) -> Option<String> {
    let mut params = Vec::new();
    for arg in command.get_arguments() {
        if arg.get_help_heading() == Some(PARAMS) && !arg.is_hide_set() {
            params.push(written_arg(arg));
        }
    }
    if params.is_empty() {
        return None;
    }
    Some(format!("accepted params: {}", params.join(", ")))
}

/// The param that selects the interval of a history; empty if no endpoint has one.
fn step_param() -> &'static str {
    match endpoint_names::with_path().find_map(endpoint_names::history) {
        Some(info) => info.step,
        None => "",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::param_options::LIST_OPTIONS;

    #[test]
    fn options_with_a_list_are_known() {
        let definition = CommandLine::command();
        let mut lists = BTreeSet::new();
        for option in definition.get_subcommands().flat_map(clap::Command::get_arguments) {
            let is_param = option.get_help_heading() == Some(PARAMS);
            if option.get_value_delimiter() == Some(',') && !is_param {
                lists.extend(option.get_long());
            }
        }
        assert_eq!(lists, BTreeSet::from(LIST_OPTIONS));
    }

    #[test]
    fn command_line_definition_passes_debug_assertions() {
        CommandLine::command().debug_assert();
        for_words(&endpoint_names::with_path().take(3).map(|endpoint| endpoint.to_string().into()).collect::<Vec<_>>())
            .debug_assert();
    }
}
