//! The arguments of a call: JSON from an assistant → texts, numbers and params, or an error that names the argument.

use serde_json::{Map, Value};

use crate::endpoint_names::Endpoint;
use crate::failure::{Failure, Result};
use crate::offered_param::splits;
use crate::param_keys::ParamKeys;
use crate::param_options::Params;

/// The arguments of a call. A value of null is the same as none.
#[derive(Debug)]
pub(crate) struct Arguments(Map<String, Value>);

impl Arguments {
    /// Rejects arguments that a tool does not have.
    pub(crate) fn new(given: Map<String, Value>, known: &[&'static str]) -> Result<Self> {
        for name in given.keys() {
            if !known.contains(&name.as_str()) {
                let help = wording::did_you_mean(name, known.iter().copied());
                let accepted = format!("accepted: {}", known.join(", "));
                return Err(Failure::usage(format!("unknown argument `{name}`")).help_if(help).help(accepted));
            }
        }
        Ok(Self(given))
    }

    fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// A text; `None` if the argument is missing or empty.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&str>> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.trim()).filter(|text| !text.is_empty())),
            Some(other) => Err(Failure::usage(format!("invalid `{name}` {other}: expected a text"))),
        }
    }

    pub(crate) fn required_text(&self, name: &str) -> Result<&str> {
        self.text(name)?.ok_or_else(|| Failure::usage(format!("the argument `{name}` is missing")))
    }

    /// Parses a text.
    pub(crate) fn parsed<T>(&self, name: &str, parse: fn(&str) -> Result<T, String>) -> Result<Option<T>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        match parse(text) {
            Ok(value) => Ok(Some(value)),
            Err(why) => Err(Failure::usage(format!("invalid `{name}` `{text}`: {why}"))),
        }
    }

    pub(crate) fn number(&self, name: &str) -> Result<Option<u64>> {
        let Some(value) = self.value(name) else { return Ok(None) };
        match value.as_u64() {
            Some(number) => Ok(Some(number)),
            None => Err(Failure::usage(format!("invalid `{name}` {value}: expected a whole number"))),
        }
    }

    pub(crate) fn flag(&self, name: &str) -> Result<bool> {
        match self.value(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(Failure::usage(format!("invalid `{name}` {other}: expected true or false"))),
        }
    }

    /// The params of these endpoints, or of all endpoints if the list is empty.
    pub(crate) fn params(&self, endpoints: &[Endpoint]) -> Result<Params> {
        let mut params = Params { are_keys: true, ..Params::default() };
        let given = match self.value("params") {
            None => return Ok(params),
            Some(Value::Object(given)) => given,
            Some(other) => return Err(Failure::usage(format!("invalid `params` {other}: expected an object"))),
        };
        let keys = ParamKeys::of(endpoints);
        for (key, value) in given {
            let Some(param) = keys.find(key.trim_start_matches('-')) else {
                let known = keys.names();
                let help = wording::did_you_mean(key, known.iter().map(String::as_str));
                let accepted = format!("accepted: {}", known.join(", "));
                return Err(Failure::usage(format!("unknown param `{key}`")).help_if(help).help(accepted));
            };
            let mut values = Vec::new();
            for text in texts(key, value)? {
                if splits(param.infos[0]) {
                    values.extend(text.split(',').map(|part| part.trim().to_owned()));
                } else {
                    values.push(text);
                }
            }
            params.known.push((param.wire_name.to_owned(), values));
        }
        Ok(params)
    }
}

/// Returns one or several values of a param as texts.
fn texts(key: &str, value: &Value) -> Result<Vec<String>> {
    let invalid = || Failure::usage(format!("invalid param `{key}` {value}: expected a text, or a list of texts"));
    match value {
        Value::Array(all) if !all.is_empty() => {
            let mut texts = Vec::new();
            for one in all {
                texts.push(text_of(one).ok_or_else(invalid)?);
            }
            Ok(texts)
        }
        one => Ok(vec![text_of(one).ok_or_else(invalid)?]),
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}
