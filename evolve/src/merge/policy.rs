//! What becomes of each key of the format that both catalogues have, or only the new one.

/// What is done with a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Policy {
    /// Filled in where it is unknown; what contradicts is reported and stays.
    Fill,
    /// Filled in where it is unknown; another text is only counted, since everybody has words of their own.
    Text,
    /// Filled in where it is unknown; another value contradicts nothing.
    Offer,
    /// Stays as it is; what contradicts is reported.
    Keep,
    /// The same, where the new catalogue says it of its own accord, as our own descriptions do.
    Told,
    /// A list of names, of which those that are not there are reported.
    Names,
    /// A list whose items are the same if this key of theirs is; new ones join it.
    Join(&'static str),
    /// A map: filled in as a whole where there is none, or else by its own keys.
    Part,
    /// A map whose keys all stay as they are.
    Kept,
    /// Matched with care of its own: what it says decides what else is compared, or where it is written.
    Matched,
}

/// The policy of a key, by the kind of map that it stands in. `None` for one that nobody has decided about.
pub(super) fn policy(map: &str, key: &str) -> Option<Policy> {
    use Policy::{Join, Keep, Kept, Matched, Names, Part, Told};
    Some(match (map, key) {
        ("the service", "time" | "envelope") | ("the envelope", "time" | "metadata") => Kept,
        ("`time`", "unit" | "format")
        | ("`client_credentials`", "path")
        | ("`error_body`", "name")
        | ("a limit set", "endpoints")
        | ("a header", "value") => Keep,
        ("the service", "base_url" | "credentials" | "error_body" | "history") | ("`credentials`", _) => Part,
        ("the service" | "`client_credentials`", "errors") => Join("status"),
        ("the service", "limits" | "headers") => Join("name"),
        ("`client_credentials`", "reply") => Names,
        ("a group", "title") => Matched,
        ("a param" | "a field" | "an endpoint" | "a record", "evidence") => Told,
        _ => return everywhere(key),
    })
}

/// The policy that a key has in every other map.
fn everywhere(key: &str) -> Option<Policy> {
    use Policy::{Fill, Keep, Matched, Names, Offer, Part, Text, Told};
    Some(match key {
        "summary" | "notes" | "advice" => Text,
        "default" | "served" | "works" | "refused" | "unit" | "format" | "duration" | "deprecated" | "label"
        | "applies_to" | "min" | "max" => Fill,
        "title" | "version" | "env_prefix" | "suffix" | "header" | "data" | "message" | "code" | "requests"
        | "seconds" | "concurrent" | "weight" | "history" | "from" | "to" | "limit" | "step" | "sort"
        | "oldest_first" | "since" | "positional" | "list_as" | "fixed" | "prefix" => Keep,
        "example" | "single" => Offer,
        "ident" => Told,
        "aliases" => Names,
        "range" => Part,
        "name" | "id" | "type" | "kind" | "list" | "in" | "use" | "required" | "optional" | "status" | "value"
        | "path" | "params" | "body" | "series" | "object" | "time" | "fields" | "records" | "endpoints" | "types"
        | "values" | "param_sets" | "unsupported" | "shapes" | "part" | "question" | "suffixes" | "answer"
        | "evidence" | "named_by" => Matched,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use codegen::format::{GROUP, Map, SERVICE};

    use super::policy;

    fn keys(map: &'static Map, seen: &mut Vec<&'static str>) {
        for key in map.keys {
            if policy(map.what, key.name).is_none() && !seen.contains(&key.name) {
                seen.push(key.name);
            }
            for map in key.shape.maps() {
                keys(map, seen);
            }
        }
    }

    /// Whoever adds a key decides here what an import does with it.
    #[test]
    fn every_key_of_the_format_has_a_policy() {
        let mut seen = Vec::new();
        keys(SERVICE, &mut seen);
        keys(GROUP, &mut seen);
        assert_eq!(seen, Vec::<&str>::new());
    }
}
