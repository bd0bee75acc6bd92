//! Settings from environment variables.
//!
//! The variables come in through a function, so that tests need not change the environment.
//! A variable that is empty or holds only spaces counts as one that is not set.

use std::env::VarError;

use crate::SERVICE;
use crate::builder::Builder;
use crate::error::Error;

type Lookup<'l> = dyn Fn(&str) -> Result<String, VarError> + 'l;

/// Reads the settings, or says which variable is missing.
pub(crate) fn read(lookup: &Lookup<'_>) -> Result<Builder, Error> {
    let wants_key = SERVICE.api_key_header.is_some();
    // What is not wanted is not looked at, whatever it holds.
    let key = if wants_key { optional(lookup, "API_KEY")? } else { None };
    let builder = match (optional(lookup, "BASE_URL")?, key) {
        (Some(url), Some(key)) => Builder::new(url).api_key(key),
        (Some(url), None) if !wants_key => Builder::new(url),
        (Some(_), None) => return Err(missing("API_KEY", "")),
        (None, None) if wants_key => {
            let (url, key) = (full("BASE_URL"), full("API_KEY"));
            return Err(Error::build(format!("the environment variables `{url}` and `{key}` are not set")));
        }
        (None, _) => return Err(missing("BASE_URL", "")),
    };
    if SERVICE.client_credentials.is_none() {
        return Ok(builder);
    }
    match (optional(lookup, "CLIENT_ID")?, optional(lookup, "CLIENT_SECRET")?) {
        (None, None) => Ok(builder),
        (Some(id), Some(secret)) => Ok(builder.client_credentials(id, secret)),
        (Some(_), None) => Err(missing("CLIENT_SECRET", &beside("CLIENT_ID"))),
        (None, Some(_)) => Err(missing("CLIENT_ID", &beside("CLIENT_SECRET"))),
    }
}

fn optional(lookup: &Lookup<'_>, name: &str) -> Result<Option<String>, Error> {
    let name = full(name);
    match lookup(&name) {
        Ok(value) => Ok(Some(value).filter(|value| !value.trim().is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(Error::build(format!("the environment variable `{name}` is not UTF-8"))),
    }
}

fn missing(name: &str, why: &str) -> Error {
    Error::build(format!("the environment variable `{}` is not set{why}", full(name)))
}

fn beside(name: &str) -> String {
    format!(", although `{}` is", full(name))
}

fn full(name: &str) -> String {
    format!("{}_{name}", SERVICE.env_prefix)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(set: &[(&str, &str)]) -> Result<(), String> {
        let lookup = |name: &str| {
            let found = set.iter().find(|(known, _)| full(known) == name);
            found.map(|(_, value)| (*value).to_owned()).ok_or(VarError::NotPresent)
        };
        read(&lookup).map(drop).map_err(|error| error.to_string())
    }

    fn unset(name: &str, why: &str) -> Result<(), String> {
        Err(format!("the environment variable `{}` is not set{why}", full(name)))
    }

    #[test]
    fn what_is_missing_is_named() {
        let url = ("BASE_URL", "https://example.com/v2");
        let key = ("API_KEY", "key");
        let id = ("CLIENT_ID", "id");
        let secret = ("CLIENT_SECRET", "secret");
        let if_wanted = |wanted, outcome| if wanted { outcome } else { Ok(()) };
        let (wants_key, has_flow) = (SERVICE.api_key_header.is_some(), SERVICE.client_credentials.is_some());
        assert_eq!(check(&[url, key]), Ok(()));
        assert_eq!(check(&[url, key, id, secret]), Ok(()));
        assert_eq!(check(&[key]), unset("BASE_URL", ""));
        let both = format!("the environment variables `{}` and `{}` are not set", full("BASE_URL"), full("API_KEY"));
        assert_eq!(check(&[]), if wants_key { Err(both) } else { unset("BASE_URL", "") });
        assert_eq!(check(&[("BASE_URL", ""), key]), unset("BASE_URL", ""));
        assert_eq!(check(&[url, ("API_KEY", " ")]), if_wanted(wants_key, unset("API_KEY", "")));
        assert_eq!(check(&[url]), if_wanted(wants_key, unset("API_KEY", "")));
        let without_secret = unset("CLIENT_SECRET", &beside("CLIENT_ID"));
        assert_eq!(check(&[url, key, id]), if_wanted(has_flow, without_secret));
        let without_id = unset("CLIENT_ID", &beside("CLIENT_SECRET"));
        assert_eq!(check(&[url, key, secret]), if_wanted(has_flow, without_id));
    }

    #[test]
    fn what_is_not_text_is_named_where_it_is_wanted() {
        let garbled = |variable: &str| {
            let lookup = |name: &str| {
                if name == full(variable) { Err(VarError::NotUnicode("x".into())) } else { Ok("https://a.b/v2".into()) }
            };
            read(&lookup).map(drop).map_err(|error| error.to_string())
        };
        let has_flow = SERVICE.client_credentials.is_some();
        let wanted = [("BASE_URL", true), ("API_KEY", SERVICE.api_key_header.is_some()), ("CLIENT_ID", has_flow)];
        for (name, is_wanted) in wanted {
            let expected = Err(format!("the environment variable `{}` is not UTF-8", full(name)));
            assert_eq!(garbled(name), if is_wanted { expected } else { Ok(()) });
        }
    }
}
