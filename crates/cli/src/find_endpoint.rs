//! Finds endpoints by the names that users type.

use std::path::Path;

use dataset::Target;
use runtime::registry::EndpointInfo;

use crate::endpoint_names::{Endpoint, called, name, with_path};
use crate::failure::{Failure, Result};
use crate::notation::command;
use crate::param_options::several_values;

/// Finds an endpoint by name or path. A path that is not in the catalogue becomes an endpoint about which nothing is
/// known.
pub(crate) fn find_or_path(written: &str) -> Result<Endpoint> {
    let written = written.trim();
    match find_known(written) {
        Err(_) if written.starts_with('/') && !Path::new(written).exists() => {
            // The few paths of a command line are kept until the program ends, as the catalogue is.
            let path: &'static str = written.to_owned().leak();
            Ok(Box::leak(Box::new(EndpointInfo::of("", path).path(Some(path)))))
        }
        found => found,
    }
}

/// Finds an endpoint by name, whether its path is known or not. Returns an error if the name is unknown or ambiguous.
pub(crate) fn find(written: &str) -> Result<Endpoint> {
    match called(written).as_slice() {
        [endpoint] => Ok(endpoint),
        [] => {
            let idents: Vec<String> = with_path().map(name).collect();
            // The part before a dot is a group.
            let ident = written.rsplit('.').next().unwrap_or_default();
            let help = wording::did_you_mean(ident, idents.iter().map(String::as_str));
            let failure = Failure::usage(format!("unknown endpoint `{written}`"));
            let is_file = matches!(Target::parse(written), Ok(Target::File { .. }));
            if is_file || written.ends_with('/') || Path::new(written).exists() {
                let status = command("status FILE", "status(FILE)", "report");
                let status = format!("`{status}` describes a file");
                return Err(failure.help("the command fetches endpoints and reads no file").help(status));
            }
            let list = "spaces separate endpoints; in a job file and in Python, several endpoints are a list";
            let list = written.contains(',').then(|| list.to_owned());
            let failure = failure.help_if(list.or_else(|| several_values(written, std::env::args_os())).or(help));
            Err(failure.help(format!("`{}` lists all endpoints", command("list", "endpoints()", "find_endpoints"))))
        }
        several => {
            let names: Vec<_> = several.iter().map(|endpoint| format!("`{endpoint}`")).collect();
            Err(Failure::usage(format!("`{written}` is ambiguous: {}", names.join(" or ")))
                .help("use one of these names"))
        }
    }
}

/// Finds an endpoint by name. Returns an error if its path is unknown.
pub(crate) fn find_known(written: &str) -> Result<Endpoint> {
    let endpoint = find(written)?;
    if endpoint.path.is_some() {
        return Ok(endpoint);
    }
    let message = format!("the path of `{endpoint}` is unknown");
    Err(Failure::usage(message)
        .help(format!("if you know the path, use `{}`", command("get /PATH", "get(\"/PATH\")", "get /PATH"))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint_names::all;
    use test_endpoints::{Metric, metric};

    fn check(written: &str) -> String {
        find(written).map_or_else(|failure| failure.to_string(), ToString::to_string)
    }

    #[test]
    fn endpoint_is_found_by_each_of_its_names() {
        let Metric { endpoint, name, path, .. } = metric();
        let full = endpoint.to_string();
        for written in [name, &*name.replace('_', "-"), path.trim_start_matches('/'), path, &full, endpoint.name] {
            assert_eq!(check(written), full, "{written}");
        }
    }

    #[test]
    fn every_printed_name_finds_its_endpoint() {
        for (_, endpoint) in all() {
            assert_eq!(check(&name(endpoint)), endpoint.to_string());
            assert_eq!(check(&endpoint.to_string()), endpoint.to_string());
            if let Some(path) = endpoint.path {
                assert_eq!(check(path), endpoint.to_string());
            }
        }
    }

    #[test]
    fn misspelt_names_get_suggestions() {
        let name = metric().name;
        let help = format!("did you mean `{name}`? `derivs list` lists all endpoints");
        assert_eq!(check(&format!("{name}s")), format!("unknown endpoint `{name}s`\n  help: {help}"));
        let full = metric().endpoint.to_string();
        assert_eq!(check(&format!("{full}s")), format!("unknown endpoint `{full}s`\n  help: {help}"));
        assert!(check("levels.parquet").contains("reads no file"));
    }

    #[test]
    fn shared_name_selects_the_endpoint_with_a_path() {
        for (_, endpoint) in all() {
            let of_name: Vec<_> = all().map(|(_, other)| other).filter(|other| other.ident == endpoint.ident).collect();
            let with_path: Vec<_> = of_name.iter().filter(|other| other.path.is_some()).collect();
            if let [one] = &*with_path {
                assert_eq!(check(endpoint.ident), one.to_string());
            }
        }
    }
}
