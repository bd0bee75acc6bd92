//! Finds the known name that is nearest to an unknown name.

/// Returns the nearest known name; `None` if none is similar.
pub(crate) fn nearest<T: AsRef<str>>(written: &str, known: impl Iterator<Item = T>) -> Option<T> {
    let score = |name: &str| strsim::jaro_winkler(&written.to_lowercase(), &name.to_lowercase());
    let scored = known.map(|name| (score(name.as_ref()), name));
    let best = scored.max_by(|one, other| one.0.total_cmp(&other.0));
    best.filter(|(score, _)| *score > 0.8).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_similar_names_are_suggested() {
        let table = [("klnes", Some("klines")), ("Klines", Some("klines")), ("colour", None), ("", None)];
        for (written, expected) in table {
            assert_eq!(nearest(written, ["klines", "volumeRatio"].into_iter()), expected, "{written}");
        }
    }
}
