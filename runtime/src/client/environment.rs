//! Settings from environment variables.
//!
//! The variables are read through a function, so that tests need not change the environment. A variable that is empty
//! or blank counts as not set.

use std::env::VarError;

use super::builder::Settings;
use crate::error::Error;
use crate::registry::ServiceInfo;

type Lookup<'l> = dyn Fn(&str) -> Result<String, VarError> + 'l;

/// Reads the settings; the error names the missing variable.
pub(super) fn read(service: &ServiceInfo, lookup: &Lookup<'_>) -> Result<Settings, Error> {
    let variables = Variables { prefix: service.env_prefix, lookup };
    let takes_key = service.takes_api_key();
    let wants_key = takes_key && !service.api_key_optional;
    // A service without an API key ignores the variable.
    let key = if takes_key { variables.optional("API_KEY")? } else { None };
    let mut settings = match (variables.optional("BASE_URL")?, &key) {
        (Some(_), None) if wants_key => return Err(variables.missing("API_KEY", "")),
        (Some(url), _) => Settings::new(url),
        (None, None) if wants_key => {
            let (url, key) = (variables.name("BASE_URL"), variables.name("API_KEY"));
            return Err(Error::build(format!("the environment variables `{url}` and `{key}` are not set")));
        }
        (None, _) => return Err(variables.missing("BASE_URL", "")),
    };
    settings.api_key = key.map(Into::into);
    if service.client_credentials.is_none() {
        return Ok(settings);
    }
    settings.client_credentials = match (variables.optional("CLIENT_ID")?, variables.optional("CLIENT_SECRET")?) {
        (None, None) => None,
        (Some(id), Some(secret)) => Some((id.into(), secret.into())),
        (Some(_), None) => return Err(variables.missing("CLIENT_SECRET", &variables.beside("CLIENT_ID"))),
        (None, Some(_)) => return Err(variables.missing("CLIENT_ID", &variables.beside("CLIENT_SECRET"))),
    };
    Ok(settings)
}

/// The environment variables of one service.
struct Variables<'l> {
    prefix: &'static str,
    lookup: &'l Lookup<'l>,
}

impl Variables<'_> {
    fn optional(&self, name: &str) -> Result<Option<String>, Error> {
        let name = self.name(name);
        match (self.lookup)(&name) {
            Ok(value) => Ok(Some(value).filter(|value| !value.trim().is_empty())),
            Err(VarError::NotPresent) => Ok(None),
            Err(VarError::NotUnicode(_)) => {
                Err(Error::build(format!("the environment variable `{name}` is not UTF-8")))
            }
        }
    }

    fn missing(&self, name: &str, why: &str) -> Error {
        Error::build(format!("the environment variable `{}` is not set{why}", self.name(name)))
    }

    fn beside(&self, name: &str) -> String {
        format!(", although `{}` is", self.name(name))
    }

    fn name(&self, name: &str) -> String {
        format!("{}_{name}", self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{ClientCredentialsInfo, Evidence};

    const OPEN: ServiceInfo = ServiceInfo::new("Open").env_prefix("INVENTED");
    const KEY: ServiceInfo = ServiceInfo::new("Key").env_prefix("INVENTED").api_key_header("x-api-key");
    const MAYBE: ServiceInfo =
        ServiceInfo::new("Maybe").env_prefix("INVENTED").api_key_header("authorization").api_key_optional();
    const FLOW: ServiceInfo = ServiceInfo::new("Flow")
        .env_prefix("INVENTED")
        .api_key_header("x-api-key")
        .client_credentials(ClientCredentialsInfo::new("/token", "", Evidence::Documented));

    fn check(service: &ServiceInfo, set: &[(&str, &str)]) -> Result<(), String> {
        let lookup = |name: &str| {
            let found = set.iter().find(|(known, _)| format!("INVENTED_{known}") == name);
            found.map(|(_, value)| (*value).to_owned()).ok_or(VarError::NotPresent)
        };
        read(service, &lookup).map(drop).map_err(|error| error.to_string())
    }

    fn unset(name: &str, why: &str) -> Result<(), String> {
        Err(format!("the environment variable `INVENTED_{name}` is not set{why}"))
    }

    #[test]
    fn missing_variable_is_named() {
        let url = ("BASE_URL", "https://example.com/v2");
        let key = ("API_KEY", "key");
        let id = ("CLIENT_ID", "id");
        let secret = ("CLIENT_SECRET", "secret");
        for service in [&OPEN, &KEY, &MAYBE, &FLOW] {
            assert_eq!(check(service, &[url, key]), Ok(()));
            assert_eq!(check(service, &[url, key, id, secret]), Ok(()));
            assert_eq!(check(service, &[key]), unset("BASE_URL", ""));
            assert_eq!(check(service, &[("BASE_URL", ""), key]), unset("BASE_URL", ""));
        }
        let both = "the environment variables `INVENTED_BASE_URL` and `INVENTED_API_KEY` are not set";
        assert_eq!(check(&KEY, &[]), Err(both.to_owned()));
        assert_eq!(check(&OPEN, &[]), unset("BASE_URL", ""));
        for (service, outcome) in [(&KEY, unset("API_KEY", "")), (&OPEN, Ok(())), (&MAYBE, Ok(()))] {
            assert_eq!(check(service, &[url]), outcome);
            assert_eq!(check(service, &[url, ("API_KEY", " ")]), outcome);
        }
        assert_eq!(check(&FLOW, &[url, key, id]), unset("CLIENT_SECRET", ", although `INVENTED_CLIENT_ID` is"));
        assert_eq!(check(&FLOW, &[url, key, secret]), unset("CLIENT_ID", ", although `INVENTED_CLIENT_SECRET` is"));
        assert_eq!(check(&KEY, &[url, key, id]), Ok(()));
    }

    #[test]
    fn variable_that_is_not_text_is_named() {
        let garbled = |service: &ServiceInfo, variable: &str| {
            let lookup = |name: &str| {
                let is_garbled = name == format!("INVENTED_{variable}");
                if is_garbled { Err(VarError::NotUnicode("x".into())) } else { Ok("https://a.b/v2".into()) }
            };
            read(service, &lookup).map(drop).map_err(|error| error.to_string())
        };
        let refused = |name: &str| Err(format!("the environment variable `INVENTED_{name}` is not UTF-8"));
        for name in ["BASE_URL", "API_KEY", "CLIENT_ID"] {
            assert_eq!(garbled(&FLOW, name), refused(name));
        }
        assert_eq!(garbled(&OPEN, "API_KEY"), Ok(()));
        assert_eq!(garbled(&KEY, "CLIENT_ID"), Ok(()));
    }
}
