//! Target of a request, as data: an endpoint and the values of its params.
//!
//! The values, in the form in which they are sent, are checked and encoded into a path and query. Known params are in
//! the order of the endpoint's table. Unknown params follow, sorted by name. The same request therefore always has the
//! same URL. This module does not depend on the Rust type of an endpoint.
//!
//! The values of a list are written as one string, or as one string per value for a repeated param.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::check;
use crate::error::Error;
use crate::registry::{EndpointInfo, ListFormat, ParamInfo, ParamLocation, ValueType};
use crate::secrets::Secret;
use crate::values::Value;

/// An endpoint and the values of its params.
#[derive(Clone)]
pub(crate) struct RequestTarget {
    pub(crate) endpoint: &'static EndpointInfo,
    /// `None` if only the endpoint's name is known.
    path: Option<Cow<'static, str>>,
    params: Vec<Param>,
    /// A path and query from a response, which replace `path` and `params`.
    pub(crate) link: Option<String>,
}

/// One param and its value.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Param {
    /// The position in the endpoint's table; `usize::MAX` if the param is unknown.
    order: usize,
    name: Cow<'static, str>,
    value: String,
    /// True for a list in which a value contains the separator.
    is_ambiguous: bool,
}

/// Characters that need encoding in a path segment.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Characters that need encoding in a path segment with a list, whose values are separated by commas, colons or semicolons.
const LIST_IN_PATH: &AsciiSet = &SEGMENT.remove(b',').remove(b':').remove(b';');

/// Characters that need encoding in a query. Commas and colons are not encoded, so that lists and times stay readable.
const QUERY: &AsciiSet = &SEGMENT.remove(b',').remove(b':');

/// The query param with the API key, encoded.
pub(crate) fn key_param(name: &str, key: &Secret) -> Secret {
    let name = utf8_percent_encode(name, QUERY);
    let value = utf8_percent_encode(key.expose(), QUERY);
    format!("{name}={value}").into()
}

impl RequestTarget {
    pub(crate) fn new(endpoint: &'static EndpointInfo) -> Self {
        // In the catalogue, a fragment only distinguishes endpoints with the same path; it is not sent.
        let path = endpoint.path.map(|path| Cow::Borrowed(path.split('#').next().unwrap_or_default()));
        let mut params = Vec::new();
        for (order, param) in endpoint.params().enumerate() {
            if let Some(constant) = param.const_value {
                let name = Cow::Borrowed(param.wire_name);
                params.push(Param { order, name, value: constant.to_owned(), is_ambiguous: false });
            }
        }
        Self { endpoint, path, params, link: None }
    }

    /// Creates a target for a path that need not be in the catalogue. If the path begins with the suffix of the base
    /// URL, the suffix is removed.
    pub(crate) fn raw(endpoint: &'static EndpointInfo, path: String, base_url_suffix: &str) -> Self {
        let path = match path.strip_prefix(base_url_suffix) {
            Some(rest) if rest.starts_with('/') => rest.to_owned(),
            Some("") if !path.is_empty() => "/".to_owned(),
            _ => path,
        };
        Self { endpoint, path: Some(Cow::Owned(path)), params: Vec::new(), link: None }
    }

    /// Sets a param to these values, replacing earlier values; without a value, the param is omitted.
    pub(crate) fn set(&mut self, name: Cow<'static, str>, values: impl IntoIterator<Item = String>) {
        self.set_params(name, values, false);
    }

    fn set_params(&mut self, name: Cow<'static, str>, values: impl IntoIterator<Item = String>, is_ambiguous: bool) {
        // Known params are sorted by their position in the table, and unknown params follow, sorted by name. All values of
        // a param are adjacent.
        let (order, name) = self.known_name(name);
        let first = self.params.partition_point(|param| (param.order, &param.name) < (order, &name));
        let end = first + self.params.iter().skip(first).take_while(|param| param.name == name).count();
        let params = values.into_iter().map(|value| Param { order, name: name.clone(), value, is_ambiguous });
        self.params.splice(first..end, params);
    }

    /// The position of a param in the table, and the name that is sent; an earlier name becomes the present one.
    fn known_name(&self, name: Cow<'static, str>) -> (usize, Cow<'static, str>) {
        let Some(order) = self.endpoint.param_index(&name) else { return (usize::MAX, name) };
        match self.endpoint.params().nth(order) {
            Some(param) => (order, Cow::Borrowed(param.wire_name)),
            None => (order, name),
        }
    }

    /// Sets a param to several values in the list format of the catalogue, replacing earlier values.
    pub(crate) fn set_list(&mut self, name: Cow<'static, str>, values: Vec<String>) {
        let (texts, is_ambiguous) = list_texts(self.endpoint.param(&name), values);
        self.set_params(name, texts, is_ambiguous);
    }

    /// The parts that are compared for equality.
    fn parts(&self) -> impl Eq + Hash {
        (self.endpoint.group, self.endpoint.ident, &self.path, &self.params, &self.link)
    }

    /// The value of a param as it is sent: a list as one string, and for a repeated param the first value. `None`
    /// if the param is not set.
    pub(crate) fn value(&self, wire_name: &str) -> Option<&str> {
        let param = self.params.iter().find(|param| param.name == wire_name)?;
        Some(&param.value)
    }

    fn info(&self, param: &Param) -> Option<&'static ParamInfo> {
        self.endpoint.params().nth(param.order)
    }

    /// The names and values of the params, without encoding.
    pub(crate) fn params(&self) -> impl Iterator<Item = (&str, &str)> {
        self.params.iter().map(|param| (&*param.name, &*param.value))
    }

    /// Checks the request against the catalogue.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.link.is_some() {
            return Ok(());
        }
        if self.path.is_none() {
            return Err(Error::build("the path of this endpoint is unknown"));
        }
        for param in self.endpoint.params() {
            if check::is_required(param) && self.value(param.wire_name).is_none() {
                return Err(Error::build(format!("missing required param `{}`", param.wire_name)));
            }
        }
        for param in &self.params {
            if param.is_ambiguous {
                let separator = match self.endpoint.param(&param.name).and_then(ParamInfo::separator) {
                    Some(' ') => "space",
                    Some('|') => "vertical bar",
                    Some(':') => "colon",
                    Some(';') => "semicolon",
                    _ => "comma",
                };
                let problem = format!("a value of `{}` contains a {separator}, which separates list items", param.name);
                return Err(Error::build(problem).with_hint("send a request for each value"));
            }
            if let Some(info) = self.info(param) {
                check::value(info, &param.value)?;
            }
        }
        check::path(&self.expanded())
    }

    /// The encoded path and query.
    pub(crate) fn path_and_query(&self) -> String {
        if let Some(link) = &self.link {
            return link.clone();
        }
        let path = self.expanded();
        // The capacity does not include the additional bytes of encoded characters, because such characters are rare.
        let params = self.params.iter().map(|param| param.name.len() + param.value.len() + 2);
        let mut out = String::with_capacity(path.len() + params.sum::<usize>());
        out.push_str(&path);
        let mut separator = '?';
        for param in &self.params {
            if self.info(param).is_some_and(|info| info.location == ParamLocation::Path) {
                continue;
            }
            out.push(separator);
            out.extend(utf8_percent_encode(&param.name, QUERY));
            out.push('=');
            out.extend(utf8_percent_encode(&param.value, QUERY));
            separator = '&';
        }
        out
    }

    /// The path with the values of its params.
    fn expanded(&self) -> Cow<'_, str> {
        let mut path = Cow::Borrowed(self.path.as_deref().unwrap_or_default());
        for param in &self.params {
            let Some(info) = self.info(param) else { continue };
            if info.location != ParamLocation::Path {
                continue;
            }
            let encoded = if info.list_setter.is_some() { LIST_IN_PATH } else { SEGMENT };
            let value = utf8_percent_encode(&param.value, encoded).to_string();
            // Braces in a value are encoded, so no other param is inserted into the value.
            path = Cow::Owned(path.replace(format!("{{{}}}", param.name).as_str(), &value));
        }
        path
    }
}

impl PartialEq for RequestTarget {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl Eq for RequestTarget {}

impl Hash for RequestTarget {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().hash(state);
    }
}

/// Writes the method and the target, for example `GET /ratio?symbol=A`.
impl fmt::Display for RequestTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GET {}", self.path_and_query())
    }
}

impl fmt::Debug for RequestTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {self}", self.endpoint)
    }
}

/// The strings to send for several values in their wire form: one string for each value if each value is a
/// separate param, otherwise one string for all values. A list without values becomes an empty string, which `check`
/// rejects.
///
/// Also returns whether a value contains the separator, so that the service would read it as two values. `info` is
/// `None` for an unknown param.
pub(super) fn list_texts(info: Option<&ParamInfo>, values: Vec<String>) -> (Vec<String>, bool) {
    let query_format = match info {
        Some(info) if info.location == ParamLocation::Query => Some((info.list_as, info.ty)),
        _ => None,
    };
    match query_format {
        _ if values.is_empty() => (vec![String::new()], false),
        Some((ListFormat::Repeated, _)) => (values, false),
        Some((ListFormat::Json, ty)) => {
            let mut items = values;
            if !is_bare(ty) {
                for item in &mut items {
                    *item = Value::from(item.as_str()).to_string();
                }
            }
            (vec![format!("[{}]", items.join(","))], false)
        }
        _ => {
            let separator = info.and_then(ParamInfo::separator).unwrap_or(',');
            let is_ambiguous = values.iter().any(|value| value.contains(separator));
            (vec![values.join(&separator.to_string())], is_ambiguous)
        }
    }
}

/// `true` if JSON writes values of this type without quotes.
fn is_bare(ty: ValueType) -> bool {
    match ty {
        ValueType::Integer | ValueType::Count | ValueType::Number | ValueType::Boolean => true,
        ValueType::Timestamp(unit) => !unit.is_text(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{Evidence, ListFormat, ParamInfo, ValueType};

    const fn param(name: &'static str, ty: ValueType) -> ParamInfo {
        ParamInfo::new(name, name, ty, Evidence::Documented)
    }

    const BOOK: &EndpointInfo = &EndpointInfo {
        path: Some("/v1/books/{symbol}/levels"),
        param_lists: Some(&[
            &[ParamInfo { location: ParamLocation::Path, ..param("symbol", ValueType::String) }],
            &[],
            &[param("coin", ValueType::String), param("limit", ValueType::Count)],
        ]),
        ..EndpointInfo::new("market", "book", "Book")
    };

    fn check(params: &[(&'static str, &str)]) -> String {
        let mut call = RequestTarget::new(BOOK);
        for (name, value) in params {
            call.set(Cow::Borrowed(name), [(*value).to_owned()]);
        }
        call.check().map_or_else(|error| error.to_string(), |()| call.path_and_query())
    }

    #[test]
    fn path_and_query() {
        let table: [(&[(&str, &str)], &str); 6] = [
            (&[("symbol", "BTC")], "/v1/books/BTC/levels"),
            (&[("symbol", "a/b ?#%{coin}")], "/v1/books/a%2Fb%20%3F%23%25%7Bcoin%7D/levels"),
            (&[("limit", "5"), ("coin", "B"), ("symbol", "s")], "/v1/books/s/levels?coin=B&limit=5"),
            (&[("symbol", "s"), ("z", "1"), ("a", "2")], "/v1/books/s/levels?a=2&z=1"),
            (&[("symbol", "s"), ("coin", "A"), ("coin", "B")], "/v1/books/s/levels?coin=B"),
            (&[("symbol", "s"), ("x&y", "a,b:c =ü")], "/v1/books/s/levels?x%26y=a,b:c%20%3D%C3%BC"),
        ];
        for (params, expected) in table {
            assert_eq!(check(params), expected);
        }
    }

    const MANY: &EndpointInfo = &EndpointInfo {
        path: Some("/many"),
        param_lists: Some(&[&[
            ParamInfo { list_setter: Some("all_a"), list_as: ListFormat::Json, ..param("a", ValueType::String) },
            ParamInfo { list_setter: Some("all_b"), list_as: ListFormat::Json, ..param("b", ValueType::Count) },
            ParamInfo { list_setter: Some("all_c"), list_as: ListFormat::Repeated, ..param("c", ValueType::String) },
            ParamInfo { list_setter: Some("all_d"), ..param("d", ValueType::String) },
            ParamInfo { list_setter: Some("all_f"), list_as: ListFormat::Spaces, ..param("f", ValueType::String) },
            ParamInfo { list_setter: Some("all_g"), list_as: ListFormat::Pipes, ..param("g", ValueType::Count) },
            ParamInfo { const_value: Some("always"), ..param("e", ValueType::String) },
        ]]),
        ..EndpointInfo::new("market", "many", "Many")
    };

    #[test]
    fn several_values_are_sent_in_every_list_format() {
        let mut many = RequestTarget::new(MANY);
        assert_eq!(many.path_and_query(), "/many?e=always");
        let values = ["x,y", "\"z"];
        for name in ["a", "b", "c", "d"] {
            let list = if matches!(name, "b" | "d") { ["1", "2"] } else { values };
            many.set_list(Cow::Borrowed(name), list.map(str::to_owned).to_vec());
        }
        let sent = "/many?a=%5B%22x,y%22,%22%5C%22z%22%5D&b=%5B1,2%5D&c=x,y&c=%22z&d=1,2&e=always";
        assert_eq!(many.path_and_query(), sent);
        assert!(many.check().is_ok());
        many.set(Cow::Borrowed("c"), ["one".to_owned()]);
        for name in ["a", "b", "d", "e"] {
            many.set(Cow::Borrowed(name), None);
        }
        assert_eq!(many.path_and_query(), "/many?c=one");
        many.set_list(Cow::Borrowed("f"), vec!["x,y".to_owned(), "z".to_owned()]);
        many.set_list(Cow::Borrowed("g"), vec!["1".to_owned(), "2".to_owned()]);
        assert_eq!(many.path_and_query(), "/many?c=one&f=x,y%20z&g=1%7C2");
        assert!(many.check().is_ok());
        many.set_list(Cow::Borrowed("g"), vec!["1,2".to_owned()]);
        assert!(many.check().is_err(), "commas do not separate these values");
        many.set(Cow::Borrowed("g"), None);
        many.set_list(Cow::Borrowed("f"), vec!["x y".to_owned(), "z".to_owned()]);
        assert!(many.check().is_err(), "the service would read three values");
        many.set(Cow::Borrowed("f"), None);
        many.set_list(Cow::Borrowed("c"), Vec::new());
        let error = many.check().map_err(|error| error.to_string());
        assert_eq!(error, Err("`c` is empty; set a value or omit it".to_owned()));
    }

    #[test]
    fn fragment_is_not_sent() {
        const DAILY: &EndpointInfo =
            &EndpointInfo { path: Some("/query#daily"), ..EndpointInfo::new("market", "daily", "Daily") };
        assert_eq!(RequestTarget::new(DAILY).path_and_query(), "/query");
    }

    #[test]
    fn values_of_a_list_are_separated_by_commas_also_in_a_path() {
        const BOOKS: &EndpointInfo = &EndpointInfo {
            path: Some("/books/{symbols}"),
            param_lists: Some(&[&[ParamInfo {
                location: ParamLocation::Path,
                list_setter: Some("all_symbols"),
                list_as: ListFormat::Repeated,
                ..param("symbols", ValueType::String)
            }]]),
            ..EndpointInfo::new("market", "books", "Books")
        };
        let check = |values: &[&str]| {
            let mut books = RequestTarget::new(BOOKS);
            books.set_list(Cow::Borrowed("symbols"), values.iter().map(|value| (*value).to_owned()).collect());
            books.check().map_or_else(|error| error.to_string(), |()| books.path_and_query())
        };
        assert_eq!(check(&["BTC", "a/b"]), "/books/BTC,a%2Fb");
        let expected =
            "a value of `symbols` contains a comma, which separates list items; send a request for each value";
        assert_eq!(check(&["BTC", "a,b"]), expected);
    }

    #[test]
    fn colons_separate_the_values_of_a_list_in_the_query_and_in_a_path() {
        const RANGES: &EndpointInfo = &EndpointInfo {
            path: Some("/range/{period}"),
            param_lists: Some(&[&[
                ParamInfo {
                    location: ParamLocation::Path,
                    list_setter: Some("periods"),
                    list_as: ListFormat::Colons,
                    ..param("period", ValueType::String)
                },
                ParamInfo {
                    list_setter: Some("countries"),
                    list_as: ListFormat::Semicolons,
                    ..param("country", ValueType::String)
                },
            ]]),
            ..EndpointInfo::new("market", "ranges", "Ranges")
        };
        let mut ranges = RequestTarget::new(RANGES);
        ranges.set_list(Cow::Borrowed("period"), vec!["2024-01-01".to_owned(), "2024-01-31".to_owned()]);
        ranges.set_list(Cow::Borrowed("country"), vec!["MX".to_owned(), "XC".to_owned()]);
        assert_eq!(ranges.path_and_query(), "/range/2024-01-01:2024-01-31?country=MX%3BXC");
        ranges.set_list(Cow::Borrowed("period"), vec!["2024-01-01T00:00".to_owned()]);
        let error = ranges.check().unwrap_err().to_string();
        assert!(error.starts_with("a value of `period` contains a colon, which separates list items"), "{error}");
    }

    #[test]
    fn invalid_targets_are_rejected() {
        assert_eq!(check(&[("symbol", "..")]), r#"`symbol` cannot be ".." in a path"#);
        assert_eq!(check(&[("symbol", "s"), ("limit", "x")]), r#"`limit` is not a number: "x""#);
    }

    #[test]
    fn raw_path_may_include_the_version() {
        let table = [
            ("/v2", "/new", "/new"),
            ("/v2", "/v2/new", "/new"),
            ("/v2", "/v2", "/"),
            ("/v2", "/v2new", "/v2new"),
            ("/v2", "", ""),
            ("", "/v2/new", "/v2/new"),
            ("", "", ""),
        ];
        for (suffix, path, expected) in table {
            assert_eq!(RequestTarget::raw(BOOK, path.to_owned(), suffix).path.as_deref(), Some(expected));
        }
    }
}
