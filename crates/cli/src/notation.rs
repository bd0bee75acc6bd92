//! How messages write options and commands: as a shell, as the Python module or as an assistant does.
//!
//! A message never has an option as text, because a user of the module or of a tool would not find it there.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::program::program;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notation {
    /// `--from 7d`, `derivs list`
    Shell,
    /// `start="7d"`, `derivs.endpoints()`
    Python,
    /// `"from": "7d"`, `find_endpoints`
    #[cfg(any(feature = "mcp", test))]
    Tools,
}

/// Whether the Python module runs this process. It is global because clap parses arguments in functions without context.
static IS_PYTHON: AtomicBool = AtomicBool::new(false);

#[cfg(any(feature = "mcp", test))]
tokio::task_local! {
    /// The notation of a call within this process.
    static OF_CALL: Notation;
}

/// Writes all messages of this process in the notation of the Python module.
pub(crate) fn use_python() {
    IS_PYTHON.store(true, Ordering::Relaxed);
}

/// Runs a call whose messages are in this notation.
#[cfg(any(feature = "mcp", test))]
pub(crate) async fn within<T>(notation: Notation, call: impl Future<Output = T>) -> T {
    OF_CALL.scope(notation, call).await
}

pub(crate) fn notation() -> Notation {
    #[cfg(any(feature = "mcp", test))]
    if let Ok(notation) = OF_CALL.try_with(|notation| *notation) {
        return notation;
    }
    if IS_PYTHON.load(Ordering::Relaxed) { Notation::Python } else { Notation::Shell }
}

/// An option, which is given without dashes.
pub(crate) fn option(name: &str) -> String {
    match notation() {
        Notation::Shell => format!("--{name}"),
        Notation::Python => match name {
            "from" => "start".to_owned(),
            "to" => "end".to_owned(),
            name => wording::python_name(name),
        },
        #[cfg(any(feature = "mcp", test))]
        Notation::Tools => name.to_owned(),
    }
}

/// An option with its value.
pub(crate) fn assigned(name: &str, value: &str) -> String {
    assignment(&option(name), value)
}

/// An option that is already in the notation, with its value.
pub(crate) fn assignment(option: &str, value: &str) -> String {
    // A text in JSON is one in Python, too.
    let text = serde_json::Value::from(value);
    match notation() {
        Notation::Shell => format!("{option} {value}"),
        Notation::Python => format!("{option}={text}"),
        #[cfg(any(feature = "mcp", test))]
        Notation::Tools => format!("\"{option}\": {text}"),
    }
}

/// An option without a value.
pub(crate) fn flag(name: &str) -> String {
    let option = option(name);
    chosen(&option, &format!("{option}=True"), &option).to_owned()
}

/// Several options, with or without values.
pub(crate) fn several(options: &[String]) -> String {
    options.join(if notation() == Notation::Shell { " " } else { ", " })
}

/// The one of these texts that is in the notation.
#[cfg_attr(not(any(feature = "mcp", test)), allow(unused_variables, reason = "only an assistant has tools"))]
pub(crate) fn chosen<'t>(shell: &'t str, python: &'t str, tools: &'t str) -> &'t str {
    match notation() {
        Notation::Shell => shell,
        Notation::Python => python,
        #[cfg(any(feature = "mcp", test))]
        Notation::Tools => tools,
    }
}

/// Whether an assistant is addressed, whose tools have fewer arguments than commands.
pub(crate) fn is_assistant() -> bool {
    chosen("", "", "tool") == "tool"
}

/// What returns all records of a range instead of writing them to files.
pub(crate) fn stream() -> &'static str {
    chosen("--out -", "history", "fetch_records")
}

/// A command, the call of a function of the Python module that does the same, and the tool that does.
pub(crate) fn command(shell: &str, python: &str, tool: &str) -> String {
    let program = program().name;
    chosen(&format!("{program} {shell}"), &format!("{program}.{python}"), tool).to_owned()
}

/// A text as an argument of a function in Python.
pub(crate) fn python_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
