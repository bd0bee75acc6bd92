//! Suggestions of the form `did you mean …?`, with the known name that is most similar to a given name.
//!
//! The caller decides how to use the suggestion.

/// Returns a question such as `did you mean …?` with the most similar known name, if a known name is similar enough.
/// Initials match too: `wl` finds `water_level`. The first of several names that begin with the text is preferred.
pub(crate) fn help<'n>(written: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let initials = |name: &str| name.split('_').filter_map(|word| word.chars().next()).collect::<String>();
    let similarity = |name: &str| strsim::jaro_winkler(&key(written), &key(name));
    let begins = |name: &str| written.len() > 2 && key(name).starts_with(&key(written));
    let score = |name: &str| if begins(name) || initials(name) == key(written) { 1.0 } else { similarity(name) };
    let scored: Vec<_> = known.into_iter().map(|name| (score(name), name)).collect();
    // Of equal scores, `max_by` returns the last.
    let best = scored.into_iter().rev().max_by(|one, other| one.0.total_cmp(&other.0));
    best.filter(|(score, _)| *score > 0.8).map(|(_, name)| format!("did you mean `{name}`?"))
}

/// Normalizes a name: lower case, without separators between words.
pub(crate) fn key(name: &str) -> String {
    name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_name_is_found_only_if_similar() {
        let table = [
            ("watr_level", Some("water_level")),
            ("WaterLeevl", Some("water_level")),
            ("gaugs", Some("gauges")),
            ("wat", Some("water_level")),
            ("colour", None),
            ("", None),
        ];
        for (written, expected) in table {
            let expected = expected.map(|name| format!("did you mean `{name}`?"));
            assert_eq!(help(written, ["gauges", "water_level", "water"]), expected, "{written}");
        }
    }
}
