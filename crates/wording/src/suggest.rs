//! The known name that is most similar to a given name.

/// A question such as `did you mean …?` with the [most similar](most_similar) name.
pub fn did_you_mean<'n>(written: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let name = most_similar(written, known)?;
    Some(format!("did you mean `{name}`?"))
}

/// The known name that is most similar to the given one, if it is similar enough. Initials match too: `wl` finds
/// `water_level`. The first of several names that begin with the text is preferred.
pub fn most_similar<'n>(written: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let mut best = None;
    let mut best_similarity = MIN_SIMILARITY;
    for name in known {
        let similarity = similarity(written, name);
        if similarity > best_similarity {
            best_similarity = similarity;
            best = Some(name);
        }
    }
    best
}

/// A name is suggested only if it is more similar than this.
const MIN_SIMILARITY: f64 = 0.8;

/// Between 0 and 1.
fn similarity(written: &str, name: &str) -> f64 {
    let text = normalized(written);
    let begins_with_text = written.len() > 2 && normalized(name).starts_with(&text);
    if begins_with_text || initials(name) == text { 1.0 } else { strsim::jaro_winkler(&text, &normalized(name)) }
}

fn initials(name: &str) -> String {
    let mut initials = String::new();
    for word in name.split('_') {
        initials.extend(word.chars().next());
    }
    initials
}

/// A name in lower case, without separators between words.
pub fn normalized(name: &str) -> String {
    let mut normalized = name.to_lowercase();
    normalized.retain(char::is_alphanumeric);
    normalized
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
            assert_eq!(most_similar(written, ["gauges", "water_level", "water"]), expected, "{written}");
        }
    }
}
