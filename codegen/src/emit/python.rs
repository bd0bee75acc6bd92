//! Emits the types of the client's endpoints for Python, as a stub file that editors and type checkers read.
//!
//! The Python module of a command line is the same for every catalogue; it imports these types only for type checkers.
//! For each endpoint there is the type of its rows, and a signature for each function that accepts the endpoint. A
//! method is found by its name if that is unambiguous, by its name with the group, or by its path.

use std::collections::BTreeSet;

use catalogue::model::{Api, NamedType};
use wording::ParamNames;

use self::method::{Method, methods, options};
use self::signatures::FUNCTIONS;
use super::File;
use super::command_names::param_names;
use super::json_object::quoted;
use super::render::MARKER;

// The modules, lowest layer first.
mod method;
mod text;

mod rows;
mod signatures;

/// Emits the stub file of the Python package of a command line.
pub fn python(api: &Api) -> Vec<File> {
    let methods = methods(api);
    let mut text = format!("# {MARKER} from spec/. Do not edit.\n\n{HEAD}");
    for named in &api.types {
        text.push_str(&type_alias(named));
    }
    for method in &methods {
        text.push_str(&rows::row(method, api));
        if method.endpoint.has_history {
            text.push_str(&rows::table_row(method, api));
        }
    }
    let names = param_names(api);
    text.push_str(&stored_series(&methods, api, &names));
    let mut emitted = BTreeSet::new();
    for function in FUNCTIONS {
        // Functions with the same options accept the same endpoints.
        if emitted.insert(function.options) {
            text.push_str(&signatures::any_params(&function, &function.accepted(&methods), api, &names));
        }
        text.push_str(&signatures::protocol(&function, &methods, api, &names));
    }
    vec![File::new("__init__.pyi", text)]
}

/// The imports, and what the signatures of all endpoints share.
const HEAD: &str = "\
import threading as _threading
import typing as _t
from datetime import datetime as _datetime
from datetime import timedelta as _timedelta

from typing_extensions import NotRequired as _NotRequired
from typing_extensions import Unpack as _Unpack

from .._command import Path as _Path
from .._command import Row as _Row
from .._command import Time as _Time
from .._options import BackfillOptions as _BackfillOptions
from .._options import FollowOptions as _FollowOptions
from .._options import GetOptions as _GetOptions
from .._options import HistoryOptions as _HistoryOptions
from .._table import Table as _Table

_T = _t.TypeVar(\"_T\")
_Many = _t.Union[_T, _t.Iterable[_T]]
_Several = _t.Union[_Row, _t.List[str], _t.List[StoredEndpoint], _t.List[_Row], _t.Tuple[_t.Union[str, _Row], ...]]
# `NAME=VALUE`, for a param that the catalogue does not have.
_Param = _t.Union[str, _t.Sequence[str]]
";

/// Emits a named type: its values, and any other text if the set of values is open.
fn type_alias(named: &NamedType) -> String {
    let mut alternatives = Vec::new();
    if !named.values.is_empty() {
        let values: Vec<_> = named.values.iter().map(|value| quoted(&value.value)).collect();
        alternatives.push(format!("_t.Literal[{}]", values.join(", ")));
    }
    if named.open || named.values.is_empty() {
        alternatives.push("str".to_owned());
    }
    if named.has_durations() {
        alternatives.push("_timedelta".to_owned());
    }
    let comment = text::comment(&named.summary);
    format!("\n{comment}{} = _t.Union[{}]\n", named.ident, alternatives.join(", "))
}

/// Emits the names of the endpoints, and the params, that select stored series.
fn stored_series(methods: &[Method<'_>], api: &Api, names: &ParamNames) -> String {
    let mut endpoints = Vec::new();
    let mut arguments = BTreeSet::new();
    for method in methods.iter().filter(|method| method.endpoint.has_history) {
        endpoints.extend(method.names.iter().map(|name| quoted(name)));
        for param in options(method.endpoint, api, true) {
            arguments.insert(names.python_argument(&param.declared.name));
        }
    }
    let endpoint =
        if endpoints.is_empty() { "str".to_owned() } else { format!("_t.Literal[{}]", endpoints.join(", ")) };
    let mut text = format!("\nStoredEndpoint = {endpoint}\nStoredEndpoints = _t.Union[StoredEndpoint, _Several]\n");
    text.push_str("\nclass StoredParams(_t.TypedDict, total=False):\n    param: _Param\n");
    for argument in &arguments {
        text.push_str(&format!("    {argument}: _t.Any\n"));
    }
    text
}
