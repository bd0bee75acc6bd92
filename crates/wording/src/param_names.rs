//! The names of params outside of Rust: options of the command line, keys of job files, and arguments in Python.
//!
//! All of them are derived from the same table, so that the docs, the types for Python and the command line of a service
//! agree. The table depends on the set of the params, and not on their order.

use std::collections::{BTreeMap, BTreeSet};

use heck::ToKebabCase;

/// The option that sends any param unchecked, and the beginning of the options of params whose own name is reserved.
const PARAM: &str = "param";

/// The options of all commands, the arguments of the functions in Python, and the keys of a job file that are not params.
const RESERVED: [&str; 52] = [
    "all",
    "allow-empty",
    "as-of",
    "color",
    "compact-every",
    "dark",
    "dry-run",
    "end",
    "end-with-stdin",
    "endpoint",
    "endpoints",
    "failed",
    "fault",
    "field",
    "format",
    "from",
    "help",
    "history",
    "include-partial",
    "job",
    "json",
    "max-age",
    "max-pages",
    "max-requests",
    "metrics-file",
    "no-rows",
    "options",
    "out",
    "param",
    "partition",
    "path",
    "progress-json",
    "python",
    "quiet",
    "records",
    "refetch",
    "refetch-gaps",
    "revisions",
    "sandbox",
    "self",
    "settings",
    "shared-rate-limit",
    "shared-rate-limit-name",
    "start",
    "stop",
    "strict",
    "to",
    "undo",
    "unfetched",
    "verbose",
    "verify",
    "version",
];

/// The keywords of Python.
const PYTHON_KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// The keys of a series in a job file that are not params.
pub const SERIES_KEYS: [&str; 3] = ["endpoints", "from", "to"];

/// The names of the params of a service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParamNames {
    /// The option of each name on the wire.
    options: BTreeMap<String, String>,
    /// All options.
    taken: BTreeSet<String>,
}

impl ParamNames {
    /// Names the params of a service, which are given by their names on the wire. `earlier` are their earlier names.
    ///
    /// A param whose name is the same in the style of options or of Rust keeps it; of several others the first in
    /// alphabetical order does. All others get numbers.
    pub fn new<'n>(wire_names: impl IntoIterator<Item = &'n str>, earlier: impl IntoIterator<Item = &'n str>) -> Self {
        let wire_names: BTreeSet<&str> = wire_names.into_iter().collect();
        let earlier: BTreeSet<&str> = earlier.into_iter().collect();
        let (plain, others): (Vec<&str>, Vec<&str>) = wire_names.iter().partition(|name| is_plain(name));
        let mut ordered = plain;
        ordered.extend(others);
        ordered.extend(earlier.difference(&wire_names));
        let mut names = Self::default();
        for wire_name in ordered {
            let option = free_option(wire_name, &wire_names, &names.taken);
            names.taken.insert(option.clone());
            names.options.insert(wire_name.to_owned(), option);
        }
        names
    }

    /// Returns the option of a param, without dashes.
    pub fn option(&self, wire_name: &str) -> String {
        match self.options.get(wire_name) {
            Some(option) => option.clone(),
            None => option_style(wire_name),
        }
    }

    /// Returns `true` if the name of a param on the wire can be another name of its option, because no param has this option.
    pub fn is_free_option(&self, wire_name: &str) -> bool {
        !self.taken.contains(wire_name)
    }

    /// Returns the key of a param in a job file: its name on the wire, or its option if that is a key of each series.
    pub fn job_key(&self, wire_name: &str) -> String {
        if SERIES_KEYS.contains(&wire_name) { self.option(wire_name) } else { wire_name.to_owned() }
    }

    /// Returns `true` if a key of a job file sets this param. The option of a param is accepted too, unless it is the name of
    /// another one.
    pub fn is_job_key(&self, key: &str, wire_name: &str) -> bool {
        let is_option = key == self.option(wire_name) && !self.options.contains_key(key);
        key == self.job_key(wire_name) || is_option
    }

    /// Returns the argument of a param in Python: its option, with underscores.
    pub fn python_argument(&self, wire_name: &str) -> String {
        python_name(&self.option(wire_name))
    }
}

/// Returns the argument in Python that sets an option: its name with underscores.
pub fn python_name(option: &str) -> String {
    let name = option.replace('-', "_");
    // The Python module omits an underscore at the end.
    if is_python_name(&name) { name } else { format!("{name}_") }
}

/// Returns `true` if no param has this option, because a command or a function in Python has it.
pub fn is_reserved_option(name: &str) -> bool {
    RESERVED.contains(&name)
}

/// Returns `true` if Python accepts a text as the name of a variable.
pub fn is_python_name(text: &str) -> bool {
    let has_first = text.starts_with(|first: char| first.is_alphabetic() || first == '_');
    let has_others = text.chars().all(|next| next.is_alphanumeric() || next == '_');
    has_first && has_others && !PYTHON_KEYWORDS.contains(&text)
}

/// `true` if a name differs from its option at most in underscores.
fn is_plain(wire_name: &str) -> bool {
    wire_name.replace('_', "-") == wire_name.to_kebab_case()
}

/// The name of a param in the style of options. A name that is reserved, or that is no name in Python because it
/// begins with a digit, gets a prefix. A param without letters and digits is called `param`.
fn option_style(wire_name: &str) -> String {
    let kebab = wire_name.to_kebab_case();
    if kebab.is_empty() {
        return PARAM.to_owned();
    }
    if is_reserved_option(&kebab) || kebab.starts_with(char::is_numeric) {
        return format!("{PARAM}-{kebab}");
    }
    kebab
}

/// The option of a param, with a number if others have taken it. The option of a param is never the name of another
/// one, which is a key of job files.
fn free_option(wire_name: &str, wire_names: &BTreeSet<&str>, taken: &BTreeSet<String>) -> String {
    let base = option_style(wire_name);
    let mut option = base.clone();
    let mut number = 1_usize;
    loop {
        let is_other = option != wire_name && wire_names.contains(option.as_str());
        if !is_other && !taken.contains(&option) && !is_reserved_option(&option) {
            return option;
        }
        number += 1;
        option = format!("{base}-{number}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: [&str; 19] = [
        "startTime",
        "start_time",
        "StartTime<",
        "ids[]",
        "ids",
        "_",
        "param",
        "param-ids",
        "param_start_time",
        "from",
        "param-from",
        "24h",
        "param-24h",
        "endpoints",
        "ids-2",
        "quiet",
        "Quiet",
        "class",
        "é",
    ];

    #[test]
    fn every_use_has_a_unique_name_for_each_param() {
        let names = ParamNames::new(HOSTILE, ["start", "ids"]);
        let mut options = BTreeSet::new();
        let mut arguments = BTreeSet::new();
        let mut keys = BTreeSet::new();
        for wire_name in HOSTILE {
            assert!(options.insert(names.option(wire_name)), "{wire_name}");
            assert!(arguments.insert(names.python_argument(wire_name)), "{wire_name}");
            assert!(keys.insert(names.job_key(wire_name)), "{wire_name}");
            let set: Vec<_> =
                HOSTILE.into_iter().filter(|other| names.is_job_key(&names.job_key(wire_name), other)).collect();
            assert_eq!(set, [wire_name]);
        }
        assert!(options.iter().all(|option| !is_reserved_option(option)));
    }

    #[test]
    fn names_do_not_depend_on_the_order_of_params() {
        let mut reversed = HOSTILE;
        reversed.reverse();
        assert_eq!(ParamNames::new(HOSTILE, []), ParamNames::new(reversed, []));
    }

    #[test]
    fn option_is_the_name_in_kebab_case() {
        let names =
            ParamNames::new(["size", "startTime", "start_time", "siteID", "_", "from", "class", "24h", "out"], ["old"]);
        for (wire_name, option, argument) in [
            ("size", "size", "size"),
            ("start_time", "start-time", "start_time"),
            ("startTime", "start-time-2", "start_time_2"),
            ("siteID", "site-id", "site_id"),
            ("_", "param-2", "param_2"),
            ("from", "param-from", "param_from"),
            ("class", "class", "class_"),
            ("24h", "param-24h", "param_24h"),
            ("out", "param-out", "param_out"),
            ("old", "old", "old"),
            ("unknownOne", "unknown-one", "unknown_one"),
        ] {
            assert_eq!(names.option(wire_name), option, "{wire_name}");
            assert_eq!(names.python_argument(wire_name), argument, "{wire_name}");
        }
    }
}
