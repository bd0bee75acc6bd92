//! How each key of the format is merged.

/// How a key is merged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Policy {
    /// Filled in if it is unknown; a contradiction is reported, and the known value stays.
    Fill,
    /// Filled in if it is unknown; another text is only counted, since texts differ in words.
    Text,
    /// Filled in if it is unknown; another value is no contradiction.
    Offer,
    /// The known value stays; a contradiction is reported.
    Keep,
    /// The same, if the new catalogue states the fact itself, as our own descriptions do.
    Told,
    /// A list of names; those that are missing here are reported.
    Names,
    /// A list whose items match by this key; new ones are added.
    Join(&'static str),
    /// A map: filled in as a whole if there is none, otherwise key by key.
    Part,
    /// A map whose known keys stay.
    Kept,
    /// Merged by code of its own: it decides what else is compared, or where it is written.
    Matched,
}

/// The policy of a key in a map; `None` if it has none, which a test refuses.
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

/// The policy of a key in every other map.
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

    /// A new key of the format needs a policy here.
    #[test]
    fn every_key_of_the_format_has_a_policy() {
        let mut seen = Vec::new();
        keys(SERVICE, &mut seen);
        keys(GROUP, &mut seen);
        assert_eq!(seen, Vec::<&str>::new());
    }
}
