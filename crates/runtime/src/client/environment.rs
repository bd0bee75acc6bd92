//! Settings from outside of the program: from environment variables, or from a file.
//!
//! Environment variables are read through a function, so that tests need not change the environment. A variable that is
//! empty or blank counts as not set.

use std::env::VarError;
use std::path::Path;

use super::builder::{Builder, BuilderSettings, SettingsFeature};
#[cfg(feature = "settings")]
use super::settings::read_file;
use super::{ClientType, Core};
use crate::auth::KeySource;
use crate::error::Error;
use crate::registry::ServiceInfo;

impl<C: ClientType> Builder<C> {
    /// Reads the settings from the environment; see `Client::from_env`.
    pub fn from_env() -> Result<Self, Error> {
        let settings = read_environment(C::SERVICE, &|name| std::env::var(name))?;
        Ok(Self::of(settings, C::SERVICE, C::AGENT))
    }

    /// Creates a builder with the settings of a TOML file; requires the feature `settings`.
    ///
    /// The file has the keys of `ClientSettings`.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, Error>
    where
        C: SettingsFeature,
    {
        let builder = Self::new(String::new());
        #[cfg(feature = "settings")]
        let builder = read_file(path.as_ref())?.apply(builder)?;
        // Without the feature, this function has no callers, because no type implements `SettingsFeature`.
        #[cfg(not(feature = "settings"))]
        drop(path);
        Ok(builder)
    }
}

impl<C: From<Core>> Builder<C> {
    /// Reads the base URLs of groups from the environment; see `Client::from_env`. A group whose variable is not set keeps
    /// its base URL.
    pub fn env_base_urls(mut self) -> Result<Self, Error> {
        read_group_urls(&mut self.settings, self.service, &|name| std::env::var(name))?;
        Ok(self)
    }
}

type Lookup<'l> = dyn Fn(&str) -> Result<String, VarError> + 'l;

/// Reads the settings. If a required variable is missing, the error message contains its name.
pub(super) fn read_environment(service: &ServiceInfo, lookup: &Lookup<'_>) -> Result<BuilderSettings, Error> {
    // The variable `API_KEY` is ignored if the service accepts no API key.
    let takes_key = service.takes_api_key();
    let key = if takes_key { Variable::of(service, "API_KEY", lookup)? } else { Variable::default() };
    let url = Variable::of(service, "BASE_URL", lookup)?;
    let lacks_key = takes_key && !service.api_key_optional && key.value.is_none();
    let mut settings = match url.value {
        Some(_) if lacks_key => return Err(key.missing("")),
        Some(url) => BuilderSettings::new(url),
        None if lacks_key => {
            let message = format!("the environment variables `{}` and `{}` are not set", url.name, key.name);
            return Err(Error::build(message));
        }
        None => return Err(url.missing("")),
    };
    settings.api_key = key.value.map(|key| KeySource::Fixed(key.into()));
    read_group_urls(&mut settings, service, lookup)?;
    if service.client_credentials.is_some() {
        let id = Variable::of(service, "CLIENT_ID", lookup)?;
        let secret = Variable::of(service, "CLIENT_SECRET", lookup)?;
        settings.client_credentials = match (&id.value, &secret.value) {
            (None, None) => None,
            (Some(id), Some(secret)) => Some((id.as_str().into(), secret.as_str().into())),
            (Some(_), None) => return Err(secret.missing(&format!(", although `{}` is", id.name))),
            (None, Some(_)) => return Err(id.missing(&format!(", although `{}` is", secret.name))),
        };
    }
    Ok(settings)
}

/// Reads the base URLs of groups.
fn read_group_urls(settings: &mut BuilderSettings, service: &ServiceInfo, lookup: &Lookup<'_>) -> Result<(), Error> {
    for info in service.base_urls {
        let url = Variable::read(info.variable(service), lookup)?;
        if let Some(url) = url.value {
            settings.base_urls.groups.insert(info.name.to_owned(), url);
        }
    }
    Ok(())
}

/// An environment variable of a service.
#[derive(Default)]
struct Variable {
    name: String,
    /// `None` if the variable is not set or blank.
    value: Option<String>,
}

impl Variable {
    fn of(service: &ServiceInfo, suffix: &str, lookup: &Lookup<'_>) -> Result<Self, Error> {
        Self::read(format!("{}_{suffix}", service.env_prefix), lookup)
    }

    fn read(name: String, lookup: &Lookup<'_>) -> Result<Self, Error> {
        match lookup(&name) {
            Ok(value) if value.trim().is_empty() => Ok(Self { name, value: None }),
            Ok(value) => Ok(Self { name, value: Some(value) }),
            Err(VarError::NotPresent) => Ok(Self { name, value: None }),
            Err(VarError::NotUnicode(_)) => {
                Err(Error::build(format!("the environment variable `{name}` is not UTF-8")))
            }
        }
    }

    fn missing(&self, why: &str) -> Error {
        Error::build(format!("the environment variable `{}` is not set{why}", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{BaseUrlInfo, ClientCredentialsInfo, Evidence};

    const OPEN: ServiceInfo = ServiceInfo { env_prefix: "INVENTED", ..ServiceInfo::new("Open") };
    const KEY: ServiceInfo =
        ServiceInfo { env_prefix: "INVENTED", api_key_header: Some("x-api-key"), ..ServiceInfo::new("Key") };
    const MAYBE: ServiceInfo = ServiceInfo {
        env_prefix: "INVENTED",
        api_key_header: Some("authorization"),
        api_key_optional: true,
        ..ServiceInfo::new("Maybe")
    };
    const FLOW: ServiceInfo = ServiceInfo {
        env_prefix: "INVENTED",
        api_key_header: Some("x-api-key"),
        client_credentials: Some(ClientCredentialsInfo {
            path: "/token",
            label: "",
            evidence: Evidence::Documented,
            reply: &[],
            errors: &[],
            notes: "",
        }),
        ..ServiceInfo::new("Flow")
    };

    fn check(service: &ServiceInfo, set: &[(&str, &str)]) -> Result<(), String> {
        let lookup = |name: &str| {
            let found = set.iter().find(|(known, _)| format!("INVENTED_{known}") == name);
            found.map(|(_, value)| (*value).to_owned()).ok_or(VarError::NotPresent)
        };
        read_environment(service, &lookup).map(drop).map_err(|error| error.to_string())
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
    fn base_urls_of_groups_are_optional() {
        const HOSTS: ServiceInfo = ServiceInfo {
            env_prefix: "INVENTED",
            base_urls: &[BaseUrlInfo { name: "test_orders", suffix: "", groups: &["orders"] }],
            ..ServiceInfo::new("Hosts")
        };
        for (value, expected) in [(Some("https://b.test"), Some("https://b.test")), (Some(" "), None), (None, None)] {
            let lookup = |name: &str| match name {
                "INVENTED_BASE_URL" => Ok("https://a.test".to_owned()),
                "INVENTED_TEST_ORDERS_BASE_URL" => value.map(str::to_owned).ok_or(VarError::NotPresent),
                _ => Err(VarError::NotPresent),
            };
            let settings = read_environment(&HOSTS, &lookup).map_err(|error| error.to_string()).unwrap();
            assert_eq!(settings.base_urls.groups.get("test_orders").map(String::as_str), expected);
        }
    }

    #[test]
    fn variable_that_is_not_text_is_named() {
        let garbled = |service: &ServiceInfo, variable: &str| {
            let lookup = |name: &str| {
                let is_garbled = name == format!("INVENTED_{variable}");
                if is_garbled { Err(VarError::NotUnicode("x".into())) } else { Ok("https://a.b/v2".into()) }
            };
            read_environment(service, &lookup).map(drop).map_err(|error| error.to_string())
        };
        let refused = |name: &str| Err(format!("the environment variable `INVENTED_{name}` is not UTF-8"));
        for name in ["BASE_URL", "API_KEY", "CLIENT_ID"] {
            assert_eq!(garbled(&FLOW, name), refused(name));
        }
        assert_eq!(garbled(&OPEN, "API_KEY"), Ok(()));
        assert_eq!(garbled(&KEY, "CLIENT_ID"), Ok(()));
    }
}
