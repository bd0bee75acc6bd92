//! Suggestions of the form `did you mean …?`, with the known name that is most similar to a given name.
//!
//! The caller decides how to use the suggestion.

/// Returns a question such as `did you mean …?` with the most similar known name, if a known name is similar enough.
/// Initials match too: `wl` finds `water_level`. The first of several names that begin with the text is preferred.
pub(crate) fn help<'n>(written: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let mut best = None;
    let mut best_similarity = MIN_SIMILARITY;
    for name in known {
        let similarity = similarity(written, name);
        if similarity > best_similarity {
            best_similarity = similarity;
            best = Some(name);
        }
    }
    best.map(|name| format!("did you mean `{name}`?"))
}

/// A name is suggested only if it is more similar than this.
const MIN_SIMILARITY: f64 = 0.8;

/// Returns the similarity of a text and a name, between 0 and 1.
fn similarity(written: &str, name: &str) -> f64 {
    let text = key(written);
    let begins_with_text = written.len() > 2 && key(name).starts_with(&text);
    if begins_with_text || initials(name) == text { 1.0 } else { strsim::jaro_winkler(&text, &key(name)) }
}

/// Returns the first letters of the words in a name.
fn initials(name: &str) -> String {
    name.split('_').filter_map(|word| word.chars().next()).collect()
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
