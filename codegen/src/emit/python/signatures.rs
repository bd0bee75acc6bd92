//! Emits the signatures of the functions of the Python module.

use std::collections::BTreeSet;

use catalogue::model::{Api, Builtin, Param, Type};
use wording::ParamNames;

use super::super::json_object::quoted;
use super::method::{Method, options};
use super::text::docstring;

/// A function of the Python module.
pub(super) struct Function {
    /// The name of the protocol with its signatures.
    protocol: &'static str,
    /// The params of the signature before those of the endpoint.
    range: &'static str,
    /// The type of the other options.
    pub(super) options: &'static str,
    returns: Returns,
    /// Whether the function sets the size and the order of pages itself.
    sets_pages: bool,
    /// Another signature, which accepts other params than those of an endpoint.
    other: Option<OtherSignature>,
    summary: &'static str,
}

/// A signature that does not depend on an endpoint.
struct OtherSignature {
    /// Its params, and the type of its other options.
    params: &'static str,
    summary: &'static str,
}

/// History of stored records, which need no params.
const STORED: OtherSignature = OtherSignature {
    params: "endpoints: StoredEndpoints, *, path: _Path, start: _Time, end: _t.Optional[_Time] = None, as_of: _t.Optional[_Time] = None, **params: _Unpack[StoredParams]",
    summary: "Records that were written to a file or a data set.",
};

/// A backfill of the series of a job file.
const JOB: OtherSignature = OtherSignature {
    params: "endpoints: _t.Tuple[()] = (), *, job: _Path, out: _t.Optional[_Path] = None, start: _t.Optional[_Time] = None, end: _t.Optional[_Time] = None, **options: _Unpack[_BackfillOptions]",
    summary: "The series of a job file.",
};

/// The result of a function.
enum Returns {
    /// The same for every endpoint.
    Same(&'static str),
    /// A generic type of the endpoint's row, which is written as `ROW`.
    Rows(&'static str),
    Table,
    CoroutineTable,
}

pub(super) const FUNCTIONS: [Function; 6] = [
    Function {
        protocol: "HistoryFunction(_t.Protocol)",
        range: "start: _Time, end: _t.Optional[_Time] = None",
        options: "_HistoryOptions",
        returns: Returns::Table,
        sets_pages: true,
        other: Some(STORED),
        summary: "All records of a range.",
    },
    Function {
        protocol: "AsyncHistoryFunction(_t.Protocol)",
        range: "start: _Time, end: _t.Optional[_Time] = None",
        options: "_HistoryOptions",
        returns: Returns::CoroutineTable,
        sets_pages: true,
        other: Some(STORED),
        summary: "All records of a range.",
    },
    Function {
        protocol: "BackfillFunction(_t.Protocol)",
        range: "out: _Path, start: _Time, end: _t.Optional[_Time] = None",
        options: "_BackfillOptions",
        returns: Returns::Same("_t.List[_Row]"),
        sets_pages: true,
        other: Some(JOB),
        summary: "Writes all records of a range to files.",
    },
    Function {
        protocol: "GetFunction(_t.Protocol)",
        range: "start: _t.Optional[_Time] = None, end: _t.Optional[_Time] = None",
        options: "_GetOptions",
        returns: Returns::Rows("_t.List[ROW]"),
        sets_pages: false,
        other: None,
        summary: "The records of one response.",
    },
    Function {
        protocol: "FollowFunction(_t.Protocol)",
        range: "start: _Time = \"now\", stop: _t.Optional[_threading.Event] = None",
        options: "_FollowOptions",
        returns: Returns::Rows("_t.Generator[ROW, None, None]"),
        sets_pages: true,
        other: None,
        summary: "Each record when its interval has ended.",
    },
    Function {
        protocol: "AsyncFollowFunction(_t.Protocol)",
        range: "start: _Time = \"now\"",
        options: "_FollowOptions",
        returns: Returns::Rows("_t.AsyncGenerator[ROW, None]"),
        sets_pages: true,
        other: None,
        summary: "Each record when its interval has ended.",
    },
];

/// Emits the signatures of a function: those of single endpoints, and one for several endpoints.
pub(super) fn protocol(function: &Function, methods: &[Method<'_>], api: &Api, names: &ParamNames) -> String {
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
    if let Some(other) = &function.other {
        signatures.push(call(&format!("{}) -> {}", other.params, function.returns(None)), other.summary));
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
pub(super) fn any_params(function: &Function, methods: &[&Method<'_>], api: &Api, names: &ParamNames) -> String {
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
    pub(super) fn accepted<'m, 'a>(&self, methods: &'m [Method<'a>]) -> Vec<&'m Method<'a>> {
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
            Returns::Rows(ty) => ty.replace("ROW", &method.map_or("_Row".to_owned(), Method::row)),
            Returns::Table => table,
            Returns::CoroutineTable => format!("_t.Coroutine[_t.Any, _t.Any, {table}]"),
        }
    }
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
