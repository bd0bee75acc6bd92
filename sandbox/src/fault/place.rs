//! Where a rule applies: which paths of the registry it means.
//!
//! A word comes in; the paths go out as the router has them.

use generated_client::{GROUPS, SERVICE};

use crate::known;
use crate::routes::full;

/// Where a rule applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Everywhere,
    Paths(Vec<String>),
}

impl Place {
    /// Whether the place covers a request that was routed to this path, or to none.
    pub(super) fn contains(&self, path: Option<&str>) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Paths(paths) => path.is_some_and(|path| paths.iter().any(|known| known == path)),
        }
    }

    /// The place that a word names: `all`, `token`, a group, an endpoint as `group.method`, or its path.
    pub(super) fn read(word: &str) -> Option<Self> {
        let token = SERVICE.client_credentials.as_ref().map(|flow| flow.path);
        let paths: Vec<_> = match word {
            "all" => return Some(Self::Everywhere),
            "token" => token.into_iter().collect(),
            _ => known::endpoints()
                .filter(|(path, endpoint)| *path == word || endpoint.group == word || endpoint.to_string() == word)
                .map(|(path, _)| path)
                .collect(),
        };
        (!paths.is_empty()).then(|| Self::Paths(paths.into_iter().map(full).collect()))
    }

    /// Every word that names a place.
    pub(super) fn words() -> Vec<String> {
        let groups = GROUPS.iter().map(|group| group.ident.to_owned());
        let endpoints = known::endpoints().flat_map(|(path, endpoint)| [path.to_owned(), endpoint.to_string()]);
        ["all", "token"].map(str::to_owned).into_iter().chain(groups).chain(endpoints).collect()
    }
}
