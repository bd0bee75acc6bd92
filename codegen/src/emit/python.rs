//! Emits the types of the client's endpoints for Python, as a stub file that editors and type checkers read.
//!
//! The Python module of a command line is the same for every catalogue; it imports these types only for type checkers.
//! For each endpoint there is the type of its rows, and a signature for each function that accepts the endpoint. A
//! method is found by its name if that is unambiguous, by its name with the group, or by its path.

use std::collections::{BTreeMap, BTreeSet};

use catalogue::model::{Api, Builtin, Endpoint, Evidence, Field, FieldSource, Group, NamedType, Param, Record, Type};
use wording::{Facts, ParamNames, is_python_name};

use super::json_object::quoted;
use super::render::MARKER;
use super::{File, markdown, sentences};

/// Emits the stub file of the Python package of a command line.
pub fn python(api: &Api) -> Vec<File> {
    let methods = methods(api);
    let mut text = format!("# {MARKER} from spec/. Do not edit.\n\n{HEAD}");
    for named in &api.types {
        text.push_str(&type_alias(named));
    }
    for method in &methods {
        text.push_str(&row(method, api));
        if method.endpoint.has_history {
            text.push_str(&table_row(method, api));
        }
    }
    let names = param_names(api);
    text.push_str(&stored_series(&methods, api, &names));
    let mut emitted = BTreeSet::new();
    for function in FUNCTIONS {
        // Functions with the same options accept the same endpoints.
        if emitted.insert(function.options) {
            text.push_str(&any_params(&function, &function.accepted(&methods), api, &names));
        }
        text.push_str(&protocol(&function, &methods, api, &names));
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
_Many = _t.Union[_T, _t.Sequence[_T]]
_Several = _t.Union[_Row, _t.List[str], _t.List[StoredEndpoint], _t.List[_Row], _t.Tuple[_t.Union[str, _Row], ...]]
# `NAME=VALUE`, for a param that the catalogue does not have.
_Param = _t.Union[str, _t.Sequence[str]]
";

/// A function of the Python module.
struct Function {
    /// The name of the protocol with its signatures.
    protocol: &'static str,
    /// The params of the signature before those of the endpoint.
    range: &'static str,
    /// The type of the other options.
    options: &'static str,
    returns: Returns,
    /// Whether the function sets the size and the order of pages itself.
    sets_pages: bool,
    /// The params of a signature without an endpoint; empty if every call has one.
    without_endpoint: &'static str,
    summary: &'static str,
}

/// The result of a function.
enum Returns {
    /// The same for every endpoint.
    Same(&'static str),
    /// A generic type of the endpoint's row.
    Rows(&'static str),
    Table,
    AwaitableTable,
}

const FUNCTIONS: [Function; 6] = [
    Function {
        protocol: "HistoryFunction(_t.Protocol)",
        range: "start: _Time, end: _t.Optional[_Time] = None",
        options: "_HistoryOptions",
        returns: Returns::Table,
        sets_pages: true,
        without_endpoint: "",
        summary: "All records of a range.",
    },
    Function {
        protocol: "AsyncHistoryFunction(_t.Protocol)",
        range: "start: _Time, end: _t.Optional[_Time] = None",
        options: "_HistoryOptions",
        returns: Returns::AwaitableTable,
        sets_pages: true,
        without_endpoint: "",
        summary: "All records of a range.",
    },
    Function {
        protocol: "BackfillFunction(_t.Protocol)",
        range: "out: _Path, start: _Time, end: _t.Optional[_Time] = None",
        options: "_BackfillOptions",
        returns: Returns::Same("_t.List[_Row]"),
        sets_pages: true,
        without_endpoint: "endpoints: _t.Tuple[()] = (), *, job: _Path, out: _t.Optional[_Path] = None, start: _t.Optional[_Time] = None, end: _t.Optional[_Time] = None",
        summary: "Writes all records of a range to files.",
    },
    Function {
        protocol: "GetFunction(_t.Protocol)",
        range: "start: _t.Optional[_Time] = None, end: _t.Optional[_Time] = None",
        options: "_GetOptions",
        returns: Returns::Rows("_t.List"),
        sets_pages: false,
        without_endpoint: "",
        summary: "The records of one response.",
    },
    Function {
        protocol: "FollowFunction(_t.Protocol)",
        range: "start: _Time = \"now\", stop: _t.Optional[_threading.Event] = None",
        options: "_FollowOptions",
        returns: Returns::Rows("_t.Iterator"),
        sets_pages: true,
        without_endpoint: "",
        summary: "Each record when its interval has ended.",
    },
    Function {
        protocol: "AsyncFollowFunction(_t.Protocol)",
        range: "start: _Time = \"now\"",
        options: "_FollowOptions",
        returns: Returns::Rows("_t.AsyncIterator"),
        sets_pages: true,
        without_endpoint: "",
        summary: "Each record when its interval has ended.",
    },
];

/// An endpoint with a path, and the names in Python.
struct Method<'a> {
    endpoint: &'a Endpoint,
    /// The start of the names of its types.
    ident: String,
    /// Whether the columns of a table are known.
    has_columns: bool,
    /// The texts that name the endpoint.
    names: Vec<String>,
}

impl Method<'_> {
    /// The name of the type of its rows.
    fn row(&self) -> String {
        format!("{}Row", self.ident)
    }

    /// The name of the type of its rows in a table.
    fn table_row(&self) -> String {
        format!("{}TableRow", self.ident)
    }

    /// The name of the type of its columns.
    fn column(&self) -> String {
        format!("{}Column", self.ident)
    }

    /// The type of its tables.
    fn table(&self) -> String {
        if self.has_columns {
            return format!("_Table[{}, {}]", self.table_row(), self.column());
        }
        "_Table[_Row, str]".to_owned()
    }
}

fn methods(api: &Api) -> Vec<Method<'_>> {
    let names = EndpointNames::of(api);
    let mut methods = Vec::new();
    for group in &api.groups {
        for endpoint in group.methods() {
            let ident = format!("{}{}", group.handle.trim_end_matches("Group"), endpoint.type_ident);
            let has_columns = record(endpoint, api).is_some();
            methods.push(Method { endpoint, ident, has_columns, names: names.all(group, endpoint) });
        }
    }
    methods
}

/// The names of all params in the command line and in Python.
pub(super) fn param_names(api: &Api) -> ParamNames {
    let mut wire_names = Vec::new();
    let mut earlier = Vec::new();
    for param in api.methods().flat_map(Endpoint::known_params) {
        if param.declared.const_value.is_none() {
            wire_names.push(param.declared.name.as_str());
            earlier.extend(param.declared.also_named.iter().map(|name| name.as_str()));
        }
    }
    ParamNames::new(wire_names, earlier)
}

/// The texts that name endpoints in the command line and in Python.
pub(super) struct EndpointNames<'a> {
    /// The number of endpoints with each method name.
    uses: BTreeMap<&'a str, usize>,
}

impl<'a> EndpointNames<'a> {
    pub(super) fn of(api: &'a Api) -> Self {
        let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
        for endpoint in api.methods() {
            *uses.entry(&endpoint.ident).or_default() += 1;
        }
        Self { uses }
    }

    /// The name of the method, if no other endpoint has it, or else the name with its group.
    pub(super) fn shortest(&self, group: &Group, endpoint: &Endpoint) -> String {
        if self.uses.get(endpoint.ident.as_str()) == Some(&1) {
            return endpoint.ident.clone();
        }
        with_group(group, endpoint)
    }

    fn all(&self, group: &Group, endpoint: &Endpoint) -> Vec<String> {
        let mut names = vec![self.shortest(group, endpoint), with_group(group, endpoint)];
        names.dedup();
        names.extend(endpoint.path.clone());
        names
    }
}

fn with_group(group: &Group, endpoint: &Endpoint) -> String {
    format!("{}.{}", group.ident, endpoint.ident)
}

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
    let comment = comment(&named.summary);
    format!("\n{comment}{} = _t.Union[{}]\n", named.ident, alternatives.join(", "))
}

/// Emits the type of an endpoint's rows, whose docs have the meaning, the unit and the source of each field.
fn row(method: &Method<'_>, api: &Api) -> String {
    let Some(record) = record(method.endpoint, api) else { return format!("\n{} = _Row\n", method.row()) };
    let mut members: Vec<(String, String)> = Vec::new();
    for param in options(method.endpoint, api, true) {
        members.push((param.declared.name.to_string(), "_NotRequired[str]".to_owned()));
    }
    for field in &record.fields {
        members.retain(|(name, _)| *name != field.wire_name);
        members.push((field.wire_name.clone(), field_type(field)));
    }
    members.push(("endpoint".to_owned(), "_NotRequired[str]".to_owned()));
    members.push(("unknown_fields".to_owned(), "_NotRequired[_t.Dict[str, _t.Any]]".to_owned()));
    typed_dict(&method.row(), &members, &row_docs(method, record))
}

/// Emits the type of an endpoint's rows in a table, and the names of its columns.
fn table_row(method: &Method<'_>, api: &Api) -> String {
    let Some(record) = record(method.endpoint, api) else { return String::new() };
    let mut members: Vec<(String, String)> = Vec::new();
    for param in options(method.endpoint, api, true) {
        members.push((param.declared.name.to_string(), "_t.Optional[str]".to_owned()));
    }
    for field in &record.fields {
        // A field with the name of a param has no column of its own.
        if members.iter().all(|(name, _)| *name != field.wire_name) {
            members.push((field.wire_name.clone(), column_type(field)));
        }
    }
    for (name, ty) in [
        ("endpoint", "str"),
        ("unknown_fields", "_t.Optional[str]"),
        ("fetched_at", "_NotRequired[_t.Optional[_datetime]]"),
    ] {
        members.push((name.to_owned(), ty.to_owned()));
    }
    let columns: Vec<_> = members.iter().map(|(name, _)| quoted(name)).collect();
    let dict = typed_dict(&method.table_row(), &members, &[(*method.endpoint.declared.summary).to_owned()]);
    format!("{dict}\n{} = _t.Literal[{}]\n", method.column(), columns.join(", "))
}

/// Emits a type of dicts with these members, as a class unless one of the names is not a name in Python.
fn typed_dict(name: &str, members: &[(String, String)], docs: &[String]) -> String {
    if members.iter().all(|(member, _)| is_python_name(member)) {
        let mut text = format!("\nclass {name}(_t.TypedDict):\n{}", docstring("    ", docs));
        for (member, ty) in members {
            text.push_str(&format!("    {member}: {ty}\n"));
        }
        return text;
    }
    let items: Vec<_> = members.iter().map(|(member, ty)| format!("{}: {ty}", quoted(member))).collect();
    format!("\n{name} = _t.TypedDict({}, {{{}}})\n", quoted(name), items.join(", "))
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

fn row_docs(method: &Method<'_>, record: &Record) -> Vec<String> {
    let mut lines = vec![(*method.endpoint.declared.summary).to_owned(), String::new()];
    for field in &record.fields {
        // An editor shows these docs without the page that explains the labels.
        let others = sentences::stated(&Facts { source: "", ..sentences::field_facts(field) });
        let mut facts = vec![field.summary.clone(), others, source(field.evidence)];
        facts.retain(|fact| !fact.is_empty());
        lines.push(format!("{}: {}", field.wire_name, facts.join(" ")));
    }
    lines
}

/// The source of a fact, unless it is documented.
fn source(evidence: Evidence) -> String {
    if evidence == Evidence::Documented { String::new() } else { format!("Source: {}.", evidence.label()) }
}

/// Emits the signatures of a function: those of single endpoints, and one for several endpoints.
fn protocol(function: &Function, methods: &[Method<'_>], api: &Api, names: &ParamNames) -> String {
    let mut signatures = signatures(function, &function.accepted(methods), api, names);
    let range = function.range;
    let any = format!("**options: _Unpack[{}]) -> {}", function.any_params(), function.returns(None));
    if !signatures.is_empty() {
        // The catalogue does not have all params, so it cannot require any.
        let rest = format!("endpoints: str, *, {range}, param: _Param, {any}");
        signatures.push(call(&rest, "An endpoint with a param that the catalogue does not have."));
    }
    let rest = format!("endpoints: _Several, *, {range}, param: _Param = ..., {any}");
    signatures.push(call(&rest, "Several endpoints, or an entry of `endpoints()`."));
    if !function.without_endpoint.is_empty() {
        let returns = function.returns(None);
        let rest = format!("{}, **options: _Unpack[{}]) -> {returns}", function.without_endpoint, function.options);
        signatures.push(call(&rest, "The series of a job file."));
    }
    let mut text = format!("\nclass {}:\n{}", function.protocol, docstring("    ", &[function.summary.to_owned()]));
    // A single signature cannot be an overload.
    let decorator = if signatures.len() > 1 { "    @_t.overload\n" } else { "" };
    for signature in signatures {
        text.push_str(decorator);
        text.push_str(&signature);
    }
    text
}

/// The signatures of a function for single endpoints. Endpoints with the same params and the same result have one, because
/// a type checker lists all signatures after a wrong call.
fn signatures(function: &Function, methods: &[&Method<'_>], api: &Api, names: &ParamNames) -> Vec<String> {
    let mut groups: Vec<(String, Vec<&Method<'_>>)> = Vec::new();
    for method in methods {
        let mut params = vec![function.range.to_owned()];
        for param in options(method.endpoint, api, function.sets_pages) {
            params.push(argument(param, names));
        }
        params.push(format!("**options: _Unpack[{}]", function.options));
        let rest = format!("{}) -> {}", params.join(", "), function.returns(Some(method)));
        match groups.iter_mut().find(|(other, _)| *other == rest) {
            Some((_, group)) => group.push(method),
            None => groups.push((rest, vec![method])),
        }
    }
    let mut signatures = Vec::new();
    for (rest, group) in groups {
        let called: Vec<_> = group.iter().flat_map(|method| &method.names).map(|name| quoted(name)).collect();
        let summary = if let [method] = *group { method.endpoint.declared.summary.as_str() } else { "" };
        signatures.push(call(&format!("endpoints: _t.Literal[{}], *, {rest}", called.join(", ")), summary));
    }
    signatures
}

/// Emits the options of a function with the params of all endpoints, whose values are not checked.
fn any_params(function: &Function, methods: &[&Method<'_>], api: &Api, names: &ParamNames) -> String {
    let mut arguments = BTreeSet::new();
    for method in methods {
        for param in options(method.endpoint, api, function.sets_pages) {
            arguments.insert(names.python_argument(&param.declared.name));
        }
    }
    let mut text = format!("\nclass {}({}, total=False):\n", function.any_params(), function.options);
    for argument in &arguments {
        text.push_str(&format!("    {argument}: _t.Any\n"));
    }
    if arguments.is_empty() {
        text.push_str("    pass\n");
    }
    text
}

/// A signature with these params and this result.
fn call(params_and_result: &str, summary: &str) -> String {
    let signature = format!("    def __call__(self, {params_and_result}:");
    if summary.is_empty() {
        return format!("{signature} ...\n");
    }
    format!("{signature}\n{}", docstring("        ", &[summary.to_owned()]))
}

impl Function {
    /// The endpoints that the function accepts.
    fn accepted<'m, 'a>(&self, methods: &'m [Method<'a>]) -> Vec<&'m Method<'a>> {
        let mut accepted: Vec<_> = methods.iter().collect();
        accepted.retain(|method| !self.sets_pages || method.endpoint.has_history);
        accepted
    }

    /// The name of the type of the options with the params of all endpoints.
    fn any_params(&self) -> String {
        self.options.replace("Options", "Params")
    }

    /// The result for an endpoint, or for any.
    fn returns(&self, method: Option<&Method<'_>>) -> String {
        let table = method.map_or("_Table".to_owned(), Method::table);
        match self.returns {
            Returns::Same(ty) => ty.to_owned(),
            Returns::Rows(ty) => format!("{ty}[{}]", method.map_or("_Row".to_owned(), Method::row)),
            Returns::Table => table,
            Returns::AwaitableTable => format!("_t.Awaitable[{table}]"),
        }
    }
}

/// The params that an option sets. With `sets_pages`, the function sets the params of pages itself; it always sets
/// those of the range.
fn options<'a>(endpoint: &'a Endpoint, api: &'a Api, sets_pages: bool) -> Vec<&'a Param> {
    let mut own = Vec::new();
    if let Some(history) = api.history(endpoint) {
        own.extend([&history.from, &history.to].into_iter().flatten());
        if sets_pages {
            own.extend([&history.limit, &history.sort].into_iter().flatten());
        }
    }
    let mut params = Vec::new();
    for param in endpoint.known_params() {
        if param.declared.const_value.is_none() && !own.contains(&&param.declared.name) {
            params.push(param);
        }
    }
    params
}

fn argument(param: &Param, names: &ParamNames) -> String {
    let ty = match &param.ty {
        Type::Named(name) => format!("_Many[{name}]"),
        Type::Builtin(Builtin::Timestamp(_)) => "_Many[_Time]".to_owned(),
        Type::Builtin(Builtin::Boolean) => "_Many[_t.Literal[\"true\", \"false\"]]".to_owned(),
        Type::Builtin(Builtin::Integer | Builtin::Count) => "_Many[_t.Union[int, str]]".to_owned(),
        Type::Builtin(Builtin::Number | Builtin::Decimal) => "_Many[_t.Union[float, str]]".to_owned(),
        _ => "_Many[str]".to_owned(),
    };
    let is_required = param.in_path() || param.declared.required.is_some();
    let default = if is_required { "" } else { " = ..." };
    format!("{}: {ty}{default}", names.python_argument(&param.declared.name))
}

/// The record of an endpoint; `None` if its members are not all listed.
fn record<'a>(endpoint: &Endpoint, api: &'a Api) -> Option<&'a Record> {
    let record = api.record(endpoint.body.record()?)?;
    let has_others = record.fields.iter().any(|field| field.source == FieldSource::Others);
    if has_others { None } else { Some(record) }
}

fn field_type(field: &Field) -> String {
    let ty = value_type(&field.ty);
    if field.optional { format!("_t.Optional[{ty}]") } else { ty }
}

/// The type of a value in a table, whose objects and lists are texts in JSON.
fn column_type(field: &Field) -> String {
    let (ty, optional) = match &field.ty {
        Type::Option(of) => (&**of, true),
        ty => (ty, field.optional || *ty == Type::Builtin(Builtin::Any)),
    };
    let ty = match ty {
        Type::Builtin(Builtin::Integer | Builtin::Count) => "int",
        Type::Builtin(Builtin::Number) => "float",
        Type::Builtin(Builtin::Boolean) => "bool",
        Type::Builtin(Builtin::Timestamp(_)) => "_datetime",
        _ => "str",
    };
    if optional { format!("_t.Optional[{ty}]") } else { ty.to_owned() }
}

/// The type of a value in a row, which is read from JSON: a time is text.
fn value_type(ty: &Type) -> String {
    match ty {
        Type::Builtin(Builtin::Integer | Builtin::Count) => "int".to_owned(),
        Type::Builtin(Builtin::Number) => "float".to_owned(),
        Type::Builtin(Builtin::Boolean) => "bool".to_owned(),
        Type::Builtin(Builtin::String | Builtin::Decimal | Builtin::Timestamp(_)) | Type::Named(_) => "str".to_owned(),
        Type::Record(_) | Type::Recursive(_) => "_t.Dict[str, _t.Any]".to_owned(),
        Type::List(of) => format!("_t.List[{}]", value_type(of)),
        Type::Map(of) => format!("_t.Dict[str, {}]", value_type(of)),
        Type::Option(of) => format!("_t.Optional[{}]", value_type(of)),
        Type::Builtin(Builtin::Any) => "_t.Any".to_owned(),
    }
}

/// A docstring, with lines that are broken like those of other emitted docs.
fn docstring(indent: &str, lines: &[String]) -> String {
    let mut text = String::new();
    for line in lines {
        if line.is_empty() {
            text.push('\n');
            continue;
        }
        for part in markdown::wrap(line) {
            let part = part.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"");
            text.push_str(&format!("{indent}{part}\n"));
        }
    }
    format!("{indent}\"\"\"{}\"\"\"\n", text.trim())
}

fn comment(text: &str) -> String {
    let mut comment = String::new();
    for line in markdown::wrap(text) {
        comment.push_str(&format!("# {line}\n"));
    }
    comment
}
