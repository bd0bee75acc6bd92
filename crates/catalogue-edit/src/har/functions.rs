//! Recognizes the params of a query that select one of several functions on one path, such as `?function=DAILY`.

use heck::ToSnakeCase;

use crate::long_ids::is_long_id;
use crate::observed_query::QueryParam;

/// The names of params that select a function, the most general first.
const SELECTORS: [&str; 14] = [
    "module",
    "endpoint",
    "request",
    "function",
    "func",
    "fn",
    "procedure",
    "method",
    "action",
    "act",
    "operation",
    "op",
    "command",
    "cmd",
];

/// The maximum length of the name of a function.
const MAX_LENGTH: usize = 64;

/// A param that selects a function. Unlike other values of a query, the name of a function is not a secret, and becomes
/// a part of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FunctionParam {
    pub(super) name: String,
    pub(super) function: String,
}

/// The params of a query that select a function, in the order of the selectors. If the query has a selector several times,
/// only the first is used.
pub(super) fn function_params(query: &[QueryParam]) -> Vec<FunctionParam> {
    let mut found = Vec::new();
    for selector in SELECTORS {
        for param in query {
            if param.name.to_snake_case() == selector && is_function(&param.value) {
                found.push(FunctionParam { name: param.name.clone(), function: param.value.clone() });
                break;
            }
        }
    }
    found
}

/// `true` if a value looks like the name of a function: letters, which other characters of a name may follow. A value that
/// may be a token is none, because the name of a function becomes a part of the catalogue.
fn is_function(value: &str) -> bool {
    let is_name = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    let begins_with_letter = value.starts_with(|first: char| first.is_ascii_alphabetic());
    is_name && begins_with_letter && value.len() <= MAX_LENGTH && !is_long_id(value)
}
